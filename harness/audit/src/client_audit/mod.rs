//! The audit of a client that is only a command: what it does with a few servers and scenarios.
//!
//! ```text
//! probes × servers ─ run ─> Session: cells, and what the client did ─ conclusions ─> Conclusion, worst first
//! ```
//!
//! The audit uses the wire, the exit status, and the line in which the client may report its result.

mod after_list;
mod conclusions;
mod known;
mod probes;
mod request_shapes;
mod variations;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::client_audit::{ClientAudit, Conclusion, Place, Planned, Probe, Visit};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::record::{CellRecord, Evidence, Record, ScenarioRecord};
use mcp_compat_model::transcript::{self, Start, Transcript};
use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating};
use mcp_compat_model::{CellId, PeerId, Revision, Role};
use mcp_compat_run::baseline::{BaselineError, Renewal};
use mcp_compat_run::baseline_file::{BaselineFile, BaselineFileError};
use mcp_compat_run::black_box::{ClientCommand, WireActivity, called_tools};
use mcp_compat_run::context::Run;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::{Event, Observer};
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::request::{Request, RequestError};
use mcp_compat_run::run::{IsKnown, run};
use mcp_compat_scenario::{Diagnostics, Scenario};
use tokio_util::sync::CancellationToken;

use probes::{FIRST, FOR_OLDER_CLIENTS, MODERN, OF_DOWNGRADES, scenarios, servers};
pub use probes::{PROBES, PROBES_OF_ONE, SERVERS};
use variations::Varied;

/// The id of the client in the cells.
const CLIENT: &str = "your-client";

/// Reason why a client could not be audited.
#[derive(Debug, thiserror::Error)]
pub enum ClientAuditError {
    #[error("a scenario has a mistake:\n{0}")]
    Corpus(String),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Host(#[from] HarnessError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error("cannot listen on this machine: {0}")]
    Listen(#[from] std::io::Error),
    #[error(transparent)]
    BaselineFile(#[from] BaselineFileError),
    #[error(
        "`{client}` connected to no server: {why}. mcp-compat passes the address as the last argument, or in place of \
         {{url}}. For a client that starts its server itself, {{server}} stands for the server's command"
    )]
    NeverConnected {
        client: String,
        /// Reason, from the first probe.
        why: String,
    },
    #[error(
        "`{client}` did not end after its call was answered, and was stopped. This audit needs a program that lists the \
         tools, calls one and exits. If it needs more time to exit, raise --timeout"
    )]
    NeverEnded { client: String },
    #[error(
        "`{client}` sent a GET to the server and no message, as clients of HTTP+SSE do. Audits do not test that transport, \
         which 2025-03-26 replaced. To audit the client, let it POST `initialize` to the address (Streamable HTTP), or \
         audit it over stdio with {{server}}"
    )]
    OlderTransport { client: String },
}

impl From<Diagnostics> for ClientAuditError {
    fn from(mistakes: Diagnostics) -> Self {
        Self::Corpus(mistakes.to_string())
    }
}

/// Acts of a client in some cells.
struct Session {
    record: Record,
    notes: Notes,
}

/// Notes on a client while it is played.
#[derive(Default)]
struct Notes {
    /// Activity on the wire and end of the client, by cell.
    wires: BTreeMap<CellId, (WireActivity, String)>,
    ends: BTreeMap<CellId, End>,
    /// The error that the client ended with, by cell.
    told: BTreeMap<CellId, String>,
    /// The cells in which the client ended with an error after the list, and called nothing.
    refused: BTreeSet<CellId>,
    /// The request whose refusal was the last thing on the wire, by cell: method, code and message.
    gave_up_at: BTreeMap<CellId, String>,
    /// The names of the tools that it called.
    called: BTreeSet<String>,
    /// Requests that some servers refuse, by cell.
    shapes: BTreeMap<CellId, Vec<request_shapes::Found>>,
    /// The cells in which it sent `initialize`.
    handshakes: BTreeSet<CellId>,
    /// True if it sent GET requests alone in the first cell.
    only_listens: bool,
    /// Mistakes in lines in which the client reported its result.
    misprints: Vec<String>,
}

