//! The JSON Schema of the format, generated from the types that read it, so that editors complete and check.

use schemars::generate::SchemaSettings;

use crate::file::File;

/// The JSON Schema (2020-12) of a scenario file, as it is published beside the corpus.
#[must_use]
pub fn schema() -> String {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<File>();
    // Everything in it is plain JSON, which is always written.
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
