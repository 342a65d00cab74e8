//! Output of `diff`: changes between two runs, the worst first.

mod github;
mod markdown;
mod terminal;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::diff::{Change, Class, Diff, Fate, Group, Move, Obstacle, Side, Which};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{PeerId, Role};

use crate::reach::{Names, families};
use crate::text::doing;
use crate::wording;

pub use github::render as github;
pub use markdown::{MARKER, render as markdown};
pub use terminal::{release, render as terminal};

/// Number of characters of a reason that are shown.
const REASON_SHOWN: usize = 700;

/// Number of peers or scenarios that are named.
const NAMES_SHOWN: usize = 6;

/// The classes whose groups are shown one by one, each with its title.
const SHOWN: [(Class, &str); 5] = [
    (Class::Worse, "Worse"),
    (Class::Better, "Better"),
    (Class::Changed, "Changed"),
    (Class::Flaky, "Flaky"),
    (Class::Spurious, "Failed in mcp-compat or its set-up"),
];

fn groups(diff: &Diff, class: Class) -> Vec<&Group> {
    diff.groups.iter().filter(|group| group.class == class).collect()
}

/// `12 cells, for 3 causes`.
fn title(groups: &[&Group]) -> String {
    let cells: usize = groups.iter().map(|group| group.changes.len()).sum();
    format!("{}, for {}", counted(cells, "check"), counted(groups.len(), "cause"))
}

fn changes<'d>(diff: &'d Diff, group: &'d Group) -> impl Iterator<Item = &'d Change> {
    group.changes.iter().filter_map(|place| diff.changes.get(*place as usize))
}

fn example<'d>(diff: &'d Diff, group: &Group) -> Option<&'d Change> {
    diff.changes.get(group.example as usize)
}

/// Outcome before and after, loss, revision, responsible party, number of cells, and whether they were reproduced. A
/// fact that does not hold for all cells of the group has the number of cells for which it holds.
fn facts(diff: &Diff, group: &Group, change: &Change) -> Vec<String> {
    let all: Vec<&Change> = changes(diff, group).collect();
    let moved = |fact: &dyn Fn(&Change) -> Option<String>| {
        let text = fact(change)?;
        let like = all.iter().filter(|change| fact(change).as_ref() == Some(&text)).count();
        let of = || format!("{} of {}", thousands(like as u64), counted(all.len(), "check"));
        Some(if like == all.len() { text } else { format!("{text} in {}", of()) })
    };
    let both = |change: &Change| change.before.clone().zip(change.after.clone());
    let outcome = |change: &Change| {
        let text = |fate: &Fate| format!("{}, {}", wording::outcome(fate.outcome), fate.rating);
        both(change).map(|(before, after)| format!("{} → {}", text(&before), text(&after)))
    };
    let lost = |change: &Change| {
        let (before, after) = both(change).and_then(|(before, after)| before.blast_radius.zip(after.blast_radius))?;
        (before != after).then(|| format!("lost: {} → {}", wording::lost(before), wording::lost(after)))
    };
    let revision = |change: &Change| {
        let (before, after) = both(change).and_then(|(before, after)| before.negotiated.zip(after.negotiated))?;
        (before != after).then(|| format!("on {before} → {after}"))
    };
    let mut facts: Vec<String> = [moved(&outcome), moved(&lost), moved(&revision)].into_iter().flatten().collect();
    if change.class != Class::Better {
        let fault = change.telling().and_then(|fate| fate.fault);
        facts.extend(fault.map(|fault| format!("to fix: {}", wording::to_fix(fault))));
    }
    let known = all.iter().filter(|change| change.after.as_ref().is_some_and(|fate| fate.known)).count();
    let known = if known > 0 { format!(" ({} known)", thousands(known as u64)) } else { String::new() };
    facts.push(format!("{}{known}", counted(all.len(), "check")));
    if all.iter().any(|change| change.reproduced.is_some()) {
        let reproduced = all.iter().filter(|change| change.reproduced == Some(true)).count();
        facts.push(format!("{} reproduced", thousands(reproduced as u64)));
    }
    facts
}

