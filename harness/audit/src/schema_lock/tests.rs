//! Tests of the changes that are reported, each kind in both directions.

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::comparison::{Change, ChangeKind, Comparison, Effect};
use rstest::rstest;

use super::*;
use crate::probe::ServerName;

mod files;
mod large;
mod told;
mod whole;

use Effect::{BreaksCallers, BreaksSomeClients, Safe, Unknown};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn lock(listings: &[(Revision, &[&str])]) -> Lock {
    let listing = listings.iter().map(|(revision, tools)| (*revision, tools.iter().map(|tool| json(tool)).collect()));
    Lock::new(ServerName { name: "s".to_owned(), version: "1".to_owned() }, &listing.collect()).unwrap()
}

const NOW: Revision = Revision::V2026_07_28;

/// A tool with a member of its definition; none, where that is empty.
fn tool(key: &str, value: &str) -> String {
    let member = if value.is_empty() { String::new() } else { format!(r#","{key}":{value}"#) };
    format!(r#"{{"name":"t"{member}}}"#)
}

/// Compares two locks whose only tool differs in one member of its definition.
fn compared(key: &str, old: &str, new: &str) -> Comparison {
    let [old, new] = [old, new].map(|value| lock(&[(NOW, &[&tool(key, value)])]));
    compare(&old, &new).unwrap()
}

fn changes(comparison: &Comparison) -> Vec<(ChangeKind, &str, Effect)> {
    comparison.all_changes().map(|Change { kind, pointer, effect, .. }| (*kind, pointer.as_str(), *effect)).collect()
}

/// An object with these members of its schema.
fn object(members: &str) -> String {
    format!(r#"{{"type":"object","properties":{{"a":{{"type":"string"}}}}{members}}}"#)
}

#[rstest]
#[case::optional_added("", r#","required":[]"#, ChangeKind::Keyword, "/required", Safe, Safe)]
#[case::required_removed(
    r#","required":["a"]"#,
    r#","required":[]"#,
    ChangeKind::RequiredRemoved,
    "/required",
    BreaksCallers,
    Safe
)]
#[case::required_added("", r#","required":["a"]"#, ChangeKind::RequiredAdded, "/required", Safe, BreaksCallers)]
#[case::closed(
    "",
    r#","additionalProperties":false"#,
    ChangeKind::AdditionalPropertiesClosed,
    "/additionalProperties",
    Safe,
    BreaksSomeClients
)]
#[case::opened(
    r#","additionalProperties":false"#,
    "",
    ChangeKind::AdditionalPropertiesOpened,
    "/additionalProperties",
    BreaksCallers,
    Safe
)]
#[case::limit(
    r#","maxProperties":3"#,
    r#","maxProperties":2"#,
    ChangeKind::Limit,
    "/maxProperties",
    Safe,
    BreaksSomeClients
)]
#[case::words(r#","title":"A""#, r#","title":"B""#, ChangeKind::Words, "/title", Safe, Safe)]
#[case::extension("", r#","x-order":3"#, ChangeKind::Keyword, "/x-order", Safe, Safe)]
#[case::dialect_named(
    "",
    r#","$schema":"https://json-schema.org/draft/2020-12/schema""#,
    ChangeKind::Dialect,
    "/$schema",
    Safe,
    Safe
)]
#[case::older_dialect(
    "",
    r#","$schema":"http://json-schema.org/draft-07/schema#""#,
    ChangeKind::Dialect,
    "/$schema",
    BreaksSomeClients,
    BreaksSomeClients
)]
#[case::unknown_dialect(
    "",
    r#","$schema":"https://example.com/mine""#,
    ChangeKind::Dialect,
    "/$schema",
    BreaksSomeClients,
    BreaksSomeClients
)]
#[case::elsewhere(
    "",
    r#","$ref":"https://example.com/a""#,
    ChangeKind::Reference,
    "/$ref",
    BreaksSomeClients,
    BreaksSomeClients
)]
#[case::what_is_not_reasoned_about(
    "",
    r#","dependencies":{"b":["a"]}"#,
    ChangeKind::Keyword,
    "/dependencies",
    Safe,
    Unknown
)]
fn a_change_of_an_object(
    #[case] old: &str,
    #[case] new: &str,
    #[case] kind: ChangeKind,
    #[case] pointer: &str,
    #[case] as_output: Effect,
    #[case] as_input: Effect,
) {
    for (key, effect) in [("outputSchema", as_output), ("inputSchema", as_input)] {
        let found = compared(key, &object(old), &object(new));
        if kind == ChangeKind::Keyword && pointer == "/required" {
            // An empty list is as none.
            assert_eq!(found.effect(), Safe, "{found:?}");
            continue;
        }
        assert_eq!(changes(&found), [(kind, pointer, effect)], "{key}: {found:?}");
    }
}

