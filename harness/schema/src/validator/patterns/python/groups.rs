//! Groups of Python's regular expressions.

use super::{Flags, Group, Kind, Piece, Reader, Width};
use crate::validator::patterns::literal::{Captured, NOTHING};
use crate::validator::patterns::{PatternProblem, invalid, unsupported};

impl<'p> Reader<'p> {
    /// Reads the text after `(`. A comment and global flags are no piece.
    pub(super) fn group(&mut self, at_start: bool) -> Result<Option<Piece>, PatternProblem> {
        if !self.input.eat("?") {
            return self.capturing(None).map(Some);
        }
        if self.input.eat("P") {
            return self.named().map(Some);
        }
        if self.input.eat("#") {
            return if self.input.until(')').is_some() { Ok(None) } else { invalid("missing ), unterminated comment") };
        }
        for (sign, behind) in [("=", false), ("!", false), ("<=", true), ("<!", true)] {
            if self.input.eat(sign) {
                let inner = self.inner()?;
                if behind && inner.width.least != inner.width.most {
                    return invalid("look-behind requires fixed-width pattern");
                }
                let piece = Piece::other(format!("(?{sign}{})", inner.text), Width::default());
                return Ok(Some(Piece { kind: Kind::Lookaround, ..piece }));
            }
        }
        if self.input.eat(":") {
            let inner = self.inner()?;
            return Ok(Some(Piece::other(format!("(?:{})", inner.text), inner.width)));
        }
        if self.input.eat(">") {
            self.written += 1;
            let number = self.written;
            let inner = self.inner()?;
            return Ok(Some(Piece::other(format!(r"(?:(?=({}))\{number})", inner.text), inner.width)));
        }
        if self.input.eat("(") {
            return self.conditional().map(Some);
        }
        self.with_flags(at_start)
    }

    /// The content of a group, and its end.
    fn inner(&mut self) -> Result<Piece, PatternProblem> {
        let flags = self.flags;
        let inner = self.alternatives(false)?;
        self.flags = flags;
        if self.input.eat(")") { Ok(inner) } else { invalid("missing ), unterminated subpattern") }
    }

    fn capturing(&mut self, name: Option<&'p str>) -> Result<Piece, PatternProblem> {
        let index = self.groups.len();
        self.groups.push(Group { name, closed: None });
        self.written += 1;
        let number = self.written;
        let inner = self.inner()?;
        let mut marker = "";
        if self.asks_for_groups {
            self.written += 1;
            marker = "()";
        }
        self.groups[index].closed = Some((inner.width, Captured { number, marker: self.written }));
        Ok(Piece::other(format!("({}{marker})", inner.text), inner.width))
    }

    /// Reads the text after `(?P`.
    fn named(&mut self) -> Result<Piece, PatternProblem> {
        if self.input.eat("<") {
            let name = self.name('>')?;
            if self.number(name).is_some() {
                return invalid(format!("redefinition of group name '{name}'"));
            }
            return self.capturing(Some(name));
        }
        if self.input.eat("=") {
            let name = self.name(')')?;
            let Some(number) = self.number(name) else { return invalid(format!("unknown group name '{name}'")) };
            return self.back_reference(number);
        }
        invalid(format!("unknown extension ?P{}", self.input.peek().map(String::from).unwrap_or_default()))
    }

    fn name(&mut self, end: char) -> Result<&'p str, PatternProblem> {
        let Some(name) = self.input.until(end) else { return invalid(format!("missing {end}, unterminated name")) };
        let mut letters = name.chars();
        let starts = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if starts && letters.all(|c| c.is_alphanumeric() || c == '_') {
            return Ok(name);
        }
        invalid(format!("bad character in group name '{name}'"))
    }

    /// The number of the group of this name.
    fn number(&self, name: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.name == Some(name)).map(|index| index + 1)
    }

    /// Reads the text after `(?(`: a group, and the alternatives for a group that took part or did not.
    fn conditional(&mut self) -> Result<Piece, PatternProblem> {
        let Some(asked) = self.input.until(')') else { return invalid("missing ), unterminated name") };
        let number = if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
            asked.parse().unwrap_or(usize::MAX)
        } else {
            match self.number(asked) {
                Some(number) => number,
                None => return invalid(format!("unknown group name '{asked}'")),
            }
        };
        if number == 0 {
            return invalid("bad group number");
        }
        self.highest_condition = self.highest_condition.max(number);
        let marker = match self.groups.get(number - 1).map(|group| group.closed) {
            Some(Some((_, Captured { marker, .. }))) => Some(marker),
            Some(None) => return unsupported("a condition on a group that is not closed"),
            // A group that comes later has taken no part yet.
            None => None,
        };
        let flags = self.flags;
        let yes = self.sequence(false)?;
        let no = if self.input.eat("|") { self.sequence(false)? } else { Piece::other("", Width::default()) };
        self.flags = flags;
        if self.input.peek() == Some('|') {
            return invalid("conditional backref with more than two branches");
        }
        if !self.input.eat(")") {
            return invalid("missing ), unterminated subpattern");
        }
        let text = match marker {
            Some(marker) => format!(r"(?:(?=\{marker}){}|(?!\{marker}){})", yes.text, no.text),
            None => format!("(?:{NOTHING}{}|{})", yes.text, no.text),
        };
        Ok(Piece::other(text, yes.width.or(no.width)))
    }

    /// Reads the flags after `(?`, for the whole pattern or for a group.
    fn with_flags(&mut self, at_start: bool) -> Result<Option<Piece>, PatternProblem> {
        let on = self.input.take_while(usize::MAX, |c| "aiLmsux".contains(c));
        let off = self.input.eat("-").then(|| self.input.take_while(usize::MAX, |c| "imsx".contains(c)));
        if on.is_empty() && off.is_none() {
            let found = self.input.peek().map(String::from).unwrap_or_default();
            return invalid(if found.is_empty() {
                "unexpected end of pattern".to_owned()
            } else {
                format!("unknown extension ?{found}")
            });
        }
        if on.contains('L') || (on.contains('a') && on.contains('u')) {
            return invalid("bad inline flags");
        }
        if let Some(off) = off
            && (off.is_empty() || off.chars().any(|flag| on.contains(flag)))
        {
            return invalid("bad inline flags: missing flag, or a flag turned on and off");
        }
        let flags = self.flags.with(on, off.unwrap_or_default());
        if off.is_none() && self.input.eat(")") {
            if !at_start {
                return invalid("global flags not at the start of the expression");
            }
            self.flags = flags;
            return Ok(None);
        }
        if !self.input.eat(":") {
            return invalid("missing -, : or )");
        }
        let before = self.flags;
        self.flags = flags;
        let inner = self.inner();
        self.flags = before;
        let inner = inner?;
        let case = match (before.ignore_case, flags.ignore_case) {
            (false, true) => "(?i:",
            (true, false) => "(?-i:",
            _ => "(?:",
        };
        Ok(Some(Piece::other(format!("{case}{})", inner.text), inner.width)))
    }
}

impl Flags {
    fn with(self, on: &str, off: &str) -> Self {
        let flag = |letter: char, before: bool| (before || on.contains(letter)) && !off.contains(letter);
        Self {
            ignore_case: flag('i', self.ignore_case),
            multiline: flag('m', self.multiline),
            dot_all: flag('s', self.dot_all),
            verbose: flag('x', self.verbose),
            ascii: flag('a', self.ascii) && !on.contains('u'),
        }
    }
}
