//! A TOML file that people write. It is read by serde, and every mistake, also one that is found later, has its location.

use std::ops::Range;

use mcp_compat_scenario::{Diagnostic, Diagnostics};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file that was read, and the locations of its parts.
pub(super) struct TomlFile<'t> {
    path: &'t str,
    text: &'t str,
    tree: Spanned<DeTable<'t>>,
    mistakes: Vec<Diagnostic>,
}

impl<'t> TomlFile<'t> {
    /// Reads a file.
    ///
    /// # Errors
    /// The first mistake that keeps it from being read.
    pub(super) fn read<T: DeserializeOwned>(path: &'t str, text: &'t str) -> Result<(T, Self), Diagnostics> {
        let mistake = |error: &toml::de::Error| {
            let mistake = diagnostic(path, error.span().unwrap_or(0..0), error.message());
            Diagnostics::of_file(path, text, vec![mistake])
        };
        let value = toml::from_str(text).map_err(|error| mistake(&error))?;
        let tree = DeTable::parse(text).map_err(|error| mistake(&error))?;
        Ok((value, Self { path, text, tree, mistakes: Vec::new() }))
    }

    /// Adds a mistake at a path of keys and indices, or at its nearest existing parent.
    pub(super) fn mistake(&mut self, at: &[&str], message: impl AsRef<str>, label: impl Into<String>) {
        let place = self.place(at);
        self.mistakes.push(diagnostic(self.path, place, message.as_ref()).label(label));
    }

    /// Returns the value, unless a mistake was added.
    pub(super) fn finish<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.mistakes.is_empty() {
            return Ok(value);
        }
        Err(Diagnostics::of_file(self.path, self.text, self.mistakes))
    }

    fn place(&self, at: &[&str]) -> Range<usize> {
        let mut keys = at.iter();
        let Some((key, value)) = keys.next().and_then(|key| self.tree.get_ref().get_key_value(*key)) else {
            return 0..0;
        };
        let (mut place, mut value) = (key.span(), value);
        for key in keys {
            let (next, around) = match value.get_ref() {
                DeValue::Table(table) => match table.get_key_value(*key) {
                    Some((key, value)) => (value, key.span()),
                    None => break,
                },
                DeValue::Array(array) => match key.parse().ok().and_then(|number: usize| array.get(number)) {
                    Some(value) => (value, value.span()),
                    None => break,
                },
                DeValue::String(_)
                | DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_) => break,
            };
            (place, value) = (around, next);
        }
        // A short value is marked itself, a table or an array by its key.
        if matches!(value.get_ref(), DeValue::Table(_) | DeValue::Array(_)) { place } else { value.span() }
    }
}

/// A mistake. The lines of its message after the first are help.
fn diagnostic(path: &str, place: Range<usize>, message: &str) -> Diagnostic {
    let mut lines = message.lines();
    let mistake = Diagnostic::new(path, place, lines.next().unwrap_or_default());
    lines.fold(mistake, Diagnostic::help)
}
