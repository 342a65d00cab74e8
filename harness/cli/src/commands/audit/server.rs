//! `audit` of a server: what is wrong with it, and which clients lose what by it.

use std::fs;

use anyhow::{Context as _, Result, bail};
use mcp_compat_audit::server::{AskedCall, AuditOptions, Audited, Progress, audit};
use mcp_compat_json::{Json, JsonString};
use mcp_compat_reports::audit as report;

use super::args::AuditArgs;
use super::fleet;
use crate::exit::Exit;
use crate::json_text::json_text;
use crate::output::{eprintln, print};
use crate::runtime::interruptible;
use crate::terminal;

pub(super) fn execute(args: &AuditArgs) -> Result<Exit> {
    let target = args.server.target()?;
    let mut calls: Vec<AskedCall> = args.call.iter().map(|call| asked_call(call)).collect();
    if let Some(file) = &args.calls {
        calls.extend(calls_of_file(file)?);
    }
    let real_clients = args.fleet.then(|| fleet::installed(args.peers.as_deref())).transpose()?;
    let options = AuditOptions {
        tools: args.tool.clone(),
        calls,
        guess: args.guess,
        clients: args.against.clone(),
        real_clients,
    };
    let audited = async { Ok(audit(target, &options, args.server.timeouts(), tell).await?) };
    let Some(Audited { audit, .. }) = interruptible(|| {}, audited)? else { return Ok(Exit::Interrupted) };
    let text = if args.json {
        json_text(&audit)?
    } else if args.markdown {
        report::markdown(&audit)
    } else {
        report::terminal(&audit, terminal::style())
    };
    print!("{text}");
    Ok(if args.fail_on.fails(&audit) { Exit::Breaks } else { Exit::Success })
}

/// `tool`, or `tool={"json": 1}`.
fn asked_call(call: &str) -> AskedCall {
    match call.split_once('=') {
        Some((tool, arguments)) => AskedCall { tool: tool.to_owned(), arguments: Some(arguments.to_owned()) },
        None => AskedCall { tool: call.to_owned(), arguments: None },
    }
}

/// The calls in a file: a JSON object of tools, each with its arguments or with null.
fn calls_of_file(path: &str) -> Result<Vec<AskedCall>> {
    const EXPECTED: &str =
        r#"expected an object of tools with their arguments, as in {"read_file": {"path": "/tmp/a"}}"#;
    let text = fs::read_to_string(path).with_context(|| format!("reading the calls in {path}"))?;
    let calls = Json::parse(&text).with_context(|| format!("{path} is not JSON"))?;
    let Json::Object(calls) = calls else { bail!("{path}: {EXPECTED}") };
    let call = |(tool, arguments): (&JsonString, &Json)| {
        let tool = tool.as_str().with_context(|| format!("{path}: a tool's name is not valid Unicode"))?.to_owned();
        let arguments = match arguments {
            Json::Null => None,
            Json::Object(_) => Some(arguments.to_compact()),
            Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => bail!("{path}, {tool:?}: {EXPECTED}"),
        };
        Ok(AskedCall { tool, arguments })
    };
    calls.iter().map(call).collect()
}

/// Says what is being done: starting a server may take a while.
fn tell(progress: Progress) {
    if !terminal::draws_progress() {
        return;
    }
    match progress {
        Progress::Listing(revision) => eprintln!("asking for the tools at {revision}"),
        Progress::Calling(revision, tools) => eprintln!("calling {tools} at {revision}"),
        Progress::Replaying(tools, clients) => eprintln!("playing {tools} tools to {clients} clients"),
    }
}
