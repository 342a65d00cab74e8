//! Reach of a cause: its clients, servers, scenarios and transports, in few names.

use std::collections::BTreeMap;

use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Revision, ScenarioId, Transport};

use crate::view::View;
use crate::wording;

/// Number of names from which on "all" replaces a complete list.
const MIN_FOR_ALL: usize = 4;

/// Peers, scenarios, transports and revisions of a cause.
pub struct Reach<'a> {
    pub clients: Names<'a>,
    pub servers: Names<'a>,
    pub scenarios: Names<'a>,
    /// Transports of the cause, if other transports do not have the problem.
    only_over: Option<Vec<Transport>>,
    revisions: Vec<Revision>,
}

impl<'a> Reach<'a> {
    /// The reach of a cause of this view.
    pub fn of(cause: &Cause<'a>, view: &View<'_>) -> Self {
        let names = |names: Vec<&'a str>, of| Names::new(names.into_iter().map(|name| (name, 1)), of);
        let clients = cause.distinct(|cell| cell.client.as_str());
        let servers = cause.distinct(|cell| cell.server.as_str());
        let scenarios = cause.distinct(|cell| &cell.scenario);
        let transports = cause.distinct(|cell| cell.transport);
        Self {
            clients: names(clients, view.matrix.clients.len()),
            servers: names(servers, view.matrix.servers.len()),
            scenarios: Names::new(families(&scenarios).into_iter(), view.scenarios),
            only_over: works_elsewhere(cause, view, &transports).then_some(transports),
            revisions: cause.distinct(|cell| cell.negotiated).into_iter().flatten().collect(),
        }
    }

    /// Outcome, responsible party, loss, number of cells, revisions and transports, each in a word or two.
    pub fn facts(&self, cause: &Cause<'_>) -> Vec<String> {
        let cell = cause.example;
        let mut facts = vec![wording::outcome(cell.outcome).to_owned()];
        facts.extend(wording::to_fix_of(cell));
        facts.extend(lost(cause));
        let known = cause.cells.iter().filter(|cell| cell.known.is_some()).count();
        let known = if known > 0 { format!(" ({} known)", thousands(known as u64)) } else { String::new() };
        facts.push(format!("{}{known}", counted(cause.cells.len(), "check")));
        if !self.revisions.is_empty() {
            let revisions: Vec<&str> = self.revisions.iter().map(|revision| revision.as_str()).collect();
            facts.push(format!("on {}", revisions.join(", ")));
        }
        if let Some(transports) = &self.only_over {
            let transports: Vec<&str> = transports.iter().map(|transport| transport.as_str()).collect();
            facts.push(format!("only over {}", transports.join(", ")));
        }
        facts
    }
}

/// Returns whether a pair and scenario of the cause was also played over another transport, where it does not have the
/// cause.
fn works_elsewhere(cause: &Cause<'_>, view: &View<'_>, transports: &[Transport]) -> bool {
    if transports.len() == view.transports.len() {
        return false;
    }
    let is_another = |transport: &Transport| !transports.contains(transport);
    cause.cells.iter().any(|cell| view.played_over(cell).iter().any(is_another))
}

/// Losses, the worst first, with the number of cells of each if there are several.
fn lost(cause: &Cause<'_>) -> Option<String> {
    // A degraded cell loses nothing.
    if cause.example.rating != Rating::Breaks {
        return None;
    }
    let lost = cause.lost();
    let words = match lost[..] {
        [] => return None,
        [(radius, _)] => wording::lost(radius).to_owned(),
        _ => {
            let part =
                |(radius, cells): &(_, usize)| format!("{} {}", wording::lost(*radius), thousands(*cells as u64));
            lost.iter().map(part).collect::<Vec<_>>().join(" · ")
        }
    };
    Some(format!("lost: {words}"))
}

