//! Calls that come to nothing at the server, whichever client makes them: it does not answer, ends, answers with what
//! is neither a result nor an error, answers with a result of no use, or fails at some revisions alone. No user of a client
//! at such a revision can get a value, so every one of these clients loses the call, whatever a replay shows.

use std::collections::{BTreeMap, HashMap};

use mcp_compat_judge::rules;
use mcp_compat_model::audit::Loss;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::signature::{Ground, Place, Signature};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};
use mcp_compat_model::{Era, PeerId, Revision};
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_scenario::write::Answer;

use super::discover_answer::DiscoverAnswer;
use super::failing_revisions::FailedCall;
use super::observed::ObservedServer;
use super::replay::spoken_with;
use super::snapshot::ToolSnapshot;
use super::unusable_result;

/// Result for the user of any client of a call that comes to nothing at the server.
struct LostCall {
    outcome: Outcome,
    /// True if no error tells the user of it.
    silent: bool,
    /// Sentence that says what the server did.
    reason: String,
    ground: Ground,
}

/// A call whose value was not seen at a revision.
enum Unseen {
    /// Every client of the revision loses it.
    Lost(LostCall),
    /// It failed there, and it is not known whether it would again.
    Unknown { reason: String },
}

impl Unseen {
    fn of(failed: &FailedCall<'_>) -> (Revision, Self) {
        let (revision, tool) = (failed.snapshot.revision, neutralised(&failed.snapshot.tool.name));
        let what =
            format!("`{tool}` returned an error at {revision} ({}) and a result at {}", failed.why, failed.elsewhere);
        let unseen = if failed.by_revision {
            let reason = format!("{what}, so clients of {revision} get no value");
            Self::Lost(LostCall { outcome: Outcome::Told, silent: false, reason, ground: Ground::NoRule })
        } else {
            Self::Unknown { reason: format!("{what}; the revision need not be the reason") }
        };
        (revision, unseen)
    }
}

/// Takes the verdict from a cell whose result was not seen.
pub(super) fn skip(cell: &mut CellRecord, reason: &str) {
    (cell.rating, cell.outcome, cell.expected) = (Rating::Skipped, Outcome::Unsupported, None);
    (cell.fault, cell.signature, cell.blast_radius) = (None, None, None);
    (cell.silent, cell.vacuous) = (false, false);
    reason.clone_into(&mut cell.reason);
}

/// Marks the cells of calls that came to nothing at the server. A client that loses more than the call keeps its loss.
pub(super) fn mark(record: &mut Record, observed: &ObservedServer, clients: &[ClientPeer]) {
    let mut unseen: HashMap<&str, Vec<(Revision, Unseen)>> = HashMap::new();
    for (tool, id) in &observed.ids {
        let snapshots = observed.snapshots.get(tool).map(Vec::as_slice).unwrap_or_default();
        let lost_at = |snapshot: &ToolSnapshot| {
            let lost = LostCall::of(snapshot).or_else(|| LostCall::of_result(snapshot))?;
            Some((snapshot.revision, Unseen::Lost(lost)))
        };
        let failed = observed.failed_calls(tool);
        let misaddressed = observed.misaddressed.iter().filter(|(of, _)| of == tool);
        let misaddressed = misaddressed.map(|(tool, at)| (*at, Unseen::Lost(LostCall::misaddressed(tool, *at))));
        let calls = misaddressed.chain(snapshots.iter().filter_map(lost_at)).chain(failed.iter().map(Unseen::of));
        let calls = calls.collect();
        unseen.insert(id.as_str(), calls);
    }
    let discovered = DiscoverAnswer::of(&observed.probed);
    let offers = observed.refused_offers.as_ref();
    let asks_for_refused = |client: &PeerId| {
        let peer = clients.iter().find(|peer| peer.id() == client);
        offers.filter(|offers| peer.is_some_and(|peer| offers.stops(peer)))
    };
    let kept = |cell: &&mut CellRecord| matches!(cell.rating, Rating::Works | Rating::Degraded);
    for cell in record.cells.iter_mut().filter(|cell| cell.negotiated.is_some_and(|at| at.era() == Era::Legacy)) {
        if let Some(refused) = observed.refused_choices.iter().find(|refused| refused.is_of(&cell.client)) {
            mark_lost_session(cell, &refused.rule, &refused.reason);
        } else if let Some(offers) = asks_for_refused(&cell.client) {
            mark_lost_session(cell, offers.rule().id, &offers.reason);
        } else if let Some(answer) = discovered.filter(|answer| answer.stops(&cell.client)) {
            mark_lost_session(cell, DiscoverAnswer::rule(), &answer.reason());
        }
    }
    for cell in record.cells.iter_mut().filter(kept) {
        let calls = unseen.get(cell.scenario.as_str()).into_iter().flatten();
        match calls.into_iter().find(|(revision, _)| Some(*revision) == cell.negotiated) {
            Some((_, Unseen::Lost(call))) => call.mark(cell),
            Some((_, Unseen::Unknown { reason })) => skip(cell, reason),
            None => {}
        }
    }
}

