//! Every page opens from a disk and from a server, prints, fits a telephone, and says what it has to say without script.

use base64::Engine as _;
use serde_json::json;

use crate::chromium::with_browser;
use crate::made::{Made, PLAIN, STRANGE};
use crate::tab::{Tab, text};

/// Opens a page and waits until its script is done.
pub(crate) fn opened(tab: &mut Tab<'_>, page: &str) {
    tab.open_cold(page);
    if page.starts_with("pair.html") {
        tab.until("document.querySelector('#app h1')");
    }
}

#[test]
fn every_page_opens_without_an_error_and_nothing_leaves() {
    with_browser(|browser| {
        for base in [PLAIN.on_disk(), PLAIN.on_server()] {
            let mut tab = Tab::new(browser, &base);
            for page in PLAIN.pages().iter().chain(&PLAIN.kinds()) {
                opened(&mut tab, page);
                assert_ne!(tab.text("main"), "", "{page}");
                assert!(!text(&tab.look("document.title")).is_empty(), "{page}");
            }
            assert!(tab.requested().iter().any(|url| url.ends_with(".js")), "{:?}", tab.requested());
            tab.leave();
        }
    });
}

#[test]
fn every_link_leads_to_a_file_and_a_place_that_are_there() {
    with_browser(|browser| {
        let (files, mut tab) = (PLAIN.files(), Tab::new(browser, &PLAIN.on_server()));
        for page in PLAIN.kinds() {
            opened(&mut tab, &page);
            let own = "[...document.links].filter(link => link.origin === location.origin)";
            let paths = tab.look(&format!("{own}.map(link => decodeURI(link.pathname))"));
            assert!(paths.as_array().unwrap().len() > 5, "{page}");
            for path in paths.as_array().unwrap().iter().map(text) {
                let path = path.strip_prefix("/compat/nightly/").unwrap_or_else(|| panic!("{page} leads out: {path}"));
                assert!(files.iter().any(|file| file == path), "{page} leads to {path}, which is not there");
            }
            let here = "link.pathname === location.pathname && /^#[^=]+$/.test(link.hash)";
            let nowhere = tab.look(&format!(
                "{own}.filter(link => {here}).map(link => link.hash).filter(hash => !document.getElementById(hash.slice(1)))"
            ));
            assert_eq!(nowhere, json!([]), "{page}");
        }
        tab.leave();
    });
}

#[test]
fn without_script_the_pages_are_read_all_the_same() {
    with_browser(|browser| {
        let pages = PLAIN.pages();
        let of = |folder: &str| pages.iter().find(|page| page.starts_with(folder)).cloned().unwrap();
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        // What a page says: the texts of what it is made of, without the filter that script adds.
        let said = "[...document.querySelectorAll('#verdict, main h1, main h2, main p, main th, main td, main dd')]
            .filter(part => part.checkVisibility() && !part.closest('#tools')).map(part => part.textContent).filter(words => words.trim())";
        for page in ["index.html".to_owned(), of("cause/"), of("peer/"), of("scenario/"), "matrix.html".to_owned()] {
            tab.open_cold(&page);
            let with = tab.look(said);
            tab.ask("Emulation.setScriptExecutionDisabled", json!({"value": true}));
            tab.open_cold(&page);
            let without = tab.look(said);
            let dead =
                "[...document.querySelectorAll('button, input, select')].filter(part => part.checkVisibility()).length";
            assert_eq!(tab.look(dead), 0, "{page} has controls that do nothing without script");
            tab.ask("Emulation.setScriptExecutionDisabled", json!({"value": false}));
            let (with, without) = (with.as_array().unwrap(), without.as_array().unwrap());
            assert!(without.len() > 10, "{page}: {without:?}");
            let ago = |words: &serde_json::Value| !text(words).contains(" ago)");
            let lost: Vec<_> = with.iter().filter(|words| ago(words) && !without.contains(words)).collect();
            assert!(lost.is_empty(), "{page} says this with script only: {lost:?}");
        }
        tab.ask("Emulation.setScriptExecutionDisabled", json!({"value": true}));
        for page in ["pair.html", "local.html"] {
            tab.open_cold(page);
            assert!(tab.text("main").contains("mcp-compat "), "{page} says what to do without script");
        }
        tab.leave();
    });
}

