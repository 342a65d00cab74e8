//! The results of `initialize` and `server/discover`, where a schema does not allow them. A client that rejects one has no
//! session, so they are replayed with each tool.

use std::sync::Arc;

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};
use mcp_compat_model::{Era, Revision};
use mcp_compat_scenario::Scenario;
use mcp_compat_shapes::{DISCOVER, INITIALIZE, Official, Shape, mismatches};
use serde_json::value::RawValue;

use super::session_results::{SessionResults, with_short_texts};

/// How many bytes of each are replayed. They are sent again with each tool.
const MOST_BYTES: usize = 16_384;

/// The results that open a session with a server, where clients may reject them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Opening {
    initialize: Option<Arc<str>>,
    discover: Option<Arc<str>>,
}

impl Opening {
    /// Those of a session.
    pub(super) fn of(results: &SessionResults<'_>) -> Self {
        let initialize = results.of("initialize").next().filter(|result| is_wrong(&INITIALIZE, result, &Revision::ALL));
        let discover = results.of("server/discover").find(|result| lists_modern(result));
        let modern = Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Modern);
        let discover = discover.filter(|result| is_wrong(&DISCOVER, result, &modern.collect::<Vec<_>>()));
        let text = |result: &Json| Arc::from(with_short_texts(result).to_compact());
        Self { initialize: initialize.map(text), discover: discover.map(text) }
    }

    /// With the result of `server/discover` from another session, if this one has none.
    pub(super) fn or_discovered(self, other: &Self) -> Self {
        Self { discover: self.discover.or_else(|| other.discover.clone()), ..self }
    }

    /// Why it cannot be replayed, if one of them is too large.
    pub(super) fn too_large(&self) -> Option<String> {
        let (method, text) = self.each().find(|(_, text)| text.len() > MOST_BYTES)?;
        Some(format!(
            "the result of `{}` has {} bytes without its long texts, and at most {MOST_BYTES} are replayed",
            method.as_str(),
            text.len()
        ))
    }

    /// Lets the server of a scenario answer with them.
    pub(super) fn give(&self, scenario: &mut Scenario) {
        for (to, text) in self.each() {
            if let Ok(result) = RawValue::from_string(text.to_string()) {
                scenario.answers.push(ScriptedAnswer { to, page: None, reply: Reply::Result(result) });
            }
        }
    }

    fn each(&self) -> impl Iterator<Item = (AnsweredMethod, &Arc<str>)> {
        let all = [(AnsweredMethod::Initialize, &self.initialize), (AnsweredMethod::Discover, &self.discover)];
        all.into_iter().filter_map(|(method, text)| Some((method, text.as_ref()?)))
    }

    /// Without members that are null and may be left out. `None` if none is.
    pub(super) fn without_nulls(&self) -> Option<Self> {
        let [initialize, discover] = [&self.initialize, &self.discover].map(|text| dense_text(text.as_deref()?));
        (initialize.is_some() || discover.is_some()).then(|| Self {
            initialize: initialize.or_else(|| self.initialize.clone()),
            discover: discover.or_else(|| self.discover.clone()),
        })
    }
}

/// Clients decode a result by the newest revision that they know, whatever was negotiated.
fn is_wrong(shape: &'static Shape, result: &Json, revisions: &[Revision]) -> bool {
    revisions.iter().any(|revision| !mismatches(&Official(*revision), shape, result).is_empty())
}

/// Whether a result of `server/discover` is that of a modern server.
fn lists_modern(result: &Json) -> bool {
    let listed = result.get("supportedVersions").and_then(Json::as_array).unwrap_or_default();
    let mut listed = listed.iter().filter_map(|date| date.as_str()?.parse::<Revision>().ok());
    listed.any(|revision| revision.era() == Era::Modern)
}

fn dense_text(result: &str) -> Option<Arc<str>> {
    let result = Json::parse(result).ok()?;
    let dense = dense(&result);
    (dense != result).then(|| Arc::from(dense.to_compact()))
}

/// Without nulls, but for those of members that are required. What the server's author keeps in `_meta`, `experimental` and
/// `extensions` stays as it is.
fn dense(json: &Json) -> Json {
    const REQUIRED: [&str; 10] = [
        "protocolVersion",
        "supportedVersions",
        "capabilities",
        "serverInfo",
        "name",
        "version",
        "src",
        "resultType",
        "ttlMs",
        "cacheScope",
    ];
    match json {
        Json::Object(members) => {
            let is_required = |key: Option<&str>| key.is_some_and(|key| REQUIRED.contains(&key));
            let kept = members.iter().filter(|(key, value)| !value.is_null() || is_required(key.as_str()));
            let kept = kept.map(|(key, value)| match key.as_str() {
                Some("_meta" | "experimental" | "extensions") => (key.clone(), value.clone()),
                Some(_) | None => (key.clone(), dense(value)),
            });
            Json::Object(kept.collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(dense).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => json.clone(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn of(method: &'static str, result: &str) -> Opening {
        let result = Json::parse(result).unwrap();
        Opening::of(&SessionResults::from_pairs(vec![(method, &result)]))
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
    #[case::sound(r#"["2026-07-28"]"#, "{}", false)]
    #[case::null(r#"["2026-07-28","2025-11-25"]"#, r#"{"logging":null}"#, true)]
    #[case::of_a_legacy_server(r#"["2025-11-25"]"#, r#"{"logging":null}"#, false)]
    fn so_is_what_a_modern_server_answers_to_discover(
        #[case] versions: &str,
        #[case] capabilities: &str,
        #[case] is_wrong: bool,
    ) {
        let hints = r#""resultType":"complete","ttlMs":0,"cacheScope":"private""#;
        let result = format!(r#"{{"supportedVersions":{versions},"capabilities":{capabilities},{hints}}}"#);
        let found = of("server/discover", &result);
        assert_eq!(found.discover.as_deref(), is_wrong.then_some(result.as_str()));
        assert_eq!(Opening::default().or_discovered(&found), found);
    }

    #[test]
    fn long_texts_are_shortened_and_the_rest_has_a_bound() {
        let of_members = |members: &str| of("initialize", &format!(r#"{{"capabilities":{{}},{members}}}"#));
        let text = of_members(&format!(r#""instructions":"{}""#, "é".repeat(MOST_BYTES)));
        assert!(text.initialize.as_ref().is_some_and(|text| text.len() < 1_000), "{text:?}");
        assert_eq!(text.too_large(), None);
        let list = of_members(&format!(r#""_meta":[{}0]"#, "0,".repeat(MOST_BYTES)));
        let why = list.too_large().unwrap();
        assert!(why.starts_with("the result of `initialize` has 327"), "{why}");
    }

    #[test]
    fn nulls_are_left_out_but_for_those_that_are_data_or_required() {
        let opening = r#"{"capabilities":{"tools":{"listChanged":null},"experimental":{"a":null}},"instructions":null,"serverInfo":{"name":"a","version":null}}"#;
        let dense =
            r#"{"capabilities":{"tools":{},"experimental":{"a":null}},"serverInfo":{"name":"a","version":null}}"#;
        let without = of("initialize", opening).without_nulls().unwrap();
        assert_eq!(without.initialize.as_deref(), Some(dense));
        assert_eq!(without.without_nulls(), None);
    }
}
