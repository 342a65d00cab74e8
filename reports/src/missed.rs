//! Pairs that could have spoken a newer revision than they did: each pair once, with why.
//!
//! Two mocks that miss one do so because their names say so, and are not told of.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::missed::{Because, Missed};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::{PeerId, Revision, Transport};

/// Pairs of one client that missed the same for the same reasons.
#[derive(Clone, Debug)]
pub struct MissedPairs<'a> {
    /// The client.
    pub client: &'a PeerId,
    /// The servers.
    pub servers: Vec<&'a PeerId>,
    /// What was missed and why, in words.
    pub why: String,
}

/// What a pair missed, what it spoke instead, and why.
type Instead = (Revision, Option<Revision>, Because);

/// What was said on the wire of it first, and over which transports it was so.
type Where<'a> = (Option<&'a str>, BTreeSet<Transport>);

/// The pairs of a record that missed a revision.
pub(crate) fn missed_pairs(record: &Record) -> Vec<MissedPairs<'_>> {
    let real: BTreeSet<&PeerId> =
        record.peers.iter().filter(|peer| peer.language.is_some()).map(|peer| &peer.id).collect();
    let mut pairs = BTreeMap::<(&PeerId, &PeerId), BTreeMap<Instead, Where<'_>>>::new();
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
    let mut told = BTreeMap::<(&PeerId, String), Vec<&PeerId>>::new();
    for ((client, server), reasons) in pairs {
        let all = &played[&(client, server)];
        let parts: Vec<String> =
            reasons.iter().map(|(instead, (said, over))| why(*instead, *said, over, all)).collect();
        told.entry((client, parts.join("; "))).or_default().push(server);
    }
    told.into_iter().map(|((client, why), servers)| MissedPairs { client, servers, why }).collect()
}

/// How many pairs these are.
pub(crate) fn pairs(missed: &[MissedPairs<'_>]) -> usize {
    missed.iter().map(|pairs| pairs.servers.len()).sum()
}

/// What one cell missed, in words.
#[must_use]
pub fn of_cell(cell: &CellRecord, missed: &Missed) -> String {
    sentence((missed.revision, cell.negotiated, missed.because), missed.said.as_deref())
}

fn why(instead: Instead, said: Option<&str>, over: &BTreeSet<Transport>, all: &BTreeSet<Transport>) -> String {
    let sentence = sentence(instead, said);
    if over == all {
        return sentence;
    }
    let over: Vec<&str> = over.iter().map(|transport| transport.as_str()).collect();
    format!("over {}: {sentence}", over.join(" and "))
}

fn sentence((could, spoke, because): Instead, said: Option<&str>) -> String {
    let spoke = spoke.map_or("nothing", Revision::as_str);
    let said = said.map(|said| format!(" ({})", neutralised(said))).unwrap_or_default();
    format!("{spoke}, not {could}: {}{said}", because.meaning())
}