/// A finished audit of a client.
pub struct AuditedClient {
    pub audit: ClientAudit,
    /// Changes to the baseline, if it was rewritten.
    pub renewal: Option<Renewal>,
}

/// A client, and what it is played with.
struct Audited<'a> {
    command: &'a ClientCommand,
    corpus: Vec<Arc<Scenario>>,
    limits: Request,
}

/// Audits a client. `limits` gives the timeouts and the number of jobs; its other fields are ignored.
pub async fn client_audit(
    command: &ClientCommand,
    limits: Request,
    baseline: Option<&BaselineFile>,
    observer: &mut dyn Observer,
    stop: CancellationToken,
) -> Result<AuditedClient, ClientAuditError> {
    let is_wanted = |id: &str| scenarios().any(|probe| probe == id);
    let corpus = mcp_compat_scenario::corpus::load_of(|file| scenarios().any(|probe| probe.starts_with(file)))?;
    let corpus = corpus.into_iter().filter(|scenario| is_wanted(scenario.id.as_str())).map(Arc::new).collect();
    let audited = Audited { command, corpus, limits };
    let for_variations = stop.clone();
    let mut session = audited.play(&[FIRST.0], &[FIRST.1], observer, stop.clone()).await?;
    if stop.is_cancelled() || !session.record.complete {
        session.record.complete = false;
        return Ok(AuditedClient { audit: audited.report(&session, &[FIRST.1], &[], None, None), renewal: None });
    }
    if let Some(why) = session.never_connected() {
        return Err(ClientAuditError::NeverConnected { client: command.to_string(), why: clause(&why) });
    }
    if session.notes.only_listens {
        return Err(ClientAuditError::OlderTransport { client: command.to_string() });
    }
    if session.never_ended() {
        return Err(ClientAuditError::NeverEnded { client: command.to_string() });
    }
    let (servers, skipped) = servers(session.revision());
    session.join(audited.play(&[FIRST.0], &[MODERN], observer, stop.clone()).await?);
    // Nothing is to be learned from a server with which no session opens.
    let is_apart =
        session.record.cells.iter().any(|cell| cell.server.as_str() == MODERN && cell.outcome == Outcome::Unreachable);
    let with = servers.iter().copied().filter(|server| !is_apart || *server != MODERN);
    let (downgrading, with): (Vec<&str>, Vec<&str>) = with.partition(|server| FOR_OLDER_CLIENTS.contains(server));
    // A client that gets no list from a server of all revisions gets none in the other scenarios.
    let plays: &[(&[&str], &[&str])] = if session.has_listed() {
        &[(&PROBES, &with), (&OF_DOWNGRADES, &downgrading), (&PROBES_OF_ONE, &[FIRST.1])]
    } else {
        &[]
    };
    let mut probes = usize::from(is_apart);
    for (scenarios, servers) in plays.iter().filter(|(_, servers)| !servers.is_empty()) {
        probes += audited.request(&audited.corpus, scenarios, servers)?.plan.cells.len();
    }
    for (scenarios, servers) in plays {
        if session.record.complete && !servers.is_empty() {
            session.join(audited.play(scenarios, servers, observer, stop.clone()).await?);
        }
    }
    let silent = after_list::conclusion(&session, command.calls(), false).filter(|_| session.record.complete);
    let after_list = match silent {
        Some(found) if found.fault.is_some() && session.notes.called.is_empty() => {
            let takes_modern = audited.takes_modern_lists(observer, stop).await?;
            after_list::conclusion(&session, command.calls(), takes_modern)
        }
        found => found,
    };
    let for_stop = for_variations.clone();
    let varied = if session.record.complete {
        variations::play(command, &audited.limits, for_variations).await?
    } else {
        Varied::default()
    };
    let has_cause = varied.worked_at.is_some() || varied.conclusions.iter().any(|it| it.fault.is_some());
    let is_explained = varied.explains_lists || varied.is_undeclared || (has_cause && !session.has_listed());
    let after_list = after_list.filter(|_| !is_explained);
    let had_all_probes = session.record.complete;
    session.record.complete &= !for_stop.is_cancelled();
    let settled = session.settle(baseline, &varied.variations, command.transport())?;
    let mut audit = audited.report(&session, &servers, &skipped, after_list, varied.worked_at);
    audit.planned = planned(&audit, &varied, probes, had_all_probes);
    if varied.resolves_nothing {
        conclusions::leave_out_references(&mut audit.conclusions);
    }
    if varied.misses_pages {
        conclusions::leave_out_pages(&mut audit.conclusions);
    }
    conclusions::join(&mut audit.conclusions, varied.conclusions);
    for conclusion in &mut audit.conclusions {
        conclusion.known = settled.is_known(&session.record.cells, conclusion);
    }
    audit.variations = varied.variations;
    Ok(AuditedClient { audit, renewal: settled.renewal })
}

