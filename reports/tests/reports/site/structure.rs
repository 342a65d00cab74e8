//! Parts of pages, and equal bytes for equal input.

use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::site::SiteError;

use crate::site::specimen::{cell, files, record, text};

fn small() -> Record {
    record(vec![
        cell("root-type/array::typescript@1.32.2::mock/dual::http", Rating::Breaks, false, "It broke. To fix."),
        cell("root-type/array::typescript@2.4.0+auto::mock/dual::http", Rating::Works, false, "fine"),
        cell("root-type/array::typescript@2.4.0+legacy::go@1.8.0/typed::http", Rating::Breaks, true, "Worse."),
    ])
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(files(&[small()], "{}", 50 << 20), files(&[small()], "{}", 50 << 20));
}

#[test]
fn every_page_can_be_used_without_a_mouse_and_without_script() {
    for (path, bytes) in files(&[small()], "{}", 50 << 20) {
        let Some(page) = path.ends_with(".html").then(|| String::from_utf8(bytes).unwrap()) else { continue };
        for part in [
            "<html lang=\"en\"",
            "class=\"skip\" href=\"#main\"",
            "<main id=\"main\"",
            "Content-Security-Policy",
            "<nav aria-label",
        ] {
            assert!(page.contains(part), "{path} has no {part}");
        }
        assert_eq!(page.matches("<table").count(), page.matches("</table>").count(), "{path}");
        assert!(page.contains("<th scope=\"col\"") || !page.contains("<thead"), "{path}");
    }
}

#[test]
fn every_address_within_the_site_is_there() {
    let files = files(&[small()], "{}", 50 << 20);
    for path in files.keys().filter(|path| path.ends_with(".html")) {
        let page = text(&files, path);
        for link in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if link.starts_with('#') || link.contains(':') && !link.contains(".html#") {
                continue;
            }
            let target = link.split('#').next().unwrap();
            let mut parts: Vec<&str> = path.split('/').collect();
            parts.pop();
            for part in target.split('/') {
                if part == ".." { assert!(parts.pop().is_some(), "{path}: {link}") } else { parts.push(part) }
            }
            assert!(files.contains_key(&parts.join("/")), "{path} leads to {link}");
        }
    }
}

#[test]
fn evidence_is_left_out_where_it_is_too_much() {
    // Bytes that compression does not make smaller.
    let mut state = 1_u64;
    let message: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + u8::try_from(state >> 60).unwrap())
    })
    .take(20_000)
    .collect();
    let whole = files(&[small()], &message, 50 << 20);
    let size: u64 = whole.values().map(|bytes| bytes.len() as u64).sum();
    let cut = files(&[small()], &message, size - 100);
    assert!(cut.values().map(|bytes| bytes.len() as u64).sum::<u64>() < size - 5_000);
    assert_eq!(cut.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_told_apart_is_refused() {
    let (one, other) = (small(), small());
    let book = mcp_compat_reports::site::EvidenceBook::default();
    let newest = mcp_compat_reports::site::Run { record: &one, evidence: &book };
    let (definitions, issues, support) = Default::default();
    let mut earlier = mcp_compat_reports::site::Earlier::than(&one);
    let alone = earlier.clone();
    earlier.add(&other, None);
    let input = mcp_compat_reports::site::Input {
        title: "",
        base: None,
        newest,
        earlier: &earlier,
        definitions: &definitions,
        issues: &issues,
        support: &support,
        hosts: None,
        today: None,
        max_bytes: 1 << 20,
    };
    assert!(matches!(mcp_compat_reports::site::site(&input), Err(SiteError::SameTime { .. })));
    let tight = mcp_compat_reports::site::Input { earlier: &alone, max_bytes: 1_000, ..input };
    assert!(matches!(mcp_compat_reports::site::site(&tight), Err(SiteError::TooLarge { .. })));
}
