//! Redaction: secrets are found in any text, and what is left has none.

use mcp_compat_run::redact::{
    MASK, find_secrets, is_secret_key, looks_like_secret, redact_command_line, redact_command_words, redact_text,
    redact_text_with,
};

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found = find_secrets(&text);
    let mut end = 0;
    for range in &found {
        assert!(end <= range.start && range.start < range.end && range.end <= text.len(), "{range:?} in {text:?}");
        assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end), "{range:?} in {text:?}");
        end = range.end;
    }
    let once = redact_text(&text);
    assert_eq!(once == *text, found.iter().all(|range| text[range.clone()] == *MASK), "{text:?}");
    assert_eq!(redact_text(&once), once, "a second time, of {text:?}");
    assert_eq!(redact_text_with(&text, str::to_owned), *text, "each secret for itself");
    let line = redact_command_line(&text);
    assert_eq!(redact_command_line(&line), line, "a second time, of the command line {text:?}");
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let _ = redact_command_words(&words);
    let _ = (is_secret_key(&text), looks_like_secret(&text));
}
