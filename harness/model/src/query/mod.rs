//! Filter over the cells of a run: one grammar for `show --where`, `report --where` and the pages of the site.
//!
//! ```text
//! filter   terms with blanks between them; a cell must meet all of them
//! term     [-]key:glob[|glob]...; the minus negates the term, | separates alternatives
//! glob     * stands for any text, ? for one character
//! ```
//!
//! | key | values of a cell |
//! |---|---|
//! | `client`, `server` | the peer, with and without its mode |
//! | `scenario` | the scenario |
//! | `rating`, `outcome`, `transport` | a listed word |
//! | `fault`, `negotiated` | a listed word, or `none` |
//! | `rule` | the rules of its findings, or `none` |
//! | `cause` | its signature, or `none` |
//! | `known` | reason and issue of the known break, or `none` |
//! | `is` | `silent`, `vacuous`, `known`, `flaky`, as far as they apply |
//! | `changed` | the [`Class`] of change, compared with an earlier run |
//!
//! An unknown key is an error, and so is a glob that matches no listed word and no cell of the run.
//!
//! `cases.json` holds filters with the cells that they select. The filter of the site is tested with the same file.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::diff::Class;
use crate::named::named;
use crate::record::CellRecord;
use crate::verdict::{Fault, Outcome, Rating};
use crate::{PeerId, Revision, Transport};

/// Value of a cell that lacks what the key asks for.
const NONE: &str = "none";

/// Marks that were terms of their own in earlier releases.
const MARKS: [&str; 4] = ["silent", "vacuous", "known", "flaky"];

/// Class of a cell, compared with the earlier run.
pub type ClassOf<'f> = &'f dyn Fn(&CellRecord) -> Class;

/// A filter over cells.
#[derive(Clone, Debug)]
pub struct Query {
    text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
struct Term {
    text: String,
    negated: bool,
    key: Key,
    globs: Vec<String>,
}

named! {
    enum Key {
        Client = "client",
        Server = "server",
        Scenario = "scenario",
        Rating = "rating",
        Outcome = "outcome",
        Fault = "fault",
        Rule = "rule",
        Negotiated = "negotiated",
        Transport = "transport",
        Cause = "cause",
        Known = "known",
        Is = "is",
        Changed = "changed",
    }
}

impl Query {
    /// Reads a filter.
    ///
    /// # Errors
    /// If a term is not `key:glob`, or its key is unknown.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let terms = text.split([' ', '\t', '\r', '\n']).filter(|term| !term.is_empty());
        Ok(Self { text: text.to_owned(), terms: terms.map(Term::parse).collect::<Result<_, _>>()? })
    }

    /// Text of the filter, as it was typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Selects the cells that meet all terms, in their order.
    ///
    /// # Errors
    /// If a glob matches nothing, or a term is about changes and `class_of` is absent.
    pub fn select<'c>(
        &self,
        cells: &'c [CellRecord],
        class_of: Option<ClassOf<'_>>,
    ) -> Result<Vec<&'c CellRecord>, QueryError> {
        if let Some(term) = self.terms.iter().find(|term| term.key == Key::Changed && class_of.is_none()) {
            return Err(QueryError::new(&term.text, Problem::NoComparison));
        }
        let mut selected = vec![true; cells.len()];
        for term in &self.terms {
            let mut hits = vec![false; term.globs.len()];
            for (cell, selected) in cells.iter().zip(&mut selected) {
                *selected &= term.holds(cell, class_of, &mut hits);
            }
            if let Some(error) = term.without_match(&hits, cells.is_empty()) {
                return Err(error);
            }
        }
        Ok(cells.iter().zip(selected).filter(|(_, selected)| *selected).map(|(cell, _)| cell).collect())
    }
}

