//! Where the stages of the loader put the mistakes they find, so that none of them has to stop at the first.

use std::collections::HashSet;
use std::ops::Range;

use crate::parts::Parts;
use crate::room::{Room, Size};
use crate::words::nearest;
use crate::{Diagnostic, Diagnostics};

/// How often a word of a file is compared with one that it may have been meant to be.
const MOST_COMPARISONS: usize = 20_000;

/// Bytes of the file.
pub(crate) type Span = Range<usize>;

/// One file, and the mistakes found in it so far.
pub(crate) struct Sink<'f> {
    /// The file, as it was named to the loader.
    pub(crate) path: &'f str,
    /// What is in it.
    pub(crate) text: &'f str,
    /// What stands for `{{NAME}}` in JSON and raw text, while the file is read.
    pub(crate) parts: Parts,
    /// What the file may still become.
    pub(crate) room: Room,
    /// True if that was too little for something.
    pub(crate) is_full: bool,
    comparisons_left: usize,
    found: Vec<Diagnostic>,
    /// What was found, to know the same mistake again.
    known: HashSet<Diagnostic>,
}

impl<'f> Sink<'f> {
    pub(crate) fn new(path: &'f str, text: &'f str) -> Self {
        Self {
            path,
            text,
            parts: Parts::default(),
            room: Room::default(),
            is_full: false,
            comparisons_left: MOST_COMPARISONS,
            found: Vec::new(),
            known: HashSet::new(),
        }
    }

    /// A mistake in this file, yet to be reported.
    pub(crate) fn mistake(&self, span: &Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.path, span.clone(), message)
    }

    /// Takes in a mistake. The members of a family share most of their file, so the same one may come again.
    pub(crate) fn report(&mut self, mistake: Diagnostic) {
        if self.known.insert(mistake.clone()) {
            self.found.push(mistake);
        }
    }

    /// Returns whether there is room for what becomes part of a scenario. The first thing for which there is none is
    /// reported.
    pub(crate) fn has_room(&mut self, size: Size, span: &Span) -> bool {
        let Err(most) = self.room.take(size) else { return true };
        if !self.is_full {
            self.is_full = true;
            let mistake = self.mistake(span, "the scenarios of this file become too large").label(most);
            self.report(mistake);
        }
        false
    }

    /// The known word that `word` was probably meant to be. In a file with very many unknown words, those that come
    /// first are compared.
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

    /// The end: what was made of the file, if nothing is wrong with it.
    pub(crate) fn finish<T>(self, made: T) -> Result<T, Diagnostics> {
        if self.found.is_empty() { Ok(made) } else { Err(Diagnostics::of_file(self.path, self.text, self.found)) }
    }
}
