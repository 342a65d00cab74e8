//! The causes of an audit: what is wrong, whom it loses and what to change, each once.
//!
//! ```text
//! findings ─ by rule ──────────> Cause ── best change ─> causes with one change to the same tools are one
//! losses   ─ by rule and tool ─┘        (a loss that no finding explains is a cause of its own)
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp_compat_judge::rules;
use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, AuditFinding, Change, Loss, Severity};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::signature::Ground;
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};

use crate::sdk::rank;
use crate::text::first_of;

/// Most members that a title names.
const NAMES: usize = 8;

/// Findings, losses and the change that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Cause<'a> {
    pub(crate) severity: Severity,
    /// Tools that are affected; empty if it concerns the server as a whole.
    pub(crate) tools: Vec<&'a str>,
    /// One finding for each rule that is violated.
    pub(crate) findings: Vec<&'a AuditFinding>,
    /// The members that are wrong in any of the tools, each once.
    members: Vec<&'a str>,
    /// Losses, each with its tool.
    pub(crate) losses: Vec<(Option<&'a str>, &'a Loss)>,
    pub(crate) change: Option<&'a Change>,
}

/// The causes, the worst first.
pub(crate) fn causes(audit: &Audit) -> Vec<Cause<'_>> {
    let mut causes: Vec<Cause<'_>> = Vec::new();
    for finding in &audit.findings {
        causes.push(Cause::of_finding(finding, None));
    }
    for tool in &audit.tools {
        for finding in &tool.findings {
            let is_same = |cause: &&mut Cause<'_>| {
                let [known] = cause.findings[..] else { return false };
                let key = |it: &AuditFinding, tool: &str| {
                    // A server's SDK names the tool in its message.
                    let refused = it.refused.as_ref().map(|message| message.replace(tool, ""));
                    (it.rule.clone(), it.severity, it.way.clone(), it.lacks.clone(), refused)
                };
                cause.tools.first().is_some_and(|first| key(known, first) == key(finding, &tool.name))
            };
            match causes.iter_mut().find(is_same) {
                Some(cause) => {
                    cause.tools.push(&tool.name);
                    let new = finding.members.iter().filter(|name| !cause.members.contains(&name.as_str()));
                    cause.members.extend(new.map(String::as_str).collect::<Vec<_>>());
                }
                None => causes.push(Cause::of_finding(finding, Some(&tool.name))),
            }
        }
    }
    let mut unexplained = Vec::new();
    for tool in &audit.tools {
        for loss in &tool.losses {
            match causes.iter_mut().find(|cause| cause.explains(&tool.name, loss)) {
                Some(cause) => cause.losses.push((Some(tool.name.as_str()), loss)),
                None => unexplained.push((Some(tool.name.as_str()), loss)),
            }
        }
    }
    for loss in &audit.losses {
        match causes.iter_mut().find(|cause| cause.tools.is_empty() && cause.explains("", loss)) {
            Some(cause) => cause.losses.push((None, loss)),
            None => unexplained.push((None, loss)),
        }
    }
    unexplained.extend(audit.out_of_reach().map(|loss| (None, loss)));
    causes.extend(by_signature(unexplained));
    for cause in &mut causes {
        let of_losses = cause.losses.iter().map(|(_, loss)| loss.severity()).max();
        cause.severity = cause.severity.max(of_losses.unwrap_or(Severity::Note));
        cause.change = cause.best_change(audit);
    }
    let mut causes = merged(causes);
    for cause in &mut causes {
        // The rule that most clients lose something by comes first.
        let lost = |rule: &str| cause.losses.iter().filter(|(_, loss)| loss.rule.as_deref() == Some(rule)).count();
        cause.findings.sort_by_key(|finding| std::cmp::Reverse((finding.severity, lost(&finding.rule))));
    }
    causes.sort_by_key(|cause| {
        let worst = cause.losses.iter().map(|(_, loss)| loss.loses).max();
        std::cmp::Reverse((cause.severity, worst, cause.lost_by().len()))
    });
    causes
}

