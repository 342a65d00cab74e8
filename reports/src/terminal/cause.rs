//! Causes of breaks: each once, numbered, with the loss, the responsible party and the clients. In full also with the
//! rules, the scenarios, and the command that shows a cell.

use mcp_compat_model::PeerId;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::Fault;
use textwrap::core::display_width;

use crate::findings::rules_shown_with_cause;
use crate::page::Page;
use crate::reach::Reach;
use crate::sdk::{SdkName, listed};
use crate::style::{Style, Tone};
use crate::text::{clipped, standing};
use crate::view::View;
use crate::{command, headline, wording};

/// Number of causes that a run shows.
const WORST: usize = 5;

/// Number of new causes that a run shows in full.
const NEW_IN_FULL: usize = 2;

/// Number of causes that are listed before the rest is only counted.
const CAUSES_SHOWN: usize = 25;

/// Number of rules that are named for one cause.
const RULES_SHOWN: usize = 3;

/// Number of peers or scenarios that are named for one cause.
const NAMES_SHOWN: usize = 6;

/// Width of the number and the loss of a cause.
const TITLE: usize = 16;

/// Number of characters of a reason that are shown.
const REASON_SHOWN: usize = 900;

/// Writes the worst causes: the new ones, or the known ones if none is new.
pub(super) fn worst(page: &mut Page, view: &View<'_>) {
    let new = view.breaks.len();
    let (causes, all) = if new > 0 { (&view.breaks, new) } else { (&view.known, view.known.len()) };
    if all == 0 {
        return;
    }
    let alike = alike(causes);
    let shown = alike.len().min(WORST);
    let of = if shown < all { format!(" ({shown} of {} causes)", thousands(all as u64)) } else { String::new() };
    let title = if new > 0 && view.total.known > 0 { "New breaks" } else { "What is lost" };
    page.blank();
    page.line(&page.paint(Tone::Strong, &format!("{title}, worst first{of}")));
    for Alike { cause, title, others } in alike.iter().take(shown) {
        if new > 0 && all <= NEW_IN_FULL && alike.len() == all {
            page.blank();
            whole(page, cause, view);
        } else {
            brief(page, cause, title, others);
        }
    }
}

/// Causes that lose the same for the same rule: the worst stands for all.
struct Alike<'c, 'r> {
    cause: &'c Cause<'r>,
    title: String,
    /// Numbers of the other causes.
    others: Vec<usize>,
}

fn alike<'c, 'r>(causes: &'c [Cause<'r>]) -> Vec<Alike<'c, 'r>> {
    let mut groups: Vec<Alike<'c, 'r>> = Vec::new();
    for cause in causes {
        let title = headline::title(cause);
        let is_alike = |group: &&mut Alike<'_, '_>| {
            group.title == title
                && group.cause.example.fault == cause.example.fault
                && wording::lost_by_user(group.cause.example) == wording::lost_by_user(cause.example)
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.others.push(cause.number),
            None => groups.push(Alike { cause, title, others: Vec::new() }),
        }
    }
    groups
}

/// Writes all causes: new ones in full, known ones in short, with their issue.
pub(super) fn all(page: &mut Page, view: &View<'_>) {
    let kind = if view.total.known > 0 { "New breaks" } else { "Breaks" };
    section(page, kind, &view.breaks, |page, cause| whole(page, cause, view));
    section(page, "Known breaks", &view.known, |page, cause| {
        brief(page, cause, &headline::title(cause), &[]);
        if let Some(known) = &cause.example.known {
            if known.flaky {
                page.toned(Tone::Aside, &" ".repeat(TITLE), standing(known));
            }
            if let Some(issue) = &known.issue {
                page.line(&format!("{:TITLE$}{}", "", page.paint(Tone::Aside, &neutralised(issue))));
            }
        }
    });
}

/// Writes the degraded results.
pub(super) fn degraded(page: &mut Page, view: &View<'_>) {
    section(page, "Degraded", &view.degraded, |page, cause| {
        let number = format!("{:>8}  ", thousands(cause.cells.len() as u64));
        page.paragraph(&number, &clipped(&neutralised(&cause.example.reason), REASON_SHOWN));
        page.command(Some(Tone::Aside), "          ", &command::show(cause.example).in_run(view.path));
    });
}

