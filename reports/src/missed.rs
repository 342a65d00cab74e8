//! Pairs that support a newer revision than the one they negotiated: each pair once, with the reason.
//!
//! Pairs of two mocks are not listed: their names state their revisions.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::missed::{Because, Missed};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::{PeerId, Revision, Transport};

/// Pairs of one client that missed the same for the same reasons.
#[derive(Clone, Debug)]
pub struct MissedPairs<'a> {
    pub client: &'a PeerId,
    pub servers: Vec<&'a PeerId>,
    /// Missed revision and reason, in words.
    pub why: String,
}

/// Missed revision, negotiated revision, and reason.
type Instead = (Revision, Option<Revision>, Because);

/// First words about it on the wire, and the transports over which it was missed.
type Evidence<'a> = (Option<&'a str>, BTreeSet<Transport>);

/// The pairs of a record that missed a revision.
pub(crate) fn missed_pairs(record: &Record) -> Vec<MissedPairs<'_>> {
    let real: BTreeSet<&PeerId> =
        record.peers.iter().filter(|peer| peer.language.is_some()).map(|peer| &peer.id).collect();
    let mut pairs = BTreeMap::<(&PeerId, &PeerId), BTreeMap<Instead, Evidence<'_>>>::new();
    let mut played = BTreeMap::<(&PeerId, &PeerId), BTreeSet<Transport>>::new();
    for cell in &record.cells {
        let pair = (&cell.client, &cell.server);
        played.entry(pair).or_default().insert(cell.transport);
        let Some(missed) = &cell.missed else { continue };
        if real.contains(&cell.client) || real.contains(&cell.server) {
            let instead = (missed.revision, cell.negotiated, missed.because);
            let (_, transports) =
                pairs.entry(pair).or_default().entry(instead).or_insert((missed.said.as_deref(), BTreeSet::new()));
            transports.insert(cell.transport);
        }
    }
    let mut by_reason = BTreeMap::<(&PeerId, String), Vec<&PeerId>>::new();
    for ((client, server), reasons) in pairs {
        let all = &played[&(client, server)];
        let parts: Vec<String> =
            reasons.iter().map(|(instead, (words, over))| why(*instead, *words, over, all)).collect();
        by_reason.entry((client, parts.join("; "))).or_default().push(server);
    }
    by_reason.into_iter().map(|((client, why), servers)| MissedPairs { client, servers, why }).collect()
}

/// Number of pairs.
pub(crate) fn pairs(missed: &[MissedPairs<'_>]) -> usize {
    missed.iter().map(|pairs| pairs.servers.len()).sum()
}

/// Missed revision of one cell and reason, in words.
pub fn of_cell(cell: &CellRecord, missed: &Missed) -> String {
    sentence((missed.revision, cell.negotiated, missed.because), missed.said.as_deref())
}

fn why(instead: Instead, words: Option<&str>, over: &BTreeSet<Transport>, all: &BTreeSet<Transport>) -> String {
    let sentence = sentence(instead, words);
    if over == all {
        return sentence;
    }
    let over: Vec<&str> = over.iter().map(|transport| transport.as_str()).collect();
    format!("over {}: {sentence}", over.join(" and "))
}

fn sentence((could, spoke, because): Instead, words: Option<&str>) -> String {
    let spoke = spoke.map_or("nothing", Revision::as_str);
    let words = words.map(|words| format!(" ({})", neutralised(words))).unwrap_or_default();
    format!("{spoke}, not {could}: {}{words}", because.meaning())
}
