//! Text that stands for a value and is not it: nearly JSON (bare `NaN`, what Python prints), or the name of an object.

use std::fmt;

use mcp_compat_json::Json;

/// The longest text that is looked into.
const LONGEST: usize = 1 << 20;

/// Mistake that keeps a text from being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mistake {
    /// `NaN` or `Infinity`.
    NotANumber,
    /// `True`, `False` or `None`.
    PythonWord,
    SingleQuotes,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "bare NaN or Infinity",
            Self::PythonWord => "True, False or None as Python writes them",
            Self::SingleQuotes => "strings in single quotes",
        })
    }
}

/// The first mistake in an object or array that would be JSON without such mistakes. `None` if the text is JSON, or is
/// anything else.
pub(super) fn nearly_json(text: &str) -> Option<Mistake> {
    let text = text.trim();
    let is_enclosed = (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'));
    if !is_enclosed || text.len() > LONGEST || Json::parse(text).is_ok() {
        return None;
    }
    // A word in brackets is prose.
    if !text.contains([':', ',']) {
        return None;
    }
    let (repaired, first) = repaired(text);
    first.filter(|_| Json::parse(&repaired).is_ok())
}

/// Returns true if a text is all that JavaScript or Python writes of an object that has no text of its own.
pub fn is_name_of_object(text: &str) -> bool {
    let enclosed = |before: &str, after: char| text.strip_prefix(before)?.strip_suffix(after);
    let is_word = |kind: &str| !kind.is_empty() && kind.chars().all(char::is_alphanumeric);
    let is_address = |name: &str| {
        let address = name.rsplit_once(" at 0x").map(|(_, address)| address.trim_end_matches('>'));
        !name.contains('\n') && address.is_some_and(|it| !it.is_empty() && it.chars().all(|c| c.is_ascii_hexdigit()))
    };
    enclosed("[object ", ']').is_some_and(is_word) || enclosed("<", '>').is_some_and(is_address)
}

/// The words that stand for something in JSON, each with what that is.
const WORDS: [(&str, &str, Mistake); 5] = [
    ("NaN", "null", Mistake::NotANumber),
    ("Infinity", "null", Mistake::NotANumber),
    ("True", "true", Mistake::PythonWord),
    ("False", "false", Mistake::PythonWord),
    ("None", "null", Mistake::PythonWord),
];

/// The text without the mistakes, and the first of them.
fn repaired(text: &str) -> (String, Option<Mistake>) {
    let (mut written, mut first) = (String::with_capacity(text.len()), None);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if c == '"' || c == '\'' {
            let (string, left) = string(after, c);
            if c == '\'' {
                first = first.or(Some(Mistake::SingleQuotes));
            }
            written.push_str(&string);
            rest = left;
        } else if let Some((word, meant, mistake)) = WORDS.iter().find(|(word, ..)| rest.starts_with(word)) {
            first = first.or(Some(*mistake));
            // `-Infinity` is no number either.
            if written.ends_with('-') {
                written.pop();
            }
            written.push_str(meant);
            rest = &rest[word.len()..];
        } else {
            written.push(c);
            rest = after;
        }
    }
    (written, first)
}

/// A string up to its closing quote, as JSON writes it, and what follows.
fn string(text: &str, quote: char) -> (String, &str) {
    let mut written = String::from('"');
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next().map(|(_, escaped)| escaped);
                match escaped {
                    Some('\'') => written.push('\''),
                    Some(escaped) => written.extend(['\\', escaped]),
                    None => {}
                }
            }
            '"' if quote == '\'' => written.push_str("\\\""),
            c if c == quote => {
                written.push('"');
                return (written, &text[at + c.len_utf8()..]);
            }
            c => written.push(c),
        }
    }
    (written, "")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::not_a_number("{\"mean\": 1.5, \"stddev\": NaN}", Some(Mistake::NotANumber))]
    #[case::infinite("[1, -Infinity]", Some(Mistake::NotANumber))]
    #[case::printed_by_python("{'name': 'it\\'s \"so\"', 'ok': True, 'next': None}", Some(Mistake::SingleQuotes))]
    #[case::words_of_python("{\"ok\": True}", Some(Mistake::PythonWord))]
    #[case::of_another_format("{\"a\": [1, 2,],}", None)]
    #[case::a_word_alone("[None]", None)]
    #[case::json("{\"a\": \"NaN, None,}\"}", None)]
    #[case::in_a_string("{\"a\": \"NaN\", b}", None)]
    #[case::prose("[None of these] matched", None)]
    #[case::markdown("[a list]", None)]
    #[case::a_template("{name}", None)]
    #[case::an_open_string("{'a: 1}", None)]
    fn a_text_is_nearly_json_if_such_mistakes_alone_are_in_the_way(
        #[case] text: &str,
        #[case] mistake: Option<Mistake>,
    ) {
        assert_eq!(nearly_json(text), mistake);
    }

    #[rstest]
    #[case::of_javascript("[object Object]", true)]
    #[case::of_python("<app.models.Order object at 0x7f3a2c1b5d90>", true)]
    #[case::a_coroutine("<coroutine object load at 0x10f2b8>", true)]
    #[case::a_bound_method("<bound method A.b of <A object at 0x10f2b8>>", true)]
    #[case::in_prose("[object Object] is what it printed", false)]
    #[case::an_element("<p>at 0x10</p>", false)]
    fn an_object_without_a_text_of_its_own_is_printed_by_its_name(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_name_of_object(text), expected);
    }
}
