//! `audit` of a server: find its mistakes, and the clients that lose something because of them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use mcp_compat_audit::named_tests::{Expected, NamedTests};
use mcp_compat_audit::probe::ProbeTimeouts;
use mcp_compat_audit::server::{AskedCall, AuditError, AuditOptions, Progress, accepting_releases, audit};
use mcp_compat_drive::files::input_file;
use mcp_compat_drive::shell_word;
use mcp_compat_fleet::{Installation, Member};
use mcp_compat_model::audit::{Audit, AuditedTool, CallState, NamedTest};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_reports::audit as report;
use mcp_compat_reports::failure::AuditStories;
use mcp_compat_run::peer::{ClientPeer, Peer};
use mcp_compat_run::redact::redact_command_line;
use mcp_compat_scenario::Scenario;
use tokio::task::JoinHandle;

use super::args::{AuditArgs, TestArgs};
use crate::exit::{ENDING, Exit};
use crate::inputs::not_installed::NotInstalled;
use crate::inputs::{peers_folder, support_data};
use crate::output::{eprintln, json_text, print};
use crate::progress::Spinner;
use crate::runtime::{Threads, cancellable};
use crate::terminal;
use crate::values::TargetArgs;

pub(super) fn execute(args: &AuditArgs) -> Result<Exit> {
    let target = args.server.target()?;
    let mut calls: Vec<AskedCall> = args.call.iter().map(|call| AskedCall::of_word(call)).collect();
    if let Some(file) = &args.calls {
        let text = input_file::read_named(file.as_ref()).with_context(|| format!("cannot read the calls in {file}"))?;
        calls.extend(AskedCall::of_file(file, &text)?);
    }
    let asked = calls.clone();
    calls.extend(args.tests.expect_error.iter().map(|call| AskedCall::of_word(call)));
    let expected = expected(&args.tests)?;
    let real_clients = args.fleet.then(|| installed_clients(args.peers.as_deref())).transpose()?;
    let options = AuditOptions {
        tools: args.tool.clone(),
        calls,
        guess: args.guess,
        clients: args.against.clone(),
        real_clients,
        ..AuditOptions::default()
    };
    let mut stories = AuditStories::default();
    let keeps_stories = expected.is_some();
    let mut on_cell = |scenario: &Scenario, cell: &CellRecord, evidence: &Evidence| {
        if keeps_stories {
            stories.see(scenario, cell, evidence);
        }
    };
    let timeouts = ProbeTimeouts { audit: args.audit_timeout, ..args.server.timeouts() };
    let audited = cancellable(
        Threads::PerCore,
        || eprintln!("{ENDING}"),
        async |stop| {
            let options = AuditOptions { stop, ..options };
            let progress = AuditProgress::start(&args.server, timeouts.start);
            match audit(target, &options, timeouts, |step| progress.notice(step), &mut on_cell).await {
                Err(AuditError::Interrupted) => Ok(None),
                audited => Ok(Some(audited?)),
            }
        },
    );
    let Some(audited) = audited?.flatten() else { return Ok(Exit::Interrupted) };
    let mut audit = audited.audit.clone();
    audit.takers = accepting_releases(&audited.support_questions, &audit.spoken, &support_data::shipped());
    if let Some(expected) = expected {
        let NamedTests { tests, renewal } = expected.tests(audited, stories, |test| again(test, &args.server))?;
        if let Some(renewal) = renewal {
            eprintln!("the baseline: {renewal}");
        }
        audit.tests = tests;
    }
    let unproven = if args.fail_on.wants_proof() { unproven(&audit, &asked) } else { None };
    let failed = args.fail_on.fails(&audit) || unproven.is_some();
    let options = report::Options { notes: args.notes, failed: Some(failed) };
    let text = if args.json {
        json_text(&audit)?
    } else if args.markdown {
        report::markdown(&audit, options)
    } else {
        report::terminal(&audit, terminal::style(), options)
    };
    print!("{text}");
    if audit.cut_short.is_some_and(|cut| cut.after_ms.is_none()) {
        return Ok(Exit::Interrupted);
    }
    if args.tests.tests.is_some() {
        return Ok(if args.fail_on.fails_with_tests(&audit) { Exit::Breaks } else { Exit::Success });
    }
    for why in unproven.iter().chain(&args.fail_on.stricter(&audit)) {
        eprintln!("{why}");
    }
    Ok(if failed { Exit::Breaks } else { Exit::Success })
}

/// Returns a message if the user asked for calls and none of them returned a result.
fn unproven(audit: &Audit, asked: &[AskedCall]) -> Option<String> {
    let is_asked = |tool: &&AuditedTool| asked.iter().any(|call| call.asks_for(&tool.name));
    let called: Vec<&AuditedTool> = audit.tools.iter().filter(is_asked).collect();
    if called.is_empty() || called.iter().any(|tool| matches!(tool.call, CallState::Answered { .. })) {
        return None;
    }
    // Other arguments do not help for a tool without parameters.
    let helps = called.iter().any(|tool| matches!(tool.call, CallState::Failed { option: Some(_), .. }));
    let advice = if helps { ". Give arguments that the tool accepts with --call TOOL='{…}'" } else { "" };
    Some(match called[..] {
        [tool] => format!("the audit failed: the call of `{}` returned no result{advice}", neutralised(&tool.name)),
        _ => format!("the audit failed: none of the {} calls returned a result{advice}", called.len()),
    })
}

/// Returns the expectations of the tests, if tests are requested.
fn expected(TestArgs { tests, expect_error, allow_uncalled, baseline }: &TestArgs) -> Result<Option<Expected>> {
    let Some(dialect) = *tests else { return Ok(None) };
    let errors = expect_error.iter().map(|call| AskedCall::of_word(call).tool);
    Ok(Some(Expected::new(dialect, errors, allow_uncalled, baseline.as_deref())?))
}

