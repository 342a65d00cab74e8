//! Pairs of mocks that play in memory, each opened once.

use std::sync::{Arc, LazyLock};

use mcp_compat_author::shrink::PeerPair;
use mcp_compat_json::Json;
use mcp_compat_model::verdict::Verdict;
use mcp_compat_model::{Revision, Transport};
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::programs::Programs;
use mcp_compat_run::timeouts::Timeouts;
use mcp_compat_scenario::scenario::Means;
use mcp_compat_scenario::write::{Answer, Draft, DraftTool};
use mcp_compat_scenario::{Scenario, load};
use tokio::runtime::Runtime;

/// Runtime for the pairs.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// A client that checks what it gets, one that does not, and one that knows objects only; each with a server that
/// speaks what it speaks.
pub(crate) static VALIDATING: LazyLock<Arc<PeerPair>> = LazyLock::new(|| with_dual("mock/dual+auto"));
pub(crate) static SKIPPING: LazyLock<Arc<PeerPair>> = LazyLock::new(|| with_dual("mock/dual/skip+auto"));
pub(crate) static STRICT: LazyLock<Arc<PeerPair>> = LazyLock::new(|| with_dual("mock/2025-06-18"));

fn with_dual(client: &str) -> Arc<PeerPair> {
    let (client, server) = (ClientPeer::mock(client).unwrap(), ServerPeer::mock("mock/dual").unwrap());
    Arc::new(PeerPair::new(client, server, Transport::Memory, Timeouts::default(), Programs::None))
}

pub(crate) fn play(pair: &PeerPair, scenario: &Scenario) -> Verdict {
    RUNTIME.block_on(pair.play(scenario))
}

/// Declaration and result of one tool.
#[derive(Clone, Debug)]
pub(crate) struct Said<'a> {
    pub(crate) schema: &'a Json,
    pub(crate) value: &'a Json,
    pub(crate) control: Option<&'a Json>,
    pub(crate) invalid: bool,
}

/// The scenario of one tool, written down and read.
pub(crate) fn scenario(said: &Said<'_>) -> Scenario {
    let definition =
        format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},"outputSchema":{}}}"#, said.schema.to_compact());
    let mut tool = DraftTool::new(definition, Answer::Returns(result(said.value)));
    tool.control = said.control.map(|control| result(control).into());
    tool.means = said.invalid.then(|| Means::Invalid.into());
    let mut draft = Draft::new("t", "w");
    draft.sources = vec!["https://example.org/".to_owned()].into();
    draft.since = Some(Revision::V2026_07_28.into());
    draft.tools.push(tool);
    read(&draft)
}

pub(crate) fn read(draft: &Draft) -> Scenario {
    let text = draft.write("a").text;
    let mut scenarios = load("a.toml", &text, &|_| None).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    assert_eq!(scenarios.len(), 1);
    scenarios.remove(0)
}

/// A result with the value in both its forms.
fn result(value: &Json) -> String {
    let value = value.to_compact();
    let text = Json::from(value.as_str()).to_compact();
    format!(r#"{{"structuredContent":{value},"content":[{{"type":"text","text":{text}}}]}}"#)
}
