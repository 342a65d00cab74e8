//! Tools and the results of calls, read as the specification has them: views over exact JSON.

use crate::Revision;
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

/// A view over the result of a call. Nothing is checked or changed: what is not there, or of another type, is absent.
#[derive(Clone, Copy, Debug)]
pub struct ToolResult<'j>(&'j Json);

impl<'j> ToolResult<'j> {
    /// Reads a result.
    #[must_use]
    pub const fn new(result: &'j Json) -> Self {
        Self(result)
    }

    /// The result as JSON.
    #[must_use]
    pub const fn json(self) -> &'j Json {
        self.0
    }

    /// The structured value; null is a value.
    #[must_use]
    pub fn structured_content(self) -> Option<&'j Json> {
        self.0.get("structuredContent")
    }

    /// The member `content` as it is; `None` if there is none.
    #[must_use]
    pub fn raw_content(self) -> Option<&'j Json> {
        self.0.get("content")
    }

    /// The content blocks; empty if `content` is not an array.
    #[must_use]
    pub fn content(self) -> &'j [Json] {
        self.raw_content().and_then(Json::as_array).unwrap_or_default()
    }

    /// The texts of the text blocks.
    pub fn texts(self) -> impl Iterator<Item = &'j str> {
        texts(self.content())
    }

    /// Returns true if `isError` is true.
    #[must_use]
    pub fn is_error(self) -> bool {
        self.0.get("isError").and_then(Json::as_bool) == Some(true)
    }

    /// The member `resultType` as it is.
    #[must_use]
    pub fn result_type(self) -> Option<&'j Json> {
        self.0.get("resultType")
    }

    /// Returns true if it asks for input and holds no value yet.
    #[must_use]
    pub fn is_input_required(self) -> bool {
        self.result_type().and_then(Json::as_str) == Some("input_required")
    }
}

/// The texts of the text blocks among these.
pub fn texts(content: &[Json]) -> impl Iterator<Item = &str> {
    let texts = content.iter().filter(|block| block.get("type").and_then(Json::as_str) == Some("text"));
    texts.filter_map(|block| block.get("text")?.as_str())
}

/// The first revision that defines a type of content block.
#[must_use]
pub fn block_type_since(kind: &str) -> Option<Revision> {
    match kind {
        "text" | "image" | "resource" => Some(Revision::V2024_11_05),
        "audio" => Some(Revision::V2025_03_26),
        "resource_link" => Some(Revision::V2025_06_18),
        _ => None,
    }
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

    #[test]
    fn absent_null_and_empty_stay_apart() {
        let null = Json::parse(r#"{"structuredContent":null,"content":[]}"#).unwrap();
        assert_eq!(ToolResult::new(&null).structured_content(), Some(&Json::Null));
        let empty = Json::parse("{}").unwrap();
        let view = ToolResult::new(&empty);
        assert!(view.structured_content().is_none() && view.raw_content().is_none() && !view.is_error());
        assert!(view.content().is_empty());
    }

    #[test]
    fn only_text_blocks_have_texts() {
        let text = r#"{"content":[{"type":"text","text":"a"},{"type":"x","text":"b"},{"type":"text"}],"isError":true}"#;
        let result = Json::parse(text).unwrap();
        let view = ToolResult::new(&result);
        assert_eq!(view.texts().collect::<Vec<_>>(), ["a"]);
        assert!(view.is_error() && !view.is_input_required());
    }
}
