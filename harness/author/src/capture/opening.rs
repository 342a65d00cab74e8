//! The results of `initialize` and `server/discover` that are not as the specification has them. A client that rejects one
//! has no session.

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::AnsweredMethod;
use mcp_compat_model::shapes::{DISCOVER, INITIALIZE, Mismatch, Official, Problem, Shape, mismatches};
use mcp_compat_model::{Era, Revision};

use super::captured::Opening;

/// The result of a request that opens a session, if a schema does not allow it, or if it names a revision that no session
/// has. People abbreviate what they paste: if it is not `whole`, members that are absent say nothing.
pub fn odd_opening(method: &str, result: &Json, text: &str, whole: bool) -> Option<Opening> {
    let (to, shape) = match method {
        "initialize" => (AnsweredMethod::Initialize, &INITIALIZE),
        "server/discover" => (AnsweredMethod::Discover, &DISCOVER),
        _ => return None,
    };
    let is_wrong = if whole { is_wrong(shape, result) } else { holds_wrong(shape, result) };
    let is_odd = is_wrong || (to == AnsweredMethod::Initialize && names_no_legacy_revision(result));
    is_odd.then(|| Opening { to, result: text.to_owned() })
}

/// Returns whether a member that is there holds what the schema of some revision does not allow.
fn holds_wrong(shape: &'static Shape, result: &Json) -> bool {
    let is_wrong = |mismatch: &Mismatch<'_>| matches!(mismatch.problem, Problem::Holds { .. });
    revisions_of(shape).any(|revision| mismatches(&Official(revision), shape, result).iter().any(is_wrong))
}

fn names_no_legacy_revision(result: &Json) -> bool {
    let named = result.get("protocolVersion").and_then(Json::as_str).map(str::parse::<Revision>);
    !matches!(named, Some(Ok(revision)) if revision.era() == Era::Legacy)
}

/// The revisions in whose sessions a result can be: those of the era that has the method.
pub fn revisions_of(shape: &'static Shape) -> impl Iterator<Item = Revision> {
    let is_discover = std::ptr::eq(shape, &raw const DISCOVER);
    Revision::ALL.into_iter().filter(move |revision| !is_discover || revision.era() == Era::Modern)
}

/// Returns whether the schema of some revision does not allow a result. Clients decode it by the newest revision that they
/// know, whatever was negotiated.
pub fn is_wrong(shape: &'static Shape, result: &Json) -> bool {
    revisions_of(shape).any(|revision| !mismatches(&Official(revision), shape, result).is_empty())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain(
        "initialize",
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#,
        false
    )]
    #[case::null(
        "initialize",
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"},"_meta":null}"#,
        true
    )]
    #[case::without_handshake(
        "initialize",
        r#"{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#,
        true
    )]
    #[case::another_method("tools/list", r#"{"tools":null}"#, false)]
    #[case::without_hints(
        "server/discover",
        r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete"}"#,
        true
    )]
    fn what_no_session_should_begin_with_is_kept(#[case] method: &str, #[case] result: &str, #[case] is_kept: bool) {
        let found = odd_opening(method, &Json::parse(result).unwrap(), result, true);
        assert_eq!(found.map(|opening| opening.result), is_kept.then(|| result.to_owned()));
    }
    #[test]
    fn what_a_paste_leaves_out_says_nothing() {
        let short = r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#;
        let null = r#"{"protocolVersion":"2025-11-25","capabilities":{},"_meta":null}"#;
        let found = |text: &str| odd_opening("initialize", &Json::parse(text).unwrap(), text, false);
        assert_eq!((found(short), found(null).map(|opening| opening.result)), (None, Some(null.to_owned())));
    }
}
