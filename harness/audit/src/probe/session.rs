//! Sessions with a server, one revision at a time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use mcp_compat_drive::{
    ConnectFailure, HttpProxy, Launch, PeerProcess, Tap, at_work_to_the_end, plain_link, tapped_link,
};
use mcp_compat_mocks::Deviations;
use mcp_compat_mocks::client::{
    ClientQuirk, ClientSpec, HttpClient, NoSession, Played, Policy, Typing, Variant, play_http, play_stream,
};
use mcp_compat_model::observation::{End, Layer, Observation, Seen};
use mcp_compat_model::peer_contract::{Answer, Deadlines, JobStep};
use mcp_compat_model::transcript::{Event, StopStage};
use mcp_compat_model::{Era, Revision, Role};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::in_process::Streams;
use mcp_compat_run::observe::{answered, with_log_tail};
use mcp_compat_run::redact::KnownSecrets;
use mcp_compat_run::timeouts::GRACE;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::flood::{Bounded, Flood};
use super::http_request::RawHttp;
use super::said::{
    has_open_request, is_bad_request, noise, said_something, sent_a_message, unreadable_discovery, why_refused,
};
use super::trouble::{OwnTroubles, Trouble, troubles};
use super::{
    EndedEarly, LIMITS, LONGEST_LIST, MOST_BYTES, Obstacle, ProbeError, ProbeSession, ProbeTimeouts, ProbedServer,
    Refused, ServerName, Target, list_only,
};

/// The order in which revisions are tried. The first is the one that most servers speak, so that a server that cannot
/// start is found at once.
const ORDER: [Revision; 5] =
    [Revision::V2025_11_25, Revision::V2026_07_28, Revision::V2025_06_18, Revision::V2025_03_26, Revision::V2024_11_05];

/// The shortest time allowed to connect, once the server has answered.
const CONNECT: Duration = Duration::from_secs(10);

/// The longest time allowed to open a session with a server at an address beside other sessions.
const BESIDE: Duration = Duration::from_secs(5);

/// The longest time allowed to connect, once the server has used up its time to start without an answer.
const CONNECT_AGAIN: Duration = Duration::from_secs(30);

/// By what factor later connections may take longer than the first.
const SLACK: u32 = 8;

/// Probes a server. Calls that change nothing are made in sessions side by side, others in one session after the other.
#[derive(Debug)]
pub struct ServerProbe {
    target: Target,
    timeouts: ProbeTimeouts,
    /// When no further step of a session is begun.
    until: Option<Instant>,
    secrets: KnownSecrets,
    proxy: HttpProxy,
    http: HttpClient,
    raw_http: RawHttp,
    /// Time to connect that is enough, once the server has answered.
    connect: OnceLock<Duration>,
    /// True once the server was found to answer on the stream that a GET opens: then every session has one.
    listens: AtomicBool,
}

/// Effect of the calls of sessions outside of their process, such as a file that the next session reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that a second call would find changed: sessions may be open side by side, and may be repeated.
    Nothing,
    /// Something: what a session sees depends on the ones before it.
    Something,
}

pub(super) struct Attempt {
    pub(super) session: ProbeSession,
    /// End of the server's process, if it ended before the client had finished, or the reason why its address is gone.
    ended: Option<String>,
    /// Reason why there was no session: the server's part in it.
    pub(super) no_session: Option<String>,
    /// Reason why no connection to the server's address could be made.
    unreachable: Option<ConnectFailure>,
    /// True if the server's process was at work to the end of the session.
    ended_at_work: bool,
    /// True if there was no session although the client waited for it as long as it may.
    pub(super) had_no_time: bool,
}

impl ServerProbe {
    /// Prepares the probe. Nothing is started yet.
    pub async fn open(target: Target, timeouts: ProbeTimeouts) -> Result<Self, ProbeError> {
        let what = "a port of 127.0.0.1 for the recording proxy";
        let proxy = HttpProxy::start().await.map_err(|error| HarnessError::System { what, error })?;
        Ok(Self {
            secrets: target.secrets(),
            target,
            timeouts,
            until: None,
            proxy,
            http: HttpClient::new(),
            raw_http: RawHttp::new(),
            connect: OnceLock::new(),
            listens: AtomicBool::new(false),
        })
    }

