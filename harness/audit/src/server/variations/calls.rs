//! Calls of tools in other spellings of the same arguments, and with members that clients add or leave out.
//!
//! Each is compared with a plain call of the session: only a difference tells anything.

use std::time::Duration;

use mcp_compat_author::capture::made_up::object_of;
use mcp_compat_json::{Json, Object};
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_scenario::write::Answer;
use mcp_compat_schema::inclusion::{Conformance, check, check_with_formats};

use super::super::audit_rule::{ACCEPTS_ITS_OWN_ARGUMENTS, AuditRule};
use super::super::calls::{Decision, Planned};
use super::super::failing_revisions::succeeded;
use super::super::members::with_member;
use super::super::observed::ObservedServer;
use super::super::results::{is_error, text_blocks};
use super::super::snapshot::ToolSnapshot;
use super::reply::in_words;
use super::rules::{ARGUMENTS_ARE_UTF_8, ARGUMENTS_MAY_BE_ABSENT, OPTIONAL_PARAMS_ARE_OPTIONAL};
use super::{Found, Trial};
use crate::probe::{ProbeError, Reply, Sent};

/// Most tools that are called in other ways.
const MOST_TOOLS: usize = 6;

/// Most optional arguments that are given one at a time.
const MOST_OPTIONAL: usize = 4;

/// The slowest tool that is called again and again.
const SLOWEST: Duration = Duration::from_secs(1);

/// Predicate of a call after which the server is gone.
const ENDED: &str = "ended the server";

/// Text beyond ASCII. Its UTF-8 has bytes that code page 1252 does not define, and its last character is two escapes.
const TEXT: &str = "Größe тест Đ 試験 😀";

pub(super) const OF_UTF_8: &str =
    "clients that send text as UTF-8, as all SDKs do: the call, or the text without an error";

/// Members of `_meta` that clients send with calls: a progress token, and keys of Claude Code and of traces.
const META: &str = r#""_meta":{"progressToken":"mcp-compat-2","claudecode/toolUseId":"toolu_01","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}"#;

/// Calls the tools whose plain call succeeded.
pub(super) async fn try_calls(
    trial: &mut Trial<'_>,
    observed: &ObservedServer,
    found: &mut Found,
) -> Result<(), ProbeError> {
    let at_revision = |name: &str| {
        let snapshots = observed.snapshots.get(name)?;
        snapshots.iter().find(|snapshot| snapshot.revision == trial.revision && snapshot.call.is_some())
    };
    // A second call of another tool may change something.
    let repeatable = observed.planned.iter().filter(|planned| planned.is_called_again());
    let callable = repeatable.filter_map(|planned| Some((planned, at_revision(&planned.name)?)));
    let callable: Vec<(&Planned, &ToolSnapshot)> = callable.take(MOST_TOOLS).collect();
    for (planned, snapshot) in callable {
        let Some(mut call) = ToolCall::of(planned, snapshot) else { continue };
        if trial.is_over() {
            break;
        }
        let findings = if succeeded(snapshot) {
            call.findings(trial).await?
        } else if snapshot.own_validation_error().is_none() {
            let mut findings = call.of_failure(trial, snapshot).await?;
            let failed =
                observed.snapshots.get(&planned.name).into_iter().flatten().filter(|other| other.failure().is_some());
            let at: Vec<_> = failed.map(|other| other.revision).collect();
            findings.iter_mut().for_each(|finding| finding.at.clone_from(&at));
            findings
        } else {
            continue;
        };
        if !findings.is_empty() {
            found.entry(Some(planned.name.clone())).or_default().extend(findings);
        }
    }
    Ok(())
}

/// A tool, and the arguments of its plain call.
pub(super) struct ToolCall<'o> {
    pub(super) name: &'o str,
    pub(super) schema: Json,
    pub(super) arguments: Json,
    next_id: u32,
}

impl<'o> ToolCall<'o> {
    fn of(planned: &'o Planned, snapshot: &ToolSnapshot) -> Option<Self> {
        let Decision::Call { arguments, .. } = &planned.call else { return None };
        let (schema, arguments) = (snapshot.schema("inputSchema")?, Json::parse(arguments).ok()?);
        Some(Self { name: &planned.name, schema, arguments, next_id: 2000 })
    }

