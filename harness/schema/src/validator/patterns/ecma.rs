//! ECMA-262 regular expressions with the `u` flag.
//!
//! The crate `regress` says whether a pattern is one. What is read here is therefore known to be valid.

use super::literal::{Captured, Class, character, word_boundary};
use super::{PatternProblem, Scanner, invalid, unsupported};

const DIGITS: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
/// `WhiteSpace` and `LineTerminator` of the specification.
const SPACE: &str = r"\u{9}-\u{d}\u{20}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
const LINE_ENDS: &str = r"\u{a}\u{d}\u{2028}\u{2029}";

/// The pattern for the validator's engine.
pub(super) fn translate(pattern: &str) -> Result<String, PatternProblem> {
    if let Err(error) = regress::Regex::with_flags(pattern, "u") {
        return invalid(error.text);
    }
    let names = names_of_groups(pattern);
    let captured = vec![None; names.len()];
    let mut reader = Reader {
        input: Scanner::new(pattern),
        names,
        captured,
        written: 0,
        read: 0,
        // Too many markers do no harm, so a look at the text is enough.
        refers_back: pattern.split('\\').skip(1).any(|rest| rest.starts_with(|c| matches!(c, '1'..='9' | 'k'))),
        open: vec![Open::default()],
    };
    let mut out = String::new();
    while let Some(next) = reader.input.next() {
        reader.term(next, &mut out)?;
    }
    Ok(out)
}

/// The modifiers that apply at a place.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    multiline: bool,
    dot_all: bool,
}

/// A group that is not closed yet.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    flags: Flags,
    /// Index of a capturing group, and its number in the written pattern.
    captures: Option<(usize, usize)>,
}

struct Reader<'p> {
    input: Scanner<'p>,
    /// The names of the capturing groups, in their order.
    names: Vec<Option<&'p str>>,
    /// The groups that are closed.
    captured: Vec<Option<Captured>>,
    /// Number of groups that were written.
    written: usize,
    /// Number of capturing groups that were read.
    read: usize,
    /// Set if there are references to groups.
    refers_back: bool,
    /// The open groups, with the whole pattern as the first.
    open: Vec<Open>,
}

