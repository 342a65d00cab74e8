//! Tools that a real client and the profile of its line treat differently.
//!
//! ```text
//! cells of the real clients ─┐
//! the profiles, over HTTP ───┴─ those that differ are played again, one at a time ─> ProfileDifference
//! ```
//!
//! The profiles are played over the transport of the real clients, so that a difference is not one of transports. A
//! busy machine may delay a real client, so cells that differ, or whose client hung, are played again, with more time.
//! The last play counts.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::audit::{ClientFate, ProfileDifference};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Fault, Outcome, Rating};
use mcp_compat_model::{ScenarioId, Transport};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::ClientPeer;

use super::clients::AuditClients;
use super::replay::{OnCell, Pace, Played, ReplayScenarios, Replayer, by_tool, join};

/// Factor by which a step may take longer if the cell is played again.
const PATIENCE: u32 = 3;

/// Plays the profiles that real clients replace, and plays again what is in doubt. `ids` has the scenario of each tool.
///
/// # Errors
/// When the harness fails.
pub(super) async fn profile_differences(
    played: &mut Played,
    ids: &BTreeMap<String, ScenarioId>,
    clients: &AuditClients,
    replayer: &Replayer,
    on_cell: &mut OnCell<'_>,
) -> Result<Vec<ProfileDifference>, HarnessError> {
    let Played { server, scenarios, record, .. } = played;
    let at_once = Pace { transport: Some(Transport::Http), ..Pace::default() };
    let alone = Pace { jobs: 1, step: PATIENCE * at_once.step, ..at_once };
    let mut emulated = replayer.replay(scenarios, &clients.replaced, server, at_once, &mut |_, _, _| {}).await?;
    let doubtful = unequal(record, &emulated).into_iter().flat_map(|(real, emulated)| [real, emulated]);
    let doubtful: Vec<&CellRecord> = doubtful.chain(record.cells.iter().filter(|cell| has_hung(cell))).collect();
    if doubtful.is_empty() {
        return Ok(Vec::new());
    }
    let is_doubtful = |peer: &&ClientPeer| doubtful.iter().any(|cell| cell.client == *peer.id());
    let real: Vec<ClientPeer> = clients.counted.iter().filter(is_doubtful).cloned().collect();
    let profiles: Vec<ClientPeer> = clients.replaced.iter().filter(is_doubtful).cloned().collect();
    let wanted: BTreeSet<ScenarioId> = doubtful.iter().map(|cell| cell.scenario.clone()).collect();
    let scenarios = only(scenarios, &wanted);
    let real = replayer.replay(&scenarios, &real, server, alone, on_cell).await?;
    join(record, real);
    record.cells.sort_by(|one, other| one.id.cmp(&other.id));
    join(&mut emulated, replayer.replay(&scenarios, &profiles, server, alone, &mut |_, _, _| {}).await?);
    let names: BTreeMap<&ScenarioId, &str> = ids.iter().map(|(name, id)| (id, name.as_str())).collect();
    let difference = |(real, emulated): Pair<'_>| {
        Some(ProfileDifference {
            tool: (*names.get(&real.scenario)?).to_owned(),
            client: real.client.clone(),
            profile: emulated.client.clone(),
            real: fate(real),
            emulated: fate(emulated),
        })
    };
    Ok(unequal(record, &emulated).into_iter().filter_map(difference).collect())
}

/// The cell of a real client, and that of its profile.
type Pair<'r> = (&'r CellRecord, &'r CellRecord);

/// The cells in which a real client and its profile differ.
fn unequal<'r>(real: &'r Record, emulated: &'r Record) -> Vec<Pair<'r>> {
    let by_tool = by_tool(emulated);
    let pairs = real.cells.iter().flat_map(|real| {
        let is_counterpart = |cell: &&CellRecord| cell.client.is_profile_of(&real.client);
        let of_tool = by_tool.get(&real.scenario).into_iter().flatten().copied();
        of_tool.filter(is_counterpart).map(move |emulated| (real, emulated))
    });
    pairs
        .filter(|(real, emulated)| is_comparable(real) && is_comparable(emulated) && !is_equal(real, emulated))
        .collect()
}

/// Returns whether the cell says something about the client: the adapter could play it.
fn is_comparable(cell: &CellRecord) -> bool {
    cell.rating != Rating::Skipped && cell.fault != Some(Fault::Harness)
}

/// Returns whether the users got the same. An older release of the line may have got it at an older revision.
fn is_equal(one: &CellRecord, other: &CellRecord) -> bool {
    (one.outcome, one.blast_radius) == (other.outcome, other.blast_radius)
}

/// Returns whether a real client gave no answer.
fn has_hung(cell: &CellRecord) -> bool {
    cell.outcome == Outcome::Hung && !cell.client.is_built_in()
}

fn fate(cell: &CellRecord) -> ClientFate {
    let CellRecord { negotiated, outcome, blast_radius, reason, .. } = cell;
    ClientFate { negotiated: *negotiated, outcome: *outcome, loses: *blast_radius, reason: reason.clone() }
}

/// The scenarios with these ids.
fn only(scenarios: &ReplayScenarios, wanted: &BTreeSet<ScenarioId>) -> ReplayScenarios {
    let mut only = scenarios.clone();
    for of_revision in only.values_mut() {
        of_revision.retain(|scenario| wanted.contains(&scenario.id));
    }
    only
}
