//! From a bug report to a draft: whatever JSON of a server's tools somebody has pasted.
//!
//! Each value says by its members what it is: a message of JSON-RPC, a list of tools, a definition, the parameters of
//! a call, a result, an error, or an object that holds some of these under names of its own.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, elements, text_at};
use mcp_compat_judge::wire::session::META_VERSION;
use mcp_compat_model::Era;
use mcp_compat_scenario::write::{Answer, Draft};

pub use super::documents::NotJson;
use super::documents::{addresses, documents};
use super::template::add_controls;
use crate::capture::captured::{
    Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool, Opening, is_harness_tool,
};
use crate::capture::compose::{Composed, Origin, compose};
use crate::capture::from_transcript::{list_members, without_members};
use crate::capture::infer;
use crate::capture::opening::odd_opening;
use crate::capture::sample::{mark_placeholder, placeholder_call};

/// Depth of JSON within JSON that is looked into: messages in a list, a result in a message.
const DEPTH: usize = 4;

/// The name of a tool whose name the report does not say.
const UNNAMED: &str = "reported_tool";

/// Number of values that are taken from a report.
const VALUES: usize = 1_000;

/// Number of missing arguments of a call that are named.
const SAID: usize = 3;

/// A draft made from a report, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Reported {
    pub draft: Draft,
    /// Findings, a line each.
    pub found: Vec<String>,
    /// Guesses in the draft for what was not found, a line each.
    pub guessed: Vec<String>,
    /// Findings that are not in the draft, a line each.
    pub left_out: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error("{0}")]
    NotJson(#[from] NotJson),
    #[error("there is no JSON in it")]
    Nothing,
    #[error(
        "its JSON, which begins on line {line}, is neither a tool's definition nor a result of one, \
         nor a message that holds them: paste {{\"tool\": …, \"result\": …}}"
    )]
    NoTool {
        /// The line of the first value.
        line: usize,
    },
    #[error(
        "nothing in it is unusual: it has tools without an outputSchema, and results of plain text alone. Add the tool's \
         entry of tools/list as the server sent it, or the message that went wrong"
    )]
    NothingStructured,
}

/// Reads a report. `sources` are addresses that are known besides those in its text.
///
/// # Errors
/// When there is nothing in it that speaks of a tool.
pub fn read(text: &str, mut sources: Vec<String>) -> Result<Reported, ReportError> {
    let documents = documents(text)?;
    let first = documents.first().ok_or(ReportError::Nothing)?;
    let mut report = Report::default();
    for document in documents.iter().take(VALUES) {
        report.take(document.text, DEPTH);
    }
    if report.tools.is_empty() && report.results.is_empty() {
        return Err(ReportError::NoTool { line: first.line });
    }
    if report.is_plain() {
        return Err(ReportError::NothingStructured);
    }
    if sources.is_empty() {
        sources = addresses(text, &documents);
    }
    Ok(report.draft(sources))
}

fn call(tool: &str, arguments: Option<String>, answer: Answer) -> CapturedCall {
    CapturedCall { stage: 0, tool: tool.to_owned(), arguments, answer, without: Vec::new() }
}

/// Content of the values of a report, as far as they have been read.
#[derive(Default)]
struct Report {
    tools: Vec<CapturedTool>,
    /// Calls that were asked, by the text of their id, where they have one.
    asked: Vec<Asked>,
    /// Answers, each with the id that it carries.
    results: Vec<(Option<String>, Answer, Vec<String>)>,
    revision: Option<mcp_compat_model::Revision>,
    /// Ids of requests that bring their own revision, as 2026-07-28 has them.
    modern: BTreeSet<String>,
    /// Requests other than calls: the method by the id.
    methods: BTreeMap<String, String>,
    /// The cursors that were asked for, and those that lists named.
    cursors: Vec<String>,
    next: Vec<String>,
    list: Option<String>,
    list_without: Vec<String>,
    openings: Vec<Opening>,
    left_out: Vec<String>,
}

struct Asked {
    id: Option<String>,
    tool: String,
    arguments: Option<String>,
}

