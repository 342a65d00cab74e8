//! An expectation that nobody can meet: not one honest client, and not even a perfect reading of what the server sends.

use std::collections::BTreeSet;

use mcp_compat_json::Json;
use mcp_compat_judge::expectation::{expected, rating};
use mcp_compat_judge::facts::{CallFacts, Facts};
use mcp_compat_judge::outcome::outcome;
use mcp_compat_model::observation::{CallResult, Layer, PeerError, Seen};
use mcp_compat_model::record::Evidence;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Era, Revision};
use mcp_compat_scenario::scenario::{Call, Purpose};
use mcp_compat_scenario::{Diagnostic, Placed};
use mcp_compat_schema::inclusion::Schemas;

use super::mock_runs::MockRun;

/// The calls of which more is expected than anybody gets. Where the answer itself is `mistaken`, what is expected by
/// default goes without saying.
pub(super) fn mistakes(
    placed: &Placed,
    runs: &[MockRun],
    mistaken: &BTreeSet<usize>,
    schemas: &Schemas,
) -> Vec<Diagnostic> {
    // Older revisions have no structured output, and so are asked for less.
    let counts = |revision: &Revision| revision.has_structured_output();
    let works = runs.iter().filter(|run| run.is_honest && run.record.rating == Rating::Works);
    let met: BTreeSet<Era> = works.filter_map(|run| run.record.negotiated).filter(counts).map(Revision::era).collect();
    let facts: Vec<Facts<'_>> = runs
        .iter()
        .filter_map(|run| run.evidence.as_ref())
        .map(|Evidence { cell, transcript, observation, .. }| {
            Facts::gather(&placed.scenario, cell, transcript, observation, schemas)
        })
        .filter(|facts| facts.revision().as_ref().is_some_and(counts))
        .collect();
    let mut found: Vec<Unmet> = Vec::new();
    for (step, call) in placed.scenario.calls().filter(|(_, call)| call.purpose == Purpose::Subject) {
        for era in Era::ALL.into_iter().filter(|era| !met.contains(era)) {
            let in_era = facts.iter().filter(|facts| facts.era() == Some(era));
            let Some(best) = unmet(in_era, step) else { continue };
            if mistaken.contains(&step) && is_default(placed, step, era) {
                continue;
            }
            let unmet = Unmet { step, call, least: call.expect.in_era(era), best, eras: vec![era] };
            match found.iter_mut().find(|known| known.is_like(&unmet, placed)) {
                Some(known) => known.eras.push(era),
                None => found.push(unmet),
            }
        }
    }
    found.iter().map(|unmet| unmet.told(placed)).collect()
}

fn is_default(placed: &Placed, step: usize, era: Era) -> bool {
    placed.places.steps.get(step).and_then(Option::as_ref).is_none_or(|places| places.expect(era).is_none())
}

struct Unmet<'s> {
    step: usize,
    call: &'s Call,
    least: Outcome,
    /// The best that anybody got.
    best: Outcome,
    eras: Vec<Era>,
}

impl Unmet<'_> {
    /// Returns true if both are one mistake: asked for by the same word of the file, with the same result.
    fn is_like(&self, other: &Self, placed: &Placed) -> bool {
        let place = |unmet: &Self| {
            let places = placed.places.steps.get(unmet.step)?.as_ref()?;
            Some(places.expect(*unmet.eras.first()?).unwrap_or(&places.call).clone())
        };
        self.call.tool == other.call.tool
            && (self.least, self.best) == (other.least, other.best)
            && place(self) == place(other)
    }

    fn told(&self, placed: &Placed) -> Diagnostic {
        let Self { step, call, least, best, eras } = self;
        let places = placed.places.steps.get(*step).and_then(Option::as_ref);
        let written = eras.first().and_then(|era| places?.expect(*era));
        let place = written.or_else(|| Some(&places?.call)).unwrap_or(&placed.places.scenario);
        let eras = match eras[..] {
            [era] => format!("in the {era} era"),
            [..] => "in either era".to_owned(),
        };
        let message = format!("no mock gets `{least}` from `{}` {eras}", call.tool);
        let by_default = if written.is_some() { "" } else { "expected by default: " };
        let mistake =
            placed.mistake(place, message).label(format!("{by_default}the best that there is to get is `{best}`"));
        mistake.help(format!("expect no more than `{best}`, or let the tool answer so that more can be had"))
    }
}

/// The best outcome of a call, where it is not good enough anywhere. Nothing, where it is, or where nobody played.
fn unmet<'f, 'a: 'f>(played: impl Iterator<Item = &'f Facts<'a>>, step: usize) -> Option<Outcome> {
    let mut best: Option<Outcome> = None;
    for facts in played {
        let call = facts.calls.iter().find(|call| call.step == step)?;
        let least = expected(call.call, facts.revision()?)?;
        for outcome in readings(facts, call) {
            if rating(outcome, least) == Rating::Works {
                return None;
            }
            best = Some(best.map_or(outcome, |best| better(best, outcome)));
        }
    }
    best
}

/// The better of two outcomes, by the order in which they are listed.
fn better(one: Outcome, other: Outcome) -> Outcome {
    let place = |outcome: Outcome| Outcome::ALL.iter().position(|known| *known == outcome);
    if place(other) < place(one) { other } else { one }
}

/// Outcome of a call for the user of this client, and for those of perfect ones: one that hands out the value, one
/// that returns the text, one that raises the error it gets, and one that rejects everything.
fn readings(facts: &Facts<'_>, call: &CallFacts<'_>) -> Vec<Outcome> {
    let mut seen: Vec<Seen> = call.seen.cloned().into_iter().collect();
    if let Some((_, result)) = facts.result_of_call(call) {
        let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
        let is_error = result.get("isError").and_then(Json::as_bool) == Some(true);
        let structured = result.get("structuredContent").cloned();
        seen.push(Seen::Called(CallResult { structured, content: blocks.to_vec(), is_error }));
        seen.push(Seen::Called(CallResult { structured: None, content: blocks.to_vec(), is_error }));
    }
    let error = call.exchange.and_then(|exchange| facts.messages[exchange.answer.message()?].json.get("error"));
    if let Some(message) = error.and_then(|error| error.get("message")?.as_str()) {
        seen.push(failed(Layer::Protocol, message));
    }
    if call.exchange.is_some() {
        seen.push(failed(Layer::Validate, ""));
    }
    seen.iter().map(|seen| outcome(&call.call.means, seen, facts.sent(call))).collect()
}

fn failed(layer: Layer, message: &str) -> Seen {
    Seen::Failed(PeerError { layer, code: None, message: message.to_owned() })
}
