//! Secrets: by their key, by their looks, and wherever else they stand.

use crate::wire::{call, file, list, recorded};

const LOGIN: &str =
    r#"{"name":"login","inputSchema":{"properties":{"password":{"type":"string"}},"required":["password"]}}"#;

/// A token of a shape that gitleaks knows; composed here, so that secret scanners find nothing in this file.
fn github_token(letter: char) -> String {
    format!("ghp_{letter}{}", "q7Zx9Lm2Kv8RtW3b5N1cPd6FgHyJ0sUeXaQ")
}

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
fn a_short_secret_is_masked_under_its_key_alone() {
    let result = r#"{"content":[{"type":"text","text":"pin 1234 of 12345"}]}"#;
    let (text, _) = masked(r#"{"secretPin":"1234"}"#, result);
    assert!(text.contains(r#"{"secretPin": "***"}"#), "{text}");
    assert!(text.contains("pin 1234 of 12345"), "{text}");
}

#[test]
fn keys_of_services_are_masked_in_errors_and_in_what_is_no_message() {
    let key = github_token('a');
    let (text, _) = masked("{}", &format!(r#"{{"content":[{{"type":"text","text":"Bearer {key}"}}],"isError":true}}"#));
    assert!(!text.contains(&key) && text.contains("Bearer ***"), "{text}");
    let parts =
        [list(1, &[LOGIN]), vec![crate::wire::ask(2, "login", "{}"), crate::wire::server(format!("oops {key}"))]];
    let text = file(&recorded(parts)).text;
    assert!(text.contains("raw = '''oops ***'''"), "{text}");
}

#[test]
fn a_name_of_a_member_can_be_a_secret() {
    let (first, second) = (github_token('a'), github_token('b'));
    let result = format!(r#"{{"structuredContent":{{"by_key":{{"{first}":1,"{second}":2}}}},"content":[]}}"#);
    let (text, places) = masked("{}", &result);
    assert!(text.contains(r#""by_key": {"***": 1, "***2": 2}"#), "{text}");
    assert!(places.contains(&"the result of `login` in the name of a member".to_owned()), "{places:?}");
}

#[test]
fn a_value_that_is_a_credential_by_the_key_before_it_is_masked() {
    let id = "3f8a61c09d7e42b5".repeat(2);
    let result = format!(r#"{{"structuredContent":{{"adafruit":"{id}","other":"{id}"}},"content":[]}}"#);
    let (text, _) = masked("{}", &result);
    assert!(text.contains(r#"{"adafruit": "***", "other": "***"}"#), "{text}");
    let (text, _) = masked("{}", &result.replace("adafruit", "digest"));
    assert!(text.contains(&id), "{text}");
}

#[test]
fn what_is_no_secret_stays_lexeme_for_lexeme() {
    let result = r#"{"structuredContent":{"count":1.0,"id":"3f2504e0-4f89-11d3-9a0c-0305e82c3301"},"content":[]}"#;
    let (text, places) = masked(r#"{"q":"token bucket","limit":1e2}"#, result);
    assert!(places.is_empty(), "{places:?}");
    assert!(text.contains(r#"{"q": "token bucket", "limit": 1e2}"#), "{text}");
}

#[test]
fn a_password_that_is_a_word_of_the_protocol_breaks_no_result() {
    let result = r#"{"content":[{"type":"resource_link","uri":"a:b","name":"resource_link"}]}"#;
    let (text, _) = masked(r#"{"password":"resource_link"}"#, result);
    assert!(text.contains(r#""type": "resource_link""#) && text.contains(r#""name": "***""#), "{text}");
    let (text, _) = masked(r#"{"password":"text"}"#, r#"{"content":[{"type":"text","text":"a text"}]}"#);
    assert!(text.contains(r#""type": "text", "text": "a text""#), "{text}");
}

#[test]
fn a_mask_makes_no_valid_result_invalid() {
    let tool = r#"{"name":"login","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{
        "token":{"type":"string","pattern":"^[a-z]{3}-[0-9]{4}$"},"auth":{"enum":["basic","none"]}}}}"#;
    let result = r#"{"structuredContent":{"token":"abc-1234","auth":"basic","pass":1234,"max_tokens":7},"content":[]}"#;
    let recorded = recorded([list(1, &[tool]), call(2, "login", "{}", result)]);
    let text = file(&recorded).text;
    assert!(text.contains(r#""token": "xxx-0000", "auth": "basic""#), "{text}");
    assert!(!text.contains("1234") && text.contains(r#""max_tokens": 7"#) && !text.contains("violates"), "{text}");
}
