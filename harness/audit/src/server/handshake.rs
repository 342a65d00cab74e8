//! The results of `initialize` and `server/discover`, where a schema does not allow them. A client that rejects one has
//! no session, so they are replayed with each tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_compat_author::capture::opening::{is_wrong, revisions_of};
use mcp_compat_json::Json;
use mcp_compat_judge::rules;
use mcp_compat_judge::wire::message::messages;
use mcp_compat_judge::wire::session::{is_of_modern_server, named_revision};
use mcp_compat_model::Revision;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};
use mcp_compat_model::shapes::{DISCOVER, INITIALIZE, Official, Problem, Shape, later_member, mismatches};
use mcp_compat_scenario::Scenario;
use serde_json::value::RawValue;

use super::audit_rule::{HANDSHAKE_IS_REPLAYED, MEMBERS_OF_LATER_REVISIONS};
use super::findings::of_rule;
use super::members::edited;
use super::session_results::{SessionResults, shortened};
use crate::probe::{ProbeSession, Refused};

/// Most bytes of each that are replayed. They are sent again with each tool.
pub(super) const MOST_BYTES: usize = 16_384;

/// The results that open a session with a server, where clients may reject them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Handshake {
    initialize: Option<Arc<str>>,
    discover: Option<Arc<str>>,
}

impl Handshake {
    /// Reads the results of a session. Leaves out one that is too large, and hands its size in bytes to `too_large`.
    pub(super) fn of(results: &SessionResults<'_>, mut too_large: impl FnMut(AnsweredMethod, usize)) -> Self {
        let mut text = |method: AnsweredMethod, result: &Json| -> Option<Arc<str>> {
            let members = result.as_object()?.iter();
            let members = members.map(|(key, value)| (key.clone(), shortened(&key.to_string_lossy(), value)));
            let text = Json::Object(members.collect()).to_compact();
            let fits = text.len() <= MOST_BYTES;
            if !fits {
                too_large(method, text.len());
            }
            fits.then(|| Arc::from(text))
        };
        let initialize = results.of("initialize").next().filter(|result| is_wrong(&INITIALIZE, result));
        let discover = results.of("server/discover").find(|result| is_of_modern_server(result));
        let discover = discover.filter(|result| is_wrong(&DISCOVER, result) || has_odd_time(result));
        Self {
            initialize: initialize.and_then(|result| text(AnsweredMethod::Initialize, result)),
            discover: discover.and_then(|result| text(AnsweredMethod::Discover, result)),
        }
    }

    /// With the result of `server/discover` from another session, if this one has none.
    pub(super) fn or_discovered(self, other: &Self) -> Self {
        Self { discover: self.discover.or_else(|| other.discover.clone()), ..self }
    }

    /// Lets the server of a scenario answer with them.
    pub(super) fn give(&self, scenario: &mut Scenario) {
        let all = [(AnsweredMethod::Initialize, &self.initialize), (AnsweredMethod::Discover, &self.discover)];
        for (to, text) in all.into_iter().filter_map(|(method, text)| Some((method, text.as_ref()?))) {
            if let Ok(result) = RawValue::from_string(text.to_string()) {
                scenario.answers.push(ScriptedAnswer { to, page: None, reply: Reply::Result(result) });
            }
        }
    }

    /// As the schemas have them. `None` if they are.
    pub(super) fn corrected(&self) -> Option<Self> {
        let [initialize, discover] = [(&INITIALIZE, &self.initialize), (&DISCOVER, &self.discover)]
            .map(|(shape, text)| text.as_deref().map(|text| corrected(shape, text)));
        let is_new = initialize.is_some() || discover.is_some();
        is_new.then_some(Self { initialize, discover })
    }
}

/// Returns whether a time is a number that the schema allows and a 64-bit integer does not read, such as `5.0`.
fn has_odd_time(result: &Json) -> bool {
    let time = result.get("ttlMs").and_then(Json::as_number);
    time.is_some_and(|time| time.lexeme().parse::<i64>().is_err())
}

