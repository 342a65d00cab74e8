//! Page about hosts: what the model of each reads of what servers send.

use maud::html;
use mcp_compat_model::PeerId;
use mcp_compat_model::invisible_chars::neutralised;

use super::parts::{begun, prose};
use super::shell::Page;
use crate::hosts::{HostTable, Reading};
use crate::site::Hosts;
use crate::site::context::Site;
use crate::style::Tone;

/// Path of the page.
pub(crate) const PATH: &str = "hosts.html";

pub(crate) fn page(site: &Site<'_>, hosts: Hosts<'_>) -> Vec<u8> {
    let peer = |id: &PeerId| hosts.record.peers.iter().find(|peer| peer.id == *id);
    // A host that could reach the network is not comparable.
    let table = HostTable::of(hosts.record, |id| peer(id).is_some_and(|peer| peer.isolated == Some(true)));
    let body = html! {
        h1 { "What models read, by host" }
        p.lead { (prose(&table.advice())) }
        p { "Each host was started with a scripted model on the same machine, without a key and without a network. A word opens what the model was sent. Measured on " (begun(&hosts.record.started)) "." }
        div.scroll tabindex="0" role="region" aria-label="Hosts" {
            table.list {
                thead { tr {
                    th scope="col" { "The server sends" }
                    @for host in &table.hosts { th scope="col" { (neutralised(host.as_str())) } }
                } }
                tbody {
                    @for row in &table.rows { tr {
                        th scope="row" { (row.kind.sent) }
                        @for (reading, cell) in &row.cells {
                            td class=(class(*reading)) {
                                @match cell.and_then(|cell| hosts.read.get(&cell.id)) {
                                    Some(read) if !read.is_empty() => details { summary { (reading.word()) } code { (neutralised(read)) } },
                                    Some(_) | None => (reading.word()),
                                }
                            }
                        }
                    } }
                    tr {
                        th scope="row" { "revision" }
                        @for revision in &table.revisions { td { (revision) } }
                    }
                }
            }
        }
        dl {
            @for (reading, meaning) in Reading::MEANINGS { dt { (reading.word()) } dd { (meaning) } }
        }
    };
    Page { path: PATH, title: "Hosts", kind: "hosts", body }.bytes(site)
}

const fn class(reading: Reading) -> &'static str {
    match reading.tone() {
        Tone::Good => "w",
        Tone::Warning => "d",
        Tone::Bad => "b",
        Tone::Aside | Tone::Strong => "k",
    }
}
