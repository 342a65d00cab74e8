//! The shapes say what the official schemas say: sound definitions and results with one change, held against both.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::shapes::{
    CALL_REQUEST, DISCOVER, INITIALIZE, INITIALIZE_REQUEST, Kind, LIST, LIST_REQUEST, Mismatch, Official, Problem,
    RESULT, Shape, TOOL, block, mismatches,
};
use mcp_compat_schema::validator::{Options, Validator};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rstest::rstest;
use serde_json::{Value, json};

/// The official schemas, oldest first.
const SCHEMAS: [&str; 5] = [
    include_str!("official/2024-11-05.json"),
    include_str!("official/2025-03-26.json"),
    include_str!("official/2025-06-18.json"),
    include_str!("official/2025-11-25.json"),
    include_str!("official/2026-07-28.json"),
];

/// What the official schema of a revision says of a definition of it, such as `Tool`; `None` if it has none.
fn official(revision: Revision, definition: &str) -> Option<Validator> {
    let place = Revision::ALL.iter().position(|known| *known == revision).unwrap();
    let mut schema: Value = serde_json::from_str(SCHEMAS[place]).unwrap();
    let key = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    schema[key].get(definition)?;
    schema["$ref"] = json!(format!("#/{key}/{definition}"));
    // Siblings of `$ref` count for nothing in draft-07, and `definitions` has to be found all the same.
    Some(Options { formats: Some(false), ..Options::default() }.compile(&schema).unwrap())
}

/// Sound in every revision: the definition in the official schema, the shape here, and a value with every member.
fn sound() -> Vec<(&'static str, &'static Shape, Value)> {
    let annotations =
        json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"});
    let icons =
        json!([{"src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}]);
    let of_block = |kind: &str| block(kind).unwrap();
    let request_meta = json!({
        "io.modelcontextprotocol/protocolVersion": "v", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "n", "version": "1"}
    });
    let mut all = vec![
        (
            "Tool",
            &TOOL,
            json!({
                "name": "t", "title": "T", "description": "d", "icons": icons, "_meta": {"a": 1},
                "inputSchema": {"type": "object", "$schema": "s", "properties": {"a": {}}, "required": ["a"]},
                "outputSchema": {"type": "object", "$schema": "s", "properties": {"a": {}}, "required": ["a"]},
                "annotations": {"title": "T", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                    "openWorldHint": false},
                "execution": {"taskSupport": "optional"}
            }),
        ),
        (
            "InitializeResult",
            &INITIALIZE,
            json!({
                "protocolVersion": "v", "instructions": "i", "_meta": {"a": 1},
                "serverInfo": {"name": "n", "version": "1", "title": "T", "icons": icons, "websiteUrl": "https://a.example"},
                "capabilities": {
                    "experimental": {"a": {}}, "logging": {}, "completions": {}, "prompts": {"listChanged": true},
                    "resources": {"subscribe": true, "listChanged": false}, "tools": {"listChanged": true},
                    "tasks": {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}
                }
            }),
        ),
        (
            "DiscoverResult",
            &DISCOVER,
            json!({
                "supportedVersions": ["v"], "resultType": "complete", "ttlMs": 5, "cacheScope": "public",
                "instructions": "i",
                "_meta": {"a": 1, "io.modelcontextprotocol/serverInfo": {"name": "n", "version": "1", "title": "T"}},
                "capabilities": {"experimental": {"a": {}}, "logging": {}, "tools": {}, "extensions": {"a/b": {}}}
            }),
        ),
        (
            "ListToolsResult",
            &LIST,
            json!({"tools": [], "nextCursor": "n", "_meta": {"a": 1}, "resultType": "complete", "ttlMs": 5,
                "cacheScope": "public"}),
        ),
        (
            "InitializeRequest",
            &INITIALIZE_REQUEST,
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "v", "clientInfo": {"name": "n", "version": "1", "title": "T"},
                "capabilities": {"experimental": {"a": {}}, "roots": {"listChanged": true}, "sampling": {}, "elicitation": {}}
            }}),
        ),
        (
            "ListToolsRequest",
            &LIST_REQUEST,
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "c", "_meta": request_meta}}),
        ),
        (
            "CallToolRequest",
            &CALL_REQUEST,
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "n", "arguments": {"a": 1}, "_meta": request_meta}}),
        ),
        ("CallToolResult", &RESULT, json!({"content": [], "resultType": "complete", "isError": false, "_meta": {}})),
        ("TextContent", of_block("text"), json!({"type": "text", "text": "x"})),
        ("ImageContent", of_block("image"), json!({"type": "image", "data": "aGk=", "mimeType": "image/png"})),
        ("AudioContent", of_block("audio"), json!({"type": "audio", "data": "aGk=", "mimeType": "audio/wav"})),
        (
            "EmbeddedResource",
            of_block("resource"),
            json!({"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "x", "_meta": {}}}),
        ),
        (
            "EmbeddedResource",
            of_block("resource"),
            json!({"type": "resource", "resource": {"uri": "file:///a", "blob": "aGk=", "text": "x"}}),
        ),
        (
            "ResourceLink",
            of_block("resource_link"),
            json!({"type": "resource_link", "uri": "file:///a", "name": "n", "title": "T", "description": "d",
                "mimeType": "text/plain", "size": 5, "icons": icons}),
        ),
    ];
    for (name, _, value) in &mut all {
        if !name.ends_with("Result") && !name.ends_with("Request") && *name != "Tool" {
            value["annotations"] = annotations.clone();
            value["_meta"] = json!({"a": [1]});
        }
    }
    all
}

