//! From the first page to a message on the wire and back: by mouse, by keyboard, and straight in by a link.

use serde_json::json;

use crate::chromium::with_browser;
use crate::made::PLAIN;
use crate::recount::{causes, cells, number, outcome, shown, word};
use crate::tab::{Tab, text};

/// What says that the view of a cell stands.
const CELL_STANDS: &str = "document.querySelector('#app .wire .msg')";
/// What says that the view of a pair stands.
const PAIR_STANDS: &str = "document.querySelector('#app table.cells td a')";

#[test]
fn by_mouse_from_a_cause_to_the_wire_and_back() {
    with_browser(|browser| {
        for base in [PLAIN.on_disk(), PLAIN.on_server()] {
            let (record, mut tab) = (PLAIN.record(), Tab::new(browser, &base));
            tab.open("index.html");
            tab.click(".causes .cause .head a");
            tab.until("document.documentElement.dataset.page === 'cause' && document.readyState === 'complete'");
            let cause = tab.text(".crumb code");
            let members =
                causes(&record).remove(cause.as_str()).unwrap_or_else(|| panic!("the record has no cause {cause}"));
            assert_eq!(number(&tab.text("#cells")), Some(members.len() as u64));

            tab.click(".cells a[href*='#cell=']");
            tab.until(CELL_STANDS);
            let id = text(&tab.look("parameters().cell"));
            let cell = cells(&record).iter().find(|cell| cell["id"] == *id).unwrap();
            assert_eq!(word(cell, "signature"), cause);
            let said = tab.text("#app");
            for part in [outcome(cell), word(cell, "rating"), word(cell, "negotiated"), word(cell, "reason")] {
                assert!(said.contains(&shown(part)), "{id} does not show {part:?}: {said}");
            }

            tab.click("#app .crumb a");
            tab.until(PAIR_STANDS);
            let (client, server) = (word(cell, "client"), word(cell, "server"));
            assert_eq!(tab.text("h1"), format!("{client} with {server}"));
            let of_pair = cells(&record)
                .iter()
                .filter(|other| word(other, "client") == client && word(other, "server") == server);
            assert_eq!(number(&tab.text(".lead")), Some(of_pair.count() as u64));

            let first = text(&tab.look("document.querySelector('#app table.cells td a').innerText"));
            tab.click("#app table.cells td a");
            tab.until(CELL_STANDS);
            assert!(text(&tab.look("parameters().cell")).contains(&first));
            tab.look("history.back()");
            tab.until(PAIR_STANDS);
            assert_eq!(tab.text("h1"), format!("{client} with {server}"));
            tab.look("history.back()");
            tab.until(CELL_STANDS);
            assert_eq!(text(&tab.look("parameters().cell")), id);
            tab.leave();
        }
    });
}

#[test]
fn by_keyboard_through_the_matrix_to_a_cell() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_server());
        tab.open("matrix.html");
        tab.press("Tab");
        assert_eq!(text(&tab.look("document.activeElement.className")), "skip");
        assert_eq!(
            tab.look("document.activeElement.getBoundingClientRect().left >= 0"),
            true,
            "the skip link is shown"
        );
        tab.press("Enter");
        tab.until("document.activeElement.id === 'main'");
        let inside = "document.activeElement.closest('table.m td') !== null";
        reach(&mut tab, inside);

        // One stop for the whole table; arrows go on from there.
        assert_eq!(tab.look("document.querySelectorAll('table.m td a[tabindex=\"0\"]').length"), 1);
        let place = "[document.activeElement.closest('tr').rowIndex, document.activeElement.closest('td').cellIndex]";
        assert_eq!(tab.look(place), json!([1, 1]));
        for (key, wanted) in [
            ("ArrowRight", [1, 2]),
            ("ArrowDown", [2, 2]),
            ("ArrowLeft", [2, 1]),
            ("ArrowUp", [1, 1]),
            ("ArrowUp", [1, 1]),
            ("ArrowLeft", [1, 1]),
        ] {
            tab.press(key);
            assert_eq!(tab.look(place), json!(wanted), "{key}");
        }
        tab.press("End");
        let last = tab.look("document.querySelector('table.m tbody tr').cells.length - 1");
        assert_eq!(tab.look(place), json!([1, last]));
        tab.press("Home");
        tab.press("ArrowDown");
        assert_eq!(tab.look("getComputedStyle(document.activeElement).outlineStyle"), "solid", "the focus is seen");
        assert_eq!(tab.look("document.querySelectorAll('table.m tbody th.lit, table.m thead th.lit').length"), 2);
        let address = text(&tab.look("document.activeElement.hash"));
        tab.press("Enter");
        tab.until(PAIR_STANDS);
        assert_eq!(text(&tab.look("location.hash")), address);

        reach(&mut tab, "document.activeElement.matches('#app table.cells td a[href^=\"#cell\"]')");
        tab.press("Enter");
        tab.until(CELL_STANDS);
        tab.leave();
    });
}

/// Presses Tab until an expression holds. Every stop on the way is seen.
fn reach(tab: &mut Tab<'_>, expression: &str) {
    let mut way = Vec::new();
    for _ in 0..80 {
        tab.press("Tab");
        let seen = "(() => { const b = document.activeElement.getBoundingClientRect(); return b.width > 0 && b.height > 0; })()";
        way.push(tab.look("document.activeElement.outerHTML.slice(0, 100)"));
        assert_eq!(tab.look(seen), true, "a stop that nobody sees: {:?}", way.last());
        if tab.look(expression) == true {
            return;
        }
    }
    panic!("not reached by Tab: {expression}; {way:#?}");
}

#[test]
fn a_link_to_a_cell_opens_it_cold() {
    with_browser(|browser| {
        let (record, mut tab) = (PLAIN.record(), Tab::new(browser, &PLAIN.on_disk()));
        for cell in cells(&record).iter().step_by(17).take(12) {
            let id = word(cell, "id");
            tab.open_cold(&format!("pair.html#cell={id}"));
            tab.until(CELL_STANDS);
            let said = tab.text("#app");
            for part in [word(cell, "scenario"), word(cell, "rating"), outcome(cell), word(cell, "reason")] {
                assert!(said.contains(&shown(part)), "{id} does not show {part:?}: {said}");
            }
        }
        tab.open_cold("pair.html#cell=no/such::a::b::memory");
        tab.until("document.querySelector('#app .warn')");
        assert!(tab.text("#app").contains("no/such::a::b::memory"));
        tab.leave();
    });
}
