//! Texts of the pages, and texts that they must not have.

use mcp_compat_model::record::{Known, Record};
use mcp_compat_model::verdict::{Level, Party, Rating};

use crate::site::specimen::{cell, files, record, text};

const TYPESCRIPT: &str = "root-type/array::typescript@2.4.0+auto::mock/dual::http";
const MOCKS: &str = "root-type/array::mock/2025-11-25::mock/dual::http";

fn of(cells: &[(&str, Rating)]) -> Record {
    record(cells.iter().map(|(id, rating)| cell(id, *rating, false, "It lost `list_users`. To fix.")).collect())
}

fn pages(record: &Record, path: &str) -> String {
    text(&files(std::slice::from_ref(record), "{}", 50 << 20), path)
}

#[test]
fn names_between_backticks_are_code_wherever_they_stand() {
    let mut record = of(&[(TYPESCRIPT, Rating::Breaks)]);
    record.scenarios[0].title = "A key `__proto__`".to_owned();
    record.left_out[0].reason = "`mcp-compat peers install` is missing".to_owned();
    record.cells[0].known =
        Some(Known { reason: "lost `get_list`, and `get_…".to_owned(), covers: None, issue: None, flaky: false });
    let files = files(&[record], "{}", 50 << 20);
    for (path, code) in [
        ("scenarios.html", "A key <code>__proto__</code>"),
        ("scenario/root-type/array.html", "A key <code>__proto__</code>"),
        ("scenario/root-type/array.html", "<title>A key __proto__ · Test</title>"),
        ("index.html", "<code>mcp-compat peers install</code> is missing"),
        ("peer/typescript@2.4.0.html", "It lost <code>list_users</code>."),
    ] {
        assert!(text(&files, path).contains(code), "{path}: {}", text(&files, path));
    }
    let cause = files.keys().find(|path| path.starts_with("cause/")).unwrap();
    assert!(text(&files, cause).contains("lost <code>get_list</code>, and <code>get_…</code>"));
}

#[test]
fn a_few_peers_are_played_again_by_their_names_and_more_of_them_with_the_fleet() {
    let few = pages(&of(&[(TYPESCRIPT, Rating::Breaks)]), "index.html");
    let named = "<code>mcp-compat run --scenario 'root-type/array' --client typescript@2.4.0+auto --server mock/dual --transport http";
    assert!(few.contains(named) && few.contains("of newest releases"), "{few}");
    let cells: Vec<String> = (0..9).map(|minor| TYPESCRIPT.replace("2.4.0", &format!("2.{minor}.0"))).collect();
    let cells: Vec<(&str, Rating)> = cells.iter().map(|cell| (cell.as_str(), Rating::Breaks)).collect();
    let fleet = pages(&of(&cells), "index.html");
    assert!(fleet.contains("<code>mcp-compat run --scenario 'root-type/array' --fleet --transport http"), "{fleet}");
    assert!(fleet.contains("Test these scenarios with the fleet"), "{fleet}");
    let mocks = pages(&of(&[(MOCKS, Rating::Breaks)]), "index.html");
    assert!(mocks.contains("--client mock/2025-11-25 --server mock/dual --transport http"), "{mocks}");
    assert!(mocks.contains("<h2 id=\"newest\">Mocks</h2>"));
    assert!(!mocks.contains("newest release"), "a mock is no release");
}

#[test]
fn the_page_for_what_is_not_there_leads_back() {
    let page = pages(&of(&[(TYPESCRIPT, Rating::Breaks)]), "404.html");
    assert!(page.contains("A cause that was fixed has none") && page.contains("href=\"causes.html\""), "{page}");
}

#[test]
fn releases_come_before_mocks() {
    let matrix = pages(&of(&[(TYPESCRIPT, Rating::Breaks), (MOCKS, Rating::Works)]), "matrix.html");
    let row = |id: &str| matrix.find(&format!("<th scope=\"row\" data-id=\"{id}\"")).unwrap();
    assert!(row("typescript@2.4.0+auto") < row("mock/2025-11-25"));
}

#[test]
fn nobody_has_to_fix_that_two_peers_share_no_revision() {
    let mut record = of(&[(TYPESCRIPT, Rating::Breaks)]);
    record.cells[0].signature = Some("both:unreachable:session:no-common-revision".parse().unwrap());
    record.cells[0].fault = Some(mcp_compat_model::verdict::Fault::Both);
    let page = pages(&record, "peer/typescript@2.4.0.html");
    assert!(page.contains("No break of this run is for typescript@2.4.0 to fix."), "{page}");
    assert!(page.contains("Other breaks"), "{page}");
}

#[test]
fn a_rule_that_allows_is_not_broken() {
    let said = |level, party| {
        let mut record = of(&[(TYPESCRIPT, Rating::Breaks)]);
        (record.cells[0].findings[0].level, record.cells[0].findings[0].party) = (level, party);
        let files = files(&[record], "{}", 50 << 20);
        let cause = files.keys().find(|path| path.starts_with("cause/")).unwrap();
        text(&files, cause)
    };
    assert!(said(Level::Must, Party::Server).contains("broken by the server"));
    assert!(said(Level::May, Party::Server).contains("not followed by the server, which is allowed"));
    let ambiguous = said(Level::Must, Party::Spec);
    assert!(ambiguous.contains("the specification is ambiguous") && !ambiguous.contains("broken by"));
}

#[test]
fn a_release_has_its_breaks_as_a_baseline() {
    let mut record = of(&[(TYPESCRIPT, Rating::Breaks), (MOCKS, Rating::Breaks)]);
    record.cells.iter_mut().for_each(|cell| {
        cell.known = Some(Known { reason: String::new(), covers: None, issue: None, flaky: false });
    });
    let files = files(&[record], "{}", 50 << 20);
    assert!(text(&files, "peer/typescript@2.4.0.html").contains("href=\"../known/typescript@2.4.0.toml\""));
    let known = text(&files, "known/typescript@2.4.0.toml");
    assert!(
        known.contains("cells = \"root-type/array::typescript@2.4.0+auto::*::*\"") && !known.contains("mock"),
        "{known}"
    );
    assert!(!files.contains_key("known/mock~dual.toml"));
}
