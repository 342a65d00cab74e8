//! `site`: a folder of pages from a record, and what is refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::workshop::{BROKEN_CELL, ONE_CELL, PROGRAM, Workshop, to_its_end};

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_record_becomes_pages_and_the_same_record_the_same_pages() {
    let workshop = Workshop::new();
    workshop.run(BROKEN_CELL).ends_with(1);
    workshop
        .run(["report", "--format=site", "--out", "pages", "--title", "Nightly"])
        .ends_with(0)
        .shows(&["pages/index.html"]);
    let first = files(&workshop.path().join("pages"));
    let index = String::from_utf8(first["index.html"].clone()).unwrap();
    assert!(index.contains("Nightly") && index.contains("data-n=\"breaks\">1<"), "{index}");
    assert!(first.keys().any(|path| path.starts_with("data/") && path.ends_with("cells-000.js")));
    workshop.run(["report", "--format=site", "--out", "pages", "--title", "Nightly"]).ends_with(0);
    assert_eq!(files(&workshop.path().join("pages")), first);
}

#[test]
fn the_newest_run_is_compared_with_the_one_before() {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL.into_iter().chain(["--out", "one"])).ends_with(0);
    workshop.run(ONE_CELL.into_iter().chain(["--out", "two"])).ends_with(0);
    let mut two: serde_json::Value =
        serde_json::from_slice(&fs::read(workshop.path().join("two/run.json")).unwrap()).unwrap();
    two["started"] = "2100-01-01T00:00:00Z".into();
    fs::write(workshop.path().join("two/run.json"), two.to_string()).unwrap();
    workshop.run(["report", "--format=site", "two", "one", "--out", "pages"]).ends_with(0);
    let index = fs::read_to_string(workshop.path().join("pages/index.html")).unwrap();
    assert!(index.contains("Nothing changed") && index.contains("1 compared check"), "{index}");
    assert!(index.contains("data-run=\"2100-01-01T000000Z\""));
    let same = workshop.run(["report", "--format=site", "one", "one/run.json", "--out", "pages"]).ends_with(2);
    same.says(&["one and one/run.json both began at", "leave one of them out"]);
    workshop.run(["history", "add", "one", "--into", "history"]).ends_with(0);
    workshop.run(["report", "--format=site", "one", "--history", "history", "--out", "pages"]).ends_with(0);
    let one: serde_json::Value =
        serde_json::from_slice(&fs::read(workshop.path().join("one/run.json")).unwrap()).unwrap();
    two["started"] = one["started"].clone();
    two["corpus"] = "0123456789abcdef".into();
    fs::write(workshop.path().join("two/run.json"), two.to_string()).unwrap();
    let before = files(&workshop.path().join("pages"));
    let same = workshop.run(["report", "--format=site", "two", "--history", "history", "--out", "pages"]).ends_with(2);
    same.says(&["two and history/runs/", "both began at"]);
    assert_eq!(files(&workshop.path().join("pages")), before);
}

#[test]
fn nothing_but_a_site_is_replaced() {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL).ends_with(0);
    fs::create_dir(workshop.path().join("mine")).unwrap();
    fs::write(workshop.path().join("mine/thesis.txt"), "years of work").unwrap();
    for other in ["--format=junit=a.xml", "--out=a"] {
        let ran = workshop.run(["report", "--format=site=new", other]).ends_with(2);
        ran.says(&["a site is written alone"]);
    }
    assert!(!workshop.path().join("new").exists() && !workshop.path().join("a.xml").exists());
    workshop.run(["report", "--format=site", "--out", "mine"]).ends_with(2).says(&["is not a site of mcp-compat"]);
    assert_eq!(fs::read_to_string(workshop.path().join("mine/thesis.txt")).unwrap(), "years of work");
    workshop
        .run(["report", "--format=site", "--out", "pages", "--max-size", "10KB"])
        .ends_with(2)
        .says(&["without any messages, and --max-size allows 10 KB: allow "]);
    assert!(!workshop.path().join("pages").exists());
    workshop.run(["report", "--format=site", "nowhere", "--out", "pages"]).ends_with(2).says(&["nowhere"]);
    workshop
        .run(["report", "--format=site", "--out", "pages", "--base", "javascript:x"])
        .ends_with(2)
        .says(&["is not the address"]);
}

#[test]
fn a_file_without_an_end_is_not_read() {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL).ends_with(0);
    for option in ["--issues", "--support"] {
        workshop
            .run(["report", "--format=site", "--out", "pages", option, "/dev/zero"])
            .ends_with(2)
            .says(&["it is a device or a pipe"]);
    }
    assert!(!workshop.path().join("pages").exists());
}

#[test]
fn a_site_or_a_history_that_cannot_be_written_whole_stays_as_it_was() {
    let workshop = Workshop::new();
    workshop.run(BROKEN_CELL).ends_with(1);
    workshop.run(["report", "--format=site", "--out", "pages"]).ends_with(0);
    let before = files(workshop.path());
    // No file may be longer than some blocks: writing more fails, as it does on a full disk.
    let full = |blocks: &str, args: &[&str]| {
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, PROGRAM]).args(args).current_dir(workshop.path());
        to_its_end(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    full("8", &["report", "--format=site", "--out", "pages", "--title", "Other"])
        .ends_with(2)
        .says(&["cannot write the site pages, which stays as it was", "File too large"]);
    full("1", &["history", "add", "--into", "history"]).ends_with(2).says(&["The history is as it was"]);
    assert_eq!(files(workshop.path()), before);
}

#[test]
fn the_report_is_one_page_that_loads_nothing() {
    let workshop = Workshop::new();
    workshop.run(BROKEN_CELL).ends_with(1);
    let page = workshop.run(["report", "--format", "html"]).ends_with(0).stdout;
    assert!(
        page.contains("data-n=\"breaks\">1<") && page.contains("default-src 'none'; script-src 'sha256-"),
        "{page}"
    );
    assert!(!page.contains("src=\"") && !page.contains("<link rel=\"stylesheet"));
    for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(
            link.starts_with('#') || link == "data:," || link.starts_with("https://modelcontextprotocol.io/"),
            "{link}"
        );
    }
}
