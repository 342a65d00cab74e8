//! Characters that are not seen, or that change how others are seen.
//!
//! Whoever writes a peer's words where a person reads them asks here first. What becomes of such a character depends on
//! the place: one writes an escape, another a mark.

use std::borrow::Cow;

/// Returns true if a character is no part of what a reader sees: a control character, what Unicode says may be shown as
/// nothing (fillers, joiners, directions, tags, variation selectors), a separator of lines, or no character at all.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    let noncharacter = u32::from(character) & 0xfffe == 0xfffe;
    noncharacter
        || character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text with everything spelled out that a terminal or a reader could take for something else: control
/// characters, and characters that are not seen but change what is.
#[must_use]
pub fn neutralised(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => harmless.push_str("\\n"),
            '\r' => harmless.push_str("\\r"),
            '\t' => harmless.push_str("\\t"),
            c if is_invisible(c) => harmless.extend(c.escape_unicode()),
            c => harmless.push(c),
        }
    }
    harmless
}

/// The text with nothing in it that a CI system takes for a command to itself: GitHub Actions and Azure Pipelines read
/// `::error::` at the beginning of a line, whatever blanks are before it, and `##[error]` anywhere.
///
/// For whole outputs: a line may begin with a peer's words only because the text before them was wrapped.
#[must_use]
pub fn without_ci_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let start = line.len() - after_blanks_and_colours(line).len();
        let (blanks, words) = line.split_at(start);
        match words.strip_prefix("::") {
            Some(rest) => format!("{blanks}\\u{{3a}}:{rest}"),
            None => line.to_owned(),
        }
    });
    Cow::Owned(lines.collect::<String>().replace("##[", "#\\u{23}["))
}

/// The rest of a line after its blanks and escape sequences for colours.
fn after_blanks_and_colours(line: &str) -> &str {
    let rest = line.trim_start();
    match rest.strip_prefix("\u{1b}[").and_then(|sequence| sequence.split_once('m')) {
        Some((numbers, rest)) if numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b';') => {
            after_blanks_and_colours(rest)
        }
        Some(_) | None => rest,
    }
}

/// A JSON text with everything in its strings spelled out that is not seen, and no command to a CI system. The values stay
/// the same.
#[must_use]
pub fn neutralised_json(json: &str) -> String {
    let mut harmless = String::with_capacity(json.len());
    for character in json.replace("##[", "#\\u0023[").chars() {
        match character {
            // Whitespace between the tokens: strings have none of these in JSON.
            '\n' | '\r' | '\t' => harmless.push(character),
            unseen if is_invisible(unseen) => {
                let mut units = [0; 2];
                unseen.encode_utf16(&mut units).iter().for_each(|unit| harmless.push_str(&format!("\\u{unit:04x}")));
            }
            seen => harmless.push(seen),
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_a_command_to_a_ci_system() {
        let all = without_ci_commands("::error::a\n  ::error::b\n\u{1b}[1m ::c\nstd::fmt\na ##[group]b\n");
        assert_eq!(all, "\\u{3a}:error::a\n  \\u{3a}:error::b\n\u{1b}[1m \\u{3a}:c\nstd::fmt\na #\\u{23}[group]b\n");
        assert!(matches!(without_ci_commands("nothing: to do"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_its_values_and_hides_nothing() {
        let value = serde_json::json!({"a\u{202e}b": ["\u{9b}31m", "\u{e0041}", "Zürich 🙂", "##[x]", "::"]});
        let text = neutralised_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.contains("##[") && !text.chars().any(|character| is_invisible(character) && character != '\n'));
        assert!(text.contains("Zürich 🙂"));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn letters_signs_and_blanks_are_seen() {
        for character in ['a', 'ü', '語', '🙂', ' ', '\u{a0}', '\u{301}', '\u{fffd}', '|', '\\'] {
            assert!(!is_invisible(character), "{character:?}");
        }
    }

    #[test]
    fn what_hides_moves_or_reorders_is_not() {
        for character in [
            '\0',
            '\n',
            '\u{1b}',
            '\u{7f}',
            '\u{9b}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{e0041}',
            '\u{1ffff}',
        ] {
            assert!(is_invisible(character), "{character:?}");
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let text = neutralised("a\u{1b}[31mb\u{202e}c\rd\u{7}\u{9b}e");
        assert_eq!(text, "a\\u{1b}[31mb\\u{202e}c\\rd\\u{7}\\u{9b}e");
        assert_eq!(neutralised("Zürich 🙂 {\"a\": 1}"), "Zürich 🙂 {\"a\": 1}");
    }

    #[test]
    fn what_is_not_seen_is_spelled_out() {
        for c in
            ['\u{ad}', '\u{61c}', '\u{200d}', '\u{2028}', '\u{3164}', '\u{feff}', '\u{fffe}', '\u{1ffff}', '\u{e0041}']
        {
            assert_eq!(neutralised(&c.to_string()), c.escape_unicode().to_string());
        }
        let seen = "é ａ � 文 ש \u{a0}";
        assert_eq!(neutralised(seen), seen);
    }
}