impl Term {
    fn parse(text: &str) -> Result<Self, QueryError> {
        let error = |problem| Err(QueryError::new(text, problem));
        let negated = text.starts_with('-');
        let pair = text.strip_prefix('-').unwrap_or(text);
        if let Some(hint) = of_earlier_release(pair, negated) {
            return error(Problem::OldForm(hint));
        }
        let Some((head, value)) = pair.split_once(':') else { return error(Problem::NotKeyGlob) };
        let Some(key) = Key::named(head) else { return error(Problem::UnknownKey) };
        if value.split('|').any(str::is_empty) {
            return error(Problem::NotKeyGlob);
        }
        Ok(Self { text: text.to_owned(), negated, key, globs: value.split('|').map(str::to_owned).collect() })
    }

    /// Returns whether a cell meets the term, and notes in `hits` which globs match a value of it.
    fn holds(&self, cell: &CellRecord, class_of: Option<ClassOf<'_>>, hits: &mut [bool]) -> bool {
        let mut any = false;
        self.key.each_value(cell, class_of, &mut |value| {
            for (glob, hit) in self.globs.iter().zip(hits.iter_mut()) {
                if matches(glob, value) {
                    (*hit, any) = (true, true);
                }
            }
        });
        any != self.negated
    }

    /// Error for the first glob that matches no listed word and no cell. In an empty run, any name may be right.
    fn without_match(&self, hits: &[bool], is_empty_run: bool) -> Option<QueryError> {
        let words = self.key.words();
        let is_listed = words.len() > 1;
        if is_empty_run && !is_listed {
            return None;
        }
        let missed = |(glob, hit): &(&String, &bool)| !**hit && !words.iter().any(|word| matches(glob, word));
        let (glob, _) = self.globs.iter().zip(hits).find(missed)?;
        let key = self.key.as_str();
        let words = if is_listed { words } else { Vec::new() };
        Some(QueryError::new(&self.text, Problem::NoMatch { key, glob: glob.clone(), words }))
    }
}

impl Key {
    /// Words that a filter may name even if no cell of the run has them.
    fn words(self) -> Vec<&'static str> {
        match self {
            Self::Rating => Rating::ALL.map(Rating::as_str).to_vec(),
            Self::Outcome => Outcome::ALL.map(Outcome::as_str).to_vec(),
            Self::Transport => Transport::ALL.map(Transport::as_str).to_vec(),
            Self::Changed => Class::ALL.map(Class::as_str).to_vec(),
            Self::Is => MARKS.to_vec(),
            Self::Fault => Fault::ALL.map(Fault::as_str).into_iter().chain([NONE]).collect(),
            Self::Negotiated => Revision::ALL.map(Revision::as_str).into_iter().chain([NONE]).collect(),
            Self::Rule | Self::Cause | Self::Known => vec![NONE],
            Self::Client | Self::Server | Self::Scenario => Vec::new(),
        }
    }

    /// Shows each value of a cell to `see`.
    fn each_value(self, cell: &CellRecord, class_of: Option<ClassOf<'_>>, see: &mut dyn FnMut(&str)) {
        match self {
            Self::Client => each_name(&cell.client, see),
            Self::Server => each_name(&cell.server, see),
            Self::Scenario => see(cell.scenario.as_str()),
            Self::Rating => see(cell.rating.as_str()),
            Self::Outcome => see(cell.outcome.as_str()),
            Self::Fault => see(cell.fault.map_or(NONE, Fault::as_str)),
            Self::Negotiated => see(cell.negotiated.map_or(NONE, Revision::as_str)),
            Self::Transport => see(cell.transport.as_str()),
            Self::Rule if cell.findings.is_empty() => see(NONE),
            Self::Rule => cell.findings.iter().for_each(|finding| see(&finding.rule)),
            Self::Cause => match &cell.signature {
                Some(cause) => see(&cause.to_string()),
                None => see(NONE),
            },
            Self::Known => match &cell.known {
                Some(known) => {
                    [Some(&known.reason), known.issue.as_ref()].into_iter().flatten().for_each(|text| see(text))
                }
                None => see(NONE),
            },
            Self::Is => {
                let is_flaky = cell.known.as_ref().is_some_and(|known| known.flaky);
                let marks = MARKS.into_iter().zip([cell.silent, cell.vacuous, cell.known.is_some(), is_flaky]);
                marks.filter(|(_, applies)| *applies).for_each(|(mark, _)| see(mark));
            }
            Self::Changed => class_of.into_iter().for_each(|class_of| see(class_of(cell).as_str())),
        }
    }
}

