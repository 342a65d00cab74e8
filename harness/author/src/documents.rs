//! The JSON in a text that somebody pasted: alone, several values in a row, fenced in Markdown, or between the lines of
//! a log; and the addresses between it, where the case was told first.

use std::cell::Cell;

use mcp_compat_json::{JsonError, JsonErrorKind, first_value};
use mcp_compat_model::read_limit::ReadLimit;

/// A JSON array or object within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Document<'t> {
    /// The text as it is spelt.
    pub(super) text: &'t str,
    /// The line on which it begins, from 1.
    pub(super) line: usize,
}

/// A text that should be JSON and is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct NotJson {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    pub kind: JsonErrorKind,
}

/// The documents of a text, in order.
///
/// Where the text, or a block fenced as `json`, begins like JSON, all of it must be JSON. In any other text whatever
/// can be read is taken, and the rest is prose.
pub(super) fn documents(text: &str) -> Result<Vec<Document<'_>>, NotJson> {
    let reader = Reader { text, counted: Cell::new((0, 1)) };
    if begins_like_json(text) {
        return match reader.strictly(text) {
            // Messages of a log, each on a line of its own, with something else between.
            Err(error) => reader.leniently(text).filter(|found| found.len() > 1).ok_or(error),
            read => read,
        };
    }
    let mut found = Vec::new();
    let mut fenced = false;
    for Fence { says_json, inner } in fences(text) {
        fenced = true;
        if says_json && begins_like_json(inner) {
            found.extend(reader.strictly(inner)?);
        } else {
            found.extend(reader.leniently(inner).unwrap_or_default());
        }
    }
    if !fenced || found.is_empty() {
        found = reader.leniently(text).unwrap_or_default();
    }
    if found.is_empty()
        && let Some(start) = text.find(['{', '['])
    {
        // The first thing that looks like JSON is what was meant.
        reader.strictly(&text[start..])?;
    }
    Ok(found)
}

fn begins_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

struct Reader<'t> {
    text: &'t str,
    /// A place whose line was counted, and that line: documents are found in their order.
    counted: Cell<(usize, usize)>,
}

