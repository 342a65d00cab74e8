//! Calls that fail at some revisions alone, made again at both revisions: what was called before, a rate limit or chance may
//! be the reason, too. Only where no call of the audit changes anything, since a second call is no proof elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::JobStep;

use super::calls::Planned;
use super::failing_revisions::{Confirmed, succeeded};
use super::observed::ObservedServer;
use super::snapshot::ToolSnapshot;
use crate::probe::{ProbeError, ServerProbe};

/// Calls again what failed at some revisions alone, at both revisions.
///
/// # Errors
/// When the server cannot be started or reached.
pub(super) async fn confirmed(probe: &ServerProbe, observed: &ObservedServer) -> Result<Confirmed, ProbeError> {
    if !observed.planned.iter().all(Planned::changes_nothing) {
        return Ok(Confirmed::new());
    }
    let mut failed_at: BTreeMap<Revision, Vec<&Planned>> = BTreeMap::new();
    let mut elsewhere: BTreeMap<Revision, Vec<&Planned>> = BTreeMap::new();
    for planned in &observed.planned {
        let failed = observed.failed_calls(&planned.name);
        for call in &failed {
            failed_at.entry(call.snapshot.revision).or_default().push(planned);
        }
        if let Some(call) = failed.first() {
            elsewhere.entry(call.elsewhere).or_default().push(planned);
        }
    }
    let mut fails = Confirmed::new();
    for (revision, tools) in failed_at {
        fails.extend(called(probe, observed, revision, &tools, false).await?);
    }
    let mut works = Confirmed::new();
    for (revision, tools) in elsewhere {
        works.extend(called(probe, observed, revision, &tools, true).await?);
    }
    let works: BTreeSet<&str> = works.iter().map(|(tool, _)| tool.as_str()).collect();
    fails.retain(|(tool, _)| works.contains(tool.as_str()));
    Ok(fails)
}

/// Of these tools, called once more at a revision, those that returned a result, or those that failed.
async fn called(
    probe: &ServerProbe,
    observed: &ObservedServer,
    revision: Revision,
    tools: &[&Planned],
    wanted: bool,
) -> Result<Confirmed, ProbeError> {
    let calls = tools.iter().filter_map(|planned| planned.step());
    let steps: Vec<JobStep> = std::iter::once(JobStep::List {}).chain(calls).collect();
    let session = probe.play(revision, &steps).await?;
    let again = session.calls.iter().filter_map(|call| {
        let snapshots = observed.snapshots.get(&call.tool)?;
        let snapshot = snapshots.iter().find(|snapshot| snapshot.revision == revision)?;
        Some(ToolSnapshot { call: Some(call.clone()), ..snapshot.clone() })
    });
    let as_wanted = again.filter(|snapshot| succeeded(snapshot) == wanted);
    Ok(as_wanted.map(|snapshot| (snapshot.tool.name, revision)).collect())
}
