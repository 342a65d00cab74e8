//! The filter of the pages is the filter of `show --where`: the same cells, whether it is typed or stands in the address.

use mcp_compat_model::query::Query;
use mcp_compat_model::record::Record;
use serde_json::{Value, json};

use crate::chromium::with_browser;
use crate::made::{PLAIN, WORSE};
use crate::tab::{Tab, text};

/// What every implementation of the grammar is tested with.
const CASES: &str = include_str!("../../../model/src/query/cases.json");

/// A table as the filter takes it, of the cells in `cases.json`.
const TABLE: &str = "(cells, listed, comparison) => {
    const list = Object.values(cells).map((cell) => {
        const [scenario, client, server, transport] = cell.id.split('::');
        const rest = {rating: 'works', outcome: 'intact', fault: null, negotiated: null, rules: [], cause: null, known: null};
        return {...rest, ...cell, scenario, client, server, transport};
    });
    const words = {
        rule: (cell) => cell.rules.length ? cell.rules : ['none'],
        is: (cell) => ['silent', 'vacuous', 'known', 'flaky'].filter((mark) => mark === 'flaky' ? cell.known?.flaky : cell[mark]),
        known: (cell) => cell.known ? [cell.known.reason, cell.known.issue].filter(Boolean) : ['none'],
    };
    return {
        count: list.length,
        column: (key) => key === 'changed' && !comparison ? null : {
            words: [...list.map(words[key] || ((cell) => [cell[key] ?? 'none'])), ...(listed[key] || []).map((word) => [word])],
            at: (n) => n,
        },
    };
}";

/// Filters with each key.
const FILTERS: [&str; 17] = [
    "client:mock/dual*",
    "server:profile/typescript@*",
    "scenario:root-type/*",
    "rating:breaks",
    "outcome:rejected|uncaught",
    "fault:client",
    "fault:none",
    "rule:output-schema-object-root",
    "negotiated:2025-11-25",
    "transport:memory",
    "cause:*output-schema-object-root*",
    "known:none",
    "is:silent",
    "is:vacuous",
    "-is:silent rating:breaks",
    "-scenario:drift/* client:mock/dual/skip",
    "rating:works|breaks -client:profile/* -server:profile/*",
];

#[test]
fn every_case_of_the_grammar_comes_out_in_the_page_as_it_says() {
    with_browser(|browser| {
        let cases: Value = serde_json::from_str(CASES).unwrap();
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        tab.open("matrix.html");
        let names: Vec<&String> = cases["cells"].as_object().unwrap().keys().collect();
        for case in cases["cases"].as_array().unwrap() {
            let said = tab.look(&format!(
                "(() => {{
                    const table = ({TABLE})({cells}, {words}, {comparison});
                    try {{ return {{matches: Query.select({query}, table)}}; }}
                    catch (e) {{ if (!e.kind) throw e; return {{error: {{kind: e.kind, term: e.term}}}}; }}
                }})()",
                cells = cases["cells"],
                words = cases["words"],
                comparison = case.get("comparison").unwrap_or(&Value::Bool(true)),
                query = case["query"],
            ));
            if let Some(wanted) = case.get("error") {
                assert_eq!(said["error"], *wanted, "{case}: {said}");
            } else {
                let places = said["matches"].as_array().unwrap_or_else(|| panic!("{case}: {said}")).iter();
                let mut found: Vec<&str> = places.map(|place| names[at(place)].as_str()).collect();
                let mut wanted: Vec<&str> =
                    case["matches"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
                found.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(found, wanted, "{}", case["query"]);
            }
        }
        tab.leave();
    });
}

fn at(place: &Value) -> usize {
    usize::try_from(place.as_u64().unwrap()).unwrap()
}

