//! Distinct breaks: cells that break for one cause are reported once.
//!
//! Cells with one signature have one cause where a rule, or the way in which no session was opened, says what has to be
//! fixed, or where the judge knows the place that a server's error is about. Where nothing but an error says it, the cells
//! of one cause are of one class of scenarios and have one blast radius: clients reject unlike things with errors of one
//! kind. Silence says less still, so calls that hang for no known reason are of one scenario file. A client that catches
//! most invalid results validates, so a keyword that it lacks is not the cause of those who do not validate at all.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::cell::CellId;
use crate::peer::PeerId;
use crate::record::CellRecord;
use crate::signature::{Ground, Signature};
use crate::verdict::{BlastRadius, Fault, Outcome, Rating};

/// Cells that break or degrade for one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause<'a> {
    /// Place among the causes of the whole run, from 1.
    pub number: usize,
    /// The signature; the reason, where the judge gave none.
    pub name: String,
    /// The cell that stands for all: one that no baseline knows of rather than a known one, one with a real peer rather than
    /// one of mocks, a silent one rather than a loud one, one that loses most, and of those the first by id.
    pub example: &'a CellRecord,
    /// All of its cells, by id.
    pub cells: Vec<&'a CellRecord>,
}

impl<'a> Cause<'a> {
    /// Joins the cells of a cause. `None` without a cell.
    fn of(number: usize, name: String, mut cells: Vec<&'a CellRecord>) -> Option<Self> {
        cells.sort_by(|a, b| a.id.cmp(&b.id));
        let example = cells
            .iter()
            .copied()
            .min_by_key(|cell| (!cell.is_new_break(), is_mocked(cell), !cell.silent, Reverse(cell.blast_radius)))?;
        Some(Cause { number, name, example, cells })
    }

    /// Returns true if the damage is silent: the user gets no error.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.cells.iter().any(|cell| cell.silent)
    }

    /// Number of cells that no baseline knows of.
    #[must_use]
    pub fn new_breaks(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_new_break()).count()
    }

    /// Measure of the damage: what each cell loses, added up. Cells between two mocks do not count.
    #[must_use]
    pub fn damage(&self) -> u32 {
        let cells = self.cells.iter().filter(|cell| !cell.client.is_mock() || !cell.server.is_mock());
        cells.fold(0, |sum, cell| sum.saturating_add(weight(cell)))
    }

    /// Number of cells by how much they lose, the worst first.
    #[must_use]
    pub fn lost(&self) -> Vec<(BlastRadius, usize)> {
        let mut lost = BTreeMap::<BlastRadius, usize>::new();
        for radius in self.cells.iter().filter_map(|cell| cell.blast_radius) {
            *lost.entry(radius).or_default() += 1;
        }
        lost.into_iter().rev().collect()
    }

    /// The distinct values that `of` takes over the cells, in order.
    pub fn distinct<T: Ord>(&self, of: impl Fn(&'a CellRecord) -> T) -> Vec<T> {
        let mut values: Vec<T> = self.cells.iter().map(|cell| of(cell)).collect();
        values.sort();
        values.dedup();
        values
    }
}

/// Weight of a loss: all tools of a server are worth five calls. A client that accepts what it should reject loses less
/// than one that gets no value.
fn weight(cell: &CellRecord) -> u32 {
    match cell.blast_radius {
        _ if cell.outcome == Outcome::Uncaught => 1,
        None => 1,
        Some(BlastRadius::Call) => 2,
        Some(BlastRadius::Tool) => 4,
        Some(BlastRadius::Server | BlastRadius::Session) => 10,
    }
}

