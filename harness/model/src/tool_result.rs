//! The result of `tools/call`, read as the specification has it: a view over exact JSON.

use crate::Revision;
use mcp_compat_json::Json;

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

/// A view over one content block.
#[derive(Clone, Copy, Debug)]
pub struct ContentBlock<'j>(&'j Json);

impl<'j> ContentBlock<'j> {
    /// Reads a block.
    #[must_use]
    pub const fn new(block: &'j Json) -> Self {
        Self(block)
    }

    /// Its type.
    #[must_use]
    pub fn kind(self) -> Option<&'j str> {
        self.0.get("type").and_then(Json::as_str)
    }

    /// The text of a text block.
    #[must_use]
    pub fn text(self) -> Option<&'j str> {
        if self.kind() == Some("text") { self.0.get("text").and_then(Json::as_str) } else { None }
    }
}

/// The texts of the text blocks among these.
pub fn texts(content: &[Json]) -> impl Iterator<Item = &str> {
    content.iter().filter_map(|block| ContentBlock::new(block).text())
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