/// A result as the schemas have it: wrong members are left out if they may be, and have another value if not.
fn corrected(shape: &'static Shape, text: &str) -> Arc<str> {
    let Ok(mut result) = Json::parse(text) else { return Arc::from(text) };
    if has_odd_time(&result) {
        result = edited(&result, &["ttlMs"], Some(&Json::from(0_i64)));
    }
    for revision in revisions_of(shape) {
        let found = mismatches(&Official(revision), shape, &result);
        let wrong: Vec<(Vec<String>, bool)> = found
            .iter()
            .map(|mismatch| {
                let tokens = mismatch.pointer.split('/').skip(1);
                let tokens = tokens.map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
                (tokens, matches!(mismatch.problem, Problem::Holds { optional: true, .. }))
            })
            .collect();
        for (tokens, is_optional) in wrong {
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            // A problem of an item is one of the whole array.
            let whole = tokens.iter().position(|token| token.parse::<usize>().is_ok()).unwrap_or(tokens.len());
            let value = if is_optional { None } else { required(tokens[whole - 1]) };
            result = edited(&result, &tokens[..whole], value.as_ref());
        }
    }
    Arc::from(result.to_compact())
}

/// A value for a member that has to be there. `None` for a member that need not.
fn required(member: &str) -> Option<Json> {
    let text = match member {
        "protocolVersion" => return Some(Json::from(Revision::NEWEST_LEGACY.as_str())),
        "supportedVersions" => return Some(Json::Array(vec![Json::from(Revision::NEWEST.as_str())])),
        "capabilities" => r#"{"tools":{}}"#,
        "serverInfo" => r#"{"name":"server","version":"1"}"#,
        "name" | "version" => r#""1""#,
        "resultType" => r#""complete""#,
        "ttlMs" => "0",
        "cacheScope" => r#""private""#,
        _ => return None,
    };
    Json::parse(text).ok()
}

#[derive(Default)]
pub(super) struct Handshakes {
    by_revision: BTreeMap<Revision, Handshake>,
    /// Result of `server/discover`, which clients of any era may ask for first.
    discovered: Handshake,
    /// The members that only later revisions define, in words, and at which revisions they came.
    later: BTreeMap<String, Vec<Revision>>,
    /// The results that are too large to be replayed, and their sizes in bytes.
    too_large: BTreeMap<&'static str, usize>,
}

impl Handshakes {
    /// Reads the handshakes of the sessions with a server, one for each revision.
    pub(super) fn of(sessions: &[ProbeSession]) -> Self {
        let mut all = Self::default();
        for session in sessions {
            let messages = messages(&session.transcript);
            let results = SessionResults::new(session, &messages);
            let handshake = Handshake::of(&results, |method: AnsweredMethod, bytes| {
                all.too_large.insert(method.as_str(), bytes);
            });
            let initialized = results.of("initialize").next();
            if let Some(member) = initialized.and_then(|result| later_member(result, named_revision(result)?)) {
                all.later.entry(member).or_default().push(session.revision);
            }
            all.discovered = std::mem::take(&mut all.discovered).or_discovered(&handshake);
            all.by_revision.insert(session.revision, handshake);
        }
        all
    }

    /// Handshake that is replayed to a client that speaks a revision in the end.
    pub(super) fn at(&self, revision: Revision) -> Handshake {
        self.by_revision.get(&revision).cloned().unwrap_or_default().or_discovered(&self.discovered)
    }

    pub(super) fn findings(&self) -> Vec<AuditFinding> {
        let later = self.later.iter().map(|(member, at)| {
            let dates: Vec<&str> = at.iter().map(|revision| revision.as_str()).collect();
            let verb = if at.len() == 1 { "does" } else { "do" };
            let detail = format!("{member}, and {} {verb} not define it", dates.join(", "));
            MEMBERS_OF_LATER_REVISIONS.violated(detail, at.clone())
        });
        let too_large = self.too_large.iter().map(|(method, bytes)| {
            let detail = format!(
                "the result of `{method}` is not replayed to clients: it has {bytes} bytes even with its texts cut off, and at \
                 most {MOST_BYTES} are replayed"
            );
            HANDSHAKE_IS_REPLAYED.violated(detail, Vec::new())
        });
        later.chain(too_large).collect()
    }
}

