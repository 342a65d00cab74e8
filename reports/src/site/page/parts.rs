//! Parts of pages: ratings, bars, maps of pairs, addresses.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use mcp_compat_judge::rules;
use mcp_compat_model::PeerId;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::Rating;

use crate::site::names::{peer_page, product, scenario_page};
use crate::view::Tally;

/// Sign of a rating, because colour alone is not enough.
pub(crate) const fn glyph(rating: Rating) -> &'static str {
    match rating {
        Rating::Works => "✓",
        Rating::Degraded => "◐",
        Rating::Breaks => "✕",
        Rating::Skipped => "–",
    }
}

/// CSS class of a rating.
pub(crate) const fn class(rating: Rating) -> &'static str {
    match rating {
        Rating::Works => "w",
        Rating::Degraded => "d",
        Rating::Breaks => "b",
        Rating::Skipped => "k",
    }
}

/// A rating as sign and word.
pub(crate) fn rated(rating: Rating) -> Markup {
    html! { span class={ "r " (class(rating)) } { span aria-hidden="true" { (glyph(rating)) } " " (rating.as_str()) } }
}

pub(crate) fn worst(tally: Tally) -> Rating {
    match tally {
        Tally { breaks: 1.., .. } => Rating::Breaks,
        Tally { degraded: 1.., .. } => Rating::Degraded,
        Tally { works: 1.., .. } => Rating::Works,
        Tally { .. } => Rating::Skipped,
    }
}

pub(crate) fn in_words(tally: Tally) -> String {
    let some = |cells: usize, how: &str| if cells > 0 { format!(", {} {how}", number(cells)) } else { String::new() };
    let judged = counted(tally.judged(), "check");
    match worst(tally) {
        Rating::Breaks => {
            let (silent, known) = (some(tally.silent, "silently"), some(tally.known, "known"));
            let ending = if tally.breaks == 1 { "s" } else { "" };
            format!("{} of {judged} break{ending}{silent}{known}", number(tally.breaks))
        }
        Rating::Degraded => format!("{} of {judged} degraded", number(tally.degraded)),
        Rating::Works if tally.judged() == 1 => "the only check works".to_owned(),
        Rating::Works => format!("all {judged} work"),
        Rating::Skipped => format!("{} not supported", counted(tally.skipped, "check")),
    }
}

/// Number of the worst cells of a tally; empty if all work.
pub(crate) fn in_short(tally: Tally) -> String {
    match worst(tally) {
        Rating::Breaks => thousands(tally.breaks as u64),
        Rating::Degraded => thousands(tally.degraded as u64),
        Rating::Works | Rating::Skipped => String::new(),
    }
}

/// Bar with the shares of a tally.
pub(crate) fn bar(tally: Tally) -> Markup {
    let judged = tally.judged();
    if judged == 0 {
        return html! {};
    }
    let share = |number: usize| number as f64 * 100.0 / judged as f64;
    let parts = [("w", tally.works), ("d", tally.degraded), ("b", tally.breaks)];
    let mut rects = String::new();
    let mut at = 0.0;
    for (class, number) in parts.into_iter().filter(|(_, number)| *number > 0) {
        let _ = write!(rects, "<rect class=\"{class}\" x=\"{at:.1}\" width=\"{:.1}\" height=\"6\"/>", share(number));
        at += share(number);
    }
    html! { svg.bar viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" { (raw(rects)) } }
}

/// Map of the pairs that meet a cause: clients down, servers across.
pub(crate) fn spark(cause: &Cause<'_>, clients: &[&PeerId], servers: &[&PeerId]) -> Markup {
    let rows = places(clients, cause.cells.iter().map(|cell| &cell.client));
    let columns = places(servers, cause.cells.iter().map(|cell| &cell.server));
    let met = cause.cells.iter().filter_map(|cell| Some((*rows.get(&cell.client)?, *columns.get(&cell.server)?)));
    let mut met: Vec<(usize, usize)> = met.collect();
    met.sort_unstable();
    met.dedup();
    let mut path = String::new();
    for of_row in met.chunk_by(|one, next| one.0 == next.0) {
        let mut pen = None;
        for run in of_row.chunk_by(|one, next| one.1 + 1 == next.1) {
            let ((row, column), length) = (run[0], run.len());
            let _ = match pen {
                None => write!(path, "M{column} {row}.5h{length}"),
                Some(pen) => write!(path, "m{} 0h{length}", column - pen),
            };
            pen = Some(column + length);
        }
    }
    let size = format!("0 0 {} {}", servers.len().max(1), clients.len().max(1));
    html! { svg.spark viewBox=(size) preserveAspectRatio="none" aria-hidden="true" { path d=(path) {} } }
}

/// Index of each of `some` in `all`.
fn places<'p>(all: &[&'p PeerId], some: impl Iterator<Item = &'p PeerId>) -> HashMap<&'p PeerId, usize> {
    let some: HashSet<&PeerId> = some.collect();
    let places = all.iter().enumerate().filter(|(_, peer)| some.contains(*peer));
    places.map(|(place, peer)| (*peer, place)).collect()
}

/// Link to the page of a peer.
pub(crate) fn peer(root: &str, id: &PeerId) -> Markup {
    html! { a.peer href={ (root) "peer/" (peer_page(&product(id))) ".html" } { (id.as_str()) } }
}

