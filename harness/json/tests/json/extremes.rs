//! The worst that a peer can send.

use super::{json, number};
use mcp_compat_json::{InexactReason, Json, JsonErrorKind, JsonString, MAX_DEPTH, MAX_VALUES, Number, Object, minify};
use serde::{Deserialize, Serialize};
use serde_json::Value;

fn inexact(text: &str) -> Option<(String, InexactReason)> {
    json(text).to_value().err().map(|inexact| (inexact.pointer, inexact.reason))
}

/// Runs a test with half the stack that threads have.
fn on_a_small_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(test);
    thread.expect("a thread can be started").join().expect("the test passes");
}

#[test]
fn the_greatest_depth_can_be_read_compared_written_and_dropped() {
    on_a_small_stack(|| {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"b":0,"a":"#, "}]")] {
            let levels = MAX_DEPTH / open.matches(['[', '{']).count();
            let nested = |leaf| format!("{}{leaf}{}", open.repeat(levels), close.repeat(levels));
            let (one, other) = (json(&nested("1")), json(&nested("2")));
            assert!(one != other && one == one.clone());
            assert_eq!(one.to_compact(), nested("1"));
            assert_eq!(minify(&nested(" 1 ")).unwrap(), nested("1"));
            let difference = one.first_difference(&other).unwrap();
            assert_eq!(one.pointer(&difference.pointer), Some(&1_i64.into()));
            assert_eq!(one.to_value().unwrap_err().reason, InexactReason::TooDeep);
            let carried: Json = serde_json::from_str(&serde_json::to_string(&one).unwrap()).unwrap();
            assert_eq!(carried, one);
        }
    });
}

#[test]
fn more_values_than_are_read_are_an_error_at_the_first_of_them() {
    let array = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
    assert_eq!(Json::parse(&array(MAX_VALUES)).unwrap().count_values(), MAX_VALUES);
    let error = Json::parse(&array(MAX_VALUES + 1)).unwrap_err();
    assert_eq!((error.kind, error.offset), (JsonErrorKind::TooManyValues, 1 + 2 * (MAX_VALUES - 1)));
}

#[test]
fn greater_depth_is_an_error_and_no_crash() {
    on_a_small_stack(|| {
        for open in ["[", r#"{"a":"#] {
            for levels in [MAX_DEPTH + 1, 1_000_000] {
                let error = Json::parse(&open.repeat(levels)).unwrap_err();
                assert_eq!((error.kind, error.offset), (JsonErrorKind::TooDeep, open.len() * MAX_DEPTH));
            }
            assert_eq!(Json::parse(&open.repeat(MAX_DEPTH)).unwrap_err().kind, JsonErrorKind::UnexpectedEnd);
        }
    });
}

#[test]
fn to_value_goes_as_deep_as_serde_json_reads() {
    for (levels, fits) in [(127, true), (128, false)] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let text = format!("{}0{}", open.repeat(levels), close.repeat(levels));
            assert_eq!(serde_json::from_str::<Value>(&text).is_ok(), fits);
            assert_eq!(json(&text).to_value().map(|value| Json::from(&value)).ok(), fits.then(|| json(&text)));
        }
    }
}

#[test]
fn exponents_too_great_to_write_out_compare_by_value() {
    let order = [
        "-1e999999999999999999999999999999999999999999",
        "-1e999999999",
        "-9.9e999999998",
        "-1",
        "-1e-999999999999999999999999999999999999999999",
        "0e999999999",
        "1e-999999999999999999999999999999999999999999",
        "1e-400",
        "9007199254740992",
        "9007199254740993",
        "123456789012345678901234567890",
        "123456789012345678901234567891",
        "1e400",
        "1e999999998",
        "1.0000000000000000000000000000000001e999999998",
        "1e999999999",
        "1e999999999999999999999999999999999999999999",
        "1e1000000000000000000000000000000000000000000",
    ];
    for (at, one) in order.iter().enumerate() {
        for (other_at, other) in order.iter().enumerate() {
            assert_eq!(number(one).cmp(&number(other)), at.cmp(&other_at), "{one} and {other}");
        }
    }
    let with_a_million_zeros = format!("1{}e-1000000", "0".repeat(1_000_000));
    assert_eq!(number(&with_a_million_zeros), number("1"));
    assert_eq!(number(&with_a_million_zeros).as_i64(), Some(1));
    assert_eq!(
        number("10e99999999999999999999999999999999999999"),
        number("1e100000000000000000000000000000000000000")
    );
}

