//! Named tests of an audit: each tool with each client, and each tool without a result.
//!
//! ```text
//! audit plays a cell ── see ──> AuditStories ── complete ──> Stories ── named_tests ──> NamedTest
//! ```

use std::collections::{HashMap, HashSet};

use mcp_compat_model::audit::{Audit, AuditedTool, Change, NamedTest, TestResult};
use mcp_compat_model::invisible_chars::{neutralised, without_ci_commands};
use mcp_compat_model::record::{CellRecord, Evidence, NotPlayedCells, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{CellId, ScenarioId};
use mcp_compat_scenario::Scenario;

use super::{Stories, Story, of_cell};

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

/// Turns the audit into tests. `stale` marks the cells that the baseline knows, and returns the failure if an entry is
/// stale. `again` returns the commands that run a test again. `unproven` are the tools of which nothing was proven.
pub fn named_tests(
    audit: &Audit,
    record: Record,
    mut stories: Stories,
    unproven: Vec<(String, String)>,
    stale: impl Fn(&mut CellRecord) -> Option<String>,
    again: impl Fn(&NamedTest) -> Vec<String>,
) -> Vec<NamedTest> {
    let tools = ToolNames::of(audit);
    let of_a_cell = |mut cell: CellRecord| {
        let tool = tools.name(&cell).to_owned();
        let name = format!("{}::{}", neutralised(&tool), cell.client);
        let client = Some(cell.client.clone());
        let mut test = NamedTest { name, tool, client, result: TestResult::Passed, text: String::new() };
        let stale = stale(&mut cell);
        (test.result, test.text) = match cell.rating {
            _ if stale.is_some() => (TestResult::Failed, stale.unwrap_or_default()),
            Rating::Skipped => (TestResult::Skipped, cell.reason.clone()),
            Rating::Breaks if cell.known.is_none() => {
                let story = Story { again: again(&test), ..stories.remove(&cell.id).unwrap_or_default() };
                (TestResult::Failed, without_ci_commands(&of_cell(&cell, &story)).into_owned())
            }
            Rating::Works | Rating::Degraded | Rating::Breaks => (TestResult::Passed, String::new()),
        };
        test
    };
    let of_a_call = |(tool, text): (String, String)| NamedTest {
        name: format!("{}::called", neutralised(&tool)),
        tool,
        client: None,
        result: TestResult::Failed,
        text: without_ci_commands(&text).into_owned(),
    };
    let cells: Vec<NamedTest> = record.cells.into_iter().map(of_a_cell).collect();
    cells.into_iter().chain(unproven.into_iter().map(of_a_call)).collect()
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
