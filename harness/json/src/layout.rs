//! Layout of JSON for people: only the white space between tokens changes.
//!
//! ```text
//! Layout::Filled                                     Layout::Indented
//! {"name": "list_users", "inputSchema": {},          {
//!  "outputSchema": {"type": "array",                   "name": "list_users",
//!   "items": {"type": "string"}}}                      "inputSchema": {},
//!                                                      "outputSchema": {"type": "array", "items": {"type": "string"}}
//!                                                    }
//! ```

use super::tokens::{split, tokens};
use super::{Json, JsonError};

/// Rules for line breaks. Widths count characters. A token that is longer than a line is not broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// All on one line, with a blank after each colon and comma.
    OneLine,
    /// Members and elements stand side by side as long as they fit the width, and are set in by one column a level.
    Filled {
        /// The longest line.
        width: usize,
        /// Number of characters that are to follow the value on its last line.
        tail: usize,
        /// The deepest indentation: levels beyond it begin no further to the right.
        deepest: usize,
    },
    /// An array or object that does not fit the width has each of its items on a line, set in by two columns a level.
    Indented {
        /// The longest line; 0 opens every array and object that is not empty.
        width: usize,
        deepest: usize,
    },
}

/// The columns by which a level is set in, with [`Layout::Indented`].
const STEP: usize = 2;

impl Json {
    /// Writes the value as JSON text for people and version control: a member or an element a line, indented by two
    /// columns.
    pub fn to_pretty(&self) -> String {
        page(split(&self.to_compact()).collect(), Layout::Indented { width: 0, deepest: usize::MAX })
    }
}

/// Replaces the white space between the tokens of a text.
///
/// # Errors
/// As for [`Json::parse`], if the text is not JSON.
pub fn lay_out(text: &str, layout: Layout) -> Result<String, JsonError> {
    tokens(text).map(|tokens| page(tokens, layout))
}

fn page(tokens: Vec<&str>, layout: Layout) -> String {
    let mut page = Page { text: String::new(), column: 0 };
    let value = Node::of(&mut tokens.into_iter());
    match layout {
        Layout::OneLine => page.put_on_one_line(&value),
        Layout::Filled { width, tail, deepest } => Filling { page: &mut page, width, deepest }.put(&value, 0, tail),
        Layout::Indented { width, deepest } => Indenting { page: &mut page, width, deepest }.put(&value, 0),
    }
    page.text
}

/// A value as the tokens that it is made of.
enum Node<'t> {
    Scalar { token: &'t str, width: usize },
    Group { brackets: [&'static str; 2], items: Vec<Item<'t>>, width: usize },
}

/// An element, or a member with its key.
struct Item<'t> {
    key: Option<&'t str>,
    value: Node<'t>,
    width: usize,
}

impl<'t> Node<'t> {
    /// Reads the value that begins with the next token.
    fn of(tokens: &mut impl Iterator<Item = &'t str>) -> Self {
        let first = tokens.next().unwrap_or_default();
        Self::from(first, tokens)
    }

    fn from(first: &'t str, tokens: &mut impl Iterator<Item = &'t str>) -> Self {
        let brackets = match first {
            "{" => ["{", "}"],
            "[" => ["[", "]"],
            token => return Self::Scalar { token, width: token.chars().count() },
        };
        let mut items = Vec::new();
        while let Some(token) = tokens.next().filter(|token| *token != brackets[1]) {
            let token = if token == "," { tokens.next().unwrap_or_default() } else { token };
            let item = if brackets[0] == "{" {
                // The token after the key is the colon.
                tokens.next();
                Item::new(Some(token), Self::of(tokens))
            } else {
                Item::new(None, Self::from(token, tokens))
            };
            items.push(item);
        }
        let between = 2 * items.len().saturating_sub(1);
        let width = 2 + between + items.iter().map(|item| item.width).sum::<usize>();
        Self::Group { brackets, items, width }
    }

    /// Returns the width of the value on one line.
    fn width(&self) -> usize {
        match self {
            Self::Scalar { width, .. } | Self::Group { width, .. } => *width,
        }
    }
}