impl Report {
    /// Takes what a value says.
    fn take(&mut self, text: &str, depth: usize) {
        let (Some(depth), Ok(value)) = (depth.checked_sub(1), Json::parse(text)) else { return };
        for element in elements(text).unwrap_or_default().into_iter().take(VALUES) {
            self.take(element, depth);
        }
        if value.as_object().is_none() {
            return;
        }
        let id = value.get("id").filter(|_| is_message(&value)).map(Json::to_compact);
        if let Some(method) = value.get("method").and_then(Json::as_str) {
            self.request(method, &value, text, id);
        } else if value.get("result").is_some_and(|result| result.as_object().is_some()) && is_message(&value) {
            self.result(text_at(text, "/result").unwrap_or_default(), id, depth);
        } else if value.get("error").is_some_and(is_error) && is_message(&value) {
            self.answer(id, Answer::Error(text_at(text, "/error").unwrap_or_default().to_owned()), Vec::new());
        } else if value.get("tools").is_some_and(|tools| tools.as_array().is_some()) {
            self.list(&value, text, None);
            self.take_at(text, "/tools", depth);
        } else if is_definition(&value) {
            self.tool(&value, text);
        } else if is_result(&value) || is_error(&value) {
            self.result(text, None, depth);
        } else if let (Some(tool), Some(_)) = (value.get("name").and_then(Json::as_str), value.get("arguments")) {
            self.ask(None, tool, text_at(text, "/arguments"));
        } else {
            self.members(&value, text, depth);
        }
    }

    fn take_at(&mut self, text: &str, pointer: &str, depth: usize) {
        if let Some(part) = text_at(text, pointer) {
            self.take(part, depth);
        }
    }

    fn request(&mut self, method: &str, value: &Json, text: &str, id: Option<String>) {
        let revision = |pointer: &str| value.pointer(pointer).and_then(Json::as_str).and_then(|date| date.parse().ok());
        let stateless = format!("/params/_meta/{}", META_VERSION.replace('/', "~1"));
        self.modern.extend(id.clone().filter(|_| value.pointer(&stateless).is_some()));
        self.methods.extend(id.clone().map(|id| (id, method.to_owned())));
        self.cursors.extend(value.pointer("/params/cursor").and_then(Json::as_str).map(str::to_owned));
        self.revision = revision(&stateless).or(self.revision);
        if let ("tools/call", Some(tool)) = (method, value.pointer("/params/name").and_then(Json::as_str)) {
            self.ask(id, tool, text_at(text, "/params/arguments"));
        }
    }

    fn result(&mut self, text: &str, id: Option<String>, depth: usize) {
        let Ok(value) = Json::parse(text) else { return };
        let method = id.as_ref().and_then(|id| self.methods.get(id)).map(String::as_str);
        let opens = if value.get("protocolVersion").is_some() { Some("initialize") } else { None };
        let opens = opens.or_else(|| value.get("supportedVersions").map(|_| "server/discover"));
        if let Some(opens) = opens.or(method.filter(|method| ["initialize", "server/discover"].contains(method))) {
            let odd = odd_opening(opens, &value, text, false);
            self.openings.extend(odd.filter(|odd| self.openings.iter().all(|known| known.to != odd.to)));
            let date = value.get("protocolVersion").and_then(Json::as_str);
            self.revision = date.and_then(|date| date.parse().ok()).or(self.revision);
        } else if value.get("tools").is_some() {
            self.list(&value, text, id.as_deref());
            self.take_at(text, "/tools", depth);
        } else if is_result(&value) {
            let is_modern = id.as_ref().map_or(self.is_modern(), |id| self.modern.contains(id));
            let without = lacking(&value, is_modern, &["resultType"]);
            self.answer(id, Answer::Returns(without_members(text, &[("resultType", "\"complete\"")])), without);
        } else if is_error(&value) {
            self.answer(id, Answer::Error(text.to_owned()), Vec::new());
        }
    }

    /// Keeps the members of a list beside its tools.
    fn list(&mut self, value: &Json, text: &str, id: Option<&str>) {
        let is_modern = id.is_some_and(|id| self.modern.contains(id));
        let without = lacking(value, is_modern, &["resultType", "ttlMs", "cacheScope"]);
        self.list_without
            .extend(without.into_iter().filter(|key| !self.list_without.contains(key)).collect::<Vec<_>>());
        self.next.extend(value.get("nextCursor").and_then(Json::as_str).map(str::to_owned));
        self.list = self.list.take().or_else(|| list_members(text, None));
    }