impl<'t> Reader<'t> {
    /// Every value of a part of the text, which must hold nothing else.
    fn strictly(&self, part: &'t str) -> Result<Vec<Document<'t>>, NotJson> {
        let mut found = Vec::new();
        let mut rest = part;
        // Some separate what they paste with commas or semicolons.
        while !rest.trim_start_matches(SEPARATORS).is_empty() {
            rest = rest.trim_start_matches(SEPARATORS);
            let (value, after) = first_value(rest).map_err(|error| self.mistake(rest, error))?;
            found.push(self.document(value));
            rest = after;
        }
        Ok(found)
    }

    /// Every value that can be read, with anything between. `None` if there is none, or if one is larger than is read: what
    /// is in its end is not what was meant.
    fn leniently(&self, part: &'t str) -> Option<Vec<Document<'t>>> {
        let mut found = Vec::new();
        let mut rest = part;
        while let Some(start) = rest.find(['{', '[']) {
            rest = &rest[start..];
            match first_value(rest) {
                Ok((value, after)) => {
                    // `[12:30]` is a time, and `[1]` a footnote: no message is that short.
                    if value.starts_with('{') || value.contains('{') {
                        found.push(self.document(value));
                    }
                    rest = after;
                }
                Err(error) if ReadLimit::of_json(error.kind).is_some() => {
                    return None;
                }
                // Nothing up to the mistake begins a value that is whole, or it would be one within another.
                Err(error) => {
                    let mut next = error.offset.max(1).min(rest.len());
                    while !rest.is_char_boundary(next) {
                        next += 1;
                    }
                    rest = &rest[next..];
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    fn document(&self, value: &'t str) -> Document<'t> {
        Document { text: value, line: self.line(self.offset(value)) }
    }

    /// The line of a place, from 1.
    fn line(&self, offset: usize) -> usize {
        let (from, line) = match self.counted.get() {
            (counted, _) if counted > offset => (0, 1),
            counted => counted,
        };
        let line = line + self.text[from..offset].matches('\n').count();
        self.counted.set((offset, line));
        line
    }

    fn mistake(&self, part: &str, error: JsonError) -> NotJson {
        let in_text = JsonError { offset: self.offset(part) + error.offset, kind: error.kind };
        let (line, column) = in_text.line_column(self.text);
        NotJson { line, column, kind: error.kind }
    }

    /// Returns the offset at which a part of the text begins.
    fn offset(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }
}

const SEPARATORS: [char; 6] = [' ', '\t', '\n', '\r', ',', ';'];

/// A block between fences in Markdown.
struct Fence<'t> {
    says_json: bool,
    inner: &'t str,
}

fn fences(text: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let fence = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence));
        match (open, fence) {
            (None, Some(fence)) => {
                let language = trimmed.trim_start_matches(['`', '~']).to_ascii_lowercase();
                open = Some((fence, at, language.starts_with("json")));
            }
            (Some((kind, from, says_json)), Some(fence)) if kind == fence => {
                found.push(Fence { says_json, inner: &text[from..start] });
                open = None;
            }
            (Some(_) | None, _) => {}
        }
    }
    if let Some((_, from, says_json)) = open {
        found.push(Fence { says_json, inner: &text[from..] });
    }
    found
}

/// Number of addresses that are taken.
const MOST: usize = 4;

/// The addresses in the prose of a report, not those in its JSON; those of issues first.
pub(super) fn addresses(text: &str, documents: &[Document<'_>]) -> Vec<String> {
    let mut prose = String::new();
    let mut rest = text;
    for document in documents {
        if let Some((before, after)) = rest.split_once(document.text) {
            prose.push_str(before);
            prose.push('\n');
            rest = after;
        }
    }
    prose.push_str(rest);
    let mut found: Vec<String> = Vec::new();
    for (at, _) in prose.match_indices("http") {
        let end = prose[at..]
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '(' | ')' | '[' | ']' | '`' | '\''));
        let address =
            prose[at..end.map_or(prose.len(), |end| at + end)].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let host = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")).unwrap_or_default();
        let local = ["localhost", "127.", "0.0.0.0", "[::1]"].iter().any(|local| host.starts_with(local));
        if host.contains('.') && !local && !found.iter().any(|known| known == address) {
            found.push(address.to_owned());
        }
    }
    let of_issue = |address: &String| {
        !(address.contains("/issues/") || address.contains("/pull/") || address.contains("/discussions/"))
    };
    found.sort_by_key(of_issue);
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        documents(text).unwrap().into_iter().map(|document| document.text).collect()
    }

    fn mistake(text: &str) -> String {
        documents(text).unwrap_err().to_string()
    }

    #[test]
    fn values_in_a_row_are_all_taken() {
        assert_eq!(texts("{\"a\": 1}\n[2] {}"), ["{\"a\": 1}", "[2]", "{}"]);
        assert_eq!(texts("{\"a\": 1},\n{\"b\": 2};\n"), ["{\"a\": 1}", "{\"b\": 2}"]);
    }

    #[test]
    fn blocks_in_markdown_are_taken_and_the_prose_around_them_is_not() {
        let text = "It {fails}:\n```json\n{\"a\": 1}\n```\nand\n~~~\n[{}]\n~~~\nSee [this].";
        assert_eq!(texts(text), ["{\"a\": 1}", "[{}]"]);
        assert_eq!(documents(text).unwrap()[0].line, 3);
        assert_eq!(texts("```json\n{\"a\": 1}"), ["{\"a\": 1}"], "a fence that is not closed");
    }

    #[test]
    fn the_messages_of_a_log_are_taken() {
        let log = "[12:30:01] --> {\"id\": 1}\n[12:30:02] <-- {\"id\": 1, \"result\": {}}\ndone [1]\n";
        assert_eq!(texts(log), ["{\"id\": 1}", "{\"id\": 1, \"result\": {}}"]);
        assert_eq!(texts("{\"id\": 1}\nthen\n{\"id\": 2}"), ["{\"id\": 1}", "{\"id\": 2}"]);
        assert_eq!(texts("no JSON at all"), [""; 0]);
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_column_in_the_whole_text() {
        assert!(mistake("{\"a\": 1,\n \"b\": }").starts_with("line 2, column 7: "));
        assert!(mistake("See:\n\n```json\n{\"a\":\n  tru}\n```\n").starts_with("line 5, column 3: "));
        let many = format!("[{}{{\"a\": 1}}]", "0,".repeat(1_000_000));
        assert!(mistake(&many).contains("more than a million values"), "nor is its end taken for all of it");
        assert!(mistake("It says {name: 1}").starts_with("line 1, column 10: "));
    }

    #[test]
    fn hostile_text_takes_no_time_that_grows_faster_than_it() {
        for text in ["[".repeat(200_000), "{\"a\":".repeat(100_000), "x{".repeat(100_000), "é{é".repeat(50_000)] {
            assert!(documents(&text).is_err() || documents(&text).unwrap().is_empty());
        }
    }

    fn addresses_in(text: &str) -> Vec<String> {
        addresses(text, &documents(text).unwrap())
    }

    #[test]
    fn those_of_issues_come_first() {
        let text =
            "See https://example.org/docs. Told in (https://github.com/a/b/issues/1), and <https://example.org/x>";
        assert_eq!(
            addresses_in(text),
            ["https://github.com/a/b/issues/1", "https://example.org/docs", "https://example.org/x"]
        );
    }

    #[test]
    fn those_within_json_and_of_this_machine_are_none() {
        let text =
            "Server at http://localhost:3000/mcp and http://127.0.0.1/x\n{\"$schema\": \"https://json-schema.org/x\"}";
        assert_eq!(addresses_in(text), [""; 0]);
    }
}