    /// Members of `_meta`, where the call succeeds without them.
    async fn with_meta(&mut self, trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
        let plain = self.params(&self.arguments.to_compact());
        let with_meta = format!("{plain},{META}");
        if self.refusal(trial, &plain).await?.is_some() {
            return Ok(None);
        }
        let Some(did) = self.refusal_again(trial, &with_meta).await? else { return Ok(None) };
        let detail = format!("a call with a progress token and other members in `_meta` {did}");
        // Report: affaan-m/ECC#2670.
        let lost = "Claude Code and other clients that send a progress token with each call: the call";
        Ok(Some(self.finding(&OPTIONAL_PARAMS_ARE_OPTIONAL, detail, lost, trial)))
    }

    /// Findings about a call that failed in the sessions of the audit.
    async fn of_failure(
        &mut self,
        trial: &mut Trial<'_>,
        snapshot: &ToolSnapshot,
    ) -> Result<Vec<AuditFinding>, ProbeError> {
        let answer = snapshot.call.as_ref().map(|call| &call.answer);
        if !matches!(answer, Some(Answer::Error(_) | Answer::Returns(_))) {
            return Ok(Vec::new());
        }
        // The calls of the audit have a progress token.
        if matches!(answer, Some(Answer::Error(_)))
            && let Some(found) = self.with_meta(trial).await?
        {
            return Ok(vec![found]);
        }
        if check_with_formats(&self.schema, &self.arguments) != Conformance::Conforms {
            return Ok(Vec::new());
        }
        let found = match self.numbers(trial).await? {
            None => self.optional(trial).await?,
            found => found,
        };
        Ok(found.into_iter().collect())
    }

