//! How deep a text may nest, and how many values it may have.

/// The deepest nesting of arrays and objects that is read; a deeper text is an error.
///
/// Eight times what `serde_json` takes; and whatever follows the nesting on the stack needs less than half of a
/// thread's usual 2 MiB for it, even unoptimised.
pub const MAX_DEPTH: usize = 1024;

/// A million, the most values that are read in one text, counted in all depths; a text with more is an error.
///
/// A value takes up to forty bytes, and two bytes of text may make one: without a limit a message of 16 MB takes more than
/// half a gigabyte.
pub const MAX_VALUES: usize = 1_000_000;
