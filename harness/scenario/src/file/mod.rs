//! A scenario file as written: every key with its place, no defaults, no cross-checks.
//!
//! `table` turns text into a TOML tree and takes keys out of it; each type here implements how it is read:
//!
//! ```text
//! File                                  document
//!   Tool, Definition, JsonObject, …     tool, payload, part
//!   Step                                step
//!   Answer, AlsoExpect, ArgsFrom        extras
//!   Outcome, Revision, Count, …         vocabulary
//!   Case = File + Tool, overriding      document
//! ```
//!
//! The same types give the JSON Schema of the format: the comments on their fields are what an editor shows.

pub(crate) mod document;
pub(crate) mod extras;
pub(crate) mod part;
pub(crate) mod payload;
pub(crate) mod step;
pub(crate) mod table;
pub(crate) mod tool;
pub(crate) mod vocabulary;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use self::document::File;

/// Returns the JSON Schema (2020-12) of a scenario file, as published beside the corpus, for completion and checks in
/// editors.
#[must_use]
pub fn schema() -> String {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(summarise));
    let schema = settings.into_generator().into_root_schema_for::<File>();
    // The schema is plain JSON, so that writing it cannot fail.
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Reduces a description to the first paragraph of a type's documentation, on one line. The rest is for readers of the
/// code.
fn summarise(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        description.truncate(description.find("\n\n").unwrap_or(description.len()));
        *description = description.replace('\n', " ");
    }
}
