//! What exact JSON promises, as properties of generated texts and values; `extremes` has what a peer can send at worst.

mod extremes;
mod generate;
mod oracle;

use generate::{any_json, any_lexeme, any_text, nearly_json, similar_json, similar_object};
use mcp_compat_json::{DifferenceKind, InexactReason, Json, Number, minify};
use oracle::{compare_written_out, equal_by_definition, integer_written_out, lexemes, reordered, repeats_a_key};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn number(lexeme: &str) -> Number {
    Number::parse(lexeme).unwrap_or_else(|| panic!("{lexeme} is a number"))
}

proptest! {
    #[test]
    fn writing_and_reading_gives_the_same_value_with_the_same_lexemes(value in any_json()) {
        let text = value.to_compact();
        let again = json(&text);
        prop_assert_eq!(&again, &value);
        prop_assert_eq!(lexemes(&again), lexemes(&value));
        prop_assert_eq!(again.to_compact(), text);
    }

    #[test]
    fn serde_json_carries_a_value_through_unchanged(value in any_json()) {
        let text = serde_json::to_string(&vec![&value]).unwrap();
        prop_assert_eq!(&text, &format!("[{value}]"));
        let again: Vec<Json> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(again[0].to_compact(), value.to_compact());
    }

    #[test]
    fn what_is_json_is_what_serde_json_takes_for_it(text in nearly_json()) {
        let raw = serde_json::from_str::<Box<RawValue>>(&text);
        let ours = Json::parse(&text);
        prop_assert_eq!(ours.is_ok(), raw.is_ok(), "ours: {:?}, serde_json: {:?}", ours, raw);
        prop_assert_eq!(minify(&text).is_ok(), ours.is_ok());
        prop_assert_eq!(&Json::parse_bytes(text.as_bytes()), &ours);
        if let Err(error) = ours {
            prop_assert!(text.is_char_boundary(error.offset));
            prop_assert!(error.line_column(&text) >= (1, 1));
        }
    }

    #[test]
    fn strings_are_read_as_serde_json_reads_them((text, _) in any_text()) {
        if let (Ok(theirs), Json::String(ours)) = (serde_json::from_str::<String>(&text), json(&text)) {
            prop_assert_eq!(ours.as_str(), Some(theirs.as_str()));
        }
    }

    #[test]
    fn minifying_takes_out_white_space_between_tokens_only((text, minified) in any_text()) {
        prop_assert_eq!(&minify(&text).unwrap(), &minified);
        prop_assert_eq!(&minify(&minified).unwrap(), &minified);
        prop_assert_eq!(json(&text), json(&minified));
    }

    #[test]
    fn numbers_compare_as_they_do_when_written_out(one in any_lexeme(), other in any_lexeme()) {
        prop_assert_eq!(number(&one).cmp(&number(&other)), compare_written_out(&one, &other));
        prop_assert_eq!(number(&one).as_i64(), integer_written_out(&one));
    }

    #[test]
    fn numbers_that_are_close_compare_as_they_do_when_written_out(
        one in "-?(0|[1-9][0-9]?)(\\.[01]{1,3})?(e-?[0-3])?",
        other in "-?(0|[1-9][0-9]?)(\\.[01]{1,3})?(e-?[0-3])?",
    ) {
        let (first, second) = (number(&one), number(&other));
        prop_assert_eq!(first.cmp(&second), compare_written_out(&one, &other));
        prop_assert_eq!(first.is_integer(), integer_written_out(&one).is_some());
        prop_assert_eq!(first.as_i64(), integer_written_out(&one));
    }

    #[test]
    fn a_common_exponent_of_any_length_changes_no_order(
        one in "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,4})?",
        other in "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,4})?",
        exponent in "-?[0-9]{1,60}",
    ) {
        let scaled = |mantissa: &str| number(&format!("{mantissa}e{exponent}"));
        prop_assert_eq!(scaled(&one).cmp(&scaled(&other)), number(&one).cmp(&number(&other)));
    }

    #[test]
    fn the_spelling_of_a_number_does_not_matter(digits in "[1-9][0-9]{0,30}", zeros in 0..50_usize, exponent in -1000..1000_i64) {
        let plain = number(&format!("{digits}e{exponent}"));
        let (zeros, count) = ("0".repeat(zeros), zeros as i64);
        let length = digits.len() as i64;
        prop_assert_eq!(&number(&format!("{digits}{zeros}E{}", exponent - count)), &plain);
        prop_assert_eq!(&number(&format!("0.{zeros}{digits}{zeros}e{}", exponent + count + length)), &plain);
        prop_assert_ne!(&number(&format!("{digits}.{zeros}1e{exponent}")), &plain);
    }

    #[test]
    fn equality_is_what_it_is_defined_as(one in similar_json(), other in similar_json()) {
        prop_assert_eq!(one == other, equal_by_definition(&one, &other));
        prop_assert_eq!(other == one, one == other);
        prop_assert!(one == one.clone());
    }

    #[test]
    fn objects_are_equal_when_they_are_defined_to_be(one in similar_object(), other in similar_object()) {
        prop_assert_eq!(one == other, equal_by_definition(&one, &other));
        prop_assert_eq!(one.first_difference(&other).is_none(), one == other);
        prop_assert_eq!(one.as_object() == other.as_object(), one == other);
    }

    #[test]
    fn equality_is_transitive(values in vec(similar_json(), 12)) {
        for one in &values {
            for other in values.iter().filter(|other| *other == one) {
                prop_assert!(values.iter().all(|third| (third == one) == (third == other)));
            }
        }
    }

    #[test]
    fn the_order_of_keys_does_not_matter(value in any_json(), similar in similar_json(), seed in any::<u64>()) {
        prop_assert_eq!(&reordered(&value, seed), &value);
        prop_assert_eq!(&reordered(&similar, seed), &similar);
    }

    #[test]
    fn a_difference_is_found_where_there_is_one(one in similar_json(), other in similar_json()) {
        prop_assert_eq!(one.first_difference(&other).is_none(), one == other);
        let Some(difference) = one.first_difference(&other) else { return Ok(()) };
        prop_assert!(!difference.to_string().is_empty());
        if repeats_a_key(&one) || repeats_a_key(&other) {
            return Ok(());
        }
        let (expected, found) = (one.pointer(&difference.pointer), other.pointer(&difference.pointer));
        match difference.kind {
            DifferenceKind::Missing => prop_assert!(expected.is_some() && found.is_none()),
            DifferenceKind::Unexpected => prop_assert!(expected.is_none() && found.is_some()),
            DifferenceKind::Kind { expected: one, found: other } => {
                prop_assert_eq!((expected.unwrap().kind(), found.unwrap().kind()), (one, other));
            }
            DifferenceKind::Value { expected: one, found: other } => {
                prop_assert_eq!((expected.unwrap().to_compact(), found.unwrap().to_compact()), (one, other));
            }
            DifferenceKind::Length { expected: one, found: other } => {
                let length = |value: Option<&Json>| value.and_then(Json::as_array).map(<[Json]>::len);
                prop_assert_eq!((length(expected), length(found)), (Some(one), Some(other)));
            }
            DifferenceKind::Repeats { .. } => prop_assert!(false, "no key repeats"),
        }
    }

    #[test]
    fn to_value_gives_an_equal_value_or_refuses(value in any_json()) {
        match value.to_value() {
            Ok(theirs) => {
                prop_assert_eq!(Json::from(&theirs), value.clone());
                prop_assert_eq!(json(&theirs.to_string()), value);
            }
            Err(inexact) if inexact.reason == InexactReason::Number && !repeats_a_key(&value) => {
                prop_assert!(matches!(value.pointer(&inexact.pointer), Some(Json::Number(_))));
            }
            Err(_) => {}
        }
    }

    #[test]
    fn what_serde_json_holds_comes_back_from_to_value(integer in any::<i64>(), natural in any::<u64>(), double in any::<f64>()) {
        let mut values = vec![Value::from(integer), Value::from(natural)];
        values.extend(serde_json::Number::from_f64(double).map(Value::Number));
        for value in values {
            prop_assert_eq!(Json::from(&value).to_value(), Ok(value));
        }
    }
}