/// Losses that no finding explains, by what they have in common. Tools are one cause if the same clients have the same
/// loss.
fn by_signature<'a>(losses: Vec<(Option<&'a str>, &'a Loss)>) -> Vec<Cause<'a>> {
    // The debug text is the key, because the values have neither an order nor a hash.
    let key = |loss: &Loss| format!("{:?}", (&loss.signature, loss.loses, loss.outcome, loss.rating, loss.fault));
    let mut of_tools: Vec<(Option<&str>, String, Vec<&Loss>)> = Vec::new();
    for (tool, loss) in losses {
        let key = key(loss);
        match of_tools.iter_mut().find(|(known, its, _)| *known == tool && *its == key) {
            Some((_, _, group)) => group.push(loss),
            None => of_tools.push((tool, key, vec![loss])),
        }
    }
    let mut causes: Vec<Cause<'_>> = Vec::new();
    let mut known: HashMap<(String, BTreeSet<&PeerId>), usize> = HashMap::new();
    for (tool, key, losses) in of_tools {
        let clients = losses.iter().map(|loss| &loss.client).collect();
        let place = *known.entry((key, clients)).or_insert(causes.len());
        if place == causes.len() {
            let none = Cause {
                severity: Severity::Note,
                tools: Vec::new(),
                findings: Vec::new(),
                members: Vec::new(),
                losses: Vec::new(),
                change: None,
            };
            causes.push(none);
        }
        causes[place].tools.extend(tool);
        causes[place].losses.extend(losses.into_iter().map(|loss| (tool, loss)));
    }
    causes
}

/// Merges causes that one change to the same tools ends.
fn merged(causes: Vec<Cause<'_>>) -> Vec<Cause<'_>> {
    let mut all: Vec<Cause<'_>> = Vec::new();
    for cause in causes {
        let is_same = |known: &&mut Cause<'_>| {
            let same_change =
                matches!((known.change, cause.change), (Some(one), Some(other)) if std::ptr::eq(one, other));
            same_change && known.tools == cause.tools && known.severity.min(cause.severity) > Severity::Note
        };
        match all.iter_mut().find(is_same) {
            Some(known) => {
                known.severity = known.severity.max(cause.severity);
                known.findings.extend(cause.findings);
                known.losses.extend(cause.losses);
            }
            None => all.push(cause),
        }
    }
    all
}

impl<'a> Cause<'a> {
    fn of_finding(finding: &'a AuditFinding, tool: Option<&'a str>) -> Self {
        let tools = tool.into_iter().collect();
        let members = finding.members.iter().map(String::as_str).collect();
        Self { severity: finding.severity, tools, findings: vec![finding], members, losses: Vec::new(), change: None }
    }

    /// Returns whether one of the findings is the reason of a loss.
    fn explains(&self, tool: &str, loss: &Loss) -> bool {
        let Some(rule) = &loss.rule else { return false };
        let is_about = self.tools.is_empty() || self.tools.contains(&tool);
        is_about && self.findings.iter().any(|finding| finding.rule == *rule)
    }

    /// The change that fixes most of the clients, or else the one that ends the violation.
    fn best_change(&self, audit: &'a Audit) -> Option<&'a Change> {
        let losers = self.lost_by();
        let is_about = |change: &Change| {
            let is_of_tool = change.tools.iter().any(|tool| self.tools.contains(&tool.as_str()));
            is_of_tool || (change.tools.is_empty() && self.tools.is_empty())
        };
        let weight = |change: &Change| {
            let freed = change.frees.iter().filter(|client| losers.contains(client)).count();
            let is_asked = self.findings.iter().any(|finding| change.rules.contains(&finding.rule));
            (freed, is_asked)
        };
        let all = audit.changes.iter().filter(|change| is_about(change)).map(|change| (weight(change), change));
        let mut best: Option<((usize, bool), &Change)> = None;
        for (weight, change) in all {
            if weight > best.map_or((0, false), |(best, _)| best) {
                best = Some((weight, change));
            }
        }
        best.map(|(_, change)| change)
    }

    /// Clients whose user does not get the information.
    pub(crate) fn lost_by(&self) -> BTreeSet<&'a PeerId> {
        let breaks = self.losses.iter().filter(|(_, loss)| loss.rating == Rating::Breaks);
        breaks.map(|(_, loss)| &loss.client).collect()
    }

