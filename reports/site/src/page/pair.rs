//! The shell of a pair and of a cell: the script fills it by the address.

use maud::html;

use super::shell::Page;
use crate::context::Site;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let body = html! {
        noscript { p.warn { "A pair and its cells are shown by script. Without it, the " a href="matrix.html" { "matrix" } " and the " a href="causes.html" { "causes" } " say the same in short, and " code { "mcp-compat show CELL" } " shows a cell in full." } }
        div id="app" aria-live="polite" {}
    };
    Page { path: "pair.html", title: "Pair", kind: "pair", body }.bytes(site)
}
