//! What changed since the run before: worse first, each cause once, by the release that moved.

use maud::{Markup, html};
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::diff::{Class, Diff, Group};
use mcp_compat_model::signature::Signature;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_reports::headline;
use mcp_compat_reports::text::clipped;

use super::parts::{begun, prose};
use crate::context::Site;

/// How many groups are shown.
const GROUPS: usize = 8;

pub(crate) fn section(site: &Site<'_>) -> Markup {
    html! {
        section.changed aria-labelledby="changed" {
            h2 id="changed" { "What changed" }
            @match site.input.earlier.changes() {
                Some(diff) => (changes(site, diff)),
                None if !site.input.earlier.sums().is_empty() => p { "This run and the one before cannot be compared." },
                None => p { "This is the only run here, so there is nothing to compare it with." },
            }
        }
    }
}

fn changes(site: &Site<'_>, diff: &Diff) -> Markup {
    let quiet = Class::ALL.iter().all(|class| !class.is_change() || diff.count(*class) == 0);
    let told: Vec<&Group> = diff.groups.iter().filter(|group| group.class.is_change()).collect();
    let others: Vec<String> = Class::ALL
        .into_iter()
        .filter(|class| !class.is_change() && *class != Class::Same && diff.count(*class) > 0)
        .map(|class| format!("{} {}", thousands(diff.count(class)), class.as_str()))
        .collect();
    html! {
        p.sum {
            @if diff.compared() == 0 { "No cell can be compared" }
            @else if quiet { strong { "Nothing changed" } " in " (thousands(diff.compared())) " compared cells" }
            @else {
                b.b data-n="worse" { (thousands(diff.count(Class::Worse))) } " worse, "
                b.w data-n="better" { (thousands(diff.count(Class::Better))) } " better, "
                (thousands(diff.count(Class::Changed))) " changed of " (thousands(diff.compared())) " compared cells"
            }
            " since the run of " (begun(&diff.before.started)) "."
            @if !diff.same_harness { " mcp-compat changed between the two." }
        }
        @if !others.is_empty() { p.facts { "Also: " (others.join(", ")) "." } }
        ul.moves {
            @for group in told.iter().take(GROUPS) { (moved(site, diff, group)) }
        }
        @if let Some(left @ 1..) = told.len().checked_sub(GROUPS) {
            p.facts { "And " (counted(left, "more group")) ". " a href="history.html" { "Compare the runs" } " to see all." }
        }
    }
}

fn moved(site: &Site<'_>, diff: &Diff, group: &Group) -> Markup {
    let change = usize::try_from(group.example).ok().and_then(|place| diff.changes.get(place));
    let fate = change.and_then(|change| change.telling());
    let (mark, class) = if group.class == Class::Worse {
        ("▼", "worse")
    } else if group.class == Class::Better {
        ("▲", "better")
    } else {
        ("◆", "other")
    };
    let moves: Vec<String> = group.moves.iter().map(|it| format!("{} → {}", it.before, it.after)).collect();
    let slug = group.cause.as_ref().and_then(|cause| {
        let is_it = |signature: &Signature| signature.is_like(cause);
        site.causes.iter().find(|ranked| ranked.cause.example.signature.as_ref().is_some_and(is_it))
    });
    html! {
        li {
            span class=(class) { span aria-hidden="true" { (mark) } " " (group.class.as_str()) }
            " " (counted(group.changes.len(), "cell")) " "
            @if !moves.is_empty() { b { (clipped(&moves.join(", "), 160)) } " " }
            @if let Some(fate) = fate {
                @let said = group.cause.as_ref().map(headline::of_signature).unwrap_or_else(|| clipped(&neutralised(&fate.reason), 180));
                @match slug {
                    Some(ranked) => a href={ "cause/" (ranked.slug) ".html" } { (prose(&said)) },
                    None => (prose(&said)),
                }
            }
            @if change.is_some_and(|change| change.reproduced == Some(false)) { " " span.tag { "did not reproduce" } }
        }
    }
}
