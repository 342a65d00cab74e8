//! `audit` of a server: find its mistakes, and the clients that lose something because of them.

use std::path::Path;
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
            let mut silence = SilenceHint::new(&args.server, timeouts.start);
            let notice = |progress| {
                silence.notice(&progress);
                print_progress(progress);
            };
            match audit(target, &options, timeouts, notice, &mut on_cell).await {
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
    let text = if args.json {
        json_text(&audit)?
    } else if args.markdown {
        report::markdown(&audit)
    } else {
        report::terminal(&audit, terminal::style())
    };
    print!("{text}");
    if audit.cut_short.is_some_and(|cut| cut.after_ms.is_none()) {
        return Ok(Exit::Interrupted);
    }
    if args.tests.tests.is_some() {
        return Ok(if args.fail_on.fails_with_tests(&audit) { Exit::Breaks } else { Exit::Success });
    }
    let unproven = if args.fail_on.wants_proof() { unproven(&audit, &asked) } else { None };
    for why in unproven.iter().chain(&args.fail_on.stricter(&audit)) {
        eprintln!("{why}");
    }
    Ok(if args.fail_on.fails(&audit) || unproven.is_some() { Exit::Breaks } else { Exit::Success })
}

/// Returns a message if the user asked for calls and none of them returned a result.
fn unproven(audit: &Audit, asked: &[AskedCall]) -> Option<String> {
    let is_asked = |tool: &&AuditedTool| asked.iter().any(|call| call.asks_for(&tool.name));
    let called: Vec<&CallState> = audit.tools.iter().filter(is_asked).map(|tool| &tool.call).collect();
    if called.is_empty() || called.iter().any(|call| matches!(call, CallState::Answered { .. })) {
        return None;
    }
    let calls = match called.len() {
        1 => "the call that you asked for returned no result".to_owned(),
        many => format!("none of the {many} calls that you asked for returned a result"),
    };
    // Other arguments do not help for a tool without parameters.
    let helps = called.iter().any(|call| matches!(call, CallState::Failed { option: Some(_), .. }));
    let advice = if helps { ". Give arguments that the tool accepts with --call TOOL='{…}'" } else { "" };
    Some(format!("the audit failed: {calls}, so it shows nothing about results{advice}"))
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

/// Prints the present step, because starting a server may take a while.
fn print_progress(progress: Progress) {
    if !terminal::draws_progress() {
        return;
    }
    match progress {
        Progress::Listing(revision) => eprintln!("asking for the tools at {revision}"),
        Progress::Calling(revision, tools) => eprintln!("calling {} at {revision}", counted(tools, "tool")),
        Progress::Replaying(tools, clients) => eprintln!("playing {tools} tools to {clients} clients"),
    }
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

/// Time without an answer after which a hint is printed.
const SILENCE: Duration = Duration::from_secs(5);

/// Hint for a server that does not answer the first list of tools, because it serves HTTP or lacks an option.
struct SilenceHint {
    /// Time limit for the start of the server.
    start_timeout: Duration,
    /// True if the server is a program that was started for this audit.
    is_program: bool,
    timer: Option<JoinHandle<()>>,
}

impl SilenceHint {
    fn new(server: &TargetArgs, start_timeout: Duration) -> Self {
        Self { start_timeout, is_program: server.url.is_none(), timer: None }
    }

    /// Starts the timer at the first request, and stops it at the next step.
    fn notice(&mut self, progress: &Progress) {
        match (&self.timer, progress) {
            (None, Progress::Listing(revision)) if self.start_timeout > SILENCE => {
                let (revision, seconds) = (*revision, self.start_timeout.as_secs());
                let http = " If it serves HTTP, end this with Ctrl-C and give its address with --url.";
                let http = if self.is_program { http } else { "" };
                self.timer = Some(tokio::spawn(async move {
                    tokio::time::sleep(SILENCE).await;
                    eprintln!(
                        "no tools at {revision} yet: the server has up to {seconds} s to start (--start-timeout).{http}"
                    );
                }));
            }
            (Some(timer), _) => timer.abort(),
            (None, _) => {}
        }
    }
}

impl Drop for SilenceHint {
    fn drop(&mut self) {
        if let Some(timer) = &self.timer {
            timer.abort();
        }
    }
}
