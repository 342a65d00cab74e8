//! Which tools a report shows one by one: a server may have thousands. The JSON of an audit has them all.

use std::collections::BTreeMap;

use mcp_compat_model::audit::{Audit, AuditedTool, CallState, Severity};
use mcp_compat_model::count::counted;

use super::view::{clients_of, state, without_list};

/// Number of tools that are shown one by one at most.
const MOST: usize = 40;

/// How many tools with which all is well are shown one by one, if there are more tools than [`MOST`].
const FINE: usize = 10;

/// Number of lines about tools that are not shown one by one.
const LINES: usize = 5;

/// How many tools without a result, causes of losses, and names of a cell of a table are shown.
pub(super) const OTHERS: usize = 20;

/// The tools of a report.
pub(super) struct Shown<'a> {
    /// Those that are shown one by one, in the order listed.
    pub(super) alone: Vec<&'a AuditedTool>,
    /// What the others have in common, in words.
    pub(super) rest: Vec<String>,
}

/// Which of these tools are shown.
pub(super) fn shown<'a>(tools: &[&'a AuditedTool], audit: &Audit) -> Shown<'a> {
    if tools.len() <= MOST {
        return Shown { alone: tools.to_vec(), rest: Vec::new() };
    }
    let is_fine = |tool: &AuditedTool| {
        let wrong = tool.findings.iter().any(|finding| finding.severity > Severity::Note);
        let is_safe = tool.losses.is_empty() && tool.not_played + tool.not_known == 0 && !wrong && !tool.unchecked;
        is_safe && matches!(tool.call, CallState::Answered { .. })
    };
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
pub(super) fn more(many: usize) -> String {
    counted(many, "more tool")
}