/// Link to the page of a scenario.
pub(crate) fn scenario(root: &str, id: &mcp_compat_model::ScenarioId) -> Markup {
    html! { a href={ (root) "scenario/" (scenario_page(id)) ".html" } { (id.as_str()) } }
}

/// Address, as a link if it is in the rules or the specification. Any other address is plain text.
pub(crate) fn address(address: &str, words: &str) -> Markup {
    let own = ["https://modelcontextprotocol.io/", "https://github.com/modelcontextprotocol/"];
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>\"'\\`".contains(c);
    let is_known =
        own.iter().any(|own| address.starts_with(own)) || rules::all().iter().any(|rule| rule.source == address);
    html! {
        @if is_known && address.chars().all(is_plain) { a rel="noreferrer" href=(address) { (neutralised(words)) } }
        @else { span.addr { (neutralised(if words.is_empty() { address } else { words })) } }
    }
}

/// Command with a button that copies it.
pub(crate) fn command(text: &str) -> Markup {
    html! { div.cmd { code { (text) } button.copy type="button" hidden { "Copy" } } }
}

/// Splits a reason into its first sentence and the rest. The end of a sentence within a quotation does not count,
/// unless the quotation has no end.
pub(crate) fn headline(reason: &str) -> (String, String) {
    let text = neutralised(reason);
    let is_end = |at: &usize| text[at + 1..].starts_with(|c: char| c.is_uppercase());
    let ends: Vec<usize> = text.match_indices(". ").map(|(at, _)| at + 1).filter(is_end).collect();
    let (mut read, mut is_quoted) = (0, false);
    let unquoted = ends.iter().find(|end| {
        is_quoted ^= text[read..**end].matches('"').count() % 2 == 1;
        read = **end;
        !is_quoted
    });
    match unquoted.or(ends.first()).copied() {
        Some(end) => (text[..end].to_owned(), text[end + 1..].to_owned()),
        None => (text, String::new()),
    }
}

/// Text of mcp-compat in which names stand between backticks. The last name may be cut off.
pub(crate) fn prose(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    let is_paired = parts.len() % 2 == 1 || text.ends_with('…');
    html! {
        @if is_paired { @for (place, part) in parts.iter().enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        } } @else { (text) }
    }
}

/// Address of the page that shows the cells of a filter.
pub(crate) fn asking(filter: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~:/@*|".contains(&byte);
    let mut asked = String::from("pair.html#q=");
    for byte in filter.bytes() {
        if is_plain(byte) {
            asked.push(char::from(byte))
        } else {
            let _ = write!(asked, "%{byte:02X}");
        }
    }
    asked
}

/// Number with separators between thousands.
pub(crate) fn number(number: usize) -> String {
    thousands(number as u64)
}

/// Number of squares that a table of clients and servers may have. A page with more is too large for a browser.
const MOST_SQUARES: usize = 250_000;

/// Text in place of a table of clients and servers that is too large.
pub(super) fn too_large(clients: usize, servers: usize) -> Option<Markup> {
    let squares = clients.saturating_mul(servers);
    (squares > MOST_SQUARES)
        .then(|| html! { p { "The table is left out: it would have " (number(squares)) " squares." } })
}

/// Time at which a run began. The script adds the age.
pub(crate) fn begun(started: &str) -> Markup {
    let started = neutralised(started);
    html! { time datetime=(started) { (started) } span.ago data-since=(started) {} }
}

/// Markup without any text from outside.
pub(crate) fn raw(text: String) -> PreEscaped<String> {
    PreEscaped(text)
}

/// Width of the bar of a run with its gap, and height of the highest bar.
const WIDE: usize = 8;
const HIGH: f64 = 40.0;

/// Bar chart of runs, the oldest first: for each run a number and its silent part. `label` is read by screen readers.
pub(crate) fn bars(class: &str, runs: &[(usize, usize)], label: &str) -> Markup {
    let most = most(runs);
    let high = |number: usize| number as f64 * HIGH / most as f64;
    let rect = |class: &str, place: usize, number: usize| {
        html! { rect class=(class) x=(place * WIDE) y=(format!("{:.1}", HIGH + 1.0 - high(number))) width="6" height=(format!("{:.1}", high(number))) {} }
    };
    html! {
        svg class={ "runs " (class) } viewBox=(format!("0 0 {} 42", runs.len() * WIDE)) preserveAspectRatio="xMinYMid meet" role="img" aria-label=(label) {
            @for (place, (number, silent)) in runs.iter().enumerate() {
                (rect("b", place, *number))
                @if *silent > 0 { (rect("s", place, *silent)) }
            }
        }
    }
}

/// Highest of the numbers, at least 1.
pub(crate) fn most(runs: &[(usize, usize)]) -> usize {
    runs.iter().map(|(number, _)| *number).max().unwrap_or_default().max(1)
}

#[cfg(test)]
mod tests {
    use super::headline;

    #[test]
    fn a_headline_is_the_first_sentence_outside_a_quotation() {
        let quoted = "The client failed: \"Invalid input. Expected object\". The server may send an array.";
        let (head, rest) = headline(quoted);
        assert_eq!(head, "The client failed: \"Invalid input. Expected object\".");
        assert_eq!(rest, "The server may send an array.");
        let (head, _) = headline("The client failed: Unexpected token \". To fix in the client: read it.");
        assert_eq!(head, "The client failed: Unexpected token \".");
        assert_eq!(headline("Only one"), ("Only one".to_owned(), String::new()));
    }
}
