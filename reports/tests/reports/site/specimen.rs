//! Sites for tests.

use std::collections::BTreeMap;

use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, PeerError};
use mcp_compat_model::record::Record;
use mcp_compat_reports::site::{Earlier, EvidenceBook, Files, Input, Run, site};

pub(crate) use crate::site::made::{cell, record};

/// The site of records, with a message in every cell of the last one.
pub(crate) fn files(records: &[Record], message: &str, max_bytes: u64) -> Files {
    let (record, before) = records.split_last().unwrap();
    let mut book = EvidenceBook::default();
    for cell in &record.cells {
        let error = PeerError { layer: Layer::Decode, code: None, message: message.to_owned() };
        let messages = vec![(Role::Server, message.to_owned())];
        book.add(crate::site::made::evidence(cell, messages, Vec::new(), End::NoSession(error)));
    }
    let mut earlier = Earlier::than(record);
    before.iter().rev().for_each(|run| earlier.add(run, None));
    let newest = Run { record, evidence: &book };
    let definitions = BTreeMap::new();
    let (issues, support) = Default::default();
    let (title, base, today, hosts) = ("Test", None, None, None);
    let (earlier, definitions, issues, support) = (&earlier, &definitions, &issues, &support);
    let input = Input { title, base, newest, earlier, definitions, issues, support, hosts, today, max_bytes };
    site(&input).unwrap()
}

pub(crate) fn text(files: &Files, path: &str) -> String {
    String::from_utf8(files.get(path).unwrap_or_else(|| panic!("no {path}")).clone()).unwrap()
}
