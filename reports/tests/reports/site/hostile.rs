//! A record in which everything that a peer or a stranger chose is hostile.

use mcp_compat_model::invisible_chars::is_invisible;
use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Rating;

use crate::site::specimen::{cell, files, record};

const HOSTILE: &str = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u{202e}\u{0}\u{1b}[31m\"'`&amp; https://evil.example/";

fn hostile() -> Record {
    let ids = ["root-type/array::ts@1.0.0::mock/dual::http", "root-type/array::../../x::...::http"];
    let mut record = record(ids.map(|id| cell(id, Rating::Breaks, false, HOSTILE)).to_vec());
    for cell in &mut record.cells {
        cell.findings[0].rule = HOSTILE.to_owned();
        cell.findings[0].source = "javascript:alert(1)".to_owned();
        cell.findings[0].tool = Some(HOSTILE.to_owned());
        cell.signature = None;
    }
    record.cells[0].reason = "a ".repeat(500_000);
    (record.started, record.tool_version) = (HOSTILE.to_owned(), HOSTILE.to_owned());
    record.corpus = HOSTILE.to_owned();
    record.scenarios[0].title = HOSTILE.to_owned();
    record.scenarios[0].why = HOSTILE.to_owned();
    record.scenarios[0].sources = vec!["javascript:alert(1)".to_owned(), HOSTILE.to_owned()];
    record.left_out[0].reason = HOSTILE.to_owned();
    record.stale = vec![HOSTILE.to_owned()];
    record
}

#[test]
fn nothing_of_it_is_more_than_text() {
    let files = files(&[hostile()], HOSTILE, 50 << 20);
    for (path, bytes) in &files {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(path.split('/').all(|part| part != ".." && part.len() < 200), "{path}");
        if path.starts_with("assets/") {
            continue;
        }
        for markup in ["<img src=x", "<script>"] {
            let around = text.find(markup).and_then(|at| text.get(at.saturating_sub(120)..at + 40));
            assert_eq!(around, None, "{path}");
        }
        assert!(!text.contains("href=\"javascript") && !text.contains("href=\"https://evil"), "{path}");
        assert!(
            !text.chars().any(|c| is_invisible(c) && c != '\n'),
            "{path}: {:?}",
            text.chars().position(|c| is_invisible(c) && c != '\n').map(|at| text
                .chars()
                .skip(at.saturating_sub(80))
                .take(90)
                .collect::<String>())
        );
        assert!(text.len() < 100_000, "{path} has {} bytes", text.len());
        if path.ends_with(".html") {
            let scripts = if path == "local.html" { 2 } else { 1 };
            assert_eq!(text.matches("<script").count(), scripts, "{path}");
        }
    }
}

#[test]
fn a_script_of_data_holds_no_markup() {
    let files = files(&[hostile()], HOSTILE, 50 << 20);
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with("data/") && path.ends_with(".js")) {
        assert!(!bytes.contains(&b'<'), "{path}");
    }
}
