//! Shows what a scenario puts on the wire: the mock server in each downgrade, before a client of each revision that
//! takes everything as it comes.
//!
//! Nothing is rendered here. The scenario is played, and what the server wrote is read off the transcript.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use futures_util::future::try_join_all;
use mcp_compat_drive::Tap;
use mcp_compat_json::{Json, Object};
use mcp_compat_judge::wire::exchange::exchanges;
use mcp_compat_judge::wire::message::messages;
use mcp_compat_mocks::client::{ClientSpec, Variant};
use mcp_compat_mocks::server::{Downgrade, ServerSpec};
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, EVOLVE_TOOL};
use mcp_compat_model::record::Evidence;
use mcp_compat_model::transcript::{Event as Wire, Raw};
use mcp_compat_model::{Revision, Role, Transport};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::Purpose;
use serde_json::value::RawValue;
use tokio::task::{JoinError, spawn_blocking};

use mcp_compat_run::canary::with_canary_shown;
use mcp_compat_run::cores;
use mcp_compat_run::environment::{HarnessError, RunEnvironment};
use mcp_compat_run::in_memory::{self, SHORT_STEP};
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::programs::Programs;
use mcp_compat_run::timeouts::Timeouts;

/// Messages to the clients of some revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WirePreview {
    /// The revisions, oldest first.
    pub revisions: Vec<Revision>,
    /// Requests in order, with their answers.
    pub sendings: Vec<Sending>,
}

/// A request, and what it is answered with in each downgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// The request, in short.
    pub asked: String,
    /// The answers that differ, each with the downgrades that give it.
    pub variants: Vec<(Vec<Downgrade>, Vec<Sent>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Kind of the message, in a word or two.
    pub what: &'static str,
    /// The JSON, or whatever stands in its place.
    pub text: String,
}

/// Plays a scenario in every wire_preview. Revisions that get the same in every downgrade are one wire_preview. Nothing is
/// judged, since no verdict is shown.
pub async fn wire_previews(scenario: &Arc<Scenario>) -> Result<Vec<WirePreview>, HarnessError> {
    let scenario = &with_canary_shown(scenario);
    let (casts, environment) = (casts(), RunEnvironment::new(Programs::None, None));
    let heard = async |cast: &Cast| {
        let evidence = cast.heard(&environment, scenario).await;
        let scenario = Arc::clone(scenario);
        spawn_blocking(move || asked(&scenario, &evidence)).await
    };
    let mut seen = Vec::with_capacity(casts.len());
    for together in casts.chunks(cores()) {
        seen.extend(try_join_all(together.iter().map(heard)).await.map_err(panicked)?);
    }
    let mut wire_previews: Vec<(Vec<Revision>, ByDowngrade)> = Vec::new();
    for revision in Revision::ALL {
        let of_revision = casts.iter().zip(&mut seen).filter(|(cast, _)| cast.revision == revision);
        let sent: Vec<_> = of_revision.map(|(cast, seen)| (cast.downgrade, std::mem::take(seen))).collect();
        match wire_previews.iter_mut().find(|(_, known)| *known == sent) {
            Some((revisions, _)) => revisions.push(revision),
            None => wire_previews.push((vec![revision], sent)),
        }
    }
    let wire_preview = |(revisions, sent): (_, ByDowngrade)| WirePreview { revisions, sendings: merged(&sent) };
    Ok(wire_previews.into_iter().map(wire_preview).collect())
}

fn panicked(lost: JoinError) -> HarnessError {
    HarnessError::Panicked(lost.to_string())
}

/// A client of one revision before a server of one downgrade.
struct Cast {
    revision: Revision,
    downgrade: Downgrade,
    pair: (ClientPeer, ServerPeer),
}

impl Cast {
    /// Plays a scenario between the two.
    async fn heard(&self, environment: &RunEnvironment, scenario: &Scenario) -> Evidence {
        let (client, server) = &self.pair;
        let usual = Timeouts::default();
        let timeouts = if scenario.keeps_waiting() { Timeouts { step: SHORT_STEP, ..usual } } else { usual };
        let played = environment.play(scenario, client, server, Transport::Memory, timeouts, Tap::default());
        let (transcript, observation) = played.await;
        Evidence::kept(in_memory::cell(scenario, client.id(), server.id()), transcript, observation)
    }
}

