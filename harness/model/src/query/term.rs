//! The terms of a filter, and which cells each of them holds for.

use std::fmt::Write as _;

use super::census::{Census, Count};
use super::error::{Problem, QueryError};
use super::key::{FLAGS, Flag, KEYS, Key, NONE};
use super::pattern::Pattern;
use super::words::Word;
use crate::diff::Class;
use crate::near::near;
use crate::peer::PeerId;
use crate::record::CellRecord;

/// How many names an error suggests.
const SUGGESTED: usize = 3;

/// A term that is understood.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// As it was typed.
    pub(super) text: String,
    negated: bool,
    pub(super) test: Test,
}

/// What a term asks.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Flag(Flag),
    /// One of the values that the key lists.
    Word(Key, Vec<&'static str>),
    /// A name that one of the patterns matches.
    Name(Key, Vec<Pattern>),
    Count(Vec<Count>),
    /// The earlier run.
    Since(String),
}

impl Term {
    /// Understands a word.
    pub(super) fn read(word: Word) -> Result<Self, QueryError> {
        let Word { text, negated, head, value } = word;
        let test = match value {
            None => flag(&head),
            Some(value) => pair(&head, value, negated),
        };
        match test {
            Ok(test) => Ok(Self { text, negated, test }),
            Err(problem) => Err(QueryError::new(text, problem)),
        }
    }

    /// Whether it asks how a cell compares with an earlier run.
    pub(super) const fn is_about_change(&self) -> bool {
        matches!(self.test, Test::Word(Key::Changed, _) | Test::Since(_))
    }

    /// Whether it holds for a cell. `hits` notes which alternatives match.
    pub(super) fn holds(
        &self,
        cell: &CellRecord,
        class: Option<Class>,
        census: &Census<'_>,
        hits: &mut [bool],
        text: &mut String,
    ) -> bool {
        let holds = match &self.test {
            Test::Flag(flag) => flag.holds(cell, class),
            Test::Word(key, words) => words.contains(&key.word(cell, class)),
            Test::Count(counts) => counts.iter().any(|count| census.holds(*count, cell)),
            Test::Since(_) => class.is_some_and(|class| class != Class::Same),
            Test::Name(key, patterns) => {
                let mut any = false;
                names(*key, cell, text, &mut |name| {
                    for (pattern, hit) in patterns.iter().zip(hits.iter_mut()) {
                        if pattern.matches(name) || has_mode_of(*key, pattern, name) {
                            (*hit, any) = (true, true);
                        }
                    }
                });
                any
            }
        };
        holds != self.negated
    }

    /// How many alternatives there are of which one may match no cell at all.
    pub(super) fn alternatives(&self) -> usize {
        if let Test::Name(_, patterns) = &self.test { patterns.len() } else { 0 }
    }

    /// The first alternative that matches no cell.
    pub(super) fn without_hit(&self, hits: &[bool], cells: &[CellRecord]) -> Option<QueryError> {
        let Test::Name(key, patterns) = &self.test else { return None };
        let missed =
            patterns.iter().zip(hits).find(|(pattern, hit)| !**hit && pattern.plain().as_deref() != Some(NONE));
        let (pattern, _) = missed?;
        let mut known = std::collections::BTreeSet::new();
        let mut text = String::new();
        for cell in cells {
            names(*key, cell, &mut text, &mut |name| {
                known.insert(name.to_owned());
            });
        }
        known.remove(NONE);
        let near = near(&pattern.letters(), known.iter().map(String::as_str), SUGGESTED);
        let near = near.into_iter().map(str::to_owned).collect();
        let value = shown(pattern, &self.text);
        Some(QueryError::new(self.text.clone(), Problem::UnknownName { key: key.name(), value, near }))
    }
}

/// A pattern as it was typed, where it is the only one of its term.
fn shown(pattern: &Pattern, term: &str) -> String {
    pattern.plain().unwrap_or_else(|| term.split_once(':').map_or(term, |(_, value)| value).to_owned())
}