#[test]
fn the_matrix_of_newest_releases_is_on_the_first_screen() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        tab.size(1280, 800);
        tab.open("index.html");
        let rows = "[...document.querySelectorAll('#front tr')].slice(0, 10).at(-1).getBoundingClientRect().bottom";
        let bottom = tab.look(rows).as_f64().unwrap();
        assert!(bottom <= 800.0, "the tenth row ends at {bottom}");
        tab.leave();
    });
}

#[test]
fn what_changed_has_room_beside_the_matrix() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        for width in [1010, 1280, 1600] {
            tab.size(width, 800);
            tab.open_cold("index.html");
            let wide = tab.look("document.querySelector('.changed').clientWidth").as_f64().unwrap();
            assert!(wide >= 200.0, "{wide} pixels at {width}");
        }
        tab.leave();
    });
}

#[test]
fn names_are_set_off_and_no_page_shows_a_backtick() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        for page in PLAIN.pages().iter().chain(&PLAIN.kinds()) {
            opened(&mut tab, page);
            // What is meant to be copied is as it is written: Markdown.
            let raw = "[...document.querySelectorAll('main *')].filter(part => !part.closest('pre, .cmd') && [...part.childNodes].some(node => node.nodeType === 3 && node.data.includes('`'))).map(part => part.outerHTML.slice(0, 300))";
            assert_eq!(tab.look(raw), json!([]), "{page}");
            assert!(!text(&tab.look("document.title")).contains('`'), "{page}");
        }
        tab.leave();
    });
}

#[test]
fn every_button_copies_what_stands_beside_it() {
    with_browser(|browser| {
        let mut tab = Tab::new(browser, &PLAIN.on_server());
        let cell = PLAIN.cell("breaks");
        tab.open_cold(&format!("scenario/{}.html", cell["scenario"].as_str().unwrap()));
        let copied = tab.look(
            "(async () => {
                const copied = [];
                Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => copied.push(text)}});
                for (const button of document.querySelectorAll('.cmd button')) button.click();
                await null;
                return [copied, [...document.querySelectorAll('.cmd')].map(box => box.firstElementChild.textContent)];
            })()",
        );
        assert_eq!(copied[0], copied[1]);
        assert!(text(&copied[0][0]).contains("Reproduce:"), "{copied}");
        tab.leave();
    });
}

#[test]
fn the_first_page_prints_on_two_sheets() {
    with_browser(|browser| {
        for made in [&*PLAIN, &*STRANGE] {
            let mut tab = Tab::new(browser, &made.on_disk());
            tab.open("index.html");
            let size = json!({"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": false});
            let printed = text(&tab.ask("Page.printToPDF", size)["data"]);
            let printed = base64::engine::general_purpose::STANDARD.decode(printed).unwrap();
            assert!(printed.starts_with(b"%PDF"));
            let sheets = String::from_utf8_lossy(&printed).matches("/Type /Page\n").count();
            assert!((1..=2).contains(&sheets), "{sheets} sheets");
            tab.leave();
        }
    });
}

#[test]
fn no_page_scrolls_sideways_on_a_telephone() {
    with_browser(|browser| {
        let look = |made: &Made, browser: &mut _| {
            let mut tab = Tab::new(browser, &made.on_disk());
            let mut wide = Vec::new();
            for page in made.kinds() {
                opened(&mut tab, &page);
                for width in [320, 390, 1280] {
                    tab.size(width, 700);
                    let found = tab.look(
                        "(() => {
                            const page = document.scrollingElement;
                            if (page.scrollWidth <= innerWidth) return null;
                            const wide = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.parentElement.closest('.scroll, pre, nav'));
                            return [page.scrollWidth, wide.slice(0, 4).map(e => e.outerHTML.slice(0, 120))];
                        })()",
                    );
                    if !found.is_null() {
                        wide.push(format!("{page} at {width}: {found}"));
                    }
                }
            }
            tab.leave();
            assert!(wide.is_empty(), "{wide:#?}");
        };
        look(&PLAIN, browser);
        look(&STRANGE, browser);
    });
}
