//! Fidelity: a profile and the SDK release that it emulates, played with the same counterparts and compared.
//!
//! ```text
//! Request (contests: profile, release, counterparts) -> Run -> CellOutcomes: the outcome of each cell and of each step
//!                                                    -> compare -> Fidelity
//! ```
//!
//! A real client serves many jobs in one process, so one long computation delays the others; so does a busy machine.
//! Cells that are not equal are therefore played once more, one at a time, and the last result counts. Cells that an
//! adapter cannot play are not compared.

mod command;
mod compare;
mod differential;
mod request;

use std::collections::BTreeSet;

use mcp_compat_model::Cell;
use mcp_compat_model::fidelity::Fidelity;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::Observer;
use mcp_compat_run::peer::Peer;
use mcp_compat_run::run::run;
use tokio_util::sync::CancellationToken;

pub use self::command::{FidelityArgs, execute};
use self::compare::CellOutcomes;
pub use self::differential::{Disagreement, Kind, differential};
pub use self::request::{Contest, Request};

/// Pairs profiles with the releases that they emulate, by role and mode.
pub fn pair<'p>(profiles: &'p [Peer], reals: &'p [Peer]) -> Vec<(&'p Peer, &'p Peer)> {
    let stands_for = |profile: &Peer, real: &Peer| {
        profile.record().role == real.record().role && profile.id().mode() == real.id().mode()
    };
    let of = |profile| reals.iter().filter(move |real| stands_for(profile, real)).map(move |real| (profile, real));
    profiles.iter().flat_map(of).collect()
}

/// Plays the peers of each contest and compares them.
///
/// # Errors
/// When the harness cannot do its own part.
pub async fn fidelity(
    request: &Request,
    observer: &mut dyn Observer,
    stop: CancellationToken,
) -> Result<Fidelity, HarnessError> {
    let cells: BTreeSet<Cell> = request.contests.iter().flat_map(|contest| request.cells(contest)).collect();
    let mut outcomes = CellOutcomes::new(&request.corpus);
    let first = request.run(cells.into_iter().collect(), request.jobs);
    let record = run(first, &mut [observer, &mut outcomes], stop.clone()).await?;
    let mut complete = record.complete;
    let unequal: Vec<Cell> =
        request.contests.iter().flat_map(|contest| compare::unequal(contest, request, &outcomes)).collect();
    if !unequal.is_empty() {
        complete &= run(request.run(unequal, 1), &mut [observer, &mut outcomes], stop).await?.complete;
    }
    let sides = request.contests.iter().flat_map(|contest| compare::sides(contest, request, &outcomes)).collect();
    Ok(Fidelity { tool_version: record.tool_version, corpus: record.corpus, complete, sides })
}
