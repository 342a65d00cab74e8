//! Regular expressions, in the dialect of whoever reads the schema.
//!
//! JSON Schema says that a `pattern` is an ECMA-262 regular expression, to be read with the `u` flag. Ajv does that; Python's
//! `jsonschema` compiles the same text with `re`. Both refuse what the other takes. The validator has one engine, so a pattern
//! is first checked by the rules of its dialect, then written in the syntax of that engine with the same meaning.
//!
//! Approximations: a group that is captured in one turn of a loop keeps its text in the next, which ECMA-262 clears;
//! matching that ignores case folds as Unicode does; an escape for half a surrogate pair matches nothing.

mod ecma;
mod literal;
mod python;

/// The rules by which a regular expression is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PatternDialect {
    /// ECMA-262 with the `u` flag, as JSON Schema recommends and Ajv reads. The crate `regress` says what is valid, by the
    /// current edition: older engines do not know its modifiers (`(?i:a)`) yet.
    #[default]
    Ecma262,
    /// Python's `re`, as of 3.11.
    Python,
}

/// Patterns longer than this are not read.
const LENGTH: usize = 20_000;

impl PatternDialect {
    /// Describes a pattern of the dialect.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Ecma262 => "an ECMA-262 regular expression",
            Self::Python => "a regular expression of Python",
        }
    }

    /// Checks that a pattern is valid.
    ///
    /// # Errors
    /// Fails with the reason if it is not.
    pub fn check(self, pattern: &str) -> Result<(), String> {
        match self.translate(pattern) {
            Ok(_) | Err(PatternProblem::Unsupported(_)) => Ok(()),
            Err(PatternProblem::Invalid(reason)) => Err(reason),
        }
    }

    /// The pattern in the syntax of the validator's engine.
    ///
    /// # Errors
    /// Fails if it is invalid, or the engine has nothing that means the same.
    pub(crate) fn translate(self, pattern: &str) -> Result<String, PatternProblem> {
        if pattern.len() > LENGTH {
            return Err(PatternProblem::Unsupported(format!("the pattern has more than {LENGTH} bytes")));
        }
        match self {
            Self::Ecma262 => ecma::translate(pattern),
            Self::Python => python::translate(pattern),
        }
    }
}

/// Reason for which a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternProblem {
    /// It is no regular expression of the dialect.
    Invalid(String),
    /// It is valid, but the engine of the validator cannot run it.
    Unsupported(String),
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, PatternProblem> {
    Err(PatternProblem::Invalid(reason.into()))
}

fn unsupported<T>(reason: impl Into<String>) -> Result<T, PatternProblem> {
    Err(PatternProblem::Unsupported(reason.into()))
}

/// A place in a pattern.
#[derive(Clone, Copy, Debug)]
struct Scanner<'p> {
    rest: &'p str,
}

impl<'p> Scanner<'p> {
    const fn new(pattern: &'p str) -> Self {
        Self { rest: pattern }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// Takes these characters if they come next.
    fn eat(&mut self, wanted: &str) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes what comes before the next `end`, and that.
    fn until(&mut self, end: char) -> Option<&'p str> {
        let (before, after) = self.rest.split_once(end)?;
        self.rest = after;
        Some(before)
    }

    /// Takes as many characters of a kind as there are, up to a number.
    fn take_while(&mut self, most: usize, kind: impl Fn(char) -> bool) -> &'p str {
        let end = self.rest.char_indices().enumerate().find(|(nth, (_, c))| *nth == most || !kind(*c));
        let (taken, rest) = self.rest.split_at(end.map_or(self.rest.len(), |(_, (at, _))| at));
        self.rest = rest;
        taken
    }

    /// Takes exactly this many hexadecimal digits.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let taken = self.take_while(digits, |c| c.is_ascii_hexdigit());
        if taken.len() == digits { u32::from_str_radix(taken, 16).ok() } else { None }
    }
}

#[cfg(test)]
mod tests;
