//! The matrix of the newest releases as a picture for a README, in light and dark.

use std::fmt::Write as _;

use super::words::{corpus, day, number, xml};
use crate::context::Site;
use crate::families::front;
use crate::page::parts::{class, glyph, in_short, worst};

/// The size of a square.
const WIDE: usize = 46;
const HIGH: usize = 24;

/// How wide the names of clients are, and how high those of servers.
const NAMES: usize = 150;
const HEAD: usize = 118;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#1d2327}.q{text-anchor:middle;font-weight:600}.w rect{fill:#e4eef9}\
    .w text{fill:#1f5fa8}.d rect{fill:#fdeccb}.d text{fill:#8a5200}.b rect{fill:#f9d9d5}.b text{fill:#a3161c}.k rect{fill:#f0f1ee}\
    .k text{fill:#6a7177}@media(prefers-color-scheme:dark){text{fill:#e6e9e7}.w rect{fill:#16293f}.w text{fill:#8fbdf0}\
    .d rect{fill:#3a2a0c}.d text{fill:#f0b454}.b rect{fill:#451a1a}.b text{fill:#ff9d94}.k rect{fill:#22282b}.k text{fill:#a3acb1}}";

pub(super) fn svg(site: &Site<'_>) -> String {
    let (clients, servers) = (front(site.clients(), &site.newest), front(site.servers(), &site.newest));
    let width = NAMES + servers.len() * WIDE + 70;
    let height = HEAD + clients.len() * HIGH + 30;
    let said = format!(
        "{} pairs, {} cells, {}, {}",
        number(site.pairs.all()),
        number(site.record.cells.len()),
        day(&site.record.started),
        corpus(site)
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\
         <title>MCP structured output: clients down, servers across. {said}</title><style>{STYLE}</style>\n"
    );
    for (column, server) in servers.iter().enumerate() {
        let x = NAMES + column * WIDE + WIDE / 2;
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{}\" transform=\"rotate(-50 {x} {0})\">{}</text>",
            HEAD - 8,
            xml(server)
        );
    }
    for (row, client) in clients.iter().enumerate() {
        let y = HEAD + row * HIGH;
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", NAMES - 8, y + 16, xml(client));
        for (column, server) in servers.iter().enumerate() {
            let Some(tally) = site.products.tally(client, server) else { continue };
            let x = NAMES + column * WIDE;
            let silent = if tally.silent > 0 { "!" } else { "" };
            let _ = writeln!(
                svg,
                "<g class=\"{}\"><rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"3\"/><text class=\"q\" x=\"{}\" y=\"{}\">{}{silent}{}</text></g>",
                class(worst(tally)),
                WIDE - 2,
                HIGH - 2,
                x + WIDE / 2,
                y + 16,
                glyph(worst(tally)),
                in_short(tally),
            );
        }
    }
    let _ = writeln!(
        svg,
        "<text x=\"8\" y=\"{}\">✓ works  ◐ degraded  ✕ breaks  ! silently · {said}</text></svg>",
        height - 8
    );
    svg
}