    /// What is wrong, in a few words or a sentence.
    pub(crate) fn title(&self) -> String {
        let Some(finding) = self.findings.first() else { return self.reason() };
        if !finding.lacks.is_empty() {
            return "the result lacks members that its outputSchema requires".to_owned();
        }
        if finding.refused.is_some() {
            return "the server refuses its own result".to_owned();
        }
        // The sentence of one of several tools is not that of the others.
        let is_of_one = || self.tools.len() > 1 && self.tools.iter().any(|tool| finding.detail.contains(tool));
        let short = match rules::find(&finding.rule) {
            Some(rule) if finding.returned.is_some() || rule == &rules::STRUCTURED_OUTPUT_KNOWN || is_of_one() => {
                // The row of the change has the remedy.
                let way = finding.way.as_ref().filter(|way| **way != finding.remedy);
                let way = way.map(|way| format!(" ({})", neutralised(way))).unwrap_or_default();
                let names: Vec<String> = self.members.iter().map(|name| format!("`{}`", neutralised(name))).collect();
                let names = if names.is_empty() { String::new() } else { format!(": {}", first_of(&names, NAMES)) };
                Some(format!("{}{way}{names}", rule.violation))
            }
            Some(_) | None => None,
        };
        short.unwrap_or_else(|| neutralised(&finding.detail))
    }

    /// The reason of the losses, as a client has it that users know best.
    fn reason(&self) -> String {
        let example = self.losses.iter().map(|(_, loss)| *loss).min_by_key(|loss| rank(&loss.client));
        match example {
            Some(loss) if self.tools.is_empty() && loss.outcome == Outcome::Unreachable => {
                "no common revision, so these clients cannot connect".to_owned()
            }
            Some(loss) => neutralised(&loss.reason),
            None => String::new(),
        }
    }

    /// The largest loss.
    pub(crate) fn radius(&self) -> Option<BlastRadius> {
        let breaks = self.losses.iter().filter(|(_, loss)| loss.rating == Rating::Breaks);
        breaks.map(|(_, loss)| loss.loses).max()
    }

    /// Losses, the largest first, with the number of clients. A client counts once, with the largest of its losses.
    pub(crate) fn losers(&self) -> Vec<(BlastRadius, usize)> {
        by_loss(self.losses.iter().map(|(_, loss)| *loss))
    }

    /// Party that has to fix it, if it is not the server.
    pub(crate) fn other_party(&self) -> Option<Fault> {
        let faults: Vec<Fault> = self.losses.iter().filter_map(|(_, loss)| loss.fault).collect();
        let first = faults.first().copied().filter(|fault| *fault != Fault::Server)?;
        faults.iter().all(|fault| *fault == first).then_some(first)
    }

    /// The rules of the cause: those of its findings, or else of its losses.
    pub(crate) fn rules(&self) -> Vec<&'a str> {
        let mut rules: Vec<&str> = self.findings.iter().map(|finding| finding.rule.as_str()).collect();
        if rules.is_empty() {
            rules = self.losses.iter().filter_map(|(_, loss)| of_loss(loss)).collect();
        }
        let mut seen = BTreeSet::new();
        rules.retain(|rule| seen.insert(*rule));
        rules
    }

    /// Returns whether the cause takes this tool from this client.
    pub(crate) fn takes(&self, tool: &str, client: &PeerId) -> bool {
        self.losses.iter().any(|(of, loss)| of.is_none_or(|of| of == tool) && loss.client == *client)
    }
}

/// Losses, the largest first, with the number of clients. A client counts once, with the largest of its losses.
pub(crate) fn by_loss<'l>(losses: impl Iterator<Item = &'l Loss>) -> Vec<(BlastRadius, usize)> {
    let mut worst = BTreeMap::<&PeerId, BlastRadius>::new();
    for loss in losses.filter(|loss| loss.rating == Rating::Breaks) {
        worst.entry(&loss.client).and_modify(|known| *known = loss.loses.max(*known)).or_insert(loss.loses);
    }
    let mut clients = BTreeMap::<BlastRadius, usize>::new();
    for radius in worst.into_values() {
        *clients.entry(radius).or_default() += 1;
    }
    clients.into_iter().rev().collect()
}

fn of_loss(loss: &Loss) -> Option<&str> {
    match loss.signature.as_ref().map(|signature| &signature.ground) {
        Some(Ground::Rule(rule)) => Some(rule),
        Some(Ground::SpecSilent | Ground::SpecConflict | Ground::NoRule | Ground::NoSession(_)) | None => None,
    }
}
