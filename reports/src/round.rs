//! Output of `run --watch` for one round: results of the scenarios that changed, compared with the round before.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{CellId, ScenarioId};

use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::{doing, span};
use crate::wording;

/// Round of a watch.
#[derive(Clone, Copy, Debug)]
pub struct Round<'r> {
    /// Number of the round, from 1.
    pub number: usize,
    pub before: &'r [CellRecord],
    pub after: &'r [CellRecord],
    pub played: &'r BTreeSet<CellId>,
    pub duration_us: u64,
}

type CellResult = (Outcome, Rating);

/// Renders the round: scenario by scenario, then the sum.
pub fn render(round: &Round<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let played: Vec<&CellRecord> = round.after.iter().filter(|cell| round.played.contains(&cell.id)).collect();
    let still: BTreeSet<&ScenarioId> = round.after.iter().map(|cell| &cell.scenario).collect();
    let gone = round.before.iter().map(|cell| &cell.scenario).filter(|scenario| !still.contains(scenario));
    let changed: BTreeSet<&ScenarioId> = played.iter().map(|cell| &cell.scenario).chain(gone).collect();
    for scenario in changed {
        page.line(&page.paint(Tone::Strong, scenario.as_str()));
        for line in changes(round, scenario) {
            page.paragraph("  ", &line);
        }
    }
    let count = |rating| played.iter().filter(|cell| cell.rating == rating).count();
    if played.is_empty() {
        page.line(&format!("round {}: nothing to test", round.number));
        return page.finish();
    }
    let sum = format!(
        "round {}: {} in {}: {}, {} degraded, {}",
        round.number,
        counted(played.len(), "check"),
        span(round.duration_us),
        doing(count(Rating::Works), "work"),
        count(Rating::Degraded),
        doing(count(Rating::Breaks), "break"),
    );
    let tone = if count(Rating::Breaks) > 0 { Tone::Bad } else { Tone::Good };
    page.toned(tone, "", &sum);
    page.finish()
}

/// Lines about the cells of a scenario: changed, new and unchanged ones.
fn changes(round: &Round<'_>, scenario: &ScenarioId) -> Vec<String> {
    let of_scenario = |cell: &&CellRecord| cell.scenario == *scenario;
    let known: BTreeMap<&CellId, &CellRecord> =
        round.before.iter().filter(of_scenario).map(|cell| (&cell.id, cell)).collect();
    let now: Vec<&CellRecord> = round.after.iter().filter(of_scenario).collect();
    if now.is_empty() {
        return vec!["gone".to_owned()];
    }
    let mut moved = BTreeMap::<(CellResult, CellResult), Vec<&CellRecord>>::new();
    let mut stayed = BTreeMap::<Outcome, usize>::new();
    let mut new = BTreeMap::<Outcome, usize>::new();
    for cell in now {
        match known.get(&cell.id).copied() {
            Some(before) if result(before) != result(cell) => {
                moved.entry((result(before), result(cell))).or_default().push(cell);
            }
            Some(_) => *stayed.entry(cell.outcome).or_default() += 1,
            None => *new.entry(cell.outcome).or_default() += 1,
        }
    }
    let mut parts: Vec<String> = moved.iter().map(|(change, cells)| line(*change, cells)).collect();
    parts.extend((!new.is_empty()).then(|| format!("new: {}", listed(&new))));
    parts.extend((!stayed.is_empty()).then(|| format!("as before: {}", listed(&stayed))));
    parts
}

const fn result(cell: &CellRecord) -> CellResult {
    (cell.outcome, cell.rating)
}

/// Line about a change of several cells, with the first of them.
fn line(((was, rated), (is, rates)): (CellResult, CellResult), cells: &[&CellRecord]) -> String {
    let (before, after) = (wording::outcome(was), wording::outcome(is));
    let change = if was == is { format!("{after}: {rated} → {rates}") } else { format!("{before} → {after}") };
    let Some((first, rest)) = cells.split_first() else { return change };
    let example = format!("{} with {} over {}", first.client, first.server, first.transport);
    match rest.len() {
        0 => format!("{change} ({example})"),
        more => format!("{change} in {} ({example}, and {more} more)", counted(cells.len(), "check")),
    }
}

fn listed(outcomes: &BTreeMap<Outcome, usize>) -> String {
    let one = |(outcome, cells): (&Outcome, &usize)| {
        format!("{} in {}", wording::outcome(*outcome), counted(*cells, "check"))
    };
    outcomes.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;

    fn cell(scenario: &str, client: &str, outcome: Outcome, rating: Rating) -> CellRecord {
        specimen::cell(&format!("{scenario}::{client}::mock/dual::memory"), outcome, rating, "")
    }

    fn rendered(before: &[CellRecord], after: &[CellRecord], played: &[&str]) -> String {
        let is_played = |cell: &&CellRecord| played.contains(&cell.scenario.as_str());
        let played = after.iter().filter(is_played).map(|cell| cell.id.clone()).collect();
        render(&Round { number: 2, before, after, played: &played, duration_us: 1_500 }, Style::plain(70))
    }

    #[test]
    fn changed_scenarios_are_listed_and_unchanged_ones_are_not() {
        let before = [
            cell("a/kept", "mock/one", Outcome::Intact, Rating::Works),
            cell("a/mine", "mock/one", Outcome::Intact, Rating::Works),
            cell("a/mine", "mock/three", Outcome::Text, Rating::Degraded),
            cell("a/mine", "mock/two", Outcome::Intact, Rating::Works),
            cell("a/old", "mock/one", Outcome::Intact, Rating::Works),
        ];
        let after = [
            cell("a/kept", "mock/one", Outcome::Intact, Rating::Works),
            cell("a/mine", "mock/one", Outcome::Rejected, Rating::Breaks),
            cell("a/mine", "mock/three", Outcome::Text, Rating::Degraded),
            cell("a/mine", "mock/two", Outcome::Rejected, Rating::Breaks),
            cell("a/new", "mock/one", Outcome::Intact, Rating::Works),
        ];
        insta::assert_snapshot!(rendered(&before, &after, &["a/mine", "a/new"]), @r"
        a/mine
          intact → rejected in 2 checks (mock/one with mock/dual over memory,
          and 1 more)
          as before: text in 1 check
        a/new
          new: intact in 1 check
        a/old
          gone
        round 2: 4 checks in 1.5 ms: 1 works, 1 degraded, 2 break
        ");
    }

    #[test]
    fn an_expectation_that_changed_moves_the_rating_alone() {
        let before = [cell("a/mine", "mock/one", Outcome::Text, Rating::Degraded)];
        let after = [cell("a/mine", "mock/one", Outcome::Text, Rating::Works)];
        insta::assert_snapshot!(rendered(&before, &after, &["a/mine"]), @r"
        a/mine
          text: degraded → works (mock/one with mock/dual over memory)
        round 2: 1 check in 1.5 ms: 1 works, 0 degraded, 0 break
        ");
    }

    #[test]
    fn a_scenario_that_is_gone_leaves_nothing_to_play() {
        let before = [cell("a/old", "mock/one", Outcome::Text, Rating::Degraded)];
        insta::assert_snapshot!(rendered(&before, &[], &[]), @r"
        a/old
          gone
        round 2: nothing to test
        ");
    }
}
