//! Every number of the first page is counted again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::chromium::with_browser;
use crate::made::{PLAIN, WORSE};
use crate::recount::{causes, cells, front, number, word, worst};
use crate::tab::{Tab, text};

/// The release of a peer, without mode and flavour, as the first page joins them.
fn product(id: &str) -> &str {
    let name = ["+auto", "+legacy", "+modern"].iter().find_map(|mode| id.strip_suffix(mode)).unwrap_or(id);
    let at = name.find('@').filter(|at| !name[..*at].contains('/'));
    match at.and_then(|at| name[at..].find('/').map(|slash| at + slash)) {
        Some(end) => &name[..end],
        None => name,
    }
}

fn list(tab: &mut Tab<'_>, expression: &str) -> Vec<Value> {
    tab.look(expression).as_array().unwrap_or_else(|| panic!("{expression} is no list")).clone()
}

#[test]
fn the_sums_are_those_of_the_record() {
    with_browser(|browser| {
        let (record, mut tab) = (PLAIN.record(), Tab::new(browser, &PLAIN.on_disk()));
        tab.open("index.html");
        let mut counted = front(&record);
        counted.extend([("worse", WORSE as u64), ("better", 1)]);
        let shown = list(&mut tab, "[...document.querySelectorAll('[data-n]')].map(e => [e.dataset.n, e.innerText])");
        assert!(shown.len() >= 12, "{shown:?}");
        for pair in shown {
            let (name, words) = (text(&pair[0]), text(&pair[1]));
            assert_eq!(number(&words), counted.get(name.as_str()).copied(), "{name}: {words}");
        }
        let said = tab.text("#verdict");
        let clients: BTreeSet<&str> = cells(&record).iter().map(|cell| word(cell, "client")).collect();
        let servers: BTreeSet<&str> = cells(&record).iter().map(|cell| word(cell, "server")).collect();
        let wanted = [
            format!("Of {} pairs ({} clients × {} servers)", counted["pairs"], clients.len(), servers.len()),
            format!("{} work in all that was tested", counted["pairs-work"]),
            format!("{} degrade", counted["pairs-degrade"]),
            format!("{} break", counted["pairs-break"]),
            format!("{} causes, {} of them silent.", counted["causes"], counted["causes-silent"]),
        ];
        for part in wanted {
            assert!(said.contains(&part), "{said:?} does not say {part:?}");
        }
        tab.leave();
    });
}

#[test]
fn each_cause_has_its_clients_and_servers() {
    with_browser(|browser| {
        let (record, mut tab) = (PLAIN.record(), Tab::new(browser, &PLAIN.on_disk()));
        tab.open("index.html");
        let mut wanted: Vec<(u64, u64, u64)> = Vec::new();
        for members in causes(&record).values() {
            let distinct = |side| members.iter().map(|cell| word(cell, side)).collect::<BTreeSet<_>>().len() as u64;
            wanted.push((members.len() as u64, distinct("client"), distinct("server")));
        }
        let listed = "[...document.querySelectorAll('.causes .cause')].map(e => [e.dataset.cells, e.querySelector('.reach').innerText])";
        let mut shown: Vec<(u64, u64, u64)> = list(&mut tab, listed)
            .iter()
            .map(|cause| {
                let reach = text(&cause[1]);
                let (clients, rest) = reach.split_once('×').unwrap();
                (text(&cause[0]).parse().unwrap(), number(clients).unwrap(), number(rest).unwrap())
            })
            .collect();
        wanted.sort_unstable();
        shown.sort_unstable();
        assert_eq!(shown, wanted);
        tab.leave();
    });
}

#[test]
fn each_square_counts_the_cells_of_its_pair() {
    with_browser(|browser| {
        let (record, mut tab) = (PLAIN.record(), Tab::new(browser, &PLAIN.on_disk()));
        let squares = "[...document.querySelectorAll('table.m td a')].map(a => [a.hash.slice(1), a.querySelector('.c').innerText, a.parentNode.className])";
        for (page, joined) in [("index.html", true), ("matrix.html", false)] {
            let mut pairs = BTreeMap::<(&str, &str), Vec<&str>>::new();
            for cell in cells(&record) {
                let of = |side| if joined { product(word(cell, side)) } else { word(cell, side) };
                pairs.entry((of("client"), of("server"))).or_default().push(word(cell, "rating"));
            }
            tab.open(page);
            let shown = list(&mut tab, squares);
            assert!(joined || shown.len() == pairs.len(), "{page}: {} squares of {} pairs", shown.len(), pairs.len());
            for square in &shown {
                let (address, count, class) = (text(&square[0]), text(&square[1]), text(&square[2]));
                let (client, server) = address.strip_prefix("client=").unwrap().split_once("&server=").unwrap();
                let ratings = pairs.get(&(client, server)).unwrap_or_else(|| panic!("{page}: {address}"));
                let rating = worst(&ratings.iter().copied().collect());
                let wanted = match rating {
                    "breaks" | "degraded" => Some(ratings.iter().filter(|other| **other == rating).count() as u64),
                    _ => None,
                };
                assert_eq!((number(&count), class.chars().next()), (wanted, signed(rating)), "{page}: {address}");
            }
        }
        tab.leave();
    });
}

#[test]
fn what_changed_since_the_earlier_run_is_the_same_everywhere() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_server());
        tab.open("history.html");
        tab.until("document.querySelector('#compare select')");
        tab.click("#compare button");
        tab.until("document.querySelector('#app .lead')");
        let said = tab.text("#app .lead");
        assert!(said.starts_with(&format!("{WORSE} worse, 1 better;")), "{said}");
        let worse = "document.querySelectorAll('#app details')[0].querySelectorAll('li a').length";
        assert_eq!(tab.look(worse), WORSE);
        tab.leave();
    });
}

/// The first letter of the class of a square.
fn signed(rating: &str) -> Option<char> {
    match rating {
        "skipped" => Some('k'),
        other => other.chars().next(),
    }
}
