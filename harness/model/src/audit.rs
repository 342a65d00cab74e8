//! The report on a server that needs no adapter: its tools, what is wrong with them, and which clients lose what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::{ScenarioId, Transport};
use crate::host_view::HostView;
use crate::named::named;
use crate::peer::{Mode, PeerId, PeerKind};
use crate::record::PeerRecord;
use crate::revision::{Era, Revision};
use crate::signature::Signature;
use crate::support::is_false;
use crate::verdict::{BlastRadius, Fault, Level, Outcome, Rating};
use crate::version::Version;

/// The version of this format. Additions keep it; anything else raises it.
pub const AUDIT_VERSION: u32 = 2;

/// An audited server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Audit {
    /// [`AUDIT_VERSION`] at the time of writing.
    pub audit_version: u32,
    /// The version of mcp-compat that looked.
    pub tool_version: String,
    /// The server that was audited.
    pub server: AuditedServer,
    /// The revisions that it speaks, oldest first.
    pub spoken: Vec<Revision>,
    /// The revisions that it does not speak, oldest first.
    pub refused: Vec<RefusedRevision>,
    /// The clients that it was audited for.
    pub clients: Vec<PeerRecord>,
    /// Clients of these that speak no revision of it.
    pub shut_out: Vec<Loss>,
    /// Findings about the server as a whole, worst first.
    pub findings: Vec<AuditFinding>,
    /// Losses of the session or of all tools, where the server lists no tool that they could be counted for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Loss>,
    /// Its tools, in the order listed.
    pub tools: Vec<AuditedTool>,
    /// Names of the tools that were not audited, because others were selected or because they are beyond `tool_limit`.
    pub passed_over: Vec<String>,
    /// Number of tools that the audit covers, where the server lists more and none were selected; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_limit: Option<usize>,
    /// Changes to make, first what fixes most clients.
    pub changes: Vec<Change>,
    /// The clients that lose nothing more once all changes are made, if no single change frees all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<PeerId>,
    /// Differences between a real client and the profile of its line. The real client is the one that the audit counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profile_differences: Vec<ProfileDifference>,
    /// Since which release clients take what tools are lost for, from support data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takers: Vec<Taker>,
    /// The real clients that are installed and could not be started. Their profiles are counted in their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_started: Vec<NotStarted>,
    /// The server as the models of hosts see it. Empty unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostView>,
    /// Parts that were skipped because the audit ended early; absent if it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
    /// The audit as tests: each tool with each client, and each tool whose result was not seen. Absent unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<NamedTest>,
}

/// Parts that an audit skipped because it ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutShort {
    /// Limit of the audit's time in milliseconds; absent if it was interrupted before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// Number of tools that were not called.
    pub not_called: usize,
    /// Number of plays of a tool to a client that were skipped.
    pub not_played: usize,
    /// Number of tools that were not checked by the rules of the audit. If any was not, the messages of the server were
    /// not all checked either.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub not_checked: usize,
}

/// One test of a server: a tool with a client, or the call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedTest {
    /// Its name: `tool::client`, or `tool::called`.
    pub name: String,
    /// The tool.
    pub tool: String,
    /// The client; absent if the test is about the call itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<PeerId>,
    /// Its result.
    pub result: TestResult,
    /// Reason of a failure and its fix, reason for skipping it, or reason in the baseline of a loss that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Name of the test that fails for the same reason and has the whole message; absent if this one has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestResult {
    /// Nothing is lost that is not known.
    Passed,
    /// Something is lost, or nothing was proven.
    Failed,
    /// Not judged.
    Skipped,
}

/// The server that was audited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditedServer {
    /// Its id among peers.
    pub id: PeerId,
    /// The name that it gives itself; empty where it gives none.
    pub name: String,
    /// The version that it gives itself; empty where it gives none.
    pub version: String,
    /// Transport of its messages.
    pub transport: Transport,
}

/// A revision that the server does not speak.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefusedRevision {
    /// The revision.
    pub revision: Revision,
    /// Evidence for it.
    pub why: String,
}

/// A tool of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditedTool {
    /// Its name.
    pub name: String,
    /// The id of the scenario that was made of it.
    pub scenario: ScenarioId,
    /// The revisions at which it is listed, oldest first.
    pub listed: Vec<Revision>,
    /// True if it declares an outputSchema at any revision.
    #[serde(default)]
    pub declares_output: bool,
    /// True if it was called, and what came of that.
    pub call: CallState,
    /// Findings about it, worst first.
    pub findings: Vec<AuditFinding>,
    /// Losses of clients by it, worst first.
    pub losses: Vec<Loss>,
    /// Number of clients that lose nothing: of the whole tool where it was called, of the list where it was not.
    pub fine: usize,
    /// To how many clients it was not played, because the audit ended early.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub not_played: usize,
    /// Number of clients of which it is not known how they fare: what stands in for a client has a limit that the
    /// client does not have, or the play could not be judged.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub not_known: usize,
    /// True if the rules of the audit did not check it, because the audit ended early: what is wrong with it is not
    /// known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchecked: bool,
    /// True if it cannot be replayed to clients.
    #[serde(skip)]
    pub not_replayable: bool,
    /// True if its result may tell of a failure in words alone, which clients that do not check it take for a success.
    #[serde(skip)]
    pub fails_in_words: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_none_of_them(number: &usize) -> bool {
    *number == 0
}

