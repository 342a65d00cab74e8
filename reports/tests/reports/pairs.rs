//! What is told of pairs of real peers: revisions that they could have spoken, and whose fault mocks show a break to
//! be.

use mcp_compat_model::missed::{Because, Missed};
use mcp_compat_model::record::{PeerRecord, Record};
use mcp_compat_model::triangle::{Testimony, Triangle, Witness};
use mcp_compat_model::verdict::{Fault, Outcome, Rating};
use mcp_compat_model::{CellId, PeerId, Revision, Role, Transport};
use mcp_compat_reports::view::View;
use mcp_compat_reports::{Style, cell, markdown, terminal};

use crate::fixture::{self, Run};

/// Two real clients and two real servers beside mocks.
fn record() -> Record {
    let (clients, servers) = (["brisk@3.9.0+auto", "brisk@3.9.0+legacy"], ["ardent@0.9.2", "brisk@3.9.0"]);
    let run = Run {
        scenarios: vec!["root-type/array".to_owned()],
        clients: [&clients[..], &["mock/dual+legacy"]].concat(),
        servers: [&servers[..], &["mock/dual"]].concat(),
        transports: vec![Transport::Stdio, Transport::Http],
    };
    let peer = |role| {
        move |id: &str| PeerRecord {
            id: PeerId::new(id).unwrap(),
            role,
            language: Some("rust".to_owned()),
            revisions: Revision::ALL.to_vec(),
            mode: None,
            about: String::new(),
            isolated: None,
            calls: None,
            recorded: None,
        }
    };
    let peers = clients.map(peer(Role::Client)).into_iter().chain(servers.map(peer(Role::Server))).collect();
    Record { peers, ..run.record() }
}

fn missed(because: Because, said: Option<&str>) -> Option<Missed> {
    Some(Missed { revision: Revision::V2026_07_28, because, said: said.map(str::to_owned) })
}

/// Everybody knows the newest revision, and few speak it.
fn with_missed_revisions() -> Record {
    let mut record = record();
    for cell in &mut record.cells {
        let probes = cell.client.as_str().ends_with("+auto");
        cell.missed = match (probes, cell.server.as_str(), cell.transport) {
            (false, ..) => missed(Because::ModeLegacy, None),
            (true, "ardent@0.9.2", Transport::Http) => missed(Because::ProbeRefused, Some("HTTP 422 \u{1b}[31mno")),
            (true, "ardent@0.9.2", _) => missed(Because::ProbeUnanswered, None),
            (true, ..) => None,
        };
    }
    record
}

/// The part of a report from the heading that has the words to the next one.
fn section<'t>(text: &'t str, words: &str, next: &str) -> &'t str {
    let from = &text[text.find(words).unwrap()..];
    &from[..from.find(next).unwrap_or(from.len())]
}

#[test]
fn each_pair_that_missed_a_revision_is_told_once_with_why() {
    let text = terminal::render(&View::of(&with_missed_revisions()), terminal::Shown::EVERYTHING, Style::plain(100));
    insta::assert_snapshot!(section(&text, "Missed revisions", "\nNext:"));
    let text = markdown::render(&View::of(&with_missed_revisions()));
    insta::assert_snapshot!(section(&text, "## Missed revisions", "\n## "));
}

#[test]
fn nothing_is_said_of_revisions_that_nobody_missed_and_of_mocks() {
    let mut record = with_missed_revisions();
    record.cells.retain(|cell| cell.missed.is_none() || cell.client.is_mock() && cell.server.is_mock());
    assert!(record.cells.iter().any(|cell| cell.missed.is_some()));
    for text in [
        terminal::render(&View::of(&record), terminal::Shown::EVERYTHING, Style::plain(100)),
        markdown::render(&View::of(&record)),
    ] {
        assert!(!text.contains("Missed"), "{text}");
    }
}

/// The only cell of a record, broken between two real peers, with what mocks say of it.
fn broken(client: Option<Testimony>, server: Option<Testimony>) -> Record {
    let mut record = record();
    record.cells.retain(|cell| cell.id.as_str() == "root-type/array::brisk@3.9.0+auto::ardent@0.9.2::http");
    let witness = |id: &str, says| Witness {
        cell: CellId::parse(id).unwrap().id(),
        outcome: if says == Testimony::Clear { Outcome::Intact } else { Outcome::Rejected },
        rating: if says == Testimony::Clear { Rating::Works } else { Rating::Breaks },
        says,
    };
    let cell = &mut record.cells[0];
    (cell.outcome, cell.rating, cell.fault) = (Outcome::Rejected, Rating::Breaks, Some(Fault::Client));
    cell.reason = "the client refused the list.".to_owned();
    cell.missed = missed(Because::NotProbed, None);
    cell.triangle = Some(Triangle {
        alone: Fault::Spec,
        client: client.map(|says| witness("root-type/array::brisk@3.9.0+auto::mock/dual::http", says)),
        server: server.map(|says| witness("root-type/array::mock/dual+auto::ardent@0.9.2::http", says)),
        also_to_fix: None,
    });
    record
}

fn shown(record: &Record) -> String {
    let evidence = fixture::evidence(record.cells[0].id.as_str());
    let text = cell::render(&record.cells[0], None, &evidence, Style::plain(80));
    section(&text, "  outcome", "  rule")
        .lines()
        .take_while(|line| !line.starts_with("  took"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_mocks_show_is_told_of_a_cell() {
    insta::assert_snapshot!(shown(&broken(Some(Testimony::Guilty), Some(Testimony::Clear))));
    insta::assert_snapshot!(shown(&broken(Some(Testimony::Unclear), None)));
    assert!(!shown(&broken(None, None)).contains("with mocks"));
}

#[test]
fn what_the_fault_of_a_cause_rests_on_is_told() {
    let told = |client, server| {
        terminal::render(&View::of(&broken(client, server)), terminal::Shown::EVERYTHING, Style::plain(100))
    };
    let of_both = |says| told(Some(says), Some(Testimony::Clear));
    assert!(of_both(Testimony::Guilty).contains("to fix: client (mocks confirm it)"));
    assert!(of_both(Testimony::Clear).contains("to fix: client (breaks only together)"));
    assert!(of_both(Testimony::Unclear).contains("to fix: client ·"));
}
