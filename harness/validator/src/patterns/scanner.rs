//! The text of a pattern, read character by character.

/// A place in a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'p> {
    rest: &'p str,
}

impl<'p> Scanner<'p> {
    pub(super) const fn new(pattern: &'p str) -> Self {
        Self { rest: pattern }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// Takes these characters if they come next.
    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes what comes before the next `end`, and that.
    pub(super) fn until(&mut self, end: char) -> Option<&'p str> {
        let (before, after) = self.rest.split_once(end)?;
        self.rest = after;
        Some(before)
    }

    /// Takes as many characters of a kind as there are, up to a number.
    pub(super) fn take_while(&mut self, most: usize, kind: impl Fn(char) -> bool) -> &'p str {
        let end = self.rest.char_indices().enumerate().find(|(nth, (_, c))| *nth == most || !kind(*c));
        let (taken, rest) = self.rest.split_at(end.map_or(self.rest.len(), |(_, (at, _))| at));
        self.rest = rest;
        taken
    }

    /// Takes exactly this many hexadecimal digits.
    pub(super) fn hex(&mut self, digits: usize) -> Option<u32> {
        let taken = self.take_while(digits, |c| c.is_ascii_hexdigit());
        if taken.len() == digits { u32::from_str_radix(taken, 16).ok() } else { None }
    }
}
