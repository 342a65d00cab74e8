//! One audit, prepared before anything is started.

use anyhow::{Context as _, Result, anyhow};
use mcp_compat_audit::named_tests::{Expected, NamedTests};
use mcp_compat_audit::probe::{ProbeTimeouts, Target};
use mcp_compat_audit::server::{
    AskedCall, AuditError, AuditOptions, Audited, Progress, accepting_releases, audit, views_of_hosts,
};
use mcp_compat_drive::files::input_file;
use mcp_compat_drive::shell_word;
use mcp_compat_model::audit::{Audit, AuditedTool, CallState, NamedTest};
use mcp_compat_model::host_view::HostView;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_reports::failure::{AuditStories, Dialect};
use mcp_compat_run::baseline::Renewal;
use mcp_compat_run::glob::SelectError;
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::redact::{KnownSecrets, redact_command_line};
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use super::args::AuditArgs;
use super::subject::Subject;
use crate::fail_on::FailOn;
use crate::inputs::support_data;
use crate::output::eprintln;
use crate::report_output::{Format, Reports};

/// An audit that can be run.
pub(super) struct Job {
    target: Target,
    timeouts: ProbeTimeouts,
    options: AuditOptions,
    /// The calls that the user asked for.
    asked: Vec<AskedCall>,
    /// The file of calls, with the tools that it names.
    calls_file: Option<(String, Vec<String>)>,
    expected: Option<Expected>,
    /// True if the tests decide whether the audit fails, because they take into account what is expected.
    judged_by_tests: bool,
    fail_on: FailOn,
    secrets: KnownSecrets,
    words: Vec<String>,
    /// Hosts to which the answers are played as well.
    hosts: Vec<ClientPeer>,
}

/// A finished audit.
pub(super) struct Finished {
    pub(super) audit: Audit,
    /// Changes to the baseline, if it was rewritten.
    pub(super) renewal: Option<Renewal>,
}

impl Finished {
    /// Says how the baseline was rewritten.
    pub(super) fn print_renewal(&self) {
        if let Some(renewal) = &self.renewal {
            eprintln!("the baseline: {renewal}");
        }
    }
}

impl Job {
    /// Reads all files that the audit needs. `real_clients` are those of `--fleet`.
    pub(super) fn of(
        args: &AuditArgs,
        subject: Subject,
        real_clients: Option<Vec<ClientPeer>>,
        reports: &Reports,
    ) -> Result<Self> {
        let Subject { target, settings, secrets, words, is_one_of_many, may_call } = subject;
        let mut asked: Vec<AskedCall> = args.call.iter().map(|call| AskedCall::of_word(call)).collect();
        let file = args.calls.clone().or_else(|| settings.calls.map(|file| file.display().to_string()));
        let calls_file = file.map(|file| -> Result<_> { read_calls(&file, &mut asked).map(|tools| (file, tools)) });
        let calls_file = calls_file.transpose()?;
        let tests = &args.tests;
        let expect_errors = [&tests.expect_error[..], &settings.expect_errors].concat();
        let allow_uncalled = [&tests.allow_uncalled[..], &settings.allow_uncalled].concat();
        let baseline = tests.baseline.clone().or(settings.baseline);
        let is_expected = !expect_errors.is_empty() || !allow_uncalled.is_empty() || baseline.is_some();
        let judged_by_tests = tests.tests.is_some() || is_expected;
        let expected = if judged_by_tests || reports.include(Format::Junit) {
            let dialect = tests.tests.unwrap_or(Dialect::CommandLine);
            let errors = expect_errors.iter().map(|call| AskedCall::of_word(call).tool);
            // Without one of the options, no tool has to be called.
            let may_be_uncalled =
                if tests.tests.is_some() || !allow_uncalled.is_empty() { allow_uncalled } else { vec!["*".to_owned()] };
            Some(Expected::new(dialect, errors, &may_be_uncalled, baseline.as_deref())?)
        } else {
            None
        };
        let calls: Vec<AskedCall> =
            asked.iter().cloned().chain(expect_errors.iter().map(|call| AskedCall::of_word(call))).collect();
        let options = AuditOptions {
            tools: args.tool.clone(),
            only_asked_calls: !may_call && !args.call_read_only,
            // A call on the command line may be for another server; one in a file is for this one.
            calls_may_be_unknown: is_one_of_many && calls_file.is_none(),
            calls,
            guess: args.guess,
            clients: args.against.clone(),
            real_clients,
            ..AuditOptions::default()
        };
        let timeouts = ProbeTimeouts { audit: args.audit_timeout, ..args.server.timeouts() };
        let fail_on = args.fail_on.or(settings.fail_on).unwrap_or_default();
        Ok(Self {
            target,
            timeouts,
            options,
            asked,
            calls_file,
            expected,
            judged_by_tests,
            fail_on,
            secrets,
            words,
            hosts: Vec::new(),
        })
    }

