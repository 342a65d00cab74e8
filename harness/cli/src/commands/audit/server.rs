//! `audit` of a server: what is wrong with it, and which clients lose what by it.

use crate::inputs::support_data;
use anyhow::{Context as _, Result};
use mcp_compat_audit::named_tests::{Expected, NamedTests};
use mcp_compat_audit::probe::ProbeTimeouts;
use mcp_compat_audit::server::{
    AskedCall, AuditError, AuditOptions, Progress, accepting_releases, audit_with_evidence,
};
use mcp_compat_drive::files::input_file;
use mcp_compat_drive::shell_word;
use mcp_compat_model::audit::{Audit, AuditedTool, CallState, NamedTest};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_reports::audit as report;
use mcp_compat_reports::failure::AuditStories;
use mcp_compat_run::redact::redact_command_line;
use mcp_compat_scenario::Scenario;

use super::args::{AuditArgs, TestArgs};
use super::fleet;
use super::silence::Silence;
use crate::exit::{ENDING, Exit};
use crate::json_text::json_text;
use crate::output::{eprintln, print};
use crate::runtime::{Threads, cancellable};
use crate::target::TargetArgs;
use crate::terminal;

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
    let real_clients = args.fleet.then(|| fleet::installed(args.peers.as_deref())).transpose()?;
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
            let mut silence = Silence::of(&args.server, timeouts.start);
            let notice = |progress| {
                silence.goes_on_until(&progress);
                tell(progress);
            };
            match audit_with_evidence(target, &options, timeouts, notice, &mut on_cell).await {
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
    let unproven = unproven(&audit, &asked).filter(|_| args.fail_on.wants_proof());
    for why in unproven.iter().chain(&args.fail_on.stricter(&audit)) {
        eprintln!("{why}");
    }
    Ok(if args.fail_on.fails(&audit) || unproven.is_some() { Exit::Breaks } else { Exit::Success })
}

/// That none of the calls that the user asked for returned a result. Without calls of the user, nothing was promised.
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
    // Other arguments are no advice for a tool that has no parameters.
    let helps = called.iter().any(|call| matches!(call, CallState::Failed { option: Some(_), .. }));
    let advice = if helps { ". Give arguments that the tool accepts with --call TOOL='{…}'" } else { "" };
    Some(format!("the audit failed: {calls}, so it shows nothing about results{advice}"))
}

/// What is expected of the server, if tests are asked for.
fn expected(TestArgs { tests, expect_error, allow_uncalled, baseline }: &TestArgs) -> Result<Option<Expected>> {
    let Some(dialect) = *tests else { return Ok(None) };
    let errors = expect_error.iter().map(|call| AskedCall::of_word(call).tool);
    Ok(Some(Expected::new(dialect, errors, allow_uncalled, baseline.as_deref())?))
}

/// The command that shows a test on the terminal. It leaves out the arguments of calls, which may be secrets, and
/// redacts the command of the server.
fn again(test: &NamedTest, server: &TargetArgs) -> Vec<String> {
    let mut words = vec!["mcp-compat", "audit", "--tool", &test.tool];
    words.extend(test.client.as_ref().map(|client| ["--against", client.as_str()]).into_iter().flatten());
    words.push(if server.url.is_some() { "--url" } else { "--" });
    words.extend(server.url.iter().chain(&server.command).map(String::as_str));
    vec![redact_command_line(&words.into_iter().map(shell_word).collect::<Vec<_>>().join(" "))]
}

/// Says what is being done: starting a server may take a while.
fn tell(progress: Progress) {
    if !terminal::draws_progress() {
        return;
    }
    match progress {
        Progress::Listing(revision) => eprintln!("asking for the tools at {revision}"),
        Progress::Calling(revision, tools) => eprintln!("calling {} at {revision}", counted(tools, "tool")),
        Progress::Replaying(tools, clients) => eprintln!("playing {tools} tools to {clients} clients"),
    }
}