fn casts() -> Vec<Cast> {
    let cast = |(revision, downgrade): (Revision, Downgrade)| {
        let client = ClientSpec::mock_of(revision, Some(Variant::Skip));
        let pair = (ClientPeer::from(client), ServerPeer::from(ServerSpec::dual(downgrade)));
        Cast { revision, downgrade, pair }
    };
    let all = Revision::ALL.into_iter().flat_map(|revision| Downgrade::ALL.map(|downgrade| (revision, downgrade)));
    all.map(cast).collect()
}

/// Returns what the clients of one revision ask and are sent in each downgrade.
type ByDowngrade = Vec<(Downgrade, Vec<Asked>)>;

/// A request and everything that came until it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    what: String,
    came: Vec<Sent>,
}

/// The lists and calls of a session, and what else is answered as the scenario says; but not what is the same in every
/// scenario.
fn asked(scenario: &Scenario, evidence: &Evidence) -> Vec<Asked> {
    let messages = messages(&evidence.transcript);
    let exchanges = exchanges(&messages, &evidence.transcript).all;
    let all = exchanges.iter();
    let answers: BTreeSet<u32> = all.filter_map(|exchange| Some(messages[exchange.answer.message()?].seq)).collect();
    let mut found = Vec::new();
    for exchange in &exchanges {
        let request = &messages[exchange.request];
        let argument = |name| request.param(name).map(Json::to_compact).unwrap_or_default();
        let tool = request.param("name").and_then(Json::as_str);
        let answer = exchange.answer.message().map(|at| messages[at].seq);
        let came = || came(evidence, request.seq, answer, &answers);
        match (request.method(), tool) {
            (Some("tools/list"), _) => {
                found.push(Asked {
                    what: "tools/list".to_owned(),
                    came: came().into_iter().flat_map(|sent| listed(scenario, sent)).collect(),
                });
            }
            (Some("tools/call"), Some(BYSTANDER_TOOL)) => {}
            (Some("tools/call"), Some(EVOLVE_TOOL)) => {
                let mut came = came();
                came.retain(|sent| sent.what == MESSAGE);
                found.push(Asked { what: "the tools change".to_owned(), came });
            }
            (Some("tools/call"), Some(tool)) => {
                found.push(Asked { what: format!("tools/call {tool} {}", argument("arguments")), came: came() });
            }
            (Some(method), _) if scenario.answers.iter().any(|answer| answer.to.as_str() == method) => {
                found.push(Asked { what: method.to_owned(), came: came() });
            }
            (Some(_) | None, _) => {}
        }
    }
    found
}

/// Text of [`Sent::what`] for a message that is no answer.
const MESSAGE: &str = "message";

/// Returns what the server sent after a request, up to its answer, or else until the client went on; `answers` to
/// other requests are not of it.
fn came(evidence: &Evidence, request: u32, answer: Option<u32>, answers: &BTreeSet<u32>) -> Vec<Sent> {
    let entries = &evidence.transcript.entries;
    let after = entries.iter().skip(entries.partition_point(|entry| entry.seq <= request));
    let until = after.take_while(|entry| match answer {
        Some(answer) => entry.seq <= answer,
        None => entry.from == Role::Server,
    });
    let mut sent: Vec<Sent> = until
        .filter(|entry| entry.from == Role::Server && (Some(entry.seq) == answer || !answers.contains(&entry.seq)))
        .filter_map(|entry| match &entry.event {
            Wire::Message { raw, .. } => Some(message(raw, Some(entry.seq) == answer)),
            Wire::Overflow { start, .. } => Some(Sent { what: "the beginning", text: shown(start) }),
            Wire::Closed {} => Some(Sent { what: "end", text: "the connection is closed".to_owned() }),
            Wire::Head { .. } | Wire::Fetched { .. } | Wire::Exited { .. } | Wire::Stopped { .. } => None,
        })
        .collect();
    if answer.is_none() && sent.is_empty() {
        sent.push(Sent { what: "nothing", text: "it is never answered".to_owned() });
    }
    sent
}

