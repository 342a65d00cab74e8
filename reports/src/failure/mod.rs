//! Failure message of a test: the expected and the actual result, the reason, the party responsible for the fix, and
//! the command that reproduces it.

mod block;
mod named;
mod story;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Finding, Outcome, Rating};
use mcp_compat_model::{CellId, PeerId};

use self::story::short;
use crate::findings::responsible_first;
use crate::wording;

pub use named::{AuditStories, Naming, ToolNames, named_tests, of_audit};
pub use story::Story;
pub use tools::{Dialect, ExpectedCalls, unproven_tools};

/// Number of causes in a failure message; the others are counted.
const CAUSES_SHOWN: usize = 12;

/// Stories of the cells that break.
pub type Stories = BTreeMap<CellId, Story>;

/// Failure message of a run: each cause once, the stale entries of the baseline, and the reason why the run proves
/// nothing. Empty if there is none of these.
pub fn of_run(record: &Record, stories: &Stories) -> String {
    let new: Vec<CellRecord> = record.cells.iter().filter(|cell| cell.is_new_break()).cloned().collect();
    let causes = causes(&new, Rating::Breaks);
    let mut text = String::new();
    if !causes.is_empty() {
        let _ = writeln!(text, "{}, for {}\n", doing(new.len(), "check", "break"), counted(causes.len(), "cause"));
    }
    for cause in causes.iter().take(CAUSES_SHOWN) {
        let _ = writeln!(text, "{}", of_cause(cause, stories));
    }
    if let Some(left) = causes.len().checked_sub(CAUSES_SHOWN).filter(|left| *left > 0) {
        let _ = writeln!(text, "and {} more\n", counted(left, "cause"));
    }
    for entry in &record.stale {
        let _ = writeln!(text, "{}\n", of_stale(entry));
    }
    if let Some(unproven) = unproven(record) {
        text.push_str(&unproven);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the reason why a run without breaks proves nothing.
fn unproven(record: &Record) -> Option<String> {
    if !record.complete {
        return Some("the run ended before all checks were done, and the others may break".to_owned());
    }
    if record.cells.iter().any(|cell| cell.rating != Rating::Skipped) {
        return None;
    }
    let first = record.cells.first()?;
    let cells = counted(record.cells.len(), "check");
    Some(format!(
        "nothing was judged: {cells} skipped, the first ({}) because: {}",
        first.id,
        neutralised(&first.reason)
    ))
}

/// Failure message of a baseline entry that no longer applies.
pub fn of_stale(entry: &str) -> String {
    format!("the baseline entry {}; remove it, or make it narrower", neutralised(entry))
}

fn of_cause(cause: &Cause<'_>, stories: &Stories) -> String {
    let cell = cause.example;
    let unknown = Story::default();
    let mut text = of_cell(cell, stories.get(&cell.id).unwrap_or(&unknown));
    let mut others = cause.cells.iter().filter(|cell| cell.id != cause.example.id);
    if let Some(first) = others.next() {
        let rest = others.count();
        let further = if rest > 0 { format!(" and {}", counted(rest, "other check")) } else { String::new() };
        let _ = writeln!(text, "  as well   {}{further}", first.id);
    }
    text
}

fn doing(number: usize, one: &str, does: &str) -> String {
    format!("{} {does}{}", counted(number, one), if number == 1 { "s" } else { "" })
}

/// Number of rules that are named for one cell.
const RULES: usize = 3;

/// Number of characters of a sentence that are shown.
const SENTENCE: usize = 600;

/// Failure message of one cell, in under 25 lines.
pub fn of_cell(cell: &CellRecord, story: &Story) -> String {
    let mut text = String::new();
    let silent = if cell.silent { ", silently" } else { "" };
    let _ = writeln!(text, "{} breaks{silent}", cell.id);
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:9} {}", short(&neutralised(value), SENTENCE));
    };
    field("scenario", &story.title);
    if let Some(intended) = &story.intended {
        field("meant", intended);
    }
    if let Some(expected) = cell.expected {
        let best = matches!(expected, Outcome::Intact | Outcome::Told | Outcome::Caught);
        let least = if best { "" } else { " or better" };
        field("expected", &format!("{expected}{least}: {}", expected.meaning()));
    }
    field("got", &story.got);
    field("outcome", &format!("{}: {}", cell.outcome, cell.outcome.meaning()));
    field("reason", &cell.reason);
    if let Some(radius) = cell.blast_radius {
        field("lost", wording::lost_and_left(radius));
    }
    field("revision", &wording::negotiated(cell));
    if let Some(wire) = &story.wire {
        field("wire", wire);
    }
    let findings = responsible_first(cell);
    for finding in findings.iter().take(RULES) {
        field("rule", &rule(cell, finding));
        field("", &finding.source);
    }
    if let Some(left) = findings.len().checked_sub(RULES).filter(|left| *left > 0) {
        field("", &format!("and {} more", counted(left, "rule")));
    }
    if let Some(fault) = cell.fault {
        field("to fix", wording::to_fix(fault));
    }
    if let Some(change) = &story.change {
        field("change", change);
    }
    for (place, way) in story.again.iter().enumerate() {
        if place == 0 { field("again", way) } else { field("", &format!("or, {way}")) }
    }
    text
}

