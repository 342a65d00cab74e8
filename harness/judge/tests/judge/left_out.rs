//! Tools that work by name and are missing in the list that the client's user got.

use mcp_compat_model::Role;
use mcp_compat_model::observation::{Layer, Seen, SeenTool};
use mcp_compat_model::peer_contract::BYSTANDER_TOOL;
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating, Verdict};

use crate::play::{Play, failed};

const MODERN: &str = "2026-07-28";

/// A list of these tools, as the client's user got it.
pub(crate) fn listed(names: &[&str]) -> Seen {
    let tool = |name: &&str| SeenTool {
        name: (*name).to_owned(),
        output_schema: None,
        input_schema: None,
        refused: None,
        found: false,
    };
    Seen::Listed { tools: names.iter().map(tool).collect() }
}

fn without_report(play: Play) -> Verdict {
    play.sees_list(listed(&[BYSTANDER_TOOL])).verdict()
}

fn about(verdict: &Verdict) -> (Rating, Outcome, bool, Option<BlastRadius>, Option<Fault>) {
    (verdict.rating, verdict.outcome, verdict.silent, verdict.blast_radius, verdict.fault)
}

/// A tool whose input schema asks for a header.
fn with_header(play: Play, kind: &str) -> Play {
    let schema = format!(
        r#"{{"name":"report","inputSchema":{{"type":"object","properties":{{"ids":{{"type":"{kind}","x-mcp-header":"Ids"}}}}}}"#
    );
    play.swap(r#"{"name":"report","inputSchema":{"type":"object"}"#, &schema)
}

#[test]
fn a_good_tool_that_a_client_leaves_out_is_lost_by_the_client() {
    let verdict = without_report(Play::at(MODERN));
    let lost = (Rating::Breaks, Outcome::Lost, true, Some(BlastRadius::Tool), Some(Fault::Client));
    assert_eq!(about(&verdict), lost);
    assert_eq!(
        verdict.reason,
        "rmcp@3.9.0 lists its tools without `report`, and reports no error. The tool was on the wire, and nothing is \
         wrong with its definition. To fix in the client: list every tool that the server offers, or report why one is \
         left out."
    );
    let all = Play::at(MODERN).sees_list(listed(&[])).verdict();
    assert_eq!(all.blast_radius, Some(BlastRadius::Server));
}

#[test]
fn a_tool_on_a_page_that_was_not_read_is_lost_by_the_client() {
    let paged =
        || Play::at(MODERN).swap(r#""tools":[{"name":"report""#, r#""nextCursor":"2","tools":[{"name":"first""#);
    let verdict = without_report(paged());
    let lost = (Rating::Breaks, Outcome::Lost, true, Some(BlastRadius::Tool), Some(Fault::Client));
    assert_eq!(about(&verdict), lost);
    assert_eq!(
        verdict.reason,
        "rmcp@3.9.0 lists its tools without `report`, and reports no error. The page that `nextCursor` leads to was \
         not asked for. To fix in the client: request the next page until no cursor is returned."
    );
    // A tool that no page had is not the client's to list.
    let unlisted = Play::at(MODERN).swap(r#""tools":[{"name":"report""#, r#""tools":[{"name":"first""#);
    assert_eq!(without_report(unlisted).rating, Rating::Works);
}

#[test]
fn a_tool_that_a_client_has_to_leave_out_is_lost_by_the_server() {
    let verdict = without_report(with_header(Play::at(MODERN).over_http(), "array"));
    let lost = (Rating::Breaks, Outcome::Lost, true, Some(BlastRadius::Tool), Some(Fault::Server));
    assert_eq!(about(&verdict), lost);
    assert_eq!(
        verdict.reason,
        "rmcp@3.9.0 lists its tools without `report`, and reports no error. The x-mcp-header at \
         /properties/ids/x-mcp-header of the inputSchema of `report` is at a property of type array; only string, integer \
         and boolean are allowed. To fix in the server: remove this `x-mcp-header`, or put it at a string, integer or \
         boolean below `properties` alone, with a unique name that a header can have."
    );
    let good = without_report(with_header(Play::at(MODERN).over_http(), "string"));
    assert_eq!(good.fault, Some(Fault::Client), "{}", good.reason);
}

#[test]
fn a_list_from_before_the_tools_changed_says_nothing() {
    let before = Play::at(MODERN).evolves(true).sees_list(listed(&[BYSTANDER_TOOL]));
    assert_eq!(before.verdict().rating, Rating::Works);
}

#[test]
fn nobody_but_the_server_can_end_a_list_without_an_end() {
    let ask = |id: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}},"cursor":"2"}}}}"#
        )
    };
    let page = r#"{"jsonrpc":"2.0","id":91,"result":{"resultType":"complete","nextCursor":"2","tools":[],"ttlMs":0,"cacheScope":"private"}}"#;
    let endless = || {
        let play = Play::at(MODERN).swap(r#""complete","tools":["#, r#""complete","nextCursor":"2","tools":["#);
        let play = play.after(r#""id":2,"result""#, Role::Client, &ask(91)).after(&ask(91), Role::Server, page);
        let again = page.replace("91", "92");
        play.after(page, Role::Client, &ask(92)).after(&ask(92), Role::Server, &again)
    };
    for error in [failed(Layer::Timeout, "5 s"), failed(Layer::Decode, "the list goes on after 1,000 pages")] {
        let verdict = endless().sees_list(error.clone()).sees(error).verdict();
        assert_eq!((verdict.fault, verdict.blast_radius), (Some(Fault::Server), Some(BlastRadius::Server)));
        let told = "A page of tools/list leads to itself with the `nextCursor` \"2\", so the list has no end. To fix in the \
                    server: omit `nextCursor` on the last page, and lead each page to the one after it.";
        assert!(verdict.reason.contains(told), "{}", verdict.reason);
    }
    // Its pages come again and again, and their tools have one name each.
    assert!(endless().verdict().findings.iter().all(|found| found.rule != "tool-names-unique"));
    // A client that notices gets every tool.
    assert_eq!(endless().verdict().rating, Rating::Works);
}
