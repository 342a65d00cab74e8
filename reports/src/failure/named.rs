//! Named tests of an audit: each tool with each client, and each tool without a result.
//!
//! ```text
//! audit plays a cell ── see ──> AuditStories ── complete ──> Stories ── named_tests ──> NamedTest
//! ```

use std::collections::{HashMap, HashSet};

use mcp_compat_model::audit::{Audit, AuditedTool, CallState, Change, NamedTest, TestResult};
use mcp_compat_model::invisible_chars::{neutralised, without_ci_commands};
use mcp_compat_model::record::{CellRecord, Evidence, NotPlayedCells, Record};
use mcp_compat_model::stale_entry::StaleEntry;
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{CellId, ScenarioId};
use mcp_compat_scenario::Scenario;

use super::block::{Failing, TestName, block, braced, of_stale_entry, sum};
use super::{Dialect, Stories, Story, of_cell, of_stale};
use crate::audit::cause::causes;
use crate::sdk::rank;

/// Stories of the cells of an audit, collected while it plays.
#[derive(Debug, Default)]
pub struct AuditStories(Stories);

impl AuditStories {
    /// Keeps the story of a cell that breaks. A cell may be played more than once: the last play counts.
    pub fn see(&mut self, scenario: &Scenario, cell: &CellRecord, evidence: &Evidence) {
        match cell.rating {
            Rating::Breaks => self.0.insert(cell.id.clone(), Story::of(scenario, cell, evidence)),
            Rating::Works | Rating::Degraded | Rating::Skipped => self.0.remove(&cell.id),
        };
    }

    /// Completes the stories of the finished audit with the change that fixes each client. Removes from the record the
    /// cells of clients that share no revision with the server.
    pub fn complete(self, record: &mut Record, audit: &Audit) -> Stories {
        let Self(mut stories) = self;
        remove_without_session(record, audit);
        let left: HashSet<&CellId> = record.cells.iter().map(|cell| &cell.id).collect();
        stories.retain(|id, _| left.contains(id));
        let tools = ToolNames::of(audit);
        for cell in record.cells.iter().filter(|cell| cell.rating == Rating::Breaks) {
            if !stories.contains_key(&cell.id) {
                stories.insert(cell.id.clone(), without_answer(tools.name(cell)));
            }
            let Some(story) = stories.get_mut(&cell.id) else { continue };
            story.change = tools.find(cell).and_then(|tool| change(audit, tool, cell));
        }
        stories
    }
}

/// The expectations that turn an audit into tests.
pub struct Naming<'a> {
    /// Language of the tests: their names are parted as there.
    pub dialect: Dialect,
    /// Tools of which nothing was proven, each with the reason.
    pub unproven: Vec<(String, String)>,
    /// Entries of the baseline that no longer hold. The cells that it knows are marked.
    pub stale: &'a [StaleEntry],
    /// Returns the commands that run a test again; without a client, all tests of the tool.
    pub again: &'a dyn Fn(&NamedTest) -> Vec<String>,
}