/// The members of a response, each as it was sent.
#[derive(serde::Deserialize)]
struct Response<'t> {
    #[serde(borrow)]
    result: Option<&'t RawValue>,
    #[serde(borrow)]
    error: Option<&'t RawValue>,
}

fn message(raw: &Raw, is_answer: bool) -> Sent {
    let text = shown(raw);
    if !is_answer {
        return Sent { what: MESSAGE, text };
    }
    match serde_json::from_str::<Response<'_>>(&text) {
        Ok(Response { result: Some(result), error: None }) => Sent { what: "result", text: result.get().to_owned() },
        Ok(Response { result: None, error: Some(error) }) => Sent { what: "error", text: error.get().to_owned() },
        Ok(Response { .. }) | Err(_) => Sent { what: "bytes", text },
    }
}

fn shown(raw: &Raw) -> String {
    match raw {
        Raw::Text(text) => text.clone(),
        Raw::Base64(text) => format!("base64: {text}"),
    }
}

/// The result of a list taken apart: the scenario's own tools, and what stands beside them where the scenario has a say
/// in that. A control has the definition of its tool, and is left out.
fn listed(scenario: &Scenario, sent: Sent) -> Vec<Sent> {
    let of_result = (sent.what == "result").then_some(&sent.text);
    let Some((tools, beside)) = of_result.and_then(|text| taken_apart(text)) else { return vec![sent] };
    let controls = scenario.calls().filter(|(_, call)| call.purpose == Purpose::Control);
    let left_out: HashSet<&str> =
        controls.map(|(_, call)| call.tool.as_str()).chain([BYSTANDER_TOOL, EVOLVE_TOOL]).collect();
    let ours = |definition: &&&RawValue| {
        let tool = Json::parse(definition.get()).unwrap_or(Json::Null);
        tool.get("name").and_then(Json::as_str).is_none_or(|name| !left_out.contains(name))
    };
    let tool = |definition: &&RawValue| Sent { what: "tool", text: definition.get().to_owned() };
    let mut parts: Vec<Sent> = tools.iter().filter(ours).map(tool).collect();
    if scenario.list.is_some() || scenario.page_size.is_some() || !scenario.list_without.is_empty() {
        parts.push(Sent { what: "beside", text: Json::from(beside).to_compact() });
    }
    parts
}

/// The tools of a list, and its other members; nothing, where it is no list of tools.
fn taken_apart(text: &str) -> Option<(Vec<&RawValue>, Object)> {
    #[derive(serde::Deserialize)]
    struct List<'t> {
        #[serde(borrow)]
        tools: Vec<&'t RawValue>,
    }
    let List { tools } = serde_json::from_str(text).ok()?;
    let mut beside = Object::new();
    for (name, value) in Json::parse(text).ok()?.as_object()?.iter() {
        if name.as_str() != Some("tools") {
            beside.push(name.clone(), value.clone());
        }
    }
    Some((tools, beside))
}

/// Returns the requests, with the answers of all downgrades beside each other.
fn merged(sent: &[(Downgrade, Vec<Asked>)]) -> Vec<Sending> {
    let longest = sent.iter().map(|(_, asked)| asked.len()).max().unwrap_or_default();
    let mut sendings = Vec::new();
    for place in 0..longest {
        // A session that ends early leaves later requests unsent; another request in the same place is another row.
        let questions: BTreeSet<&str> =
            sent.iter().filter_map(|(_, all)| Some(all.get(place)?.what.as_str())).collect();
        for question in questions {
            let mut variants: Vec<(Vec<Downgrade>, Vec<Sent>)> = Vec::new();
            for (downgrade, asked) in sent {
                let Some(asked) = asked.get(place).filter(|asked| asked.what == question) else { continue };
                match variants.iter_mut().find(|(_, came)| *came == asked.came) {
                    Some((downgrades, _)) => downgrades.push(*downgrade),
                    None => variants.push((vec![*downgrade], asked.came.clone())),
                }
            }
            sendings.push(Sending { asked: question.to_owned(), variants });
        }
    }
    sendings
}
