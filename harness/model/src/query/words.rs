//! From the text of a filter to its words: terms that are not yet understood.

use super::error::{LONGEST, Problem, QueryError};
use super::pattern::{Mark, Pattern};

/// A term: `-key:value|value` or `flag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As it was typed.
    pub(super) text: String,
    /// Whether a `-` stands before it.
    pub(super) negated: bool,
    /// What stands before the colon; all of it, where there is none.
    pub(super) head: String,
    /// The alternatives after the colon.
    pub(super) value: Option<Vec<Pattern>>,
}

/// A character, and whether it stands in quotes.
type Letter = (char, bool);

/// Takes a filter apart.
pub(super) fn words(text: &str) -> Result<Vec<Word>, QueryError> {
    if text.chars().nth(LONGEST).is_some() {
        return Err(QueryError::new(text.chars().take(40).collect::<String>(), Problem::TooLong));
    }
    let mut words = Vec::new();
    let (mut typed, mut letters, mut quoted) = (String::new(), Vec::<Letter>::new(), false);
    for c in text.chars() {
        if matches!(c, ' ' | '\t' | '\r' | '\n') && !quoted {
            if !typed.is_empty() {
                words.push(word(std::mem::take(&mut typed), &letters)?);
                letters.clear();
            }
            continue;
        }
        typed.push(c);
        if c == '"' {
            quoted = !quoted;
        } else {
            letters.push((c, quoted));
        }
    }
    if quoted {
        return Err(QueryError::new(typed, Problem::UnclosedQuote));
    }
    if !typed.is_empty() {
        words.push(word(typed, &letters)?);
    }
    Ok(words)
}

fn word(text: String, letters: &[Letter]) -> Result<Word, QueryError> {
    let negated = letters.first() == Some(&('-', false));
    let letters = &letters[usize::from(negated)..];
    if letters.is_empty() {
        return Err(QueryError::new(text, Problem::EmptyTerm));
    }
    let colon = letters.iter().position(|letter| *letter == (':', false));
    let head: String = letters[..colon.unwrap_or(letters.len())].iter().map(|(c, _)| *c).collect();
    let value = match colon {
        Some(colon) => match alternatives(&letters[colon + 1..]) {
            Ok(value) => Some(value),
            Err(problem) => return Err(QueryError::new(text, problem)),
        },
        None => None,
    };
    Ok(Word { text, negated, head, value })
}

fn alternatives(letters: &[Letter]) -> Result<Vec<Pattern>, Problem> {
    let of = |letters: &[Letter]| match letters {
        [] => Err(Problem::NoValue),
        letters => letters.iter().copied().map(mark).collect::<Result<_, _>>().map(Pattern::new),
    };
    letters.split(|letter| *letter == ('|', false)).map(of).collect()
}

const fn mark(letter: Letter) -> Result<Mark, Problem> {
    match letter {
        ('*', false) => Ok(Mark::Any),
        ('?', false) => Ok(Mark::One),
        ('{' | '}', false) => Err(Problem::Braces),
        (c, _) => Ok(Mark::Char(c)),
    }
}
