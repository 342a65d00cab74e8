//! The releases of each SDK that work with a scenario, from support data: a strip of ranges.

use maud::{Markup, html};
use mcp_compat_model::Role;
use mcp_compat_model::support::{Statement, SupportRange};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::wording;

use super::parts::{class, glyph};
use crate::context::Site;

/// The section of a scenario, if something was measured.
pub(crate) fn section(site: &Site<'_>, scenario: &str) -> Markup {
    let support = site.input.support;
    let of = |role: Role| support.of_scenario(scenario).filter(move |statement| statement.role == role);
    let mut measured: Vec<String> = support
        .of_scenario(scenario)
        .filter_map(|statement| support.sweep(&statement.family))
        .map(|sweep| neutralised(&sweep.date))
        .collect();
    measured.sort();
    let Some((first, last)) = measured.first().zip(measured.last()) else { return html! {} };
    html! {
        section aria-labelledby="support" {
            h2 id="support" { "Since which release" }
            @for (title, statements) in [("Clients", of(Role::Client).collect::<Vec<_>>()), ("Servers", of(Role::Server).collect())] {
                @if !statements.is_empty() {
                    div.scroll tabindex="0" role="region" aria-label=(title) {
                        table.strip {
                            caption { (title) ", by release. The oldest release comes first." }
                            tbody { @for statement in statements { (row(statement)) } }
                        }
                    }
                }
            }
            p.facts {
                "Measured " @if first == last { "on " (first) } @else { "from " (first) " to " (last) } " with "
                code { "mcp-compat sweep" } ". The first and the last release of a range were played; a release between them that was not played is inferred. "
                code { "mcp-compat support " (scenario) } " prints the evidence."
            }
        }
    }
}

fn row(statement: &Statement) -> Markup {
    html! { tr {
        th scope="row" { (neutralised(&statement.family)) }
        td { @for range in &statement.ranges { (strip(range)) " " } }
    } }
}

fn strip(range: &SupportRange) -> Markup {
    let mode = range.mode.map(|mode| format!("+{mode}")).unwrap_or_default();
    let said = match range.rating {
        Rating::Works | Rating::Degraded => range.rating.as_str().to_owned(),
        Rating::Skipped => "not supported".to_owned(),
        Rating::Breaks => {
            let lost = range.lost.map(|lost| format!(", lost: {}", wording::lost(lost))).unwrap_or_default();
            format!("breaks{}{lost}", if range.silent { " silently" } else { "" })
        }
    };
    html! {
        span class={ "rel " (class(range.rating)) } title=(said) {
            span aria-hidden="true" { (glyph(range.rating)) @if range.silent { "!" } } span.vh { (said) ": " } " "
            (range.from.as_str()) @if range.from != range.to { " – " (range.to.as_str()) } (mode)
        }
    }
}
