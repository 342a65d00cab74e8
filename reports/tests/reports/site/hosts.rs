//! The page about hosts: what a model reads, and only of hosts that could not reach the network.

use std::collections::BTreeMap;

use mcp_compat_model::record::{PeerRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{CellId, PeerId, Role};
use mcp_compat_reports::hosts::Offers;
use mcp_compat_reports::site::{Earlier, EvidenceBook, Files, Hosts, Input, Run, site};

use crate::site::made::{cell, record};
use crate::site::specimen::text;

const ALONE: &str = "fallback/empty-content::agent@1.0.0::mock/dual::stdio";

fn host(id: &str, isolated: bool) -> PeerRecord {
    PeerRecord {
        id: PeerId::new(id).unwrap(),
        role: Role::Client,
        language: None,
        revisions: Vec::new(),
        mode: None,
        about: String::new(),
        isolated: Some(isolated),
        calls: None,
        recorded: None,
    }
}

/// Two hosts, of which one could reach the network. A value alone is nothing to either.
fn of_hosts() -> Record {
    let mut cells = vec![cell("root-type/object::agent@1.0.0::mock/dual::stdio", Rating::Works, false, "")];
    for id in [ALONE.to_owned(), ALONE.replace("agent", "wanderer")] {
        cells.push(mcp_compat_model::record::CellRecord {
            outcome: Outcome::Lost,
            ..cell(&id, Rating::Breaks, false, "")
        });
    }
    Record { peers: vec![host("agent@1.0.0", true), host("wanderer@1.0.0", false)], ..record(cells) }
}

fn files(hosts: Option<Hosts<'_>>) -> Files {
    let record = record(vec![cell("root-type/object::mock/dual+auto::mock/dual::stdio", Rating::Works, false, "")]);
    let (evidence, definitions) = (EvidenceBook::default(), BTreeMap::new());
    let (issues, support) = Default::default();
    let earlier = Earlier::than(&record);
    let newest = Run { record: &record, evidence: &evidence };
    let (definitions, issues, support, earlier) = (&definitions, &issues, &support, &earlier);
    let (title, base, today, max_bytes) = ("Test", None, None, 50 << 20);
    site(&Input { title, base, newest, earlier, definitions, issues, support, hosts, today, max_bytes }).unwrap()
}

#[test]
fn a_word_opens_what_the_model_was_sent() {
    let record = of_hosts();
    let read = BTreeMap::from([(CellId::parse(ALONE).unwrap().id(), "<b>nothing of use</b>".to_owned())]);
    let files = files(Some(Hosts { record: &record, read: &read, offers: &Offers::default(), measured: &[] }));
    let page = text(&files, "hosts.html");
    let opened = "<details><summary>nothing</summary><code>&lt;b&gt;nothing of use&lt;/b&gt;</code></details>";
    assert!(page.contains(opened), "{page}");
    assert!(page.contains("the models of 1 of 1 hosts then read it"), "{page}");
    assert!(text(&files, "index.html").contains(r#"<a href="hosts.html">Hosts</a>"#));
}

#[test]
fn a_host_that_could_reach_the_network_is_left_out() {
    let record = of_hosts();
    let page = text(
        &files(Some(Hosts { record: &record, read: &BTreeMap::new(), offers: &Offers::default(), measured: &[] })),
        "hosts.html",
    );
    assert!(page.contains("agent@1.0.0") && !page.contains("wanderer"), "{page}");
}

#[test]
fn a_site_without_hosts_has_no_page_of_them() {
    let files = files(None);
    assert!(!files.contains_key("hosts.html"));
    assert!(!text(&files, "index.html").contains("hosts.html"));
}
