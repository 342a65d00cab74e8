//! The filter over the cells of a run: one grammar for `show --where`, `report --where` and the address of the site.
//!
//! ```text
//! filter      terms with blanks between them; all of them hold
//! term        [-] flag, or [-] key:value; the minus negates it
//! flag        silent, vacuous, known, flaky
//! value       one or more alternatives with | between them; one of them holds
//! alternative * stands for anything, ? for one character; inside "…" every character stands for itself
//! ```
//!
//! | key | a cell has |
//! |---|---|
//! | `client`, `server` | this peer; a name without a mode is about all modes |
//! | `scenario` | this scenario |
//! | `rating`, `outcome`, `transport` | one of the values that they list |
//! | `fault`, `negotiated` | likewise, or `none` |
//! | `rule` | a finding of this rule, or `none` |
//! | `cause` | this signature, or `none` |
//! | `known` | a known break with this reason or issue, or `none` |
//! | `changed` | this [`Class`] of change, compared with the earlier run |
//! | `count` | a break whose cause (whose scenario, where it has no cause) is that of so many: `client=1`, `server>=2`, `client-family<=3` |
//! | `since` | changed at all since this earlier run; beside `changed`, only the run that it compares with |
//!
//! Nothing is ignored. An unknown key, flag or value is an error, and so is a name that no cell of the run has.
//!
//! `cases.json` holds filters with the cells that they select. Every implementation of the grammar is tested with it.

mod census;
mod error;
mod key;
mod pattern;
mod term;
#[cfg(test)]
mod tests;
mod words;

pub use error::{Problem, QueryError};

use crate::diff::Class;
use crate::record::CellRecord;
use census::{Census, Count};
use term::{Term, Test};

/// A filter over cells.
#[derive(Clone, Debug)]
pub struct Query {
    text: String,
    terms: Vec<Term>,
}

/// How a cell compares with the earlier run.
pub type ClassOf<'f> = &'f dyn Fn(&CellRecord) -> Option<Class>;

impl Query {
    /// Reads a filter.
    ///
    /// # Errors
    /// If it cannot be read, or a key, a flag or a listed value is unknown.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let terms = words::words(text)?.into_iter().map(Term::read).collect::<Result<Vec<_>, _>>()?;
        let mut since = terms.iter().filter(|term| matches!(term.test, Test::Since(_)));
        if let (Some(_), Some(second)) = (since.next(), since.next()) {
            return Err(QueryError::new(second.text.clone(), Problem::BadSince));
        }
        Ok(Self { text: text.to_owned(), terms })
    }

    /// The filter as it was typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The earlier run that it compares with.
    #[must_use]
    pub fn since(&self) -> Option<&str> {
        self.terms.iter().find_map(|term| if let Test::Since(run) = &term.test { Some(run.as_str()) } else { None })
    }

    /// Selects the cells for which all terms hold, in their order. It takes time in proportion to the cells.
    ///
    /// # Errors
    /// If a name in it is not that of any cell, or a term is about changes and `class_of` is absent.
    pub fn select<'c>(
        &self,
        cells: &'c [CellRecord],
        class_of: Option<ClassOf<'_>>,
    ) -> Result<Vec<&'c CellRecord>, QueryError> {
        if class_of.is_none()
            && let Some(term) = self.terms.iter().find(|term| term.is_about_change())
        {
            return Err(QueryError::new(term.text.clone(), Problem::NoComparison));
        }
        let census = Census::of(cells, &self.counts());
        // Beside `changed`, `since` says only which run is compared.
        let compares = |term: &&Term| term.is_about_change() && !matches!(term.test, Test::Since(_));
        let selects: Vec<bool> = match self.terms.iter().find(compares) {
            Some(_) => self.terms.iter().map(|term| !matches!(term.test, Test::Since(_))).collect(),
            None => vec![true; self.terms.len()],
        };
        let mut hits: Vec<Vec<bool>> = self.terms.iter().map(|term| vec![false; term.alternatives()]).collect();
        let mut text = String::new();
        let mut selected = Vec::new();
        for cell in cells {
            let class = class_of.and_then(|class_of| class_of(cell));
            let mut all = true;
            // Every term looks at every cell, so that a name that no cell has is noticed.
            for ((term, hits), selects) in self.terms.iter().zip(&mut hits).zip(&selects) {
                all &= term.holds(cell, class, &census, hits, &mut text) || !selects;
            }
            if all {
                selected.push(cell);
            }
        }
        let unknown = || self.terms.iter().zip(&hits).find_map(|(term, hits)| term.without_hit(hits, cells));
        match if cells.is_empty() { None } else { unknown() } {
            Some(error) => Err(error),
            None => Ok(selected),
        }
    }

    fn counts(&self) -> Vec<Count> {
        let counts =
            self.terms.iter().filter_map(|term| if let Test::Count(counts) = &term.test { Some(counts) } else { None });
        counts.flatten().copied().collect()
    }
}
