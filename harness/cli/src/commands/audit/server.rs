//! `audit` of a server: find its mistakes, and the clients that lose something because of them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use mcp_compat_audit::probe::Target;
use mcp_compat_audit::server::Progress;
use mcp_compat_fleet::{Installation, Member};
use mcp_compat_model::audit::Audit;
use mcp_compat_model::count::counted;
use mcp_compat_reports::{annotations, audit as report, junit};
use mcp_compat_run::peer::{ClientPeer, Peer};
use tokio::task::JoinHandle;

use super::args::AuditArgs;
use super::job::Job;
use super::subject::Subject;
use crate::exit::{ENDING, Exit, HarnessFailed};
use crate::inputs::installed_hosts::installed_hosts;
use crate::inputs::not_installed::NotInstalled;
use crate::inputs::peers_folder;
use crate::output::{eprintln, json_text};
use crate::progress::Spinner;
use crate::report_output::{Format, Reports};
use crate::runtime::{Threads, cancellable};
use crate::terminal;

pub(super) fn execute(args: &AuditArgs, subject: Subject, reports: &Reports) -> Result<Exit> {
    let hosts = hosts(args)?;
    if hosts.as_ref().is_some_and(Vec::is_empty) {
        bail!("--hosts: there is no such host to play the answers to");
    }
    let job = Job::of(args, subject, real_clients(args)?, reports)?.with_hosts(hosts.unwrap_or_default());
    let audited = cancellable(
        Threads::PerCore,
        || eprintln!("{ENDING}"),
        async |stop| {
            let progress = AuditProgress::start(job.target(), job.start_timeout());
            job.run(stop, |step| progress.notice(step)).await
        },
    );
    let Some(finished) = audited?.flatten() else { return Ok(Exit::Interrupted) };
    finished.print_renewal();
    let audit = finished.audit;
    let (fails, reasons) = job.verdict(&audit);
    let server = job.server_words();
    print(reports, &audit, fails, report::Options { notes: args.notes, server: &server, failed: Some(fails) })?;
    if audit.cut_short.is_some_and(|cut| cut.after_ms.is_none()) {
        return Ok(Exit::Interrupted);
    }
    reasons.iter().for_each(|why| eprintln!("{why}"));
    Ok(if fails { Exit::Breaks } else { Exit::Success })
}

/// Prints the report in the formats that are asked for.
fn print(reports: &Reports, audit: &Audit, fails: bool, options: report::Options<'_>) -> Result<()> {
    let name = if audit.server.name.is_empty() { "server" } else { &audit.server.name };
    reports.write(|format, style| {
        Ok(match format {
            // The command has no other.
            Format::Terminal | Format::Baseline | Format::Html | Format::Site => {
                report::terminal(audit, style, options)
            }
            Format::Markdown => report::markdown(audit, options),
            Format::Json => json_text(audit)?,
            Format::Junit => junit::audits::of_audit(name, audit, fails).context(HarnessFailed("writing JUnit"))?,
            Format::Github => annotations::of_audit(name, audit, fails),
        })
    })
}

/// Returns the clients for `--fleet`, if it is given.
pub(super) fn real_clients(args: &AuditArgs) -> Result<Option<Vec<ClientPeer>>> {
    args.fleet.then(|| installed_clients(args.peers.as_deref())).transpose()
}

/// Returns the clients of every installed release for `--fleet`, in the order of the fleet. Prints the releases that
/// are not installed; an audit installs nothing.
fn installed_clients(folder: Option<&Path>) -> Result<Vec<ClientPeer>> {
    const NONE: &str = "--fleet: no SDK release is installed, so there is no real client to test with. Install some with \
                        `mcp-compat peers install`, or one with `mcp-compat peers install NAME@VERSION`";
    let Some(folder) = peers_folder::find(folder)? else { bail!(NONE) };
    let listed = folder.fleet().iter().map(|Member { installation, .. }| installation.clone());
    let (mut clients, mut not_installed) = (Vec::new(), NotInstalled::default());
    for installation in listed.chain(folder.beyond()) {
        if installation.manifest().host.is_some() {
            continue;
        }
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

/// Returns the hosts for `--hosts`, in the order of their ids; `None` if it is not given.
fn hosts(args: &AuditArgs) -> Result<Option<Vec<ClientPeer>>> {
    let Some(wanted) = &args.hosts else { return Ok(None) };
    let hosts = installed_hosts(args.peers.as_deref(), wanted)?;
    Ok(Some(hosts.iter().flat_map(clients_of).collect()))
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
    fn start(target: &Target, start_timeout: Duration) -> Self {
        let spinner = terminal::draws_progress().then(|| Spinner::start("auditing"));
        let shared = SharedProgress { step: Mutex::default(), is_answered: AtomicBool::new(false), spinner };
        let (shared, is_program) = (Arc::new(shared), matches!(target, Target::Command(_)));
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
