//! Text as TOML: verbatim where TOML can hold it, escaped where not.

use std::fmt::Write as _;

use mcp_compat_json::{Layout, lay_out};

/// The widest that a line gets, as long as its JSON has a place to break it.
pub(super) const WIDTH: usize = 110;

/// JSON that nests deeper than this is not set in any further.
const DEEPEST_INDENT: usize = 40;

/// `key = "text"`, on one line.
pub(super) fn words(key: &str, text: &str) -> String {
    format!("{key} = {}\n", basic(text))
}

/// `key = '''JSON'''`, over as many lines as it takes.
pub(super) fn json(key: &str, text: &str) -> String {
    let around = key.len() + " = ''''''".len();
    let one_line = lay_out(text, Layout::OneLine).ok().filter(|line| around + line.chars().count() <= WIDTH);
    let content = one_line.unwrap_or_else(|| {
        let layout = Layout::Filled { width: WIDTH, tail: "'''".len(), deepest: DEEPEST_INDENT };
        // A text that is not JSON is written as it is.
        format!("\n{}", lay_out(text, layout).unwrap_or_else(|_| text.to_owned()))
    });
    format!("{key} = {}\n", verbatim(&content))
}

/// `key = '''text'''`, for text that is not known to be JSON.
pub(super) fn raw(key: &str, text: &str) -> String {
    // TOML takes away a line break right after the three quotes: give it one, where there are lines.
    let content = if text.contains('\n') { format!("\n{text}") } else { text.to_owned() };
    format!("{key} = {}\n", verbatim(&content))
}

/// A text between quotes, whose first line break TOML will take away. A literal, if one can hold it.
fn verbatim(content: &str) -> String {
    let held = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    if content.chars().all(held) && !content.contains("'''") && !content.ends_with('\'') {
        return format!("'''{content}'''");
    }
    let mut quoted = String::from("\"\"\"");
    let mut quotes = 0;
    for character in content.chars() {
        quotes = if character == '"' { quotes + 1 } else { 0 };
        if matches!(character, '\n' | '\t') || (character == '"' && quotes < 3) {
            quoted.push(character);
        } else {
            escape(character, &mut quoted);
            quotes = 0;
        }
    }
    // A quote at the very end must not be taken for the first of the three.
    if quotes > 0 {
        quoted.truncate(quoted.len() - quotes);
        quoted.push_str(&"\\\"".repeat(quotes));
    }
    quoted.push_str("\"\"\"");
    quoted
}

/// A text in double quotes on one line.
pub(super) fn basic(text: &str) -> String {
    let mut quoted = String::from("\"");
    text.chars().for_each(|character| escape(character, &mut quoted));
    quoted.push('"');
    quoted
}

fn escape(character: char, quoted: &mut String) {
    match character {
        '"' | '\\' => quoted.extend(['\\', character]),
        '\n' => quoted.push_str("\\n"),
        '\r' => quoted.push_str("\\r"),
        '\t' => quoted.push_str("\\t"),
        // What a terminal or an editor would obey instead of showing is spelt out too.
        _ if character.is_control()
            || matches!(character, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}') =>
        {
            // Writing to a string cannot fail.
            let _ = write!(quoted, "\\u{:04X}", u32::from(character));
        }
        _ => quoted.push(character),
    }
}