#[rstest]
#[case::property_added("{}", r#"{"a":{"type":"string"}}"#, ChangeKind::PropertyAdded, "/properties/a", Safe, Safe)]
#[case::property_removed(
    r#"{"a":{"type":"string"}}"#,
    "{}",
    ChangeKind::PropertyRemoved,
    "/properties/a",
    BreaksCallers,
    BreaksSomeClients
)]
#[case::type_changed(
    r#"{"a":{"type":"string"}}"#,
    r#"{"a":{"type":"null"}}"#,
    ChangeKind::Type,
    "/properties/a/type",
    BreaksCallers,
    BreaksCallers
)]
#[case::type_narrowed(
    r#"{"a":{"type":"number"}}"#,
    r#"{"a":{"type":"integer"}}"#,
    ChangeKind::Type,
    "/properties/a/type",
    Safe,
    BreaksCallers
)]
#[case::enum_widened(
    r#"{"a":{"enum":[1]}}"#,
    r#"{"a":{"enum":[1,2]}}"#,
    ChangeKind::EnumWidened,
    "/properties/a/enum",
    BreaksCallers,
    Safe
)]
#[case::enum_narrowed(
    r#"{"a":{"enum":[1,2]}}"#,
    r#"{"a":{"enum":[1]}}"#,
    ChangeKind::EnumNarrowed,
    "/properties/a/enum",
    Safe,
    BreaksCallers
)]
#[case::enum_exchanged(
    r#"{"a":{"enum":[1]}}"#,
    r#"{"a":{"enum":[2]}}"#,
    ChangeKind::EnumChanged,
    "/properties/a/enum",
    BreaksCallers,
    BreaksCallers
)]
#[case::enum_in_another_order(
    r#"{"a":{"enum":[1,2]}}"#,
    r#"{"a":{"enum":[2,1]}}"#,
    ChangeKind::Words,
    "/properties/a/enum",
    Safe,
    Safe
)]
#[case::format_added(
    r#"{"a":{"type":"string"}}"#,
    r#"{"a":{"type":"string","format":"uri"}}"#,
    ChangeKind::Format,
    "/properties/a/format",
    Safe,
    BreaksSomeClients
)]
#[case::format_removed(
    r#"{"a":{"type":"string","format":"uri"}}"#,
    r#"{"a":{"type":"string"}}"#,
    ChangeKind::Format,
    "/properties/a/format",
    BreaksSomeClients,
    Safe
)]
#[case::pattern_implied(
    r#"{"a":{"type":"string","pattern":"^a"}}"#,
    r#"{"a":{"type":"string","pattern":"^ab"}}"#,
    ChangeKind::Pattern,
    "/properties/a/pattern",
    Unknown,
    BreaksCallers
)]
#[case::branch_added(
    r#"{"a":{"anyOf":[{"type":"null"}]}}"#,
    r#"{"a":{"anyOf":[{"type":"null"},{"const":1}]}}"#,
    ChangeKind::BranchAdded,
    "/properties/a/anyOf",
    BreaksCallers,
    Safe
)]
#[case::branch_removed(
    r#"{"a":{"anyOf":[{"type":"null"},{"const":1}]}}"#,
    r#"{"a":{"anyOf":[{"type":"null"}]}}"#,
    ChangeKind::BranchRemoved,
    "/properties/a/anyOf",
    Safe,
    BreaksCallers
)]
#[case::place_added(
    r#"{"a":{"type":"array","prefixItems":[{"const":1}]}}"#,
    r#"{"a":{"type":"array","prefixItems":[{"const":1},{"const":2}]}}"#,
    ChangeKind::BranchAdded,
    "/properties/a/prefixItems",
    Safe,
    BreaksCallers
)]
fn a_change_of_a_property(
    #[case] old: &str,
    #[case] new: &str,
    #[case] kind: ChangeKind,
    #[case] pointer: &str,
    #[case] as_output: Effect,
    #[case] as_input: Effect,
) {
    let [old, new] = [old, new].map(|properties| format!(r#"{{"type":"object","properties":{properties}}}"#));
    for (key, effect) in [("outputSchema", as_output), ("inputSchema", as_input)] {
        let found = compared(key, &old, &new);
        assert_eq!(changes(&found), [(kind, pointer, effect)], "{key}: {found:?}");
    }
}

#[rstest]
#[case::description("description", r#""a""#, r#""b""#, ChangeKind::Words, "/description", Safe)]
#[case::annotations("annotations", "", r#"{"readOnlyHint":true}"#, ChangeKind::Annotations, "/annotations", Safe)]
#[case::execution(
    "execution",
    "",
    r#"{"taskSupport":"required"}"#,
    ChangeKind::Execution,
    "/execution",
    BreaksSomeClients
)]
#[case::another_member("x/y", "1", "2", ChangeKind::Member, "/x~1y", Unknown)]
#[case::output_added("outputSchema", "", r#"{"type":"object"}"#, ChangeKind::SchemaAdded, "", BreaksSomeClients)]
#[case::output_removed("outputSchema", r#"{"type":"object"}"#, "", ChangeKind::SchemaRemoved, "", BreaksCallers)]
#[case::input_removed("inputSchema", r#"{"type":"object"}"#, "", ChangeKind::SchemaRemoved, "", BreaksSomeClients)]
#[case::root_narrowed_to_another(
    "outputSchema",
    r#"{"type":["object","array"]}"#,
    r#"{"type":"array"}"#,
    ChangeKind::RootType,
    "/type",
    Safe
)]
#[case::root_no_object(
    "outputSchema",
    r#"{"type":"object"}"#,
    r#"{"type":"array"}"#,
    ChangeKind::RootType,
    "/type",
    BreaksCallers
)]
fn a_change_of_a_definition(
    #[case] key: &str,
    #[case] old: &str,
    #[case] new: &str,
    #[case] kind: ChangeKind,
    #[case] pointer: &str,
    #[case] effect: Effect,
) {
    let found = compared(key, old, new);
    assert_eq!(changes(&found), [(kind, pointer, effect)], "{found:?}");
}