    /// Begins no further step of any session from this moment on.
    pub fn until(self, moment: Instant) -> Self {
        Self { until: Some(moment), ..self }
    }

    pub(super) const fn target(&self) -> &Target {
        &self.target
    }

    pub(super) const fn proxy(&self) -> &HttpProxy {
        &self.proxy
    }

    pub(super) const fn raw_http(&self) -> &RawHttp {
        &self.raw_http
    }

    /// Returns whether the server answers on the stream that a GET opens.
    pub(crate) fn listens(&self) -> bool {
        self.listens.load(Ordering::Relaxed)
    }

    /// Time to connect to a server that was listed before.
    pub(super) fn connect_time(&self) -> Duration {
        self.connect.get().copied().unwrap_or(self.timeouts.start)
    }

    /// Returns whether no further step is begun.
    pub(crate) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Lists the tools at every revision that the server speaks. Calls `notice` with each revision before it is tried.
    ///
    /// # Errors
    /// When the server cannot be started or reached, or speaks no revision.
    pub async fn list(&self, mut notice: impl FnMut(Revision)) -> Result<ProbedServer, ProbeError> {
        let mut connect = self.timeouts.start;
        let (mut attempts, mut rest, mut mute) = (Vec::new(), ORDER.as_slice(), true);
        // A server that answered neither era will not answer at an older revision.
        while let (true, 0..2, [revision, others @ ..]) = (mute, attempts.len(), rest) {
            notice(*revision);
            let began = Instant::now();
            let attempt = self.first_attempt(*revision, connect).await?;
            if let (Some(failure), Target::Url { url, .. }) = (&attempt.unreachable, &self.target) {
                return Err(ProbeError::Unreachable { url: without_credentials(url), failure: failure.clone() });
            }
            // A server may refuse a revision in plain text, and speak an older one.
            if sent_a_message(&attempt.session) || is_bad_request(&attempt.session) {
                connect = (began.elapsed() * SLACK).clamp(CONNECT.min(self.timeouts.start), self.timeouts.start);
                mute = false;
            } else {
                connect = connect.min(CONNECT_AGAIN);
            }
            attempts.push(attempt);
            rest = others;
        }
        if !mute {
            // The first time counts, which was measured with no other session beside.
            let _ = self.connect.set(connect);
            rest.iter().copied().for_each(&mut notice);
            let asked: Vec<_> = rest.iter().map(|revision| (*revision, list_only())).collect();
            attempts.extend(match self.target {
                Target::Command(_) => self.side_by_side(&asked, connect).await?,
                // Lists take little time, and the first sessions show what the server can do.
                Target::Url { .. } | Target::Connect(_) => self.in_turn(&asked, connect).await?,
            });
        }
        let (mut spoken, mut refused) = (Vec::new(), Vec::new());
        let (mut log, mut printed, mut unopened) = (None, Vec::new(), Vec::new());
        for Attempt { session, ended, no_session, unreachable, .. } in attempts {
            if printed.is_empty() && matches!(self.target, Target::Command(_)) {
                printed = noise(&session);
            }
            match why_refused(&session, ended, no_session, unreachable.is_some()) {
                None => spoken.push(session),
                Some(why) => {
                    let (revision, certain) = (session.revision, is_certain(&session));
                    let unreadable = unreadable_discovery(&session);
                    log.clone_from(&session.log);
                    unopened.push(session);
                    refused.push(Refused { revision, why, certain, unreadable });
                }
            }
        }
        if spoken.is_empty() {
            let failed = unopened.iter().map(|session: &ProbeSession| (&session.transcript, &session.observation));
            let obstacle = Obstacle::to_session(failed, mute, matches!(self.target, Target::Command(_)));
            // What it printed says more than that it ended.
            let obstacle = obstacle.filter(|obstacle| *obstacle != Obstacle::Ended || printed.is_empty());
            let is_timeout = |session: &ProbeSession| matches!(&session.observation.end, End::NoSession(error) if error.layer == Layer::Timeout);
            let answers_late = !mute && unopened.iter().all(is_timeout);
            let demand = self.demand(obstacle, answers_late).await?;
            if demand.is_some() {
                unopened.sort_by_key(|session| session.revision);
                refused.sort_by_key(|refused| refused.revision);
                let server = identity(&unopened);
                let transport = self.target.transport();
                return Ok(ProbedServer { server, transport, spoken, refused, unopened, demand });
            }
            if mute || obstacle.is_some() {
                return Err(ProbeError::NoSession { attempts: refused, printed, log, obstacle });
            }
        }
        spoken.sort_by_key(|session| session.revision);
        refused.sort_by_key(|refused| refused.revision);
        unopened.sort_by_key(|session| session.revision);
        let server = if spoken.is_empty() { identity(&unopened) } else { identity(&spoken) };
        Ok(ProbedServer { server, transport: self.target.transport(), spoken, refused, unopened, demand: None })
    }

