//! Page about hosts: what the model of each reads of what servers send.

use maud::html;
use mcp_compat_model::PeerId;
use mcp_compat_model::invisible_chars::neutralised;

use super::parts::{begun, prose};
use super::shell::Page;
use crate::hosts::{HostTable, KINDS, Reading};
use crate::site::Hosts;
use crate::site::context::Site;
use crate::style::Tone;

/// Path of the page.
pub(crate) const PATH: &str = "hosts.html";

pub(crate) fn page(site: &Site<'_>, hosts: Hosts<'_>) -> Vec<u8> {
    let peer = |id: &PeerId| hosts.record.peers.iter().find(|peer| peer.id == *id);
    // A host that could reach the network is not comparable.
    let table =
        HostTable::of(hosts.record, hosts.offers, |id| peer(id).is_some_and(|peer| peer.isolated == Some(true)));
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
                                    Some(read) if !read.is_empty() && reading.is_of_a_call() => details { summary { (reading.word()) } code { (neutralised(read)) } },
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
        @if !hosts.measured.is_empty() {
            h2 { "Reported by users" }
            p { "These hosts cannot be installed and measured. Their users gave the model of each a task with " code { "mcp-compat probe" } "; the words in its answer say what it read." }
            div.scroll tabindex="0" role="region" aria-label="Hosts that users measured" {
                table.list {
                    thead { tr {
                        th scope="col" { "The server sends" }
                        @for host in hosts.measured { th scope="col" { (neutralised(&host.host)) " " (neutralised(&host.version)) } }
                    } }
                    tbody {
                        @for kind in &KINDS { tr {
                            th scope="row" { (kind.sent) }
                            @for reading in hosts.measured.iter().map(|host| host.reading(kind)) { td class=(class(reading)) { (reading.word()) } }
                        } }
                        tr { th scope="row" { "seen" } @for host in hosts.measured { td { (neutralised(&host.date)) @if let Some(by) = &host.by { " by " (neutralised(by)) } } } }
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