/// The names of the capturing groups of a pattern. A group may have none.
fn names_of_groups(pattern: &str) -> Vec<Option<&str>> {
    let (mut input, mut groups, mut in_class) = (Scanner::new(pattern), Vec::new(), false);
    while let Some(next) = input.next() {
        match next {
            '\\' => drop(input.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if in_class => {}
            '(' if !input.eat("?") => groups.push(None),
            '(' if input.eat("<") && !matches!(input.peek(), Some('=' | '!')) => groups.push(input.until('>')),
            _ => {}
        }
    }
    groups
}

/// One atom of a class.
enum Atom {
    Character(u32),
    Members(&'static str),
    Complement(&'static str),
    Property(String),
}

impl Reader<'_> {
    fn flags(&self) -> Flags {
        self.open.last().map(|open| open.flags).unwrap_or_default()
    }

    fn term(&mut self, next: char, out: &mut String) -> Result<(), PatternProblem> {
        match next {
            '\\' => out.push_str(&self.escape()?),
            '[' => out.push_str(&self.class()?),
            '(' => self.open(out)?,
            ')' => self.close(out),
            '.' if self.flags().dot_all => out.push_str("(?s:.)"),
            '.' => out.push_str(&format!("[^{LINE_ENDS}]")),
            '^' if self.flags().multiline => out.push_str(&format!("(?:^|(?<=[{LINE_ENDS}]))")),
            '$' if self.flags().multiline => out.push_str(&format!("(?:$|(?=[{LINE_ENDS}]))")),
            '^' | '$' | '*' | '+' | '?' | '|' => out.push(next),
            '{' => match self.input.until('}') {
                Some(bounds) => out.push_str(&format!("{{{bounds}}}")),
                None => return unsupported("a quantifier is not closed"),
            },
            other => out.push_str(&character(u32::from(other))),
        }
        Ok(())
    }

    /// Reads the text after `(`.
    fn open(&mut self, out: &mut String) -> Result<(), PatternProblem> {
        let mut flags = self.flags();
        let mut captures = None;
        if !self.input.eat("?") {
            captures = Some(self.capture(out));
        } else if let Some(kind) = [":", "=", "!", "<=", "<!"].into_iter().find(|kind| self.input.eat(kind)) {
            out.push_str("(?");
            out.push_str(kind);
        } else if self.input.eat("<") {
            self.input.until('>');
            captures = Some(self.capture(out));
        } else {
            let Some(modifiers) = self.input.until(':') else { return unsupported("a group of no known kind") };
            let (on, off) = modifiers.split_once('-').unwrap_or((modifiers, ""));
            flags.multiline = on.contains('m') || (flags.multiline && !off.contains('m'));
            flags.dot_all = on.contains('s') || (flags.dot_all && !off.contains('s'));
            out.push_str(match (on.contains('i'), off.contains('i')) {
                (true, _) => "(?i:",
                (false, true) => "(?-i:",
                (false, false) => "(?:",
            });
        }
        self.open.push(Open { flags, captures });
        Ok(())
    }

    fn capture(&mut self, out: &mut String) -> (usize, usize) {
        out.push('(');
        self.written += 1;
        self.read += 1;
        (self.read - 1, self.written)
    }

    fn close(&mut self, out: &mut String) {
        if let Some((index, number)) = self.open.pop().and_then(|open| open.captures) {
            if self.refers_back {
                self.written += 1;
                out.push_str("()");
            }
            if let Some(captured) = self.captured.get_mut(index) {
                *captured = Some(Captured { number, marker: self.written });
            }
        }
        out.push(')');
    }

    /// Reads the text after `\` outside of a class.
    fn escape(&mut self) -> Result<String, PatternProblem> {
        match self.input.peek() {
            Some(kind @ ('b' | 'B')) => {
                self.input.next();
                Ok(word_boundary(WORD, kind == 'b'))
            }
            Some('1'..='9') => {
                let number = self.input.take_while(9, |c| c.is_ascii_digit()).parse().unwrap_or(usize::MAX);
                Ok(self.back_reference(&[number]))
            }
            Some('k') => {
                let name = if self.input.eat("k<") { self.input.until('>') } else { None };
                let named = self.names.iter().enumerate().filter(|(_, group)| name.is_some() && **group == name);
                let numbers: Vec<usize> = named.map(|(index, _)| index + 1).collect();
                if numbers.is_empty() {
                    return unsupported("a reference to a group by an escaped name");
                }
                Ok(self.back_reference(&numbers))
            }
            _ => Ok(match self.atom_escape()? {
                Atom::Character(code) => character(code),
                Atom::Members(members) => format!("[{members}]"),
                Atom::Complement(members) => format!("[^{members}]"),
                Atom::Property(property) => property,
            }),
        }
    }

    /// A group that took no part in the match matches the empty text, where the engine would fail. So does one that is
    /// still open, or that comes later.
    fn back_reference(&self, groups: &[usize]) -> String {
        let captured = groups.iter().filter_map(|group| self.captured.get(group.checked_sub(1)?).copied().flatten());
        let one = |Captured { number, marker }: Captured| format!(r"(?:\{number}|(?!\{marker}))");
        format!("(?:{})", captured.map(one).collect::<String>())
    }

    /// Reads an escape that is allowed anywhere, after `\`.
    fn atom_escape(&mut self) -> Result<Atom, PatternProblem> {
        let Some(next) = self.input.next() else { return unsupported("a backslash at the end") };
        Ok(match next {
            'd' => Atom::Members(DIGITS),
            'D' => Atom::Complement(DIGITS),
            'w' => Atom::Members(WORD),
            'W' => Atom::Complement(WORD),
            's' => Atom::Members(SPACE),
            'S' => Atom::Complement(SPACE),
            'f' => Atom::Character(0xC),
            'n' => Atom::Character(0xA),
            'r' => Atom::Character(0xD),
            't' => Atom::Character(0x9),
            'v' => Atom::Character(0xB),
            '0' => Atom::Character(0),
            'c' => Atom::Character(self.input.next().map_or(0, u32::from) % 32),
            'x' => match self.input.hex(2) {
                Some(code) => Atom::Character(code),
                None => return unsupported("a broken escape"),
            },
            'u' => Atom::Character(self.unicode()?),
            'p' | 'P' => match (self.input.eat("{"), self.input.until('}')) {
                (true, Some(property)) => Atom::Property(format!("\\{next}{{{property}}}")),
                _ => return unsupported("a broken property"),
            },
            other => Atom::Character(u32::from(other)),
        })
    }

    /// Reads the text after `\u`: four digits, two halves of a pair, or any number of digits in braces.
    fn unicode(&mut self) -> Result<u32, PatternProblem> {
        if self.input.eat("{") {
            let digits = self.input.until('}').unwrap_or_default();
            return u32::from_str_radix(digits, 16).or_else(|_| unsupported("a broken escape"));
        }
        let Some(first) = self.input.hex(4) else { return unsupported("a broken escape") };
        let mut ahead = self.input;
        if (0xD800..0xDC00).contains(&first)
            && ahead.eat("\\u")
            && let Some(second) = ahead.hex(4).filter(|second| (0xDC00..0xE000).contains(second))
        {
            self.input = ahead;
            return Ok(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        }
        Ok(first)
    }

    /// Reads the text after `[`.
    fn class(&mut self) -> Result<String, PatternProblem> {
        let mut class = Class::new(self.input.eat("^"));
        while !self.input.eat("]") {
            let from = self.class_atom()?;
            let mut ahead = self.input;
            if ahead.eat("-")
                && ahead.peek() != Some(']')
                && let Atom::Character(from) = from
            {
                self.input = ahead;
                let Atom::Character(to) = self.class_atom()? else { return unsupported("a range to a class") };
                class.add_range(from, to);
                continue;
            }
            match from {
                Atom::Character(code) => class.add(code),
                Atom::Members(members) => class.add_members(members),
                Atom::Complement(members) => class.add_complement(members),
                Atom::Property(property) => class.add_members(&property),
            }
        }
        Ok(class.write())
    }

    fn class_atom(&mut self) -> Result<Atom, PatternProblem> {
        match self.input.next() {
            None => unsupported("a class is not closed"),
            Some('\\') if self.input.eat("b") => Ok(Atom::Character(0x8)),
            Some('\\') => self.atom_escape(),
            Some(other) => Ok(Atom::Character(u32::from(other))),
        }
    }
}
