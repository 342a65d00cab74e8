//! How results are read: by validation, by preference, by typing, and by revision.

use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::StepAnswer;
use rstest::rstest;

use crate::client::fake::{self, LIST, PLAIN, blocks, call, error, layer, play, tool, value};

const INTEGER: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
const BLOCK: &str = r#"{"type":"text","text":"1"}"#;

/// What a client gets of a result, from a modern or a legacy server as it likes.
async fn called(client: &str, schema: &str, result: &str) -> StepAnswer {
    let tools = format!("{},{PLAIN}", tool("t", schema));
    let (mut modern, mut legacy) = (fake::modern(&tools, result), fake::legacy(&tools, result));
    let server = move |heard: &fake::Heard| if heard.is_modern() { modern(heard) } else { legacy(heard) };
    let (answer, _) = play(client, &[LIST, call("t")], server).await;
    answer.steps.into_iter().nth(1).unwrap_or_else(|| unreachable!("no session"))
}

fn result(structured: &str) -> String {
    format!(r#"{{"content":[{BLOCK}],"structuredContent":{structured}}}"#)
}

#[rstest]
#[case::exact_digits(r#"{"n":123456789012345678901234567890}"#)]
#[case::order_and_duplicates(r#"{"z":1,"n":1,"a":2,"z":3}"#)]
#[case::beyond_floats(r#"{"n":1, "m":[1e400, -0.0, 1.0]}"#)]
#[case::half_a_pair(r#"{"n":1,"s":"\ud800"}"#)]
#[tokio::test]
async fn what_came_is_handed_out_to_the_byte(
    #[case] structured: &str,
    #[values("mock/dual+auto", "mock/2025-11-25", "mock/2025-06-18")] client: &str,
) {
    let answer = called(client, INTEGER, &result(structured)).await;
    assert_eq!(value(&answer), Some(structured));
    assert_eq!(answer.content.unwrap()[0].get(), BLOCK);
    assert_eq!(answer.is_error, Some(false));
}

#[tokio::test]
async fn a_violation_is_refused_or_handed_out_or_not_looked_for() {
    let wrong = result(r#"{"n":"one"}"#);
    let rejected = called("mock/dual+auto", INTEGER, &wrong).await;
    assert_eq!(layer(&rejected), Layer::Validate);
    assert!(error(&rejected).message.starts_with("/n violates"), "{rejected:?}");
    for tolerant in ["mock/dual/warn+auto", "mock/dual/skip+auto"] {
        assert_eq!(value(&called(tolerant, INTEGER, &wrong).await), Some(r#"{"n":"one"}"#), "{tolerant}");
    }
}

#[tokio::test]
async fn a_schema_without_structured_content_is_a_violation_unless_the_tool_failed() {
    let missing = format!(r#"{{"content":[{BLOCK}]}}"#);
    assert_eq!(layer(&called("mock/dual+auto", INTEGER, &missing).await), Layer::Validate);
    assert_eq!(value(&called("mock/dual/warn+auto", INTEGER, &missing).await), None);
    let failed = format!(r#"{{"content":[{BLOCK}],"isError":true}}"#);
    let answer = called("mock/dual+auto", INTEGER, &failed).await;
    assert_eq!((value(&answer), answer.is_error, blocks(&answer)), (None, Some(true), 1));
    let violating = r#"{"content":[],"isError":true,"structuredContent":{"code":7}}"#;
    assert_eq!(value(&called("mock/dual+auto", INTEGER, violating).await), Some(r#"{"code":7}"#));
}

#[tokio::test]
async fn content_is_what_a_client_of_content_gets_though_it_validates() {
    let client = "mock/dual/content+auto";
    let answer = called(client, INTEGER, &result(r#"{"n":1}"#)).await;
    assert_eq!((value(&answer), blocks(&answer)), (None, 1));
    assert_eq!(layer(&called(client, INTEGER, &result(r#"{"n":"1"}"#)).await), Layer::Validate);
    let both = called("mock/dual+auto", INTEGER, &result(r#"{"n":1}"#)).await;
    assert_eq!((value(&both), blocks(&both)), (Some(r#"{"n":1}"#), 1));
}

#[tokio::test]
async fn blocks_vanish_for_a_client_of_structured_content_where_there_is_any() {
    let client = "mock/dual/structured+auto";
    let answer = called(client, INTEGER, &result(r#"{"n":1}"#)).await;
    assert_eq!((value(&answer), blocks(&answer)), (Some(r#"{"n":1}"#), 0));
    let null = called(client, "{}", &result("null")).await;
    assert_eq!((value(&null), blocks(&null)), (Some("null"), 0), "null is a value");
    let failed = format!(r#"{{"content":[{BLOCK}],"isError":true}}"#);
    let text = called("mock/dual/structured+legacy", INTEGER, &failed).await;
    assert_eq!(blocks(&text), 1, "without a value the blocks are all there is");
}

#[rstest]
#[case::array("[1]")]
#[case::string("\"a\"")]
#[case::zero("0")]
#[case::no("false")]
#[case::null("null")]
#[tokio::test]
async fn any_value_is_a_value_to_those_who_hold_any_and_unreadable_to_those_who_hold_objects(#[case] structured: &str) {
    for client in ["mock/dual+auto", "mock/2026-07-28", "mock/2025-11-25/lenient", "mock/dual+legacy"] {
        assert_eq!(value(&called(client, "{}", &result(structured)).await), Some(structured), "{client}");
    }
    for client in ["mock/2025-11-25", "mock/2025-06-18", "mock/dual/strict+auto"] {
        let schema = r#"{"type":"object"}"#;
        assert_eq!(layer(&called(client, schema, &result(structured)).await), Layer::Decode, "{client}");
    }
}

#[rstest]
#[case::array(r#"{"type":"array"}"#)]
#[case::no_type(r#"{"properties":{}}"#)]
#[case::two_types(r#"{"type":["object","null"]}"#)]
#[case::null("null")]
#[tokio::test]
async fn one_tool_with_another_root_costs_a_strict_client_all_of_them(#[case] schema: &str) {
    let tools = format!("{PLAIN},{}", tool("t", schema));
    let steps = [LIST, call("plain")];
    let reply = r#"{"content":[]}"#;
    let (answer, heard) = play("mock/2025-11-25", &steps, fake::legacy(&tools, reply)).await;
    assert_eq!((layer(&answer.steps[0]), layer(&answer.steps[1])), (Layer::Decode, Layer::Decode));
    assert!(error(&answer.steps[0]).message.starts_with("tools[1].outputSchema"), "{answer:?}");
    assert!(!fake::methods(&heard).contains(&"tools/call"));
    let (answer, _) = play("mock/2025-11-25/lenient", &steps, fake::legacy(&tools, reply)).await;
    assert_eq!(fake::names(&answer.steps[0]), ["plain", "t"]);
    assert_eq!(value(&answer.steps[1]), None);
}

#[rstest]
#[case::network(r#"{"type":"object","$ref":"http://127.0.0.1:9/s.json"}"#)]
#[case::dialect(r#"{"type":"object","$schema":"https://example.com/dialect"}"#)]
#[case::nonsense(r#"{"type":"object","properties":7}"#)]
#[tokio::test]
async fn a_schema_that_cannot_be_used_costs_its_own_tool_only(#[case] schema: &str) {
    for client in ["mock/dual+auto", "mock/2025-11-25"] {
        let tools = format!("{PLAIN},{}", tool("t", schema));
        let (mut modern, mut legacy) = (fake::modern(&tools, "{}"), fake::legacy(&tools, "{}"));
        let server = move |heard: &fake::Heard| if heard.is_modern() { modern(heard) } else { legacy(heard) };
        let (answer, heard) = play(client, &[LIST, call("t"), call("plain")], server).await;
        assert_eq!(fake::names(&answer.steps[0]), ["plain", "t"]);
        assert_eq!(layer(&answer.steps[1]), Layer::Validate);
        assert_eq!(value(&answer.steps[2]), None);
        let calls = fake::methods(&heard).into_iter().filter(|method| *method == "tools/call").count();
        assert_eq!(calls, 1, "only the plain tool was called");
    }
    assert_eq!(value(&called("mock/dual/warn+auto", schema, &result("{}")).await), Some("{}"));
}

#[rstest]
#[case("mock/2024-11-05")]
#[case("mock/2025-03-26")]
#[tokio::test]
async fn before_structured_output_there_are_blocks_only_and_a_schema_is_nothing(#[case] client: &str) {
    let tools = tool("t", r#"{"type":"array"}"#);
    let (answer, _) = play(client, &[LIST, call("t")], fake::legacy(&tools, &result("[1]"))).await;
    assert!(answer.steps[0].tools.as_ref().unwrap()[0].output_schema.is_none());
    assert_eq!((value(&answer.steps[1]), blocks(&answer.steps[1])), (None, 1));
}

#[rstest]
#[case::no_content(r#"{"structuredContent":{"n":1}}"#, None)]
#[case::null_content(r#"{"content":null,"structuredContent":{"n":1},"isError":null}"#, None)]
#[case::content_object(r#"{"content":{},"structuredContent":{"n":1}}"#, Some(Layer::Decode))]
#[case::block_text(r#"{"content":["hi"],"structuredContent":{"n":1}}"#, Some(Layer::Decode))]
#[case::error_text(r#"{"content":[],"isError":"yes","structuredContent":{"n":1}}"#, Some(Layer::Decode))]
#[case::made_up_block(r#"{"content":[{"type":"hologram"}],"structuredContent":{"n":1}}"#, None)]
#[case::twice(r#"{"structuredContent":{"n":1},"structuredContent":{"n":2}}"#, Some(Layer::Decode))]
#[case::no_object("[]", Some(Layer::Decode))]
#[case::null("null", Some(Layer::Decode))]
#[tokio::test]
async fn what_is_missing_is_tolerated_and_what_is_of_another_type_is_not(
    #[case] result: &str,
    #[case] refused: Option<Layer>,
) {
    let answer = called("mock/dual+auto", INTEGER, result).await;
    assert_eq!(answer.error.as_ref().map(|error| error.layer), refused, "{answer:?}");
}

#[rstest]
#[case::absent("", None)]
#[case::complete(r#""resultType":"complete","#, None)]
#[case::unknown(r#""resultType":"partial","#, Some(Layer::Decode))]
#[case::null(r#""resultType":null,"#, Some(Layer::Decode))]
#[case::more_input(r#""resultType":"input_required","#, Some(Layer::Protocol))]
#[tokio::test]
async fn a_modern_result_is_complete_unless_it_says_otherwise(#[case] member: &str, #[case] refused: Option<Layer>) {
    let result = format!(r#"{{{member}"structuredContent":{{"n":1}},"content":[]}}"#);
    let layer_of = |answer: StepAnswer| answer.error.map(|error| error.layer);
    assert_eq!(layer_of(called("mock/dual+auto", INTEGER, &result).await), refused);
    assert_eq!(layer_of(called("mock/dual+legacy", INTEGER, &result).await), None, "legacy results have no type");
}

#[tokio::test]
async fn a_json_rpc_error_keeps_its_code_and_the_session() {
    let mut modern = fake::modern(PLAIN, r#"{"content":[]}"#);
    let server = move |heard: &fake::Heard| match heard.params["name"].as_str() {
        Some("gone") => heard.error(-32602, &serde_json::Value::Null),
        _ => modern(heard),
    };
    let (answer, _) = play("mock/dual+auto", &[call("gone"), call("plain")], server).await;
    assert_eq!((layer(&answer.steps[0]), error(&answer.steps[0]).code), (Layer::Protocol, Some(-32602)));
    assert_eq!(value(&answer.steps[1]), None);
}

/// A schema that takes more memory than a mock gives it, and one with a pattern that is longer than a mock reads.
#[rstest]
#[case::memory(too_large(), "60 MB")]
#[case::pattern(format!(r#"{{"type":"object","properties":{{"a":{{"pattern":"{}"}}}}}}"#, "a".repeat(21_000)), "pattern")]
#[tokio::test]
async fn what_a_mock_cannot_find_out_is_not_told_of_a_client(#[case] schema: String, #[case] why: &str) {
    let tools = format!("{PLAIN},{}", tool("t", &schema));
    let played = async |client: &str, result: &str| {
        let (answer, _) = play(client, &[LIST, call("t")], fake::modern(&tools, result)).await;
        answer
    };
    let answer = played("mock/dual+auto", &result("{}")).await;
    let reason = answer.unsupported.as_deref().expect("a reason");
    assert!(reason.starts_with("a mock cannot check values by this outputSchema") && reason.contains(why), "{reason}");
    assert_eq!((answer.steps.len(), answer.negotiated), (0, None));
    // Where the schema does not matter, the mock knows.
    for tolerant in ["mock/dual/skip+auto", "mock/dual/warn+auto"] {
        let answer = played(tolerant, &result("{}")).await;
        assert_eq!((answer.unsupported.as_deref(), value(&answer.steps[1])), (None, Some("{}")), "{tolerant}");
    }
    let answer = played("mock/dual+auto", &format!(r#"{{"content":[{BLOCK}],"isError":true}}"#)).await;
    assert_eq!((answer.unsupported.as_deref(), blocks(&answer.steps[1])), (None, 1));
    let answer = played("mock/dual+auto", &format!(r#"{{"content":[{BLOCK}]}}"#)).await;
    assert_eq!((answer.unsupported.as_deref(), layer(&answer.steps[1])), (None, Layer::Validate));
}

/// A pattern that is longer than the engine here reads, for the clients that bring a library of their own.
#[rstest]
#[case::typescript_1("profile/typescript@1")]
#[case::typescript_2("profile/typescript@2")]
#[case::python_1("profile/python@1")]
#[tokio::test]
async fn nor_is_it_told_of_an_sdk(#[case] client: &str) {
    let schema =
        format!(r#"{{"type":"object","maxProperties":1,"properties":{{"a":{{"pattern":"{}"}}}}}}"#, "a".repeat(21_000));
    let tools = format!("{PLAIN},{}", tool("t", &schema));
    let played = async |structured: &str| {
        let server = fake::legacy(&tools, &result(structured));
        play(client, &[LIST, call("t")], server).await.0
    };
    let answer = played(r#"{"a":"x"}"#).await;
    let reason = answer.unsupported.as_deref().expect("a reason");
    assert!(reason.ends_with("which has a pattern that the mock's engine cannot compile"), "{reason}");
    // Where no value comes to the pattern, the mock knows, and so it does where another keyword is violated.
    let answer = played(r#"{"b":"x"}"#).await;
    assert_eq!((answer.unsupported.as_deref(), value(&answer.steps[1])), (None, Some(r#"{"b":"x"}"#)));
    let answer = played(r#"{"a":"x","b":1}"#).await;
    assert_eq!((answer.unsupported.as_deref(), layer(&answer.steps[1])), (None, Layer::Validate));
}

fn too_large() -> String {
    let properties: Vec<String> = (0..60_000).map(|n| format!(r#""p{n}":{{"type":"string"}}"#)).collect();
    format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","))
}
