//! Changes with one cause are one group, due to the release that moved.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcp_compat_model::diff::{Bisection, Change, Class, Group, Move, Obstacle};
use mcp_compat_model::record::Record;
use mcp_compat_model::signature::Signature;
use mcp_compat_model::verdict::Fault;
use mcp_compat_model::{PeerId, Role};

/// Properties that the changes of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    class: Class,
    cause: Option<String>,
    moves: Vec<Move>,
    due_to: Option<Role>,
    peers: Vec<PeerId>,
    obstacles: Vec<Obstacle>,
}

/// The groups of all changes, the worst first. `after` is the record of the later run.
pub(crate) fn groups(changes: &[Change], after: &Record) -> Vec<Group> {
    let mut by_key = BTreeMap::<Key, Vec<usize>>::new();
    for (place, change) in changes.iter().enumerate() {
        by_key.entry(key(change)).or_default().push(place);
    }
    let mut groups: Vec<Group> = by_key.into_iter().map(|(key, places)| group(key, &places, changes, after)).collect();
    groups.sort_by_cached_key(|group| {
        let regressions = group.changes.iter().filter(|place| changes[**place as usize].regression).count();
        (group.class, Reverse(regressions), Reverse(group.changes.len()))
    });
    groups
}

fn key(change: &Change) -> Key {
    let moves = change.moves.iter().map(|moved| Move {
        role: moved.role,
        before: moved.before.in_any_mode(),
        after: moved.after.in_any_mode(),
    });
    Key {
        class: change.class,
        cause: cause(change).map(|cause| cause.to_string()),
        moves: moves.collect(),
        due_to: due_to(change),
        peers: change.peers.iter().map(PeerId::in_any_mode).collect(),
        obstacles: change.obstacles.clone(),
    }
}

/// The cause of a change that was compared.
fn cause(change: &Change) -> Option<Signature> {
    let is_compared = change.class.is_change() || matches!(change.class, Class::Flaky | Class::Spurious);
    let fate = if is_compared { change.telling()? } else { return None };
    fate.cause.as_ref().map(Signature::without_pointer)
}

/// The role of the release that moved; where both or none did, of the one at fault.
fn due_to(change: &Change) -> Option<Role> {
    if !change.class.is_change() {
        return None;
    }
    if let [only] = change.moves.as_slice() {
        return Some(only.role);
    }
    match change.telling()?.fault? {
        Fault::Client => Some(Role::Client),
        Fault::Server => Some(Role::Server),
        Fault::Both | Fault::Spec | Fault::Harness => None,
    }
}

fn group(key: Key, places: &[usize], changes: &[Change], after: &Record) -> Group {
    let is_known = |change: &Change| change.after.as_ref().is_some_and(|fate| fate.known);
    let is_silent = |change: &Change| change.telling().is_some_and(|fate| fate.silent);
    let of_mocks =
        |change: &Change| change.telling().is_some_and(|fate| fate.client.is_mock() && fate.server.is_mock());
    let rank = |place: &&usize| {
        let change = &changes[**place];
        (!change.regression, is_known(change), !is_silent(change), of_mocks(change))
    };
    let example = places.iter().min_by_key(rank).copied().unwrap_or_default();
    Group {
        class: key.class,
        cause: cause(&changes[example]),
        moves: key.moves,
        due_to: key.due_to,
        peers: key.peers,
        obstacles: key.obstacles,
        changes: places.iter().map(|place| number(*place)).collect(),
        example: number(example),
        bisection: bisection(&changes[example], after),
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Bisection that finds the release that made a change, where one release moved within its family.
fn bisection(change: &Change, after: &Record) -> Option<Bisection> {
    let [moved] = change.moves.as_slice() else { return None };
    let fate = change.after.as_ref()?;
    let (family, old) = moved.before.release()?;
    let (same, new) = moved.after.release()?;
    if family != same || moved.before.flavour() != moved.after.flavour() || old == new {
        return None;
    }
    let end = |peer: &PeerId| {
        let mode = peer.mode().map(|mode| format!("+{mode}")).unwrap_or_default();
        peer.version().map(|version| format!("{version}{mode}"))
    };
    if !change.class.is_change() {
        return None;
    }
    let (old, new) = (end(&moved.before)?, end(&moved.after)?);
    let (good, bad) = if change.class == Class::Better { (new, old) } else { (old, new) };
    let flavour = moved.after.flavour().map(|flavour| format!("/{flavour}")).unwrap_or_default();
    let against = match moved.role {
        Role::Client => &fate.server,
        Role::Server => &fate.client,
    };
    let scenario = after.scenarios.iter().find(|scenario| scenario.id == change.scenario);
    Some(Bisection {
        scenario: change.scenario.clone(),
        read_from: scenario.and_then(|scenario| scenario.read_from.clone()),
        role: moved.role,
        family: format!("{family}{flavour}"),
        good,
        bad,
        against: against.clone(),
        transport: change.transport,
    })
}
