//! Patterns that each dialect accepts and refuses, as Node 20 (`new RegExp(pattern, "u")`) and Python 3.11 (`re.compile`) answered.

use rstest::rstest;
use serde_json::{Value, json};

use super::PatternDialect::{Ecma262, Python};
use super::*;
use crate::validator::{Draft, Options};

/// Returns whether a text matches, or `None` if the pattern is refused.
fn matches(dialect: PatternDialect, pattern: &str, text: &str) -> Option<bool> {
    let of = |draft: Draft| {
        let options = Options { patterns: Some(dialect), draft: Some(draft), ..Options::default() };
        let compiled = options.compile(&json!({"pattern": pattern}));
        match compiled {
            Ok(validator) => Some(validator.validate(&json!(text)).is_ok()),
            Err(error) => {
                let refused = error.kind == crate::validator::ViolationKind::Pattern;
                if refused { None } else { panic!("{error}: {:?}", dialect.translate(pattern)) }
            }
        }
    };
    let found = of(Draft::Draft202012);
    assert_eq!(found, of(Draft::Draft7), "{pattern} as draft-07");
    found
}

/// A line of `patterns.json`: a pattern, and for each text the answers of the engines. `null` where the pattern is refused.
#[test]
fn the_dialects_answer_as_the_engines_do() {
    let table: Value = serde_json::from_str(include_str!("patterns.json")).unwrap();
    let mut wrong = Vec::new();
    for line in table.as_array().unwrap() {
        let (pattern, text) = (line["pattern"].as_str().unwrap(), line["text"].as_str().unwrap());
        for (dialect, expected) in [(Ecma262, line["ecma"].as_bool()), (Python, line["python"].as_bool())] {
            let found = std::panic::catch_unwind(|| matches(dialect, pattern, text)).unwrap_or_default();
            if found != expected {
                wrong.push(format!("{dialect:?} {pattern:?} on {text:?}: {found:?} in place of {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[rstest]
#[case::inline_flags("(?i)abc", Err(()), Ok(()))]
#[case::python_name("(?P<x>a)", Err(()), Ok(()))]
#[case::ecma_name(r"^(?<x>a)\k<x>$", Ok(()), Err(()))]
#[case::property(r"^\p{L}+$", Ok(()), Err(()))]
#[case::needless_escape(r"a\-b", Err(()), Ok(()))]
#[case::possessive("a++", Err(()), Ok(()))]
#[case::modifiers_of_2025("(?i:a)", Ok(()), Ok(()))]
#[case::name_of_a_character(r"\N{DIGIT ONE}", Err(()), Ok(()))]
fn a_pattern_may_be_valid_in_one_dialect_only(
    #[case] pattern: &str,
    #[case] ecma: Result<(), ()>,
    #[case] python: Result<(), ()>,
) {
    assert_eq!(Ecma262.check(pattern).map_err(drop), ecma);
    assert_eq!(Python.check(pattern).map_err(drop), python);
}

#[test]
fn a_violation_has_the_pattern_as_it_was() {
    let options = Options { patterns: Some(Ecma262), ..Options::default() };
    let schema = json!({"properties": {"id": {"pattern": r"^\d+$"}, "not": {"pattern": r"m\u0061t"}}, "patternProperties": {r"^\w\d$": {"type": "null"}}});
    let validator = options.compile(&schema).unwrap();
    let error = validator.validate(&json!({"id": "x"})).unwrap_err();
    assert_eq!(error.message, r#""x" does not match "^\d+$""#);
    let error = validator.validate(&json!({"a1": 1})).unwrap_err();
    assert_eq!(error.schema_pointer, r"/patternProperties/^\w\d$/type");
    let error = validator.validate(&json!({"not": "x mat"})).err();
    assert_eq!(error, None);
    let error = validator.validate(&json!({"not": "x"})).unwrap_err();
    assert_eq!(error.message, r#""x" does not match "m\u0061t""#, "other words stay");
}

#[test]
fn an_invalid_pattern_is_named_with_its_place() {
    let compile =
        |schema: &Value| Options { patterns: Some(Ecma262), ..Options::default() }.compile(schema).unwrap_err();
    let error = compile(&json!({"properties": {"a/b": {"pattern": "(?i)x"}}}));
    assert_eq!(
        (error.kind, error.instance_pointer.as_str()),
        (crate::validator::ViolationKind::Pattern, "/properties/a~1b/pattern")
    );
    let error = compile(&json!({"patternProperties": {"(": {}}}));
    assert_eq!(error.instance_pointer, "/patternProperties/(");
}

#[test]
fn a_pattern_in_data_is_no_pattern_and_a_hostile_one_has_an_end() {
    let options = || Options { patterns: Some(Ecma262), ..Options::default() };
    assert!(
        options().compile(&json!({"const": {"pattern": "("}, "properties": {"pattern": {"type": "string"}}})).is_ok()
    );
    let slow = options().compile(&json!({"pattern": r"^(?:(a+)+)+\1$"})).unwrap();
    assert!(slow.validate(&json!(format!("{}!", "a".repeat(40)))).is_err());
    for (dialect, open) in [(Ecma262, "("), (Python, "("), (Ecma262, "["), (Python, "(?:")] {
        assert!(dialect.translate(&open.repeat(15_000)).is_err());
    }
}
