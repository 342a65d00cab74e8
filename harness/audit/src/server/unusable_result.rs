//! Results that many clients take, and of which their users get nothing: the whole result stands inside a member that few
//! clients know, its only blocks are texts in the place of bytes, or its text is the name of an object.

use mcp_compat_json::Json;
use mcp_compat_judge::rules::{self, Rule, inner_result, is_name_of_object};
use mcp_compat_model::Revision;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::shapes::{Official, block, mismatches};

use super::members::edited;
use super::results::{is_error, text_blocks};

/// Reason why a result is of no use, after the words "the result of the tool", and the rule that it violates.
pub(super) fn reason(result: &Json, revision: Revision) -> Option<(&'static Rule, String)> {
    if is_error(result) {
        return None;
    }
    if let Some((name, _)) = inner_result(result, revision) {
        return Some((&rules::CONTENT_ARRAY, format!("has its `content` in `{}`", excerpt(name))));
    }
    let blocks = result.get("content").and_then(Json::as_array).filter(|blocks| !blocks.is_empty())?;
    if result.get("structuredContent").is_some() {
        return None;
    }
    if blocks.iter().all(|block| !texts_for_bytes(block, revision).is_empty()) {
        return Some((&rules::CONTENT_BLOCKS, "has a text in the place of bytes in base64".to_owned()));
    }
    let is_name =
        text_blocks(result).count() == blocks.len() && text_blocks(result).all(|text| is_name_of_object(text.trim()));
    is_name.then(|| (&rules::TEXT_IS_JSON, "is the name of an object, without its members".to_owned()))
}

/// The result with its blocks at the root. `None` if nothing holds them.
pub(super) fn unwrapped(result: &Json, revision: Revision) -> Option<Json> {
    inner_result(result, revision).map(|(_, inner)| inner.clone())
}

/// The block with bytes in the place of each text that is no base64.
pub(super) fn with_bytes(block: &Json, revision: Revision) -> Json {
    const BYTES: &str = "AAAA";
    texts_for_bytes(block, revision).iter().fold(block.clone(), |block, place| {
        let place: Vec<&str> = place.iter().map(String::as_str).collect();
        edited(&block, &place, Some(&Json::from(BYTES)))
    })
}

/// The places of a block that have a text in the place of bytes.
fn texts_for_bytes(content: &Json, revision: Revision) -> Vec<Vec<String>> {
    let Some(shape) = content.get("type").and_then(Json::as_str).and_then(block) else { return Vec::new() };
    let found = mismatches(&Official(revision), shape, content);
    let found = found.iter().filter(|mismatch| mismatch.is_text_for_bytes());
    found.map(|mismatch| mismatch.pointer.split('/').skip(1).map(str::to_owned).collect()).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::inside_an_unknown_member(
        r#"{"toolResult":{"content":[{"type":"text","text":"a"}]}}"#,
        Some("content-array")
    )]
    #[case::inside_another_name(r#"{"result":{"content":[{"type":"text","text":"a"}]}}"#, Some("content-array"))]
    #[case::another_member(r#"{"page":{"content":"a"}}"#, None)]
    #[case::beside_the_blocks(r#"{"content":[],"toolResult":{"content":[{"type":"text","text":"a"}]}}"#, None)]
    #[case::an_address(
        r#"{"content":[{"type":"image","data":"https://a.example/b.png","mimeType":"image/png"}]}"#,
        Some("content-blocks")
    )]
    #[case::lines(r#"{"content":[{"type":"image","data":"iVBORw0K\nGgo=\n","mimeType":"image/png"}]}"#, None)]
    #[case::without_padding(r#"{"content":[{"type":"image","data":"iVBORw0KGgo","mimeType":"image/png"}]}"#, None)]
    #[case::of_addresses(r#"{"content":[{"type":"image","data":"-_8=","mimeType":"image/png"}]}"#, None)]
    #[case::bytes(r#"{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}"#, None)]
    #[case::beside_a_text(
        r#"{"content":[{"type":"image","data":"?","mimeType":"image/png"},{"type":"text","text":"a"}]}"#,
        None
    )]
    #[case::empty(r#"{"content":[]}"#, None)]
    #[case::the_name_of_an_object(r#"{"content":[{"type":"text","text":"[object Object]"}]}"#, Some("text-is-json"))]
    #[case::a_word(r#"{"content":[{"type":"text","text":"[object]"}]}"#, None)]
    fn a_result_is_of_no_use(#[case] result: &str, #[case] rule: Option<&str>) {
        let found = reason(&Json::parse(result).unwrap(), Revision::NEWEST);
        assert_eq!(found.map(|(rule, _)| rule.id), rule);
    }

    #[test]
    fn a_result_that_is_mended_is_of_use() {
        let json = |text| Json::parse(text).unwrap();
        let inner = json(r#"{"toolResult":{"content":[{"type":"text","text":"a"}]}}"#);
        let mended = unwrapped(&inner, Revision::NEWEST).unwrap();
        assert_eq!(mended.to_compact(), r#"{"content":[{"type":"text","text":"a"}]}"#);
        let block = json(r#"{"type":"resource","resource":{"uri":"a:b","blob":"<?>"}}"#);
        let mended = with_bytes(&block, Revision::NEWEST);
        assert_eq!(mended.to_compact(), r#"{"type":"resource","resource":{"uri":"a:b","blob":"AAAA"}}"#);
    }
}
