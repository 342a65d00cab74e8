//! Tools and arguments of the calls of a client, compared with what is listed. Pure.

use mcp_compat_json::Json;
use mcp_compat_model::excerpt::bounded;

use super::played::Played;
use super::row::Parameter;
use super::verdict::{Failure, Mistyped};

/// Number of bytes of an argument that are shown.
const ARGUMENT: usize = 60;

/// The first name that was called, and that is not listed.
pub(super) fn unlisted(plain: &Played, seen: &Played) -> Option<Failure> {
    let known = plain.tools_called();
    let is_listed = |name: &str| seen.tools.iter().any(|tool| tool.get("name").and_then(Json::as_str) == Some(name));
    let other = seen.tools_called().into_iter().find(|name| !is_listed(name) && !known.contains(name))?;
    Some(Failure::Unlisted(bounded(&other, ARGUMENT)))
}

/// The first call without arguments that the tool requires. A tool that the client calls of the plain server too may be one
/// that it calls with arguments of its own.
pub(super) fn missing(plain: &Played, seen: &Played) -> Option<Failure> {
    let (known, usual) = (plain.tools_called(), arguments(plain).collect::<Vec<_>>());
    lacking(seen).find_map(|(tool, names)| {
        // The arguments of a tool that it calls anyway may be its own.
        let is_due = |key: &String| !known.contains(&tool) || usual.iter().any(|usual| usual.get(key).is_some());
        let names: Vec<String> = names.into_iter().filter(is_due).collect();
        (!names.is_empty()).then(|| Failure::Missing { tool: tool.clone(), names })
    })
}

/// The tools that were called, each with the arguments that it requires and did not get.
pub(super) fn lacking(seen: &Played) -> impl Iterator<Item = (String, Vec<String>)> {
    calls(seen).filter_map(|call| {
        let name = call.get("name")?.as_str()?;
        let tool = seen.tools.iter().find(|tool| tool.get("name").and_then(Json::as_str) == Some(name))?;
        let required = tool.pointer("/inputSchema/required")?.as_array()?.iter().filter_map(Json::as_str);
        let is_absent = |key: &&str| call.get("arguments").is_none_or(|arguments| arguments.get(key).is_none());
        Some((name.to_owned(), required.filter(is_absent).map(str::to_owned).collect()))
    })
}

/// The first argument that is none of these.
pub(super) fn undeclared(names: &[&str], seen: &Played) -> Option<Failure> {
    let is_other = |name: &&str| !names.contains(name);
    let other = |arguments: Json| {
        arguments.as_object()?.iter().filter_map(|(key, _)| key.as_str()).find(is_other).map(str::to_owned)
    };
    arguments(seen).find_map(other).map(|name| Failure::Undeclared(bounded(&name, ARGUMENT)))
}

/// The parameters of the calls.
fn calls(seen: &Played) -> impl Iterator<Item = Json> {
    let calls = seen.exchanges.iter().filter(|it| it.is_request("tools/call"));
    calls.filter_map(|call| Json::parse(call.params.as_deref()?).ok())
}

/// The arguments of the calls.
fn arguments(seen: &Played) -> impl Iterator<Item = Json> {
    calls(seen).filter_map(|call| call.get("arguments").cloned())
}

