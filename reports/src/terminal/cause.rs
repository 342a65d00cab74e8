//! Causes of breaks: each once, with the responsible party, its peers and scenarios, and the command that shows it.

use std::collections::BTreeSet;

use mcp_compat_model::PeerId;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;

use crate::command;
use crate::findings::rules_shown_with_cause;
use crate::page::Page;
use crate::reach::Reach;
use crate::style::Tone;
use crate::text::{by_baseline, clipped, standing};
use crate::view::{View, headed};

/// Number of causes that are listed before the rest is only counted.
const CAUSES_SHOWN: usize = 25;

/// Number of rules that are named for one cause.
const RULES_SHOWN: usize = 3;

/// Number of peers or scenarios that are named for one cause.
const NAMES_SHOWN: usize = 6;

/// Indentation of the lines below the number of a cause that is shown in short.
const BELOW_NUMBER: &str = "          ";

/// Number of characters of a reason that are shown.
const REASON_SHOWN: usize = 900;

/// Writes the breaks that the baseline does not know, in full.
pub(super) fn breaks(page: &mut Page, view: &View<'_>) {
    let Some(title) = title(&view.breaks) else { return };
    let kind = if view.total.known > 0 { "New breaks" } else { "Breaks" };
    page.heading(&format!("{kind}: {title}"));
    for (number, cause) in view.breaks.iter().take(CAUSES_SHOWN).enumerate() {
        whole(page, number + 1, cause, view);
        page.blank();
    }
    rest(page, &view.breaks);
}

/// Writes the breaks that the baseline knows, with its words.
pub(super) fn known(page: &mut Page, view: &View<'_>) {
    let Some(title) = title(&view.known) else { return };
    page.heading(&format!("Known breaks: {title}"));
    for cause in view.known.iter().take(CAUSES_SHOWN) {
        short(page, cause, Tone::Aside);
        if let Some(known) = &cause.example.known {
            let words = format!("{}: {}", standing(known), clipped(&by_baseline(known), REASON_SHOWN));
            page.toned(Tone::Aside, BELOW_NUMBER, &words);
            if let Some(issue) = &known.issue {
                page.line(&format!("{BELOW_NUMBER}{}", page.paint(Tone::Aside, &neutralised(issue))));
            }
        }
        shown_by(page, BELOW_NUMBER, cause);
    }
    rest(page, &view.known);
}

/// Writes the degraded cells, in short.
pub(super) fn degraded(page: &mut Page, view: &View<'_>) {
    let Some(title) = title(&view.degraded) else { return };
    page.heading(&format!("Degraded: {title}"));
    for cause in view.degraded.iter().take(CAUSES_SHOWN) {
        short(page, cause, Tone::Warning);
        shown_by(page, BELOW_NUMBER, cause);
    }
    rest(page, &view.degraded);
}

/// `12 cells, for 3 causes`; `None` if there are no causes.
fn title(causes: &[Cause<'_>]) -> Option<String> {
    (!causes.is_empty()).then(|| format!("{}, for {}", counted(headed(causes), "cell"), counted(causes.len(), "cause")))
}

/// Says how many causes were not shown.
fn rest(page: &mut Page, causes: &[Cause<'_>]) {
    if let Some(more @ [_, ..]) = causes.get(CAUSES_SHOWN..) {
        let cells = more.iter().map(|cause| cause.cells.len()).sum();
        let words = format!("and {}, for {}", counted(more.len(), "more cause"), counted(cells, "cell"));
        page.toned(Tone::Aside, "  ", &format!("{words}; `mcp-compat report --format html` has all"));
    }
}

/// Writes a cause in full: its reason, facts, rules, peers, scenarios, and the command that shows it.
fn whole(page: &mut Page, number: usize, cause: &Cause<'_>, view: &View<'_>) {
    let indent = "     ";
    let reach = Reach::of(cause, view);
    let silent = if cause.is_silent() { format!("{} ", page.paint(Tone::Bad, "SILENT")) } else { String::new() };
    let reason = clipped(&neutralised(&cause.example.reason), REASON_SHOWN);
    page.paragraph(&page.paint(Tone::Strong, &format!("{number:>3}. ")), &format!("{silent}{reason}"));
    page.toned(Tone::Aside, indent, &reach.facts(cause).join(" · "));
    for finding in rules_shown_with_cause(cause.example).into_iter().take(RULES_SHOWN) {
        let rule = format!("{} ({} {})", neutralised(&finding.rule), finding.party, finding.level);
        page.field(16, "     rule", &rule);
        page.line(&format!("{:16}{}", "", neutralised(&finding.source)));
    }
    let plain = |name: &str| name.to_owned();
    page.field(16, "     clients", &reach.clients.list(NAMES_SHOWN, plain));
    page.field(16, "     servers", &reach.servers.list(NAMES_SHOWN, plain));
    page.field(16, "     scenarios", &reach.scenarios.list(NAMES_SHOWN, plain));
    shown_by(page, indent, cause);
}

/// Writes a cause in short: its number of cells, the reason of one of them, and the number of other clients.
fn short(page: &mut Page, cause: &Cause<'_>, tone: Tone) {
    let number = page.paint(tone, &format!("{:>8}", thousands(cause.cells.len() as u64)));
    let silent = if cause.is_silent() { "SILENT " } else { "" };
    let reason = clipped(&neutralised(&cause.example.reason), REASON_SHOWN);
    let clients: BTreeSet<&PeerId> = cause.cells.iter().map(|cell| &cell.client).collect();
    let others = match clients.len() {
        0 | 1 => String::new(),
        many => format!(" Also with {}.", counted(many - 1, "other client")),
    };
    page.paragraph(&format!("{number}  "), &format!("{silent}{reason}{others}"));
}

fn shown_by(page: &mut Page, indent: &str, cause: &Cause<'_>) {
    page.command(Some(Tone::Aside), indent, &command::show(cause.example));
}