/// The numbers of what was to be played, if it is more than was. The first probe with a server that the client does not
/// reach is played alone.
fn planned(audit: &ClientAudit, varied: &Varied, probes: usize, had_all_probes: bool) -> Option<Planned> {
    let played = audit.servers.iter().map(|visit| visit.probes.len()).sum::<usize>();
    let planned = Planned {
        probes: if had_all_probes { played } else { probes.max(played) },
        variations: had_all_probes.then_some(varied.planned),
    };
    let is_short = !audit.complete || varied.planned > varied.variations.len();
    is_short.then_some(planned)
}

impl Audited<'_> {
    /// Plays the client in these scenarios with these servers.
    async fn play(
        &self,
        scenarios: &[&str],
        servers: &[&str],
        observer: &mut dyn Observer,
        stop: CancellationToken,
    ) -> Result<Session, ClientAuditError> {
        self.play_of(&self.corpus, scenarios, servers, observer, stop).await
    }

    /// Returns true if the client calls its tool after a list of an older revision that has the members of the newest.
    async fn takes_modern_lists(
        &self,
        observer: &mut dyn Observer,
        stop: CancellationToken,
    ) -> Result<bool, ClientAuditError> {
        let with_members =
            |scenario: &Scenario| Scenario { list: Some(after_list::MODERN_MEMBERS.to_owned()), ..scenario.clone() };
        let first = self.corpus.iter().filter(|scenario| scenario.id.as_str() == FIRST.0);
        let corpus: Vec<Arc<Scenario>> = first.map(|scenario| Arc::new(with_members(scenario))).collect();
        let session = self.play_of(&corpus, &[FIRST.0], &[FIRST.1], observer, stop).await?;
        Ok(session.notes.wires.values().any(|(activity, _)| activity.called))
    }

    /// The cells of the client in these scenarios with these servers.
    fn request(&self, corpus: &[Arc<Scenario>], scenarios: &[&str], servers: &[&str]) -> Result<Run, RequestError> {
        let mut fleet = PeerSet::mocks();
        fleet.clients = vec![ClientPeer::black_box(peer_id(CLIENT), self.command.clone())];
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let request = Request {
            scenarios: owned(scenarios),
            clients: owned(&[CLIENT]),
            servers: owned(servers),
            transports: vec![self.command.transport()],
            coverage: Coverage::Everything,
            shard: None,
            ..self.limits.clone()
        };
        request.prepare(&fleet, corpus, None)
    }

    async fn play_of(
        &self,
        corpus: &[Arc<Scenario>],
        scenarios: &[&str],
        servers: &[&str],
        observer: &mut dyn Observer,
        stop: CancellationToken,
    ) -> Result<Session, ClientAuditError> {
        let mut prepared = self.request(corpus, scenarios, servers)?;
        if let ([_], [_]) = (scenarios, servers) {
            // The user waits to learn whether the client connects and ends: nothing is played once more.
            prepared.is_known = IsKnown::by(|_| true);
        }
        let mut notes = Notes::default();
        let mut keep = |event: Event<'_>| notes.take(&event, self.command.calls());
        let record = run(prepared, &mut [&mut keep, observer], stop).await?;
        Ok(Session { record, notes })
    }

    /// Reports what the client did with these servers, and the conclusions. `after_list` is that it called nothing.
    fn report(
        &self,
        session: &Session,
        servers: &[&str],
        skipped: &[&str],
        after_list: Option<Conclusion>,
        worked_at: Option<Revision>,
    ) -> ClientAudit {
        let record = &session.record;
        let visit = |server: &str| Visit {
            server: peer_id(server),
            probes: scenarios()
                .filter_map(|probe| {
                    let mut cells = record.cells.iter();
                    let cell = cells.find(|cell| cell.server.as_str() == server && cell.scenario.as_str() == probe)?;
                    let (activity, ended) = session.notes.wires.get(&cell.id)?;
                    Some(probed(cell, &record.scenarios, *activity, ended))
                })
                .collect(),
        };
        ClientAudit {
            tool_version: record.tool_version.clone(),
            client: self.command.to_string(),
            calls: self.command.calls().to_owned(),
            complete: record.complete,
            planned: None,
            servers: servers.iter().copied().map(visit).filter(|visit| !visit.probes.is_empty()).collect(),
            skipped_servers: skipped.iter().copied().map(peer_id).collect(),
            variations: Vec::new(),
            conclusions: conclusions::conclusions(session, after_list, worked_at),
            stale: record.stale.clone(),
        }
    }
}

