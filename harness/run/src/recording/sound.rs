//! Checks what a recording says of itself: its texts reach reports, its ids the names of files.

use std::collections::BTreeSet;

use mcp_compat_model::excerpt::bounded;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::peer::BuiltIn;
use mcp_compat_model::record::{PeerRecord, Record, Recorded};
use mcp_compat_model::version::Version;
use mcp_compat_model::{CellId, PeerId};

use super::RecordingError;

/// Length limit of a line about a peer, in characters.
const LINE: usize = 200;

/// Length limit of an id, in bytes.
const ID: usize = 200;

/// Length limit of the name of a tool, in bytes.
const TOOL: usize = 128;

/// Number of clients and servers that a recording may have.
const PEERS: usize = 64;

/// Returns where and when it was recorded.
pub(super) fn origin(record: &Record) -> Result<Recorded, RecordingError> {
    let own = Version::parse(env!("CARGO_PKG_VERSION"));
    let version = Version::parse(&record.tool_version)
        .map_err(|error| RecordingError::Unsound(format!("its version of mcp-compat is none: {error}")))?;
    if own.is_ok_and(|own| version > own) {
        return Err(RecordingError::NewerProgram { found: version.to_string() });
    }
    if record.division.is_some() {
        return Err(RecordingError::Part);
    }
    if !record.complete {
        return Err(RecordingError::Incomplete);
    }
    let started: jiff::Timestamp = record.started.parse().map_err(|_| {
        RecordingError::Unsound("the time at which its run began is not as 2026-11-29T12:00:00Z".into())
    })?;
    let platform = record.platform.as_deref();
    let is_plain =
        |text: &str| text.len() <= 40 && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_ ".contains(c));
    if platform.is_some_and(|text| !is_plain(text)) {
        return Err(RecordingError::Unsound("its platform is not as `linux x86_64`".to_owned()));
    }
    Ok(Recorded {
        started: started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        tool_version: version.to_string(),
        platform: platform.map(str::to_owned),
    })
}

/// Returns the release that was recorded, and makes sure that all ids are sound.
pub(super) fn release(record: &Record) -> Result<PeerId, RecordingError> {
    let mut cells = BTreeSet::<&CellId>::new();
    for cell in &record.cells {
        let id = cell.cell().id();
        if id != cell.id {
            return Err(RecordingError::Unsound(format!(
                "it calls a check {}, and that is {id}",
                shown(cell.id.as_str())
            )));
        }
        if !cells.insert(&cell.id) {
            return Err(RecordingError::Unsound(format!("it has the check {id} twice")));
        }
    }
    let too_long = |id: &&PeerId| id.as_str().len() > ID;
    if record.peers.len() > PEERS || record.peers.iter().map(|peer| &peer.id).any(|id| too_long(&id)) {
        return Err(RecordingError::Unsound(format!(
            "it has more than {PEERS} clients and servers, or one whose name is longer than {ID} characters"
        )));
    }
    let is_plain = |name: &str| !name.is_empty() && name.len() <= TOOL && neutralised(name) == name;
    if let Some(tool) = record.peers.iter().filter_map(|peer| peer.calls.as_ref()).find(|name| !is_plain(name)) {
        return Err(RecordingError::Unsound(format!(
            "`calls` of a client is {}, and not the name of a tool with at most {TOOL} characters",
            shown(tool)
        )));
    }
    let mut releases = BTreeSet::new();
    for peer in record.peers.iter().filter(|peer| is_own(peer)) {
        let (family, version) = peer.id.release().ok_or_else(|| RecordingError::NoVersion(peer.id.clone()))?;
        let is_plain = family.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !is_plain || family.starts_with('.') || family.is_empty() || BuiltIn::named(family).is_some() {
            return Err(RecordingError::NoVersion(peer.id.clone()));
        }
        releases.insert(PeerId::released(family, version));
    }
    let mut all = releases.iter();
    match (all.next(), all.next()) {
        (None, _) => Err(RecordingError::NoRelease),
        (Some(release), None) => Ok(release.clone()),
        (Some(_), Some(_)) => Err(RecordingError::Several(releases.iter().map(ToString::to_string).collect())),
    }
}

/// Returns the clients and servers that were recorded, marked as such.
pub(super) fn peers(record: &Record, recorded: &Recorded) -> Vec<PeerRecord> {
    let line = |text: &str| bounded(&neutralised(text), LINE);
    let marked = |peer: &PeerRecord| PeerRecord {
        about: line(&peer.about),
        language: peer.language.as_deref().map(line),
        mode: peer.id.mode(),
        revisions: peer.revisions.iter().copied().collect::<BTreeSet<_>>().into_iter().collect(),
        recorded: Some(recorded.clone()),
        ..peer.clone()
    };
    record.peers.iter().filter(|peer| is_own(peer)).map(marked).collect()
}

/// Returns whether a peer was played by the run itself, and is no part of mcp-compat. What a host's model reads is not
/// judged from its messages alone.
fn is_own(peer: &PeerRecord) -> bool {
    !peer.id.is_built_in() && peer.recorded.is_none() && peer.isolated.is_none()
}

fn shown(text: &str) -> String {
    bounded(&neutralised(text), LINE)
}
