//! Pieces of a pattern in the syntax of the validator's engine.
//!
//! They survive what `jsonschema` does with a pattern: no class stands within a class, `\d`, `\w` and `\s`, which it would
//! replace, do not occur, and all of it is also a regular expression by the meta-schemas of old drafts, which check that.

/// Matches nothing.
pub(super) const NOTHING: &str = "(?!)";

/// A capturing group, as it is written.
///
/// If a pattern asks whether a group took part, an empty group stands at the end of each: a reference to that one matches
/// exactly if the group took part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Captured {
    /// Its number in what is written.
    pub(super) number: usize,
    /// The number of its empty group.
    pub(super) marker: usize,
}

/// A character outside of a class. Half a surrogate pair is no character, and matches nothing.
pub(super) fn character(code: u32) -> String {
    let Some(c) = char::from_u32(code) else { return NOTHING.to_owned() };
    match c {
        c if c.is_control() => format!("\\u{{{code:x}}}"),
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' | '#' | '&' | '~' => {
            format!("\\{c}")
        }
        c => c.to_string(),
    }
}

/// A character in a class.
fn member(code: u32) -> String {
    match char::from_u32(code) {
        // An end of a range may be no character: the nearest that is one.
        None => "\\u{d7ff}".to_owned(),
        Some(c) if c.is_control() || c.is_whitespace() => format!("\\u{{{code:x}}}"),
        Some(c @ ('\\' | '[' | ']' | '^' | '-' | '&' | '~')) => format!("\\{c}"),
        Some(c) => c.to_string(),
    }
}

/// A class, as it is being read.
#[derive(Debug, Default)]
pub(super) struct Class {
    negated: bool,
    members: String,
    /// Complements of classes, which cannot stand within a class.
    others: Vec<String>,
}

impl Class {
    pub(super) fn new(negated: bool) -> Self {
        Self { negated, ..Self::default() }
    }

    pub(super) fn add(&mut self, code: u32) {
        if char::from_u32(code).is_some() {
            self.members.push_str(&member(code));
        }
    }

    pub(super) fn add_range(&mut self, from: u32, to: u32) {
        // A range within the surrogates has no character.
        let from = if char::from_u32(from).is_none() { 0xE000 } else { from };
        if from <= to {
            self.members.push_str(&member(from));
            self.members.push('-');
            self.members.push_str(&member(to));
        }
    }

    /// Members in the syntax of the engine, such as `0-9` or `\p{L}`.
    pub(super) fn add_members(&mut self, members: &str) {
        self.members.push_str(members);
    }

    /// Everything except these members.
    pub(super) fn add_complement(&mut self, members: &str) {
        self.others.push(format!("[^{members}]"));
    }

    pub(super) fn write(self) -> String {
        let Self { negated, members, mut others } = self;
        let sign = if negated { "^" } else { "" };
        match (members.is_empty(), others.is_empty()) {
            (true, true) if negated => return "(?s:.)".to_owned(),
            (true, true) => return NOTHING.to_owned(),
            (false, true) => return format!("[{sign}{members}]"),
            (true, false) => {}
            (false, false) => others.push(format!("[{members}]")),
        }
        let any = others.join("|");
        if negated { format!("(?:(?!{any})(?s:.))") } else { format!("(?:{any})") }
    }
}

/// Between a word character and another character, or not.
pub(super) fn word_boundary(word: &str, wanted: bool) -> String {
    let [first, second] = if wanted { ["!", "="] } else { ["=", "!"] };
    format!("(?:(?<=[{word}])(?{first}[{word}])|(?<![{word}])(?{second}[{word}]))")
}
