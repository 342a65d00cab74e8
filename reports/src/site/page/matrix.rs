//! Page of all pairs: clients down, servers across.

use maud::{Markup, html};
use mcp_compat_model::PeerId;

use super::index::key;
use super::parts::{class, glyph, in_short, in_words, number, too_large, worst};
use super::shell::Page;
use crate::recorded;
use crate::site::context::{Site, family};
use crate::site::names::{peer_page, product};

pub(crate) fn page(site: &Site<'_>) -> Vec<u8> {
    let body = html! {
        h1 { "Matrix" }
        p.lead { (number(site.pairs.all())) " pairs. Each square is a client with a server: the number of checks that break, or that degrade." }
        @if let Some(recorded) = recorded::sentence(site.record) { p.facts { (recorded) } }
        div id="tools" {}
        (key())
        (table(site))
    };
    Page { path: "matrix.html", title: "Matrix", kind: "matrix", body }.bytes(site)
}

/// Table of all pairs: clients down, servers across.
pub(crate) fn table(site: &Site<'_>) -> Markup {
    if let Some(note) = too_large(site.clients().len(), site.servers().len()) {
        return note;
    }
    html! {
        div.scroll.tall tabindex="0" role="region" aria-label="All pairs" {
            table.m.full id="matrix" {
                caption.vh { "Clients down, servers across" }
                thead { tr {
                    th scope="col" { span.vh { "Client" } }
                    @for server in site.servers() { (head(site, "col", server)) }
                } }
                tbody {
                    @for client in site.clients() { tr {
                        (head(site, "row", client))
                        @for server in site.servers() { (square(site, client, server)) }
                    } }
                }
            }
        }
    }
}

fn head(site: &Site<'_>, scope: &str, peer: &PeerId) -> Markup {
    html! {
        th scope=(scope) data-id=(peer.as_str()) data-family=(family(peer)) data-old[!site.newest.is(peer)] {
            a href={ "peer/" (peer_page(&product(peer))) ".html" } { (peer.as_str()) }
        }
    }
}

fn square(site: &Site<'_>, client: &PeerId, server: &PeerId) -> Markup {
    let Some(tally) = site.view.matrix.tally(client, server) else {
        return html! { td.n {} };
    };
    let rating = worst(tally);
    html! {
        td class=(class(rating)) {
            a href={ "pair.html#client=" (client.as_str()) "&server=" (server.as_str()) } aria-label=(in_words(tally)) {
                (glyph(rating)) @if tally.silent > 0 { "!" } span.c { (in_short(tally)) }
            }
        }
    }
}
