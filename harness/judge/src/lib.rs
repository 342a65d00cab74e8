//! The verdict: a pure function of a scenario, a transcript and an observation.
//!
//! ```text
//! messages, exchanges, session ─┐
//! scenario ─────────────────────┼─ facts ─ server rules ─ client rules ─ decision ─ responsible party ─ reason
//! observation ──────────────────┘
//! ```
//!
//! Each step computes from the steps before it and changes none of them:
//!
//! - `facts` puts what `wire` read of the transcript beside the scenario's steps (`scripted`: what the scenario
//!   has the server do; `companions`: what has to come besides a value).
//! - `rules` finds violations: first those of the server, then those of the client, which may refuse what is wrong.
//! - `decision` says what became of each call (`outcome`), compares that with what was expected (`expectation`), asks for
//!   proof on the wire (`proof`), and takes the worst. `ending` decides where there was no session to speak of.
//! - `responsible_party` names the party to fix it (the table for a step is in `broken_step`), `outcome` says how much is
//!   lost, `signature` gives the cause a short name, and `reason` a sentence, with `without_rule` where no rule says what to
//!   fix.
//!
//! Beside the verdicts: `missed` finds the newer revision that two peers could have spoken, and `triangle` settles the
//! faults of a whole record between real peers by their cells with mocks.

mod broken_step;
mod companions;
mod decision;
mod ending;
pub mod expectation;
pub mod facts;
mod missed;
mod no_session;
pub mod outcome;
pub mod proof;
mod reason;
mod responsible_party;
pub mod rules;
pub mod scripted;
mod signature;
mod triangle;
pub mod wire;
mod without_rule;

use mcp_compat_model::Cell;
use mcp_compat_model::observation::{Observation, Seen};
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating, Verdict};
use mcp_compat_scenario::Scenario;

use decision::{Decision, Subject};
use facts::Facts;
use mcp_compat_schema::inclusion::Schemas;
pub use missed::missed;
use outcome::{Broken, blast_radius};
use rules::RuleFinding;
pub use triangle::triangulate;

/// The digest of the rules and of everything else that this crate decides by. Records with the same digest were judged
/// alike.
pub const DIGEST: &str = env!("MCP_COMPAT_JUDGE_DIGEST");

/// Judges cells. One judge serves a whole run and any number of threads; it remembers compiled schemas, and nothing
/// that a verdict could depend on.
#[derive(Debug, Default)]
pub struct Judge {
    schemas: Schemas,
}

impl Judge {
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges one cell. The same arguments give the same verdict, byte for byte.
    pub fn judge(
        &self,
        scenario: &Scenario,
        cell: &Cell,
        transcript: &Transcript,
        observation: &Observation,
    ) -> Verdict {
        let facts = Facts::gather(scenario, cell, transcript, observation, &self.schemas);
        let server = rules::check_servers(&facts);
        let clients = rules::check_clients(&facts, &server);
        let findings: Vec<RuleFinding> = server.into_iter().chain(clients).collect();
        let decision = decision::decide(&facts, &findings);
        let vacuous = decision.rating == Rating::Works && decision::is_vacuous(&facts);
        let mut verdict = Verdict {
            negotiated: facts.revision(),
            outcome: decision.outcome,
            rating: decision.rating,
            silent: decision.rating == Rating::Breaks && decision.outcome.is_silent(),
            vacuous,
            blast_radius: None,
            expected: decision.expected,
            findings: Vec::new(),
            fault: None,
            signature: None,
            reason: String::new(),
        };
        match decision.rating {
            Rating::Works | Rating::Skipped => verdict.reason = reason::of_success(&facts, &decision, vacuous),
            Rating::Degraded | Rating::Breaks => {
                let party = responsible_party::responsible_party(&facts, &findings, &decision);
                verdict.blast_radius = Some(match blast_radius(scenario, observation, broken(&decision)) {
                    // The list is not reported, but the tool was not called after it.
                    BlastRadius::Call if is_passed_over(&decision, observation) => BlastRadius::Tool,
                    radius @ (BlastRadius::Call | BlastRadius::Tool | BlastRadius::Server | BlastRadius::Session) => {
                        radius
                    }
                });
                verdict.fault = Some(party.fault);
                verdict.signature = Some(signature::signature(&facts, &decision, &party));
                verdict.reason = reason::of_break(&facts, &decision, &party);
            }
        }
        verdict.findings = rules::reported(&facts, findings);
        verdict
    }
}

/// Returns true if a client that only the wire reports on did not call the tool that it failed on.
fn is_passed_over(decision: &Decision<'_, '_>, observation: &Observation) -> bool {
    let untold = observation.steps.iter().any(|seen| matches!(seen, Seen::NotReported {}));
    untold && matches!(&decision.subject, Subject::Call(call) if call.exchange.is_none())
}

/// The thing that is broken.
fn broken<'f>(decision: &Decision<'f, '_>) -> Broken<'f> {
    match &decision.subject {
        Subject::Session(_) => Broken::Session,
        Subject::List(_) => Broken::List,
        Subject::Call(_) if decision.is_lost_with_list => Broken::List,
        Subject::Evolve(_) => Broken::Step,
        Subject::Call(call) => Broken::Call(&call.call.tool),
    }
}

/// Judges one cell with a judge of its own. For many cells make one [`Judge`].
pub fn judge(scenario: &Scenario, cell: &Cell, transcript: &Transcript, observation: &Observation) -> Verdict {
    Judge::new().judge(scenario, cell, transcript, observation)
}

/// The outcome of each step of a scenario by itself, for comparing two sessions step by step; `None` if the session ended before it. A list or an evolution that succeeds is
/// `intact`.
pub fn step_outcomes(
    scenario: &Scenario,
    cell: &Cell,
    transcript: &Transcript,
    observation: &Observation,
) -> Vec<Option<Outcome>> {
    let schemas = Schemas::default();
    let facts = Facts::gather(scenario, cell, transcript, observation, &schemas);
    let of_step = |step: usize| {
        let seen = observation.steps.get(step)?;
        let call = facts.calls.iter().find(|call| call.step == step);
        Some(match (call, seen) {
            (Some(call), seen) => facts.outcome_of(call, seen),
            (None, Seen::Failed(error)) => outcome::of_layer(error.layer),
            (None, Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {}) => {
                Outcome::Intact
            }
        })
    };
    (0..scenario.steps.len()).map(of_step).collect()
}
