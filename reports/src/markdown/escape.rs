//! Escapes text of peers for Markdown, so that nothing in it is markup.

use mcp_compat_model::invisible_chars::neutralised;

/// Adds a line to a page.
pub(crate) fn line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

/// Escapes text for a paragraph, a list or a table: nothing in it is markup, and nothing becomes a link or a mention.
///
/// Characters with a meaning in Markdown or HTML are escaped. A host such as GitHub also links addresses, `@names` and
/// `#numbers`, even where they are escaped. Such words become code, which it does not link.
pub(crate) fn escaped(text: &str) -> String {
    opening(words(neutralised(text).trim()))
}

/// Escapes a text of mcp-compat in which names stand between backticks: they become code, and the rest is [`escaped`].
/// With an odd number of backticks none is markup, unless the text was cut off.
pub(crate) fn prose(text: &str) -> String {
    let text = neutralised(text);
    let parts: Vec<&str> = text.trim().split('`').collect();
    if parts.len().is_multiple_of(2) && !text.ends_with('…') {
        return escaped(&text);
    }
    let parts = parts.iter().enumerate().map(|(place, part)| if place % 2 == 1 { code(part) } else { words(part) });
    opening(parts.collect())
}

/// Escapes the words of a text.
fn words(text: &str) -> String {
    let words: Vec<String> =
        text.split(' ').map(|word| if is_linked(word) { code(word) } else { plain(word) }).collect();
    words.join(" ")
}

/// Returns whether a host would make a link or a mention of the word.
fn is_linked(word: &str) -> bool {
    let after = |mark: char, next: fn(char) -> bool| {
        word.match_indices(mark).any(|(place, _)| word[place + 1..].starts_with(next))
    };
    let addressed = ["://", "www.", "mailto:", "xmpp:"].iter().any(|mark| word.to_ascii_lowercase().contains(mark));
    addressed || after('@', char::is_alphanumeric) || after('#', |c| c.is_ascii_digit()) || word.starts_with("GH-")
}

/// Escapes the characters of a word that have a meaning in Markdown or HTML.
fn plain(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' | '$' | '^' => {
                plain.push('\\');
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain
}

/// Escapes the characters that start a list, a rule or a heading at the beginning of a text.
fn opening(text: String) -> String {
    let (first, _) = text.split_once(' ').unwrap_or((&text, ""));
    let number = first.trim_end_matches(['.', ')']);
    if text.starts_with(['-', '+', '=', ':']) {
        format!("\\{text}")
    } else if number.len() + 1 == first.len() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("{number}\\{}", &text[number.len()..])
    } else {
        text
    }
}

/// Code that nothing in the text can end. In a table, a `|` ends even a code span, so it stands between two spans.
pub(crate) fn code(text: &str) -> String {
    let text = neutralised(text);
    text.split('|').map(span).collect::<Vec<_>>().join("\\|")
}

