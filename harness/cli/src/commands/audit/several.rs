//! `audit` of the servers of a file: side by side, one line each.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use mcp_compat_audit::probe::{Obstacle, ProbeError};
use mcp_compat_audit::server::{AskedCall, AuditError};
use mcp_compat_drive::shell_word;
use mcp_compat_model::audit::Audit;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_reports::server_list::{self, AuditedList, ListOptions, ListedAudit, ListedState};
use mcp_compat_reports::{annotations, junit};
use mcp_compat_run::peer::ClientPeer;
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, LocalSet};
use tokio_util::sync::CancellationToken;

use super::args::AuditArgs;
use super::job::{Finished, Job};
use super::subject::Subject;
use crate::exit::{ENDING, Exit, HarnessFailed};
use crate::fail_on::FailOn;
use crate::inputs::server_lists::{Entry, ServerList};
use crate::output::{eprintln, json_text};
use crate::report_output::{Format, Reports};
use crate::runtime::{Threads, cancellable};

/// Number of servers that are audited at the same time. Each may run as four processes.
const SIDE_BY_SIDE: usize = 4;

/// Time without a finished server after which the ones that are awaited are named. It doubles each time.
const SILENCE: Duration = Duration::from_secs(15);

/// An audit that ended, or the reason why there is none.
type Ended = Result<Option<Finished>>;

pub(super) fn execute(
    args: &AuditArgs,
    list: ServerList,
    real_clients: Option<&[ClientPeer]>,
    reports: &Reports,
) -> Result<Exit> {
    let ServerList { read_from, servers, may_call } = list;
    let mut listed = Vec::new();
    let mut jobs: BTreeMap<usize, Arc<Job>> = BTreeMap::new();
    for server in servers {
        let job = match server.entry {
            Entry::Server(entry) => {
                let subject = Subject::of_entry(*entry, &read_from, &server.name, true, may_call);
                Job::of(args, subject, real_clients.map(<[_]>::to_vec), reports).map_err(|error| format!("{error:#}"))
            }
            Entry::Disabled => {
                listed.push(without_audit(server.name, ListedState::Disabled, "disabled in the file".to_owned()));
                continue;
            }
            Entry::Mistake(why) => Err(why),
        };
        let mut line = without_audit(server.name, ListedState::NotAudited, "interrupted".to_owned());
        line.failed = args.fail_on.or(server.fail_on) != Some(FailOn::Never);
        match job {
            Ok(job) => {
                line.transport = Some(job.target().transport());
                jobs.insert(listed.len(), Arc::new(job));
            }
            Err(why) => line.why = Some(why),
        }
        listed.push(line);
    }
    let names: Vec<String> = listed.iter().map(|listed| neutralised(&listed.name)).collect();
    let ended = cancellable(
        Threads::PerCore,
        || eprintln!("{ENDING}"),
        async |stop| {
            // An audit stays on its thread; what it plays runs on all.
            let ended = LocalSet::new().run_until(side_by_side(&jobs, &names, &stop)).await;
            Ok((ended, stop.is_cancelled()))
        },
    )?;
    let Some((ended, is_interrupted)) = ended else { return Ok(Exit::Interrupted) };
    for (place, ended) in ended {
        let (line, Some(job)) = (&mut listed[place], jobs.get(&place)) else { continue };
        match ended {
            Ok(Some(finished)) => {
                finished.print_renewal();
                let audit = finished.audit;
                let (failed, why) = job.verdict(&audit);
                let why = Some(why.join("; ")).filter(|why| !why.is_empty());
                (line.state, line.why, line.failed, line.audit) = (ListedState::Audited, why, failed, Some(audit));
            }
            Ok(None) => {}
            Err(error) => line.why = Some(job.without_secrets(&why_not(&error, job.start_timeout()))),
        }
    }
    let list = AuditedList { read_from: read_from.display().to_string(), servers: listed };
    print(args, reports, &list, &read_from.display().to_string())?;
    if let Some(call) = unknown_call(args, &list).filter(|_| !is_interrupted) {
        bail!("--call {}: no server of {} has such a tool", shell_word(&call.tool), neutralised(&list.read_from));
    }
    exit(&list, is_interrupted)
}

/// The first call of the command line that is of no tool. Nothing is known of the tools of a server that was not audited.
fn unknown_call(args: &AuditArgs, list: &AuditedList) -> Option<AskedCall> {
    if list.servers.iter().any(|listed| listed.state == ListedState::NotAudited) {
        return None;
    }
    let is_of = |call: &AskedCall, audit: &Audit| {
        let names = audit.tools.iter().map(|tool| &tool.name).chain(&audit.passed_over);
        names.into_iter().any(|name| call.asks_for(name))
    };
    let mut calls = args.call.iter().map(|call| AskedCall::of_word(call));
    calls.find(|call| !list.audits().any(|audit| is_of(call, audit)))
}

fn exit(list: &AuditedList, is_interrupted: bool) -> Result<Exit> {
    if is_interrupted {
        return Ok(Exit::Interrupted);
    }
    if list.audits().next().is_none() {
        bail!("no server of {} could be audited", neutralised(&list.read_from));
    }
    Ok(if list.servers.iter().any(|listed| listed.failed) { Exit::Breaks } else { Exit::Success })
}