/// Writes causes below a heading, as many as a person reads.
fn section<'c, 'r: 'c>(page: &mut Page, kind: &str, causes: &'c [Cause<'r>], write: impl Fn(&mut Page, &'c Cause<'r>)) {
    if causes.is_empty() {
        return;
    }
    let cells = |causes: &[Cause<'_>]| counted(causes.iter().map(|cause| cause.cells.len()).sum(), "check");
    page.heading(&format!("{kind}: {}, for {}", cells(causes), counted(causes.len(), "cause")));
    for cause in causes.iter().take(CAUSES_SHOWN) {
        write(page, cause);
        page.blank();
    }
    if let Some(more @ [_, ..]) = causes.get(CAUSES_SHOWN..) {
        let words = format!("and {}, for {}", counted(more.len(), "more cause"), cells(more));
        page.toned(Tone::Aside, "  ", &format!("{words}; `mcp-compat report --format html` has all"));
    }
}

/// A cause of this view, in full.
pub fn one(cause: &Cause<'_>, view: &View<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    whole(&mut page, cause, view);
    page.finish()
}

/// Writes a cause in two lines: the loss and the title; the responsible party and the clients. `others` are the numbers of
/// causes that are like it.
fn brief(page: &mut Page, cause: &Cause<'_>, title: &str, others: &[usize]) {
    let lost = wording::lost_by_user(cause.example);
    let number = page.paint(Tone::Strong, &format!("{:>3}", cause.number));
    let first = format!("{number}  {}", page.paint(Tone::Bad, &format!("{lost:<9}")));
    let room = page.width().saturating_sub(TITLE).max(TITLE);
    // The mark of a cut takes a column.
    let limit = if display_width(title) <= room { room } else { room - 1 };
    page.line(&format!("{first}  {}", clipped(title, limit)));
    let servers = cause.distinct(|cell| &cell.server);
    let of_sdks = servers.iter().all(|server| !server.is_mock()) && cause.example.fault == Some(Fault::Server);
    let whose = if of_sdks { format!(" ({})", in_room(servers, "server", page.width() / 3)) } else { String::new() };
    let fix = format!("fix: {}{whose}", cause.example.fault.map_or("unknown", wording::to_fix));
    let silent = if cause.is_silent() { ", silently" } else { "" };
    let more = match others {
        [] => String::new(),
        [one] => format!("; like it: {one}"),
        [one, other] => format!("; like it: {one}, {other}"),
        [one, other, rest @ ..] => format!("; like it: {one}, {other} and {} more", rest.len()),
    };
    let room = page.width().saturating_sub(TITLE + fix.len() + 2 + silent.len() + more.len());
    let clients = in_room(cause.distinct(|cell| &cell.client), "client", room);
    page.toned(Tone::Aside, &" ".repeat(TITLE), &format!("{fix}  {clients}{silent}{more}"));
}

/// List of peers that fits a line: releases, or else SDKs with the number of peers. Mocks are left out if there are
/// others.
fn in_room(mut peers: Vec<&PeerId>, one: &str, room: usize) -> String {
    if peers.iter().any(|peer| !peer.is_mock()) {
        peers.retain(|peer| !peer.is_mock());
    }
    let all = listed(peers.iter().copied());
    if display_width(&all) <= room {
        return all;
    }
    let mut families: Vec<String> = peers.iter().map(|peer| SdkName::of(peer).family).collect();
    families.sort();
    families.dedup();
    let number = counted(peers.len(), one);
    let short = format!("{number}: {}", families.join(", "));
    if display_width(&short) <= room { short } else { number }
}

/// Writes a cause in full: its title, the reason of a cell, its facts, rules, peers, scenarios, and the command that shows it.
fn whole(page: &mut Page, cause: &Cause<'_>, view: &View<'_>) {
    let indent = "     ";
    let reach = Reach::of(cause, view);
    let silent = if cause.is_silent() { format!("{} ", page.paint(Tone::Bad, "SILENT")) } else { String::new() };
    let number = page.paint(Tone::Strong, &format!("{:>3}  ", cause.number));
    page.paragraph(&number, &format!("{silent}{}", page.paint(Tone::Strong, &headline::title(cause))));
    page.paragraph(indent, &clipped(&neutralised(&cause.example.reason), REASON_SHOWN));
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
    page.command(Some(Tone::Aside), indent, &command::show(cause.example).in_run(view.path));
}