/// Returns the command that shows a test on the terminal. It omits the arguments of calls, which may be secrets, and
/// redacts the command of the server.
fn again(test: &NamedTest, server: &TargetArgs) -> Vec<String> {
    let mut words = vec!["mcp-compat", "audit", "--tool", &test.tool];
    words.extend(test.client.as_ref().map(|client| ["--against", client.as_str()]).into_iter().flatten());
    words.push(if server.url.is_some() { "--url" } else { "--" });
    words.extend(server.url.iter().chain(&server.command).map(String::as_str));
    vec![redact_command_line(&words.into_iter().map(shell_word).collect::<Vec<_>>().join(" "))]
}

/// Returns the clients of every installed release for `--fleet`, in the order of the fleet. Prints the releases that
/// are not installed; an audit installs nothing.
fn installed_clients(folder: Option<&Path>) -> Result<Vec<ClientPeer>> {
    const NONE: &str = "--fleet: no SDK release is installed, so there is no real client to play. Install some with \
                        `mcp-compat peers install`, or one with `mcp-compat peers install NAME@VERSION`";
    let Some(folder) = peers_folder::find(folder)? else { bail!(NONE) };
    let listed = folder.fleet().iter().map(|Member { installation, .. }| installation.clone());
    let (mut clients, mut not_installed) = (Vec::new(), NotInstalled::default());
    for installation in listed.chain(folder.beyond()) {
        if installation.is_ready()? {
            clients.extend(clients_of(&installation));
        } else {
            not_installed.add(&installation);
        }
    }
    if clients.is_empty() {
        bail!(NONE);
    }
    if let Some(line) = not_installed.report(|peer| matches!(peer, Peer::Client(_))) {
        eprintln!("{line}");
    }
    Ok(clients)
}

fn clients_of(installation: &Installation) -> impl Iterator<Item = ClientPeer> {
    installation.peers().into_iter().filter_map(|peer| match peer {
        Peer::Client(client) => Some(client),
        Peer::Server(_) => None,
    })
}

/// Time after which a log without a terminal has a first line on what the audit waits for. The next come after twice
/// the time each.
const FIRST_LINE: Duration = Duration::from_secs(5);

/// Progress of an audit: a spinner on a terminal, and in a log a line for what takes long.
struct AuditProgress {
    shared: Arc<SharedProgress>,
    ticker: JoinHandle<()>,
}

struct SharedProgress {
    /// The present step; empty before the first.
    step: Mutex<String>,
    /// True once the server has answered the first question.
    is_answered: AtomicBool,
    spinner: Option<Spinner>,
}

impl AuditProgress {
    fn start(server: &TargetArgs, start_timeout: Duration) -> Self {
        let spinner = terminal::draws_progress().then(|| Spinner::start("auditing"));
        let shared = SharedProgress { step: Mutex::default(), is_answered: AtomicBool::new(false), spinner };
        let (shared, is_program) = (Arc::new(shared), server.url.is_none());
        let ticked = Arc::clone(&shared);
        let ticker = tokio::spawn(async move {
            let (mut passed, mut next, mut last) = (Duration::ZERO, FIRST_LINE, String::new());
            loop {
                tokio::time::sleep(next - passed).await;
                (passed, next) = (next, next * 2);
                let line = if ticked.is_answered.load(Ordering::Relaxed) {
                    ticked.step()
                } else {
                    waiting(passed, start_timeout, is_program)
                };
                if line != last {
                    ticked.print(&line);
                    last = line;
                }
            }
        });
        Self { shared, ticker }
    }

    fn notice(&self, progress: Progress) {
        let words = match progress {
            Progress::Listing(revision) => format!("asking for the tools at {revision}"),
            Progress::Calling(revision, tools) => format!("calling {} at {revision}", counted(tools, "tool")),
            Progress::Replaying(tools, clients) => {
                format!("playing {} to {}", counted(tools, "tool"), counted(clients, "client"))
            }
        };
        tracing::debug!("{words}");
        if let Some(spinner) = &self.shared.spinner {
            spinner.line(&words);
        }
        let mut step = self.shared.step.lock().unwrap_or_else(PoisonError::into_inner);
        // The server has answered the first question once another comes.
        self.shared.is_answered.store(!step.is_empty(), Ordering::Relaxed);
        *step = words;
    }
}

impl SharedProgress {
    fn step(&self) -> String {
        self.step.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn print(&self, line: &str) {
        match &self.spinner {
            Some(spinner) => spinner.line(line),
            None => eprintln!("{line}"),
        }
    }
}

impl Drop for AuditProgress {
    fn drop(&mut self) {
        self.ticker.abort();
    }
}

/// Line on a server that has not answered yet. The first one has a hint for a program that serves HTTP.
fn waiting(passed: Duration, limit: Duration, is_program: bool) -> String {
    let (passed_s, limit) = (passed.as_secs(), limit.as_secs());
    let http = if is_program && passed == FIRST_LINE { ". Does it serve HTTP? Use --url ADDRESS" } else { "" };
    format!("waiting for the server ({passed_s} s of {limit} s, --start-timeout){http}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_waited_for_has_its_limit_named_and_the_hint_once() {
        let limit = Duration::from_secs(120);
        let first = waiting(FIRST_LINE, limit, true);
        assert_eq!(
            first,
            "waiting for the server (5 s of 120 s, --start-timeout). Does it serve HTTP? Use --url ADDRESS"
        );
        let later = "waiting for the server (10 s of 120 s, --start-timeout)";
        assert_eq!(waiting(FIRST_LINE * 2, limit, true), later);
    }
}
