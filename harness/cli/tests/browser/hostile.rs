//! What a stranger wrote is text, on every page.

use crate::chromium::with_browser;
use crate::made::STRANGE;
use crate::recount::cells;
use crate::shown::opened;
use crate::tab::{Tab, text};

#[test]
fn hostile_texts_are_shown_and_do_nothing() {
    with_browser(|browser| {
        for base in [STRANGE.on_disk(), STRANGE.on_server()] {
            let mut tab = Tab::new(browser, &base);
            for page in STRANGE.pages().iter().chain(&STRANGE.kinds()) {
                opened(&mut tab, page);
                if page.contains("#cell=") {
                    tab.until("document.querySelector('#app .wire .msg')");
                }
                assert_ne!(text(&tab.look("document.title")), "taken", "{page}");
                let made = tab.look("document.querySelectorAll('img:not(.badge), iframe, object, embed, form, base, body script, [onerror], [onclick]').length");
                assert_eq!(made, 0, "{page}: markup of a stranger");
                let scripts = tab.look("[...document.scripts].filter(s => !s.src.includes('/assets/') && !s.src.includes('/data/')).length");
                assert_eq!(scripts, 0, "{page}");
                let away = tab.look("[...document.links].map(a => a.href).filter(h => !/^(file:|http:\\/\\/127\\.0\\.0\\.1|https:\\/\\/modelcontextprotocol\\.io\\/|https:\\/\\/github\\.com\\/modelcontextprotocol\\/|https:\\/\\/(json-schema|www\\.jsonrpc|www\\.rfc-editor)\\.org\\/|https:\\/\\/datatracker\\.ietf\\.org\\/)/.test(h))");
                assert_eq!(away, serde_json::json!([]), "{page}");
                let turned = tab.look("/[\\u0000-\\u0008\\u001b\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.textContent)");
                assert_eq!(turned, false, "{page}: characters that turn or hide others");
            }
            tab.leave();
        }
    });
}

#[test]
fn the_wire_shows_what_was_sent() {
    with_browser(|browser| {
        let record = STRANGE.record();
        let mut tab = Tab::new(browser, &STRANGE.on_disk());
        let cell = &cells(&record)[0];
        opened(&mut tab, &format!("pair.html#cell={}", cell["id"].as_str().unwrap()));
        tab.until("document.querySelector('#app .wire .msg')");
        let wire = tab.text(".wire");
        assert!(wire.contains("<img src=x onerror=") && wire.contains("⟨202E⟩"), "{wire}");
        // A reason of a megabyte does not make a page of a megabyte.
        tab.open("index.html");
        assert!(tab.look("document.documentElement.innerHTML.length").as_u64() < Some(200_000));
        tab.leave();
    });
}
