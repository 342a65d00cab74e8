//! The changes that servers make most: each is told as the one change that it is, with a value that shows it.

use rstest::rstest;

use super::*;

/// A schema with one property.
fn with(property: &str, required: &str) -> String {
    format!(r#"{{"type":"object","properties":{{"name":{property}}},"required":[{required}]}}"#)
}

/// Returns the kind, the place, the effect and the words of each change.
fn told(comparison: &Comparison) -> Vec<(ChangeKind, &str, Effect, &str)> {
    let all = comparison.all_changes();
    all.map(|change| (change.kind, change.pointer.as_str(), change.effect, change.what.as_str())).collect()
}

/// The values that show a break, with what the other schema has against them.
fn witnesses(comparison: &Comparison) -> Vec<(String, &str)> {
    let shown = comparison.all_changes().filter_map(|change| change.witness.as_ref());
    shown.map(|witness| (witness.value.to_compact(), witness.message.as_str())).collect()
}

const TEXT: &str = r#"{"type":"string","title":"Name"}"#;
const OPTIONAL: &str = r#"{"anyOf":[{"type":"string"},{"type":"null"}],"title":"Name"}"#;

#[test]
fn a_type_that_became_a_choice_is_one_change() {
    let (old, new) = (with(TEXT, r#""name""#), with(OPTIONAL, r#""name""#));
    let became = r#"`type` "string" became `anyOf` [{"type":"string"},{"type":"null"}]"#;
    let found = compared("outputSchema", &old, &new);
    assert_eq!(told(&found), [(ChangeKind::Type, "/properties/name", BreaksCallers, became)]);
    assert_eq!(witnesses(&found), [(r#"{"name":null}"#.to_owned(), r#"null is not of type "string""#)]);
    let found = compared("inputSchema", &old, &new);
    assert_eq!(told(&found), [(ChangeKind::Type, "/properties/name", Safe, became)]);
    // And back.
    let became = r#"`anyOf` [{"type":"string"},{"type":"null"}] became `type` "string""#;
    let found = compared("outputSchema", &new, &old);
    assert_eq!(told(&found), [(ChangeKind::Type, "/properties/name", Safe, became)]);
    let found = compared("inputSchema", &new, &old);
    assert_eq!(told(&found), [(ChangeKind::Type, "/properties/name", BreaksCallers, became)]);
    assert_eq!(witnesses(&found), [(r#"{"name":null}"#.to_owned(), r#"null is not of type "string""#)]);
}

#[test]
fn a_default_that_comes_with_a_choice_is_a_change_of_its_own() {
    let new = with(&OPTIONAL.replacen('{', r#"{"default":null,"#, 1), "");
    let found = compared("outputSchema", &with(TEXT, r#""name""#), &new);
    let effects = [
        (ChangeKind::Type, "/properties/name", BreaksCallers),
        (ChangeKind::RequiredRemoved, "/required", BreaksCallers),
        (ChangeKind::Default, "/properties/name/default", Safe),
    ];
    assert_eq!(changes(&found), effects);
}

const BOTH: &str = r#"{"anyOf":[{"type":"array","items":{"type":"string"},"minItems":1},{"type":"null"}]}"#;

/// Keywords that moved into a branch belong to the change; others do not.
#[rstest]
#[case::with_what_moved(
    r#"{"type":"array","items":{"type":"string"},"minItems":1}"#,
    BOTH,
    &[("", "`type`, `items` and `minItems` became `anyOf` [")]
)]
#[case::with_what_was_dropped(
    r#"{"type":"array","items":{"type":"string"},"maxItems":4,"minItems":1}"#,
    BOTH,
    &[("", "`type`, `items` and `minItems` became"), ("/maxItems", "`maxItems` removed: it was 4")]
)]
#[case::one_of(
    r#"{"type":"string","format":"uri"}"#,
    r#"{"oneOf":[{"type":"string","format":"uri"},{"type":"null"}]}"#,
    &[("", r#"`type` "string" and `format` "uri" became `oneOf`"#)]
)]
#[case::reference(
    r##"{"$ref":"#/$defs/A"}"##,
    r##"{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}"##,
    &[("", r##"`$ref` "#/$defs/A" became `anyOf`"##)]
)]
#[case::literals(r#"{"type":"string","const":"a"}"#, r#"{"type":"string","enum":["a","b"]}"#,
    &[("", r#"`const` "a" became `enum` ["a","b"]"#)]
)]
#[case::any_became_one(
    r#"{"anyOf":[{"type":"string"}]}"#,
    r#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#,
    &[("", r#"`anyOf` [{"type":"string"}] became `oneOf`"#)]
)]
fn keywords_that_change_together_are_one_change(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &[(&str, &str)],
) {
    let of = |property: &str| {
        format!(
            r#"{{"type":"object","properties":{{"name":{property}}},"required":["name"],
                "$defs":{{"A":{{"type":"object","properties":{{"a":{{"type":"integer"}}}}}}}}}}"#
        )
    };
    let found = compared("outputSchema", &of(old), &of(new));
    let told = told(&found);
    assert_eq!(told.len(), expected.len(), "{found:?}");
    for (under, begin) in expected {
        let place = format!("/properties/name{under}");
        assert!(told.iter().any(|(_, at, _, what)| *at == place && what.starts_with(begin)), "{begin}: {told:?}");
    }
    let first = found.all_changes().next().unwrap();
    assert_eq!((first.effect, first.pointer.as_str()), (BreaksCallers, "/properties/name"), "{found:?}");
    assert!(first.witness.is_some() && first.why.is_none(), "{first:?}");
}

/// Keywords that came and went for reasons of their own are told apart.
#[rstest]
#[case::limit_for_limit(r#"{"type":"string","minLength":1}"#, r#"{"type":"string","maxLength":9}"#)]
#[case::limit_for_choice(r#"{"type":"string","minLength":1}"#, r#"{"type":"string","anyOf":[{"maxLength":9}]}"#)]
#[case::type_for_limit(r#"{"type":"string"}"#, r#"{"minLength":1}"#)]
fn keywords_that_have_nothing_to_do_with_one_another_are_two_changes(#[case] old: &str, #[case] new: &str) {
    let found = compared("outputSchema", &with(old, ""), &with(new, ""));
    assert_eq!(found.all_changes().count(), 2, "{found:?}");
}

/// A parameter within another one is still missed where the branch does not have it, and so is its default.
#[rstest]
#[case::gone(r#"{"properties":{"a":{"type":"string"}}}"#, ChangeKind::PropertyRemoved)]
#[case::without_its_default(r#"{"properties":{"a":{"type":"string"},"b":{}}}"#, ChangeKind::PropertyRemoved)]
fn what_a_choice_leaves_out_is_missed(#[case] branch: &str, #[case] kind: ChangeKind) {
    let old = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"default":1}}}"#;
    let new = |branch: &str| format!(r#"{{"anyOf":[{branch},{{"type":"null"}}]}}"#);
    let found = compared("inputSchema", &with(old, ""), &with(&new(branch), ""));
    assert_eq!(found.effect(), BreaksSomeClients, "{found:?}");
    assert!(found.all_changes().any(|change| change.kind == kind), "{found:?}");
    // As a whole, it only moved.
    let found = compared("inputSchema", &with(old, ""), &with(&new(old), ""));
    let became: Vec<_> =
        told(&found).into_iter().map(|(.., effect, what)| (effect, what.contains(" became "))).collect();
    assert_eq!(became, [(Safe, true)], "{found:?}");
}

/// A value that one change allows may break another promise as well. It is shown with the other changes made.
#[test]
fn each_of_two_changes_that_break_is_shown_by_a_value_of_the_new_schema() {
    let of = |kind: &str| {
        format!(
            r#"{{"type":"object","properties":{{"a":{{"type":"{kind}"}},"b":{{"type":"{kind}"}}}},"required":["a","b"]}}"#
        )
    };
    let found = compared("outputSchema", &of("string"), &of("integer"));
    let both = [("/properties/a/type", BreaksCallers), ("/properties/b/type", BreaksCallers)];
    let is: Vec<_> = found.all_changes().map(|change| (change.pointer.as_str(), change.effect)).collect();
    assert_eq!(is, both, "{found:?}");
    for change in found.all_changes() {
        let value = &change.witness.as_ref().unwrap().value;
        let takes = |schema: &str| mcp_compat_schema::inclusion::check(&json(schema), value);
        assert_eq!(takes(&of("integer")), mcp_compat_schema::inclusion::Conformance::Conforms, "{change:?}");
    }
}

#[test]
fn of_changes_that_break_only_together_nobody_says_that_one_would() {
    let old = r#"{"type":"object","properties":{"a":{"type":"integer","maximum":3,"exclusiveMaximum":4}}}"#;
    let found = compared("outputSchema", old, r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#);
    let together = found.all_changes().next().unwrap();
    let why = "no single change explains the break";
    assert_eq!((together.kind, together.why.as_deref()), (ChangeKind::Together, Some(why)));
}

/// A default that is gone is no less of a change than another one. A new one takes nothing away.
#[rstest]
#[case::another(r#","default":1"#, r#","default":2"#, BreaksSomeClients, "callers that omit it get another value")]
#[case::gone(
    r#","default":1"#,
    "",
    BreaksSomeClients,
    "callers that omit it may get another value; the schema no longer names one"
)]
#[case::new("", r#","default":1"#, Safe, "the old schema named no value for callers that omit it")]
fn a_default_is_a_promise(#[case] old: &str, #[case] new: &str, #[case] effect: Effect, #[case] why: &str) {
    let of = |default: &str| format!(r#"{{"type":"object","properties":{{"n":{{"type":"integer"{default}}}}}}}"#);
    let found = compared("inputSchema", &of(old), &of(new));
    assert_eq!(changes(&found), [(ChangeKind::Default, "/properties/n/default", effect)]);
    assert_eq!(found.all_changes().next().unwrap().why.as_deref(), Some(why));
    assert_eq!(compared("outputSchema", &of(old), &of(new)).effect(), Safe);
}

#[test]
fn a_default_that_nobody_gets_or_that_is_null_promises_nothing() {
    let of = |default: &str, more: &str| {
        format!(r#"{{"type":"object","properties":{{"n":{{"type":["integer","null"]{default}}}}}{more}}}"#)
    };
    let effect = |old: &str, new: &str, more: &str| compared("inputSchema", &of(old, more), &of(new, more)).effect();
    let (one, two, null, required) =
        (r#","default":1"#, r#","default":2"#, r#","default":null"#, r#","required":["n"]"#);
    assert_eq!([effect(one, "", ""), effect(one, two, "")], [BreaksSomeClients; 2]);
    assert_eq!([effect(one, "", required), effect(one, two, required), effect(null, "", "")], [Safe; 3]);
}

/// `additionalProperties: true` means the same as no `additionalProperties`.
#[rstest]
#[case("")]
#[case(r#","additionalProperties":true"#)]
#[case(r#","additionalProperties":{}"#)]
fn open_in_so_many_words_is_as_open(#[case] open: &str) {
    let a = r#""a":{"type":"string"}"#;
    let of = |properties: &str, more: &str| format!(r#"{{"type":"object","properties":{{{properties}}}{more}}}"#);
    let within = |inner: &str| of(&format!(r#""in":{{"anyOf":[{inner},{{"type":"null"}}]{open}}}"#), open);
    let q = format!(r#"{a},"q":{{"type":"string"}}"#);
    for (properties, more, effect) in [
        (q.as_str(), open.to_owned(), Safe),
        (q.as_str(), format!(r#"{open},"required":["q"]"#), BreaksCallers),
        (q.as_str(), r#","additionalProperties":false"#.to_owned(), BreaksSomeClients),
        (a, r#","additionalProperties":false"#.to_owned(), BreaksSomeClients),
        (r#""a":{"type":"null"}"#, open.to_owned(), BreaksCallers),
    ] {
        let (old, new) = (of(a, open), of(properties, &more));
        assert_eq!(compared("inputSchema", &old, &new).effect(), effect, "{old} -> {new}");
        let (old, new) = (within(&old), within(&new));
        assert_eq!(compared("inputSchema", &old, &new).effect(), effect, "{old} -> {new}");
    }
    // What a map holds is declared by nobody, in either spelling.
    let map = |map: &str| of(&format!(r#""map":{map}"#), "");
    let found = compared("inputSchema", &map(&format!(r#"{{"type":"object"{open}}}"#)), &map(&of(a, open)));
    assert_eq!(found.effect(), BreaksCallers, "{found:?}");
    // And what further properties must be is a declaration.
    let typed = of(a, r#","additionalProperties":{"type":"string"}"#);
    assert_eq!(compared("inputSchema", &typed, &of(r#""q":{"type":"integer"}"#, open)).effect(), BreaksCallers);
}

#[test]
fn what_not_forbids_is_shown_as_it_is_written() {
    let (old, new) = (with(r#"{"type":"string"}"#, ""), with(r#"{"type":"string","not":{"const":"root"}}"#, ""));
    let message = r#""root" matches {"const":"root"}, which `not` forbids"#;
    let value = r#"{"name":"root"}"#.to_owned();
    assert_eq!(witnesses(&compared("inputSchema", &old, &new)), [(value.clone(), message)]);
    assert_eq!(witnesses(&compared("outputSchema", &new, &old)), [(value.clone(), message)]);
    // By a reference, and where only the whole shows it.
    let referred = |property: &str| {
        format!(r##"{{"type":"object","properties":{{"name":{{"$ref":"#/$defs/N"}}}},"$defs":{{"N":{property}}}}}"##)
    };
    let found = compared(
        "inputSchema",
        &referred(r#"{"type":"string"}"#),
        &referred(r#"{"type":"string","not":{"const":"root"}}"#),
    );
    assert_eq!(witnesses(&found), [(value, message)]);
}

/// A property that is gone from a result is missed where it had to be there; else it may be anything.
#[rstest]
#[case::required(r#""a","b""#, r#""a""#, r#"property "b" removed: it may be missing now"#, r#"{"a":0}"#)]
#[case::optional(
    r#""a""#,
    r#""a""#,
    r#"property "b" removed: it no longer has to be of type "string""#,
    r#"{"a":0,"b":0}"#
)]
fn a_property_of_a_result_that_is_gone_is_said_to_be(
    #[case] was: &str,
    #[case] is: &str,
    #[case] what: &str,
    #[case] value: &str,
) {
    let a = r#""a":{"type":"integer"}"#;
    let of = |properties: &str, required: &str| {
        format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#)
    };
    let both = format!(r#"{a},"b":{{"type":"string"}}"#);
    for a_is in [a, r#""a":{"type":"integer","title":"A"}"#] {
        let found = compared("outputSchema", &of(&both, was), &of(a_is, is));
        let removed = (ChangeKind::PropertyRemoved, "/properties/b", BreaksCallers, what);
        assert_eq!(told(&found)[0], removed, "{found:?}");
        assert_eq!(found.all_changes().filter(|change| change.effect != Safe).count(), 1, "{found:?}");
        assert_eq!(witnesses(&found)[0].0, value);
    }
    // Nothing is missed where it cannot come back.
    let closed = of(a, &format!(r#"{is}],"additionalProperties":false,"examples":["#));
    let found = compared("outputSchema", &of(&both, r#""a""#), &closed);
    assert_eq!(found.effect(), Safe, "{found:?}");
    assert!(told(&found).iter().any(|(.., what)| *what == r#"property "b" removed"#), "{found:?}");
}

#[test]
fn a_property_that_is_gone_is_missed_whatever_else_changed() {
    let old = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}"#;
    let found =
        compared("outputSchema", old, r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#);
    let removed = found.all_changes().find(|change| change.kind == ChangeKind::PropertyRemoved).unwrap();
    assert_eq!((removed.effect, removed.what.ends_with("it may be missing now")), (BreaksCallers, true), "{found:?}");
    assert_eq!(removed.witness.as_ref().unwrap().message, r#""b" is a required property"#);
    assert_eq!(found.all_changes().count(), 2, "{found:?}");
}

#[test]
fn a_parameter_that_is_gone_and_no_longer_required_is_one_change() {
    let old = r#"{"type":"object","properties":{"a":true,"b":{"type":"string"}},"required":["b"]}"#;
    let found = compared("inputSchema", old, r#"{"type":"object","properties":{"a":true}}"#);
    let removed = (ChangeKind::PropertyRemoved, "/properties/b", BreaksSomeClients, r#"property "b" removed"#);
    assert_eq!(told(&found), [removed]);
    // A name that stays required is told of apart.
    let found = compared("outputSchema", old, r#"{"type":"object","properties":{"a":true},"required":["b"]}"#);
    let what = r#"property "b" removed: it no longer has to be of type "string""#;
    assert_eq!(told(&found), [(ChangeKind::PropertyRemoved, "/properties/b", BreaksCallers, what)]);
}
