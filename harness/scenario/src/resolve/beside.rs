//! Files beside a scenario file.

/// Looks up a `raw-file` by its path below the corpus.
pub(crate) type Beside<'b> = &'b dyn Fn(&str) -> Option<Vec<u8>>;