/// A pattern without a mode is about a peer in all its modes.
fn has_mode_of(key: Key, pattern: &Pattern, name: &str) -> bool {
    let is_peer = matches!(key, Key::Client | Key::Server);
    is_peer && !pattern.has('+') && name.split_once('+').is_some_and(|(name, _)| pattern.matches(name))
}

/// Every name that a cell has for a key; `none`, where it has none.
fn names(key: Key, cell: &CellRecord, text: &mut String, see: &mut dyn FnMut(&str)) {
    let mut peer = |peer: &PeerId| see(peer.as_str());
    match key {
        Key::Client => peer(&cell.client),
        Key::Server => peer(&cell.server),
        Key::Scenario => see(cell.scenario.as_str()),
        Key::Rule if cell.findings.is_empty() => see(NONE),
        Key::Rule => cell.findings.iter().for_each(|finding| see(&finding.rule)),
        Key::Cause => match &cell.signature {
            Some(cause) => {
                text.clear();
                // Writing into a string cannot fail.
                let _ = write!(text, "{cause}");
                see(text);
            }
            None => see(NONE),
        },
        Key::Known => match &cell.known {
            Some(known) => {
                see(&known.reason);
                known.issue.iter().for_each(|issue| see(issue));
            }
            None => see(NONE),
        },
        Key::Rating
        | Key::Outcome
        | Key::Fault
        | Key::Negotiated
        | Key::Transport
        | Key::Changed
        | Key::Count
        | Key::Since => {}
    }
}

fn flag(head: &str) -> Result<Test, Problem> {
    if let Some(flag) = FLAGS.into_iter().find(|flag| flag.name() == head) {
        return Ok(Test::Flag(flag));
    }
    let keys = KEYS.map(|key| format!("{}:", key.name()));
    let candidates = FLAGS.iter().map(|flag| flag.name()).chain(keys.iter().map(String::as_str));
    let near = near(head, candidates, SUGGESTED).into_iter().map(str::to_owned).collect();
    Err(Problem::UnknownFlag { word: head.to_owned(), near })
}

fn pair(head: &str, value: Vec<Pattern>, negated: bool) -> Result<Test, Problem> {
    let Some(key) = KEYS.into_iter().find(|key| key.name() == head) else {
        let candidates = KEYS.iter().map(|key| key.name()).chain(FLAGS.iter().map(|flag| flag.name()));
        let near = near(head, candidates, SUGGESTED).into_iter().map(str::to_owned).collect();
        return Err(Problem::UnknownKey { key: head.to_owned(), near });
    };
    match key {
        Key::Count => {
            let count = |pattern: &Pattern| pattern.plain().and_then(|text| Count::read(&text));
            value.iter().map(count).collect::<Option<_>>().map(Test::Count).ok_or(Problem::BadCount)
        }
        Key::Since => match value.as_slice() {
            [only] if !negated => only.plain().map(Test::Since).ok_or(Problem::BadSince),
            _ => Err(Problem::BadSince),
        },
        Key::Client
        | Key::Server
        | Key::Scenario
        | Key::Rule
        | Key::Cause
        | Key::Known
        | Key::Rating
        | Key::Outcome
        | Key::Fault
        | Key::Negotiated
        | Key::Transport
        | Key::Changed => match key.words() {
            None => Ok(Test::Name(key, value)),
            Some(words) => word_of(key, words, &value),
        },
    }
}

/// The listed values that the alternatives match.
fn word_of(key: Key, words: Vec<&'static str>, value: &[Pattern]) -> Result<Test, Problem> {
    if let Some(unknown) = value.iter().find(|pattern| !words.iter().any(|word| pattern.matches(word))) {
        return Err(Problem::UnknownValue { key: key.name(), value: unknown.letters(), known: words });
    }
    let matches = |word: &&str| value.iter().any(|pattern| pattern.matches(word));
    Ok(Test::Word(key, words.into_iter().filter(matches).collect()))
}