/// The releases that moved: `client typescript@1.25.3 → typescript@1.32.2`.
fn due_to(group: &Group) -> Option<String> {
    let moved = |role: Role| group.moves.iter().find(|moved| moved.role == role);
    let text = |moved: &Move| format!("{} {} → {}", moved.role, moved.before, moved.after);
    if let Some(only) = group.due_to.and_then(moved) {
        return Some(text(only));
    }
    match (group.moves.as_slice(), group.due_to) {
        ([], Some(role)) => Some(format!("the {role}, which changed without a new version")),
        ([], None) => None,
        (moves, _) => Some(moves.iter().map(text).collect::<Vec<_>>().join(" and ")),
    }
}

fn scenarios<'d>(diff: &'d Diff, group: &'d Group) -> Names<'d> {
    let ids: BTreeSet<_> = changes(diff, group).map(|change| &change.scenario).collect();
    Names::new(families(&ids.into_iter().collect::<Vec<_>>()).into_iter(), usize::MAX)
}

/// The peers that a group was played with: the other side of what moved, or both.
fn peers<'d>(diff: &'d Diff, group: &'d Group, role: Role) -> Names<'d> {
    let of = |fate: &'d Fate| match role {
        Role::Client => fate.client.as_str(),
        Role::Server => fate.server.as_str(),
    };
    let names: BTreeSet<&str> = changes(diff, group).filter_map(Change::telling).map(of).collect();
    Names::new(names.into_iter().map(|name| (name, 1)), usize::MAX)
}

/// Cells that were not compared: their number and the reason.
fn not_compared(diff: &Diff) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    for group in groups(diff, Class::NotComparable) {
        for obstacle in &group.obstacles {
            let broken = broken(changes(diff, group));
            lines.push((group.changes.len(), format!("{}{broken}", obstructed(diff, obstacle))));
        }
    }
    for (class, words) in [
        (Class::New, "of scenarios that only the later run has"),
        (Class::Gone, "of scenarios that only the earlier run has"),
    ] {
        let all: Vec<&Change> = groups(diff, class).into_iter().flat_map(|group| changes(diff, group)).collect();
        let ids: BTreeSet<_> = all.iter().map(|change| &change.scenario).collect();
        let names = Names::new(families(&ids.into_iter().collect::<Vec<_>>()).into_iter(), usize::MAX);
        if !all.is_empty() {
            let broken = broken(all.iter().copied());
            lines.push((all.len(), format!("{words}: {}{broken}", names.list(NAMES_SHOWN, str::to_owned))));
        }
    }
    for (class, words) in [
        (Class::PeerAdded, "of clients and servers that only the later run has"),
        (Class::PeerGone, "of clients and servers that only the earlier run has"),
    ] {
        let all = groups(diff, class);
        let cells = all.iter().map(|group| group.changes.len()).sum();
        let both = in_both(diff, class);
        let peers: BTreeSet<String> = all.iter().flat_map(|group| with_roles(diff, group, &both)).collect();
        if cells > 0 {
            let names = Names::new(peers.iter().map(|peer| (peer.as_str(), 1)), usize::MAX);
            let broken = broken(all.iter().flat_map(|group| changes(diff, group)));
            lines.push((cells, format!("{words}: {}{broken}", names.list(NAMES_SHOWN, str::to_owned))));
        }
    }
    lines
}

/// The peers of a group, each with the role that only one run has it in: the other run may have it in the other role.
fn with_roles(diff: &Diff, group: &Group, both: &BTreeSet<(Role, PeerId)>) -> BTreeSet<String> {
    let fates = || changes(diff, group).filter_map(Change::telling);
    let roles = |peer: &PeerId| {
        let plays = |role| fates().any(|fate| of_role(fate, role).in_any_mode() == *peer);
        let new = |role: &Role| plays(*role) && !both.contains(&(*role, peer.clone()));
        [Role::Client, Role::Server].into_iter().filter(new).map(|role| format!("{role} {peer}")).collect::<Vec<_>>()
    };
    group.peers.iter().flat_map(roles).collect()
}