    /// Has the answers played to hosts, too.
    pub(super) fn with_hosts(self, hosts: Vec<ClientPeer>) -> Self {
        Self { hosts, ..self }
    }

    /// Time limit for the start of the server.
    pub(super) fn start_timeout(&self) -> std::time::Duration {
        self.timeouts.start
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Runs the audit. Returns nothing if it was interrupted before there was anything to report.
    ///
    /// # Errors
    /// If the server cannot be audited, or the options cannot be followed.
    pub(super) async fn run(
        &self,
        stop: CancellationToken,
        notice: impl FnMut(Progress) + Send,
    ) -> Result<Option<Finished>> {
        let mut stories = AuditStories::default();
        let keeps_stories = self.expected.is_some();
        let mut on_cell = |scenario: &Scenario, cell: &CellRecord, evidence: &Evidence| {
            if keeps_stories {
                stories.see(scenario, cell, evidence);
            }
        };
        let options = AuditOptions { stop: stop.clone(), ..self.options.clone() };
        match audit(self.target.clone(), &options, self.timeouts, notice, &mut on_cell).await {
            Err(AuditError::Interrupted) => Ok(None),
            Err(error) => Err(self.explained(error)),
            Ok(audited) => {
                let hosts = self.views_of_hosts(&audited, &stop).await?;
                self.finished(Audited { audit: Audit { hosts, ..audited.audit }, ..audited }, stories).map(Some)
            }
        }
    }

    async fn views_of_hosts(&self, audited: &Audited, stop: &CancellationToken) -> Result<Vec<HostView>> {
        if self.hosts.is_empty() {
            return Ok(Vec::new());
        }
        let relay = Programs::Relay(std::env::current_exe().context("cannot find the program of this process")?);
        Ok(views_of_hosts(audited, &self.hosts, &relay, stop).await?)
    }

    /// Adds to an audit what the options ask for.
    fn finished(&self, audited: Audited, stories: AuditStories) -> Result<Finished> {
        let takers = accepting_releases(&audited.support_questions, &audited.audit.spoken, &support_data::shipped());
        let (audit, renewal) = match &self.expected {
            Some(expected) => {
                let NamedTests { mut audit, renewal } = expected.tests(audited, stories, |test| self.again(test))?;
                // Nobody stated that a tool has to be called.
                audit.tests.retain(|test| self.judged_by_tests || test.client.is_some());
                (audit, renewal)
            }
            None => (audited.audit, None),
        };
        let audit = Audit { takers, ..audit };
        Ok(Finished { audit, renewal })
    }

    /// Returns a text without the secrets that a configuration brought in.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        self.secrets.redact_text(text)
    }

    /// Adds to an error what the user can do about it, and removes secrets.
    fn explained(&self, error: AuditError) -> anyhow::Error {
        let unknown = if let AuditError::Select(SelectError::Nothing(nothing)) = &error {
            Some(nothing.pattern.clone())
        } else {
            None
        };
        let of_file = self.calls_file.as_ref().filter(|(_, tools)| unknown.is_some_and(|tool| tools.contains(&tool)));
        let error = match of_file {
            Some((file, _)) => anyhow!(error).context(format!("the calls in {file} may be for another server")),
            None => anyhow!(error),
        };
        let text = format!("{error:#}");
        let safe = self.without_secrets(&text);
        if safe == text { error } else { anyhow!(safe) }
    }

