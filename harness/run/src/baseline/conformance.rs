//! The baseline of the official conformance suite, read as one of ours.
//!
//! ```yaml
//! client:                                          # what the client under test is known to fail
//!   - root-type/array                              # a scenario of ours; globs may stand for several
//!   - invalid-result/*:client-validates            # only where this rule is broken
//!   - sse-retry                                    # the suite's own: passed over
//! ```
//!
//! An entry is about peers that are no mocks, on the side under which it stands. As in the suite, a whole scenario may
//! fail in part: its entry is stale when none of its cells breaks any more. Reading YAML is left to the caller.

use std::collections::BTreeSet;

use mcp_compat_judge::rules;
use mcp_compat_model::near::near;
use mcp_compat_model::record::{CellRecord, Known, Record};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Role, ScenarioId};

use crate::glob::{BadGlob, Glob, nothing};

/// A line of such a file: `<scenario>` or `<scenario>:<check>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConformanceEntry {
    /// The line, from 1.
    pub line: usize,
    /// Who is known to fail.
    pub role: Role,
    /// What stands there.
    pub text: String,
}

/// The entries of such a file that are about scenarios of ours.
#[derive(Clone, Debug)]
pub struct ConformanceBaseline {
    path: String,
    entries: Vec<Entry>,
    passed_over: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    line: usize,
    role: Role,
    text: String,
    scenarios: Glob,
    rule: Option<String>,
}

/// What is wrong with an entry.
#[derive(Debug, thiserror::Error)]
#[error("{path}, line {line}: {} {why}", quoted(.entry))]
pub struct ConformanceBaselineError {
    path: String,
    line: usize,
    entry: String,
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error(
        "is not `<scenario>` or `<scenario>:<rule>`: write it without blanks, and with something on both sides of a colon"
    )]
    Form,
    #[error("is not a pattern: {0}")]
    Glob(BadGlob),
    #[error("names no scenario{}", .0.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default())]
    Scenario(Option<String>),
    #[error("names no rule{}", .0.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default())]
    Rule(Option<&'static str>),
    #[error("says again what line {0} says of the whole scenario: remove one of them")]
    Twice(usize),
}

fn quoted(entry: &str) -> String {
    format!("`{}`", neutralised(entry))
}

impl ConformanceBaseline {
    /// Takes the entries that are about these scenarios, and passes over those of the conformance suite. `path` names the
    /// file in what is told.
    ///
    /// # Errors
    /// When an entry is neither, or two say the same.
    pub fn new(
        path: &str,
        written: &[ConformanceEntry],
        scenarios: &[&ScenarioId],
    ) -> Result<Self, ConformanceBaselineError> {
        let classes: BTreeSet<&str> = scenarios.iter().map(|id| id.class()).collect();
        let mut baseline = Self { path: path.to_owned(), entries: Vec::new(), passed_over: 0 };
        for ConformanceEntry { line, role, text } in written {
            let wrong = |why| ConformanceBaselineError { path: path.to_owned(), line: *line, entry: text.clone(), why };
            let (name, check) = parted(text).ok_or_else(|| wrong(Why::Form))?;
            if !is_of_ours(name, &classes) {
                baseline.passed_over += 1;
                continue;
            }
            let glob = Glob::new(name).map_err(|bad| wrong(Why::Glob(bad)))?;
            if !scenarios.iter().any(|id| glob.matches(id.as_str())) {
                let known = scenarios.iter().map(|id| id.as_str());
                return Err(wrong(Why::Scenario(nothing("scenario", name, known).nearest)));
            }
            if let Some(check) = check.filter(|check| rules::find(check).is_none()) {
                let ids = rules::all().iter().map(|rule| rule.id);
                return Err(wrong(Why::Rule(near(check, ids, 1).first().copied())));
            }
            let again = |other: &&Entry| {
                let whole = other.rule.is_none() || check.is_none() || other.rule.as_deref() == check;
                other.role == *role && other.scenarios.as_str() == name && whole
            };
            if let Some(other) = baseline.entries.iter().find(again) {
                return Err(wrong(Why::Twice(other.line)));
            }
            let (text, rule) = (text.clone(), check.map(str::to_owned));
            baseline.entries.push(Entry { line: *line, role: *role, text, scenarios: glob, rule });
        }
        Ok(baseline)
    }

    /// How many entries are the conformance suite's own.
    #[must_use]
    pub fn passed_over(&self) -> usize {
        self.passed_over
    }

    /// Marks the known breaks of a record, and notes the entries that no longer hold.
    pub fn settle(&self, record: &mut Record) {
        let stale = self.settle_cells(&mut record.cells);
        // What a run that was cut short did not play may still break.
        if record.complete {
            record.stale.extend(stale);
        }
    }