/// Peers, in any mode, that the run without the cells of a class also has, each with its role.
fn in_both(diff: &Diff, class: Class) -> BTreeSet<(Role, PeerId)> {
    let of_other =
        |change: &'_ Change| if class == Class::PeerAdded { change.before.clone() } else { change.after.clone() };
    let fates: Vec<Fate> = diff.changes.iter().filter_map(of_other).collect();
    let named: BTreeSet<(Role, &PeerId)> =
        fates.iter().flat_map(|fate| [Role::Client, Role::Server].map(|role| (role, of_role(fate, role)))).collect();
    named.into_iter().map(|(role, peer)| (role, peer.in_any_mode())).collect()
}

const fn of_role(fate: &Fate, role: Role) -> &PeerId {
    match role {
        Role::Client => &fate.client,
        Role::Server => &fate.server,
    }
}

/// Number of breaks among cells that only one run has, such as ` (3 break)`; empty if there are none.
fn broken<'d>(changes: impl Iterator<Item = &'d Change>) -> String {
    let alone = changes.filter(|change| change.before.is_none() || change.after.is_none());
    let breaks = |change: &&Change| change.telling().is_some_and(|fate| fate.rating == Rating::Breaks);
    match alone.filter(breaks).count() {
        0 => String::new(),
        number => format!(" ({})", doing(number, "break")),
    }
}

fn obstructed(diff: &Diff, obstacle: &Obstacle) -> String {
    let name = |which: &Which| match which {
        Which::Before => &diff.before.name,
        Which::After => &diff.after.name,
    };
    match obstacle {
        Obstacle::Scenario {} => "the scenario has changed".to_owned(),
        Obstacle::Harness {} => format!(
            "the releases are the same, and the versions of mcp-compat differ ({} and {})",
            diff.before.tool_version, diff.after.tool_version
        ),
        Obstacle::Judge {} => {
            "different versions of the rules gave the verdicts, and the messages to judge again are missing".to_owned()
        }
        Obstacle::NotPlayed { by } => format!("not tested in {}", name(by)),
    }
}

/// Notes on the two runs, which come before the changes.
fn notes(diff: &Diff) -> Vec<String> {
    let mut notes = Vec::new();
    for side in [&diff.before, &diff.after] {
        if side.judged_anew > 0 {
            let cells = counted(usize::try_from(side.judged_anew).unwrap_or(usize::MAX), "check");
            notes.push(format!("{}: {cells} judged again with the rules of this version of mcp-compat.", side.name));
        }
        if !side.complete {
            notes.push(format!("{}: the run ended before every check had a verdict.", side.name));
        }
    }
    if diff.before.tool_version != diff.after.tool_version {
        notes.push(format!(
            "mcp-compat {} made the first run and {} the second. A difference may be due to mcp-compat: run both with one version.",
            diff.before.tool_version, diff.after.tool_version
        ));
    }
    notes
}

/// `A (2026-11-21T02:00:00Z)`.
fn run(side: &Side) -> String {
    format!("{} ({})", side.name, side.started)
}

/// Verdict on the whole comparison, in one line.
fn verdict(diff: &Diff) -> String {
    let count = |class| thousands(diff.count(class));
    let compared = counted(usize::try_from(diff.compared()).unwrap_or(usize::MAX), "check");
    if diff.is_empty() {
        return format!("nothing changed: {compared} compared");
    }
    let mut parts = vec![
        format!("{} worse", count(Class::Worse)),
        format!("{} better", count(Class::Better)),
        format!("{} changed", count(Class::Changed)),
        format!("{} the same", count(Class::Same)),
    ];
    for (class, words) in [(Class::Flaky, "flaky"), (Class::Spurious, "spurious")] {
        if diff.count(class) > 0 {
            parts.push(format!("{} {words}", count(class)));
        }
    }
    let regressions = diff.changes.iter().filter(|change| change.regression).count();
    if regressions > 0 {
        parts[0].push_str(&format!(" ({} reproduced)", thousands(regressions as u64)));
    }
    format!("{compared} compared: {}", parts.join(", "))
}
