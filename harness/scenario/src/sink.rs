//! Where the stages of the loader put the mistakes they find, so that none of them has to stop at the first.

use std::collections::HashSet;
use std::ops::Range;

use crate::parts::Parts;
use crate::{Diagnostic, Diagnostics};

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
    found: Vec<Diagnostic>,
    /// The places and messages of what was found, to find the same mistake again.
    known: HashSet<(usize, usize, String)>,
}

impl<'f> Sink<'f> {
    pub(crate) fn new(path: &'f str, text: &'f str) -> Self {
        Self { path, text, parts: Parts::default(), found: Vec::new(), known: HashSet::new() }
    }

    /// A mistake in this file, yet to be reported.
    pub(crate) fn mistake(&self, span: &Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.path, span.clone(), message)
    }

    /// Takes in a mistake. The members of a family share most of their file, so the same one may come again.
    pub(crate) fn report(&mut self, mistake: Diagnostic) {
        let key = (mistake.span.start, mistake.span.end, mistake.message.clone());
        if self.known.insert(key) || !self.found.contains(&mistake) {
            self.found.push(mistake);
        }
    }

    /// The end: what was made of the file, if nothing is wrong with it.
    pub(crate) fn finish<T>(self, made: T) -> Result<T, Diagnostics> {
        if self.found.is_empty() { Ok(made) } else { Err(Diagnostics::of_file(self.path, self.text, self.found)) }
    }
}