/// A revision that the server speaks, and that nobody can speak with it.
pub(super) fn unreadable(refused: &Refused) -> Option<AuditFinding> {
    let detail = neutralised(refused.unreadable.as_deref()?);
    Some(of_rule(&rules::DISCOVER_MEMBERS, detail, vec![refused.revision]))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn of(method: &'static str, result: &str) -> Handshake {
        let result = Json::parse(result).unwrap();
        Handshake::of(&SessionResults::from_pairs(vec![(method, &result)]), |_, bytes| unreachable!("{bytes}"))
    }

    #[rstest]
    #[case::sound(r#""serverInfo":{"name":"s","version":"1"}"#, false)]
    #[case::null(r#""serverInfo":{"name":"s","version":"1"},"instructions":null"#, true)]
    #[case::no_version(r#""serverInfo":{"name":"s"}"#, true)]
    #[case::another_member(r#""serverInfo":{"name":"s","version":"1","edition":null}"#, false)]
    #[case::a_member_of_later_revisions(r#""serverInfo":{"name":"s","version":"1","icons":null}"#, true)]
    fn only_what_a_schema_does_not_allow_is_replayed(#[case] members: &str, #[case] is_wrong: bool) {
        let result = format!(r#"{{"protocolVersion":"2025-03-26","capabilities":{{"tools":{{}}}},{members}}}"#);
        assert_eq!(of("initialize", &result).initialize.as_deref(), is_wrong.then_some(result.as_str()));
    }

    #[rstest]
    #[case::sound(r#"["2026-07-28"]"#, "{}", "0", false)]
    #[case::null(r#"["2026-07-28","2025-11-25"]"#, r#"{"logging":null}"#, "0", true)]
    #[case::of_a_legacy_server(r#"["2025-11-25"]"#, r#"{"logging":null}"#, "0", false)]
    #[case::not_in_digits(r#"["2026-07-28"]"#, "{}", "5.0", true)]
    #[case::beyond_a_word(r#"["2026-07-28"]"#, "{}", "99999999999999999999", true)]
    fn so_is_what_a_modern_server_answers_to_discover(
        #[case] versions: &str,
        #[case] capabilities: &str,
        #[case] time: &str,
        #[case] is_wrong: bool,
    ) {
        let hints = format!(r#""resultType":"complete","ttlMs":{time},"cacheScope":"private""#);
        let result = format!(r#"{{"supportedVersions":{versions},"capabilities":{capabilities},{hints}}}"#);
        assert_eq!(of("server/discover", &result).discover.as_deref(), is_wrong.then_some(result.as_str()));
    }

    #[test]
    fn the_result_of_discover_is_that_of_the_session_or_of_another_one() {
        let [own, other] = ["null", "5"].map(|instructions| {
            let rest = r#""supportedVersions":["2026-07-28"],"capabilities":{}"#;
            of("server/discover", &format!(r#"{{{rest},"instructions":{instructions}}}"#))
        });
        let handshake = of("initialize", r#"{"capabilities":{}}"#);
        assert_eq!(own.clone().or_discovered(&other), own);
        let both = handshake.clone().or_discovered(&other);
        assert_eq!((both.initialize, both.discover), (handshake.initialize, other.discover));
    }

    #[test]
    fn what_is_too_large_is_left_out_and_told() {
        let icon = format!(r#"{{"src":"https://a.example/{}"}}"#, "a".repeat(MOST_BYTES));
        let info = format!(r#"{{"name":"s","icons":[{icon}]}}"#);
        let result = Json::parse(&format!(r#"{{"capabilities":{{}},"serverInfo":{info}}}"#)).unwrap();
        let mut told = Vec::new();
        let results = SessionResults::from_pairs(vec![("initialize", &result)]);
        let handshake = Handshake::of(&results, |method, bytes| told.push((method, bytes > MOST_BYTES)));
        assert_eq!((handshake, told), (Handshake::default(), vec![(AnsweredMethod::Initialize, true)]));
    }

    #[rstest]
    #[case::null(
        r#"{"protocolVersion":"2025-11-25","capabilities":{"logging":null,"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#
    )]
    #[case::missing(
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#
    )]
    #[case::required(
        r#"{"protocolVersion":"2025-11-25","capabilities":[],"serverInfo":{"name":"s","version":1}}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#
    )]
    #[case::nothing(
        r#"{}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"server","version":"1"}}"#
    )]
    #[case::item(
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1","icons":[{"src":"a:b"},{}]}}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#
    )]
    fn a_correction_leaves_out_what_may_be_left_out(#[case] wrong: &str, #[case] right: &str) {
        let corrected = of("initialize", wrong).corrected().unwrap();
        assert_eq!(corrected.initialize.as_deref(), Some(right));
        assert_eq!(of("initialize", right), Handshake::default());
    }

    #[test]
    fn a_correction_of_discover_passes_too() {
        let wrong = r#"{"supportedVersions":["2026-07-28",null],"capabilities":{"tools":true},"ttlMs":5.0}"#;
        let corrected = of("server/discover", wrong).corrected().unwrap().discover.unwrap();
        assert_eq!(of("server/discover", &corrected), Handshake::default());
        assert_eq!(Handshake::default().corrected(), None);
    }
}