/// Returns true if a shape looks at a place. The tools of a list have a shape of their own, and its hints rules.
fn is_looked_at(definition: &str, place: &str) -> bool {
    match definition {
        "ListToolsResult" => place.starts_with("/nextCursor") || place.starts_with("/_meta"),
        "DiscoverResult" => true,
        // Other rules are about the envelope and about `_meta` of the modern era.
        "InitializeRequest" | "ListToolsRequest" | "CallToolRequest" => {
            place.starts_with("/params") && !place.starts_with("/params/_meta")
        }
        _ => place != "/resultType",
    }
}

/// The pointers to everything in a value, but for what the shapes do not look at.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    let beside = [
        "/name",
        "/inputSchema",
        "/inputSchema/type",
        "/outputSchema",
        "/outputSchema/type",
        "/type",
        "/content",
        "/protocolVersion",
    ];
    if !at.is_empty() && (!beside.contains(&at) || (at == "/name" && value == "n")) {
        all.push(at.to_owned());
    }
    match value {
        Value::Object(object) => object.iter().for_each(|(key, member)| {
            places(member, &format!("{at}/{}", key.replace('/', "~1")), all);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, &format!("{at}/{index}"), all));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Takes the member at a pointer out of its object, or the item out of its array.
fn remove(value: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match value.pointer_mut(parent).unwrap() {
        Value::Object(object) => drop(object.remove(&name.replace("~1", "/"))),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => unreachable!(),
    }
}

fn json_of(value: &Value) -> Json {
    Json::parse(&value.to_string()).unwrap()
}

/// The validator has no formats here.
fn is_of_format(mismatch: &Mismatch<'_>) -> bool {
    matches!(
        mismatch.problem,
        Problem::Holds { kind: Kind::Uri | Kind::ImageUri | Kind::Base64, found: Json::String(_), .. }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_shapes_agree_with_the_official_schemas(
        revision in select(Revision::ALL.to_vec()),
        (definition, shape, mut value) in select(sound()),
        place in any::<Index>(),
        change in prop::option::of(select(vec![
            json!(null), json!(true), json!(5), json!(1.5), json!(-1), json!("x"), json!("dark"), json!([]), json!([5]),
            json!(["x"]), json!({}), json!({"a": true}), json!([{}]),
        ])),
    ) {
        let Some(official) = official(revision, definition) else { return Ok(()) };
        let mut all = Vec::new();
        places(&value, "", &mut all);
        all.retain(|place| is_looked_at(definition, place));
        let place = place.get(&all).clone();
        match change {
            Some(change) => *value.pointer_mut(&place).unwrap() = change,
            None => remove(&mut value, &place),
        }
        let read = json_of(&value);
        let found: Vec<_> =
            mismatches(&Official(revision), shape, &read).into_iter().filter(|found| !is_of_format(found)).collect();
        let said = official.validate(&value);
        prop_assert_eq!(found.is_empty(), said.is_ok(), "{} at {}: {} | {:?} | {:?}", definition, revision, value, found, said);
    }
}

#[rstest]
#[case::number(r#"{"description": 5}"#, "/description is a JSON number instead of a string")]
#[case::hint(
    r#"{"annotations": {"idempotentHint": "yes"}}"#,
    "/annotations/idempotentHint is a JSON string instead of a boolean"
)]
#[case::object_for_list(r#"{"icons": {}}"#, "/icons is a JSON object instead of an array")]
#[case::no_source(
    r#"{"icons": [{"theme": "blue"}]}"#,
    "/icons/0/src is missing; /icons/0/theme is \"blue\" instead of \"light\" or \"dark\""
)]
#[case::no_uri(r#"{"icons": [{"src": "no uri"}]}"#, "/icons/0/src is \"no uri\", which is not an absolute URI")]
#[case::tasks(
    r#"{"execution": {"taskSupport": "maybe"}}"#,
    "/execution/taskSupport is \"maybe\" instead of \"forbidden\", \"optional\" or \"required\""
)]
#[case::properties(
    r#"{"inputSchema": {"properties": {"a/b": true}}}"#,
    "/inputSchema/properties/a~1b is a JSON boolean instead of an object"
)]
#[case::output(r#"{"outputSchema": {"required": "a"}}"#, "/outputSchema/required is a JSON string instead of an array")]
#[case::unknown(r#"{"colour": 5, "annotations": {"colour": 5}}"#, "")]
fn what_is_wrong_with_a_definition_is_said_with_its_place(#[case] definition: &str, #[case] expected: &str) {
    assert_eq!(said(&TOOL, definition), expected);
}