/// Turns the audit into tests, by tool and then by client: real releases first, mocks last. The first test that fails
/// for a cause has the whole message, and the others name that test.
pub fn named_tests(audit: &Audit, record: Record, mut stories: Stories, naming: Naming<'_>) -> Vec<NamedTest> {
    let Naming { dialect, unproven, stale, again } = naming;
    let (tools, causes) = (ToolNames::of(audit), causes(audit));
    let mut cells = record.cells;
    let place = |cell: &CellRecord| audit.tools.iter().position(|tool| tool.scenario == cell.scenario);
    cells.sort_by_key(|cell| (place(cell), rank(&cell.client)));
    let mut tests = Vec::with_capacity(cells.len());
    let mut failing: Vec<Vec<usize>> = vec![Vec::new(); causes.len()];
    let refusing = || {
        let is_it = |tool: &&AuditedTool| matches!(tool.call, CallState::Failed { expected: true, .. });
        audit.tools.iter().filter(is_it)
    };
    let refuses_as_expected = |tool: &str| refusing().any(|refusing| refusing.name == tool);
    let mut of_entries: Vec<Vec<usize>> = vec![Vec::new(); stale.len()];
    for cell in cells {
        let tool = tools.name(&cell).to_owned();
        let name = format!("{}::{}", neutralised(&tool), cell.client);
        let client = Some(cell.client.clone());
        let mut test = NamedTest { name, tool, client, result: TestResult::Passed, text: String::new(), same_as: None };
        let failed = |text: String| (TestResult::Failed, text);
        (test.result, test.text) = match cell.rating {
            Rating::Works | Rating::Degraded => match stale.iter().position(|entry| entry.gone.contains(&cell.id)) {
                Some(entry) => {
                    of_entries[entry].push(tests.len());
                    failed(String::new())
                }
                None => (TestResult::Passed, String::new()),
            },
            Rating::Skipped if refuses_as_expected(&test.tool) => {
                let text = format!("`{}` refused the call, as expected", neutralised(&test.tool));
                (TestResult::Skipped, text)
            }
            Rating::Skipped => (TestResult::Skipped, cell.reason.clone()),
            Rating::Breaks if cell.known.is_none() => {
                match causes.iter().position(|cause| cause.takes(&test.tool, &cell.client)) {
                    Some(cause) => {
                        failing[cause].push(tests.len());
                        failed(String::new())
                    }
                    None => {
                        let story = Story { again: again(&test), ..stories.remove(&cell.id).unwrap_or_default() };
                        failed(without_ci_commands(&of_cell(&cell, &story)).into_owned())
                    }
                }
            }
            Rating::Breaks => (TestResult::Passed, cell.known.map(|known| known.reason).unwrap_or_default()),
        };
        tests.push(test);
    }
    let many = |result: TestResult| tests.iter().filter(|test| test.result == result).count();
    let used = failing.iter().filter(|tests| !tests.is_empty()).count();
    let sum = sum(used, many(TestResult::Failed), many(TestResult::Passed), unproven.len());
    for (cause, places) in causes.iter().zip(&failing) {
        let of_first = |first: &NamedTest, others: &[TestName]| {
            let lines = again(&NamedTest { client: None, ..first.clone() });
            let failing = Failing::OtherTests(others);
            format!("{}{sum}\n", block(cause, audit, &failing, dialect.separator(), &lines))
        };
        let of_others = |leader: &str| format!("same cause as {leader}: {}", cause.title());
        of_one_reason(&mut tests, places, dialect, &of_first, &of_others);
    }
    for (entry, places) in stale.iter().zip(&of_entries) {
        let of_first =
            |first: &NamedTest, others: &[TestName]| of_stale_entry(entry, &first.tool, others, dialect.separator());
        let of_others = |leader: &str| format!("same entry of the baseline as {leader}");
        of_one_reason(&mut tests, places, dialect, &of_first, &of_others);
    }
    let of_call = |tool: String, result: TestResult, text: &str| NamedTest {
        name: format!("{}::called", neutralised(&tool)),
        tool,
        client: None,
        result,
        text: without_ci_commands(text).into_owned(),
        same_as: None,
    };
    tests.extend(refusing().map(|tool| of_call(tool.name.clone(), TestResult::Passed, "")));
    tests.extend(unproven.into_iter().map(|(tool, text)| of_call(tool, TestResult::Failed, &text)));
    tests
}

/// Gives the tests at `places` their messages: the whole to the first, and to the others a line with the name of the first.
fn of_one_reason(
    tests: &mut [NamedTest],
    places: &[usize],
    dialect: Dialect,
    of_first: &dyn Fn(&NamedTest, &[TestName]) -> String,
    of_others: &dyn Fn(&str) -> String,
) {
    let Some((first, others)) = places.split_first() else { return };
    let names: Vec<TestName> = others.iter().filter_map(|place| test_name(&tests[*place])).collect();
    let text = of_first(&tests[*first], &names);
    tests[*first].text = without_ci_commands(&text).into_owned();
    let leader = test_name(&tests[*first]).map(|name| braced(&[name], dialect.separator())).unwrap_or_default();
    let text = without_ci_commands(&of_others(&leader)).into_owned();
    let same_as = Some(tests[*first].name.clone());
    for place in others {
        (tests[*place].text, tests[*place].same_as) = (text.clone(), same_as.clone());
    }
}

