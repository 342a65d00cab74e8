//! Pages that list: all causes.

use maud::html;
use mcp_compat_model::count::counted;
use mcp_compat_model::verdict::Rating;

use super::{CAUSE_PAGES, cause};
use super::shell::Page;
use crate::site::Site;

/// All causes: of breaks that no baseline knows, of known ones, and of what degrades.
pub(crate) fn causes(site: &Site<'_>) -> Vec<u8> {
    let told = || site.causes.iter().take(CAUSE_PAGES);
    let known = |ranked: &&crate::ranking::Ranked<'_>| ranked.cause.new_breaks() == 0;
    let groups = [
        ("breaks", "Breaks", told().filter(|ranked| ranked.rating == Rating::Breaks && !known(ranked)).collect::<Vec<_>>()),
        ("known", "Known breaks", told().filter(|ranked| ranked.rating == Rating::Breaks && known(ranked)).collect()),
        ("degraded", "Degraded", told().filter(|ranked| ranked.rating == Rating::Degraded).collect()),
    ];
    let body = html! {
        h1 { "Causes" }
        p.lead { "Cells that break or degrade for one cause are reported once. Those that hit newest releases come first." }
        @for (id, title, group) in &groups {
            @if !group.is_empty() {
                section aria-labelledby=(id) {
                    h2 id=(id) { (title) ": " (counted(group.len(), "cause")) }
                    ol.causes { @for ranked in group { (cause::item(site, "", ranked)) } }
                }
            }
        }
        @if cause::without_page(site) > 0 { p { "And " (cause::without_page(site)) " more, which have no page." } }
    };
    Page { path: "causes.html", title: "Causes", kind: "causes", body }.bytes(site)
}
