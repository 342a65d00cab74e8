//! The viewer of records that somebody chooses: it shows what the record says, and takes anything for what it is.

use std::fs;

use serde_json::json;

use crate::chromium::with_browser;
use crate::made::{FOLDER, Made, PLAIN, STRANGE};
use crate::recount::{cells, number, shown, word};
use crate::tab::{Tab, text};

/// Chooses a file in the dialogue of the page.
fn choose(tab: &mut Tab<'_>, file: &str) {
    let root = tab.ask("DOM.getDocument", json!({}))["root"]["nodeId"].take();
    let input = tab.ask("DOM.querySelector", json!({"nodeId": root, "selector": "#file"}))["nodeId"].take();
    tab.ask("DOM.setFileInputFiles", json!({"nodeId": input, "files": [file]}));
}

fn opened<'b>(browser: &'b mut crate::chromium::Chromium, made: &Made) -> Tab<'b> {
    let mut tab = Tab::new(browser, &made.on_disk());
    tab.open("local.html");
    tab.until("document.querySelector('#file')");
    tab
}

#[test]
fn a_record_that_is_chosen_is_shown_and_sent_nowhere() {
    with_browser(|browser| {
        let record = PLAIN.record();
        let mut tab = opened(browser, &STRANGE);
        choose(&mut tab, &PLAIN.record_path());
        tab.until("document.querySelector('#app td a')");
        let breaks: Vec<_> = cells(&record).iter().filter(|cell| cell["rating"] == "breaks").collect();
        assert_eq!(number(&tab.text("#app .lead")), Some(breaks.len() as u64));
        tab.click("#app td a");
        tab.until("document.querySelector('#app dl.facts')");
        let id = text(&tab.look("parameters().cell"));
        let cell = breaks.iter().find(|cell| cell["id"] == *id).unwrap();
        let said = tab.text("#app");
        assert!(said.contains(&shown(word(cell, "reason"))), "{said}");
        let nowhere = "[...document.querySelectorAll('#app a')].map(a => a.getAttribute('href')).filter(href => /null|undefined/.test(href))";
        assert_eq!(tab.look(nowhere), json!([]));
        tab.leave();
    });
}

#[test]
fn a_run_of_a_history_that_is_chosen_is_shown_as_its_record_is() {
    with_browser(|browser| {
        let record = PLAIN.record();
        let mut tab = opened(browser, &STRANGE);
        let kept = PLAIN.kept();
        choose(&mut tab, &kept);
        tab.until("document.querySelector('#app td a')");
        let breaks: Vec<_> = cells(&record).iter().filter(|cell| cell["rating"] == "breaks").collect();
        assert_eq!(number(&tab.text("#app .lead")), Some(breaks.len() as u64));
        for cell in breaks.iter().step_by(9).take(6) {
            tab.look(&format!("location.hash = 'cell={}'", word(cell, "id")));
            tab.until(&format!("document.title === {}", cell["id"]));
            let said = tab.text("#app");
            for finding in cell["findings"].as_array().unwrap() {
                assert!(said.contains(word(finding, "rule")), "{said}");
            }
            assert!(said.contains(&shown(word(cell, "reason"))), "{said}");
        }
        let torn = format!("{FOLDER}/torn.mcpc.gz");
        let whole = fs::read(&kept).unwrap();
        fs::write(&torn, &whole[..whole.len() / 2]).unwrap();
        tab.look("document.querySelector('#app').replaceChildren()");
        choose(&mut tab, &torn);
        tab.until("document.querySelector('#app .warn')");
        assert!(tab.text("#app .warn").contains("cut off or damaged"), "{}", tab.text("#app .warn"));
        tab.leave();
    });
}

#[test]
fn a_hostile_record_that_is_chosen_is_text() {
    with_browser(|browser| {
        let mut tab = opened(browser, &PLAIN);
        choose(&mut tab, &STRANGE.record_path());
        tab.until("document.querySelector('#app td a')");
        tab.click("#app td a");
        tab.until("document.querySelector('#app dl.facts')");
        assert!(tab.text("#app").contains("<img src=x onerror="));
        assert_eq!(tab.look("document.querySelectorAll('img, form, body script, [onerror]').length"), 0);
        assert_eq!(tab.look("/[\\u0000-\\u0008\\u001b\\u202a-\\u202e]/.test(document.body.textContent)"), false);
        tab.leave();
    });
}

#[test]
fn what_is_no_record_is_refused_with_the_reason() {
    with_browser(|browser| {
        let mut tab = opened(browser, &PLAIN);
        let file = format!("{FOLDER}/no-record.json");
        let bad = [
            "",
            "no JSON",
            "null",
            "[]",
            r#"{"cells": 3}"#,
            r#"{"schema_version": 99, "cells": []}"#,
            r#"{"schema_version": 1, "cells": [null]}"#,
            r#"{"schema_version": 1, "cells": [{"findings": 7}]}"#,
        ];
        for content in bad {
            fs::write(&file, content).unwrap();
            tab.look("document.querySelector('#app').replaceChildren()");
            choose(&mut tab, &file);
            tab.until("document.querySelector('#app .warn')");
            assert!(tab.text("#app .warn").contains("cannot be shown"), "{content}");
        }
        tab.leave();
    });
}