    /// A session with a list. A server that ends the answer to a legacy request without a response is asked again on the
    /// stream that a GET opens: some send their responses there.
    async fn first_attempt(&self, revision: Revision, connect: Duration) -> Result<Attempt, ProbeError> {
        let attempt = self.attempt(revision, &list_only(), connect).await?;
        let is_late = matches!(attempt.session.observation.steps.first(), Some(Seen::Failed(error)) if error.layer == Layer::Timeout);
        let may_answer_aside = matches!(self.target, Target::Url { .. })
            && revision.era() == Era::Legacy
            && attempt.no_session.is_none()
            && !is_late
            && has_open_request(&attempt.session);
        if !may_answer_aside {
            return Ok(attempt);
        }
        self.listens.store(true, Ordering::Relaxed);
        let again = self.attempt(revision, &list_only(), connect).await?;
        self.listens.store(again.session.listed, Ordering::Relaxed);
        Ok(if again.session.listed { again } else { attempt })
    }

    /// A session at a revision that the server speaks, with these steps.
    pub async fn play(&self, revision: Revision, steps: &[JobStep]) -> Result<ProbeSession, ProbeError> {
        Ok(self.attempt(revision, steps, self.timeouts.start).await?.session)
    }

    /// Sessions with these steps, each at a revision that the server speaks, in this order.
    pub async fn play_all(
        &self,
        asked: &[(Revision, Vec<JobStep>)],
        effect: Effect,
    ) -> Result<Vec<ProbeSession>, ProbeError> {
        let attempts = match (effect, &self.target) {
            (Effect::Nothing, Target::Command(_) | Target::Url { .. }) => {
                self.side_by_side(asked, self.timeouts.start).await?
            }
            // Connections to a server in this process may share its state.
            (Effect::Something, _) | (_, Target::Connect(_)) => self.in_turn(asked, self.timeouts.start).await?,
        };
        Ok(attempts.into_iter().map(|attempt| attempt.session).collect())
    }

    /// Sessions in this order, side by side, as most of the time is waiting. Two processes may want the same file or
    /// port, and a server at an address may have one session only, so a session that did not go well is opened again,
    /// alone, and the first one does not count. What goes wrong there too is the server's own doing: another session
    /// with the same trouble and no other counts as it is.
    async fn side_by_side(
        &self,
        asked: &[(Revision, Vec<JobStep>)],
        connect: Duration,
    ) -> Result<Vec<Attempt>, ProbeError> {
        if asked.len() == 1 {
            return self.in_turn(asked, connect).await;
        }
        let mut attempts = Vec::with_capacity(asked.len());
        // A server at an address has started before. One that takes no other connection meanwhile is not waited for.
        let beside = if matches!(self.target, Target::Url { .. }) { connect.min(BESIDE) } else { connect };
        let together = asked.iter().map(|(revision, steps)| self.attempt(*revision, steps, beside));
        let mut own = OwnTroubles::default();
        let mut has_waited = false;
        for (attempt, (revision, steps)) in join_all(together).await.into_iter().zip(asked) {
            let mut attempt = attempt?;
            let troubles = went_wrong(&attempt.session, steps);
            // An answer after the client has given up is no refusal.
            let came_late = attempt.had_no_time && troubles.is_empty();
            let is_explained = !came_late && own.explain(&troubles);
            if !is_explained && !self.is_late() {
                let mut alone = self.attempt_alone(*revision, steps, connect).await?;
                // The process of the session before may take a moment to give up what it holds.
                if !has_waited && alone.session.death().is_some() && !self.is_late() {
                    has_waited = true;
                    alone = self.attempt_alone(*revision, steps, connect).await?;
                }
                own.add(went_wrong(&alone.session, steps));
                // A server at an address may have gone for good: then the first session shows more.
                if alone.unreachable.is_none() {
                    attempt = alone;
                }
            }
            attempts.push(attempt);
        }
        Ok(attempts)
    }