impl<'t> Item<'t> {
    fn new(key: Option<&'t str>, value: Node<'t>) -> Self {
        let width = key.map_or(0, |key| key.chars().count() + 2) + value.width();
        Self { key, value, width }
    }
}

struct Page {
    text: String,
    column: usize,
}

impl Page {
    fn push(&mut self, text: &str, width: usize) {
        self.text.push_str(text);
        self.column += width;
    }

    fn put_key(&mut self, item: &Item<'_>) {
        if let Some(key) = item.key {
            self.push(key, key.chars().count());
            self.push(": ", 2);
        }
    }

    fn put_on_one_line(&mut self, value: &Node<'_>) {
        match value {
            Node::Scalar { token, width } => self.push(token, *width),
            Node::Group { brackets, items, .. } => {
                self.push(brackets[0], 1);
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.push(", ", 2);
                    }
                    self.put_key(item);
                    self.put_on_one_line(&item.value);
                }
                self.push(brackets[1], 1);
            }
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.text.push('\n');
        self.text.push_str(&" ".repeat(indent));
        self.column = indent;
    }
}

struct Filling<'p> {
    page: &'p mut Page,
    width: usize,
    deepest: usize,
}

impl Filling<'_> {
    /// Writes a value, with `tail` characters to come on its last line.
    fn put(&mut self, value: &Node<'_>, depth: usize, tail: usize) {
        let (brackets, items) = match value {
            Node::Scalar { token, width } => return self.page.push(token, *width),
            Node::Group { brackets, items, .. } => (brackets, items),
        };
        self.page.push(brackets[0], 1);
        let mut in_row = true;
        for (index, item) in items.iter().enumerate() {
            let tail = if index + 1 == items.len() { tail + 1 } else { 1 };
            if index > 0 {
                self.page.push(",", 1);
            }
            let gap = usize::from(index > 0);
            let indent = (depth + 1).min(self.deepest);
            let fits = self.fits(self.page.column + gap, item, tail);
            // A value that is broken anyway begins here, if nothing stands before it.
            let begins_here = index == 0 && !self.fits(indent, item, tail);
            if (fits && in_row) || begins_here {
                self.page.push(if gap == 1 { " " } else { "" }, gap);
            } else {
                self.page.new_line(indent);
            }
            in_row = self.fits(self.page.column, item, tail);
            self.page.put_key(item);
            self.put(&item.value, depth + 1, tail);
        }
        self.page.push(brackets[1], 1);
    }

    fn fits(&self, column: usize, item: &Item<'_>, tail: usize) -> bool {
        column + item.width + tail <= self.width
    }
}

struct Indenting<'p> {
    page: &'p mut Page,
    width: usize,
    deepest: usize,
}

