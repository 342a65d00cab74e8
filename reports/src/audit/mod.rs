//! Report of an audited server: output of `audit`.
//!
//! ```text
//! Audit ─ view (problems by rule, damages by cause and clients) ─> terminal | markdown
//! ```

mod clients;
mod markdown;
mod terminal;
mod view;

use std::collections::BTreeMap;

use mcp_compat_model::audit::{Audit, AuditedTool, CallState};
use mcp_compat_model::count::counted;

use self::view::{clients_of, is_safe, state, without_list};

pub use markdown::markdown;
pub use terminal::terminal;

/// Number of tools that are shown one by one at most.
const MOST: usize = 40;

/// Number of tools without problems that are shown one by one, if there are more tools than [`MOST`].
const FINE: usize = 10;

/// Number of lines about tools that are not shown one by one.
const LINES: usize = 5;

/// Number of tools without a result, of causes of losses and of names in a table cell that are shown.
const OTHERS: usize = 20;

/// The tools of a report.
struct Shown<'a> {
    /// Tools that are shown one by one, in the order listed.
    alone: Vec<&'a AuditedTool>,
    /// Lines about the others, each for tools with the same result.
    rest: Vec<String>,
}

/// Selects the tools that are shown one by one.
fn shown<'a>(tools: &[&'a AuditedTool], audit: &Audit) -> Shown<'a> {
    if tools.len() <= MOST {
        return Shown { alone: tools.to_vec(), rest: Vec::new() };
    }
    let is_fine = |tool: &AuditedTool| is_safe(tool) && matches!(tool.call, CallState::Answered { .. });
    let (mut wrong, mut fine) = (0, 0);
    let (alone, rest): (Vec<&AuditedTool>, Vec<&AuditedTool>) = tools.iter().partition(|tool| {
        let (many, most) = if is_fine(tool) { (&mut fine, FINE) } else { (&mut wrong, MOST) };
        *many += 1;
        *many <= most
    });
    let (mut alike, without_list) = (BTreeMap::<String, usize>::new(), without_list(audit));
    for tool in rest {
        *alike.entry(format!("{}; {}", clients_of(tool, audit, &without_list), state(tool))).or_default() += 1;
    }
    let mut alike: Vec<(String, usize)> = alike.into_iter().collect();
    alike.sort_by_key(|(_, many)| std::cmp::Reverse(*many));
    let others: usize = alike.iter().skip(LINES).map(|(_, many)| many).sum();
    alike.truncate(LINES);
    let line = |(words, many): (String, usize)| format!("and {}: {words}", more(many));
    let mut rest: Vec<String> = alike.into_iter().map(line).collect();
    if others > 0 {
        rest.push(format!("and {}, which are in the output of --json", more(others)));
    }
    Shown { alone, rest }
}

/// `7 more tools`.
fn more(many: usize) -> String {
    counted(many, "more tool")
}
