//! Parts that the pages of both kinds of run have: the head, causes, lists and the end.

use std::fmt::Write as _;

use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::{counted, thousands};

use super::escape::{code, link, prose};
use crate::command;
use crate::findings::shown_with_cause;
use crate::reach::Reach;
use crate::text::{by_baseline, clipped, doing, span, standing};
use crate::triangle;
use crate::view::{View, detail, headed};

/// How many causes of one kind are listed before the rest is only counted: a comment on GitHub holds 65,536 characters.
const CAUSES_TOLD: usize = 40;

/// How many lines of any other list are shown.
const LINES_TOLD: usize = 20;

/// How many peers or scenarios are named for one cause.
const NAMES_TOLD: usize = 6;

/// How much of one reason is shown.
const REASON_SHOWN: usize = 700;

/// How much of the digest of the scenarios is shown.
const CORPUS_SHOWN: usize = 12;

/// What was not played, and what no longer holds.
pub(super) fn beside(text: &mut String, view: &View<'_>) {
    let record = view.record;
    list(text, "Stale in the baseline", record.stale.iter().map(|entry| said(entry)));
    list(text, "Not played", record.left_out.iter().map(|left| counts(left.cells, &said(&left.reason))));
    let unsupported = view.unsupported.iter().map(|(reason, cells)| counts(*cells as u64, &said(reason)));
    list(text, "Not supported", unsupported);
}

/// The text with one newline at its end.
pub(super) fn ended(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

pub(super) fn head(text: &mut String, view: &View<'_>) {
    let record = view.record;
    if !record.complete {
        text.push_str("**Incomplete: the run ended before every cell had a verdict.**\n\n");
    }
    if !record.cells.is_empty() {
        sum(text, view);
    }
    let _ = writeln!(
        text,
        "{} × {} × {}: {} in {}, started {}, mcp-compat {}, scenarios {}.\n",
        counted(view.scenarios, "scenario"),
        counted(view.matrix.clients.len(), "client"),
        counted(view.matrix.servers.len(), "server"),
        counted(record.cells.len(), "cell"),
        span(record.duration_us),
        said(&record.started),
        said(&record.tool_version),
        code(&clipped(&record.corpus, CORPUS_SHOWN)),
    );
}

fn sum(text: &mut String, view: &View<'_>) {
    let total = view.total;
    let how = [(total.silent, "silently"), (total.known, "known")];
    let how = how.into_iter().filter(|(number, _)| *number > 0);
    let how: Vec<String> = how.map(|(number, how)| format!("{} {how}", thousands(number as u64))).collect();
    let how = if how.is_empty() { String::new() } else { format!(" ({})", how.join(", ")) };
    let skipped = match total.skipped {
        0 => String::new(),
        number => format!("; {} not supported", thousands(number as u64)),
    };
    let (works, degraded) = (doing(total.works, "work"), doing(total.degraded, "degrade"));
    let _ = writeln!(text, "**{works}, {degraded}, {}**{how}{skipped}.\n", doing(total.breaks, "break"));
}

pub(super) fn causes(text: &mut String, title: &str, causes: &[Cause<'_>], view: &View<'_>) {
    if causes.is_empty() {
        return;
    }
    let _ = writeln!(text, "## {title}: {}, for {}\n", counted(headed(causes), "cell"), counted(causes.len(), "cause"));
    for (number, cause) in causes.iter().take(CAUSES_TOLD).enumerate() {
        self::cause(text, number + 1, cause, view);
    }
    if causes.len() > CAUSES_TOLD {
        let _ = writeln!(text, "\nAnd {}.", counted(causes.len() - CAUSES_TOLD, "more cause"));
    }
    text.push('\n');
}

/// What, who, how far, where, and the command that shows it. The list within the list is set in by four, which is
/// enough for numbers of two digits.
fn cause(text: &mut String, number: usize, cause: &Cause<'_>, view: &View<'_>) {
    let cell = cause.example;
    let reach = Reach::of(cause, view);
    let silent = if cause.is_silent() { "**Silent:** " } else { "" };
    let _ = writeln!(text, "{number}. {silent}{}", said(&cell.reason));
    let _ = writeln!(text, "    - {}", reach.facts(cause).join(" · "));
    for finding in shown_with_cause(cell) {
        let rule = link(&finding.rule, &finding.source);
        let detail = detail(cell, finding).map(|detail| format!(": {}", said(detail))).unwrap_or_default();
        let _ = writeln!(text, "    - rule {rule} ({} {}){detail}", finding.party, finding.level);
    }
    for (side, names) in [("clients", &reach.clients), ("servers", &reach.servers), ("scenarios", &reach.scenarios)] {
        let _ = writeln!(text, "    - {side}: {}", names.said(NAMES_TOLD, code));
    }
    if let Some(said) = cell.triangle.as_ref().and_then(|triangle| triangle::said(cell, triangle)) {
        let _ = writeln!(text, "    - {}", prose(&said));
    }
    if let Some(known) = &cell.known {
        let issue = known.issue.as_ref().map(|issue| format!(" ({})", link("issue", issue))).unwrap_or_default();
        let _ = writeln!(text, "    - {}: {}{issue}", standing(known), said(&by_baseline(known)));
    }
    let _ = writeln!(text, "    - {}", code(&command::show(cell).to_string()));
}

pub(super) fn list(text: &mut String, title: &str, lines: impl ExactSizeIterator<Item = String>) {
    let untold = lines.len().saturating_sub(LINES_TOLD);
    if lines.len() == 0 {
        return;
    }
    let _ = writeln!(text, "## {title}\n");
    for line in lines.take(LINES_TOLD) {
        let _ = writeln!(text, "- {line}");
    }
    if untold > 0 {
        let _ = writeln!(text, "- and {} more", thousands(untold as u64));
    }
    text.push('\n');
}

pub(super) fn counts(cells: u64, what: &str) -> String {
    format!("{}: {what}", counted(usize::try_from(cells).unwrap_or(usize::MAX), "cell"))
}

/// Text from outside, made harmless and not too long.
pub(super) fn said(text: &str) -> String {
    prose(&clipped(text, REASON_SHOWN))
}