    /// Sessions in this order, each opened when the one before it has ended.
    async fn in_turn(&self, asked: &[(Revision, Vec<JobStep>)], connect: Duration) -> Result<Vec<Attempt>, ProbeError> {
        let mut attempts = Vec::with_capacity(asked.len());
        for (revision, steps) in asked {
            attempts.push(self.attempt_alone(*revision, steps, connect).await?);
        }
        Ok(attempts)
    }

    /// One session, and no other meanwhile. A server that was still at work when its time to connect was over gets all
    /// the time that a server has to start: the machine may be busier than when the server started first. One that is
    /// started here and has said nothing at all gets three times as long.
    async fn attempt_alone(
        &self,
        revision: Revision,
        steps: &[JobStep],
        connect: Duration,
    ) -> Result<Attempt, ProbeError> {
        self.attempt_alone_as(probe_client(revision), revision, steps, connect).await
    }

    /// One session of this client, and no other meanwhile.
    pub(super) async fn attempt_alone_as(
        &self,
        spec: ClientSpec,
        revision: Revision,
        steps: &[JobStep],
        connect: Duration,
    ) -> Result<Attempt, ProbeError> {
        let attempt = self.attempt_as(spec.clone(), revision, steps, connect).await?;
        if !attempt.had_no_time || connect >= self.timeouts.start || self.is_late() {
            return Ok(attempt);
        }
        let is_started_here = matches!(self.target, Target::Command(_));
        match (attempt.ended_at_work, is_started_here && !said_something(&attempt.session)) {
            (true, _) => self.attempt_as(spec, revision, steps, self.timeouts.start).await,
            (false, true) => self.attempt_as(spec, revision, steps, (connect * 3).min(self.timeouts.start)).await,
            (false, false) => Ok(attempt),
        }
    }

    async fn attempt(&self, revision: Revision, steps: &[JobStep], connect: Duration) -> Result<Attempt, ProbeError> {
        self.attempt_as(probe_client(revision), revision, steps, connect).await
    }

    /// One session of this client.
    pub(super) async fn attempt_as(
        &self,
        spec: ClientSpec,
        revision: Revision,
        steps: &[JobStep],
        connect: Duration,
    ) -> Result<Attempt, ProbeError> {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let deadlines = Deadlines { connect_ms: millis(connect), step_ms: millis(self.timeouts.step) };
        let began = Instant::now();
        let (tap, flood) = (Tap::new(LIMITS), Flood::default());
        let mut spec = ClientSpec { until: self.until, most_bytes: MOST_BYTES, ..spec };
        spec.style.listens |= self.listens.load(Ordering::Relaxed);
        let client = ProbeClient { spec, steps, deadlines, tap, flood: flood.clone() };
        let (mut unreachable, mut ended_at_work) = (None, false);
        let (played, log, ended) = match &self.target {
            Target::Command(launch) => {
                let asked = client.ask_process(launch).await?;
                ended_at_work = asked.ended_at_work;
                (asked.answer, Some(asked.log), asked.ended)
            }
            Target::Connect(connect) => (client.ask_streams(connect()).await, None, None),
            Target::Url { url, headers } => {
                let route = self.proxy.route_with(url, headers, client.tap.clone())?;
                let played = play_http(&client.spec, &self.http, route.url(), steps, deadlines).await;
                unreachable = route.failure().filter(|_| played.is_err());
                let gone = unreachable.as_ref().map(|failure| format!("it cannot be reached: {failure}"));
                (played, None, gone)
            }
        };
        let is_cut_short = played.as_ref().is_ok_and(|answer| answer.steps.len() < steps.len());
        let cut_short =
            is_cut_short.then_some(if self.is_late() { EndedEarly::TimeOver } else { EndedEarly::TooManyBytes });
        let no_session = flood.words().or_else(|| played.as_ref().err().map(NoSession::server_side));
        // A modern client waits half of the time for the answer to its probe.
        let had_no_time = no_session.is_some() && began.elapsed() >= connect / 2;
        // The end of a stream that was cut is not the server's end.
        let ended = ended.filter(|_| flood.words().is_none());
        let mut observation = answered(played.unwrap_or_else(Answer::from), steps.len());
        forget_values(&mut observation);
        if let Some(how) = &ended {
            observation.end =
                End::Crashed { who: Role::Server, how: with_log_tail(how.clone(), log.as_deref().unwrap_or_default()) };
        }
        let mut transcript = client.tap.finish();
        self.secrets.redact_transcript(&mut transcript);
        let (observation, log) =
            (self.secrets.redact_observation(observation), log.map(|log| self.secrets.redact_text(&log)));
        let no_session = no_session.map(|why| self.secrets.redact_text(&why));
        let session = ProbeSession { cut_short, ..ProbeSession::new(revision, transcript, observation, log) };
        Ok(Attempt { no_session, session, ended, unreachable, ended_at_work, had_no_time })
    }
}

