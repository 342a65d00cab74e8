//! The JSON Schema of the format, generated from the types that read it, so that editors complete and check.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use crate::file::document::File;

/// The JSON Schema (2020-12) of a scenario file, as it is published beside the corpus.
#[must_use]
pub fn schema() -> String {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(summarise));
    let schema = settings.into_generator().into_root_schema_for::<File>();
    // Everything in it is plain JSON, which is always written.
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// Descriptions are the first paragraph of a type's documentation; what follows is for those who read the code.
fn summarise(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description")
        && let Some(end) = description.find("\n\n")
    {
        description.truncate(end);
    }
}
