//! One round of a watch: the results of the scenarios that changed, compared with the round before. What `run --watch`
//! prints.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{CellId, ScenarioId};

use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::{doing, span};

/// A round.
#[derive(Clone, Copy, Debug)]
pub struct Round<'r> {
    /// Which one, from 1.
    pub number: usize,
    /// What was known before.
    pub before: &'r [CellRecord],
    /// What is known now.
    pub after: &'r [CellRecord],
    /// The cells that were played.
    pub played: &'r BTreeSet<CellId>,
    /// How long that took, in microseconds.
    pub duration_us: u64,
}

/// What a cell comes to.
type Fate = (Outcome, Rating);

/// The round, as text: scenario by scenario, then the sum.
#[must_use]
pub fn render(round: &Round<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let played: Vec<&CellRecord> = round.after.iter().filter(|cell| round.played.contains(&cell.id)).collect();
    let still: BTreeSet<&ScenarioId> = round.after.iter().map(|cell| &cell.scenario).collect();
    let gone = round.before.iter().map(|cell| &cell.scenario).filter(|scenario| !still.contains(scenario));
    let told: BTreeSet<&ScenarioId> = played.iter().map(|cell| &cell.scenario).chain(gone).collect();
    for scenario in told {
        page.line(&page.paint(Tone::Strong, scenario.as_str()));
        for fate in fates(round, scenario) {
            page.paragraph("  ", &fate);
        }
    }
    let count = |rating| played.iter().filter(|cell| cell.rating == rating).count();
    if played.is_empty() {
        page.line(&format!("round {}: nothing to play", round.number));
        return page.finish();
    }
    let sum = format!(
        "round {}: {} in {}: {}, {} degraded, {}",
        round.number,
        counted(played.len(), "cell"),
        span(round.duration_us),
        doing(count(Rating::Works), "work"),
        count(Rating::Degraded),
        doing(count(Rating::Breaks), "break"),
    );
    let tone = if count(Rating::Breaks) > 0 { Tone::Bad } else { Tone::Good };
    page.toned(tone, "", &sum);
    page.finish()
}

/// What became of the cells of a scenario.
fn fates(round: &Round<'_>, scenario: &ScenarioId) -> Vec<String> {
    let of_scenario = |cell: &&CellRecord| cell.scenario == *scenario;
    let known: BTreeMap<&CellId, &CellRecord> =
        round.before.iter().filter(of_scenario).map(|cell| (&cell.id, cell)).collect();
    let now: Vec<&CellRecord> = round.after.iter().filter(of_scenario).collect();
    if now.is_empty() {
        return vec!["gone".to_owned()];
    }
    let mut moved = BTreeMap::<(Fate, Fate), Vec<&CellRecord>>::new();
    let mut stayed = BTreeMap::<Outcome, usize>::new();
    let mut new = BTreeMap::<Outcome, usize>::new();
    for cell in now {
        match known.get(&cell.id).copied() {
            Some(before) if fate(before) != fate(cell) => {
                moved.entry((fate(before), fate(cell))).or_default().push(cell);
            }
            Some(_) => *stayed.entry(cell.outcome).or_default() += 1,
            None => *new.entry(cell.outcome).or_default() += 1,
        }
    }
    let mut parts: Vec<String> = moved.iter().map(|(change, cells)| told(*change, cells)).collect();
    parts.extend((!new.is_empty()).then(|| format!("new: {}", listed(&new))));
    parts.extend((!stayed.is_empty()).then(|| format!("as before: {}", listed(&stayed))));
    parts
}

const fn fate(cell: &CellRecord) -> Fate {
    (cell.outcome, cell.rating)
}

/// A change that cells have in common, with the first of them.
fn told(((was, rated), (is, rates)): (Fate, Fate), cells: &[&CellRecord]) -> String {
    let change = if was == is { format!("{is}: {rated} → {rates}") } else { format!("{was} → {is}") };
    let Some((first, rest)) = cells.split_first() else { return change };
    let example = format!("{} with {} over {}", first.client, first.server, first.transport);
    match rest.len() {
        0 => format!("{change} ({example})"),
        more => format!("{change} in {} ({example}, and {more} more)", counted(cells.len(), "cell")),
    }
}

fn listed(outcomes: &BTreeMap<Outcome, usize>) -> String {
    let one = |(outcome, cells): (&Outcome, &usize)| format!("{outcome} in {}", counted(*cells, "cell"));
    outcomes.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;

    fn cell(scenario: &str, client: &str, outcome: Outcome, rating: Rating) -> CellRecord {
        specimen::cell(&format!("{scenario}::{client}::mock/dual::memory"), outcome, rating, "")
    }

    fn told(before: &[CellRecord], after: &[CellRecord], played: &[&str]) -> String {
        let is_played = |cell: &&CellRecord| played.contains(&cell.scenario.as_str());
        let played = after.iter().filter(is_played).map(|cell| cell.id.clone()).collect();
        render(&Round { number: 2, before, after, played: &played, duration_us: 1_500 }, Style::plain(70))
    }

    #[test]
    fn what_changed_is_told_and_what_was_kept_is_not() {
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
        insta::assert_snapshot!(told(&before, &after, &["a/mine", "a/new"]), @r"
        a/mine
          intact → rejected in 2 cells (mock/one with mock/dual over memory,
          and 1 more)
          as before: text in 1 cell
        a/new
          new: intact in 1 cell
        a/old
          gone
        round 2: 4 cells in 1.5 ms: 1 works, 1 degraded, 2 break
        ");
    }

    #[test]
    fn an_expectation_that_changed_moves_the_rating_alone() {
        let before = [cell("a/mine", "mock/one", Outcome::Text, Rating::Degraded)];
        let after = [cell("a/mine", "mock/one", Outcome::Text, Rating::Works)];
        insta::assert_snapshot!(told(&before, &after, &["a/mine"]), @r"
        a/mine
          text: degraded → works (mock/one with mock/dual over memory)
        round 2: 1 cell in 1.5 ms: 1 works, 0 degraded, 0 break
        ");
    }

    #[test]
    fn a_scenario_that_is_gone_leaves_nothing_to_play() {
        let before = [cell("a/old", "mock/one", Outcome::Text, Rating::Degraded)];
        insta::assert_snapshot!(told(&before, &[], &[]), @r"
        a/old
          gone
        round 2: nothing to play
        ");
    }
}
