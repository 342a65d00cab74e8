//! Tests of whole schemas: the inputs that callers send, roots, and formats wherever they are declared.

use rstest::rstest;

use super::*;

const A: &str = r#""a":{"type":"string"}"#;

#[rstest]
#[case::optional_added(r#","q":{"type":"string"}"#, "", Safe)]
#[case::required_added(r#","q":{"type":"string"}"#, r#","required":["q"]"#, BreaksCallers)]
#[case::added_and_closed(r#","q":{"type":"string"}"#, r#","additionalProperties":false"#, BreaksSomeClients)]
#[case::required_and_not_declared("", r#","required":["q"]"#, BreaksCallers)]
fn of_an_open_input_callers_send_what_it_declares(#[case] added: &str, #[case] more: &str, #[case] effect: Effect) {
    let flat = |properties: &str, more: &str| format!(r#"{{"type":"object","properties":{{{properties}}}{more}}}"#);
    let (was, is) = (flat(A, ""), flat(&format!("{A}{added}"), more));
    let within = |inner: &str| flat(&format!(r#""in":{{"type":"array","items":{inner}}}"#), "");
    let referred = |inner: &str| {
        let definitions = format!(r#","$defs":{{"In":{inner}}}"#);
        flat(r##""in":{"anyOf":[{"$ref":"#/$defs/In"},{"type":"null"}]}"##, &definitions)
    };
    for (old, new) in [(was.clone(), is.clone()), (within(&was), within(&is)), (referred(&was), referred(&is))] {
        let found = compared("inputSchema", &old, &new);
        assert_eq!(found.effect(), effect, "{old} -> {new}: {found:?}");
    }
}

#[rstest]
// What is required and not declared is sent all the same.
#[case(r#"{"type":"object","required":["b"]}"#, r#"{"type":"object","required":["b","c"]}"#)]
// So is what stands beside the branch that is used.
#[case(
    r##"{"type":"object","properties":{"b":true},"required":["b"],"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":true}}}}"##,
    r##"{"type":"object","properties":{"b":{"type":"null"}},"required":["b"],"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":true}}}}"##
)]
#[case(
    r#"{"type":"object","required":["b"],"anyOf":[{"properties":{"a":true}},{"properties":{"c":true}}]}"#,
    r#"{"type":"object","required":["b"],"properties":{"b":{"type":"null"}},"anyOf":[{"properties":{"a":true}},{"properties":{"c":true}}]}"#
)]
// Each branch of `allOf` takes what the others declare.
#[case(
    r#"{"type":"object","allOf":[{"properties":{"a":true}},{"properties":{"b":true},"required":["b"]}]}"#,
    r#"{"type":"object","allOf":[{"properties":{"a":true}},{"properties":{"b":{"type":"null"}},"required":["b"]}]}"#
)]
fn a_schema_is_not_closed_to_what_callers_must_send(#[case] old: &str, #[case] new: &str) {
    let found = compared("inputSchema", old, new);
    assert_ne!(found.effect(), Safe, "{found:?}");
}

#[test]
fn what_stands_below_not_is_not_closed() {
    // It would take more than it did.
    let old = r##"{"type":"object","properties":{"n":{"not":{"$ref":"#/$defs/A"}}},
        "$defs":{"A":{"type":"object","properties":{"a":true}}}}"##;
    let new = r#"{"type":"object","properties":{"n":{"not":{"type":"object"}}}}"#;
    let found = compared("inputSchema", old, new);
    assert!(found.effect() <= Unknown, "{found:?}");
}

