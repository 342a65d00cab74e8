//! Annotations of an audit for GitHub Actions: one for each cause.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, AuditFinding, Loss, Severity};
use mcp_compat_model::count::counted;
use mcp_compat_model::signature::Ground;

use crate::github::{Level, annotation};
use crate::server_list::AuditedList;

/// Number of names in one line.
const NAMES: usize = 8;

/// A cause of findings and losses.
#[derive(Default)]
struct Cause<'a> {
    severity: Option<Severity>,
    tools: Vec<&'a str>,
    lost_by: BTreeSet<&'a PeerId>,
    detail: &'a str,
    remedy: Option<&'a str>,
}

/// The annotations of an audit: its errors, warnings and losses. `server` is the name in the titles.
pub fn of_audit(server: &str, audit: &Audit) -> String {
    let mut causes: BTreeMap<String, Cause<'_>> = BTreeMap::new();
    for finding in &audit.findings {
        add_finding(&mut causes, finding, None);
    }
    for tool in &audit.tools {
        for finding in &tool.findings {
            add_finding(&mut causes, finding, Some(&tool.name));
        }
        for loss in &tool.losses {
            add_loss(&mut causes, loss, &tool.name);
        }
    }
    let mut causes: Vec<(String, Cause<'_>)> =
        causes.into_iter().filter(|(_, cause)| cause.severity > Some(Severity::Note)).collect();
    causes.sort_by_key(|(_, cause)| std::cmp::Reverse((cause.severity, cause.lost_by.len())));
    causes.iter().map(|(key, cause)| of_cause(server, key, cause)).collect()
}

/// The annotations of several servers. A server that could not be audited has one.
pub fn of_list(list: &AuditedList) -> String {
    let of_server = |listed: &crate::server_list::ListedAudit| match (&listed.audit, &listed.why) {
        (Some(audit), _) => of_audit(&listed.name, audit),
        (None, Some(why)) if listed.failed => annotation(Level::Error, &format!("{}: not audited", listed.name), why),
        (None, _) => String::new(),
    };
    list.servers.iter().map(of_server).collect()
}

fn add_finding<'a>(causes: &mut BTreeMap<String, Cause<'a>>, finding: &'a AuditFinding, tool: Option<&'a str>) {
    let cause = causes.entry(finding.rule.clone()).or_default();
    if cause.severity < Some(finding.severity) || cause.remedy.is_none() {
        cause.detail = &finding.detail;
        cause.remedy = Some(&finding.remedy);
    }
    cause.severity = cause.severity.max(Some(finding.severity));
    cause.tools.extend(tool.filter(|tool| !cause.tools.contains(tool)));
}

/// Adds a loss to the cause of its rule, or to one of its own.
fn add_loss<'a>(causes: &mut BTreeMap<String, Cause<'a>>, loss: &'a Loss, tool: &'a str) {
    let key = match &loss.signature {
        Some(signature) => match &signature.ground {
            Ground::Rule(rule) => rule.clone(),
            Ground::NoSession(_) | Ground::SpecSilent | Ground::SpecConflict | Ground::NoRule => {
                loss.outcome.to_string()
            }
        },
        None => loss.outcome.to_string(),
    };
    let cause = causes.entry(key).or_default();
    if cause.detail.is_empty() {
        cause.detail = &loss.reason;
    }
    cause.severity = cause.severity.max(Some(loss.severity()));
    if loss.rating == mcp_compat_model::verdict::Rating::Breaks {
        cause.lost_by.insert(&loss.client);
    }
    if !cause.tools.contains(&tool) {
        cause.tools.push(tool);
    }
}

fn of_cause(server: &str, key: &str, cause: &Cause<'_>) -> String {
    let tools = names(&cause.tools);
    let about = if tools.is_empty() { server.to_owned() } else { format!("{server}, {tools}") };
    let mut message = cause.detail.to_owned();
    if !cause.lost_by.is_empty() {
        let clients: Vec<&str> = cause.lost_by.iter().map(|client| client.as_str()).collect();
        message += &format!("\nlost by {}: {}", counted(clients.len(), "client"), names(&clients));
    }
    if let Some(remedy) = cause.remedy {
        message += &format!("\nchange: {remedy}");
    }
    let level = cause.severity.map_or(Level::Notice, Level::from);
    annotation(level, &format!("{about}: {key}"), &message)
}

fn names(names: &[&str]) -> String {
    let shown = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
