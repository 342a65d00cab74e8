//! Changes to make: those that end an error first, and of these the one that helps most clients. Each fix is applied to the
//! tools that it fits, and these are replayed to every client. If a server of 2026-07-28 spoke earlier revisions too, the
//! clients that speak only these would get what the server says at its revision nearest to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_judge::rules::{self, Fix};
use mcp_compat_model::audit::{Audit, AuditFinding, AuditedTool, Change, Loss, Severity};
use mcp_compat_model::signature::Ground;
use mcp_compat_model::verdict::{BlastRadius, Rating};
use mcp_compat_model::{Era, PeerId, Revision, ScenarioId};
use mcp_compat_reports::text::first_of;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_scenario::Scenario;

use super::evidence::NAMES;
use super::failing_revisions::Confirmed;
use super::losses::is_lost;
use super::remedies::{applied, fix_of, fix_of_rule, words};
use super::replay::{ReplayScenarios, Replayer, stand_in};
use super::snapshot::ToolSnapshot;

/// Changes that are tried: each is applied to the tools, and these are replayed to every client.
pub(super) struct FixTrials<'a> {
    pub(super) audit: &'a Audit,
    pub(super) snapshots: &'a BTreeMap<String, Vec<ToolSnapshot>>,
    /// The calls that fail at some revisions by the revision.
    pub(super) fails_at: &'a Confirmed,
    pub(super) clients: &'a [ClientPeer],
    pub(super) server: &'a ServerPeer,
    pub(super) replayer: &'a Replayer,
}