/// The name that the server gives in the newest session in which it gives one.
fn identity(sessions: &[ProbeSession]) -> ServerName {
    let names = sessions.iter().rev().map(ProbeSession::identity);
    names.into_iter().find(|server| !server.name.is_empty()).unwrap_or_default()
}

/// Forgets the tools and the values that the client was given: the transcript has them.
fn forget_values(observation: &mut Observation) {
    for step in &mut observation.steps {
        match step {
            Seen::Called(result) if !result.is_error => (result.structured, result.content) = (None, Vec::new()),
            Seen::Listed { tools } => *tools = Vec::new(),
            Seen::Called(_) | Seen::Failed(_) | Seen::Evolved { .. } | Seen::NotReported {} => {}
        }
    }
}

/// Returns whether the server refused the revision. A legacy server may answer a modern request in any way, or not at
/// all.
fn is_certain(session: &ProbeSession) -> bool {
    session.revision.era() == Era::Modern || said_something(session)
}

/// Troubles of a session that can be due to another process of the server.
fn went_wrong(session: &ProbeSession, steps: &[JobStep]) -> Vec<Trouble> {
    troubles(&session.observation, steps, sent_a_message(session))
}

/// An address without the name and the password that it has before its host.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => url.to_owned(),
    }
}

/// The client of the probe: it speaks one revision, reads any schema and value, and validates nothing. A list goes on
/// after a page that other clients cannot read.
pub(super) fn probe_client(revision: Revision) -> ClientSpec {
    let client = ClientSpec::mock_of(revision, Some(Variant::Skip));
    let policy = Policy { typing: Typing::Any, ..client.policy };
    let deviations = Deviations::Sabotage(ClientQuirk::CompletesLists);
    ClientSpec { longest_list: LONGEST_LIST, policy, deviations, ..client }
}

/// A client, what it does, and what records it.
pub(super) struct ProbeClient<'s> {
    pub(super) spec: ClientSpec,
    pub(super) steps: &'s [JobStep],
    pub(super) deadlines: Deadlines,
    pub(super) tap: Tap,
    pub(super) flood: Flood,
}

pub(super) struct AskedProcess {
    pub(super) answer: Played,
    pub(super) log: String,
    /// End of the process, if that was too early.
    pub(super) ended: Option<String>,
    /// True if it was at work to the end of the session.
    pub(super) ended_at_work: bool,
}

