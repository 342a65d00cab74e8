//! Regular expressions of Python's `re`, as its parser of 3.11 reads them (`Lib/re/_parser.py`).
//!
//! One pass checks a pattern and writes it for the validator's engine. Names of characters (`\N{DIGIT ONE}`) are not looked up.

use super::literal::{Captured, Class, character, word_boundary};
use super::{PatternProblem, Scanner, invalid, unsupported};

/// Depth up to which groups may be nested.
const DEPTH: usize = 100;

/// A repetition count that `re` refuses.
const TOO_OFTEN: u64 = 4_294_967_295;

/// The pattern for the validator's engine.
pub(super) fn translate(pattern: &str) -> Result<String, PatternProblem> {
    let mut reader = Reader {
        input: Scanner::new(pattern),
        groups: Vec::new(),
        flags: Flags::default(),
        depth: 0,
        highest_condition: 0,
        written: 0,
        asks_for_groups: pattern.contains("(?("),
    };
    let whole = reader.alternatives(true)?;
    if reader.input.peek().is_some() {
        return invalid("unbalanced parenthesis");
    }
    if reader.highest_condition > reader.groups.len() {
        return invalid("invalid group reference");
    }
    Ok(if reader.flags.ignore_case { format!("(?i:{})", whole.text) } else { whole.text })
}

/// The flags that apply at a place.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
    verbose: bool,
    ascii: bool,
}

/// A capturing group.
struct Group<'p> {
    name: Option<&'p str>,
    /// Its width, and its number in the written pattern. `None` while it is open.
    closed: Option<(Width, Captured)>,
}

/// Number of characters that a piece matches, at least and at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Width {
    least: u64,
    most: u64,
}

/// Part of a pattern, written for the engine.
struct Piece {
    text: String,
    width: Width,
    kind: Kind,
    /// Number of groups that were written before it.
    after: usize,
}

/// Kind of a piece, which decides about a quantifier after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A position: `^`, `$`, `\b` and the like.
    Position,
    Repeated,
    /// A lookahead or lookbehind, which the engine does not repeat.
    Lookaround,
    Other,
}

struct Reader<'p> {
    input: Scanner<'p>,
    groups: Vec<Group<'p>>,
    flags: Flags,
    depth: usize,
    /// The highest number of a group that a condition asks about.
    highest_condition: usize,
    /// Number of groups that were written.
    written: usize,
    /// Set if there are conditions on groups.
    asks_for_groups: bool,
}

impl Width {
    const ONE: Self = Self { least: 1, most: 1 };

    const fn then(self, next: Self) -> Self {
        Self { least: self.least.saturating_add(next.least), most: self.most.saturating_add(next.most) }
    }

    fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

impl Piece {
    fn other(text: impl Into<String>, width: Width) -> Self {
        Self { text: text.into(), width, kind: Kind::Other, after: usize::MAX }
    }

    fn position(text: impl Into<String>) -> Self {
        Self { text: text.into(), width: Width::default(), kind: Kind::Position, after: usize::MAX }
    }
}

impl<'p> Reader<'p> {
    /// Alternatives, up to the end of the group or of the pattern.
    fn alternatives(&mut self, outermost: bool) -> Result<Piece, PatternProblem> {
        self.depth += 1;
        if self.depth > DEPTH {
            return unsupported("groups are nested too deep");
        }
        let mut all = self.sequence(outermost)?;
        while self.input.eat("|") {
            let next = self.sequence(false)?;
            all.text.push('|');
            all.text.push_str(&next.text);
            all.width = all.width.or(next.width);
        }
        self.depth -= 1;
        Ok(all)
    }

    fn sequence(&mut self, first: bool) -> Result<Piece, PatternProblem> {
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some(next) = self.input.peek().filter(|next| !matches!(next, '|' | ')')) {
            self.input.next();
            let after = self.written;
            match next {
                ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' if self.flags.verbose => {}
                '#' if self.flags.verbose => drop(self.input.take_while(usize::MAX, |c| c != '\n')),
                '*' | '+' | '?' => self.repeat(next, &mut pieces)?,
                '{' => match self.bounds()? {
                    Some(bounds) => self.repeat_between(bounds, &mut pieces)?,
                    None => pieces.push(Piece::other(r"\{", Width::ONE)),
                },
                '(' => {
                    let group = self.group(first && pieces.is_empty())?;
                    pieces.extend(group.map(|group| Piece { after, ..group }));
                }
                _ => pieces.push(self.atom(next)?),
            }
        }
        let width = pieces.iter().fold(Width::default(), |sum, piece| sum.then(piece.width));
        Ok(Piece::other(pieces.into_iter().map(|piece| piece.text).collect::<String>(), width))
    }