#[test]
fn a_root_that_says_no_longer_that_it_is_an_object_breaks_older_clients_alone() {
    let old = r#"{"type":"object","required":["a"]}"#;
    let found = compared("outputSchema", old, r#"{"required":["a"],"allOf":[{"type":"object"}]}"#);
    let root = found.all_changes().find(|change| change.kind == ChangeKind::RootType).unwrap();
    assert_eq!(root.effect, BreaksSomeClients);
    assert!(root.why.as_ref().unwrap().contains("2025-11-25"), "{root:?}");
    assert_eq!(found.effect(), BreaksSomeClients);
}

#[test]
fn changes_that_make_up_for_one_another_are_safe_together() {
    let old = r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#;
    let new = r#"{"type":"object","properties":{"a":{"type":"number","enum":[1,2]}}}"#;
    assert_eq!(compared("outputSchema", old, new).effect(), Safe);
}

#[test]
fn changes_that_are_harmless_alone_may_break_together() {
    // Of integers the two say the same.
    let old = r#"{"type":"object","properties":{"a":{"type":"integer","maximum":3,"exclusiveMaximum":4}}}"#;
    let found = compared("outputSchema", old, r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#);
    let expected = [
        (ChangeKind::Together, "/properties/a/maximum", BreaksCallers),
        (ChangeKind::Limit, "/properties/a/maximum", Safe),
        (ChangeKind::Limit, "/properties/a/exclusiveMaximum", Safe),
    ];
    assert_eq!(changes(&found), expected);
    assert!(found.tools[0].changes[0].witness.is_some());
}

#[test]
fn a_difference_without_a_name_is_not_passed_over() {
    // A key that is half of a surrogate pair has no place in a pointer.
    let found =
        compared("outputSchema", r#"{"properties":{"\ud800":{"type":"string"}}}"#, r#"{"properties":{"\ud800":{}}}"#);
    assert_eq!(changes(&found), [(ChangeKind::Together, "", Unknown)]);
    // That the order of names is another one says nothing.
    let found = compared("outputSchema", r#"{"required":["a","b"]}"#, r#"{"required":["b","a"]}"#);
    assert_eq!((changes(&found), found.unchanged), (Vec::new(), 1));
}

#[test]
fn more_differences_than_are_told_are_not_called_safe() {
    let properties = |format: &str| {
        let all: Vec<String> = (0..150).map(|at| format!(r#""p{at}":{{"title":"{format}"}}"#)).collect();
        format!(r#"{{"properties":{{{}}}}}"#, all.join(","))
    };
    assert_eq!(compared("outputSchema", &properties("a"), &properties("b")).effect(), Unknown);
}

#[test]
fn a_witness_shows_what_the_whole_change_breaks() {
    let old = r#"{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}"#;
    let new = r#"{"type":"object","properties":{"id":{"type":["string","null"]}}}"#;
    let found = compared("outputSchema", old, new);
    let shown: Vec<_> = found
        .all_changes()
        .filter_map(|change| change.witness.as_ref())
        .map(|shown| shown.value.to_compact())
        .collect();
    assert_eq!(shown, ["{}", r#"{"id":null}"#]);
}

#[test]
fn tools_and_revisions_come_and_go() {
    let old = lock(&[(Revision::V2025_06_18, &[r#"{"name":"a"}"#]), (Revision::V2025_11_25, &[r#"{"name":"a"}"#])]);
    let new = lock(&[(Revision::V2025_11_25, &[r#"{"name":"b"}"#]), (NOW, &[r#"{"name":"b"}"#])]);
    let found = compare(&old, &new).unwrap();
    let expected = [
        (ChangeKind::RevisionRemoved, "", BreaksSomeClients),
        (ChangeKind::RevisionAdded, "", Safe),
        (ChangeKind::ToolRemoved, "", BreaksCallers),
        (ChangeKind::ToolAdded, "", Safe),
    ];
    assert_eq!(changes(&found), expected);
    // The tool `a` is missing at both revisions alike.
    assert_eq!(found.revisions, [Revision::V2025_11_25, NOW]);
    assert_eq!(found.tools[0].revisions, [Revision::V2025_11_25, NOW]);
}

/// A new tool takes nothing from callers, but a schema that clients refuse can lose them all tools.
#[rstest]
#[case::fine(r#"{"inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#, &[])]
#[case::input(r#"{"inputSchema":{"type":"array"}}"#, &[ChangeKind::RootType])]
#[case::output(r#"{"inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}"#, &[ChangeKind::RootType])]
#[case::invalid(r#"{"inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":1}}"#, &[ChangeKind::Keyword])]
fn the_schemas_of_a_new_tool_are_looked_at(#[case] definition: &str, #[case] expected: &[ChangeKind]) {
    let new = definition.replacen('{', r#"{"name":"b","#, 1);
    let of = |revision| {
        let found = compare(&lock(&[(revision, &[])]), &lock(&[(revision, &[&new])])).unwrap();
        let kinds: Vec<_> =
            found.all_changes().filter(|change| change.effect != Safe).map(|change| change.kind).collect();
        (kinds, found.all_changes().any(|change| change.kind == ChangeKind::ToolAdded))
    };
    assert_eq!(of(Revision::V2025_11_25), (expected.to_vec(), true));
    // From 2026-07-28 on an outputSchema may have any root.
    let any_root = definition.contains(r#""outputSchema":{"type":"array"}"#);
    assert_eq!(of(NOW), (if any_root { Vec::new() } else { expected.to_vec() }, true));
}

#[rstest]
#[case::missing(None, ChangeKind::ToolRemoved)]
#[case::asks_for_more(
    Some(r#"{"name":"a","inputSchema":{"type":"object","required":["q"]}}"#),
    ChangeKind::RequiredAdded
)]
fn a_revision_that_is_new_is_held_against_the_newest_old_one(#[case] newly: Option<&str>, #[case] kind: ChangeKind) {
    let plain = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
    let at_new = newly.as_slice();
    let old = lock(&[(Revision::V2025_11_25, &[plain])]);
    let found = compare(&old, &lock(&[(Revision::V2025_11_25, &[plain]), (NOW, at_new)])).unwrap();
    assert_eq!(found.tools[0].revisions, [NOW]);
    let lost = &found.tools[0].changes[0];
    assert_eq!((lost.kind, lost.effect), (kind, BreaksSomeClients), "{found:?}");
    assert!(lost.why.as_ref().unwrap().contains("2026-07-28"), "{lost:?}");
    // Where the old revision is given up, nobody can stay with it.
    let found = compare(&old, &lock(&[(NOW, at_new)])).unwrap();
    assert_eq!(found.tools[0].changes[0].effect, BreaksCallers);
    // And one that is as the others is as safe as they.
    let found = compare(&old, &lock(&[(Revision::V2025_11_25, &[plain]), (NOW, &[plain])])).unwrap();
    assert_eq!((found.effect(), found.unchanged), (Safe, 1));
}

#[test]
fn a_tool_is_compared_revision_by_revision() {
    let (plain, typed) = (tool("outputSchema", ""), tool("outputSchema", r#"{"type":"object"}"#));
    let old = lock(&[(Revision::V2025_03_26, &[&plain]), (Revision::V2025_06_18, &[&typed]), (NOW, &[&typed])]);
    let new = lock(&[(Revision::V2025_03_26, &[&plain]), (Revision::V2025_06_18, &[&plain]), (NOW, &[&typed])]);
    let found = compare(&old, &new).unwrap();
    assert_eq!(found.tools.len(), 1);
    assert_eq!(found.tools[0].revisions, [Revision::V2025_06_18]);
    assert_eq!(changes(&found), [(ChangeKind::SchemaRemoved, "", BreaksCallers)]);
}

#[test]
fn of_two_servers_nothing_is_said() {
    let one = lock(&[(NOW, &[])]);
    let mut other = one.clone();
    other.server.name = "other".to_owned();
    assert!(matches!(compare(&one, &other), Err(CompareError::OtherServer { .. })));
}