/// A line for a server without an audit.
fn without_audit(name: String, state: ListedState, why: String) -> ListedAudit {
    ListedAudit { name, transport: None, state, why: Some(why), failed: false, audit: None }
}

/// Runs the audits, some at the same time, and returns them by their place in the list.
async fn side_by_side(
    jobs: &BTreeMap<usize, Arc<Job>>,
    names: &[String],
    stop: &CancellationToken,
) -> Vec<(usize, Ended)> {
    let turns = Arc::new(Semaphore::new(SIDE_BY_SIDE));
    let mut running = JoinSet::new();
    let (mut ended, mut patience) = (Vec::new(), SILENCE);
    for (place, job) in jobs {
        let (place, job, stop, turns) = (*place, Arc::clone(job), stop.clone(), Arc::clone(&turns));
        running.spawn_local(async move {
            let turn = turns.acquire().await;
            let ended = if stop.is_cancelled() { Ok(None) } else { job.run(stop, |_| {}).await };
            drop(turn);
            (place, ended)
        });
    }
    while !running.is_empty() {
        match tokio::time::timeout(patience, running.join_next()).await {
            Ok(Some(Ok((place, result)))) => {
                ended.push((place, result));
                eprintln!("{} of {}: {}", ended.len(), jobs.len(), names[place]);
            }
            // A task that panicked stays without an audit.
            Ok(Some(Err(_)) | None) => {}
            Err(_) => {
                let is_awaited = |place: &&usize| !ended.iter().any(|(ended, _)| ended == *place);
                let awaited: Vec<&str> = jobs.keys().filter(is_awaited).map(|place| names[*place].as_str()).collect();
                patience *= 2;
                eprintln!("waiting for {}; Ctrl-C ends the audit with what is there", awaited.join(", "));
            }
        }
    }
    ended
}

/// The reason why a server could not be audited, in one line.
fn why_not(error: &anyhow::Error, start_timeout: Duration) -> String {
    let Some(AuditError::Probe(probe)) = error.downcast_ref() else { return format!("{error:#}") };
    match (probe.obstacle(), probe) {
        (Some(Obstacle::Silent { .. }), _) => {
            format!("no answer within {} s (--start-timeout)", start_timeout.as_secs())
        }
        (Some(Obstacle::NotAuthorized { status }), _) => format!("HTTP status {status}: it wants a valid token"),
        (Some(Obstacle::OtherHost), _) => "HTTP status 421: it refuses this host name".to_owned(),
        (Some(Obstacle::NotThere { status }), _) => format!("HTTP status {status}: no MCP server is at this address"),
        (_, ProbeError::NoSession { attempts, log, .. }) => {
            let why = attempts.first().map_or("", |attempt| attempt.why.as_str());
            log.as_deref().and_then(telling_line).map_or_else(|| why.to_owned(), |line| format!("{why}: {line}"))
        }
        (_, ProbeError::NoTools { why, .. }) => why.clone(),
        (None, _) | (Some(Obstacle::SlowList | Obstacle::Ended), _) => format!("{error:#}"),
    }
}

/// The line of a log that says what went wrong: the last with an error in it, or else the last.
fn telling_line(log: &str) -> Option<&str> {
    let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty()).rev();
    let has_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        line.contains("error:") || line.contains("error [") || line.contains("panicked") || line.starts_with("fatal")
    };
    lines().find(has_error).or_else(|| lines().next())
}

fn print(args: &AuditArgs, reports: &Reports, list: &AuditedList, file: &str) -> Result<()> {
    let file = neutralised(&shell_word(file));
    // Arguments are omitted: they may be secrets.
    let of_calls = args.call.iter().map(|call| AskedCall::of_word(call).tool);
    let mut calls: Vec<String> = of_calls.map(|tool| format!("--call {}", shell_word(&tool))).collect();
    calls.extend(args.calls.iter().map(|file| format!("--calls {}", shell_word(file))));
    calls.extend(args.call_read_only.then(|| "--call-read-only".to_owned()));
    calls.extend(args.guess.then(|| "--guess".to_owned()));
    let calls = neutralised(&calls.join(" "));
    let options = ListOptions { notes: args.notes, file: &file, calls: &calls };
    reports.write(|format, style| {
        Ok(match format {
            // The command has no other.
            Format::Terminal | Format::Baseline | Format::Html | Format::Site => {
                server_list::terminal(list, options, style)
            }
            Format::Markdown => server_list::markdown(list, options),
            Format::Json => json_text(list)?,
            Format::Junit => junit::audits::of_list(list).context(HarnessFailed("writing JUnit"))?,
            Format::Github => annotations::of_list(list),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_log_with_the_error_is_quoted() {
        let node = "node:internal/modules/cjs/loader:1228\n  throw err;\n\nError: Cannot find module '/srv/x.js'\n    at Module\n\nNode.js v22.1.0\n";
        assert_eq!(telling_line(node), Some("Error: Cannot find module '/srv/x.js'"));
        assert_eq!(telling_line("starting\nno token\n\n"), Some("no token"));
        assert_eq!(telling_line(" \n"), None);
    }
}