impl Indenting<'_> {
    fn put(&mut self, value: &Node<'_>, depth: usize) {
        let (brackets, items) = match value {
            Node::Group { brackets, items, .. } if !items.is_empty() && !self.fits(value) => (brackets, items),
            Node::Scalar { .. } | Node::Group { .. } => return self.page.put_on_one_line(value),
        };
        self.page.push(brackets[0], 1);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.page.push(",", 1);
            }
            self.page.new_line(self.indent(depth + 1));
            self.page.put_key(item);
            self.put(&item.value, depth + 1);
        }
        self.page.new_line(self.indent(depth));
        self.page.push(brackets[1], 1);
    }

    /// Returns whether the value fits the line, with one column left for a comma.
    fn fits(&self, value: &Node<'_>) -> bool {
        self.page.column + value.width() < self.width
    }

    fn indent(&self, depth: usize) -> usize {
        (depth * STEP).min(self.deepest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minify;
    use proptest::prelude::*;

    fn flat(text: &str) -> Option<String> {
        lay_out(text, Layout::OneLine).ok()
    }

    const WIDTH: usize = 110;

    fn filled(text: &str) -> String {
        lay_out(text, Layout::Filled { width: WIDTH, tail: 3, deepest: 40 }).unwrap()
    }

    fn indented(text: &str, width: usize) -> String {
        lay_out(text, Layout::Indented { width, deepest: width / 2 }).unwrap()
    }

    #[test]
    fn pretty_text_reads_back_the_same() {
        let text = r#"{"a":[1.0,{"b":[],"c":{}},"x\ny"],"a":-0e1,"\ud800":null}"#;
        let value = Json::parse(text).unwrap();
        let pretty = value.to_pretty();
        assert!(
            pretty.starts_with("{\n  \"a\": [\n    1.0,\n    {\n      \"b\": [],\n      \"c\": {}\n    },"),
            "{pretty}"
        );
        assert_eq!(Json::parse(&pretty).unwrap().to_compact(), text);
    }

    #[test]
    fn a_short_value_stays_on_its_line() {
        assert_eq!(flat("{\"a\":[1,\n2.0],\"b\":{ },\"c\":[]}").unwrap(), r#"{"a": [1, 2.0], "b": {}, "c": []}"#);
        assert_eq!(flat(r#""a\\\"b, {c: \u00e9""#).unwrap(), r#""a\\\"b, {c: \u00e9""#);
        assert_eq!(flat("{,}"), None);
        assert_eq!(indented("{\"a\":[1,2 , 3],\n\"b\":{}}", 40), r#"{"a": [1, 2, 3], "b": {}}"#);
    }

    #[test]
    fn a_filled_value_breaks_between_members_from_the_outside_in() {
        let text = concat!(
            r#"{"name":"list_members","inputSchema":{"type":"object"},"outputSchema":{"type":"array","#,
            r#""items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#,
        );
        let expected = r#"{"name": "list_members", "inputSchema": {"type": "object"},
 "outputSchema": {"type": "array",
  "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}"#;
        assert_eq!(filled(text), expected);
    }

    #[test]
    fn no_filled_line_is_too_long_that_could_be_broken() {
        let numbers: Vec<String> = (0..500).map(|number| (number * 7919).to_string()).collect();
        let text = format!("{{\"a\":[{0}],\"b\":{{\"c\":[[{0}]]}}}}", numbers.join(","));
        let filled = filled(&text);
        assert!(filled.lines().all(|line| line.len() <= WIDTH), "{filled}");
        assert!(filled.lines().last().unwrap().len() + 3 <= WIDTH, "room for what follows");
        assert_eq!(minify(&filled).unwrap(), text);
    }

    #[test]
    fn depth_makes_no_lines_of_nothing_but_white_space() {
        let text = format!("{}\"{}\"{}", "[".repeat(1000), "x".repeat(200), "]".repeat(1000));
        let filled = filled(&text);
        assert!(filled.len() < 2 * text.len());
        assert_eq!(minify(&filled).unwrap(), text);
    }

    #[test]
    fn what_does_not_fit_is_indented_as_far_as_needed() {
        let text = r#"{"id":1,"result":{"tools":[{"name":"one"},{"name":"two"}],"nextCursor":"page-2"}}"#;
        let expected = r#"{
  "id": 1,
  "result": {
    "tools": [
      {"name": "one"},
      {"name": "two"}
    ],
    "nextCursor": "page-2"
  }
}"#;
        assert_eq!(indented(text, 40), expected);
    }

    #[test]
    fn lexemes_stay_as_they_were_written() {
        let text = r#"[1.0,1e400,"\u00e9é","a,b:{c}\"",{"a":1,"a":2},-0]"#;
        for width in [1, 10, 100] {
            assert_eq!(minify(&indented(text, width)).unwrap(), text);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_laid_out_or_is_not_json(text in "[\\[\\]{},:\"\\\\a1 ]{0,40}", width in 0usize..50) {
            let layouts = [
                Layout::OneLine,
                Layout::Filled { width, tail: 3, deepest: 40 },
                Layout::Indented { width, deepest: width / 2 },
            ];
            for layout in layouts {
                match lay_out(&text, layout) {
                    Ok(page) => prop_assert_eq!(minify(&page).unwrap(), minify(&text).unwrap()),
                    Err(error) => prop_assert_eq!(Some(error), minify(&text).err()),
                }
            }
        }
    }
}