    /// Marks the known breaks among cells, and gives a line for each entry that no longer holds.
    pub fn settle_cells(&self, cells: &mut [CellRecord]) -> Vec<String> {
        self.entries.iter().filter_map(|entry| entry.settle(cells, &self.path)).collect()
    }
}

impl Entry {
    fn settle(&self, cells: &mut [CellRecord], path: &str) -> Option<String> {
        let (mut breaks, mut working) = (false, None);
        for cell in cells.iter_mut().filter(|cell| self.is_about(cell)) {
            match cell.rating {
                Rating::Breaks if self.holds(cell) => {
                    breaks = true;
                    let reason = format!("{path}, line {}: {}", self.line, self.text);
                    cell.known.get_or_insert(Known { reason, covers: None, issue: None, flaky: false });
                }
                Rating::Works | Rating::Degraded => working = working.or(Some(cell.id.clone())),
                Rating::Breaks | Rating::Skipped => {}
            }
        }
        let working = working.filter(|_| !breaks)?;
        let side = self.role;
        Some(format!("`{}` of {side}, on line {}, is stale: {working} no longer breaks", self.text, self.line))
    }

    fn is_about(&self, cell: &CellRecord) -> bool {
        let peer = match self.role {
            Role::Client => &cell.client,
            Role::Server => &cell.server,
        };
        !peer.is_built_in() && self.scenarios.matches(cell.scenario.as_str())
    }

    fn holds(&self, cell: &CellRecord) -> bool {
        self.rule.as_ref().is_none_or(|rule| cell.findings.iter().any(|finding| finding.rule == *rule))
    }
}

/// The scenario and the check.
fn parted(text: &str) -> Option<(&str, Option<&str>)> {
    let well = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
    match text.split_once(':') {
        None => well(text).then_some((text, None)),
        Some((scenario, check)) => (well(scenario) && well(check)).then_some((scenario, Some(check))),
    }
}

/// Whether a name is meant as one of ours: those of the suite have no class, or another. A slip in the class is one of
/// ours all the same, so that it is told.
fn is_of_ours(name: &str, classes: &BTreeSet<&str>) -> bool {
    let Some((class, _)) = name.split_once('/') else { return Glob::is_pattern(name) };
    let slip = |known: &&str| known.len() > 3 && strsim::damerau_levenshtein(class, known) == 1;
    Glob::is_pattern(class) || classes.contains(class) || classes.iter().any(slip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[(Role, &str)]) -> Result<ConformanceBaseline, String> {
        let scenarios: Vec<ScenarioId> = ["root-type/array", "root-type/primitive[zero]", "ref/local"]
            .iter()
            .map(|id| id.parse().unwrap())
            .collect();
        let entry = |(place, (role, text)): (usize, &(Role, &str))| ConformanceEntry {
            line: place + 2,
            role: *role,
            text: (*text).to_owned(),
        };
        let entries: Vec<_> = lines.iter().enumerate().map(entry).collect();
        ConformanceBaseline::new("known.yml", &entries, &scenarios.iter().collect::<Vec<_>>())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_the_suites_own_is_passed_over_and_counted() {
        let own = ["sse-retry", "auth/basic-cimd", "server-stateless:sep-2575-server-implements-discover"];
        let mut lines: Vec<_> = own.iter().map(|text| (Role::Client, *text)).collect();
        lines.push((Role::Client, "root-type/array"));
        let baseline = read(&lines).unwrap();
        assert_eq!((baseline.passed_over(), baseline.entries.len()), (3, 1));
    }

    #[test]
    fn what_is_neither_is_told_with_its_line() {
        let wrong = |text| read(&[(Role::Server, text)]).unwrap_err();
        assert_eq!(
            wrong("root-type/aray"),
            "known.yml, line 2: `root-type/aray` names no scenario; did you mean root-type/array?"
        );
        assert!(wrong("rot-type/array").ends_with("did you mean root-type/array?"));
        let rule = wrong("root-type/array:output-schema-object-rot");
        assert!(rule.ends_with("names no rule; did you mean output-schema-object-root?"), "{rule}");
        for text in ["", "a b", ":x", "root-type/array:", "root-type/array: x"] {
            assert!(wrong(text).contains("is not `<scenario>` or `<scenario>:<rule>`"), "{text}");
        }
    }

    #[test]
    fn a_scenario_and_one_of_its_rules_contradict_each_other() {
        let (whole, part) = ("root-type/array", "root-type/array:output-schema-object-root");
        assert!(read(&[(Role::Client, whole), (Role::Client, part)]).unwrap_err().contains("what line 2 says"));
        assert!(read(&[(Role::Client, part), (Role::Client, part)]).is_err());
        assert!(read(&[(Role::Client, whole), (Role::Server, part)]).is_ok(), "of another side");
    }
}
