//! Clients and servers that were recorded on another machine, and not tested in the run.

use std::collections::BTreeSet;

use mcp_compat_model::PeerId;
use mcp_compat_model::record::{Record, Recorded};

use crate::wording;

/// Origin of a peer of a run, if it was recorded.
pub fn of_peer<'r>(record: &'r Record, id: &PeerId) -> Option<&'r Recorded> {
    record.peers.iter().find(|peer| peer.id == *id).and_then(|peer| peer.recorded.as_ref())
}

/// Names the recorded releases of a run with their origins. `None` if all were tested.
pub fn sentence(record: &Record) -> Option<String> {
    let origin = |id: &PeerId, recorded: &Recorded| {
        let release = id.release().map(|(family, version)| format!("{family}@{version}"));
        format!("{} ({})", release.unwrap_or_else(|| id.to_string()), wording::recorded(recorded))
    };
    let origins = record.peers.iter().filter_map(|peer| Some(origin(&peer.id, peer.recorded.as_ref()?)));
    let origins: Vec<String> = origins.collect::<BTreeSet<_>>().into_iter().collect();
    (!origins.is_empty()).then(|| format!("Not tested in this run: {}.", origins.join(", ")))
}
