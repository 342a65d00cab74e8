//! Conclusions from the cells of one client.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mcp_compat_judge::rules::{self, Affects, Rule, Scope};
use mcp_compat_model::audit::Severity;
use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::client_audit::{BrokenRule, Conclusion, Loss, Place};
use mcp_compat_model::count::counted;
use mcp_compat_model::observation::End;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::signature::Ground;
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, OutcomeGroup, Party, Rating};
use mcp_compat_model::{CellId, PeerId, Revision, Role};
use mcp_compat_run::black_box::{ENDS_WELL_ANYHOW, FAILS_ANYHOW};
use mcp_compat_run::peer_set::PeerSet;

use super::probes::{REFERENCES, SECOND_PAGE};
use super::{Session, place, request_shapes};

/// Draws the conclusions from a session. `after_list`, that the client called nothing after some lists, or that its exit
/// status proves nothing, comes first. `worked_at` is the revision at which it worked with another server.
pub(super) fn conclusions(
    session: &Session,
    after_list: Option<Conclusion>,
    worked_at: Option<Revision>,
) -> Vec<Conclusion> {
    let cells = &session.record.cells;
    let unproven = without_status(&session.notes.ends, cells).filter(|_| session.record.complete);
    let is_unproven = after_list.is_some() || unproven.is_some();
    let (first, part) = match (after_list, unproven) {
        (Some(after_list), _) => (Some(after_list), None),
        (None, Some(Unproven::Most(all))) => (Some(all), None),
        (None, Some(Unproven::Some(part))) => (None, Some(part)),
        (None, None) => (None, None),
    };
    let mut conclusions: Vec<Conclusion> = causes(cells, Rating::Breaks).iter().map(of_cause).collect();
    // A client that opens no session anywhere may have other reasons.
    conclusions.extend(of_those_apart(session, worked_at).filter(|_| session.has_listed()));
    // A client that gave up after the list did nothing that it could be blamed for after that.
    let went_on = |cell: &&CellRecord| !session.notes.refused.contains(&cell.id);
    let went_on: Vec<CellRecord> = cells.iter().filter(went_on).cloned().collect();
    for (rule, found) in broken_beside(&went_on) {
        // Only the exit status shows which results a client rejects.
        if is_unproven && rules::find(rule) == Some(&rules::CLIENT_VALIDATES) {
            continue;
        }
        if conclusions.iter().all(|known| known.rule.as_ref().is_none_or(|known| known.id != rule)) {
            conclusions.extend(of_rule(&found));
        }
    }
    conclusions.extend(request_shapes::conclusions(session));
    conclusions.extend(session.notes.misprints.first().map(|why| of_misprint(why)));
    conclusions.extend(part);
    // The sort is stable: equal conclusions stay in the order of their causes.
    conclusions.sort_by_key(badness);
    first.into_iter().chain(conclusions).collect()
}

/// Adds the conclusions from variations, worst first. One that names a rule has what the cells say of that rule: it shows the
/// loss.
pub(super) fn join(conclusions: &mut Vec<Conclusion>, varied: Vec<Conclusion>) {
    for mut found in varied {
        let same = |known: &Conclusion| match (&known.rule, &found.rule) {
            (Some(known), Some(found)) => known.id == found.id,
            _ => false,
        };
        if let Some(known) = conclusions.iter().position(same) {
            found.seen = conclusions.remove(known).seen;
        }
        conclusions.push(found);
    }
    conclusions.sort_by_key(badness);
}

/// Leaves out what is said of references that lead nowhere or far, where the client resolves none at all.
pub(super) fn leave_out_references(conclusions: &mut Vec<Conclusion>) {
    let is_of_reference = |place: &Place| REFERENCES.contains(&place.scenario.as_str());
    conclusions.retain(|it| it.seen.is_empty() || it.rule.is_some() || !it.seen.iter().all(is_of_reference));
}

/// Leaves out that a client refuses a list of two pages, where a variation shows that it does not ask for the second one.
pub(super) fn leave_out_pages(conclusions: &mut Vec<Conclusion>) {
    let is_of_page = |place: &Place| place.scenario.as_str() == SECOND_PAGE;
    let is_refusal = |rule: &BrokenRule| rules::find(&rule.id) == Some(&rules::CLIENT_TAKES_CONFORMING_LIST);
    conclusions.retain(|it| !(it.rule.as_ref().is_some_and(is_refusal) && it.seen.iter().all(is_of_page)));
}

/// A line with the client's result that cannot be used.
fn of_misprint(why: &str) -> Conclusion {
    Conclusion::of_client(Severity::Note, format!("The client {why}. Its exit status counts in place of the line."))
}

/// The client did nothing in these cells that could be judged. The person who runs it has to act.
pub(super) fn no_proof(what: String, cells: &[CellRecord]) -> Conclusion {
    Conclusion { seen: cells.iter().map(place).collect(), ..Conclusion::of_client(Severity::Error, what) }
}

