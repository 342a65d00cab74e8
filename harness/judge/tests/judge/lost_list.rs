//! Clients that did not take the list of tools: the list is the cause, whatever else failed for it.

use mcp_compat_model::observation::Layer;
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating, Verdict};
use mcp_compat_scenario::scenario::Means;

use crate::play::{Play, failed};

const LEGACY: &str = "2025-11-25";
const INVALID: &str = r#"{"structuredContent":{"name":1},"content":[]}"#;

fn refused() -> mcp_compat_model::observation::Seen {
    failed(Layer::Decode, "expected \"object\"")
}

fn signature(verdict: &Verdict) -> String {
    verdict.signature.as_ref().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn who_lost_the_list_is_told_of_the_list_and_of_the_result() {
    let verdict = Play::array_at(LEGACY).sees_list(refused()).sees(refused()).verdict();
    assert_eq!(signature(&verdict), "server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type");
    assert_eq!(verdict.blast_radius, Some(BlastRadius::Server));
    for told in [
        "rejected the response to tools/list",
        "the call of `report` failed too",
        "The outputSchema of `report` has type \"array\" at its root",
        "To fix in the server: for clients of revisions up to 2025-11-25, return an object and give its outputSchema",
        "To fix in the server as well: send only objects as structuredContent",
    ] {
        assert!(verdict.reason.contains(told), "{told}: {}", verdict.reason);
    }
    // A client that took the list is told of the result first.
    let took = Play::array_at(LEGACY).sees(refused()).verdict();
    assert!(signature(&took).contains("tools/call:structured-content-object"), "{}", signature(&took));
    assert_eq!(took.blast_radius, Some(BlastRadius::Call));
}

#[test]
fn who_lost_the_list_does_not_fail_to_validate() {
    let play = || Play::at(LEGACY).schema(r#"{"required":["id"]}"#).result(INVALID).means(Means::Invalid);
    let verdict = play().sees_list(refused()).verdict();
    assert_eq!((verdict.outcome, verdict.fault), (Outcome::Uncaught, Some(Fault::Server)), "{}", verdict.reason);
    assert_eq!(signature(&verdict), "server:uncaught:tools/list:output-schema-object-root:decode:/outputSchema/type");
    assert!(verdict.reason.contains("had no outputSchema to validate with"), "{}", verdict.reason);
    assert!(verdict.findings.iter().all(|found| found.rule != "client-validates"));
    let took = play().verdict();
    assert_eq!(signature(&took), "client:uncaught:tools/call:client-validates", "{}", took.reason);
}

#[test]
fn a_list_that_a_client_cannot_read_is_not_blamed_on_the_call() {
    let waited = || failed(Layer::Timeout, "5 s");
    let verdict = Play::at(LEGACY).sees_list(waited()).sees(waited()).sees_bystander(waited()).verdict();
    assert_eq!(signature(&verdict), "client:hung:tools/list:no-rule:timeout", "{}", verdict.reason);
    assert_eq!(verdict.blast_radius, Some(BlastRadius::Server));
    assert!(verdict.reason.contains("did not take the response to tools/list"), "{}", verdict.reason);
    let call = Play::at(LEGACY).sees(waited()).verdict();
    assert_eq!(signature(&call), "client:hung:tools/call:no-rule:timeout", "{}", call.reason);
}

#[test]
fn a_list_that_the_client_asked_for_by_itself_costs_all_tools_and_not_the_session() {
    let plain = r#"{"content":[{"type":"text","text":"Hello"}]}"#;
    let play = |schema: &str| {
        let play = Play::at(LEGACY)
            .schema(schema)
            .result(plain)
            .reply(mcp_compat_model::peer_contract::Reply::Result(serde_json::from_str(plain).unwrap()));
        // The tool that is called declares nothing; its neighbour does.
        play.lists_schema(None)
            .swap(
                r#"{"name":"mcp_compat_bystander""#,
                &format!(r#"{{"outputSchema":{schema},"name":"mcp_compat_bystander""#),
            )
            .means(Means::Text("Hello".to_owned()))
            .unlisted()
            .sees(refused())
    };
    let verdict = play(r#"{"type":"array"}"#).verdict();
    assert_eq!(signature(&verdict), "server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type");
    assert_eq!(verdict.blast_radius, Some(BlastRadius::Server), "{}", verdict.reason);
    // The same where the client asks for the list first, and never sends the call.
    let unsent = play(r#"{"type":"array"}"#).without("\"tools/call\"").without("Hello").verdict();
    assert_eq!(signature(&unsent), signature(&verdict), "{}", unsent.reason);
    assert!(unsent.reason.contains("so `report` cannot be called"), "{}", unsent.reason);
    // Without anything wrong in the list, it is the call.
    let verdict = play(r#"{"type":"object"}"#).verdict();
    assert_eq!(signature(&verdict), "client:rejected:tools/call:client-takes-conforming-result:decode");
    assert_eq!(verdict.blast_radius, Some(BlastRadius::Call), "the session stands: {}", verdict.reason);
}

#[test]
fn what_the_client_never_asked_for_is_not_undeclared() {
    let invalid = || Play::at(LEGACY).result(INVALID).means(Means::Invalid);
    let never = invalid().unlisted().without("tools/list").without("\"tools\":[").verdict();
    assert_eq!((never.rating, never.silent, never.outcome), (Rating::Breaks, true, Outcome::Uncaught));
    let told = "rmcp@3.9.0 accepted an invalid result of `report`: it did not request tools/list, so it had no outputSchema to \
                validate with.";
    assert!(never.reason.starts_with(told), "{}", never.reason);
    let undeclared = invalid().lists_schema(None).verdict();
    assert_eq!(undeclared.rating, Rating::Skipped);
    assert!(
        undeclared.reason.contains("the server declared no outputSchema")
            || undeclared.reason.contains("The server declared no outputSchema"),
        "{}",
        undeclared.reason
    );
}

#[test]
fn a_list_that_the_server_refuses_is_not_rejected_by_the_client() {
    let listed = r#""id":2,"result":{"tools":["#;
    let error = r#""id":2,"error":{"code":-32603,"message":"Handler returned an invalid result"},"was":{"tools":["#;
    let internal = || failed(Layer::Protocol, "Handler returned an invalid result");
    let play = |play: Play| play.swap(listed, error).sees_list(internal()).sees(internal()).sees_bystander(internal());
    let verdict = play(Play::array_at(LEGACY)).verdict();
    assert_eq!((verdict.fault, verdict.blast_radius), (Some(Fault::Server), Some(BlastRadius::Server)));
    assert!(
        verdict.reason.starts_with("The server answered tools/list of rmcp@3.9.0 with an error"),
        "{}",
        verdict.reason
    );
    assert!(!verdict.reason.contains("send what the tool returned"), "{}", verdict.reason);
    // No client is at fault for a result that it could not look at.
    assert!(verdict.findings.iter().all(|found| !found.rule.starts_with("client-")), "{:?}", verdict.findings);
    let object = play(Play::at(LEGACY)).verdict();
    assert!(object.reason.ends_with("To fix in the server: answer tools/list with the tools."), "{}", object.reason);
    let array = "omit every outputSchema whose root is not an object";
    let of_array = play(Play::array_at(LEGACY)).without("structuredContent\":[").verdict();
    assert!(of_array.reason.contains(array), "{}", of_array.reason);
    // The place makes refusals in all classes of scenarios one cause.
    assert_eq!(signature(&of_array), "server:rejected:tools/list:no-rule:protocol:/outputSchema");
    assert_eq!(signature(&object), "server:rejected:tools/list:no-rule:protocol");
}
