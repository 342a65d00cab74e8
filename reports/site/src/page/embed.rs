//! A page for the frame of another page: how one release fares, filled by the script for `embed.html#peer=NAME`.

use maud::html;

use super::shell::Page;
use crate::context::Site;

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let body = html! {
        div id="app" aria-live="polite" {
            p { "The address of this frame names a release: " code { "embed.html#peer=NAME" } "." }
            ul.plain { @for name in site.releases.keys() { li { a href={ "embed.html#peer=" (name) } { (name) } } } }
        }
    };
    Page { path: "embed.html", title: "Embedded", kind: "embed", body }.bytes(site)
}