/// Returns whether a call came to nothing at the server.
pub(super) fn is_lost(snapshot: &ToolSnapshot) -> bool {
    LostCall::of(snapshot).is_some()
}

/// Marks a cell of a client that the real server gives no session.
fn mark_lost_session(cell: &mut CellRecord, rule: &str, reason: &str) {
    (cell.rating, cell.outcome, cell.expected) = (Rating::Breaks, Outcome::Unreachable, Some(Outcome::Intact));
    (cell.silent, cell.vacuous) = (false, false);
    (cell.blast_radius, cell.fault) = (Some(BlastRadius::Session), Some(Fault::Server));
    cell.signature = Some(Signature {
        fault: Fault::Server,
        outcome: Outcome::Unreachable,
        place: Place::Session,
        ground: Ground::Rule(rule.to_owned()),
        error: None,
        pointer: None,
    });
    reason.clone_into(&mut cell.reason);
}

impl LostCall {
    /// The loss of a call that was answered with the id of no open request.
    fn misaddressed(tool: &str, revision: Revision) -> Self {
        let reason = format!("At {revision} the server answered the call of `{}` with another id", neutralised(tool));
        Self {
            outcome: Outcome::Hung,
            silent: false,
            reason,
            ground: Ground::Rule(rules::RESPONSE_MATCHES_REQUEST.id.to_owned()),
        }
    }

    fn of(snapshot: &ToolSnapshot) -> Option<Self> {
        let (tool, revision) = (|| neutralised(&snapshot.tool.name), snapshot.revision);
        if snapshot.own_validation_error().is_some() {
            let reason = format!(
                "At {revision} the server returned an error in place of the value of `{}`: its SDK refused the value",
                tool()
            );
            return Some(Self { outcome: Outcome::Told, silent: false, reason, ground: Ground::NoRule });
        }
        let (outcome, did, ground) = match snapshot.call.as_ref()?.answer {
            Answer::Hang => (Outcome::Hung, "did not answer the call", Ground::NoRule),
            Answer::Exit => (Outcome::Crashed, "ended at the call", Ground::NoRule),
            Answer::Raw(_) => {
                let did = "sent neither a valid result nor a valid error in answer to the call";
                (Outcome::Rejected, did, Ground::Rule(rules::SERVER_SPEAKS_JSON_RPC.id.to_owned()))
            }
            Answer::Returns(_) | Answer::Error(_) => return None,
        };
        Some(Self { outcome, silent: false, ground, reason: format!("At {revision} the server {did} of `{}`", tool()) })
    }

    /// The loss of a result of which most users get nothing.
    fn of_result(snapshot: &ToolSnapshot) -> Option<Self> {
        let (rule, why) = unusable_result::reason(&snapshot.result()?, snapshot.revision)?;
        let reason = format!("At {} the result of `{}` {why}", snapshot.revision, neutralised(&snapshot.tool.name));
        Some(Self { outcome: Outcome::Lost, silent: true, reason, ground: Ground::Rule(rule.id.to_owned()) })
    }