fn test_name(test: &NamedTest) -> Option<TestName> {
    Some(TestName { tool: test.tool.clone(), client: test.client.as_ref()?.to_string() })
}

/// Failure message of an audited server: each cause once, then what no cause explains and what nothing was proven of.
/// Empty if there is none of these.
pub fn of_audit(record: &Record, stories: &Stories, audit: &Audit, unproven: &[String]) -> String {
    let (tools, causes) = (ToolNames::of(audit), causes(audit));
    let mut failing: Vec<Vec<&CellRecord>> = vec![Vec::new(); causes.len()];
    let (mut parts, mut failures) = (Vec::new(), 0);
    let unknown = Story::default();
    for cell in record.cells.iter().filter(|cell| cell.is_new_break()) {
        failures += 1;
        match causes.iter().position(|cause| cause.takes(tools.name(cell), &cell.client)) {
            Some(cause) => failing[cause].push(cell),
            None => parts.push(of_cell(cell, stories.get(&cell.id).unwrap_or(&unknown))),
        }
    }
    let used = failing.iter().filter(|cells| !cells.is_empty()).count();
    let blocks = causes.iter().zip(&failing).filter_map(|(cause, cells)| {
        let first = cells.first()?;
        let name = |cell: &&CellRecord| TestName { tool: tools.name(cell).to_owned(), client: cell.client.to_string() };
        let mut names: Vec<TestName> = cells.iter().map(name).collect();
        names.sort_by(|one, other| one.tool.cmp(&other.tool));
        let again = stories.get(&first.id).map(|story| story.again.clone()).unwrap_or_default();
        Some(block(cause, audit, &Failing::All(&names), "::", &again))
    });
    let mut parts: Vec<String> = blocks.chain(parts).collect();
    parts.extend(record.stale.iter().map(|entry| of_stale(entry)));
    parts.extend(super::unproven(record));
    parts.extend(unproven.iter().cloned());
    if parts.is_empty() {
        return String::new();
    }
    let works = |cell: &&CellRecord| matches!(cell.rating, Rating::Works | Rating::Degraded);
    let passed = record.cells.iter().filter(works).count();
    parts.push(sum(used, failures, passed, unproven.len()));
    parts.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n")
}

/// The tools that the cells of an audit are about.
#[derive(Debug)]
pub struct ToolNames<'a> {
    by_scenario: HashMap<&'a ScenarioId, &'a AuditedTool>,
}

impl<'a> ToolNames<'a> {
    pub fn of(audit: &'a Audit) -> Self {
        Self { by_scenario: audit.tools.iter().map(|tool| (&tool.scenario, tool)).collect() }
    }

    /// The tool of a cell. `None` if the audit has none of this scenario.
    pub fn find(&self, cell: &CellRecord) -> Option<&'a str> {
        self.by_scenario.get(&cell.scenario).map(|tool| tool.name.as_str())
    }

    /// The tool of a cell, or else its scenario.
    fn name<'n>(&'n self, cell: &'n CellRecord) -> &'n str {
        self.find(cell).unwrap_or(cell.scenario.as_str())
    }
}

/// Story of a call that the server did not answer, or of a tool that no client played.
fn without_answer(tool: &str) -> Story {
    Story { title: format!("a call of `{tool}`"), got: "no value".to_owned(), ..Story::default() }
}

/// Change to a tool that fixes the client of a cell.
fn change(audit: &Audit, tool: &str, cell: &CellRecord) -> Option<String> {
    let frees = |change: &&Change| change.frees.contains(&cell.client) && change.tools.iter().any(|name| name == tool);
    audit.changes.iter().find(frees).map(|change| change.what.clone())
}

/// Removes the cells of clients that speak no revision of the server: that is reported, and is not a break of a tool.
fn remove_without_session(record: &mut Record, audit: &Audit) {
    for loss in &audit.shut_out {
        let before = record.cells.len();
        record.cells.retain(|cell| cell.client != loss.client);
        let reason = format!("{} has no session with this server: {}", loss.client, loss.reason);
        let cells = u64::try_from(before - record.cells.len()).unwrap_or(u64::MAX);
        record.left_out.push(NotPlayedCells { reason, cells });
    }
}
