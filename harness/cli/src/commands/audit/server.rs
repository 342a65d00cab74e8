//! `audit` of a server: find its mistakes, and the clients that lose something because of them.

use std::path::Path;
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
use crate::formats::Format;
use crate::inputs::not_installed::NotInstalled;
use crate::inputs::peers_folder;
use crate::output::{eprintln, json_text};
use crate::runtime::{Threads, cancellable};
use crate::terminal;

pub(super) fn execute(args: &AuditArgs, subject: Subject) -> Result<Exit> {
    let job = Job::of(args, subject, real_clients(args)?)?;
    let audited = cancellable(
        Threads::PerCore,
        || eprintln!("{ENDING}"),
        async |stop| {
            let mut silence = SilenceHint::new(job.target(), job.start_timeout());
            let notice = |progress| {
                silence.notice(&progress);
                print_progress(progress);
            };
            job.run(stop, notice).await
        },
    );
    let Some(audit) = audited?.flatten() else { return Ok(Exit::Interrupted) };
    print(args, &audit)?;
    if audit.cut_short.is_some_and(|cut| cut.after_ms.is_none()) {
        return Ok(Exit::Interrupted);
    }
    let (fails, reasons) = job.verdict(&audit);
    reasons.iter().for_each(|why| eprintln!("{why}"));
    Ok(if fails { Exit::Breaks } else { Exit::Success })
}

/// Prints the report in the formats that are asked for.
fn print(args: &AuditArgs, audit: &Audit) -> Result<()> {
    let name = if audit.server.name.is_empty() { "server" } else { &audit.server.name };
    args.report.write(|format, style| {
        Ok(match format {
            Format::Terminal => report::terminal(audit, style),
            Format::Markdown => report::markdown(audit),
            Format::Json => json_text(audit)?,
            Format::Junit => junit::audits::of_audit(name, audit).context(HarnessFailed("writing JUnit"))?,
            Format::Github => annotations::of_audit(name, audit),
        })
    })
}

/// Returns the clients for `--fleet`, if it is given.
pub(super) fn real_clients(args: &AuditArgs) -> Result<Option<Vec<ClientPeer>>> {
    args.fleet.then(|| installed_clients(args.peers.as_deref())).transpose()
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
    fn new(target: &Target, start_timeout: Duration) -> Self {
        Self { start_timeout, is_program: matches!(target, Target::Command(_)), timer: None }
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