    fn mark(&self, cell: &mut CellRecord) {
        cell.rating = Rating::Breaks;
        cell.outcome = self.outcome;
        cell.expected = Some(Outcome::Intact);
        cell.silent = self.silent;
        cell.vacuous = false;
        cell.blast_radius = Some(BlastRadius::Call);
        cell.fault = Some(Fault::Server);
        cell.signature = Some(Signature {
            fault: Fault::Server,
            outcome: self.outcome,
            place: Place::Call,
            ground: self.ground.clone(),
            error: None,
            pointer: None,
        });
        cell.reason.clone_from(&self.reason);
    }
}

/// The loss of a cell that does not work.
pub(super) fn loss(cell: &CellRecord) -> Loss {
    Loss {
        client: cell.client.clone(),
        negotiated: cell.negotiated,
        rating: cell.rating,
        outcome: cell.outcome,
        silent: cell.silent,
        loses: cell.blast_radius.unwrap_or(BlastRadius::Call),
        fault: fault(cell),
        signature: cell.signature.clone(),
        rule: None,
        reason: cell.reason.clone(),
    }
}

/// The party at fault. A client has to do without `resultType` only where the server speaks no revision that has it: one that
/// answers at 2026-07-28 owes the member.
fn fault(cell: &CellRecord) -> Option<Fault> {
    let is_of_type = match cell.signature.as_ref().map(|signature| &signature.ground) {
        Some(Ground::Rule(rule)) => rules::find(rule) == Some(&rules::RESULT_TYPE_PRESENT),
        Some(_) | None => false,
    };
    if is_of_type { Some(Fault::Server) } else { cell.fault }
}

/// The clients that speak no revision at which anything was lost, where no tool was played.
pub(super) fn without_revision<'a>(clients: &'a [ClientPeer], lost: &'a [Loss]) -> impl Iterator<Item = Loss> + 'a {
    let is_out = |client: &&ClientPeer| lost.iter().all(|loss| loss.client != *client.id());
    clients.iter().filter(is_out).map(|client| Loss {
        client: client.id().clone(),
        negotiated: None,
        rating: Rating::Breaks,
        outcome: Outcome::Unreachable,
        silent: false,
        loses: BlastRadius::Session,
        fault: None,
        signature: None,
        rule: None,
        reason: format!("{} speaks no revision that the server offers", client.id()),
    })
}

/// The clients that have no session with the server because they speak no revision of it.
pub(super) fn shut_out(record: &Record, clients: &[ClientPeer], spoken: &[Revision]) -> Vec<Loss> {
    let mut by_client: BTreeMap<&PeerId, Vec<&CellRecord>> = BTreeMap::new();
    for cell in &record.cells {
        by_client.entry(&cell.client).or_default().push(cell);
    }
    // A client that speaks one rejects what the server says, which is a loss of its tools.
    let has_one = |id: &PeerId| clients.iter().any(|peer| peer.id() == id && spoken_with(peer, spoken).is_some());
    let is_out = |cell: &&CellRecord| cell.outcome == Outcome::Unreachable && cell.negotiated.is_none();
    let apart = by_client.into_iter().filter(|(id, cells)| !has_one(id) && cells.iter().all(is_out));
    let dates = |revisions: &[Revision]| revisions.iter().map(|date| date.as_str()).collect::<Vec<_>>().join(", ");
    let words = |cell: &CellRecord| {
        let offered: Vec<Revision> =
            clients.iter().filter(|peer| *peer.id() == cell.client).flat_map(ClientPeer::offered).collect();
        format!("{} speaks only {}, and the server only {}", cell.client, dates(&offered), dates(spoken))
    };
    // The reason of the cell describes the stand-in and not the server.
    let loss = |cell: &CellRecord| Loss { reason: words(cell), fault: None, ..loss(cell) };
    apart.filter_map(|(_, cells)| cells.first().map(|cell| loss(cell))).collect()
}
