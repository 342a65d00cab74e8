//! New sessions for the calls that a server did not receive, because it ended at the call of another tool.

use std::collections::HashSet;

use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::JobStep;

use crate::probe::{ProbeError, ProbeSession, ServerProbe};

/// How many more sessions are opened at a revision: a server that ends at every call would be started without end.
const MOST: usize = 3;

/// A session, and the steps that were asked for in it.
pub(super) type Asked = (ProbeSession, Vec<JobStep>);

/// These sessions, and after each that the server ended the sessions with the calls that were left.
pub(super) async fn resumed(probe: &ServerProbe, sessions: Vec<Asked>) -> Result<Vec<Asked>, ProbeError> {
    let mut all = Vec::with_capacity(sessions.len());
    for session in sessions {
        let revision: Revision = session.0.revision;
        all.push(session);
        for _ in 0..MOST {
            let Some(steps) = all.last().and_then(left) else { break };
            let next = probe.play(revision, &steps).await?;
            // A session without a call shows nothing more.
            if next.calls.is_empty() {
                break;
            }
            all.push((next, steps));
        }
    }
    Ok(all)
}

/// The steps for the calls that a session did not begin because the server had ended; `None` if there are none.
fn left((session, steps): &Asked) -> Option<Vec<JobStep>> {
    // Where no call was begun, the calls are not the reason.
    if session.death().is_none() || session.cut_short.is_some() || session.calls.is_empty() {
        return None;
    }
    let begun: HashSet<&str> = session.calls.iter().map(|call| call.tool.as_str()).collect();
    let is_left = |step: &&JobStep| matches!(step, JobStep::Call { tool, .. } if !begun.contains(tool.as_str()));
    let calls: Vec<JobStep> = steps.iter().filter(is_left).cloned().collect();
    let list = || std::iter::once(JobStep::List {});
    (!calls.is_empty()).then(|| list().chain(calls).chain(list()).collect())
}
