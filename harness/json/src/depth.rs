//! How deep a text may nest.

/// The deepest nesting of arrays and objects that is read; a deeper text is an error.
///
/// Eight times what `serde_json` takes; and whatever follows the nesting on the stack needs less than half of a
/// thread's usual 2 MiB for it, even unoptimised.
pub const MAX_DEPTH: usize = 1024;