/// Smaller is worse: first the severity, then what has to be fixed in the client, what is lost, silent losses, and the level of
/// the rule.
fn badness(conclusion: &Conclusion) -> (Reverse<Severity>, bool, Reverse<Option<Loss>>, bool, u8) {
    let level = match conclusion.rule.as_ref().map(|rule| rule.level) {
        Some(Level::Must) => 0,
        None => 1,
        Some(Level::Should) => 2,
        Some(Level::May) => 3,
    };
    let lost = Reverse(conclusion.lost);
    (Reverse(conclusion.severity), !conclusion.is_the_clients, lost, !conclusion.silent, level)
}

fn of_cause(cause: &Cause<'_>) -> Conclusion {
    let cell = cause.example;
    let party = match cell.fault {
        Some(Fault::Client | Fault::Both) => Some(Party::Client),
        Some(Fault::Server) => Some(Party::Server),
        Some(Fault::Spec | Fault::Harness) | None => None,
    };
    // The rule that the reason is about. Others that the cell violates have conclusions of their own.
    let decides = |finding: &&Finding| match cell.signature.as_ref().map(|signature| &signature.ground) {
        Some(Ground::Rule(rule)) => finding.rule == *rule,
        Some(Ground::NoSession(_) | Ground::SpecSilent | Ground::SpecConflict | Ground::NoRule) | None => false,
    };
    let rule = cell.findings.iter().filter(|finding| Some(finding.party) == party).find(decides).map(rule);
    let is_the_clients = party == Some(Party::Client);
    let severity = match &rule {
        _ if !is_the_clients => Severity::Note,
        Some(rule) => of_level(rule.level),
        None => Severity::Error,
    };
    Conclusion {
        is_the_clients,
        fault: cell.fault,
        lost: lost(cell),
        silent: cause.is_silent(),
        rule,
        seen: cause.cells.iter().copied().map(place).collect(),
        ..Conclusion::of_client(severity, cell.reason.clone())
    }
}

/// Loss in a cell that breaks.
fn lost(cell: &CellRecord) -> Option<Loss> {
    let is_of_value = cell.outcome.group() == OutcomeGroup::Value;
    Some(match cell.blast_radius? {
        BlastRadius::Session => Loss::Session,
        BlastRadius::Server => Loss::Tools,
        BlastRadius::Tool => Loss::Tool,
        BlastRadius::Call if is_of_value && cell.outcome != Outcome::Rejected => Loss::Value,
        BlastRadius::Call => Loss::Call,
    })
}

/// The conclusion from the servers with which the client has no revision in common, which is no defect of either. A client
/// that works with a handshake at `worked_at` has one with servers of that revision; those of another one answer with theirs,
/// and only a client that asked them for it has shown that it does not speak it.
fn of_those_apart(session: &Session, worked_at: Option<Revision>) -> Option<Conclusion> {
    let mocks = PeerSet::mocks().of_role(Role::Server);
    let offered = |id: &PeerId| mocks.iter().find(|server| server.id() == id).into_iter().flat_map(|it| it.offered());
    let may_have_common = |cell: &CellRecord, works: Revision| {
        let has_asked = session.notes.handshakes.contains(&cell.id);
        offered(&cell.server).any(|it| it == works || (!has_asked && it.era() == works.era()))
    };
    let is_apart = |cell: &&CellRecord| {
        let is_known = worked_at.is_some_and(|works| may_have_common(cell, works));
        cell.rating == Rating::Skipped && cell.outcome == Outcome::Unreachable && !is_known
    };
    let apart: Vec<&CellRecord> = session.record.cells.iter().filter(is_apart).collect();
    let first = apart.first()?;
    Some(Conclusion {
        is_the_clients: false,
        fault: Some(Fault::Both),
        seen: apart.iter().copied().map(place).collect(),
        ..Conclusion::of_client(Severity::Note, first.reason.clone())
    })
}

/// The rules that the client violated in cells that do not break, each with these cells.
fn broken_beside(cells: &[CellRecord]) -> BTreeMap<&str, Vec<(&CellRecord, &Finding)>> {
    let mut found = BTreeMap::<&str, Vec<_>>::new();
    for cell in cells.iter().filter(|cell| cell.rating != Rating::Breaks) {
        for finding in cell.findings.iter().filter(|finding| finding.party == Party::Client) {
            let known = found.entry(finding.rule.as_str()).or_default();
            if known.last().is_none_or(|(last, _): &(&CellRecord, _)| last.id != cell.id) {
                known.push((cell, finding));
            }
        }
    }
    found
}