    /// Returns the command that shows a test on the terminal. It omits the arguments of calls, which may be secrets, and
    /// redacts the command of the server.
    fn again(&self, test: &NamedTest) -> Vec<String> {
        let mut words = vec!["mcp-compat", "audit", "--tool", &test.tool];
        words.extend(self.calls_file.iter().flat_map(|(file, _)| ["--calls", file]));
        let is_called = self.asked.iter().find(|call| call.asks_for(&test.tool)).filter(|_| self.calls_file.is_none());
        // Arguments are omitted, so a call with some is not repeated.
        words
            .extend(is_called.filter(|call| call.arguments.is_none()).into_iter().flat_map(|_| ["--call", &test.tool]));
        if self.options.guess {
            words.push("--guess");
        }
        words.extend(test.client.as_ref().map(|client| ["--against", client.as_str()]).into_iter().flatten());
        words.extend(self.words.iter().map(String::as_str));
        vec![redact_command_line(&words.into_iter().map(shell_word).collect::<Vec<_>>().join(" "))]
    }

    /// The words that name the server in a command, without secrets.
    pub(super) fn server_words(&self) -> String {
        let words: Vec<_> = self.words.iter().map(|word| shell_word(word)).collect();
        neutralised(&redact_command_line(&words.join(" ")))
    }

    /// Returns whether the audit fails, and the reasons that its report does not show.
    pub(super) fn verdict(&self, audit: &Audit) -> (bool, Vec<String>) {
        if self.judged_by_tests {
            return (self.fail_on.fails_with_tests(audit), Vec::new());
        }
        let unproven = if self.fail_on.wants_proof() { self.unproven(audit) } else { Vec::new() };
        let fails = self.fail_on.fails(audit) || !unproven.is_empty();
        (fails, unproven.into_iter().chain(self.fail_on.stricter(audit)).collect())
    }

    /// Returns a message if the user asked for calls and none of them returned a result.
    fn unproven(&self, audit: &Audit) -> Vec<String> {
        let is_asked = |tool: &&AuditedTool| self.asked.iter().any(|call| call.asks_for(&tool.name));
        let asked: Vec<&AuditedTool> = audit.tools.iter().filter(is_asked).collect();
        if asked.is_empty() || asked.iter().any(|tool| matches!(tool.call, CallState::Answered { .. })) {
            return Vec::new();
        }
        let is_called = |tool: &&AuditedTool| !matches!(tool.call, CallState::NotCalled { .. });
        let called: Vec<&AuditedTool> = asked.into_iter().filter(is_called).collect();
        // Other arguments do not help for a tool without parameters.
        let helps = called.iter().any(|tool| matches!(tool.call, CallState::Failed { option: Some(_), .. }));
        let advice = if helps { ". If the arguments are the reason, give others with --call TOOL='{…}'" } else { "" };
        vec![match called[..] {
            [] => "the audit failed: none of the tools that were to be called was called".to_owned(),
            [tool] => format!("the audit failed: the call of `{}` returned no result{advice}", neutralised(&tool.name)),
            _ => format!("the audit failed: none of the {} calls returned a result{advice}", called.len()),
        }]
    }
}

/// Reads a file of calls, adds them, and returns the tools that it names.
fn read_calls(file: &str, asked: &mut Vec<AskedCall>) -> Result<Vec<String>> {
    let text = input_file::read_named(file.as_ref()).with_context(|| format!("cannot read the calls in {file}"))?;
    let calls = AskedCall::of_file(file, &text)?;
    let tools = calls.iter().map(|call| call.tool.clone()).collect();
    asked.extend(calls);
    Ok(tools)
}