/// Shows the id of a peer to `see`, and its name without the mode.
fn each_name(peer: &PeerId, see: &mut dyn FnMut(&str)) {
    see(peer.as_str());
    if let Some((name, _)) = peer.as_str().split_once('+') {
        see(name);
    }
}

/// Returns whether a glob matches a whole text, in at most the product of their lengths.
fn matches(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (glob.chars(), text.chars());
    // Rest of the glob after the last star, and rest of the text from which it is tried next.
    let mut retry: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let text_here = text.clone();
        match (glob.next(), text.next()) {
            (Some('*'), _) => {
                text = text_here.clone();
                retry = Some((glob.clone(), text_here));
            }
            (None, None) => return true,
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            _ => {
                let Some((after_star, from)) = retry.as_mut() else { return false };
                if from.next().is_none() {
                    return false;
                }
                (glob, text) = (after_star.clone(), from.clone());
            }
        }
    }
}

/// Term to write in place of one that earlier releases had.
fn of_earlier_release(term: &str, negated: bool) -> Option<String> {
    if term.contains('"') {
        return Some("quotation marks are gone: write ? for a blank".to_owned());
    }
    if MARKS.contains(&term) {
        return Some(format!("write {}is:{term}", if negated { "-" } else { "" }));
    }
    match term.split_once(':') {
        Some(("count", _)) => {
            Some("a filter no longer counts; reports list the clients and servers of each cause".to_owned())
        }
        Some(("since", run)) => Some(format!("write --since {run}; pages compare with the run before")),
        _ => None,
    }
}

/// A term that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The term, as it was typed.
    pub term: String,
    /// The mistake in it.
    pub problem: Problem,
}

/// A mistake in a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The term has no colon, or an empty glob.
    NotKeyGlob,
    /// No key has this name.
    UnknownKey,
    /// A term of an earlier release, with the hint what to write today.
    OldForm(String),
    /// The glob matches no listed word and no cell.
    NoMatch {
        /// Name of the key.
        key: &'static str,
        /// The glob.
        glob: String,
        /// Every word of the key, if it lists them.
        words: Vec<&'static str>,
    },
    /// The term is about changes, and there is no earlier run.
    NoComparison,
}

impl QueryError {
    fn new(term: &str, problem: Problem) -> Self {
        Self { term: term.to_owned(), problem }
    }

    /// Name of the mistake, for programs.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.problem {
            Problem::NotKeyGlob => "not-key-glob",
            Problem::UnknownKey => "unknown-key",
            Problem::OldForm(_) => "old-form",
            Problem::NoMatch { .. } => "no-match",
            Problem::NoComparison => "no-comparison",
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { term, problem } = self;
        let keys = Key::ALL.map(Key::as_str).join(", ");
        match problem {
            Problem::NotKeyGlob => {
                write!(f, "{term:?} in the filter is not KEY:GLOB, such as rating:breaks. The keys are {keys}")
            }
            Problem::UnknownKey => write!(f, "{term:?} in the filter has an unknown key. The keys are {keys}"),
            Problem::OldForm(hint) => write!(f, "{term:?} is no longer a term of the filter: {hint}"),
            Problem::NoMatch { key, glob, words } if words.is_empty() => {
                write!(f, "no check has a {key} that matches {glob:?}")
            }
            Problem::NoMatch { key, glob, words } => {
                write!(f, "no value of {key}: matches {glob:?}. The values are {}", words.join(", "))
            }
            Problem::NoComparison => {
                write!(f, "{term:?} in the filter needs an earlier run to compare with: add --since RUN")
            }
        }
    }
}

impl std::error::Error for QueryError {}
