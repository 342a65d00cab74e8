//! Mistakes in scenario files, as data: one entry for each mistake, all mistakes of all files at once.
//!
//! The loader collects, `render` draws, and other code (an editor, a test) reads the fields.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use std::path::Path;

/// Severity of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The file cannot be used, or contradicts itself.
    Error,
    /// The file can be used; the author may have intended this.
    Warning,
}

/// Mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Severity of the mistake.
    pub severity: Severity,
    /// Path of the file, as the caller of the loader gave it.
    pub path: String,
    /// Byte range in the file.
    pub span: Range<usize>,
    /// Description of the mistake, in one line.
    pub message: String,
    /// Expected input at the place itself; may be empty.
    pub label: String,
    /// Second place of the same file that explains the first, with its label.
    pub context: Option<(Range<usize>, String)>,
    /// Hints for a fix; may be empty.
    pub help: Vec<String>,
}

/// The mistakes of one or more files, with the text of these files.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    files: BTreeMap<String, String>,
}

impl Diagnostic {
    /// Creates a mistake at `span`, without help.
    #[must_use]
    pub fn new(path: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            path: path.to_owned(),
            span,
            message: message.into(),
            label: String::new(),
            context: None,
            help: Vec::new(),
        }
    }

    /// Lowers the severity to a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Sets the expected input at the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn context(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.context = Some((span, label.into()));
        self
    }

    /// Adds a hint for a fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
}

impl Diagnostics {
    /// Collects the mistakes of one file, in the order of their places.
    #[must_use]
    pub fn of_file(path: &str, text: &str, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        Self { list, files: BTreeMap::from([(path.to_owned(), text.to_owned())]) }
    }

    /// Adds other mistakes. A mistake that two scenarios of one file share is reported once.
    pub fn extend(&mut self, other: Self) {
        let mut known: HashMap<(String, usize, usize), Vec<usize>> = HashMap::new();
        let key = |diagnostic: &Diagnostic| (diagnostic.path.clone(), diagnostic.span.start, diagnostic.span.end);
        for (at, diagnostic) in self.list.iter().enumerate() {
            known.entry(key(diagnostic)).or_default().push(at);
        }
        for diagnostic in other.list {
            let same_place = known.entry(key(&diagnostic)).or_default();
            if same_place.iter().all(|at| self.list[*at] != diagnostic) {
                same_place.push(self.list.len());
                self.list.push(diagnostic);
            }
        }
        self.list.sort_by(|one, other| {
            let place = |diagnostic: &Diagnostic| (diagnostic.span.start, diagnostic.span.end);
            one.path.cmp(&other.path).then_with(|| place(one).cmp(&place(other)))
        });
        self.files.extend(other.files);
    }

    /// Renames the files relative to the reader: `folder` is the folder that their paths are relative to.
    #[must_use]
    pub fn below(mut self, folder: &Path) -> Self {
        let named = |path: String| folder.join(path).display().to_string();
        self.files = self.files.into_iter().map(|(path, text)| (named(path), text)).collect();
        for diagnostic in &mut self.list {
            diagnostic.path = named(std::mem::take(&mut diagnostic.path));
        }
        self
    }

    /// The mistakes, by file and place.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Returns the number of mistakes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the number of mistakes of that severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// Returns whether there is no mistake.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the text of a file that has mistakes.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Returns the line and the column at which a mistake begins, both from 1; columns are characters.
    #[must_use]
    pub fn line_column(&self, diagnostic: &Diagnostic) -> (usize, usize) {
        let text = self.text(&diagnostic.path).unwrap_or_default();
        let mut end = diagnostic.span.start.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

/// As [`Diagnostics::render`] without colour.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}