    fn atom(&mut self, next: char) -> Result<Piece, PatternProblem> {
        Ok(match next {
            '\\' => self.escape()?,
            '[' => Piece::other(self.class()?, Width::ONE),
            '.' => Piece::other(if self.flags.dot_all { "(?s:.)" } else { r"[^\u{a}]" }, Width::ONE),
            '^' => Piece::position(if self.flags.multiline { "(?m:^)" } else { "^" }),
            '$' => Piece::position(if self.flags.multiline { "(?m:$)" } else { r"(?=\u{a}?$)" }),
            other => Piece::other(character(u32::from(other)), Width::ONE),
        })
    }

    fn repeat(&mut self, sign: char, pieces: &mut Vec<Piece>) -> Result<(), PatternProblem> {
        let (least, most) = match sign {
            '*' => (0, None),
            '+' => (1, None),
            _ => (0, Some(1)),
        };
        self.repeat_between((least, most), pieces)
    }

    /// Reads the text after `{`, if it is a quantifier.
    fn bounds(&mut self) -> Result<Option<(u64, Option<u64>)>, PatternProblem> {
        let mut ahead = self.input;
        if ahead.peek() == Some('}') {
            return Ok(None);
        }
        let least = ahead.take_while(usize::MAX, |c| c.is_ascii_digit());
        let most = if ahead.eat(",") { ahead.take_while(usize::MAX, |c| c.is_ascii_digit()) } else { least };
        if !ahead.eat("}") {
            return Ok(None);
        }
        self.input = ahead;
        let number = |digits: &str| match digits.parse() {
            Ok(number) if number < TOO_OFTEN => Ok(number),
            _ => invalid("the repetition number is too large"),
        };
        let least = if least.is_empty() { 0 } else { number(least)? };
        let most = if most.is_empty() { None } else { Some(number(most)?) };
        if most.is_some_and(|most| most < least) {
            return invalid("min repeat greater than max repeat");
        }
        Ok(Some((least, most)))
    }

    fn repeat_between(
        &mut self,
        (least, most): (u64, Option<u64>),
        pieces: &mut Vec<Piece>,
    ) -> Result<(), PatternProblem> {
        let piece = match pieces.pop() {
            None => return invalid("nothing to repeat"),
            Some(piece) if piece.kind == Kind::Position => return invalid("nothing to repeat"),
            Some(piece) if piece.kind == Kind::Repeated => return invalid("multiple repeat"),
            Some(piece) => piece,
        };
        let kind = if self.input.eat("?") {
            "?"
        } else if self.input.eat("+") {
            if piece.after < self.written {
                return unsupported("a possessive repetition of a group");
            }
            self.written += 1;
            "+"
        } else {
            ""
        };
        let bounds = match (least, most) {
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (0, Some(1)) => "?".to_owned(),
            (least, None) => format!("{{{least},}}"),
            (least, Some(most)) if least == most => format!("{{{least}}}"),
            (least, Some(most)) => format!("{{{least},{most}}}"),
        };
        let text = match kind {
            _ if piece.kind == Kind::Lookaround && least == 0 => format!("(?:{}|)", piece.text),
            _ if piece.kind == Kind::Lookaround => piece.text,
            "+" => format!(r"(?:(?=({}{bounds}))\{})", piece.text, self.written),
            kind => format!("{}{bounds}{kind}", piece.text),
        };
        let width = Width {
            least: piece.width.least.saturating_mul(least),
            most: piece.width.most.saturating_mul(most.unwrap_or(TOO_OFTEN)),
        };
        pieces.push(Piece { text, width, kind: Kind::Repeated, after: piece.after });
        Ok(())
    }

    /// Reads the text after `\` outside of a class.
    fn escape(&mut self) -> Result<Piece, PatternProblem> {
        let one = |text: String| Ok(Piece::other(text, Width::ONE));
        match self.input.peek() {
            Some(kind @ ('b' | 'B' | 'A' | 'Z')) => {
                self.input.next();
                Ok(Piece::position(match kind {
                    'A' => "^".to_owned(),
                    'Z' => "$".to_owned(),
                    kind => word_boundary(self.word(), kind == 'b'),
                }))
            }
            Some('0') => {
                let octal = self.input.take_while(3, |c| c.is_digit(8));
                one(character(u32::from_str_radix(octal, 8).unwrap_or(0)))
            }
            Some('1'..='9') => {
                let mut ahead = self.input;
                let octal = ahead.take_while(3, |c| c.is_digit(8));
                if octal.len() == 3 {
                    self.input = ahead;
                    return one(character(octal_code(octal)?));
                }
                let number = self.input.take_while(2, |c| c.is_ascii_digit()).parse().unwrap_or(usize::MAX);
                self.back_reference(number)
            }
            _ => match self.class_escape(false)? {
                Member::Character(code) => one(character(code)),
                Member::Members(members) => one(format!("[{members}]")),
                Member::Complement(members) => one(format!("[^{members}]")),
            },
        }
    }