    /// Returns true if what was read so far is of a session without a handshake.
    fn is_modern(&self) -> bool {
        self.revision.is_some_and(|revision| revision.era() == Era::Modern)
    }

    /// The cursor of a page that names itself as the next one: it was asked for, and named again. A page that is pasted twice
    /// was seen once.
    fn endless(&self) -> Option<&str> {
        let times = |cursor: &String| self.next.iter().filter(|next| *next == cursor).count();
        let asked = |cursor: &String| self.cursors.iter().filter(|asked| *asked == cursor).count();
        let last = self.next.last()?;
        (times(last) > 1 && asked(last) > 0).then_some(last.as_str())
    }

    /// Members of the list beside its tools, with the cursor of a page that names itself.
    fn list_beside(&mut self) -> Option<String> {
        let endless = self.endless().map(str::to_owned);
        if endless.is_none()
            && let [.., next] = &self.next[..]
            && !self.cursors.contains(next)
        {
            self.left_out
                .push(format!("that the list names a next page ({next:?}): what is on it is not in the report"));
        }
        let list = self.list.take();
        endless.map_or(list.clone(), |cursor| list_members(list.as_deref().unwrap_or("{}"), Some(&cursor)))
    }

    fn answer(&mut self, id: Option<String>, answer: Answer, without: Vec<String>) {
        // Whatever is pasted twice was seen once.
        if id.is_some() || self.results.iter().all(|(_, known, _)| *known != answer) {
            self.results.push((id, answer, without));
        }
    }

    fn ask(&mut self, id: Option<String>, tool: &str, arguments: Option<&str>) {
        if !is_harness_tool(tool) {
            let arguments = arguments.filter(|text| text.starts_with('{')).map(str::to_owned);
            self.asked.push(Asked { id, tool: tool.to_owned(), arguments });
        }
    }

