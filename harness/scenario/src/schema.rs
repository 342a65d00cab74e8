//! JSON Schema of the format, generated from the types that read it, for completion and checks in editors.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use crate::file::document::File;

/// Returns the JSON Schema (2020-12) of a scenario file, as published beside the corpus.
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