#[test]
fn zeros_of_every_spelling_are_equal() {
    for zero in ["0", "-0", "0.0", "-0.000", "0e5", "0E-999999999999999999999999999999999999999", "-0.0e+0"] {
        assert_eq!(number(zero), number("0"), "{zero}");
        assert_eq!((number(zero).as_i64(), number(zero).as_u64()), (Some(0), Some(0)), "{zero}");
    }
}

#[test]
fn integers_are_given_at_the_edges_of_their_types_and_not_beyond() {
    assert_eq!(number("9223372036854775807").as_i64(), Some(i64::MAX));
    assert_eq!(number("9223372036854775808").as_i64(), None);
    assert_eq!(number("-9223372036854775808").as_i64(), Some(i64::MIN));
    assert_eq!(number("-9.223372036854775809e18").as_i64(), None);
    assert_eq!(number("18446744073709551615.0").as_u64(), Some(u64::MAX));
    assert_eq!(number("18446744073709551616").as_u64(), None);
    assert_eq!(number("-1").as_u64(), None);
    assert_eq!(number("0.5").as_i64(), None);
}

#[test]
fn only_a_number_parses_as_a_number() {
    for lexeme in ["", " 1", "1 ", "1,", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity", "\"1\""] {
        assert!(Number::parse(lexeme).is_none(), "{lexeme:?}");
    }
}

