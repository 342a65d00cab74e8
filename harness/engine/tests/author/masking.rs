//! Secrets: by their key, by their looks, and wherever else they stand.

use crate::wire::{call, file, list, recorded};

const LOGIN: &str =
    r#"{"name":"login","inputSchema":{"properties":{"password":{"type":"string"}},"required":["password"]}}"#;

/// The file of one call, and the places that were masked.
fn masked(arguments: &str, result: &str) -> (String, Vec<String>) {
    let recorded = recorded([list(1, &[LOGIN]), call(2, "login", arguments, result)]);
    let places = recorded.masked.iter().map(|masked| masked.place.clone()).collect();
    (file(&recorded).text, places)
}

#[test]
fn a_secret_in_the_arguments_is_masked_wherever_it_stands() {
    let result = r#"{"content":[{"type":"text","text":"Hello hunter2-x, see https://x.example/?q=hunter2-x"}]}"#;
    let (text, places) = masked(r#"{"user":"me","password":"hunter2-x"}"#, result);
    assert!(!text.contains("hunter2"), "{text}");
    assert!(text.contains(r#"{"user": "me", "password": "***"}"#), "{text}");
    assert!(text.contains("Hello ***, see https://x.example/?q=***"), "{text}");
    assert_eq!(places, ["the arguments of `login` at /password", "the result of `login` at /content/0/text"]);
}

#[test]
fn json_within_a_text_is_masked_as_the_value_beside_it() {
    let result = r#"{"structuredContent":{"session":{"accessToken":"t0p-s3cret"}},
        "content":[{"type":"text","text":"{\"session\": {\"accessToken\": \"t0p-s3cret\"}}"}]}"#;
    let (text, _) = masked("{}", result);
    assert!(text.contains(r#""structuredContent": {"session": {"accessToken": "***"}}"#), "{text}");
    assert!(text.contains(r#"{\"session\": {\"accessToken\": \"***\"}}"#), "{text}");
}

#[test]
fn a_definition_keeps_its_parameters_even_where_one_is_named_as_somebody_s_password() {
    let (text, _) = masked(r#"{"password":"password"}"#, r#"{"content":[{"type":"text","text":"ok"}]}"#);
    assert!(text.contains(r#""required": ["password"]"#), "{text}");
    assert!(text.contains(r#"arguments = '''{"password": "***"}'''"#), "{text}");
}

#[test]
fn a_short_secret_is_masked_as_a_word_and_not_within_others() {
    let result = r#"{"content":[{"type":"text","text":"pin 1234 of 12345"}]}"#;
    let (text, _) = masked(r#"{"secretPin":"1234"}"#, result);
    assert!(text.contains("pin *** of 12345"), "{text}");
}

#[test]
fn keys_of_services_are_masked_in_errors_and_in_what_is_no_message() {
    let key = format!("ghp_{}", "a1B2".repeat(9));
    let (text, _) = masked("{}", &format!(r#"{{"content":[{{"type":"text","text":"Bearer {key}"}}],"isError":true}}"#));
    assert!(!text.contains(&key) && text.contains("Bearer ***"), "{text}");
    let parts =
        [list(1, &[LOGIN]), vec![crate::wire::ask(2, "login", "{}"), crate::wire::server(format!("oops {key}"))]];
    let text = file(&recorded(parts)).text;
    assert!(text.contains("raw = '''oops ***'''"), "{text}");
}

#[test]
fn what_is_no_secret_stays_lexeme_for_lexeme() {
    let result = r#"{"structuredContent":{"count":1.0,"id":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"},"content":[]}"#;
    let (text, places) = masked(r#"{"q":"token bucket","limit":1e2}"#, result);
    assert!(places.is_empty(), "{places:?}");
    assert!(text.contains(r#"{"q": "token bucket", "limit": 1e2}"#), "{text}");
}