/// True if a tool was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum CallState {
    /// It was, and answered with a result.
    Answered {
        /// With these arguments, a JSON object.
        arguments: String,
        /// At these revisions, oldest first.
        at: Vec<Revision>,
        /// True if it was called again, to see whether it answers alike.
        again: bool,
        /// At these revisions it failed, oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        failed: Vec<Revision>,
    },
    /// It was, and failed at every revision: its value was not seen.
    Failed {
        /// With these arguments, a JSON object.
        arguments: String,
        /// The answer in place of a value.
        why: String,
        /// The option that calls it with other arguments; absent if other arguments cannot help.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<String>,
        /// True if the user expected this.
        #[serde(default, skip_serializing_if = "is_false")]
        expected: bool,
    },
    /// It was not, so that nothing is known but its definition.
    NotCalled {
        /// Reason why it was not.
        why: String,
        /// The option that would have it called; absent where none does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<String>,
    },
}

named! {
    /// Severity of a finding.
    pub enum Severity {
        /// Good to know.
        Note = "note",
        /// Something that should be otherwise.
        Warning = "warning",
        /// Something that must be otherwise.
        Error = "error",
    }
}

impl Severity {
    /// Severity of violating a rule.
    #[must_use]
    pub const fn of_level(level: Level) -> Self {
        match level {
            Level::Must => Self::Error,
            Level::Should => Self::Warning,
            Level::May => Self::Note,
        }
    }
}

/// Something that is wrong with a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditFinding {
    /// Its severity.
    pub severity: Severity,
    /// The rule that it violates, for `explain`, or the check that found it.
    pub rule: String,
    /// The mistake, in a sentence.
    pub detail: String,
    /// Way in which the rule is violated, where it has several: reports tell tools with different ways apart.
    #[serde(skip)]
    pub way: Option<String>,
    /// The members that are wrong, as people write their places: reports join those of several tools.
    #[serde(skip)]
    pub members: Vec<String>,
    /// The revisions at which it was seen, oldest first; empty where it lies between sessions.
    pub at: Vec<Revision>,
    /// Address in the specification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The fix.
    pub remedy: String,
    /// The beginning of what was on the wire, without what looks like a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<String>,
    /// The part of what the server sent that violates the rule, with marks where it is shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<String>,
    /// What the rule or the schema requires in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// Members that the outputSchema requires and the result lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// Clients beyond those that were played, and what they lose by it, where that is known from reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_elsewhere: Option<String>,
    /// The error with which the server's own SDK refused the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Loss of one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Loss {
    /// The client.
    pub client: PeerId,
    /// The revision that it speaks with this server.
    pub negotiated: Option<Revision>,
    /// Its rating: `breaks`, or `degraded` where the information can be had another way.
    pub rating: Rating,
    /// The outcome for its user.
    pub outcome: Outcome,
    /// True if it is silent: the user gets no error.
    pub silent: bool,
    /// The damage.
    pub loses: BlastRadius,
    /// The party responsible by the specification.
    pub fault: Option<Fault>,
    /// The cause in short, equal for losses of one cause.
    pub signature: Option<Signature>,
    /// The rule or check whose violation is the reason, if a finding about the tool explains the loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason, in a sentence.
    pub reason: String,
}

impl Loss {
    /// Severity for a server whose users have that client.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match (self.rating, self.fault) {
            // A server may speak the revisions that it likes.
            (_, None) if self.outcome == Outcome::Unreachable => Severity::Warning,
            (Rating::Breaks, Some(Fault::Server | Fault::Both)) => Severity::Error,
            (Rating::Breaks, Some(Fault::Client | Fault::Spec | Fault::Harness) | None) => Severity::Warning,
            (Rating::Works | Rating::Degraded | Rating::Skipped, _) => Severity::Note,
        }
    }
}

/// Something that the server's author can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The fix.
    pub what: String,
    /// The tools that it is about; empty for the server as a whole.
    pub tools: Vec<String>,
    /// The clients that lose nothing more by one of these tools then: each was played again with the change made.
    pub frees: Vec<PeerId>,
    /// The worst that it mends.
    pub severity: Severity,
    /// The rules and checks that are no longer violated then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

