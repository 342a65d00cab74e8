//! Tools that a real client and the profile of its line treat differently.
//!
//! ```text
//! cells of the real clients ─┐
//! the profiles, over HTTP ───┴─ those that differ ─> ProfileDifference
//! ```
//!
//! The profiles are played over the transport of the real clients, so that a difference is not one of transports.

use std::collections::BTreeMap;

use mcp_compat_model::audit::{ClientFate, ProfileDifference};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Fault, Rating};
use mcp_compat_model::{ScenarioId, Transport};
use mcp_compat_run::environment::HarnessError;

use super::clients::AuditClients;
use super::replay::{Played, Replayer, by_tool};

/// Plays the profiles that real clients replace. `ids` has the scenario of each tool.
pub(super) async fn profile_differences(
    played: &Played,
    ids: &BTreeMap<String, ScenarioId>,
    clients: &AuditClients,
    replayer: &Replayer,
) -> Result<Vec<ProfileDifference>, HarnessError> {
    let Played { server, scenarios, record, .. } = played;
    let over = Some(Transport::Http);
    let emulated = replayer.replay(scenarios, &clients.replaced, server, over, &mut |_, _, _| {}).await?;
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

fn fate(cell: &CellRecord) -> ClientFate {
    let CellRecord { negotiated, outcome, blast_radius, reason, .. } = cell;
    ClientFate { negotiated: *negotiated, outcome: *outcome, loses: *blast_radius, reason: reason.clone() }
}
