//! A viewer of local records: the shell that the script fills.

use maud::html;

use super::shell::Page;
use crate::context::Site;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let body = html! {
        h1 { "Open a record" }
        p.lead { "Choose the " code { "run.json" } " of a run, or a run of a history (" code { ".mcpc.gz" } "). It is read in this browser and sent nowhere." }
        noscript { p.warn { "This page needs script. " code { "mcp-compat report RECORD" } " shows a record in a terminal." } }
        div id="drop" {}
        div id="app" aria-live="polite" {}
    };
    Page { path: "local.html", title: "Open a record", kind: "local", body }.bytes(site)
}
