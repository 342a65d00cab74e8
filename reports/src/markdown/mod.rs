//! Markdown: for a pull request, a release note or a page.

pub(crate) mod escape;

use std::fmt::Write as _;

use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::{counted, thousands};

use self::escape::{code, link, prose};
use crate::findings::shown_with_cause;
use crate::missed::{MissedPairs, pairs};
use crate::reach::Reach;
use crate::text::{clipped, doing, span, standing};
use crate::view::{Matrix, Tally, View, detail, headed};
use crate::{command, headline, recorded, wording};

/// Renders a run as Markdown.
pub fn render(view: &View<'_>) -> String {
    let mut text = String::from("# Structured output: which pairings break\n\n");
    head(&mut text, view);
    matrix(&mut text, &view.matrix);
    causes(&mut text, if view.total.known > 0 { "New breaks" } else { "Breaks" }, &view.breaks, view);
    causes(&mut text, "Known breaks", &view.known, view);
    causes(&mut text, "Degraded", &view.degraded, view);
    list(
        &mut text,
        &format!("Missed revisions: {}", counted(pairs(&view.missed), "pair")),
        view.missed.iter().map(missed),
    );
    let vacuous = view.vacuous.iter().map(|(client, cells)| counts(*cells as u64, &code(client.as_str())));
    list(&mut text, "Unproven: these checks pass, but the same client also accepts an invalid value", vacuous);
    unplayed(&mut text, view);
    with_newline(text)
}

fn matrix(text: &mut String, matrix: &Matrix<'_>) {
    if matrix.clients.is_empty() {
        return;
    }
    if let Some(words) = matrix.too_large() {
        let _ = writeln!(text, "{words}\n");
        return;
    }
    text.push_str(
        "## Matrix\n\nClients down, servers across, works/degraded/breaks; **!** some break silently.\n\n| |",
    );
    for server in &matrix.servers {
        let _ = write!(text, " {} |", code(server.as_str()));
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(matrix.servers.len()));
    for client in &matrix.clients {
        let _ = write!(text, "| {} |", code(client.as_str()));
        for server in &matrix.servers {
            let _ = write!(text, " {} |", matrix.tally(client, server).map_or_else(|| "-".to_owned(), entry));
        }
        text.push('\n');
    }
    text.push('\n');
}

fn entry(tally: Tally) -> String {
    if tally.judged() == 0 {
        return "n/a".to_owned();
    }
    let silent = if tally.silent > 0 { " **!**" } else { "" };
    format!("{}/{}/{}{silent}", tally.works, tally.degraded, tally.breaks)
}

/// Line about pairs that missed a revision.
fn missed(missed: &MissedPairs<'_>) -> String {
    let servers: Vec<String> = missed.servers.iter().map(|server| code(server.as_str())).collect();
    format!("{} with {}: {}", code(missed.client.as_str()), servers.join(", "), outside(&missed.why))
}

/// Number of causes of one kind that are listed; the others are counted. A comment on GitHub holds 65,536 characters.
const CAUSES_SHOWN: usize = 40;

/// Number of lines of any other list that are shown.
const LINES_SHOWN: usize = 20;

/// Number of peers or scenarios that are named for one cause.
const NAMES_SHOWN: usize = 6;

/// Number of characters of a reason that are shown.
const REASON_SHOWN: usize = 700;

/// Number of characters of the digest of the scenarios that are shown.
const CORPUS_SHOWN: usize = 12;

/// Writes the stale entries of the baseline, and the cells without a verdict.
fn unplayed(text: &mut String, view: &View<'_>) {
    let record = view.record;
    list(text, "Stale in the baseline", record.stale.iter().map(|entry| outside(entry)));
    list(text, "Not tested", record.left_out.iter().map(|left| counts(left.cells, &outside(&left.reason))));
    let unsupported = view.unsupported.iter().map(|(reason, cells)| counts(*cells as u64, &outside(reason)));
    list(text, "Not supported", unsupported);
}

/// Ends a text with one newline.
fn with_newline(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn head(text: &mut String, view: &View<'_>) {
    let record = view.record;
    if !record.complete {
        let _ = writeln!(text, "**Incomplete: {}.**\n", wording::ended_early(record));
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
        counted(record.cells.len(), "check"),
        span(record.duration_us),
        outside(&record.started),
        outside(&record.tool_version),
        code(&clipped(&record.corpus, CORPUS_SHOWN)),
    );
    if let Some(recorded) = recorded::sentence(record) {
        let _ = writeln!(text, "{}\n", outside(&recorded));
    }
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

fn causes(text: &mut String, title: &str, causes: &[Cause<'_>], view: &View<'_>) {
    if causes.is_empty() {
        return;
    }
    let _ =
        writeln!(text, "## {title}: {}, for {}\n", counted(headed(causes), "check"), counted(causes.len(), "cause"));
    for cause in causes.iter().take(CAUSES_SHOWN) {
        self::cause(text, cause, view);
    }
    if causes.len() > CAUSES_SHOWN {
        let _ = writeln!(text, "\nAnd {}.", counted(causes.len() - CAUSES_SHOWN, "more cause"));
    }
    text.push('\n');
}

/// Writes a cause: its title, the reason of a cell, facts, rules, peers, scenarios, and the command that shows it. The inner list is
/// indented by four, which is enough for numbers of two digits.
fn cause(text: &mut String, cause: &Cause<'_>, view: &View<'_>) {
    let cell = cause.example;
    let reach = Reach::of(cause, view);
    let silent = if cause.is_silent() { "**Silent:** " } else { "" };
    let _ =
        writeln!(text, "{}. {silent}**{}**: {}", cause.number, outside(&headline::title(cause)), outside(&cell.reason));
    let _ = writeln!(text, "    - {}", reach.facts(cause).join(" · "));
    for finding in shown_with_cause(cell) {
        let rule = link(&finding.rule, &finding.source);
        let detail = detail(cell, finding).map(|detail| format!(": {}", outside(detail))).unwrap_or_default();
        let _ = writeln!(text, "    - rule {rule} ({} {}){detail}", finding.party, finding.level);
    }
    for (side, names) in [("clients", &reach.clients), ("servers", &reach.servers), ("scenarios", &reach.scenarios)] {
        let _ = writeln!(text, "    - {side}: {}", names.list(NAMES_SHOWN, code));
    }
    if let Some(with_mocks) = wording::with_mocks(cell) {
        let _ = writeln!(text, "    - {}", prose(&with_mocks));
    }
    if let Some(known) = &cell.known {
        let issue = known.issue.as_ref().map(|issue| format!(" ({})", link("issue", issue))).unwrap_or_default();
        let _ = writeln!(text, "    - {}{issue}", standing(known));
    }
    let _ = writeln!(text, "    - {}", code(&command::show(cell).in_run(view.path).to_string()));
}

fn list(text: &mut String, title: &str, lines: impl ExactSizeIterator<Item = String>) {
    let more = lines.len().saturating_sub(LINES_SHOWN);
    if lines.len() == 0 {
        return;
    }
    let _ = writeln!(text, "## {title}\n");
    for line in lines.take(LINES_SHOWN) {
        let _ = writeln!(text, "- {line}");
    }
    if more > 0 {
        let _ = writeln!(text, "- and {} more", thousands(more as u64));
    }
    text.push('\n');
}

fn counts(cells: u64, what: &str) -> String {
    format!("{}: {what}", counted(usize::try_from(cells).unwrap_or(usize::MAX), "check"))
}

/// Text from outside, escaped and clipped.
fn outside(text: &str) -> String {
    prose(&clipped(text, REASON_SHOWN))
}