#[rstest]
#[case::sound("text", r#"{"text": "x", "annotations": {"audience": ["user"], "priority": 1}}"#, "")]
#[case::share(
    "text",
    r#"{"text": "x", "annotations": {"priority": 5}}"#,
    "/annotations/priority is 5 instead of a number from 0 to 1"
)]
#[case::bytes("image", r#"{"data": "aGk", "mimeType": "image/png"}"#, "/data is \"aGk\", which is not base64")]
#[case::neither("resource", r#"{"resource": {"uri": "a:b"}}"#, "/resource has neither `text` nor `blob`")]
#[case::either("resource", r#"{"resource": {"uri": "a:b", "text": 5, "blob": "aGk="}}"#, "")]
#[case::wrong(
    "resource",
    r#"{"resource": {"uri": "a:b", "text": 5}}"#,
    "/resource/text is a JSON number instead of a string"
)]
#[case::size("resource_link", r#"{"uri": "a:b", "name": "n", "size": 1.5}"#, "/size is 1.5 instead of an integer")]
fn what_is_wrong_with_a_block_is_said_with_its_place(
    #[case] kind: &str,
    #[case] block_text: &str,
    #[case] expected: &str,
) {
    assert_eq!(said(block(kind).unwrap(), block_text), expected);
}

fn said(shape: &'static Shape, text: &str) -> String {
    let value = Json::parse(text).unwrap();
    let found = mismatches(&Official(Revision::V2025_11_25), shape, &value);
    found.iter().map(|Mismatch { pointer, problem }| format!("{pointer} {problem}")).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_wrong_everywhere_is_said_a_hundred_times() {
    let icons = vec!["{}"; 5_000].join(",");
    let value = Json::parse(&format!("{{\"icons\": [{icons}]}}")).unwrap();
    assert_eq!(mismatches(&Official(Revision::NEWEST), &TOOL, &value).len(), 100);
}
