//! What to change, the change that helps most clients first. Each fix is applied to the tools that it fits, and these are
//! replayed to every client.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_judge::rules::Fix;
use mcp_compat_model::audit::{Audit, AuditFinding, AuditedTool, Change, Loss, Severity};
use mcp_compat_model::verdict::{BlastRadius, Rating};
use mcp_compat_model::{Era, PeerId, Revision, ScenarioId};

use super::lost_calls::is_lost;
use super::more_eras::MoreEras;
use super::remedies::{applied, fix_of, words};
use super::replay::{Pace, ReplayScenarios, Replayer};
use super::snapshot::ToolSnapshot;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_scenario::Scenario;

/// The snapshots of each tool.
pub(super) type Snapshots<'a> = &'a BTreeMap<String, Vec<ToolSnapshot>>;

/// Finds the changes. `audit` is the audit so far, made from the replay of `scenarios`. Empty if the replayer is stopped.
///
/// # Errors
/// When the harness fails.
pub(super) async fn changes(
    audit: &Audit,
    scenarios: &ReplayScenarios,
    snapshots: Snapshots<'_>,
    clients: &[ClientPeer],
    server: &ServerPeer,
    replayer: &Replayer,
) -> Result<(Vec<Change>, Vec<PeerId>), HarnessError> {
    let mut changes = Vec::new();
    // A server has an era at least, so that there is one to add at most.
    let more_eras = [Era::Modern, Era::Legacy].into_iter().find_map(|era| MoreEras::of(era, audit, clients, server));
    // Another revision brings no value to a call that comes to nothing.
    let has_lost = |at: Revision| snapshots.values().flatten().any(|tool| tool.revision == at && is_lost(tool));
    let more_eras = more_eras.filter(|more| !has_lost(more.nearest));
    let mut frees_alone = BTreeSet::new();
    if let Some(more) = &more_eras
        && let Some(scenarios) = scenarios.get(&more.nearest)
    {
        frees_alone = more.freed(scenarios.clone(), replayer).await?;
        changes.extend((!frees_alone.is_empty()).then(|| more.change(frees_alone.clone())));
    }
    let (mut made, mut asked): (Vec<Fix>, Vec<Fix>) = <_>::default();
    for fix in Fix::ALL {
        if replayer.stop.is_cancelled() {
            return Ok(<_>::default());
        }
        let freed = freed(&[fix], &audit.tools, snapshots, clients, server, replayer).await?;
        let what = words(fix, &audit.spoken);
        let Some(change) = change(fix, what, &audit.tools, snapshots, &freed) else {
            // Another fault of the same message may be why it frees nobody.
            asked.extend(is_asked_of_server(fix, audit, snapshots).then_some(fix));
            continue;
        };
        // The last resort is no advice to somebody who has a smaller change.
        let is_free = |client: &PeerId| changes.iter().any(|change: &Change| change.frees.contains(client));
        if fix == Fix::DropSchema && change.frees.iter().all(is_free) {
            continue;
        }
        made.push(fix);
        changes.push(change);
    }
    let all: Vec<Fix> = Fix::ALL.into_iter().filter(|fix| made.contains(fix) || asked.contains(fix)).collect();
    // The clients of the other era may have a use for it only once the tools are fixed.
    let frees_with_fixes = match &more_eras {
        Some(more) if !all.is_empty() => {
            more.freed(fixed(&all, more.nearest, &audit.tools, snapshots), replayer).await?
        }
        Some(_) | None => BTreeSet::new(),
    };
    if let Some(more) = more_eras.filter(|_| frees_alone.is_empty() && !frees_with_fixes.is_empty()) {
        changes.push(more.change(BTreeSet::new()));
    }
    let is_one = changes.len() + asked.len() <= 1;
    let mut together = match is_one {
        true => BTreeSet::new(),
        false => free_of_all(&audit.tools, &freed(&all, &audit.tools, snapshots, clients, server, replayer).await?),
    };
    if !is_one {
        together.extend(frees_with_fixes);
    }
    let mut others = beyond_fixes(&made, &audit.tools, &audit.findings, snapshots);
    others.retain(|other| changes.iter().all(|change| !change.what.starts_with(&other.what)));
    changes.extend(others);
    // Changes that free equally many clients stay in the order in which they were added.
    changes.sort_by_key(|change| (std::cmp::Reverse(change.frees.len()), std::cmp::Reverse(change.severity)));
    // What one of the changes does alone needs no other.
    let alone = |change: &Change| together.iter().all(|client| change.frees.contains(client));
    let together = if changes.iter().any(alone) { Vec::new() } else { together.into_iter().collect() };
    Ok((changes, together))
}

