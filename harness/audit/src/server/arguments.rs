//! Arguments for a call, from the values that an `inputSchema` offers: examples, defaults, constants, enum values.
//!
//! No value is invented unless the user asks for it: a tool may reject an invented path or name, and a rejected call
//! shows nothing about results.

use mcp_compat_json::{Json, Object};
use mcp_compat_schema::inclusion::{Conformance, check};

use mcp_compat_author::capture::made_up::{examples, object_of};

/// Reason why a schema gives no arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoArguments {
    /// It offers no value for these required properties.
    MissingValues(Vec<String>),
    /// The values that it offers do not conform to it.
    Inconsistent(String),
}

/// The arguments that a definition offers, as a JSON object.
///
/// # Errors
/// When a required property offers no value, or the offered values do not conform.
pub(super) fn offered(definition: &Json) -> Result<Json, NoArguments> {
    arguments(definition, false)
}

/// As [`offered`], with the simplest value of its type for each required property that offers none. Of alternatives,
/// the first that has a value is taken.
///
/// # Errors
/// When a required property declares no type, or the arguments do not conform: a `pattern`, for instance, is not guessed.
pub(super) fn guessed(definition: &Json) -> Result<Json, NoArguments> {
    arguments(definition, true)
}

/// Returns whether a tool has any parameter, by its definition.
pub(super) fn takes_arguments(definition: &str) -> bool {
    const SAY_NOTHING: [&str; 8] =
        ["$schema", "$id", "type", "title", "description", "additionalProperties", "required", "properties"];
    let Some(schema) = Json::parse(definition).ok().and_then(|definition| definition.get("inputSchema").cloned())
    else {
        return false;
    };
    let has_members = |key: &str| schema.get(key).and_then(Json::as_object).is_some_and(|object| !object.is_empty());
    let says_more = |key: &str| !SAY_NOTHING.contains(&key);
    has_members("properties")
        || has_members("additionalProperties")
        || schema.as_object().into_iter().flat_map(Object::iter).any(|(key, _)| key.as_str().is_none_or(says_more))
}

/// Violation of the `inputSchema` of a tool by the arguments of a call. `None` if there is none, or if that cannot be
/// decided.
pub(super) fn does_not_conform(definition: &str, arguments: &str) -> Option<String> {
    let (definition, arguments) = (Json::parse(definition).ok()?, Json::parse(arguments).ok()?);
    match check(definition.get("inputSchema")?, &arguments) {
        Conformance::Violates { message, .. } => Some(message),
        Conformance::Conforms | Conformance::Undecided { .. } => None,
    }
}

fn arguments(definition: &Json, guesses: bool) -> Result<Json, NoArguments> {
    let empty = Json::Object(Object::new());
    let Some(schema) = definition.get("inputSchema").filter(|schema| schema.as_object().is_some()) else {
        return Ok(empty);
    };
    if let Some(example) = examples(schema).find(|example| conforms(schema, example)) {
        return Ok(example.clone());
    }
    let arguments = object_of(schema, guesses).map_err(NoArguments::MissingValues)?;
    match check(schema, &arguments) {
        Conformance::Violates { message, .. } => Err(NoArguments::Inconsistent(message)),
        // If that is undecided, the server decides.
        Conformance::Conforms | Conformance::Undecided { .. } => Ok(arguments),
    }
}