    fn back_reference(&mut self, number: usize) -> Result<Piece, PatternProblem> {
        let Some(group) = number.checked_sub(1).and_then(|index| self.groups.get(index)) else {
            return invalid(format!("invalid group reference {number}"));
        };
        let Some((width, captured)) = group.closed else { return invalid("cannot refer to an open group") };
        Ok(Piece::other(format!(r"(?:\{})", captured.number), width))
    }

    fn word(&self) -> &'static str {
        if self.flags.ascii { "0-9A-Za-z_" } else { r"\p{L}\p{N}_" }
    }

    /// Reads an escape that is allowed in a class, after `\`. Most of them are allowed elsewhere, too.
    fn class_escape(&mut self, in_class: bool) -> Result<Member, PatternProblem> {
        let digit = if self.flags.ascii { "0-9" } else { r"\p{Nd}" };
        let space = if self.flags.ascii { r"\u{9}-\u{d}\u{20}" } else { r"\p{White_Space}\u{1c}-\u{1f}" };
        let Some(next) = self.input.next() else { return invalid("bad escape (end of pattern)") };
        let mut hex = |digits| match self.input.hex(digits) {
            Some(code) if code <= 0x10_FFFF => Ok(Member::Character(code)),
            _ => invalid(format!("incomplete escape \\{next}")),
        };
        Ok(match next {
            'd' => Member::Members(digit),
            'D' => Member::Complement(digit),
            's' => Member::Members(space),
            'S' => Member::Complement(space),
            'w' => Member::Members(self.word()),
            'W' => Member::Complement(self.word()),
            'x' => hex(2)?,
            'u' => hex(4)?,
            'U' => hex(8)?,
            'N' if self.input.eat("{") => return unsupported("the name of a character"),
            'a' => Member::Character(0x7),
            'b' if in_class => Member::Character(0x8),
            'f' => Member::Character(0xC),
            'n' => Member::Character(0xA),
            'r' => Member::Character(0xD),
            't' => Member::Character(0x9),
            'v' => Member::Character(0xB),
            '0'..='7' if in_class => {
                let more = self.input.take_while(2, |c| c.is_digit(8));
                Member::Character(octal_code(&format!("{next}{more}"))?)
            }
            letter if letter.is_ascii_alphanumeric() => return invalid(format!("bad escape \\{letter}")),
            other => Member::Character(u32::from(other)),
        })
    }

    /// Reads the text after `[`.
    fn class(&mut self) -> Result<String, PatternProblem> {
        let mut class = Class::new(self.input.eat("^"));
        let mut first = true;
        while first || !self.input.eat("]") {
            first = false;
            let from = self.class_member()?;
            let mut ahead = self.input;
            if ahead.eat("-") && ahead.peek() != Some(']') {
                self.input = ahead;
                let to = self.class_member()?;
                let (Member::Character(from), Member::Character(to)) = (from, to) else {
                    return invalid("bad character range");
                };
                if to < from {
                    return invalid("bad character range");
                }
                class.add_range(from, to);
                continue;
            }
            match from {
                Member::Character(code) => class.add(code),
                Member::Members(members) => class.add_members(members),
                Member::Complement(members) => class.add_complement(members),
            }
        }
        Ok(class.write())
    }

    fn class_member(&mut self) -> Result<Member, PatternProblem> {
        match self.input.next() {
            None => invalid("unterminated character set"),
            Some('\\') => self.class_escape(true),
            Some(other) => Ok(Member::Character(u32::from(other))),
        }
    }
}

/// One member of a class.
enum Member {
    Character(u32),
    Members(&'static str),
    Complement(&'static str),
}

fn octal_code(digits: &str) -> Result<u32, PatternProblem> {
    match u32::from_str_radix(digits, 8) {
        Ok(code) if code <= 0o377 => Ok(code),
        _ => invalid(format!("octal escape value \\{digits} outside of range 0-0o377")),
    }
}

mod groups;
