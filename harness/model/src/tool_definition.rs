//! A tool in the result of `tools/list`, read as the specification has it: a view over exact JSON.

use mcp_compat_json::Json;

/// A view over the definition of a tool. Nothing is checked or changed: what is not there, or of another type, is absent.
#[derive(Clone, Copy, Debug)]
pub struct ToolDefinition<'j>(&'j Json);

impl<'j> ToolDefinition<'j> {
    /// Reads a definition.
    #[must_use]
    pub const fn new(definition: &'j Json) -> Self {
        Self(definition)
    }

    /// The definition as JSON.
    #[must_use]
    pub const fn json(self) -> &'j Json {
        self.0
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> Option<&'j str> {
        self.0.get("name").and_then(Json::as_str)
    }

    /// The schema of the arguments.
    #[must_use]
    pub fn input_schema(self) -> Option<&'j Json> {
        self.0.get("inputSchema")
    }

    /// The schema of the structured result; null is one that is there.
    #[must_use]
    pub fn output_schema(self) -> Option<&'j Json> {
        self.0.get("outputSchema")
    }
}

/// The `type` at the root of a schema, if it is a single word.
#[must_use]
pub fn root_type(schema: &Json) -> Option<&str> {
    schema.get("type").and_then(Json::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_read_as_it_is() {
        let text = r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":null}"#;
        let definition = Json::parse(text).unwrap();
        let view = ToolDefinition::new(&definition);
        assert_eq!((view.name(), view.output_schema()), (Some("t"), Some(&Json::Null)));
        assert_eq!(view.input_schema().and_then(root_type), Some("object"));
        assert!(ToolDefinition::new(&Json::Null).name().is_none());
    }
}