    async fn findings(&mut self, trial: &mut Trial<'_>) -> Result<Vec<AuditFinding>, ProbeError> {
        let mut found = Vec::new();
        let plain = self.arguments.to_compact();
        let began = tokio::time::Instant::now();
        if self.refusal(trial, &self.params(&plain)).await?.is_some() || began.elapsed() > SLOWEST {
            return Ok(found);
        }
        found.extend(self.with_meta(trial).await?);
        if plain == "{}" && !self.requires_arguments() {
            let name_only = format!(r#""name":{}"#, Json::from(self.name).to_compact());
            if let Some(did) = self.refusal_again(trial, &name_only).await? {
                let detail = format!("a call without `arguments` {did}");
                // Report: cline/cline#10553, php-mcp/server#26.
                let lost = "earlier releases of Cline, and other clients that leave out `arguments` where they are empty: the call";
                found.push(self.finding(&ARGUMENTS_MAY_BE_ABSENT, detail, lost, trial));
            }
        }
        found.extend(self.missing(trial).await?);
        found.extend(self.surplus(trial).await?);
        found.extend(self.integers(trial).await?);
        found.extend(self.numbers(trial).await?);
        found.extend(self.text(trial).await?);
        Ok(found)
    }

    /// An argument that the schema does not know and does not forbid.
    async fn surplus(&mut self, trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
        const KEY: &str = "task_progress";
        if self.schema.get("additionalProperties").is_some()
            || self.schema.pointer("/properties/task_progress").is_some()
        {
            return Ok(None);
        }
        let Some(arguments) = self.with(KEY, "\"1/2\"") else { return Ok(None) };
        let Some(did) = self.refusal_again(trial, &self.params(&arguments)).await? else { return Ok(None) };
        let detail = format!(
            "a call with `{KEY}`, an argument that the inputSchema does not know and does not forbid, {did}; without it, it succeeds"
        );
        // Report: cline/cline#9951, microsoft/azure-devops-mcp#1037.
        let lost = "Cline up to 3.79, which adds `task_progress`, and n8n, which adds `toolCallId`: the call";
        let remedy =
            "ignore arguments that the inputSchema does not know, or forbid them by `additionalProperties: false`";
        let finding = self.finding(&ACCEPTS_ITS_OWN_ARGUMENTS, detail, lost, trial);
        Ok(Some(AuditFinding { remedy: remedy.to_owned(), ..finding }))
    }

    /// An integer with a fraction of zero, which JSON Schema does not tell from one without.
    async fn integers(&mut self, trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
        let Some((key, number)) = self.integer() else { return Ok(None) };
        let [plain, spelled] = [number.clone(), format!("{number}.0")].map(|value| self.with(&key, &value));
        let (Some(plain), Some(spelled)) = (plain, spelled) else { return Ok(None) };
        if self.refusal(trial, &self.params(&plain)).await?.is_some() {
            return Ok(None);
        }
        let Some(did) = self.refusal_again(trial, &self.params(&spelled)).await? else { return Ok(None) };
        let detail = format!(
            "a call with {}, which the inputSchema allows ({number}.0 is an integer by JSON Schema), {did}; {number} is accepted",
            excerpt(&spelled)
        );
        // Report: dmtrKovalenko/fff#326.
        let lost = if did == ENDED {
            "Warp and other clients that write integers with a fraction of zero: the session"
        } else {
            "Warp and other clients that write integers with a fraction of zero: the call"
        };
        let remedy =
            "accept an integer that is written with a fraction of zero: read a number, and check that it is whole";
        let finding = self.finding(&ACCEPTS_ITS_OWN_ARGUMENTS, detail, lost, trial);
        Ok(Some(AuditFinding { remedy: remedy.to_owned(), ..finding }))
    }

    /// Numbers that are whole, and the same with a fraction: each integer is a number.
    async fn numbers(&mut self, trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
        let numbers = self.whole_numbers();
        let Some((key, number)) = numbers.first().cloned() else { return Ok(None) };
        let with_fraction: Vec<_> = numbers.iter().map(|(key, number)| (key.clone(), format!("{number}.5"))).collect();
        let [Some(whole), Some(broken)] = [numbers, with_fraction].map(|numbers| self.with_all(&numbers)) else {
            return Ok(None);
        };
        let [of_whole, of_broken] = [&whole, &broken].map(|arguments| self.params(arguments));
        let (sent, accepted, did) =
            match (self.refusal(trial, &of_whole).await?, self.refusal(trial, &of_broken).await?) {
                (Some(did), None) if self.refusal_again(trial, &of_whole).await?.is_some() => (whole, broken, did),
                (None, Some(did)) if self.refusal_again(trial, &of_broken).await?.is_some() => (broken, whole, did),
                _ => return Ok(None),
            };
        let is_whole = sent != accepted && !sent.contains(&format!("{number}.5"));
        let detail = format!(
            "a call with {}, which the inputSchema allows (`{}` is a number), {did}; with {} it succeeds",
            excerpt(&sent),
            excerpt(&key),
            excerpt(&accepted)
        );
        let (severity, lost, remedy) = if is_whole {
            (
                Severity::Error,
                // Report: gsabran/mcp-swift-sdk#21.
                "every client whose number is whole, which JavaScript writes without a fraction: the call",
                "accept a whole number where the inputSchema says `number`: in JSON Schema each integer is a number",
            )
        } else {
            // Many schemas say `number` of a count, and clients send whole ones.
            (
                Severity::Note,
                "every client whose number has a fraction: the call",
                "declare `integer` in the inputSchema, or accept numbers with a fraction",
            )
        };
        let finding = self.finding(&ACCEPTS_ITS_OWN_ARGUMENTS, detail, lost, trial);
        Ok(Some(AuditFinding { severity, remedy: remedy.to_owned(), ..finding }))
    }

    /// A call that fails without its optional arguments, and with them.
    async fn optional(&mut self, trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
        let absent: Vec<(String, Json)> = self.absent();
        let with = |absent: &[(String, Json)]| {
            let whole =
                absent.iter().fold(self.arguments.clone(), |all, (key, value)| with_member(&all, key, value.clone()));
            let conforms = check_with_formats(&self.schema, &whole) == Conformance::Conforms;
            conforms.then(|| whole.to_compact())
        };
        let (plain, all) = (self.params(&self.arguments.to_compact()), with(&absent));
        let Some(all) = all.filter(|_| !absent.is_empty()).map(|all| self.params(&all)) else { return Ok(None) };
        let alone: Vec<_> = absent.iter().map(|one| (one.0.clone(), with(std::slice::from_ref(one)))).collect();
        if self.refusal(trial, &all).await?.is_some() {
            return Ok(None);
        }
        let Some(did) = self.refusal(trial, &plain).await? else { return Ok(None) };
        let mut needed: Vec<String> = absent.into_iter().map(|(key, _)| key).collect();
        for (key, arguments) in alone.into_iter().take(MOST_OPTIONAL) {
            let Some(arguments) = arguments.filter(|_| needed.len() > 1 && !trial.is_over()) else { break };
            if self.refusal(trial, &self.params(&arguments)).await?.is_none() {
                needed = vec![key];
            }
        }
        let names: Vec<String> = needed.iter().map(|key| format!("`{}`", excerpt(key))).collect();
        let (names, verb) = (names.join(", "), if needed.len() == 1 { "is" } else { "are" });
        let detail = format!(
            "a call with {}, which the inputSchema allows, {did}; with {names} too, which {verb} optional there, it succeeds",
            excerpt(&self.arguments.to_compact())
        );
        let lost = "every client whose model leaves out what is optional: the call";
        let remedy = format!("list {names} under `required` of the inputSchema, or serve the call without");
        let finding = self.finding(&ACCEPTS_ITS_OWN_ARGUMENTS, detail, lost, trial);
        Ok(Some(AuditFinding { remedy, ..finding }))
    }

    /// Text beyond ASCII, as UTF-8 and as escapes.
    async fn text(&mut self, trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
        let Some(key) = self.free_text() else { return Ok(None) };
        let [raw, escaped] = [Json::from(TEXT).to_compact(), in_escapes(TEXT)].map(|value| self.with(&key, &value));
        let (Some(raw), Some(escaped)) = (raw, escaped) else { return Ok(None) };
        let [raw, escaped] = [self.params(&raw), self.params(&escaped)];
        let (of_raw, of_escaped) = (self.answer(trial, &raw).await?, self.answer(trial, &escaped).await?);
        let of_escapes = "clients that send text as escapes, as `json.dumps` of Python does: the call, or the text without an \
                          error";
        let call = "a call with text beyond ASCII";
        let (detail, lost) = match (&of_raw, &of_escaped) {
            (Err(did), Ok(_)) => {
                if self.answer(trial, &raw).await?.is_ok() {
                    return Ok(None);
                }
                (
                    format!("{call} in `{key}` {did} where it is sent as UTF-8, and succeeds where it is escaped"),
                    OF_UTF_8,
                )
            }
            (Ok(_), Err(did)) => {
                if self.answer(trial, &escaped).await?.is_ok() {
                    return Ok(None);
                }
                (
                    format!("{call} in `{key}` {did} where it is escaped, and succeeds where it is sent as UTF-8"),
                    of_escapes,
                )
            }
            (Ok(one), Ok(other)) => {
                let has_text = |result: &Json| strings(result).iter().any(|text| text.contains(TEXT));
                match (has_text(one), has_text(other)) {
                    (false, true) => (
                        format!(
                            "{call} in `{key}` returns it garbled where it is sent as UTF-8, and right where it is escaped"
                        ),
                        OF_UTF_8,
                    ),
                    (true, false) => (
                        format!(
                            "{call} in `{key}` returns it garbled where it is escaped, and right where it is sent as UTF-8"
                        ),
                        of_escapes,
                    ),
                    (true, true) | (false, false) => return Ok(None),
                }
            }
            (Err(_), Err(_)) => return Ok(None),
        };
        Ok(Some(self.finding(&ARGUMENTS_ARE_UTF_8, detail, lost, trial)))
    }

    pub(super) fn finding(&self, rule: &AuditRule, detail: String, lost: &str, trial: &Trial<'_>) -> AuditFinding {
        let finding = rule.violated(detail, vec![trial.revision]);
        AuditFinding {
            lost_elsewhere: Some(lost.to_owned()),
            severity: finding.severity.max(Severity::Warning),
            ..finding
        }
    }

    pub(super) fn params(&self, arguments: &str) -> String {
        format!(r#""name":{},"arguments":{arguments}"#, Json::from(self.name).to_compact())
    }

    /// The arguments as JSON text, with one that has this text. `None` if they do not conform to the schema any more.
    fn with(&self, key: &str, text: &str) -> Option<String> {
        const PLACE: &str = "\u{0}place";
        let value = Json::parse(text).ok()?;
        let changed = with_member(&self.arguments, key, value);
        let violates = matches!(check(&self.schema, &changed), Conformance::Violates { .. });
        let marked = with_member(&self.arguments, key, Json::from(PLACE)).to_compact();
        (!violates).then(|| marked.replace(&Json::from(PLACE).to_compact(), text))
    }

    /// As [`with`](Self::with), with several.
    fn with_all(&self, arguments: &[(String, String)]) -> Option<String> {
        let mut changed = Self { schema: self.schema.clone(), arguments: self.arguments.clone(), ..*self };
        for (key, text) in arguments {
            changed.arguments = Json::parse(&changed.with(key, text)?).ok()?;
        }
        Some(changed.arguments.to_compact())
    }

    /// The parameters that are sent as whole numbers and may have a fraction; the first that is not sent if there are none.
    fn whole_numbers(&self) -> Vec<(String, String)> {
        let is_number = |schema: &Json| schema.get("type").and_then(Json::as_str) == Some("number");
        let whole =
            |value: &Json| value.as_number().and_then(|number| number.as_i64()).filter(|number| number.abs() < 1 << 50);
        let sent = |(key, schema): (&str, &Json)| {
            let number = whole(self.arguments.get(key)?).filter(|_| is_number(schema))?;
            Some((key.to_owned(), number.to_string()))
        };
        let all: Vec<_> = self.parameters().into_iter().filter_map(sent).collect();
        let value = |schema: &Json, key: &str| schema.get(key).and_then(whole);
        let other = |(key, schema): (&str, &Json)| {
            let number = value(schema, "default").or(value(schema, "minimum")).unwrap_or(1);
            is_number(schema).then(|| (key.to_owned(), number.to_string()))
        };
        if all.is_empty() { self.parameters().into_iter().find_map(other).into_iter().collect() } else { all }
    }

    /// The optional parameters at the root of the schema that are not sent, each with the simplest value that it may have.
    fn absent(&self) -> Vec<(String, Json)> {
        let parameters = self.parameters().into_iter().filter(|(key, _)| self.arguments.get(key).is_none());
        let names: Vec<Json> = parameters.map(|(key, _)| Json::from(key)).collect();
        let whole = with_member(&self.schema, "required", Json::Array(names));
        let Ok(Json::Object(made)) = object_of(&whole, true) else { return Vec::new() };
        let made = made.iter().filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.clone())));
        made.filter(|(key, _)| self.arguments.get(key).is_none()).collect()
    }

    fn requires_arguments(&self) -> bool {
        self.schema.get("required").and_then(Json::as_array).is_some_and(|names| !names.is_empty())
    }

    /// The parameters at the root of the schema: those that are sent first.
    fn parameters(&self) -> Vec<(&str, &Json)> {
        let all = self.schema.get("properties").and_then(Json::as_object).into_iter().flat_map(Object::iter);
        let mut all: Vec<(&str, &Json)> = all.filter_map(|(key, schema)| Some((key.as_str()?, schema))).collect();
        all.sort_by_key(|(key, _)| self.arguments.get(key).is_none());
        all
    }

    /// An integer parameter, and a value for it.
    fn integer(&self) -> Option<(String, String)> {
        self.parameters().into_iter().find_map(|(key, schema)| {
            let is_integer = schema.get("type").and_then(Json::as_str) == Some("integer");
            let value = |key: &str| schema.get(key).and_then(Json::as_number).and_then(|number| number.as_i64());
            let sent = self.arguments.get(key).and_then(Json::as_number).and_then(|number| number.as_i64());
            let offered = sent.or(value("default")).or(value("minimum").map(|least| least.max(1)));
            let number = offered.or(value("maximum").map(|most| most.min(1))).unwrap_or(1);
            (is_integer && number.abs() < 1 << 53).then(|| (key.to_owned(), number.to_string()))
        })
    }

    /// A parameter that takes any text.
    fn free_text(&self) -> Option<String> {
        const BOUNDS: [&str; 6] = ["enum", "const", "format", "pattern", "maxLength", "contentEncoding"];
        self.parameters().into_iter().find_map(|(key, schema)| {
            let is_text = schema.get("type").and_then(Json::as_str) == Some("string");
            let is_free = BOUNDS.iter().all(|bound| schema.get(bound).is_none());
            (is_text && is_free).then(|| key.to_owned())
        })
    }

    /// Action of the server in place of a success, if it did it twice.
    async fn refusal_again(&mut self, trial: &mut Trial<'_>, params: &str) -> Result<Option<String>, ProbeError> {
        match self.refusal(trial, params).await? {
            Some(_) if trial.is_over() => Ok(None),
            Some(_) => self.refusal(trial, params).await,
            None => Ok(None),
        }
    }

    async fn refusal(&mut self, trial: &mut Trial<'_>, params: &str) -> Result<Option<String>, ProbeError> {
        Ok(self.answer(trial, params).await?.err())
    }

    /// The result of a call, or what the server did in its place.
    pub(super) async fn answer(
        &mut self,
        trial: &mut Trial<'_>,
        params: &str,
    ) -> Result<Result<Json, String>, ProbeError> {
        self.next_id += 1;
        let received = trial.ask(&Sent::request(&self.next_id.to_string(), "tools/call", Some(params))).await?;
        Ok(match received.reply {
            Reply::Result(result) if is_error(&result) => {
                let words = text_blocks(&result).next().map(excerpt).unwrap_or_default();
                Err(format!("failed ({words})"))
            }
            Reply::Result(result) => Ok(result),
            Reply::Error { code, message } => Err(format!("failed with error {}", in_words(code, &message))),
            Reply::OtherId(_) | Reply::Nothing => Err("was not answered".to_owned()),
            Reply::Status(status, _) => Err(format!("was refused with HTTP status {status}")),
            Reply::Ended => Err(ENDED.to_owned()),
        })
    }
}

