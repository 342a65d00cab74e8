//! One of the records that are merged.

use mcp_compat_model::record::Record;

/// The record of one shard, or of several that were merged already.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name in errors: the path as it was typed.
    pub name: String,
    /// The record.
    pub record: Record,
}