    fn tool(&mut self, value: &Json, text: &str) {
        let unnamed = value.get("name").is_none();
        let named = unnamed.then(|| format!(r#"{{"name":"{UNNAMED}",{}"#, text.trim_start_matches('{')));
        let tool = CapturedTool::of(named.as_deref().unwrap_or(text));
        self.tools.extend(tool.filter(|tool| self.tools.iter().all(|known| known.name != tool.name)));
    }

    /// An object of the reporter's own making, such as `{"tool": …, "arguments": …, "result": …}`.
    fn members(&mut self, value: &Json, text: &str, depth: usize) {
        let first = |names: &[&str]| names.iter().find(|name| value.get(name).is_some()).map(|name| format!("/{name}"));
        let tool = first(&["tool", "definition", "toolName", "name"]);
        let arguments = first(&["arguments", "args", "input", "params"]);
        if let Some(pointer) = &tool {
            self.take_at(text, pointer, depth);
            let tool = value.pointer(pointer);
            let name = tool.and_then(|tool| tool.as_str().or_else(|| tool.get("name")?.as_str()));
            if let Some(name) = name {
                self.ask(None, name, arguments.and_then(|pointer| text_at(text, &pointer)));
            }
        }
        let parts = [
            "request", "response", "result", "returns", "output", "error", "list", "call", "messages", "pages", "wire",
        ];
        for key in parts {
            self.take_at(text, &format!("/{key}"), depth);
        }
    }

    /// Returns true if all of it is what every client handles: tools of plain objects that return plain text.
    fn is_plain(&self) -> bool {
        let is_around = self.list.is_some() || !self.list_without.is_empty() || !self.openings.is_empty();
        let has_stray = self.calls(&mut Vec::new()).iter().any(|call| matches!(call.answer, Answer::Raw(_)));
        if is_around || has_stray || self.endless().is_some() {
            return false;
        }
        let is_usual = |tool: &CapturedTool| {
            text_at(&tool.definition, "/outputSchema").is_none()
                && text_at(&tool.definition, "/inputSchema/type") == Some("\"object\"")
        };
        self.tools.iter().all(is_usual)
            && self.results.iter().all(|(_, answer, without)| without.is_empty() && infer::is_plain("{}", answer))
    }

    fn draft(mut self, sources: Vec<String>) -> Reported {
        let mut found = Vec::new();
        let mut guessed = Vec::new();
        let list = self.list_beside();
        let mut captured = Captured {
            revision: self.revision,
            list,
            list_without: std::mem::take(&mut self.list_without),
            openings: std::mem::take(&mut self.openings),
            left_out: std::mem::take(&mut self.left_out),
            ..Captured::default()
        };
        let calls = self.calls(&mut guessed);
        // Where calls were seen, the tools that were not called say nothing.
        let tools: Vec<CapturedTool> = if calls.is_empty() {
            self.tools.clone()
        } else {
            self.tools.iter().filter(|tool| calls.iter().any(|call| call.tool == tool.name)).cloned().collect()
        };
        for tool in &tools {
            found.push(format!("the tool `{}`", tool.name));
        }
        for call in &calls {
            let of = if call.arguments.is_some() { "a call with arguments, and its answer" } else { "an answer" };
            found.push(format!("{of}, of `{}`", call.tool));
            if tools.iter().all(|tool| tool.name != call.tool) {
                guessed.push(undefined(&call.tool));
            }
        }
        let made = if calls.is_empty() { tools.iter().map(|tool| self.unseen(tool)).collect() } else { calls };
        guessed.extend(made.iter().filter_map(|call| without_arguments(call, &tools)));
        if self.results.is_empty() {
            guessed.extend(
                made.iter().map(|call| format!("the result of `{}`: paste what it really returned", call.tool)),
            );
        }
        if let Some(revision) = self.revision {
            found.push(format!("the revision {revision}"));
        }
        found.extend(sources.iter().map(|source| format!("the source {source}")));
        if sources.is_empty() {
            guessed.push("`sources`: say where it was reported, or give `--source URL`".to_owned());
        }
        guessed.push("`why`: say what went wrong, and for whom".to_owned());
        let without_result = self.results.is_empty();
        captured.stages.push(CapturedStage { tools, notified: false });
        captured.requests.extend(made.into_iter().map(CapturedRequest::Called));
        let Composed { mut draft, omitted } = compose(&captured, Origin { heading: String::new(), sources });
        for of_tool in omitted.iter().filter(|of_tool| of_tool.calls == of_tool.of) {
            // What is not in the draft has nothing to fill in.
            guessed.retain(|line| *line != undefined(&of_tool.tool));
        }
        let left_out = omitted.iter().map(ToString::to_string).chain(captured.left_out).collect();
        if without_result {
            draft.tools.iter_mut().for_each(mark_placeholder);
        }
        if draft.steps.is_empty() {
            add_controls(&mut draft);
        }
        Reported { draft, found, guessed, left_out }
    }

    /// The answers, each with the call that it belongs to: by id, else in order, else the only tool there is.
    fn calls(&self, guessed: &mut Vec<String>) -> Vec<CapturedCall> {
        let mut open: Vec<&Asked> = self.asked.iter().collect();
        let mut calls = Vec::new();
        for (id, answer, without) in &self.results {
            let by_id = open.iter().position(|asked| id.is_some() && asked.id == *id);
            let is_stray = id.as_ref().is_some_and(|id| !self.methods.contains_key(id));
            // A call that is answered under its own id was not answered under another.
            let is_open = |asked: &Asked| is_stray && self.results.iter().all(|(other, ..)| *other != asked.id);
            let in_order = open.iter().position(|asked| id.is_none() || asked.id.is_none() || is_open(asked));
            let asked = by_id.or(in_order).map(|at| open.remove(at));
            let name = match asked {
                Some(asked) => asked.tool.clone(),
                // An error with an id that no call has answers something else.
                None if matches!(answer, Answer::Error(_)) && id.is_some() && !self.asked.is_empty() => continue,
                None => self.tool_for(answer, guessed),
            };
            let answer = self.under_its_id(id.as_deref(), asked, answer, without);
            let arguments = asked.and_then(|asked| asked.arguments.clone());
            calls.push(CapturedCall { without: without.clone(), ..call(&name, arguments, answer) });
        }
        calls
    }

    /// The answer to a call, as a whole message if it came under the id of no request.
    fn under_its_id(&self, id: Option<&str>, asked: Option<&Asked>, answer: &Answer, without: &[String]) -> Answer {
        let (Some(id), Some(asked)) = (id, asked.and_then(|asked| asked.id.as_deref())) else { return answer.clone() };
        let is_known = self.methods.contains_key(id);
        match answer {
            Answer::Returns(result) if id != asked && !is_known => {
                let is_complete = self.is_modern() && !without.iter().any(|key| key == "resultType");
                let result = if is_complete { completed(result) } else { result.clone() };
                Answer::Raw(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes())
            }
            Answer::Returns(_) | Answer::Error(_) | Answer::Raw(_) | Answer::Hang | Answer::Exit => answer.clone(),
        }
    }

    /// A call of a tool that is only defined, as far as it was asked.
    fn unseen(&self, tool: &CapturedTool) -> CapturedCall {
        let asked = self.asked.iter().find(|asked| asked.tool == tool.name);
        CapturedCall { arguments: asked.and_then(|asked| asked.arguments.clone()), ..placeholder_call(tool, 0) }
    }

    /// The tool that an answer without a call is most likely of: one with a schema where there is a value.
    fn tool_for(&self, answer: &Answer, guessed: &mut Vec<String>) -> String {
        let has_value = matches!(answer, Answer::Returns(text) if text_at(text, "/structuredContent").is_some());
        let fits = |tool: &&CapturedTool| text_at(&tool.definition, "/outputSchema").is_some() == has_value;
        let known = self.tools.iter().find(fits).or(self.tools.first());
        match known {
            Some(tool) => {
                if self.tools.len() > 1 {
                    guessed.push(format!("whose result it is: taken to be of `{}`", tool.name));
                }
                tool.name.clone()
            }
            None => UNNAMED.to_owned(),
        }
    }
}

/// Note that the definition of a tool is still to be pasted.
fn undefined(tool: &str) -> String {
    format!("the definition of `{tool}`: paste its entry of tools/list")
}

/// Note that a call lacks arguments that its tool requires: the report does not say them.
fn without_arguments(call: &CapturedCall, tools: &[CapturedTool]) -> Option<String> {
    let tool = tools.iter().find(|tool| tool.name == call.tool)?;
    let definition = Json::parse(&tool.definition).ok()?;
    let given = call.arguments.as_deref().and_then(|text| Json::parse(text).ok());
    let is_given = |name: &str| given.as_ref().is_some_and(|given| given.get(name).is_some());
    let required = definition.pointer("/inputSchema/required").and_then(Json::as_array)?.iter();
    let names: Vec<String> =
        required.filter_map(Json::as_str).filter(|name| !is_given(name)).map(|name| format!("`{name}`")).collect();
    let first = names.get(..names.len().min(SAID)).unwrap_or_default().join(", ");
    match names.len() {
        0 => None,
        few if few <= SAID => Some(format!("the arguments of `{}`: it requires {first}", call.tool)),
        many => Some(format!("the arguments of `{}`: it requires {first} and {} more", call.tool, many - SAID)),
    }
}

/// A result with the `resultType` that was taken from it; as it is if it has another one.
fn completed(result: &str) -> String {
    let members = result.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).map(str::trim);
    match members {
        Some(_) if text_at(result, "/resultType").is_some() => result.to_owned(),
        Some("") => r#"{"resultType":"complete"}"#.to_owned(),
        Some(members) => format!(r#"{{{members},"resultType":"complete"}}"#),
        None => result.to_owned(),
    }
}

/// The required members that a result does not have.
fn lacking(result: &Json, is_modern: bool, required: &[&str]) -> Vec<String> {
    let is_absent = |key: &&&str| is_modern && result.get(key).is_none();
    required.iter().filter(is_absent).map(|key| (*key).to_owned()).collect()
}

fn is_message(value: &Json) -> bool {
    value.get("jsonrpc").is_some() || (value.get("id").is_some() && value.get("name").is_none())
}

fn is_definition(value: &Json) -> bool {
    let described = ["inputSchema", "outputSchema"].iter().any(|key| value.get(key).is_some());
    let named = value.get("name").is_none_or(|name| name.as_str().is_some_and(|name| !name.is_empty()));
    described && named
}

fn is_result(value: &Json) -> bool {
    let has = |key| value.get(key).is_some();
    has("structuredContent")
        || value.get("content").is_some_and(|content| content.as_array().is_some())
        || has("isError")
}

fn is_error(value: &Json) -> bool {
    let whole = value.get("code").and_then(Json::as_number).is_some_and(|code| code.as_i64().is_some());
    whole && value.get("message").is_some_and(|message| message.as_str().is_some())
}