impl FixTrials<'_> {
    /// Finds the changes, and the clients that only all changes together fix. `scenarios` are those of the audit.
    /// Empty if the replayer is stopped.
    pub(super) async fn changes(
        &self,
        scenarios: &ReplayScenarios,
    ) -> Result<(Vec<Change>, Vec<PeerId>), HarnessError> {
        let Self { audit, snapshots, clients, server, replayer, .. } = *self;
        let mut changes = Vec::new();
        // A server has an era at least, so that there is one to add at most.
        let more_eras =
            [Era::Modern, Era::Legacy].into_iter().find_map(|era| MoreEras::of(era, audit, clients, server));
        // Another revision brings no value to a call that comes to nothing.
        let has_lost =
            |at: Revision| snapshots.values().flatten().any(|tool| tool.revision == at && self.comes_to_nothing(tool));
        let more_eras = more_eras.filter(|more| !has_lost(more.nearest));
        let mut frees_alone = BTreeSet::new();
        if let Some(more) = &more_eras
            && let Some(scenarios) = scenarios.get(&more.nearest)
        {
            frees_alone = more.freed(scenarios.clone(), replayer).await?;
            changes.extend((!frees_alone.is_empty()).then(|| more.change(frees_alone.clone())));
        }
        let (mut made, mut asked): (Vec<Fix>, Vec<Fix>) = <_>::default();
        // The clients that the changes so far free, by tool.
        let mut smaller = Freed::new();
        for fix in Fix::ALL {
            if replayer.stop.is_cancelled() {
                return Ok(<_>::default());
            }
            let mut freed = self.freed(&[fix]).await?;
            if fix == Fix::DropSchema {
                // Nor to a tool of which a smaller change frees the same clients.
                freed.retain(|tool, clients| smaller.get(tool).is_none_or(|smaller| !clients.is_subset(smaller)));
            }
            for (tool, clients) in &freed {
                smaller.entry(tool.clone()).or_default().extend(clients.iter().cloned());
            }
            let Some(change) = self.change(fix, &freed) else {
                // Another fault of the same message may be why it frees nobody.
                asked.extend(self.is_asked_of_server(fix).then_some(fix));
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
            Some(more) if !all.is_empty() => more.freed(self.fixed(&all, more.nearest), replayer).await?,
            Some(_) | None => BTreeSet::new(),
        };
        if let Some(more) = more_eras.filter(|_| frees_alone.is_empty() && !frees_with_fixes.is_empty()) {
            changes.push(more.change(BTreeSet::new()));
        }
        let mut together = BTreeSet::new();
        if changes.len() + asked.len() > 1 {
            together = free_of_all(&audit.tools, &self.freed(&all).await?);
            together.extend(frees_with_fixes);
        }
        let mut others = self.beyond_fixes(&made);
        others.retain(|other| changes.iter().all(|change| !change.what.starts_with(&other.what)));
        changes.extend(others);
        // Changes that free equally many clients stay in the order in which they were added.
        changes.sort_by_key(|change| std::cmp::Reverse((change.severity, change.frees.len())));
        // Clients that one of the changes frees alone need no other.
        let alone = |change: &Change| together.iter().all(|client| change.frees.contains(client));
        let together = if changes.iter().any(alone) { Vec::new() } else { together.into_iter().collect() };
        Ok((changes, together))
    }

    /// Returns whether a call comes to nothing at the server, whatever its definition and its result are.
    fn comes_to_nothing(&self, snapshot: &ToolSnapshot) -> bool {
        is_lost(snapshot) || self.fails_at.contains(&(snapshot.tool.name.clone(), snapshot.revision))
    }

    /// Makes scenarios of the tools as they are at a revision, with those of the fixes that fit.
    fn fixed(&self, fixes: &[Fix], at: Revision) -> Vec<Arc<Scenario>> {
        let of_tool = |tool: &AuditedTool| {
            let snapshot = self.snapshots.get(&tool.name)?.iter().find(|snapshot| snapshot.revision == at)?;
            let changed = all_applied(fixes, snapshot);
            changed.as_ref().unwrap_or(snapshot).replay_scenario(&tool.scenario).ok().map(Arc::new)
        };
        self.audit.tools.iter().filter_map(of_tool).collect()
    }

    /// Returns, by tool, the clients that lose nothing once the fixes are applied, one after the other.
    async fn freed(&self, fixes: &[Fix]) -> Result<Freed, HarnessError> {
        let tools = &self.audit.tools;
        let mut scenarios = ReplayScenarios::new();
        let mut names: BTreeMap<ScenarioId, &str> = BTreeMap::new();
        for tool in tools.iter().filter(|tool| !tool.losses.is_empty()) {
            let fixed = |snapshot: &ToolSnapshot| {
                // No change to a definition or a result brings an answer.
                let changed = if self.comes_to_nothing(snapshot) { None } else { all_applied(fixes, snapshot) };
                changed?.replay_scenario(&tool.scenario).ok().map(Arc::new)
            };
            // Each revision allows something else, so snapshots that are alike are not fixed alike.
            for snapshot in self.snapshots.get(&tool.name).into_iter().flatten() {
                let Some(scenario) = fixed(snapshot) else { continue };
                names.insert(tool.scenario.clone(), &tool.name);
                scenarios.entry(snapshot.revision).or_default().push(scenario);
            }
        }
        let mut freed = Freed::new();
        if scenarios.is_empty() {
            return Ok(freed);
        }
        let losing: BTreeMap<&str, BTreeSet<&PeerId>> =
            tools.iter().map(|tool| (tool.name.as_str(), losers(tool))).collect();
        let loses = |client: &&ClientPeer| losing.values().any(|losers| losers.contains(client.id()));
        let losers: Vec<ClientPeer> = self.clients.iter().filter(loses).cloned().collect();

        let record = self.replayer.replay(&scenarios, &losers, self.server, None, &mut |_, _, _| {}).await?;
        for cell in record.cells.iter().filter(|cell| cell.rating == Rating::Works) {
            let Some(name) = names.get(&cell.scenario) else { continue };
            if losing.get(name).is_some_and(|losers| losers.contains(&cell.client)) {
                freed.entry((*name).to_owned()).or_default().insert(cell.client.clone());
            }
        }
        Ok(freed)
    }

    /// Describes a fix as a change, if a finding asks for it or a client is freed by it.
    fn change(&self, fix: Fix, freed: &Freed) -> Option<Change> {
        let tools = &self.audit.tools;
        let is_fixed = |finding: &&AuditFinding| fix_of(finding) == Some(fix);
        let mut severity = None;
        let (mut tools_changed, mut fixed_findings) = (Vec::new(), Vec::new());
        let mut frees = BTreeSet::new();
        for tool in tools {
            let by_finding = tool.findings.iter().filter(is_fixed).map(|finding| finding.severity).max();
            let by_finding = by_finding.filter(|_| self.fits(fix, &tool.name));
            let clients = freed.get(&tool.name);
            let losses =
                tool.losses.iter().filter(|loss| clients.is_some_and(|clients| clients.contains(&loss.client)));
            let by_loss = losses.map(Loss::severity).max();
            if by_finding.is_none() && by_loss.is_none() {
                continue;
            }
            severity = severity.max(by_finding).max(by_loss);
            tools_changed.push(tool.name.clone());
            fixed_findings.extend(tool.findings.iter().filter(is_fixed));
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
        let what = exact_words(fix, &fixed_findings).unwrap_or_else(|| words(fix, &self.audit.spoken).to_owned());
        let of_server = self.audit.findings.iter().filter(is_fixed);
        let rules: BTreeSet<&str> =
            fixed_findings.iter().copied().chain(of_server).map(|it| it.rule.as_str()).collect();
        let rules = rules.into_iter().map(str::to_owned).collect();
        Some(Change { what, tools: tools_changed, frees: frees.into_iter().collect(), severity, rules })
    }

    /// Returns whether a finding about the server as a whole asks for a fix that changes anything.
    fn is_asked_of_server(&self, fix: Fix) -> bool {
        let asks = |finding: &AuditFinding| finding.severity > Severity::Note && fix_of(finding) == Some(fix);
        self.audit.findings.iter().any(asks) && self.snapshots.keys().any(|tool| self.fits(fix, tool))
    }

    /// Returns whether a fix changes anything about a tool.
    fn fits(&self, fix: Fix, tool: &str) -> bool {
        self.snapshots.get(tool).into_iter().flatten().any(|snapshot| applied(fix, snapshot).is_some())
    }

    /// Remedies of the findings that no fix ends.
    fn beyond_fixes(&self, made: &[Fix]) -> Vec<Change> {
        let is_fixed = |tool: Option<&AuditedTool>, finding: &AuditFinding| {
            let Some(fix) = fix_of(finding) else { return false };
            // A fault of the list is mended with each tool that is replayed in it.
            tool.map_or_else(|| made.contains(&fix), |tool| self.fits(fix, &tool.name))
        };
        let tools = self.audit.tools.iter();
        let of_tools = tools.flat_map(|tool| tool.findings.iter().map(move |finding| (Some(tool), finding)));
        let all = self.audit.findings.iter().map(|finding| (None, finding)).chain(of_tools);
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
                    if !change.rules.contains(&finding.rule) {
                        change.rules.push(finding.rule.clone());
                    }
                }
                None => changes.push(Change {
                    what: finding.remedy.clone(),
                    tools: name.into_iter().collect(),
                    frees: Vec::new(),
                    severity: finding.severity,
                    rules: vec![finding.rule.clone()],
                }),
            }
        }
        changes
    }
}