impl Notes {
    fn take(&mut self, event: &Event<'_>, calls: &str) {
        match event {
            Event::Recorded { cell, evidence } => self.note(&cell.id, evidence, calls),
            Event::ContractViolated { role: Role::Client, violations, .. } => {
                self.misprints.extend(violations.iter().map(ToString::to_string));
            }
            Event::ContractViolated { .. }
            | Event::Started { .. }
            | Event::Repeats { .. }
            | Event::Finished(_)
            | Event::Ending
            | Event::Ended(_) => {}
        }
    }

    fn note(&mut self, id: &CellId, evidence: &Evidence, calls: &str) {
        let observation = &evidence.observation;
        let wire = seen(evidence, calls);
        let is_refused = wire.0.listed && !wire.0.called && !matches!(observation.end, End::Answered {});
        self.refused.extend(is_refused.then(|| id.clone()));
        self.wires.insert(id.clone(), wire);
        self.ends.insert(id.clone(), observation.end.clone());
        self.told.extend(error(observation).map(|words| (id.clone(), words)));
        self.gave_up_at.extend(after_list::gave_up_at(&evidence.transcript).map(|what| (id.clone(), what)));
        self.called.extend(called_tools(&evidence.transcript));
        self.shapes.insert(id.clone(), request_shapes::shapes(&evidence.transcript));
        self.handshakes.extend(asked(&evidence.transcript, "initialize").then(|| id.clone()));
        self.only_listens = only_listens(&evidence.transcript);
    }
}