#[test]
fn typed_and_in_the_address_a_filter_takes_the_cells_that_the_program_takes() {
    with_browser(|browser| {
        let record: Record = serde_json::from_value(PLAIN.record()).unwrap();
        let mut tab = Tab::new(browser, &PLAIN.on_server());
        for filter in FILTERS {
            let taken = Query::parse(filter).and_then(|query| query.select(&record.cells, None)).unwrap();
            let mut wanted: Vec<&str> = taken.iter().map(|cell| cell.id.as_str()).collect();
            wanted.sort_unstable();

            tab.open_cold(&format!("pair.html#q={filter}"));
            tab.until("document.querySelector('#found')?.textContent");
            let by_address = listed(&mut tab);
            assert_eq!(by_address, wanted, "{filter} in the address");
            assert_eq!(tab.text("#found"), format!("{} of {} checks", wanted.len(), record.cells.len()));
            assert_eq!(text(&tab.look("document.querySelector('#q').value")), filter);

            tab.open_cold("pair.html#q=");
            tab.until("document.querySelector('#found')?.textContent");
            tab.click("#q");
            tab.type_in(filter);
            tab.until(&format!("decodeURIComponent(location.hash).endsWith({})", json!(filter)));
            assert_eq!(listed(&mut tab), wanted, "{filter} typed");
        }
        tab.leave();
    });
}

#[test]
fn what_changed_is_a_filter_of_the_pages_too() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        let wanted = |class: &str| {
            format!("{} of {} checks", PLAIN.changed(class).len(), PLAIN.record()["cells"].as_array().unwrap().len())
        };
        for class in ["worse", "better"] {
            tab.open_cold(&format!("pair.html#q=changed:{class}"));
            tab.until("document.querySelector('#found')?.textContent");
            assert_eq!(tab.text("#found"), wanted(class), "{class}");
            assert_eq!(listed(&mut tab), PLAIN.changed(class), "{class}");
        }
        assert_eq!(PLAIN.changed("worse").len(), WORSE);
        let cell = PLAIN.changed("worse").remove(0);
        tab.open_cold(&format!("pair.html#cell={cell}"));
        tab.until("document.querySelector('#app dl.facts')");
        let facts = tab.text("#app dl.facts");
        assert!(facts.contains("worse since the run of 2026-01-01T00:00:00Z"), "{facts}");
        assert!(facts.contains("The same since\nthis run"), "{facts}");
        tab.open_cold("pair.html#q=changed:worse since:2025-01-01");
        tab.until("document.querySelector('#found.wrong')?.textContent");
        assert!(tab.text("#found").contains("changed: compares with the run before"));
        tab.leave();
    });
}

/// The cells that a page lists, by their ids.
fn listed(tab: &mut Tab<'_>) -> Vec<String> {
    let links = "[...new Set([...document.querySelectorAll('#app td a[href*=\"cell=\"]')].map(a => decodeURIComponent(a.hash).match(/cell=([^&]*)/)[1]))]";
    let mut ids: Vec<String> = tab.look(links).as_array().unwrap().iter().map(text).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn the_matrix_counts_the_cells_of_a_filter() {
    with_browser(|browser| {
        let record: Record = serde_json::from_value(PLAIN.record()).unwrap();
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        tab.open("matrix.html");
        tab.until("document.querySelector('#found')?.textContent");
        let query = "rating:breaks is:silent";
        let taken = Query::parse(query).and_then(|query| query.select(&record.cells, None)).unwrap();
        tab.click("#q");
        tab.type_in(query);
        tab.until("location.hash.includes('silent')");
        let shown = "[...document.querySelectorAll('#matrix td a')].map(a => Number(a.textContent.replace(/\\D/g, ''))).reduce((a, b) => a + b, 0)";
        assert_eq!(tab.look(shown), json!(taken.len()));
        let address = text(&tab.look("location.hash"));
        tab.open_cold(&format!("matrix.html{address}"));
        tab.until("document.querySelector('#found')?.textContent");
        assert_eq!(tab.look(shown), json!(taken.len()));
        tab.leave();
    });
}

#[test]
fn what_is_not_known_is_told() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        for (address, told) in [
            ("matrix.html#q=clinet:mock/*", "client"),
            ("matrix.html#nonsense=1", "nonsense"),
            ("pair.html#q=xyzzy", "xyzzy"),
            ("pair.html#client=mock/dual%2Bauto&nonsense=1", "nonsense"),
        ] {
            tab.open_cold(address);
            tab.until("document.querySelector('#found, .warn')?.textContent");
            let said = tab.text("main");
            assert!(said.contains(told), "{address}: {said}");
        }
        tab.leave();
    });
}