/// The clients that lose something, and nothing more by any tool once all changes are made.
fn free_of_all(tools: &[AuditedTool], freed: &BTreeMap<String, BTreeSet<PeerId>>) -> BTreeSet<PeerId> {
    let losers: BTreeSet<&PeerId> = tools.iter().flat_map(AuditedTool::breaks).map(|loss| &loss.client).collect();
    let is_free = |client: &PeerId| {
        tools
            .iter()
            .filter(|tool| tool.breaks().any(|loss| loss.client == *client))
            .all(|tool| freed.get(&tool.name).is_some_and(|clients| clients.contains(client)))
    };
    losers.into_iter().filter(|client| is_free(client)).cloned().collect()
}

/// The tools as they are at a revision, replayed with those of the fixes that fit.
fn fixed(fixes: &[Fix], at: Revision, tools: &[AuditedTool], snapshots: Snapshots<'_>) -> Vec<Arc<Scenario>> {
    let of_tool = |tool: &AuditedTool| {
        let snapshot = snapshots.get(&tool.name)?.iter().find(|snapshot| snapshot.revision == at)?;
        let changed = all_applied(fixes, snapshot);
        changed.as_ref().unwrap_or(snapshot).replay_scenario(&tool.scenario).ok().map(Arc::new)
    };
    tools.iter().filter_map(of_tool).collect()
}

/// By tool, the clients that lose nothing once the fixes are applied, one after the other.
async fn freed(
    fixes: &[Fix],
    tools: &[AuditedTool],
    snapshots: Snapshots<'_>,
    clients: &[ClientPeer],
    server: &ServerPeer,
    replayer: &Replayer,
) -> Result<BTreeMap<String, BTreeSet<PeerId>>, HarnessError> {
    let mut scenarios = ReplayScenarios::new();
    let mut names: BTreeMap<ScenarioId, &str> = BTreeMap::new();
    for tool in tools.iter().filter(|tool| !tool.losses.is_empty()) {
        let fixed = |snapshot: &ToolSnapshot| {
            // No change to a definition or a result brings an answer.
            let changed = Some(snapshot).filter(|snapshot| !is_lost(snapshot));
            let changed = changed.and_then(|snapshot| all_applied(fixes, snapshot))?;
            changed.replay_scenario(&tool.scenario).ok().map(Arc::new)
        };
        // What a revision allows is another thing at each, so snapshots that are alike are not fixed alike.
        for snapshot in snapshots.get(&tool.name).into_iter().flatten() {
            let Some(scenario) = fixed(snapshot) else { continue };
            names.insert(tool.scenario.clone(), &tool.name);
            scenarios.entry(snapshot.revision).or_default().push(scenario);
        }
    }
    let losing: BTreeMap<&str, BTreeSet<&PeerId>> =
        tools.iter().map(|tool| (tool.name.as_str(), losers(tool))).collect();
    let mut freed: BTreeMap<String, BTreeSet<PeerId>> = BTreeMap::new();
    if scenarios.is_empty() {
        return Ok(freed);
    }
    let loses = |client: &&ClientPeer| losing.values().any(|losers| losers.contains(client.id()));
    let losers: Vec<ClientPeer> = clients.iter().filter(loses).cloned().collect();
    let record = replayer.replay(&scenarios, &losers, server, Pace::default(), &mut |_, _, _| {}).await?;
    for cell in record.cells.iter().filter(|cell| cell.rating == Rating::Works) {
        let Some(name) = names.get(&cell.scenario) else { continue };
        if losing.get(name).is_some_and(|losers| losers.contains(&cell.client)) {
            freed.entry((*name).to_owned()).or_default().insert(cell.client.clone());
        }
    }
    Ok(freed)
}

