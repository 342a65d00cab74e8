//! JSON laid out to be read: members and elements side by side as long as they fit, every token as it was written.
//!
//! ```text
//! {"name": "list_users", "inputSchema": {"type": "object"},
//!  "outputSchema": {"type": "array",
//!   "items": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}}
//! ```

use mcp_compat_model::json::minify;

use super::WIDTH;

/// Deeper than this, lines begin no further to the right.
const DEEPEST_INDENT: usize = 40;

/// The text on one line. Nothing, if it is not JSON.
pub(super) fn flat(text: &str) -> Option<String> {
    let tokens = minify(text).ok()?;
    let mut page = Page { text: String::new(), column: 0, width: usize::MAX };
    page.put(&Node::of(&mut Tokens(&tokens)), 0, 0);
    Some(page.text)
}

/// The text over as many lines as it takes, with room for `tail` characters after it. What is not JSON stays as it is.
pub(super) fn wrapped(text: &str, tail: usize) -> String {
    let Ok(tokens) = minify(text) else { return text.to_owned() };
    let mut page = Page { text: String::new(), column: 0, width: WIDTH };
    page.put(&Node::of(&mut Tokens(&tokens)), 0, tail);
    page.text
}

/// A value as the tokens that it is made of.
enum Node<'t> {
    Scalar { token: &'t str, width: usize },
    Group { brackets: [char; 2], items: Vec<Item<'t>>, width: usize },
}

/// An element, or a member with its key.
struct Item<'t> {
    key: Option<&'t str>,
    value: Node<'t>,
    width: usize,
}

/// What is left of a well-formed text without white space between its tokens.
struct Tokens<'t>(&'t str);

impl<'t> Tokens<'t> {
    fn eat(&mut self, token: char) -> bool {
        let rest = self.0.strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// A string, number or word.
    fn scalar(&mut self) -> &'t str {
        let mut escaped = false;
        let ends_string = |character: char| {
            let ends = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            ends
        };
        let end = match self.0.strip_prefix('"') {
            Some(inner) => inner.find(ends_string).map(|end| end + 2),
            None => self.0.find([',', ':', ']', '}']),
        };
        let (token, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        token
    }
}

impl<'t> Node<'t> {
    fn of(tokens: &mut Tokens<'t>) -> Self {
        let brackets = if tokens.eat('{') {
            ['{', '}']
        } else if tokens.eat('[') {
            ['[', ']']
        } else {
            let token = tokens.scalar();
            return Self::Scalar { token, width: token.chars().count() };
        };
        let [open, close] = brackets;
        let mut items = Vec::new();
        while !tokens.eat(close) && !tokens.0.is_empty() {
            tokens.eat(',');
            let key = (open == '{').then(|| tokens.scalar());
            tokens.eat(':');
            let value = Self::of(tokens);
            let width = key.map_or(0, |key| key.chars().count() + 2) + value.width();
            items.push(Item { key, value, width });
        }
        let between = 2 * items.len().saturating_sub(1);
        let width = 2 + between + items.iter().map(|item| item.width).sum::<usize>();
        Self::Group { brackets, items, width }
    }

    /// How wide the value is on one line.
    fn width(&self) -> usize {
        match self {
            Self::Scalar { width, .. } | Self::Group { width, .. } => *width,
        }
    }
}

struct Page {
    text: String,
    column: usize,
    width: usize,
}

impl Page {
    /// Writes a value, with `tail` characters to come on its last line.
    fn put(&mut self, value: &Node<'_>, depth: usize, tail: usize) {
        let (brackets, items) = match value {
            Node::Scalar { token, width } => {
                self.text.push_str(token);
                self.column += width;
                return;
            }
            Node::Group { brackets, items, .. } => (brackets, items),
        };
        self.push(brackets[0]);
        let mut in_row = true;
        for (index, item) in items.iter().enumerate() {
            let tail = if index + 1 == items.len() { tail + 1 } else { 1 };
            if index > 0 {
                self.push(',');
            }
            let gap = usize::from(index > 0);
            let indent = (depth + 1).min(DEEPEST_INDENT);
            let fits = self.fits(self.column + gap, item, tail);
            // What is broken anyway may as well begin here, if nothing stands before it.
            let begins_here = index == 0 && !self.fits(indent, item, tail);
            if (fits && in_row) || begins_here {
                if gap == 1 {
                    self.push(' ');
                }
            } else {
                self.text.push('\n');
                self.text.push_str(&" ".repeat(indent));
                self.column = indent;
            }
            in_row = self.fits(self.column, item, tail);
            if let Some(key) = item.key {
                self.text.push_str(key);
                self.text.push_str(": ");
                self.column += key.chars().count() + 2;
            }
            self.put(&item.value, depth + 1, tail);
        }
        self.push(brackets[1]);
    }

    fn fits(&self, column: usize, item: &Item<'_>, tail: usize) -> bool {
        column.saturating_add(item.width).saturating_add(tail) <= self.width
    }

    fn push(&mut self, character: char) {
        self.text.push(character);
        self.column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_value_stays_on_its_line() {
        assert_eq!(flat("{\"a\":[1,\n2.0],\"b\":{ },\"c\":[]}").unwrap(), r#"{"a": [1, 2.0], "b": {}, "c": []}"#);
        assert_eq!(flat(r#""a\\\"b, {c: \u00e9""#).unwrap(), r#""a\\\"b, {c: \u00e9""#);
        assert_eq!(flat("{,}"), None);
    }

    #[test]
    fn a_long_value_breaks_between_members_from_the_outside_in() {
        let text = concat!(
            r#"{"name":"list_members","inputSchema":{"type":"object"},"outputSchema":{"type":"array","#,
            r#""items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#,
        );
        let expected = r#"{"name": "list_members", "inputSchema": {"type": "object"},
 "outputSchema": {"type": "array",
  "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}"#;
        assert_eq!(wrapped(text, 3), expected);
    }

    #[test]
    fn no_line_is_too_long_that_could_be_broken() {
        let numbers: Vec<String> = (0..500).map(|number| (number * 7919).to_string()).collect();
        let text = format!("{{\"a\":[{0}],\"b\":{{\"c\":[[{0}]]}}}}", numbers.join(","));
        let wrapped = wrapped(&text, 3);
        assert!(wrapped.lines().all(|line| line.len() <= WIDTH), "{wrapped}");
        assert!(wrapped.lines().last().unwrap().len() + 3 <= WIDTH, "room for what follows");
        assert_eq!(minify(&wrapped).unwrap(), text);
    }

    #[test]
    fn depth_makes_no_lines_of_nothing_but_white_space() {
        let text = format!("{}\"{}\"{}", "[".repeat(1000), "x".repeat(200), "]".repeat(1000));
        let wrapped = wrapped(&text, 3);
        assert!(wrapped.len() < 2 * text.len());
        assert_eq!(minify(&wrapped).unwrap(), text);
    }
}
