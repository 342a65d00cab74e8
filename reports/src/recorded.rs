//! Clients and servers that were recorded on another machine, and not tested in the run.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::record::{Record, Recorded};
use mcp_compat_model::{PeerId, Role};

use crate::wording;

/// Origin of a client or a server of a run, if it was recorded. Both may have the same id.
pub fn of_peer<'r>(record: &'r Record, role: Role, id: &PeerId) -> Option<&'r Recorded> {
    record.peers.iter().find(|peer| (peer.role, &peer.id) == (role, id)).and_then(|peer| peer.recorded.as_ref())
}

/// Names the recorded releases of a run with their origins. `None` if all were tested.
pub fn sentence(record: &Record) -> Option<String> {
    let name = |id: &PeerId| {
        let release = id.release().map(|(family, version)| format!("{family}@{version}"));
        release.unwrap_or_else(|| id.to_string())
    };
    // Origins of the roles of each release; `None` for a role that was tested.
    let mut releases = BTreeMap::<String, BTreeMap<Option<String>, BTreeSet<Role>>>::new();
    for peer in &record.peers {
        releases
            .entry(name(&peer.id))
            .or_default()
            .entry(peer.recorded.as_ref().map(wording::recorded))
            .or_default()
            .insert(peer.role);
    }
    let mut shown = Vec::new();
    for (release, origins) in &releases {
        for (recorded, roles) in origins {
            let Some(recorded) = recorded else { continue };
            let roles = roles.iter().map(|role| format!(" as {role}")).collect::<Vec<_>>().join(" and");
            let roles = if origins.len() > 1 { roles } else { String::new() };
            shown.push(format!("{release}{roles} ({recorded})"));
        }
    }
    (!shown.is_empty()).then(|| format!("Not tested in this run: {}.", shown.join(", ")))
}
