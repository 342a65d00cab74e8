//! What a failed test says: what was to come, what the user of the client got, why, whose turn it is, and how to see it
//! again.

mod cell;
mod named;
mod story;
mod tools;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use mcp_compat_model::CellId;
use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::Rating;

pub use cell::{command, of_cell};
pub use named::{AuditStories, ToolNames, named_tests};
pub use story::Story;
pub use tools::{Dialect, ExpectedCalls, broken_tools, unproven_tools};

/// How many causes one failure message tells before it only counts the rest.
const TOLD: usize = 12;

/// What is shown of the cells that break, beside their verdicts.
pub type Stories = BTreeMap<CellId, Story>;

/// The message for a run: each cause once, then the stale entries of the baseline, then why the run proves nothing.
/// Empty when there is nothing of it.
pub fn of_run(record: &Record, stories: &Stories) -> String {
    let new: Vec<CellRecord> = record.cells.iter().filter(|cell| cell.is_new_break()).cloned().collect();
    let causes = causes(&new, Rating::Breaks);
    let mut text = String::new();
    if !causes.is_empty() {
        let _ = writeln!(text, "{}, for {}\n", doing(new.len(), "cell", "break"), counted(causes.len(), "cause"));
    }
    for cause in causes.iter().take(TOLD) {
        let _ = writeln!(text, "{}", of_cause(cause, stories));
    }
    if let Some(left) = causes.len().checked_sub(TOLD).filter(|left| *left > 0) {
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
        return Some("the run ended before all cells were played, and the others may break".to_owned());
    }
    let skipped = record.cells.iter().all(|cell| cell.rating == Rating::Skipped);
    let first = record.cells.first().filter(|_| skipped)?;
    let cells = counted(record.cells.len(), "cell");
    Some(format!(
        "nothing was judged: {cells} skipped, the first ({}) because: {}",
        first.id,
        neutralised(&first.reason)
    ))
}

/// The message for an entry of the baseline that no longer applies.
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
        let further = if rest > 0 { format!(" and {}", counted(rest, "other cell")) } else { String::new() };
        let _ = writeln!(text, "  as well   {}{further}", first.id);
    }
    text
}

fn doing(number: usize, one: &str, does: &str) -> String {
    format!("{} {does}{}", counted(number, one), if number == 1 { "s" } else { "" })
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

    /// The longest line of a text: a sentence, with its name and what marks a cut.
    const WIDTH: usize = 640;

    /// The texts of all cells that break between a server of each era and the reference clients and stand-ins for SDKs,
    /// in memory; but for those that only take their time.
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
            // Some wait for a message that never comes; the time is shown, and changes nothing else.
            step_timeout: Some(Duration::from_millis(500)),
            ..Request::default()
        };
        let asked = asked.prepare(&fleet, &corpus, None).unwrap();
        let stop = CancellationToken::new();
        let mut texts = Vec::new();
        let again = ["cargo test -- --exact 'its::name'".to_owned(), "mcp-compat run".to_owned()];
        let mut tell = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event
                && cell.rating == Rating::Breaks
            {
                let scenario = corpus.iter().find(|scenario| scenario.id == cell.scenario).unwrap();
                let (again, change) = (again.to_vec(), Some("send an object".to_owned()));
                texts.push(of_cell(cell, &Story { again, change, ..Story::of(scenario, cell, evidence) }));
            }
        };
        run(asked, &mut [&mut tell], stop).await.unwrap();
        texts
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_text_tells_the_whole_story_in_under_25_lines() {
        let texts = texts().await;
        assert!(texts.len() > 400, "{}", texts.len());
        for text in &texts {
            // In the text of a run three lines may follow.
            assert!(text.lines().count() + 3 < 25, "{} lines:\n{text}", text.lines().count());
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            for field in ["scenario", "got", "outcome", "reason", "revision", "to fix", "again"] {
                assert!(text.contains(&format!("\n  {field:9} ")), "no {field}:\n{text}");
            }
        }
        let without = |field: &str| texts.iter().filter(|text| !text.contains(&format!("\n  {field:9} "))).count();
        assert!(without("meant") * 50 < texts.len(), "{} do not say what was meant", without("meant"));
        assert!(without("wire") * 50 < texts.len(), "{} show no bytes", without("wire"));
    }

    #[test]
    fn numbers_agree_with_their_words() {
        assert_eq!([1, 2].map(|number| doing(number, "cell", "break")), ["1 cell breaks", "2 cells break"]);
    }
}