#[test]
fn a_free_map_within_an_input_stays_free() {
    let of = |map: &str| format!(r#"{{"type":"object","properties":{{"map":{map}}}}}"#);
    let new = of(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
    assert_eq!(compared("inputSchema", &of(r#"{"type":"object"}"#), &new).effect(), BreaksCallers);
}

#[test]
fn a_parameter_that_is_gone_is_no_longer_heard() {
    let new = r#"{"type":"object","properties":{}}"#;
    let found = compared("inputSchema", &object(""), new);
    assert_eq!(changes(&found), [(ChangeKind::PropertyRemoved, "/properties/a", BreaksSomeClients)]);
    // Said by a reference, it is not gone.
    let new = format!(r##"{{"type":"object","$ref":"#/$defs/A","$defs":{{"A":{}}}}}"##, object(""));
    assert_eq!(compared("inputSchema", &object(""), &new).effect(), Safe);
}

#[test]
fn what_breaks_alone_and_not_with_the_rest_is_not_said_to_break() {
    // `a` may be null now, but no such value is left; `b` breaks.
    let old = r#"{"type":"object","required":["b"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#;
    let new = r#"{"type":"object","required":["b"],"properties":{"a":{"type":["string","null"],"enum":["x"]},"b":{}}}"#;
    let found = compared("outputSchema", old, new);
    for change in found.all_changes() {
        match change.pointer.as_str() {
            "/properties/a/type" => assert_eq!((change.effect, &change.witness), (Unknown, &None)),
            "/properties/b/type" => assert_eq!((change.effect, change.witness.is_some()), (BreaksCallers, true)),
            _ => assert_eq!(change.effect, Safe, "{change:?}"),
        }
    }
    // Where no change shows it, the whole does.
    let new = r#"{"type":"object","properties":{"a":{"type":["null","integer"],"minimum":3,"enum":[5,"x"]}}}"#;
    let old = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let found = compared("outputSchema", old, new);
    assert_eq!(found.effect(), BreaksCallers);
    for change in found.all_changes().filter(|change| change.effect == BreaksCallers) {
        let value = &change.witness.as_ref().unwrap().value;
        let takes = |schema: &str| mcp_compat_schema::inclusion::check(&json(schema), value);
        assert_eq!(takes(new), mcp_compat_schema::inclusion::Conformance::Conforms, "{change:?}");
    }
}

#[rstest]
#[case::beside_a_branch(
    r#"{"anyOf":[{"type":"string","format":"uri"},{"type":"null"}]}"#,
    r#"{"type":["string","null"]}"#
)]
#[case::by_a_branch(r#"{"allOf":[{"format":"uri"}],"type":"string"}"#, r#"{"type":"string"}"#)]
#[case::by_reference(r##"{"$ref":"#/$defs/U"}"##, r##"{"$ref":"#/$defs/S"}"##)]
fn a_format_is_seen_wherever_it_is_said(#[case] with: &str, #[case] without: &str) {
    let of = |property: &str| {
        format!(
            r#"{{"type":"object","properties":{{"a":{property}}},
                "$defs":{{"U":{{"type":"string","format":"uri"}},"S":{{"type":"string"}}}}}}"#
        )
    };
    let (with, without) = (of(with), of(without));
    assert_eq!(compared("outputSchema", &with, &without).effect(), BreaksSomeClients);
    assert_eq!(compared("outputSchema", &without, &with).effect(), Safe);
    assert_eq!(compared("inputSchema", &without, &with).effect(), BreaksSomeClients);
    assert_eq!(compared("inputSchema", &with, &without).effect(), Safe);
}

#[test]
fn a_format_that_comes_with_its_property_refuses_nobody() {
    let new = r#"{"type":"object","properties":{"a":{"type":"string"},"q":{"type":"string","format":"uri"}}}"#;
    assert_eq!(compared("inputSchema", &object(""), new).effect(), Safe);
}

#[rstest]
#[case("true")]
#[case("{}")]
#[case(r#"{"anyOf":[{"type":"object"},{"type":"null"}]}"#)]
#[case(r##"{"$ref":"#/$defs/O","$defs":{"O":{"type":"object"}}}"##)]
fn a_root_is_an_object_in_so_many_words(#[case] new: &str) {
    for key in ["inputSchema", "outputSchema"] {
        let found = compared(key, r#"{"type":"object"}"#, new);
        assert!(found.effect() >= BreaksSomeClients, "{key}: {found:?}");
        let root = found.all_changes().find(|change| change.kind == ChangeKind::RootType);
        assert!(root.is_some_and(|root| root.effect >= BreaksSomeClients), "{key}: {found:?}");
    }
}

#[rstest]
#[case::destructive(r#"{"readOnlyHint":true}"#, r#"{"destructiveHint":true}"#, BreaksSomeClients)]
#[case::nothing_said(r#"{"readOnlyHint":true}"#, "{}", BreaksSomeClients)]
#[case::may_destroy(r#"{"destructiveHint":false}"#, "{}", BreaksSomeClients)]
#[case::not_again(r#"{"idempotentHint":true}"#, "{}", BreaksSomeClients)]
#[case::abroad(r#"{"openWorldHint":false}"#, r#"{"openWorldHint":true}"#, BreaksSomeClients)]
#[case::milder(r#"{"destructiveHint":true}"#, r#"{"readOnlyHint":true}"#, Safe)]
#[case::what_is_assumed_anyway("{}", r#"{"destructiveHint":true,"readOnlyHint":false}"#, Safe)]
#[case::title(r#"{"title":"A"}"#, r#"{"title":"B"}"#, Safe)]
fn hosts_go_by_hints(#[case] old: &str, #[case] new: &str, #[case] effect: Effect) {
    let found = compared("annotations", old, new);
    assert_eq!(changes(&found), [(ChangeKind::Annotations, "/annotations", effect)]);
}

#[test]
fn a_schema_that_nobody_can_use_any_more_breaks_those_who_validate() {
    let of_use = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let dangling = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}"##;
    let invalid = r#"{"type":"object","properties":{"a":{"type":"text"}}}"#;
    for key in ["inputSchema", "outputSchema"] {
        for (new, pointer) in [(dangling, ""), (invalid, "/properties/a/type")] {
            let comparison = compared(key, of_use, new);
            let found = changes(&comparison);
            assert!(found.contains(&(ChangeKind::Keyword, pointer, BreaksSomeClients)), "{key} {new}: {found:?}");
            assert!(found.len() > 1, "what changed is told, too: {found:?}");
            let back = compared(key, new, of_use);
            assert!(back.all_changes().all(|change| change.effect == Unknown), "{key}: nothing held before");
            let why = back.all_changes().find_map(|change| change.why.clone()).unwrap();
            assert!(why.contains("the old schema"), "{why}");
        }
    }
}
