//! Clients that list the tools and call none, at one revision or at all.

use std::collections::BTreeMap;

use mcp_compat_judge::rules::CLIENT_TAKES_CONFORMING_LIST;
use mcp_compat_judge::wire::exchange::{Answer, exchanges};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::{BrokenRule, Conclusion, Loss};
use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::{Fault, Outcome};
use mcp_compat_model::{Revision, Role};
use mcp_compat_run::black_box::gives_up;

use super::conclusions::no_proof;
use super::{Session, clause, place};

/// Members that only lists of 2026-07-28 must have. A list of an older revision may have them.
pub(super) const MODERN_MEMBERS: &str = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;

/// The conclusion for a client that called nothing after the lists of one or more revisions. `None` if there is no such
/// revision. `takes_modern_lists` says that it does call after an older list with the members that 2026-07-28 demands.
pub(super) fn conclusion(session: &Session, calls: &str, takes_modern_lists: bool) -> Option<Conclusion> {
    let has_called = session.notes.wires.values().any(|(activity, _)| activity.called);
    let silent = without_a_call(session);
    if silent.is_empty() {
        let never = "the client connected, but never got a list of tools and never called one, so the audit cannot assess \
                     it";
        // Cells without a session say nothing about calls.
        let met = session.record.cells.iter().filter(|cell| cell.outcome != Outcome::Unreachable);
        return (!has_called).then(|| no_proof(never.to_owned(), &met.cloned().collect::<Vec<_>>()));
    }
    let cells: Vec<CellRecord> = silent.values().flatten().copied().cloned().collect();
    if let Some(other) = session.notes.called.first().filter(|_| !has_called) {
        let what = format!(
            "the client never called `{calls}`. It called {}. Name the tool that it calls with --calls",
            quoted(other)
        );
        return Some(no_proof(what, &cells));
    }
    let revisions: Vec<String> = silent.keys().map(ToString::to_string).collect();
    let at = revisions.join(", ");
    let first = cells.first()?;
    let ended = session.notes.wires.get(&first.id).map_or("", |(_, ended)| ended.as_str());
    // A client that ended without an error may look for another tool.
    let is_refused = session.notes.refused.contains(&first.id);
    if !is_refused && !has_called {
        let what = format!(
            "the client never called `{calls}`: it got a list of tools at {at}, and ended with {ended}. Name the tool that \
             it calls with --calls"
        );
        return Some(no_proof(what, &cells));
    }
    let told = session.notes.told.get(&first.id).map_or(ended, String::as_str);
    let told = told.strip_prefix(&gives_up(calls)).map_or(told, |rest| rest.trim_start_matches(". It ended with "));
    let told = clause(if told.is_empty() { ended } else { told });
    if let Some(refused) = session.notes.gave_up_at.get(&first.id).filter(|_| is_refused && !has_called) {
        let what = format!(
            "At {at} the client gives up after a request for something that the server did not declare: {refused}. It called \
             nothing, and ended with {told}. The server declares tools alone. To fix in the client: ask only for capabilities \
             that the server declared, and go on after an error of such a request."
        );
        return Some(Conclusion { source: Some(OPERATION.to_owned()), ..gives_up_conclusion(what, None, &cells) });
    }
    let (proof, fix) = match (has_called, takes_modern_lists) {
        (true, _) => (" At other revisions it calls the tool.".to_owned(), ""),
        (false, true) => (
            format!(
                " It calls the tool if the list has `resultType`, `ttlMs` and `cacheScope`, which only {} demands.",
                Revision::NEWEST
            ),
            "",
        ),
        (false, false) => (String::new(), ". If it looks for another tool, name that tool with --calls"),
    };
    let is_certain = has_called || takes_modern_lists;
    let what = format!(
        "At {at} the client gives up after a legal list of tools: it called nothing, and ended with {told}.{proof} To fix in \
         the client: {}{fix}.",
        CLIENT_TAKES_CONFORMING_LIST.remedy
    );
    let rule = is_certain.then(|| BrokenRule {
        id: CLIENT_TAKES_CONFORMING_LIST.id.to_owned(),
        level: CLIENT_TAKES_CONFORMING_LIST.level.newest(),
        source: CLIENT_TAKES_CONFORMING_LIST.source.to_owned(),
    });
    Some(gives_up_conclusion(what, rule, &cells))
}

/// Parties only use what was negotiated.
const OPERATION: &str = "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation";

fn gives_up_conclusion(what: String, rule: Option<BrokenRule>, cells: &[CellRecord]) -> Conclusion {
    Conclusion {
        fault: Some(Fault::Client),
        lost: Some(Loss::Tools),
        rule,
        seen: cells.iter().map(place).collect(),
        ..Conclusion::of_client(Severity::Error, what)
    }
}

/// The last request of a client, if it was refused and is neither the handshake nor about tools: its method, and the error.
pub(super) fn gave_up_at(transcript: &Transcript) -> Option<String> {
    let messages = messages(transcript);
    let all = exchanges(&messages, transcript).all;
    let last = all.iter().filter(|it| messages[it.request].from == Role::Client).max_by_key(|it| it.request)?;
    let (method, Answer::Error(at)) = (messages[last.request].method()?, last.answer) else { return None };
    let is_asked_by_all = ["initialize", "server/discover", "tools/list", "tools/call"].contains(&method);
    let (code, message) =
        (messages[at].error_code().unwrap_or_default(), messages[at].error_message().unwrap_or_default());
    (!is_asked_by_all).then(|| format!("{method} was answered with {code} ({})", clause(message)))
}

/// The cells in which the client got a list and called nothing, by revision, for the revisions at which it never called.
fn without_a_call(session: &Session) -> BTreeMap<Revision, Vec<&CellRecord>> {
    let mut silent: BTreeMap<Revision, Vec<&CellRecord>> = BTreeMap::new();
    let mut called = Vec::new();
    for cell in &session.record.cells {
        let Some((activity, _)) = session.notes.wires.get(&cell.id) else { continue };
        let Some(revision) = activity.revision.filter(|_| activity.listed) else { continue };
        if activity.called {
            called.push(revision);
        } else {
            silent.entry(revision).or_default().push(cell);
        }
    }
    silent.retain(|revision, _| !called.contains(revision));
    silent
}