/// The words for a change that the findings say better than its fix: their remedy, if they have the same one, or the names of
/// the members that a result lacks. `None` if there are no such words.
fn exact_words(fix: Fix, findings: &[&AuditFinding]) -> Option<String> {
    let (first, others) = findings.split_first()?;
    // An audit knows more of some violations than the rule.
    let has_own_remedy = rules::find(&first.rule).is_none_or(|rule| rule.remedy != first.remedy);
    let is_exact = matches!(fix, Fix::CorrectNames | Fix::CorrectBlocks | Fix::AddContent)
        || (matches!(fix, Fix::MatchSchema | Fix::OmitSchema) && has_own_remedy);
    if is_exact {
        let is_one = others.iter().all(|finding| finding.remedy == first.remedy);
        return is_one.then(|| first.remedy.clone());
    }
    let [finding] = findings else { return None };
    if fix != Fix::MatchSchema || finding.lacks.is_empty() {
        return None;
    }
    let names = if finding.lacks.len() > 2 { first_of(&finding.lacks, NAMES) } else { finding.lacks.join(" and ") };
    let them = if finding.lacks.len() == 1 { "it" } else { "them" };
    Some(format!("return {names}, or make {them} optional in the outputSchema"))
}

/// Clients that lose nothing more, by tool.
type Freed = BTreeMap<String, BTreeSet<PeerId>>;

/// The clients that lose something, and nothing more by any tool once all changes are made.
fn free_of_all(tools: &[AuditedTool], freed: &Freed) -> BTreeSet<PeerId> {
    let losers: BTreeSet<&PeerId> = tools.iter().flat_map(AuditedTool::breaks).map(|loss| &loss.client).collect();
    let is_free = |client: &PeerId| {
        tools
            .iter()
            .filter(|tool| tool.breaks().any(|loss| loss.client == *client))
            .all(|tool| freed.get(&tool.name).is_some_and(|clients| clients.contains(client)))
    };
    losers.into_iter().filter(|client| is_free(client)).cloned().collect()
}

/// The clients that lose something by a tool that a change to it may bring back. A refused session is refused by the server
/// alone: no replay shows it.
fn losers(tool: &AuditedTool) -> BTreeSet<&PeerId> {
    let is_refused = |loss: &&Loss| match loss.signature.as_ref().map(|signature| &signature.ground) {
        Some(Ground::Rule(rule)) => loss.loses == BlastRadius::Session && fix_of_rule(rule).is_none(),
        Some(_) | None => false,
    };
    tool.losses.iter().filter(|loss| !is_refused(loss)).map(|loss| &loss.client).collect()
}

/// The tool with those of the fixes applied that fit. `None` if none does.
fn all_applied(fixes: &[Fix], snapshot: &ToolSnapshot) -> Option<ToolSnapshot> {
    let changed = |tool: Option<ToolSnapshot>, fix: &Fix| applied(*fix, tool.as_ref().unwrap_or(snapshot)).or(tool);
    fixes.iter().fold(None, changed)
}