fn conforms(schema: &Json, value: &Json) -> bool {
    value.as_object().is_some() && !matches!(check(schema, value), Conformance::Violates { .. })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn of(schema: &str) -> Result<String, NoArguments> {
        let definition = Json::parse(&format!(r#"{{"name":"a","inputSchema":{schema}}}"#)).unwrap();
        offered(&definition).map(|arguments| arguments.to_compact())
    }

    #[rstest]
    #[case::nothing_is_required(r#"{"type":"object","properties":{"n":{"type":"string"}}}"#, "{}")]
    #[case::an_example_of_all(r#"{"type":"object","required":["n"],"examples":[{"n":1}]}"#, r#"{"n":1}"#)]
    #[case::an_example_of_one(
        r#"{"type":"object","required":["n"],"properties":{"n":{"type":"string","examples":["x"]}}}"#,
        r#"{"n":"x"}"#
    )]
    #[case::a_default(r#"{"type":"object","required":["n"],"properties":{"n":{"default":7}}}"#, r#"{"n":7}"#)]
    #[case::a_constant(r#"{"type":"object","required":["n"],"properties":{"n":{"const":null}}}"#, r#"{"n":null}"#)]
    #[case::the_first_of_a_few(
        r#"{"type":"object","required":["n"],"properties":{"n":{"enum":["a","b"]}}}"#,
        r#"{"n":"a"}"#
    )]
    #[case::within_an_object(
        r#"{"type":"object","required":["o"],"properties":{"o":{"type":"object","required":["n"],"properties":{"n":{"default":1}}}}}"#,
        r#"{"o":{"n":1}}"#
    )]
    fn what_a_schema_offers_is_taken(#[case] schema: &str, #[case] arguments: &str) {
        assert_eq!(of(schema), Ok(arguments.to_owned()));
    }

    #[rstest]
    #[case::a_text(r#"{"type":"string"}"#, r#""example""#)]
    #[case::a_short_text(r#"{"type":"string","maxLength":2}"#, r#""ex""#)]
    #[case::a_long_text(r#"{"type":"string","minLength":9}"#, r#""exampleex""#)]
    #[case::a_date(r#"{"type":"string","format":"date"}"#, r#""2026-01-01""#)]
    #[case::a_number(r#"{"type":"integer"}"#, "1")]
    #[case::a_number_from_a_bound_on(r#"{"type":"integer","minimum":10}"#, "10")]
    #[case::a_number_above_a_bound(r#"{"type":"number","exclusiveMinimum":4}"#, "5")]
    #[case::a_number_below_a_bound(r#"{"type":"integer","maximum":-3}"#, "-3")]
    #[case::yes_or_no(r#"{"type":"boolean"}"#, "false")]
    #[case::a_list(r#"{"type":"array","items":{"type":"string"}}"#, "[]")]
    #[case::a_list_of_some(r#"{"type":"array","minItems":2,"items":{"type":"integer"}}"#, "[1,1]")]
    #[case::an_object(r#"{"type":"object","required":["m"],"properties":{"m":{"type":"null"}}}"#, r#"{"m":null}"#)]
    fn a_guess_is_the_simplest_value_that_conforms(#[case] property: &str, #[case] value: &str) {
        let schema = format!(r#"{{"type":"object","required":["n"],"properties":{{"n":{property}}}}}"#);
        let definition = Json::parse(&format!(r#"{{"name":"a","inputSchema":{schema}}}"#)).unwrap();
        assert_eq!(guessed(&definition).unwrap().to_compact(), format!(r#"{{"n":{value}}}"#));
    }

    #[rstest]
    #[case::a_pattern(r#"{"type":"string","pattern":"^[0-9]+$"}"#)]
    #[case::no_type("{}")]
    #[case::a_huge_list(r#"{"type":"array","minItems":1000000000}"#)]
    fn what_cannot_be_guessed_is_left(#[case] property: &str) {
        let schema = format!(r#"{{"type":"object","required":["n"],"properties":{{"n":{property}}}}}"#);
        let definition = Json::parse(&format!(r#"{{"name":"a","inputSchema":{schema}}}"#)).unwrap();
        assert!(guessed(&definition).is_err());
    }

    #[rstest]
    #[case::none(r#"{"name":"a","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}"#, false)]
    #[case::no_schema(r#"{"name":"a"}"#, false)]
    #[case::an_optional_one(r#"{"name":"a","inputSchema":{"type":"object","properties":{"n":{}}}}"#, true)]
    #[case::by_reference(r##"{"name":"a","inputSchema":{"$ref":"#/$defs/n"}}"##, true)]
    fn a_tool_takes_arguments_if_it_declares_any(#[case] definition: &str, #[case] takes: bool) {
        assert_eq!(takes_arguments(definition), takes);
    }

    #[rstest]
    #[case::a_misspelt_name(r#"{"pth":"/"}"#, Some("path"))]
    #[case::another_type(r#"{"path":7}"#, Some("string"))]
    #[case::what_it_wants(r#"{"path":"/"}"#, None)]
    fn arguments_are_held_against_the_schema(#[case] arguments: &str, #[case] said: Option<&str>) {
        let definition = r#"{"name":"a","inputSchema":{"type":"object","required":["path"],
            "properties":{"path":{"type":"string"}}}}"#;
        let problem = does_not_conform(definition, arguments);
        assert_eq!(problem.is_some(), said.is_some(), "{problem:?}");
        assert!(problem.unwrap_or_default().contains(said.unwrap_or_default()));
        assert_eq!(does_not_conform(r#"{"name":"a"}"#, arguments), None, "there is nothing to hold them against");
    }

    #[test]
    fn nothing_is_made_up() {
        let path = r#"{"type":"object","required":["path","o"],"properties":{"path":{"type":"string"},
            "o":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}}"#;
        assert_eq!(of(path), Err(NoArguments::MissingValues(vec!["path".to_owned(), "o.id".to_owned()])));
        let undescribed = r#"{"type":"object","required":["n"]}"#;
        assert_eq!(of(undescribed), Err(NoArguments::MissingValues(vec!["n".to_owned()])));
        let wrong = r#"{"type":"object","required":["n"],"properties":{"n":{"type":"string","default":7}}}"#;
        assert!(matches!(of(wrong), Err(NoArguments::Inconsistent(_))));
        let example = r#"{"type":"object","required":["n"],"examples":[{"m":1}],"properties":{"n":{"default":7}}}"#;
        assert_eq!(of(example), Ok(r#"{"n":7}"#.to_owned()), "an example that does not conform is not used");
    }
}