/// Rule of a finding, with its detail unless the reason contains it.
fn rule(cell: &CellRecord, finding: &Finding) -> String {
    let Finding { rule, party, level, detail, .. } = finding;
    // The reason may contain the detail as a sentence, with a capital.
    let is_in_reason = detail.get(1..).is_some_and(|rest| cell.reason.contains(rest));
    let detail = if is_in_reason { String::new() } else { format!(": {detail}") };
    format!("{rule} ({level}, {}){detail}", wording::broken_by(*level, *party))
}

/// Command that plays a cell again; `None` if only the test can start one of its peers (`local`).
pub fn command(cell: &CellRecord, local: &BTreeSet<PeerId>) -> Option<String> {
    let is_known = !local.contains(&cell.client) && !local.contains(&cell.server);
    is_known.then(|| {
        format!(
            "mcp-compat run --scenario '{}' --client {} --server {} --transport {}",
            cell.scenario, cell.client, cell.server, cell.transport
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use mcp_compat_model::Transport;
    use mcp_compat_scenario::Scenario;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use mcp_compat_run::events::Event;
    use mcp_compat_run::peer::ClientPeer;
    use mcp_compat_run::peer_set::PeerSet;
    use mcp_compat_run::plan::{Coverage, Weight};
    use mcp_compat_run::request::Request;
    use mcp_compat_run::run::run;

    /// Maximum length of a line: a sentence with its label and the mark where it is cut.
    const WIDTH: usize = 640;

    /// Messages of all cells that break between a server of each era and the reference clients and profiles, in memory,
    /// without the slow scenarios.
    async fn texts() -> Vec<String> {
        let corpus = mcp_compat_scenario::corpus::load().unwrap();
        let is_quick = |scenario: &Scenario| Weight::of(scenario) == Weight::Light && !scenario.keeps_waiting();
        let corpus: Vec<Arc<Scenario>> = corpus.into_iter().filter(is_quick).map(Arc::new).collect();
        let mut fleet = PeerSet::mocks();
        fleet.clients.retain(ClientPeer::is_reference);
        fleet.clients.extend(PeerSet::profiles().clients);
        fleet.servers.retain(|peer| ["mock/dual", "mock/2025-11-25"].contains(&peer.id().as_str()));
        let asked = Request {
            transports: vec![Transport::Memory],
            coverage: Coverage::Everything,
            // Some cells wait for a message that never comes. The time limit is shown and changes nothing else.
            step_timeout: Some(Duration::from_millis(500)),
            ..Request::default()
        };
        let asked = asked.prepare(&fleet, &corpus, None).unwrap();
        let stop = CancellationToken::new();
        let mut texts = Vec::new();
        let again = ["cargo test -- --exact 'its::name'".to_owned(), "mcp-compat run".to_owned()];
        let mut collect = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event
                && cell.rating == Rating::Breaks
            {
                let scenario = corpus.iter().find(|scenario| scenario.id == cell.scenario).unwrap();
                let (again, change) = (again.to_vec(), Some("send an object".to_owned()));
                texts.push(of_cell(cell, &Story { again, change, ..Story::of(scenario, cell, evidence) }));
            }
        };
        run(asked, &mut [&mut collect], stop).await.unwrap();
        texts
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_text_tells_the_whole_story_in_under_25_lines() {
        let texts = texts().await;
        assert!(texts.len() > 400, "{}", texts.len());
        for text in &texts {
            // The message of a run may add three lines.
            assert!(text.lines().count() + 3 < 25, "{} lines:\n{text}", text.lines().count());
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            for field in ["scenario", "got", "outcome", "reason", "revision", "to fix", "again"] {
                assert!(text.contains(&format!("\n  {field:9} ")), "no {field}:\n{text}");
            }
        }
        let without = |field: &str| texts.iter().filter(|text| !text.contains(&format!("\n  {field:9} "))).count();
        assert!(without("meant") * 50 < texts.len(), "{} do not say what the tool returns", without("meant"));
        assert!(without("wire") * 50 < texts.len(), "{} show no bytes", without("wire"));
    }

    #[test]
    fn numbers_agree_with_their_words() {
        assert_eq!([1, 2].map(|number| doing(number, "check", "break")), ["1 check breaks", "2 checks break"]);
    }
}
