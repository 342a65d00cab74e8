//! What a server shows where there is no page. Its links work from any address if the site knows its own.

use maud::html;

use super::shell::{NOT_FOUND, Page};
use crate::context::Site;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let root = site.input.base.unwrap_or_default();
    let body = html! {
        h1 { "Not found" }
        p.lead { "The newest run has no page of this name. A cause that was fixed has none, nor has a peer that is no longer played." }
        ul {
            li { a href={ (root) "causes.html" } { "All causes of the newest run" } }
            li { a href={ (root) "peers.html" } { "All peers" } }
            li { a href={ (root) "history.html" } { "The earlier runs" } }
        }
    };
    Page { path: NOT_FOUND, title: "Not found", kind: "not-found", body }.bytes(site)
}