/// The distinct causes for which cells have `rating`: new ones first, and those that do most damage, then those that lose
/// most, then silent ones, then by how many cells they have.
#[must_use]
pub fn causes(cells: &[CellRecord], rating: Rating) -> Vec<Cause<'_>> {
    let validating = validating(cells);
    let mut by_key = BTreeMap::<_, Vec<&CellRecord>>::new();
    for cell in cells.iter().filter(|cell| cell.rating == rating) {
        let name = cell.signature.as_ref().map_or_else(|| cell.reason.clone(), ToString::to_string);
        let apart = cell.signature.as_ref().and_then(|signature| apart(cell, signature, &validating));
        by_key.entry((name, apart)).or_default().push(cell);
    }
    let causes = by_key.into_iter().filter_map(|((name, _), cells)| Cause::of(0, name, cells));
    let mut causes: Vec<Cause<'_>> = causes.collect();
    causes.sort_by_cached_key(|cause| {
        let worst = cause.cells.iter().filter_map(|cell| cell.blast_radius).max();
        let damage = (cause.damage(), worst, cause.is_silent(), cause.cells.len());
        (cause.new_breaks() == 0, Reverse(damage), cause.name.clone())
    });
    (1..).zip(&mut causes).for_each(|(number, cause)| cause.number = number);
    causes
}

/// The causes of some cells of a run, with the numbers that they have in the whole run.
#[must_use]
pub fn causes_of_part<'a>(part: &'a [CellRecord], whole: &[CellRecord], rating: Rating) -> Vec<Cause<'a>> {
    let whole = causes(whole, rating);
    let cells: HashMap<&CellId, &CellRecord> = part.iter().map(|cell| (&cell.id, cell)).collect();
    let in_part = |cause: &Cause<'_>| {
        let cells = cause.cells.iter().filter_map(|cell| cells.get(&cell.id).copied()).collect();
        Cause::of(cause.number, cause.name.clone(), cells)
    };
    whole.iter().filter_map(in_part).collect()
}

/// A release that people use tells more than a policy of a mock.
fn is_mocked(cell: &CellRecord) -> bool {
    cell.client.is_built_in() && cell.server.is_built_in()
}

/// Key that parts a cell from others with the same signature.
fn apart<'a>(
    cell: &'a CellRecord,
    signature: &Signature,
    validating: &BTreeSet<&PeerId>,
) -> Option<(&'a str, Option<BlastRadius>)> {
    let is_explained = match &signature.ground {
        // Only what is against the schema is for a validation to catch.
        Ground::Rule(rule) => rule != "client-validates" || !validating.contains(&cell.client),
        Ground::NoSession(_) => true,
        Ground::NoRule if signature.fault == Fault::Server && signature.pointer.is_some() => true,
        Ground::SpecSilent | Ground::SpecConflict | Ground::NoRule => signature.error.is_none(),
    };
    let is_silence = signature.outcome == Outcome::Hung;
    let alike = if is_silence { cell.scenario.file() } else { cell.scenario.class() };
    (!is_explained).then_some((alike, cell.blast_radius))
}

