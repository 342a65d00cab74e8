//! The verdict: a pure function of a scenario, a transcript and an observation.
//!
//! ```text
//! transcript ─ wire ─ exchange ─ session ─┐
//! scenario ───────────────────────────────┼─ facts ─ rules ──────────── findings ─┐
//! observation ────────────────────────────┘    └──── ending, outcome,             ├─ fault, blast, signature,
//!                                                    expectation, evidence ─ weigh ┘  reason ─ Verdict
//! ```
//!
//! Beside the verdicts: `missed` tells which revision two peers could have spoken, and `triangle` settles the faults of a
//! whole record, between real peers, by their cells with mocks.
//!
//! `wire` reads each message once, `exchange` matches answers to requests, `session` says what was negotiated, and
//! `facts` puts them beside the scenario's steps. Rules look at facts and find violations; outcomes look at what the
//! user saw. What weighs most decides the cell, and only then is asked whose fault it is.
//!
//! ```
//! # use mcp_compat_judge::rules;
//! let rule = rules::find("output-schema-object-root").expect("a rule");
//! assert!(rule.source.starts_with("https://modelcontextprotocol.io/specification/2025-11-25/"));
//! ```

mod beside;
pub mod blast;
pub mod ending;
pub mod evidence;
pub mod exchange;
pub mod expectation;
pub mod facts;
mod fault;
pub mod inventory;
mod missed;
pub mod outcome;
mod parting;
mod reason;
pub mod rules;
pub mod scripted;
pub mod session;
mod signature;
mod steps;
mod triangle;
mod weigh;
pub mod wire;

use mcp_compat_model::Cell;
use mcp_compat_model::observation::{Observation, Seen};
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::{BlastRadius, Rating, Verdict};
use mcp_compat_scenario::Scenario;

use facts::Facts;
pub use mcp_compat_inclusion as schema;
pub use missed::missed;
use schema::Schemas;
pub use signature::cause;
pub use steps::step_outcomes;
pub use triangle::triangulate;
use weigh::{Matter, Weighed};

/// Judges cells. One judge serves a whole run and any number of threads; it remembers compiled schemas, and nothing
/// that a verdict could depend on.
#[derive(Debug, Default)]
pub struct Judge {
    schemas: Schemas,
}

impl Judge {
    /// A judge.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges one cell. The same arguments give the same verdict, byte for byte.
    #[must_use]
    pub fn judge(
        &self,
        scenario: &Scenario,
        cell: &Cell,
        transcript: &Transcript,
        observation: &Observation,
    ) -> Verdict {
        let mut facts = Facts::gather(scenario, cell, transcript, observation, &self.schemas);
        let found = rules::apply(&mut facts);
        let weighed = weigh::weigh(&facts);
        let vacuous = weigh::is_vacuous(&facts);
        let mut verdict = Verdict {
            negotiated: facts.revision(),
            outcome: weighed.outcome,
            rating: weighed.rating,
            silent: weighed.rating == Rating::Breaks && weighed.outcome.is_silent(),
            vacuous,
            blast_radius: None,
            expected: weighed.expected,
            findings: Vec::new(),
            fault: None,
            signature: None,
            reason: String::new(),
        };
        match weighed.rating {
            Rating::Works | Rating::Skipped => verdict.reason = reason::of_success(&facts, &weighed, vacuous),
            Rating::Degraded | Rating::Breaks => {
                let blame = fault::blame(&facts, &found, &weighed);
                verdict.blast_radius = Some(match blast::blast_radius(scenario, observation, broken(&weighed)) {
                    // Nobody was told of the list, but the tool was not called after it.
                    BlastRadius::Call if is_passed_over(&weighed, observation) => BlastRadius::Tool,
                    radius @ (BlastRadius::Call | BlastRadius::Tool | BlastRadius::Server | BlastRadius::Session) => {
                        radius
                    }
                });
                verdict.fault = Some(blame.fault);
                verdict.signature = Some(signature::signature(&facts, &weighed, &blame));
                verdict.reason = reason::of_break(&facts, &weighed, &blame);
            }
        }
        verdict.findings = rules::findings(&facts, found);
        verdict
    }
}

/// Whether a client of which only the wire tells did not call a tool that it failed over.
fn is_passed_over(weighed: &Weighed<'_, '_>, observation: &Observation) -> bool {
    let untold = observation.steps.iter().any(|seen| matches!(seen, Seen::Untold {}));
    untold && matches!(&weighed.matter, Matter::Call(call) if call.exchange.is_none())
}

/// The tool that is broken; nothing where it is the session.
fn broken<'f>(weighed: &Weighed<'f, '_>) -> Option<&'f str> {
    match &weighed.matter {
        Matter::Session(_) => None,
        Matter::List(_) | Matter::Evolve(_) => Some(""),
        Matter::Call(call) => Some(&call.call.tool),
    }
}

/// Judges one cell with a judge of its own. For many cells make one [`Judge`].
#[must_use]
pub fn judge(scenario: &Scenario, cell: &Cell, transcript: &Transcript, observation: &Observation) -> Verdict {
    Judge::new().judge(scenario, cell, transcript, observation)
}