/// An era that the server has to speak for clients that speak no other. No server has to speak 2026-07-28.
pub(super) struct MoreEras {
    /// The revision of the era that the server would speak.
    added: Revision,
    /// The revision of the server's own that is nearest to it.
    pub(super) nearest: Revision,
    /// The server if it spoke that revision.
    server: ServerPeer,
    /// The clients that have no session with the server as it is.
    out: Vec<ClientPeer>,
    /// Remedy for a server that speaks the era and says so in a way that nobody can read.
    instead: Option<String>,
}

impl MoreEras {
    /// `None` if the server speaks the era or need not speak it, or each client has a session without it.
    pub(super) fn of(era: Era, audit: &Audit, clients: &[ClientPeer], server: &ServerPeer) -> Option<Self> {
        let spoken: Vec<Revision> = server.offered().collect();
        if spoken.iter().any(|revision| revision.era() == era) {
            return None;
        }
        let (nearest, added) = match era {
            Era::Modern => (spoken.iter().max(), Revision::NEWEST),
            Era::Legacy => (spoken.iter().min(), Revision::NEWEST_LEGACY),
        };
        let is_unreadable = |finding: &&AuditFinding| {
            rules::find(&finding.rule) == Some(&rules::DISCOVER_MEMBERS) && finding.at == [added]
        };
        let instead = audit.findings.iter().find(is_unreadable).map(|finding| finding.remedy.clone());
        if era == Era::Modern && instead.is_none() {
            return None;
        }
        let is_out = |peer: &&ClientPeer| audit.shut_out.iter().any(|loss| loss.client == *peer.id());
        let out: Vec<ClientPeer> = clients.iter().filter(is_out).cloned().collect();
        let server = stand_in(server.id(), &[added]).ok().filter(|_| !out.is_empty())?;
        Some(Self { added, nearest: *nearest?, server, out, instead })
    }

    /// The clients that lose nothing by any of the tools once the server speaks the era.
    pub(super) async fn freed(
        &self,
        tools: Vec<Arc<Scenario>>,
        replayer: &Replayer,
    ) -> Result<BTreeSet<PeerId>, HarnessError> {
        let scenarios = ReplayScenarios::from([(self.added, tools)]);

        let record = replayer.replay(&scenarios, &self.out, &self.server, None, &mut |_, _, _| {}).await?;
        let rated = |ratings: &[Rating]| {
            let cells = record.cells.iter().filter(|cell| ratings.contains(&cell.rating));
            cells.map(|cell| cell.client.clone()).collect::<BTreeSet<PeerId>>()
        };
        Ok(&rated(&[Rating::Works]) - &rated(&[Rating::Degraded, Rating::Breaks]))
    }

    /// The change to speak the era too, with the clients that it frees by itself: none where they need other changes
    /// besides.
    pub(super) fn change(&self, frees: BTreeSet<PeerId>) -> Change {
        let besides = if frees.is_empty() { ", which helps once the other changes are made" } else { "" };
        let what = match &self.instead {
            Some(remedy) => format!("{remedy}{besides}"),
            None => format!("speak {} too{besides}", self.added),
        };
        let rules = self.instead.iter().map(|_| rules::DISCOVER_MEMBERS.id.to_owned()).collect();
        Change { what, tools: Vec::new(), frees: frees.into_iter().collect(), severity: Severity::Warning, rules }
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_judge::rules;

    use super::*;
    use crate::server::findings::of_rule;

    fn misfit(lacks: &[&str]) -> AuditFinding {
        let lacks = lacks.iter().map(|name| (*name).to_owned()).collect();
        AuditFinding { lacks, ..of_rule(&rules::STRUCTURED_CONTENT_CONFORMS, String::new(), Vec::new()) }
    }

    #[test]
    fn the_words_of_a_change_name_what_a_result_lacks() {
        let words = |lacks| exact_words(Fix::MatchSchema, &[&misfit(lacks)]);
        assert_eq!(words(&["`id`"]).unwrap(), "return `id`, or make it optional in the outputSchema");
        assert_eq!(
            words(&["`id`", "`at`"]).unwrap(),
            "return `id` and `at`, or make them optional in the outputSchema"
        );
        assert_eq!(words(&[]), None);
    }

    #[test]
    fn the_words_of_a_change_are_the_remedy_that_all_findings_share() {
        let finding = |remedy: &str| AuditFinding { remedy: remedy.to_owned(), ..misfit(&[]) };
        let shared = exact_words(Fix::MatchSchema, &[&finding("return dates"), &finding("return dates")]);
        assert_eq!(shared.unwrap(), "return dates");
        assert_eq!(exact_words(Fix::MatchSchema, &[&finding("return dates"), &finding("return times")]), None);
    }
}