/// The clients that lose something by a tool.
fn losers(tool: &AuditedTool) -> BTreeSet<&PeerId> {
    tool.losses.iter().map(|loss| &loss.client).collect()
}

/// The tool with those of the fixes applied that fit. `None` if none does.
fn all_applied(fixes: &[Fix], snapshot: &ToolSnapshot) -> Option<ToolSnapshot> {
    let changed = |tool: Option<ToolSnapshot>, fix: &Fix| applied(*fix, tool.as_ref().unwrap_or(snapshot)).or(tool);
    fixes.iter().fold(None, changed)
}

fn change(
    fix: Fix,
    what: &str,
    tools: &[AuditedTool],
    snapshots: Snapshots<'_>,
    freed: &BTreeMap<String, BTreeSet<PeerId>>,
) -> Option<Change> {
    let is_fixed = |finding: &&AuditFinding| fix_of(finding) == Some(fix);
    let mut severity = None;
    let mut tools_changed = Vec::new();
    let mut frees = BTreeSet::new();
    for tool in tools {
        let by_finding = tool.findings.iter().filter(is_fixed).map(|finding| finding.severity).max();
        let by_finding = by_finding.filter(|_| fits(fix, &tool.name, snapshots));
        let clients = freed.get(&tool.name);
        let losses = tool.losses.iter().filter(|loss| clients.is_some_and(|clients| clients.contains(&loss.client)));
        let by_loss = losses.map(Loss::severity).max();
        if by_finding.is_none() && by_loss.is_none() {
            continue;
        }
        severity = severity.max(by_finding).max(by_loss);
        tools_changed.push(tool.name.clone());
        frees.extend(clients.into_iter().flatten().cloned());
    }
    let severity = severity?;
    // A client that still loses all tools because of another tool is not free.
    frees.retain(|client| {
        tools.iter().all(|tool| {
            let ruins = tool.losses.iter().any(|loss| loss.client == *client && loss.loses >= BlastRadius::Server);
            !ruins || freed.get(&tool.name).is_some_and(|clients| clients.contains(client))
        })
    });
    Some(Change { what: what.to_owned(), tools: tools_changed, frees: frees.into_iter().collect(), severity })
}

/// Whether a finding about the server as a whole asks for a fix that changes anything.
fn is_asked_of_server(fix: Fix, audit: &Audit, snapshots: Snapshots<'_>) -> bool {
    let asks = |finding: &AuditFinding| finding.severity > Severity::Note && fix_of(finding) == Some(fix);
    audit.findings.iter().any(asks) && snapshots.keys().any(|tool| fits(fix, tool, snapshots))
}

/// Whether a fix changes anything about a tool.
fn fits(fix: Fix, tool: &str, snapshots: Snapshots<'_>) -> bool {
    snapshots.get(tool).into_iter().flatten().any(|snapshot| applied(fix, snapshot).is_some())
}

/// What to do about the findings that no fix ends.
fn beyond_fixes(
    made: &[Fix],
    tools: &[AuditedTool],
    general: &[AuditFinding],
    snapshots: Snapshots<'_>,
) -> Vec<Change> {
    let is_fixed = |tool: Option<&AuditedTool>, finding: &AuditFinding| {
        let Some(fix) = fix_of(finding) else { return false };
        // What is wrong with the list is mended with each tool that is replayed in it.
        tool.map_or_else(|| made.contains(&fix), |tool| fits(fix, &tool.name, snapshots))
    };
    let of_tools = tools.iter().flat_map(|tool| tool.findings.iter().map(move |finding| (Some(tool), finding)));
    let all = general.iter().map(|finding| (None, finding)).chain(of_tools);
    let mut changes: Vec<Change> = Vec::new();
    for (tool, finding) in all.filter(|(tool, finding)| !is_fixed(*tool, finding)) {
        if finding.severity == Severity::Note {
            continue;
        }
        let name = tool.map(|tool| tool.name.clone());
        match changes.iter_mut().find(|change| change.what == finding.remedy) {
            Some(change) => {
                change.tools.extend(name);
                change.severity = change.severity.max(finding.severity);
            }
            None => changes.push(Change {
                what: finding.remedy.clone(),
                tools: name.into_iter().collect(),
                frees: Vec::new(),
                severity: finding.severity,
            }),
        }
    }
    changes
}
