//! Exact JSON: accepts the same grammar as another reader, and loses nothing on the way to text and back.

use mcp_compat_json::{
    Json, JsonErrorKind, Layout, elements, lay_out, lexemes, map_numbers, map_strings, minify, text_at, tokens,
};
use serde::de::IgnoredAny;

/// Number of places of a value that are looked up.
const PLACES: usize = 16;

pub(crate) fn run(bytes: &[u8]) {
    assert_eq!(lexemes(bytes).collect::<Vec<_>>().concat(), bytes, "the pieces are the bytes");
    let parsed = Json::parse_bytes(bytes);
    let Ok(text) = str::from_utf8(bytes) else {
        assert!(parsed.is_err(), "bytes that are not UTF-8 are not JSON");
        return;
    };
    // serde_json accepts the whole grammar here, without checks of numbers and surrogates.
    let oracle = serde_json::from_str::<IgnoredAny>(text).is_ok();
    let value = match parsed {
        Ok(value) => value,
        Err(error) => {
            let is_too_large = matches!(error.kind, JsonErrorKind::TooDeep | JsonErrorKind::TooManyValues);
            assert!(!oracle || is_too_large, "{text:?} is JSON, and not: {error}");
            let (line, column) = error.line_column(text);
            assert!(line > 0 && column > 0);
            assert!(minify(text).is_err() && tokens(text).is_err() && lay_out(text, Layout::OneLine).is_err());
            return;
        }
    };
    assert!(oracle, "{text:?} is not JSON");
    spelling(text, &value);
    places(text, &value);
    if let Ok(held) = value.to_value() {
        assert_eq!(Json::from(&held), value, "serde_json::Value holds it");
    }
    comparison(&value);
}

/// Checks that layouts keep the tokens and the value.
fn spelling(text: &str, value: &Json) {
    let compact = value.to_compact();
    let again = Json::parse(&compact).expect("what is written is JSON");
    assert!(again == *value && again.to_compact() == compact, "{text:?} is written as {compact:?}");
    let split = tokens(text).expect("it is JSON");
    let laid_out = [
        minify(text),
        lay_out(text, Layout::OneLine),
        lay_out(text, Layout::Filled { width: 20, tail: 3, deepest: 8 }),
        lay_out(text, Layout::Indented { width: 30, deepest: 8 }),
    ];
    for laid_out in laid_out {
        let laid_out = laid_out.expect("it is JSON");
        assert_eq!(tokens(&laid_out).expect("it is JSON"), split, "the tokens of {laid_out:?}");
    }
    assert!(Json::parse(&value.to_pretty()).as_ref() == Ok(value), "the pretty text has the same value");
}

/// Checks that a pointer leads to the same place in the text and in the value.
fn places(text: &str, value: &Json) {
    let mut pointers = Vec::new();
    let strings = map_strings(text, |place, _| {
        let whole = place.keys().all(|key| key.as_str().is_some());
        pointers.extend(whole.then(|| place.pointer()));
        None
    });
    assert_eq!(strings.as_deref(), Ok(text));
    assert_eq!(map_numbers(text, |_, lexeme| Some(lexeme.to_owned())).as_deref(), Ok(text));
    for pointer in pointers.iter().take(PLACES) {
        let in_text = text_at(text, pointer).map(|text| Json::parse(text).expect("a part of JSON is JSON"));
        assert!(in_text.as_ref() == value.pointer(pointer), "{pointer:?} in {text:?}");
    }
    let texts = elements(text).map(|texts| texts.len());
    assert_eq!(texts, value.as_array().map(<[Json]>::len), "the elements of {text:?}");
}

/// Checks that values are equal exactly if they have no difference.
fn comparison(value: &Json) {
    assert!(value.first_difference(value).is_none());
    let parts = value.as_array().unwrap_or_default();
    for pair in parts.windows(2).take(PLACES) {
        let equal = pair[0] == pair[1];
        assert_eq!(pair[0].first_difference(&pair[1]).is_none(), equal, "{} and {}", pair[0], pair[1]);
        assert_eq!(pair[1] == pair[0], equal, "{} and {}", pair[0], pair[1]);
        let kept = pair[0].is_kept_in(&pair[1]);
        assert!(kept || !equal, "{} and {}", pair[0], pair[1]);
        assert_eq!(pair[0].first_loss(&pair[1]).is_none(), kept, "{} and {}", pair[0], pair[1]);
    }
}