/// Scenarios by family, each family once with the number of its scenarios.
pub(crate) fn families<'a>(scenarios: &[&'a ScenarioId]) -> Vec<(&'a str, usize)> {
    let mut families = BTreeMap::<&str, Vec<&str>>::new();
    for scenario in scenarios {
        families.entry(scenario.file()).or_default().push(scenario.as_str());
    }
    let entry = |(file, members): (&'a str, Vec<&'a str>)| match members[..] {
        [only] => (only, 1),
        _ => (file, members.len()),
    };
    families.into_iter().map(entry).collect()
}

/// Names of one kind: clients, servers or scenarios.
pub enum Names<'a> {
    /// All names of the run, by their number.
    All(usize),
    /// Some names, each with the number of cases that it stands for.
    These(Vec<(&'a str, usize)>),
}

impl<'a> Names<'a> {
    pub(crate) fn new(names: impl Iterator<Item = (&'a str, usize)>, of: usize) -> Self {
        let names: Vec<_> = names.collect();
        let number: usize = names.iter().map(|(_, cases)| cases).sum();
        if number == of && number >= MIN_FOR_ALL { Self::All(of) } else { Self::These(names) }
    }

    /// List of the names in words, at most `most` of them, each as `shown`.
    pub fn list(&self, most: usize, shown: impl Fn(&str) -> String) -> String {
        let names = match self {
            Self::All(number) => return format!("all {}", thousands(*number as u64)),
            Self::These(names) => names,
        };
        let one = |(name, cases): &(&str, usize)| match cases {
            1 => shown(name),
            cases => format!("{} ({})", shown(name), counted(*cases, "case")),
        };
        // "and 1 more" is as long as the name.
        let listed = if names.len() == most + 1 { names.len() } else { most };
        let mut list = names.iter().take(listed).map(one).collect::<Vec<_>>().join(", ");
        if let Some(more @ 1..) = names.len().checked_sub(listed) {
            list.push_str(&format!(" and {} more", thousands(more as u64)));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::record::CellRecord;
    use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating};

    use super::*;
    use crate::specimen::cell;

    fn list(names: &[&str], of: usize) -> String {
        Names::new(names.iter().map(|name| (*name, 1)), of).list(2, str::to_owned)
    }

    #[test]
    fn a_complete_list_of_names_becomes_all() {
        assert_eq!(list(&["a"], 9), "a");
        assert_eq!(list(&["a", "b", "c"], 9), "a, b, c");
        assert_eq!(list(&["a", "b", "c", "d"], 9), "a, b and 2 more");
        assert_eq!(list(&["a", "b", "c", "d"], 4), "all 4");
    }

    #[test]
    fn a_cause_is_headed_by_the_worst_loss_with_the_spread() {
        let losing = |radius| {
            let mut cell = cell("a::x::y::stdio", Outcome::Rejected, Rating::Breaks, "");
            cell.blast_radius = Some(radius);
            cell
        };
        let cells = [BlastRadius::Call, BlastRadius::Server, BlastRadius::Call].map(losing);
        let of = |cells: &[CellRecord]| {
            let cells: Vec<&CellRecord> = cells.iter().collect();
            lost(&Cause { number: 1, name: String::new(), example: cells[0], cells })
        };
        assert_eq!(of(&cells).as_deref(), Some("lost: all tools 1 · the call 2"));
        assert_eq!(of(&cells[..1]).as_deref(), Some("lost: the call"));
        let degraded = CellRecord { rating: Rating::Degraded, ..cells[0].clone() };
        assert_eq!(of(&[degraded]), None);
    }

    #[test]
    fn a_family_is_listed_once() {
        let ids = ["a/one[x]", "a/two[x]", "a/two[y]"].map(|id| ScenarioId::new(id).unwrap());
        assert_eq!(families(&ids.each_ref()), [("a/one[x]", 1), ("a/two", 2)]);
        let names = Names::new(families(&ids.each_ref()).into_iter(), 9);
        assert_eq!(names.list(5, str::to_owned), "a/one[x], a/two (2 cases)");
    }
}