impl Session {
    /// Adds what was played later. It replaces what was played before in the same cells.
    fn join(&mut self, later: Self) {
        let again: BTreeSet<CellId> = later.record.cells.iter().map(|cell| cell.id.clone()).collect();
        self.record.cells.retain(|cell| !again.contains(&cell.id));
        let known: BTreeSet<_> = self.record.scenarios.iter().map(|scenario| scenario.id.clone()).collect();
        self.record.scenarios.extend(later.record.scenarios.into_iter().filter(|it| !known.contains(&it.id)));
        self.record.complete &= later.record.complete;
        self.record.cells.extend(later.record.cells);
        let (notes, later) = (&mut self.notes, later.notes);
        notes.told.retain(|id, _| !again.contains(id));
        notes.refused.retain(|id| !again.contains(id));
        notes.wires.extend(later.wires);
        notes.ends.extend(later.ends);
        notes.told.extend(later.told);
        notes.refused.extend(later.refused);
        notes.called.extend(later.called);
        notes.shapes.extend(later.shapes);
        notes.handshakes.extend(later.handshakes);
        notes.gave_up_at.retain(|id, _| !again.contains(id));
        notes.gave_up_at.extend(later.gave_up_at);
        notes.misprints.extend(later.misprints);
    }

    /// Reason why the client connected in none of the cells, if all were played and it did not.
    fn never_connected(&self) -> Option<String> {
        let first = self.record.cells.first().filter(|_| self.record.complete)?;
        let has_connected = self.notes.wires.values().any(|(activity, _)| activity.connected);
        (!has_connected).then(|| self.notes.ends.get(&first.id).map_or_else(|| first.reason.clone(), why))
    }

    /// Returns whether the client got an answer to its call, and had to be stopped.
    fn never_ended(&self) -> bool {
        let was_stopped =
            |cell| matches!(self.notes.ends.get(cell), Some(End::TimedOut { waiting_for: Role::Client, .. }));
        self.notes.wires.iter().any(|(cell, (activity, _))| activity.answered && was_stopped(cell))
    }

    /// Returns whether the client got a list in any cell.
    fn has_listed(&self) -> bool {
        self.notes.wires.values().any(|(activity, _)| activity.listed)
    }

    /// The newest revision that the client spoke.
    fn revision(&self) -> Option<Revision> {
        self.notes.wires.values().filter_map(|(activity, _)| activity.revision).max()
    }
}

/// Returns true if a client sent a request of this method.
fn asked(transcript: &Transcript, method: &str) -> bool {
    messages(transcript).iter().any(|it| it.from == Role::Client && it.method() == Some(method))
}

/// Returns true if a client sent HTTP requests, and all of them are GETs.
fn only_listens(transcript: &Transcript) -> bool {
    let mut of_client = transcript.entries.iter().filter(|entry| entry.from == Role::Client);
    let mut starts = of_client.clone().filter_map(|entry| Some(&entry.event.head()?.start)).peekable();
    let is_get = |start: &Start| matches!(start, Start::Request { method } if method == "GET");
    starts.peek().is_some() && starts.all(is_get) && !of_client.any(|entry| entry.event.message().is_some())
}

/// The error that a client ended with.
fn error(observation: &Observation) -> Option<String> {
    let failed = observation.steps.iter().find_map(|step| match step {
        Seen::Failed(error) => Some(error.message.clone()),
        Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {} => None,
    });
    failed.or_else(|| (!matches!(observation.end, End::Answered {})).then(|| why(&observation.end)))
}

fn peer_id(id: &str) -> PeerId {
    PeerId::new(id).unwrap_or_else(|error| unreachable!("a constant: {error}"))
}

/// Reason why there was no session, as the observation says it.
fn why(end: &End) -> String {
    match end {
        End::NoSession(error) => error.message.clone(),
        End::NotStarted { why, .. } => format!("it could not be started: {why}"),
        End::Unsupported { reason: why, .. }
        | End::TimedOut { what: why, .. }
        | End::Crashed { how: why, .. }
        | End::HarnessFailed { why } => why.clone(),
        End::Answered {} => "it ended without an error message".to_owned(),
    }
}

/// Text that a client wrote, made fit for the middle of a sentence.
fn clause(words: &str) -> String {
    neutralised(words.trim().trim_end_matches(['.', ';', ':']))
}