#[test]
fn to_value_refuses_what_serde_json_would_change() {
    let at = |pointer: &str, reason| Some((pointer.to_owned(), reason));
    assert_eq!(inexact(r#"{"a":[0,1e400]}"#), at("/a/1", InexactReason::Number));
    for lexeme in [
        "123456789012345678901234567890",
        "18446744073709551616",
        "-9223372036854775809",
        "1e-400",
        "0.1000000000000000055511151231257827",
    ] {
        assert_eq!(inexact(lexeme), at("", InexactReason::Number), "{lexeme}");
    }
    assert_eq!(inexact(r#"["\ud800"]"#), at("/0", InexactReason::LoneSurrogate));
    assert_eq!(inexact(r#"{"\udc00":1}"#), at("/\u{fffd}", InexactReason::LoneSurrogate));
    assert_eq!(inexact(r#"{"a":1,"b":{"a":1,"a":1}}"#), at("/b/a", InexactReason::DuplicateKey));
    for lexeme in
        ["9007199254740993", "18446744073709551615", "9007199254740993.0", "0.1", "1e300", "-0", "5e-324", "1e20"]
    {
        assert_eq!(inexact(lexeme), None, "{lexeme}");
    }
    assert_eq!(json("1.0").to_value(), Ok(Value::from(1.0)));
    let inexact = json("[1e400]").to_value().unwrap_err();
    assert_eq!(inexact.to_string(), "/0: a number that neither 64 bits nor a double hold exactly");
}

#[test]
fn duplicate_keys_are_kept_in_their_order() {
    let value = json(r#"{"a":1,"b":2,"a":3}"#);
    let object = value.as_object().unwrap();
    assert!(object.has_duplicates());
    assert_eq!(object.first_duplicate(), Some(&"a".into()));
    assert_eq!((object.len(), value.get("a")), (3, Some(&3_i64.into())));
    assert_eq!(object.get_all("a").collect::<Vec<_>>(), [&Json::from(1_i64), &Json::from(3_i64)]);
    assert_eq!(value.to_compact(), r#"{"a":1,"b":2,"a":3}"#);
    assert_eq!(value, json(r#"{"b":2,"a":1,"a":3}"#));
    assert_ne!(value, json(r#"{"b":2,"a":3,"a":1}"#));
    assert_ne!(value, json(r#"{"b":2,"a":3}"#));
    assert!(!json(r#"{"a":1,"b":2}"#).as_object().unwrap().has_duplicates());
}

#[test]
fn objects_of_many_members_compare_in_any_order() {
    let members = |order: &mut dyn Iterator<Item = i64>| -> Object {
        order.map(|at| (format!("key {at}"), Json::from(at))).collect()
    };
    let (one, other) = (members(&mut (0..100_000)), members(&mut (0..100_000).rev()));
    assert!(!one.has_duplicates());
    let (one, mut other) = (Json::from(one), other);
    // Comparing every key with every other would take minutes.
    assert_eq!(one, Json::from(other.clone()));
    other.push("one more", true);
    let difference = one.first_difference(&Json::from(other)).unwrap();
    assert_eq!(difference.to_string(), "/one more was not expected");
}

#[test]
fn surrogates_are_kept_alone_and_joined_in_pairs() {
    let lone = json(r#""a\uD83Db\ude00""#);
    assert_eq!(lone.as_str(), None);
    assert_eq!(lone.to_compact(), r#""a\ud83db\ude00""#);
    assert_eq!(lone, json(&lone.to_compact()));
    assert_ne!(lone, json(r#""a\ufffdb\ufffd""#));
    let Json::String(string) = &lone else { panic!("a string") };
    assert_eq!(string.to_string_lossy(), "a\u{fffd}b\u{fffd}");
    assert_eq!(string.utf16().collect::<Vec<_>>(), [0x61, 0xd83d, 0x62, 0xde00]);

    assert_eq!(json(r#""\ud83d\ude00""#), json("\"😀\""));
    assert_eq!(json(r#""\ude00\ud83d\ud83d\ude00x""#).to_compact(), r#""\ude00\ud83d😀x""#);
    assert_eq!(JsonString::from_utf16(&[0xd83d, 0xde00]), "😀");
    let keys = json(r#"{"\ud800":1,"\ud801":2}"#);
    assert!(!keys.as_object().unwrap().has_duplicates());
}

#[test]
fn strings_are_equal_by_code_units_however_they_are_spelt() {
    assert_eq!(json(r#""\u0041\/\u00e9\n""#), json("\"A/é\\u000A\""));
    assert_ne!(json("\"é\""), json("\"e\u{301}\""));
    assert_eq!(
        json(r#""\u0000\u001f\b\t\f\r\"\\\u007f""#).to_compact(),
        "\"\\u0000\\u001f\\b\\t\\f\\r\\\"\\\\\u{7f}\""
    );
}

#[test]
fn bytes_that_are_not_plain_utf_8_are_refused_where_they_stand() {
    let refused = |bytes: &[u8]| Json::parse_bytes(bytes).map_err(|error| (error.offset, error.kind)).unwrap_err();
    assert_eq!(refused(b"\xef\xbb\xbf{}"), (0, JsonErrorKind::ByteOrderMark));
    assert_eq!(refused(b"\xff\xfe{\0}\0"), (0, JsonErrorKind::InvalidUtf8));
    assert_eq!(refused(b"\"a\xc3\""), (2, JsonErrorKind::InvalidUtf8));
    assert_eq!(refused(b"\"\xed\xa0\x80\""), (1, JsonErrorKind::InvalidUtf8));
    assert_eq!(refused(b"\"\xc0\xaf\""), (1, JsonErrorKind::InvalidUtf8));
    assert_eq!(refused(b""), (0, JsonErrorKind::Empty));
    assert_eq!(Json::parse_bytes("\"é😀\u{feff}\"".as_bytes()), Ok("é😀\u{feff}".into()));
    assert_eq!(Json::parse("\u{feff}1").unwrap_err().kind, JsonErrorKind::ByteOrderMark);
}

#[test]
fn control_characters_are_escaped_in_strings_and_refused_bare() {
    for control in '\0'..' ' {
        let bare = Json::parse(&format!("[\"{control}\"]")).unwrap_err();
        assert_eq!((bare.offset, bare.kind), (2, JsonErrorKind::ControlCharacter(control)));
        let escaped = Json::from(control.to_string()).to_compact();
        assert!(escaped.starts_with("\"\\"), "{escaped}");
        assert_eq!(json(&escaped).as_str(), Some(control.to_string().as_str()));
    }
}

#[test]
fn each_mistake_is_told_where_it_is() {
    use JsonErrorKind as Kind;
    let cases = [
        ("", 0, Kind::Empty),
        (" \n", 0, Kind::Empty),
        ("[1", 2, Kind::UnexpectedEnd),
        ("[1,", 3, Kind::UnexpectedEnd),
        ("\"abc", 4, Kind::UnexpectedEnd),
        ("\"ab\\", 4, Kind::UnexpectedEnd),
        ("\"\\u12", 5, Kind::UnexpectedEnd),
        ("tru", 3, Kind::UnexpectedEnd),
        ("-", 1, Kind::UnexpectedEnd),
        ("1 2", 2, Kind::TextAfterValue('2')),
        ("{}}", 2, Kind::TextAfterValue('}')),
        ("[é]", 1, Kind::ExpectedValue('é')),
        ("'a'", 0, Kind::ExpectedValue('\'')),
        ("1\u{a0}", 1, Kind::TextAfterValue('\u{a0}')),
        ("{a:1}", 1, Kind::ExpectedKey('a')),
        ("{\"a\" 1}", 5, Kind::ExpectedColon('1')),
        ("[1 2]", 3, Kind::ExpectedCommaOrBracket('2')),
        ("[1}", 2, Kind::ExpectedCommaOrBracket('}')),
        ("{\"a\":1]", 6, Kind::ExpectedCommaOrBrace(']')),
        ("[1,]", 3, Kind::TrailingComma(']')),
        ("{\"a\":1, }", 8, Kind::TrailingComma('}')),
        ("[,1]", 1, Kind::ExpectedValue(',')),
        ("True", 0, Kind::UnknownWord),
        ("nullo", 0, Kind::UnknownWord),
        ("[NaN]", 1, Kind::UnknownWord),
        ("-01", 1, Kind::LeadingZero),
        ("00", 0, Kind::LeadingZero),
        ("1.e5", 2, Kind::ExpectedDigit('e')),
        ("1e+x", 3, Kind::ExpectedDigit('x')),
        ("-Infinity", 1, Kind::ExpectedDigit('I')),
        ("\"a\tb\"", 2, Kind::ControlCharacter('\t')),
        ("\"\\x41\"", 2, Kind::UnknownEscape('x')),
        ("\"\\u00g0\"", 5, Kind::ExpectedHexDigit('g')),
    ];
    for (text, offset, kind) in cases {
        let error = Json::parse(text).unwrap_err();
        assert_eq!((error.offset, error.kind), (offset, kind), "{text:?}");
        assert_eq!(minify(text), Err(error), "{text:?}");
    }
    let text = "{\"é\": 1,\n  \"é\" 2}";
    assert_eq!(Json::parse(text).unwrap_err().line_column(text), (2, 7));
    assert_eq!(Json::parse("[1 2]").unwrap_err().to_string(), "expected `,` or `]`, found '2' (at byte 3)");
}

#[test]
fn minify_leaves_the_inside_of_strings_alone() {
    let text = "\r\n{ \"a \\\" b\\\\\" : [ 1.50 , \"\\u0041 \\/\" ] ,\t\"\" : -0e1 }\n";
    assert_eq!(minify(text).unwrap(), r#"{"a \" b\\":[1.50,"\u0041 \/"],"":-0e1}"#);
}

#[test]
fn a_field_of_a_serde_struct_keeps_its_lexemes() {
    #[derive(Serialize, Deserialize)]
    struct Seen {
        value: Json,
        other: Option<Json>,
    }
    let text = r#"{"value":{"b":1.50,"a":1e400,"a":"\ud800"},"other":123456789012345678901234567890}"#;
    let seen: Seen = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&seen).unwrap(), text);
    let seen: Seen = serde_json::from_reader(text.as_bytes()).unwrap();
    assert_eq!(serde_json::to_string(&seen).unwrap(), text);
    let from_value: Json = serde_json::from_value(serde_json::json!({"a": [1, null]})).unwrap();
    assert_eq!(from_value, json(r#"{"a":[1,null]}"#));
    assert!(serde_json::from_str::<Json>(&"[".repeat(2000)).is_err());
}

#[test]
fn the_schema_of_a_value_allows_any() {
    assert_eq!(schemars::schema_for!(Vec<Json>).as_value()["items"], Value::Bool(true));
}