/// Code span of a text without `|`.
fn span(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // Markdown removes one blank at each end of a code span, which a backtick at the end needs.
    let blank = if longest > 0 || text.trim().len() < text.len() { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Link to an address; only the words if it is not a web address.
pub(crate) fn link(words: &str, address: &str) -> String {
    let is_safe = |c: char| c.is_ascii_graphic() && !"()<>\\[]`\"|".contains(c);
    let on_the_web = address.starts_with("https://") || address.starts_with("http://");
    if on_the_web && address.chars().all(is_safe) {
        format!("[{}](<{address}>)", escaped(words))
    } else {
        escaped(words)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;

    /// Reads Markdown back to text; an error names the first element that is more than text.
    fn read(markdown: &str) -> Result<String, String> {
        let mut read = String::new();
        for event in Parser::new_ext(markdown, Options::all()) {
            if let Event::Text(text) | Event::Code(text) = &event {
                read.push_str(text);
            } else if !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph)) {
                return Err(format!("{event:?} in {markdown:?}"));
            }
        }
        Ok(read)
    }

    /// Removes differences that are no markup: smart quotes and dashes, and blanks at the ends of a code span.
    fn folded(text: &str) -> String {
        text.replace(['“', '”'], "\"").replace(['‘', '’'], "'").replace('…', "...").replace(['–', '—', '-', ' '], "")
    }

    #[test]
    fn markup_is_shown_and_not_obeyed() {
        for text in [
            "<script>alert(1)</script>",
            "a | b |\n|---|",
            "```\ncode",
            "![image](https://example.org/x.png)",
            "[^1]: note",
            "# heading",
            "- item",
            "1. item",
            "1) item",
            "===",
            "---",
            "&lt; &#64;",
            "**bold** _it_ ~~gone~~ $x$",
            "\\",
            "line\\",
            "    indented",
            "> quoted",
            ": term",
        ] {
            assert_eq!(folded(&read(&escaped(text)).unwrap()), folded(neutralised(text).trim()));
        }
    }

    /// Reads the cells of a table with one row back to text; an error names the first element that is more than text.
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other event is markup")]
    fn cells(row: &str) -> Result<Vec<String>, String> {
        let mut read = Vec::new();
        for event in Parser::new_ext(&format!("| a | b | c |\n|---|---|---|\n{row}\n"), Options::all()) {
            match &event {
                Event::Start(Tag::TableCell) => read.push(String::new()),
                Event::Text(text) | Event::Code(text) => match read.last_mut() {
                    Some(cell) => cell.push_str(text),
                    None => return Err(format!("{text:?} beside a table in {row:?}")),
                },
                Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow) | Event::End(_) => {}
                _ => return Err(format!("{event:?} in {row:?}")),
            }
        }
        // Beside the cells of the head.
        Ok(read.split_off(3))
    }

    #[test]
    fn a_cell_of_a_table_ends_where_it_should() {
        let text = "see ![i](http://example.org/i.png)| @someone #12 `a|b` \\| \\";
        let read = cells(&format!("| 1 | {} | {} |", escaped(text), code("a|b\\|`c|"))).unwrap();
        assert_eq!(read.iter().map(|cell| folded(cell)).collect::<Vec<_>>(), ["1", &folded(text), "a|b\\|`c|"]);
    }

    #[test]
    fn what_a_host_would_link_is_code() {
        assert_eq!(escaped("see https://example.org now"), "see `https://example.org` now");
        assert_eq!(escaped("@someone fixed #12"), "`@someone` fixed `#12`");
        assert_eq!(escaped("0.1.0, plain - words, 5 @ 3."), "0.1.0, plain - words, 5 @ 3.");
    }

    #[test]
    fn names_between_backticks_are_code() {
        assert_eq!(prose("lost `get_list` of `a_b`: *x*"), "lost `get_list` of `a_b`: \\*x\\*");
        assert_eq!(prose("lost `get_list`, and `get_…"), "lost `get_list`, and `get_…`");
        assert_eq!(prose("a ` alone, _x_"), escaped("a ` alone, _x_"));
        assert_eq!(prose("- `a`"), "\\- `a`");
        assert_eq!(prose("`- a`"), "`- a`");
    }

    #[test]
    fn a_code_span_ends_where_it_should() {
        assert_eq!((code("a"), code("")), ("`a`".to_owned(), String::new()));
        assert_eq!(code("a|b|"), "`a`\\|`b`\\|");
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
        assert_eq!(read(&code("` ``")), Ok("` ``".to_owned()));
    }

    #[test]
    fn a_link_goes_to_the_web_or_nowhere() {
        assert_eq!(link("rule", "https://example.org/a#b"), "[rule](<https://example.org/a#b>)");
        for address in ["javascript:alert(1)", "https://example.org/>)<x", "https://example.org/a b", ""] {
            assert_eq!(link("rule", address), "rule");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_text_is_only_text(text in any::<String>()) {
            let read = read(&escaped(&text)).map_err(TestCaseError::fail)?;
            prop_assert_eq!(folded(&read), folded(neutralised(&text).trim()));
        }

        #[test]
        fn any_prose_is_only_text_and_code(text in "[-+*_`~<>&\\[\\]()!|#=:.$^{}@\"'\\\\/a1… \n\t]{0,24}") {
            let read = read(&prose(&text)).map_err(TestCaseError::fail)?;
            let plain = |text: &str| folded(text).replace('`', "");
            prop_assert_eq!(plain(&read), plain(neutralised(&text).trim()));
        }

        #[test]
        fn any_cell_of_a_table_is_only_text(text in "(http://a\\.b/|@a|#1|[-+*_`~<>&\\[\\]()!|#=:.$^{}@\"'\\\\/a1 \n\t]){0,24}") {
            let row = format!("| 1 | {} | {} |", escaped(&text), code(&text));
            let read = cells(&row).map_err(TestCaseError::fail)?;
            let folded_text = folded(neutralised(&text).trim());
            let read: Vec<String> = read.iter().map(|cell| folded(cell)).collect();
            prop_assert_eq!(read, vec!["1".to_owned(), folded_text.clone(), folded_text]);
        }

        #[test]
        fn any_signs_are_only_text(text in "[-+*_`~<>&\\[\\]()!|#=:.$^{}@\"'\\\\/a1 \n\t]{0,24}") {
            let read = read(&escaped(&text)).map_err(TestCaseError::fail)?;
            prop_assert_eq!(folded(&read), folded(neutralised(&text).trim()));
        }
    }
}