/// Reads what a client did on the wire, and how it ended.
fn seen(evidence: &Evidence, calls: &str) -> (WireActivity, String) {
    (WireActivity::read(&evidence.transcript, calls), ended(&evidence.transcript))
}

/// The end of the client. Over standard streams, its server ends too.
fn ended(transcript: &Transcript) -> String {
    let of_client = transcript.entries.iter().rev().filter(|entry| entry.from == Role::Client);
    let end = of_client.map(|entry| &entry.event).find_map(|event| match event {
        transcript::Event::Exited { how } => Some(how.clone()),
        transcript::Event::Stopped { .. } => Some("did not end".to_owned()),
        transcript::Event::Message { .. }
        | transcript::Event::Head { .. }
        | transcript::Event::Overflow { .. }
        | transcript::Event::Fetched { .. }
        | transcript::Event::Closed {} => None,
    });
    end.unwrap_or_else(|| "was not started".to_owned())
}

fn probed(cell: &CellRecord, scenarios: &[ScenarioRecord], activity: WireActivity, ended: &str) -> Probe {
    let title = scenarios.iter().find(|scenario| scenario.id == cell.scenario);
    let WireActivity { connected, revision, listed, called, fetched, .. } = activity;
    let neighbour = neighbour(activity, cell.rating, cell.blast_radius);
    Probe {
        scenario: cell.scenario.clone(),
        title: title.map_or_else(String::new, |scenario| scenario.title.clone()),
        connected,
        revision,
        listed,
        called,
        fetched,
        neighbour,
        ended: ended.to_owned(),
        outcome: cell.outcome,
        rating: cell.rating,
        reason: cell.reason.clone(),
    }
}

/// Returns whether the client could still call a plain tool. It is known if the client called in this cell, or if it
/// lost the list and was played again with a plain tool beside the unusual one.
fn neighbour(activity: WireActivity, rating: Rating, radius: Option<BlastRadius>) -> Option<bool> {
    match (rating, radius) {
        _ if !activity.listed => None,
        _ if activity.called => Some(true),
        (Rating::Breaks, Some(BlastRadius::Tool)) => Some(true),
        (Rating::Breaks, Some(BlastRadius::Server)) => Some(false),
        (Rating::Breaks, Some(BlastRadius::Call | BlastRadius::Session) | None)
        | (Rating::Degraded | Rating::Works | Rating::Skipped, _) => None,
    }
}

fn place(cell: &CellRecord) -> Place {
    Place { scenario: cell.scenario.clone(), server: cell.server.clone() }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::{Layer, PeerError};

    use super::*;

    #[test]
    fn a_neighbour_survives_only_where_that_was_seen() {
        let listed = WireActivity { connected: true, listed: true, ..WireActivity::default() };
        let called = WireActivity { called: true, ..listed };
        assert_eq!(neighbour(called, Rating::Skipped, None), Some(true));
        assert_eq!(neighbour(listed, Rating::Skipped, None), None, "it ended after the list: who knows");
        assert_eq!(neighbour(listed, Rating::Breaks, Some(BlastRadius::Session)), None, "it fell before it could call");
        assert_eq!(neighbour(listed, Rating::Breaks, Some(BlastRadius::Tool)), Some(true));
        assert_eq!(neighbour(listed, Rating::Breaks, Some(BlastRadius::Server)), Some(false));
        assert_eq!(neighbour(WireActivity::default(), Rating::Breaks, Some(BlastRadius::Session)), None);
    }

    #[test]
    fn why_nothing_connected_is_one_clause() {
        let message = "the command never connected, and ended with exit status 1: error: no address.".to_owned();
        let why = why(&End::NoSession(PeerError { layer: Layer::Connect, code: None, message }));
        let error = ClientAuditError::NeverConnected { client: "me".to_owned(), why: clause(&why) }.to_string();
        assert!(!error.contains(".;"), "{error}");
        assert_eq!(error.matches("never connected").count(), 1, "{error}");
    }
}