fn speaks_only_modern(client: &PeerRecord) -> bool {
    let is_modern = |revision: &Revision| revision.era() == Era::Modern;
    client.mode == Some(Mode::Modern) || client.revisions.iter().all(is_modern)
}

impl AuditedTool {
    /// The clients whose user does not get the information, although they speak a revision of the server.
    pub fn breaks(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter().filter(|loss| loss.rating == Rating::Breaks)
    }

    /// Returns true if more than half of the clients that have a session lose something by this tool.
    #[must_use]
    pub fn is_lost_to_most_of(&self, clients: usize) -> bool {
        2 * self.breaks().count() > clients
    }
}

impl Audit {
    /// Number of clients that speak a revision of the server.
    #[must_use]
    pub fn in_session(&self) -> usize {
        self.clients.len() - self.shut_out.len()
    }

    /// The clients without a session that speak a revision before 2026-07-28. A server need not speak 2026-07-28, so
    /// that a client which speaks nothing else is no loss. A reference client of one revision, which no user has, is none
    /// either if the server opens sessions of that era.
    pub fn out_of_reach(&self) -> impl Iterator<Item = &Loss> {
        let is_legacy = self.spoken.iter().any(|revision| revision.era() == Era::Legacy);
        let is_missed = move |client: &PeerRecord| {
            let is_of_one = matches!(client.id.kind(), PeerKind::Mock { .. }) && client.revisions.len() == 1;
            !(speaks_only_modern(client) || is_of_one && is_legacy)
        };
        self.shut_out.iter().filter(move |loss| self.client(&loss.client).is_none_or(&is_missed))
    }

    /// The clients without a session that speak only 2026-07-28.
    pub fn modern_out_of_reach(&self) -> impl Iterator<Item = &Loss> {
        self.shut_out.iter().filter(|loss| self.client(&loss.client).is_some_and(speaks_only_modern))
    }

    fn client(&self, id: &PeerId) -> Option<&PeerRecord> {
        self.clients.iter().find(|client| client.id == *id)
    }

    /// The clients that are real SDK releases, or adapters of the user's own.
    pub fn real_clients(&self) -> impl Iterator<Item = &PeerId> {
        self.clients.iter().map(|client| &client.id).filter(|client| !client.is_built_in())
    }

    /// The tools that most clients lose.
    pub fn lost_to_most(&self) -> impl Iterator<Item = &AuditedTool> {
        let clients = self.in_session();
        self.tools.iter().filter(move |tool| tool.is_lost_to_most_of(clients))
    }

    /// Returns true if any client with a session loses something by a tool.
    #[must_use]
    pub fn has_loss(&self) -> bool {
        !self.losses.is_empty() || self.tools.iter().any(|tool| tool.breaks().next().is_some())
    }

    /// The worst that was found; `None` if nothing is wrong.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        let findings = self.findings.iter().chain(self.tools.iter().flat_map(|tool| &tool.findings));
        let losses = self.out_of_reach().chain(&self.losses).chain(self.tools.iter().flat_map(|tool| &tool.losses));
        findings.map(|finding| finding.severity).chain(losses.map(Loss::severity)).max()
    }

    /// Number of findings of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter().chain(self.tools.iter().flat_map(|tool| &tool.findings));
        findings.filter(|finding| finding.severity == severity).count()
    }
}

/// A rule for which clients lose tools, and the releases of SDKs that take them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Taker {
    /// The rule.
    pub rule: String,
    /// The scenario that was played with the releases: its server does the same.
    pub scenario: ScenarioId,
    /// The tools.
    pub tools: Vec<String>,
    /// The SDKs of which not every release takes them.
    pub families: Vec<TakerOfFamily>,
    /// The SDKs of which every release that was measured takes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all_releases_of: Vec<String>,
}

/// Since which release the clients of an SDK take something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakerOfFamily {
    /// The SDK.
    pub family: String,
    /// The first release from which on all that were measured take it; absent if the newest does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Version>,
    /// Negotiation mode of these releases, if they let their user choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The newest release that was measured.
    pub newest: Version,
    /// The day of the measurement.
    pub measured: String,
}

/// A tool that a real client and the profile of its line treat differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileDifference {
    /// The tool.
    pub tool: String,
    /// The real client.
    pub client: PeerId,
    /// The profile.
    pub profile: PeerId,
    /// Outcome for the user of the real client.
    pub real: ClientFate,
    /// Outcome for the user of the profile.
    pub emulated: ClientFate,
}

/// Outcome of a tool for the user of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientFate {
    /// The revision that was spoken.
    pub negotiated: Option<Revision>,
    /// The outcome for the user.
    pub outcome: Outcome,
    /// The damage, if there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loses: Option<BlastRadius>,
    /// The reason, in a sentence.
    pub reason: String,
}

/// A real client that could not be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotStarted {
    /// The client.
    pub client: PeerId,
    /// The reason, in a sentence.
    pub why: String,
}
