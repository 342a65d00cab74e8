//! Checks that records are parts of one run.

use std::collections::BTreeSet;

use mcp_compat_model::CellId;
use mcp_compat_model::division::Division;
use mcp_compat_model::record::{CellRecord, PeerRecord, Record};
use mcp_compat_model::verdict::Outcome;

/// The record of one shard, or of several that were merged already.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name in errors: the path as it was typed.
    pub name: String,
    pub record: Record,
}

/// Error of joining records. Each names the records as they were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    #[error("name the records of the shards to merge")]
    Nothing,
    #[error(
        "cannot merge {name}: the record is not marked as a shard. A run without --shard wrote it, or an earlier version of \
         mcp-compat. Play each part with `mcp-compat run --shard K/N`"
    )]
    NotAPart { name: String },
    #[error("{name} cannot be right: {why}")]
    Unsound { name: String, why: String },
    #[error(
        "{} and {} are not parts of one run, they differ in {what}: {} has {}, {} has {}",
        .one.0, .other.0, .one.0, .one.1, .other.0, .other.1
    )]
    Differ {
        what: &'static str,
        /// A record, and what it has.
        one: (String, String),
        other: (String, String),
    },
    #[error(
        "{cell} has different outcomes: it is `{}` in {} and `{}` in {}; `mcp-compat show` gives the reason, with --out for each",
        .one.1, .one.0, .other.1, .other.0
    )]
    Disagree {
        cell: CellId,
        /// A record, and what the cell is in it.
        one: (String, Outcome),
        other: (String, Outcome),
    },
}

/// The first of the records, and the division with the parts of all of them.
pub(super) fn of_one_run(parts: &[Part]) -> Result<(&Record, Division), MergeError> {
    let Some(Part { name: first_name, record: first }) = parts.first() else { return Err(MergeError::Nothing) };
    let mut all = BTreeSet::new();
    for Part { name, record } in parts {
        let Some(division) = &record.division else { return Err(MergeError::NotAPart { name: name.clone() }) };
        if let Some(why) = unsound(division, record) {
            return Err(MergeError::Unsound { name: name.clone(), why });
        }
        all.extend(division.parts.iter().copied());
    }
    let of_first = first.division.clone().ok_or_else(|| MergeError::NotAPart { name: first_name.clone() })?;
    for Part { name, record } in &parts[1..] {
        let differ = |what, one: &str, other: &str| {
            let side = |name: &str, is: &str| (name.to_owned(), is.to_owned());
            MergeError::Differ { what, one: side(first_name, one), other: side(name, other) }
        };
        let format = |record: &Record| record.schema_version.to_string();
        if record.schema_version != first.schema_version {
            return Err(differ("record format", &format(first), &format(record)));
        }
        if record.tool_version != first.tool_version {
            return Err(differ("mcp-compat", &first.tool_version, &record.tool_version));
        }
        let judge = |record: &Record| record.judge.clone().unwrap_or_else(|| "unknown".to_owned());
        if record.judge != first.judge {
            return Err(differ("judge", &judge(first), &judge(record)));
        }
        if record.corpus != first.corpus {
            return Err(differ("scenarios", &first.corpus, &record.corpus));
        }
        if let Some((one, other)) = other_releases(&first.peers, &record.peers) {
            return Err(differ("peers", &one, &other));
        }
        let division = record.division.as_ref().unwrap_or(&of_first);
        if division.of != of_first.of {
            let parts = |division: &Division| format!("{} parts", division.of);
            return Err(differ("division", &parts(&of_first), &parts(division)));
        }
        if (&division.plan, division.cells) != (&of_first.plan, of_first.cells) {
            let plan = |division: &Division| format!("{} checks, plan {}", division.cells, division.plan);
            return Err(differ("plan", &plan(&of_first), &plan(division)));
        }
    }
    Ok((first, Division { parts: all.into_iter().collect(), ..of_first }))
}

/// Returns an impossible statement of a record about itself.
fn unsound(division: &Division, record: &Record) -> Option<String> {
    let is_part = |part: &u16| (1..=division.of).contains(part);
    if division.parts.is_empty() || !division.parts.iter().all(is_part) {
        return Some(format!("it names itself the parts {:?} of {}", division.parts, division.of));
    }
    let (cells, held) = (record.cells.len() as u64, division.held());
    (cells > held).then(|| format!("it has {cells} checks, and its part of the plan has {held}"))
}

/// Compares what only the one and only the other has; a peer that is described otherwise is another one.
fn other_releases(one: &[PeerRecord], other: &[PeerRecord]) -> Option<(String, String)> {
    let only = |these: &[PeerRecord], those: &[PeerRecord]| {
        let gone = these.iter().filter(|peer| !those.contains(peer));
        let ids: Vec<String> = gone.map(|peer| format!("{} {}", peer.role, peer.id)).collect();
        if ids.is_empty() { "all of those".to_owned() } else { ids.join(", ") }
    };
    (one != other).then(|| (only(one, other), only(other, one)))
}

/// Returns true if a cell that two records have came out the same: all that a report tells of it, but for times and
/// for the numbers of messages, which depend on what else was under way.
pub(super) fn have_equal_results(one: &CellRecord, other: &CellRecord) -> bool {
    let comparable = |cell: &CellRecord| {
        let rules: BTreeSet<String> = cell.findings.iter().map(|finding| finding.rule.clone()).collect();
        let missed = cell.missed.as_ref().map(|missed| (missed.revision, missed.because));
        let damage = (cell.rating, cell.silent, cell.vacuous, cell.blast_radius);
        (cell.negotiated, missed, cell.outcome, damage, cell.expected, cell.reason.clone(), rules)
    };
    comparable(one) == comparable(other)
}
