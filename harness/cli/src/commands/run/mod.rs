//! `run`: test clients against servers, and show which pairs break.
//!
//! ```text
//! RunArgs ── ready ──> Ready: scenarios, baseline, reports, peers ──> one run, or rounds (watch) ──> record, reports
//! ```
//!
//! All input is checked before anything is played.

mod args;
mod ready;
mod watch;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::view::View;
use mcp_compat_run::baseline_file::{VARIABLE, is_renewal_wanted};
use mcp_compat_run::run::IsKnown;
use mcp_compat_run::store::Store;
use tokio_util::sync::CancellationToken;

use crate::exit::{ENDING, Exit, HarnessFailed};
use crate::install_progress::report_failures;
use crate::output::eprintln;
use crate::progress::Progress;
use crate::runtime::{Threads, cancellable};
use crate::values::named_run;
use crate::{known_breaks, run_report};
pub(crate) use args::{CoverageArg, RunArgs};
use ready::{Ready, report_time_out, request};
use watch::Watch;

pub(crate) fn execute(args: RunArgs) -> Result<Exit> {
    let progress = Progress::default();
    let (printer, watches) = (progress.printer(), args.watch);
    let announce = move || printer.say(if watches { "ending the watch" } else { ENDING });
    let exit = cancellable(Threads::PerCore, announce, |stop| run(args, progress, stop))?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}

async fn run(args: RunArgs, mut progress: Progress, stop: CancellationToken) -> Result<Exit> {
    if args.watch && args.scenarios.is_empty() {
        bail!("--watch has nothing to watch: give the folder or the file with your scenarios as --scenarios DIR");
    }
    match (is_renewal_wanted()?, &args.baseline) {
        (true, None) => bail!("{VARIABLE} is set, but no --baseline FILE is given to rewrite"),
        (true, Some(file)) if !known_breaks::is_own(file) => {
            bail!("{VARIABLE} is set, but --baseline none has no file to rewrite")
        }
        (true, Some(_)) if args.watch => {
            bail!("--watch compares each round with the baseline and does not rewrite it: unset {VARIABLE}");
        }
        (true, Some(_)) | (false, _) => {}
    }
    let Some(ready) = Ready::make(&args, &stop).await? else { return Ok(Exit::Interrupted) };
    if !ready.peers.complete {
        report_failures(&ready.peers.missing);
        eprintln!("none of the selected clients and servers can be tested");
        return Ok(Exit::Breaks);
    }
    if args.watch {
        return Watch::new(args, ready)?.go_on(stop).await;
    }
    let Ready { corpus, baseline, reports, peers } = ready;
    let mut run = request(&args, &peers)?.prepare(&peers.peers, &corpus.scenarios, None)?;
    let baseline = baseline.map(Arc::new);
    if let Some(known) = baseline.clone() {
        let own = corpus.own();
        run.is_known = IsKnown::by(move |cell| known.has(cell, |scenario| own.contains(scenario)));
    }
    let planned = run.plan.cells.len();
    let mut store = Store::open(&args.out).context("nothing was run")?;
    let mut record = mcp_compat_run::run::run(run, &mut [&mut store, &mut progress], stop.clone()).await?;
    corpus.mark(&mut record);
    let gone = match &baseline {
        Some(known) if args.is_whole() && record.complete => known.gone(&record),
        _ => Vec::new(),
    };
    let settled = baseline.map(|known| known.settle(&mut record)).transpose();
    // The results are printed even if they cannot be written.
    let kept = store.close(&record).context(HarnessFailed("keeping the run"));
    let path = named_run(&args.out);
    let view = View::of(&record).at(path.as_deref());
    let written = reports
        .write(|format, style| run_report::text(&view, format, args.shown(), style))
        .context(HarnessFailed("writing a report"));
    if record.cells.iter().any(|cell| cell.rating == Rating::Breaks) {
        print_peers_option(args.peers.as_deref());
    }
    report_gone(&gone);
    report_failures(&peers.missing);
    let interrupted = stop.is_cancelled() && !record.complete;
    if !interrupted {
        report_time_out(&record, planned);
    }
    kept.and(written)?;
    if let Some(renewal) = settled.context(HarnessFailed("keeping the baseline"))?.flatten() {
        eprintln!("the baseline: {renewal}");
    }
    Ok(match (interrupted, is_bad_news(&record) || !peers.missing.is_empty()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Breaks,
        (false, false) => Exit::Success,
    })
}

fn is_bad_news(record: &Record) -> bool {
    !record.complete || !record.stale.is_empty() || record.cells.iter().any(|cell| cell.is_new_break())
}

/// Prints the option that the commands of the report lack if `--peers` was given.
fn print_peers_option(folder: Option<&Path>) {
    if let Some(folder) = folder {
        eprintln!("`mcp-compat run` finds these peers with `--peers {}`.", neutralised(&folder.display().to_string()));
    }
}

/// Prints the shipped breaks that no longer break.
fn report_gone(gone: &[String]) {
    if gone.is_empty() {
        return;
    }
    let (entries, apply) = if gone.len() == 1 { ("entry", "applies") } else { ("entries", "apply") };
    eprintln!("{} {entries} of the known breaks that ship no longer {apply}:", gone.len());
    for line in gone {
        eprintln!("  {line}");
    }
}