fn of_rule(found: &[(&CellRecord, &Finding)]) -> Option<Conclusion> {
    let (_, finding) = found.first()?;
    let lost = rules::find(&finding.rule).and_then(lost_where_checked);
    Some(Conclusion {
        is_the_clients: finding.level != Level::May,
        lost: lost.map(|(loss, _)| loss),
        rule: Some(rule(finding)),
        seen: found.iter().map(|(cell, _)| place(cell)).collect(),
        ..Conclusion::of_client(of_level(finding.level), fixed_by(finding))
    })
}

/// Loss with servers that refuse what a rule of the protocol forbids, in words too. The servers of the probes take it.
fn lost_where_checked(rule: &Rule) -> Option<(Loss, &'static str)> {
    match (rule.scope, rule.level.newest(), rule.affects) {
        (Scope::Protocol, Level::Must, Affects::HttpHead) => Some((Loss::Session, "the session")),
        (Scope::Protocol, Level::Must, _) if *rule == rules::INITIALIZED_IS_TOLD => {
            Some((Loss::Session, "the session"))
        }
        (Scope::Protocol, Level::Must, _) => Some((Loss::Call, "the request")),
        (Scope::Protocol, Level::Should | Level::May, _) | (Scope::Payload, ..) => None,
    }
}

/// The detail of a finding, what is lost, and what the client has to do.
fn fixed_by(finding: &Finding) -> String {
    let rule = rules::find(&finding.rule);
    // The detail of this rule is what the server did.
    let accepted = if rule == Some(&rules::CLIENT_VALIDATES) { "the client accepted an invalid result: " } else { "" };
    let detail = format!("{accepted}{}", finding.detail.trim_end_matches('.'));
    match rule {
        Some(rule) => {
            let lost = lost_where_checked(rule).map(|(_, lost)| format!(" Lost with servers that check it: {lost}."));
            format!("{detail}.{} To fix in the client: {}.", lost.unwrap_or_default(), rule.remedy)
        }
        None => finding.detail.clone(),
    }
}

/// The severity of a violation by the client.
const fn of_level(level: Level) -> Severity {
    match level {
        Level::Must => Severity::Error,
        Level::Should => Severity::Warning,
        Level::May => Severity::Note,
    }
}

fn rule(finding: &Finding) -> BrokenRule {
    BrokenRule { id: finding.rule.clone(), level: finding.level, source: finding.source.clone() }
}

/// Probes that show nothing.
enum Unproven {
    /// Most do, so that the audit proves nothing.
    Most(Conclusion),
    Some(Conclusion),
}

/// The conclusion for a client whose exit status shows nothing in some probes. `None` if it was not seen to show
/// nothing.
fn without_status(ends: &BTreeMap<CellId, End>, cells: &[CellRecord]) -> Option<Unproven> {
    const REASONS: [(&str, &str, &str); 2] = [
        (
            ENDS_WELL_ANYHOW,
            "the client ends with 0 even when a call fails",
            "end with another status when a call fails",
        ),
        (FAILS_ANYHOW, "the client ends with an error even after a valid answer", "end with 0 after a valid answer"),
    ];
    let ended = |cell: &&CellRecord, reason: &str| match ends.get(&cell.id) {
        Some(End::Unsupported { by: Role::Client, reason: seen }) => seen == reason,
        Some(_) | None => false,
    };
    let shows_nothing = |cell: &&CellRecord| REASONS.iter().any(|(reason, ..)| ended(cell, reason));
    let of_these: Vec<CellRecord> = cells.iter().filter(shows_nothing).cloned().collect();
    let (_, why, remedy) = REASONS.iter().find(|(reason, ..)| cells.iter().any(|cell| ended(&cell, reason)))?;
    let what = format!("{} of {} show nothing: {why}", of_these.len(), counted(cells.len(), "probe"));
    if of_these.len() * 2 > cells.len() {
        return Some(Unproven::Most(no_proof(what, &of_these)));
    }
    let what =
        format!("{what}. To see more, let the command {remedy}, or print the result as a line of JSON (see --help).");
    let note = Conclusion { severity: Severity::Note, is_the_clients: false, ..no_proof(what, &of_these) };
    Some(Unproven::Some(note))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused_list(scenario: &str) -> Conclusion {
        let rule = &rules::CLIENT_TAKES_CONFORMING_LIST;
        let seen = Place { scenario: scenario.parse().unwrap(), server: "mock/dual".parse().unwrap() };
        Conclusion {
            rule: Some(BrokenRule {
                id: rule.id.to_owned(),
                level: rule.level.newest(),
                source: rule.source.to_owned(),
            }),
            seen: vec![seen],
            ..Conclusion::of_client(Severity::Error, "the client refuses the list".to_owned())
        }
    }

    #[test]
    fn a_refusal_of_two_pages_is_left_out_and_of_other_lists_is_not() {
        let mut conclusions = vec![refused_list(SECOND_PAGE), refused_list("pagination/empty-cursor")];
        leave_out_pages(&mut conclusions);
        assert_eq!(conclusions, [refused_list("pagination/empty-cursor")]);
    }
}