/// A string as JSON text in ASCII.
pub(super) fn in_escapes(text: &str) -> String {
    let escaped: String = text
        .encode_utf16()
        .map(|unit| match char::from_u32(u32::from(unit)).filter(char::is_ascii) {
            Some(plain) => plain.to_string(),
            None => format!("\\u{unit:04x}"),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// The strings of a value, and those of the JSON that is in them.
fn strings(value: &Json) -> Vec<String> {
    match value {
        Json::String(text) => {
            let text = text.to_string_lossy().into_owned();
            let within = if text.starts_with(['{', '[', '"']) { Json::parse(&text).ok() } else { None };
            let mut all = within.as_ref().map(strings).unwrap_or_default();
            all.push(text);
            all
        }
        Json::Array(items) => items.iter().flat_map(strings).collect(),
        Json::Object(object) => object.iter().flat_map(|(_, value)| strings(value)).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_the_same_text_in_ascii() {
        let escaped = in_escapes(TEXT);
        assert!(escaped.is_ascii());
        assert_eq!(Json::parse(&escaped).unwrap(), Json::from(TEXT));
        assert!(escaped.ends_with("\\ud83d\\ude00\""), "{escaped}");
    }

    #[test]
    fn strings_within_json_in_text_are_read_too() {
        let result = Json::parse(r#"{"content":[{"type":"text","text":"{\"a\":\"Gr\\u00f6\\u00dfe\"}"}]}"#).unwrap();
        assert!(strings(&result).iter().any(|text| text == "Größe"));
    }

    #[test]
    fn an_argument_is_spelled_as_it_is_to_be_sent() {
        let call = |schema: &str, arguments: &str| ToolCall {
            name: "t",
            schema: Json::parse(schema).unwrap(),
            arguments: Json::parse(arguments).unwrap(),
            next_id: 0,
        };
        let schema = r#"{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","minimum":0}}}"#;
        let optional = call(schema, r#"{"q":"a"}"#);
        assert_eq!(optional.integer(), Some(("n".to_owned(), "1".to_owned())));
        assert_eq!(optional.with("n", "1.0").as_deref(), Some(r#"{"q":"a","n":1.0}"#));
        assert_eq!(optional.free_text().as_deref(), Some("q"));
        let sent = call(schema, r#"{"n":30}"#);
        assert_eq!(sent.integer(), Some(("n".to_owned(), "30".to_owned())));
        assert_eq!(sent.with("n", "30.0").as_deref(), Some(r#"{"n":30.0}"#));
        let bounded = call(r#"{"type":"object","properties":{"q":{"type":"string","enum":["a"]}}}"#, r#"{"q":"a"}"#);
        assert_eq!((bounded.free_text(), bounded.integer()), (None, None));
        assert_eq!(bounded.with("q", "\"b\""), None);
    }
}