impl ProbeClient<'_> {
    /// Runs the server as a process.
    pub(super) async fn ask_process(&self, launch: &Launch) -> Result<AskedProcess, ProbeError> {
        let mut process = PeerProcess::spawn(launch, LIMITS.stderr_bytes)?;
        let (Some(stdin), Some(stdout)) = (process.take_stdin(), process.take_stdout()) else {
            unreachable!("the streams of a new process are there")
        };
        let ((answer, first), ended_at_work) = at_work_to_the_end(&[process.id()], self.ask(stdout, stdin)).await;
        let stage = process.stop(GRACE).await;
        if stage != StopStage::InputClosed {
            self.tap.event(Role::Server, Event::Stopped { stage });
        }
        let how = process.wait().await.to_string();
        self.tap.event(Role::Server, Event::Exited { how: how.clone() });
        let ended = (first == Role::Server).then_some(how);
        Ok(AskedProcess { answer, log: process.log_tail(), ended, ended_at_work })
    }

    pub(super) async fn ask_streams(&self, streams: Streams) -> Played {
        self.ask(streams.reader, streams.writer).await.0
    }

    /// Plays the steps over a byte stream. Returns which side closed it, too.
    async fn ask<R, W>(&self, from_server: R, to_server: W) -> (Played, Role)
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin,
    {
        let (up, down) = plain_link();
        let play = play_stream(&self.spec, up.reader, up.writer, self.steps, self.deadlines);
        let from_server = Bounded::new(from_server, self.flood.clone());
        let link = tapped_link(self.tap.clone(), (down.reader, down.writer), (from_server, to_server), GRACE);
        tokio::join!(play, link)
    }
}

// Only Linux says which processes are at work.
#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use mcp_compat_drive::Launch;

    use super::*;

    /// Returns whether a server is found to speak a revision that answers the first request four seconds after its
    /// start, whatever it does until then.
    async fn opens(does: &str, revision: Revision) -> bool {
        let soon = Duration::from_secs(2);
        // By then it has begun to wait, even on a busy machine.
        let probe = answers_after(4, does, revision).await;
        probe.attempt_alone(revision, &list_only(), soon).await.unwrap().no_session.is_none()
    }

    /// A server that answers the first request so many seconds after its start.
    async fn answers_after(seconds: u32, does: &str, revision: Revision) -> ServerProbe {
        // It ends at the list, which follows the notification of a legacy client.
        let (speaks, ends) = match revision.era() {
            Era::Legacy => (format!(r#""protocolVersion":"{revision}""#), "read -r line; read -r line"),
            Era::Modern => (format!(r#""resultType":"complete","supportedVersions":["{revision}"]"#), "read -r line"),
        };
        let script = format!(
            r#"end=$(($(date +%s) + {seconds})); while [ $(date +%s) -lt $end ]; do {does}; done; read -r line
               id=${{line#*\"id\":}}; id=${{id%%[,\}}]*}}; printf '{{"jsonrpc":"2.0","id":%s,"result":{{%s}}}}\n' "$id" \
               '{speaks},"capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}'
               {ends}"#
        );
        let launch = Launch::new("sh").args(["-c", &script]);
        let timeouts = ProbeTimeouts { start: Duration::from_secs(60), ..ProbeTimeouts::default() };
        ServerProbe::open(Target::Command(launch), timeouts).await.unwrap()
    }

    #[tokio::test]
    async fn a_modern_server_that_loads_beside_others_is_asked_again() {
        let probe = answers_after(3, ":", Revision::NEWEST).await;
        let asked = [Revision::NEWEST, Revision::V2025_11_25].map(|revision| (revision, list_only()));
        // A modern client waits half of the time.
        let attempts = probe.side_by_side(&asked, Duration::from_secs(2)).await.unwrap();
        assert!(attempts[0].no_session.is_none(), "{:?}", attempts[0].no_session);
    }

    #[tokio::test]
    async fn a_server_that_computes_gets_all_the_time_and_one_that_waits_three_times_as_long() {
        let (legacy, modern) = (Revision::V2025_11_25, Revision::NEWEST);
        let (computes, waits, probed, idles) =
            tokio::join!(opens(":", legacy), opens("sleep 60", legacy), opens(":", modern), opens("sleep 1", legacy));
        assert!(computes && !waits && probed && idles);
    }

    #[test]
    fn an_address_is_told_without_its_credentials() {
        let told = ["http://user:pw@host:1/mcp?a=b@c", "https://host/@/mcp", "host"].map(without_credentials);
        assert_eq!(told, ["http://host:1/mcp?a=b@c", "https://host/@/mcp", "host"]);
    }
}
