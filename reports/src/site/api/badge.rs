//! Badges: number of partners without a break, number of partners, day, and corpus.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::record::CellRecord;

use super::types::Endpoint;
use super::{corpus, day, is_stale, xml};
use crate::site::context::{Release, Site};
use crate::site::names::product;
use crate::view::Tally;

const LABEL: &str = "structured output";

pub(super) struct Badge {
    message: String,
    colour: &'static str,
}

impl Badge {
    pub(super) fn of(site: &Site<'_>, release: &Release<'_>) -> Self {
        let (clients, of_clients) = partners(&release.as_server, |cell| &cell.client);
        let (servers, of_servers) = partners(&release.as_client, |cell| &cell.server);
        let side = |free: usize, of: usize, name: &str| (of > 0).then(|| format!("{free} of {of} {name}"));
        let sides = [side(clients, of_clients, "clients"), side(servers, of_servers, "servers")];
        let sides: Vec<String> = sides.into_iter().flatten().collect();
        let (free, of) = (clients + servers, of_clients + of_servers);
        let colour = match (free, of) {
            (_, 0) => "#6a7177",
            (free, of) if free == of => "#1f5fa8",
            (free, of) if free * 2 >= of => "#a86400",
            _ => "#a3161c",
        };
        let result =
            if sides.is_empty() { "not judged".to_owned() } else { format!("works with {}", sides.join(", ")) };
        let (stale, colour) =
            if is_stale(&site.record.started, site.input.today) { (" · stale", "#6a7177") } else { ("", colour) };
        let incomplete = if site.record.complete { "" } else { " · incomplete" };
        Self {
            message: format!("{result} · {} · {}{incomplete}{stale}", day(&site.record.started), corpus(site)),
            colour,
        }
    }

    /// JSON from which shields.io draws a badge.
    pub(super) fn endpoint(&self) -> Endpoint {
        let (label, message) = (LABEL.to_owned(), self.message.clone());
        Endpoint { schema_version: 1, label, message, color: self.colour.to_owned() }
    }

    pub(super) fn svg(&self) -> String {
        // Estimated width of the text in the fonts that the badge names.
        let width = |text: &str| 12 + text.chars().count() * 65 / 10;
        let (left, right) = (width(LABEL), width(&self.message));
        let (all, middle, end) = (left + right, left / 2, left + right / 2);
        let (message, colour) = (xml(&self.message), self.colour);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" aria-label=\"{LABEL}: {message}\">\
             <title>{LABEL}: {message}</title><rect width=\"{all}\" height=\"20\" rx=\"3\" fill=\"#3d4449\"/>\
             <path d=\"M{left} 0h{inner}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{inner}z\" fill=\"{colour}\"/>\
             <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
             <text x=\"{middle}\" y=\"14\">{LABEL}</text><text x=\"{end}\" y=\"14\">{message}</text></g></svg>\n",
            inner = right.saturating_sub(3),
        )
    }
}

/// Number of releases with which there is no break, and of those with which something was judged.
fn partners(cells: &[&CellRecord], of: fn(&CellRecord) -> &PeerId) -> (usize, usize) {
    let mut by_id = BTreeMap::<&PeerId, Tally>::new();
    cells.iter().for_each(|cell| by_id.entry(of(cell)).or_default().add(cell));
    let mut tallies = BTreeMap::<String, Tally>::new();
    by_id.into_iter().for_each(|(id, tally)| tallies.entry(product(id)).or_default().join(tally));
    let judged = tallies.values().filter(|tally| tally.judged() > 0);
    (judged.clone().filter(|tally| tally.breaks == 0).count(), judged.count())
}