/// The clients that catch most of the invalid results that they get.
fn validating(cells: &[CellRecord]) -> BTreeSet<&PeerId> {
    let mut caught = BTreeMap::<&PeerId, (usize, usize)>::new();
    for cell in cells {
        let (caught, uncaught) = caught.entry(&cell.client).or_default();
        *caught += usize::from(cell.outcome == Outcome::Caught);
        *uncaught += usize::from(cell.outcome == Outcome::Uncaught);
    }
    caught.into_iter().filter(|(_, (caught, uncaught))| caught > uncaught).map(|(client, _)| client).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Known;
    use crate::signature::Signature;
    use crate::verdict::{BlastRadius, Outcome, Verdict};

    /// A signature with that rule.
    fn signed(rule: &str) -> Signature {
        format!("client:rejected:tools/call:{rule}").parse().unwrap()
    }

    /// A cell that breaks, with the rule of its signature given.
    fn broken(id: &str, signature: Option<&str>, reason: &str, radius: BlastRadius) -> CellRecord {
        let verdict = Verdict {
            negotiated: None,
            outcome: Outcome::Rejected,
            rating: Rating::Breaks,
            silent: false,
            vacuous: false,
            blast_radius: Some(radius),
            expected: None,
            findings: Vec::new(),
            fault: None,
            signature: signature.map(signed),
            reason: reason.to_owned(),
        };
        CellRecord::new(CellId::parse(id).unwrap(), verdict, 0, None)
    }

    /// The rule or the reason of each cause, with the scenario that stands for it and the number of its cells.
    fn told(cells: &[CellRecord]) -> Vec<(String, String, usize)> {
        let causes = causes(cells, Rating::Breaks);
        let name = |cause: &Cause<'_>| cause.name.rsplit(':').next().unwrap_or_default().to_owned();
        let scenario = |cause: &Cause<'_>| cause.example.scenario.to_string();
        causes.iter().map(|cause| (name(cause), scenario(cause), cause.cells.len())).collect()
    }

    #[test]
    fn cells_that_break_alike_are_one_cause() {
        let cells = [
            broken("b::x::y::stdio", Some("same"), "in words", BlastRadius::Call),
            broken("a::x::y::stdio", Some("same"), "in other words", BlastRadius::Call),
            broken("c::x::y::stdio", Some("other"), "in words", BlastRadius::Call),
        ];
        assert_eq!(told(&cells), [("same".to_owned(), "a".to_owned(), 2), ("other".to_owned(), "c".to_owned(), 1)]);
    }

    #[test]
    fn a_cause_says_how_many_cells_lose_how_much_and_shows_one_that_loses_most() {
        let cells = [
            broken("a::x::y::stdio", Some("same"), "", BlastRadius::Call),
            broken("b::x::y::stdio", Some("same"), "", BlastRadius::Server),
            broken("c::x::y::stdio", Some("same"), "", BlastRadius::Call),
        ];
        let causes = causes(&cells, Rating::Breaks);
        assert_eq!(causes.len(), 1);
        assert_eq!(causes[0].lost(), [(BlastRadius::Server, 1), (BlastRadius::Call, 2)]);
        assert_eq!(causes[0].example.scenario.as_str(), "b");
    }

    #[test]
    fn errors_that_no_rule_explains_are_one_cause_only_where_the_class_and_the_reach_are_one() {
        let unexplained = |id: &str, radius| {
            let mut cell = broken(id, None, "", radius);
            cell.signature = Some("spec:rejected:tools/call:no-rule:validate".parse().unwrap());
            cell
        };
        let cells = [
            unexplained("ref/network::x::y::stdio", BlastRadius::Call),
            unexplained("ref/loop::x::y::stdio", BlastRadius::Call),
            unexplained("ref/far::x::y::stdio", BlastRadius::Server),
            unexplained("dialect/unknown::x::y::stdio", BlastRadius::Call),
        ];
        let sizes: Vec<usize> = causes(&cells, Rating::Breaks).iter().map(|cause| cause.cells.len()).collect();
        assert_eq!(sizes, [1, 2, 1], "{cells:?}");
    }

    #[test]
    fn a_list_that_a_server_refuses_for_one_place_is_one_cause_in_all_classes() {
        let refused = |id: &str, pointer: &str| {
            let mut cell = broken(id, None, "", BlastRadius::Server);
            cell.signature =
                Some(format!("server:rejected:tools/list:no-rule:protocol:-32603{pointer}").parse().unwrap());
            cell
        };
        let ids = ["root-type/array::x::y::stdio", "drift/root::x::y::stdio", "fallback/array::x::y::stdio"];
        let sizes = |pointer: &str| -> Vec<usize> {
            let cells = ids.map(|id| refused(id, pointer));
            causes(&cells, Rating::Breaks).iter().map(|cause| cause.cells.len()).collect()
        };
        assert_eq!(sizes(":/outputSchema"), [3]);
        assert_eq!(sizes(""), [1, 1, 1], "each may have another reason");
    }

    #[test]
    fn calls_that_hang_for_no_known_reason_are_one_cause_only_in_one_file() {
        let hung = |id: &str| {
            let mut cell = broken(id, None, "", BlastRadius::Call);
            cell.signature = Some("client:hung:tools/call:no-rule:timeout".parse().unwrap());
            cell
        };
        let ids = ["limits/deep-value", "limits/exponential[a]", "limits/exponential[b]"];
        let cells = ids.map(|id| hung(&format!("{id}::x::y::stdio")));
        let sizes: Vec<usize> = causes(&cells, Rating::Breaks).iter().map(|cause| cause.cells.len()).collect();
        assert_eq!(sizes, [2, 1]);
    }

    #[test]
    fn a_client_that_validates_does_not_stand_beside_one_that_does_not() {
        let uncaught = |id: &str| {
            let mut cell = broken(id, None, "", BlastRadius::Call);
            cell.outcome = Outcome::Uncaught;
            cell.signature = Some("client:uncaught:tools/call:client-validates".parse().unwrap());
            cell
        };
        let mut caught = ["a/one", "a/two"].map(|id| uncaught(&format!("{id}::careful::y::stdio")));
        for cell in &mut caught {
            (cell.outcome, cell.rating, cell.signature) = (Outcome::Caught, Rating::Works, None);
        }
        let mut cells = vec![
            uncaught("a/keyword::careful::y::stdio"),
            uncaught("a/keyword::careless::y::stdio"),
            uncaught("b/other::careless::y::stdio"),
        ];
        cells.extend(caught);
        let clients = |cells: &[CellRecord]| -> Vec<Vec<String>> {
            let of = |cause: Cause<'_>| cause.cells.iter().map(|cell| cell.client.to_string()).collect();
            causes(cells, Rating::Breaks).into_iter().map(of).collect()
        };
        assert_eq!(clients(&cells), [vec!["careless", "careless"], vec!["careful"]]);
        // What no validation catches, such as bytes that are no text, is one cause for both.
        for cell in cells.iter_mut().filter(|cell| cell.rating == Rating::Breaks) {
            cell.signature = Some("server:uncaught:tools/call:server-speaks-json-rpc".parse().unwrap());
        }
        assert_eq!(clients(&cells), [["careful", "careless", "careless"]]);
    }

    #[test]
    fn a_part_of_a_run_keeps_the_numbers_of_the_whole() {
        let cell = |id: &str, rule: &str, radius| broken(&format!("{id}::x::y::stdio"), Some(rule), "", radius);
        let mut whole = vec![
            cell("a", "known", BlastRadius::Server),
            cell("b", "call", BlastRadius::Call),
            cell("c", "call", BlastRadius::Call),
            cell("d", "server", BlastRadius::Server),
        ];
        whole[0].known = Some(Known { reason: String::new(), covers: None, issue: None, flaky: false });
        let numbers = |causes: Vec<Cause<'_>>| -> Vec<(usize, String, usize)> {
            let of = |cause: Cause<'_>| (cause.number, cause.example.scenario.to_string(), cause.cells.len());
            causes.into_iter().map(of).collect()
        };
        let entry = |number, scenario: &str, cells| (number, scenario.to_owned(), cells);
        let all = [entry(1, "d", 1), entry(2, "b", 2), entry(3, "a", 1)];
        assert_eq!(numbers(causes(&whole, Rating::Breaks)), all);
        let part = [whole[0].clone(), whole[2].clone()];
        assert_eq!(numbers(causes_of_part(&part, &whole, Rating::Breaks)), [entry(2, "c", 1), entry(3, "a", 1)]);
        assert_eq!(numbers(causes_of_part(&whole, &whole, Rating::Breaks)), all);
    }

    #[test]
    fn cells_without_a_signature_are_told_apart_by_their_reason() {
        let cells = ["one", "two"].map(|reason| broken("a::x::y::stdio", None, reason, BlastRadius::Call));
        assert_eq!(told(&cells), [("one".to_owned(), "a".to_owned(), 1), ("two".to_owned(), "a".to_owned(), 1)]);
    }

    #[test]
    fn what_loses_most_comes_first_and_silence_breaks_a_tie() {
        let mut cells = [
            broken("a::x::y::stdio", Some("call"), "", BlastRadius::Call),
            broken("b::x::y::stdio", Some("server"), "", BlastRadius::Server),
            broken("c::x::y::stdio", Some("silent"), "", BlastRadius::Call),
        ];
        cells[2].silent = true;
        let order: Vec<String> = told(&cells).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(order, ["server", "silent", "call"]);
    }

    #[test]
    fn a_new_break_stands_for_its_cause_rather_than_a_known_one() {
        let mut cells = ["a", "b"].map(|id| broken(&format!("{id}::x::y::stdio"), Some("s"), "", BlastRadius::Call));
        assert_eq!(told(&cells), [("s".to_owned(), "a".to_owned(), 2)]);
        cells[0].known = Some(Known { reason: String::new(), covers: None, issue: None, flaky: false });
        assert_eq!(told(&cells), [("s".to_owned(), "b".to_owned(), 2)]);
        assert_eq!(causes(&cells, Rating::Breaks)[0].new_breaks(), 1);
    }
}
