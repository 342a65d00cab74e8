//! What is wrong with a filter.

use std::fmt;

use super::key::{FLAGS, KEYS};

/// The longest filter, in characters.
pub(super) const LONGEST: usize = 4000;

/// Why a filter cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The term, as it was typed.
    pub term: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The filter is longer than any that somebody types.
    TooLong,
    /// A quotation mark has no other one.
    UnclosedQuote,
    /// Nothing follows the `-`, or there is nothing between quotation marks.
    EmptyTerm,
    /// No key is called so.
    UnknownKey {
        /// What was typed.
        key: String,
        /// What comes near.
        near: Vec<String>,
    },
    /// No flag is called so.
    UnknownFlag {
        /// What was typed.
        word: String,
        /// What comes near.
        near: Vec<String>,
    },
    /// Nothing follows the colon, or an alternative is empty.
    NoValue,
    /// A brace outside quotation marks.
    Braces,
    /// A key whose values are listed has no such value.
    UnknownValue {
        /// The key.
        key: &'static str,
        /// What was typed.
        value: String,
        /// Every value of the key.
        known: Vec<&'static str>,
    },
    /// No cell of the run has such a name.
    UnknownName {
        /// The key.
        key: &'static str,
        /// What was typed.
        value: String,
        /// The names that come near.
        near: Vec<String>,
    },
    /// `count:` without something to count and a number.
    BadCount,
    /// `since:` that is negated, given twice, or does not name one run.
    BadSince,
    /// `changed:` or `since:`, and no earlier run to compare with.
    NoComparison,
}

impl QueryError {
    pub(super) fn new(term: impl Into<String>, problem: Problem) -> Self {
        Self { term: term.into(), problem }
    }

    /// The name of the mistake, for programs.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.problem {
            Problem::TooLong => "too-long",
            Problem::UnclosedQuote => "unclosed-quote",
            Problem::EmptyTerm => "empty-term",
            Problem::UnknownKey { .. } => "unknown-key",
            Problem::UnknownFlag { .. } => "unknown-flag",
            Problem::NoValue => "no-value",
            Problem::Braces => "braces",
            Problem::UnknownValue { .. } => "unknown-value",
            Problem::UnknownName { .. } => "unknown-name",
            Problem::BadCount => "bad-count",
            Problem::BadSince => "bad-since",
            Problem::NoComparison => "no-comparison",
        }
    }

    /// The names that come near to what was typed, or every value there is.
    #[must_use]
    pub fn near(&self) -> Vec<&str> {
        match &self.problem {
            Problem::UnknownKey { near, .. }
            | Problem::UnknownFlag { near, .. }
            | Problem::UnknownName { near, .. } => near.iter().map(String::as_str).collect(),
            Problem::UnknownValue { known, .. } => known.clone(),
            Problem::TooLong
            | Problem::UnclosedQuote
            | Problem::EmptyTerm
            | Problem::NoValue
            | Problem::Braces
            | Problem::BadCount
            | Problem::BadSince
            | Problem::NoComparison => Vec::new(),
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { term, problem } = self;
        let keys = || KEYS.map(|key| key.name()).join(", ");
        match problem {
            Problem::TooLong => write!(f, "the filter {term:?}… is longer than {LONGEST} characters: shorten it"),
            Problem::UnclosedQuote => {
                write!(f, "{term:?} in the filter has a quotation mark that is not closed: add one")
            }
            Problem::EmptyTerm => write!(f, "{term:?} in the filter is empty: write KEY:VALUE or a flag"),
            Problem::UnknownKey { key, near } => {
                write!(f, "the filter has no key {key:?}.{} The keys are {}", did_you_mean(near), keys())
            }
            Problem::UnknownFlag { word, near } => {
                let flags = FLAGS.map(|flag| flag.name()).join(", ");
                write!(f, "{word:?} is not a flag of the filter.{} ", did_you_mean(near))?;
                write!(f, "The flags are {flags}. Every other term is KEY:VALUE; the keys are {}", keys())
            }
            Problem::NoValue => write!(f, "{term:?} in the filter has no value: write KEY:VALUE or KEY:ONE|OTHER"),
            Problem::Braces => {
                write!(
                    f,
                    "{term:?} in the filter has a brace: write KEY:ONE|OTHER for alternatives, or \"…\" around it"
                )
            }
            Problem::UnknownValue { key, value, known } => {
                write!(f, "the filter knows no {key} {value:?}. The values of {key}: are {}", known.join(", "))
            }
            Problem::UnknownName { key, value, near } => {
                write!(f, "no {key} of these cells matches {value:?}.{}", did_you_mean(near))
            }
            Problem::BadCount => {
                write!(
                    f,
                    "{term:?} in the filter does not say what to count: write count:client=1, count:server<=2, "
                )?;
                write!(f, "count:client-family>=3 or count:server-family=1")
            }
            Problem::BadSince => {
                write!(f, "{term:?} in the filter does not name one earlier run: write since:RUN once, without `-`")
            }
            Problem::NoComparison => {
                write!(f, "{term:?} in the filter needs an earlier run to compare with: add since:RUN")
            }
        }
    }
}

impl std::error::Error for QueryError {}

fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(" Did you mean {}?", near.join(" or ")) }
}
