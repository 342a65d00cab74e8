//! What each conduct sends to each revision, to the byte.

use mcp_compat_mocks::server::{Downgrade, ServerSpec};
use mcp_compat_model::Revision;

use crate::server::scripts::{every_kind, legacy, modern};
use crate::server::stream_client::StreamClient;

const ARRAY_SCHEMA: &str =
    r##""outputSchema":{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"number"}}}"##;
const WRAPPED_SCHEMA: &str = r##""outputSchema":{"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/properties/result/$defs/n"},"$defs":{"n":{"type":"number"}}}},"required":["result"]}"##;
const OBJECT_SCHEMA: &str = r#""outputSchema":{"type":"object","properties":{"n":{"type":"number"}}}"#;
const ARRAY_VALUE: &str = r#","structuredContent":[1e2,12345678901234567890123]"#;
const WRAPPED_VALUE: &str = r#","structuredContent":{"result":[1e2,12345678901234567890123]}"#;

/// The definition and the result of one tool, as they came.
async fn seen(id: &str, revision: Revision, tool: &str) -> (String, String) {
    let call = format!(r#""name":"{tool}""#);
    let (list, called) = if revision == Revision::V2026_07_28 {
        let mut client = StreamClient::new(id, every_kind());
        (client.ask(&modern(1, "tools/list", "")).await, client.ask(&modern(2, "tools/call", &call)).await)
    } else {
        let mut client = StreamClient::in_session(id, revision.as_str(), every_kind()).await;
        (client.ask(&legacy(1, "tools/list", "")).await, client.ask(&legacy(2, "tools/call", &call)).await)
    };
    let start = list.find(&format!(r#"{{"name":"{tool}""#)).unwrap();
    let end = list[start..].find(r#",{"name":""#).map_or(list.len(), |end| start + end);
    let result = called.strip_prefix(r#"{"jsonrpc":"2.0","id":2,"result":"#).and_then(|rest| rest.strip_suffix('}'));
    (list[start..end].to_owned(), result.unwrap_or(&called).replace(r#""resultType":"complete","#, ""))
}

fn definition(schema: &str) -> String {
    let separator = if schema.is_empty() { "" } else { "," };
    format!(r#"{{"name":"array","inputSchema":{{"type":"object"}}{separator}{schema}}}"#)
}

fn result(value: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"[1e2]"}}]{value},"_meta":{{"k":null}}}}"#)
}

#[tokio::test]
async fn an_array_reaches_older_revisions_as_the_conduct_says() {
    let (whole, wrapped, gone) = ((ARRAY_SCHEMA, ARRAY_VALUE), (WRAPPED_SCHEMA, WRAPPED_VALUE), ("", ""));
    for (id, modern, legacy) in [
        ("mock/dual", whole, whole),
        ("mock/dual/omit", whole, gone),
        ("mock/dual/wrap", whole, wrapped),
        ("mock/dual/text-only", gone, gone),
    ] {
        for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
            let (schema, value) = if revision == Revision::V2026_07_28 { modern } else { legacy };
            let seen = seen(id, revision, "array").await;
            assert_eq!(seen, (definition(schema), result(value)), "{id} in {revision}");
        }
    }
}

#[tokio::test]
async fn an_object_is_changed_only_where_no_structured_output_is_known() {
    for conduct in Downgrade::ALL {
        for revision in ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
            let id = ServerSpec::parse(&format!("mock/{revision}/{conduct}")).unwrap().id;
            let (definition, result) = seen(id.as_str(), revision.parse().unwrap(), "object").await;
            let kept = match conduct {
                Downgrade::Naive => true,
                Downgrade::Omit | Downgrade::Wrap => revision > "2025-03-26",
                Downgrade::TextOnly => false,
            };
            assert_eq!(definition.contains(OBJECT_SCHEMA), kept, "{id}: {definition}");
            assert_eq!(result.contains(r#""structuredContent":{"n":1.50}"#), kept, "{id}: {result}");
            assert!(result.contains(r#""text":"{\"n\":1.50}""#), "{id} keeps the text: {result}");
        }
    }
}

#[tokio::test]
async fn a_value_without_a_schema_has_the_same_fate() {
    for (id, value) in [
        ("mock/2025-11-25", r#","structuredContent":null"#),
        ("mock/2025-11-25/omit", ""),
        ("mock/2025-11-25/wrap", r#","structuredContent":{"result":null}"#),
        ("mock/2025-11-25/text-only", ""),
    ] {
        let (definition, result) = seen(id, Revision::V2025_11_25, "null").await;
        assert_eq!(definition, r#"{"name":"null","inputSchema":{"type":"object"}}"#, "{id}");
        assert_eq!(result, format!(r#"{{"content":[]{value}}}"#), "{id}");
    }
}