/// Arguments of other types than their schemas ask for, each parameter once. One that the plain server gets in the same way
/// is a mistake that no variation shows.
pub(super) fn mistyped(parameters: &[Parameter], plain: &Played, seen: &Played) -> Option<Failure> {
    let (usual, calls): (Vec<Json>, Vec<Json>) = (arguments(plain).collect(), arguments(seen).collect());
    let of = |Parameter { name, kind }: &Parameter| {
        let is_usual = |value: &Json| usual.iter().any(|usual| usual.get(name) == Some(value));
        let mut values = calls.iter().filter_map(|call| call.get(name));
        let value = values.find(|value| !kind.has(value) && !is_usual(value))?;
        Some(Mistyped { name, due: *kind, sent: bounded(&value.to_string(), ARGUMENT) })
    };
    let found: Vec<Mistyped> = parameters.iter().filter_map(of).collect();
    (!found.is_empty()).then_some(Failure::WrongTypes(found))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::played::tests::{listing, played};
    use super::super::row::{Due, Kind};
    use super::super::verdict::failure;
    use super::*;

    const ALL: [&str; 3] = ["initialize", "tools/list", "tools/call"];

    fn plain() -> Played {
        played(&ALL, Some(0), "The sum is 8.")
    }

    fn call(arguments: &str) -> Played {
        let mut seen = plain();
        seen.exchanges[2].params = Some(format!(r#"{{"name":"t","arguments":{arguments}}}"#));
        seen
    }

    #[test]
    fn an_argument_that_the_client_sends_otherwise_is_missed() {
        let calling = |arguments: &str| {
            let mut seen = listing(&[("add", r#"{"type":"object","required":["a","b"]}"#)], &["add"], "The sum is 8.");
            seen.exchanges[2].params = Some(format!(r#"{{"name":"add","arguments":{arguments}}}"#));
            seen
        };
        let (whole, part) = (calling(r#"{"a":5,"b":3}"#), calling(r#"{"a":5}"#));
        let lacks = Failure::Missing { tool: "add".to_owned(), names: vec!["b".to_owned()] };
        assert_eq!(missing(&whole, &part), Some(lacks));
        assert_eq!((missing(&whole, &whole), missing(&part, &part)), (None, None));
    }

    #[rstest]
    #[case::as_declared(r#"{"tags":["a"],"count":1}"#, None)]
    #[case::left_out("{}", None)]
    #[case::as_text(r#"{"tags":"[\"a\"]"}"#, Some(("tags", Kind::Array, r#""[\"a\"]""#)))]
    #[case::null(r#"{"tags":[],"count":null}"#, Some(("count", Kind::Integer, "null")))]
    #[case::a_whole_number_with_a_point(r#"{"count":1.0}"#, None)]
    #[case::a_fraction(r#"{"count":1.5}"#, Some(("count", Kind::Integer, "1.5")))]
    fn arguments_have_the_types_of_their_schemas(
        #[case] arguments: &str,
        #[case] expected: Option<(&'static str, Kind, &str)>,
    ) {
        const DUE: Due = Due::Fill(&[
            Parameter { name: "tags", kind: Kind::Array },
            Parameter { name: "count", kind: Kind::Integer },
        ]);
        let mistyped = |(name, due, sent): (&'static str, Kind, &str)| Mistyped { name, due, sent: sent.to_owned() };
        let expected = expected.map(|found| Failure::WrongTypes(vec![mistyped(found)]));
        assert_eq!(failure(DUE, &plain(), None, &call(arguments)), expected);
        assert_eq!(
            failure(DUE, &call(arguments), None, &call(arguments)),
            None,
            "that is how it calls the plain server"
        );
    }

    #[test]
    fn no_argument_is_sent_that_is_not_declared() {
        let failed = |arguments: &str| failure(Due::Only(&["a", "b"]), &plain(), None, &call(arguments));
        assert_eq!(failed(r#"{"a":1}"#), None);
        assert_eq!(failed(r#"{"a":1,"toolCallId":"x"}"#), Some(Failure::Undeclared("toolCallId".to_owned())));
    }

    #[test]
    fn tools_are_called_by_listed_names_and_with_what_they_require() {
        const SCHEMA: &str = r#"{"type":"object","required":["a"]}"#;
        let plain = listing(&[], &["a.b"], "The sum is 8.");
        let mut seen = listing(&[("a.b", SCHEMA), ("c", "{}")], &["a_b"], "The sum is 8.");
        assert_eq!(failure(Due::Listed, &plain, None, &seen), Some(Failure::Unlisted("a_b".to_owned())));
        assert_eq!(failure(Due::Listed, &seen, None, &seen), None, "it knows the name");
        seen.exchanges[2].params = Some(r#"{"name":"a.b","arguments":{"b":1}}"#.to_owned());
        assert_eq!(failure(Due::Listed, &plain, None, &seen), None);
        let other = listing(&[], &["c"], "The sum is 8.");
        let lacks = Failure::Missing { tool: "a.b".to_owned(), names: vec!["a".to_owned()] };
        assert_eq!(failure(Due::Fill(&[]), &other, None, &seen), Some(lacks));
        assert_eq!(failure(Due::Fill(&[]), &plain, None, &seen), None, "its arguments may be its own");
        seen.exchanges[2].params = Some(r#"{"name":"a.b","arguments":{"a":1}}"#.to_owned());
        assert_eq!(failure(Due::Fill(&[]), &other, None, &seen), None);
    }
}
