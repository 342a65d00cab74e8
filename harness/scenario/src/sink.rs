//! Collects the mistakes that the stages of the loader find, so that no stage has to stop at the first.

use std::collections::HashSet;
use std::ops::Range;

use crate::budget::{Budget, Size};
use crate::parts::Parts;
use crate::words::nearest;
use crate::{Diagnostic, Diagnostics};

/// Most comparisons between unknown and known words of a file.
const MOST_COMPARISONS: usize = 20_000;

/// Byte range of the file.
pub(crate) type Span = Range<usize>;

/// A file, and the mistakes found in it so far.
pub(crate) struct Sink<'f> {
    /// Path of the file, as the caller of the loader gave it.
    pub(crate) path: &'f str,
    /// Text of the file.
    pub(crate) text: &'f str,
    /// Parts that replace `{{NAME}}` in JSON and raw text while the file is read.
    pub(crate) parts: Parts,
    /// Remaining budget of the file.
    pub(crate) budget: Budget,
    /// True if the budget was exceeded.
    pub(crate) is_full: bool,
    comparisons_left: usize,
    found: Vec<Diagnostic>,
    /// Mistakes found so far, to drop repetitions.
    known: HashSet<Diagnostic>,
}

impl<'f> Sink<'f> {
    pub(crate) fn new(path: &'f str, text: &'f str) -> Self {
        Self {
            path,
            text,
            parts: Parts::default(),
            budget: Budget::default(),
            is_full: false,
            comparisons_left: MOST_COMPARISONS,
            found: Vec::new(),
            known: HashSet::new(),
        }
    }

    /// Creates a mistake in this file, without reporting it.
    pub(crate) fn mistake(&self, span: &Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.path, span.clone(), message)
    }

    /// Reports a mistake. The members of a family share most of their file, so a repetition is dropped.
    pub(crate) fn report(&mut self, mistake: Diagnostic) {
        if self.known.insert(mistake.clone()) {
            self.found.push(mistake);
        }
    }

    /// Returns whether the budget has room for something that becomes part of a scenario. The first excess is reported.
    pub(crate) fn fits_budget(&mut self, size: Size, span: &Span) -> bool {
        let Err(most) = self.budget.take(size) else { return true };
        if !self.is_full {
            self.is_full = true;
            let mistake = self.mistake(span, "the scenarios of this file become too large").label(most);
            self.report(mistake);
        }
        false
    }

    /// Returns the known word that is nearest to `word`. The number of comparisons for a file is limited.
    pub(crate) fn nearest<'w>(&mut self, word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
        let left = &mut self.comparisons_left;
        let counted = known.into_iter().take_while(|_| {
            *left = left.saturating_sub(1);
            *left > 0
        });
        nearest(word, counted)
    }

    /// Returns whether words are still compared.
    pub(crate) fn compares(&self) -> bool {
        self.comparisons_left > 0
    }

    /// Returns the result of loading the file, if it has no mistakes.
    pub(crate) fn finish<T>(self, made: T) -> Result<T, Diagnostics> {
        if self.found.is_empty() { Ok(made) } else { Err(Diagnostics::of_file(self.path, self.text, self.found)) }
    }
}
