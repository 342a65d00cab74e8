//! `diff`: compare two runs, or two peers.
//!
//! ```text
//! BEFORE, AFTER   ── open, judge alike ──┐
//! --base, --head  ── play both ──────────┴─> two runs ──> Diff ── repeat what is worse ──> Diff ──> text, exit status
//! ```

mod args;
mod play;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use mcp_compat_drive::files::records_folder;
use mcp_compat_model::diff::Diff;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_reports::compare::{Options, Run, diff};
use mcp_compat_reports::diff as report;
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use crate::exit::{ENDING, Exit};
use crate::inputs::compared::Compared;
use crate::inputs::corpus::{Corpus, Embedded};
use crate::inputs::peer_pairs;
use crate::output::{eprintln, json_text, print};
use crate::report_output::{Format, OutputArgs, Reports};
use crate::runtime::{Threads, cancellable};
use crate::terminal;
use crate::values::files_of_run;
pub(crate) use args::DiffArgs;
use args::FailOn;

pub(crate) fn execute(args: &DiffArgs) -> Result<Exit> {
    let reports = &reports(args)?;
    let (before, after) = match (&args.base, &args.head, &args.before, &args.after) {
        (Some(base), Some(head), ..) => {
            let announce = || eprintln!("{ENDING}");
            let exit = cancellable(Threads::PerCore, announce, |stop| of_peers(base, head, args, reports, stop))?;
            return Ok(exit.unwrap_or(Exit::Interrupted));
        }
        (_, _, Some(before), Some(after)) => (before, after),
        (_, _, _, _) => {
            bail!("name two runs, as in `mcp-compat diff BEFORE AFTER`, or two releases with --base and --head")
        }
    };
    let compared = Compared::open(before, after, &args.scenarios, &|warning| eprintln!("{warning}"))?;
    let diff = compared.diff(None)?;
    if !args.repeat {
        return print_diff(&diff, args, reports);
    }
    let announce = || eprintln!("{ENDING}");
    let exit = cancellable(Threads::PerCore, announce, |stop| repeated(&compared, &diff, args, reports, stop))?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}

/// Plays again what is worse in the later run, and compares again.
async fn repeated(
    compared: &Compared,
    diff: &Diff,
    args: &DiffArgs,
    reports: &Reports,
    stop: CancellationToken,
) -> Result<Exit> {
    let scenarios = scenarios(args)?;
    let repeat = play::again(diff, compared.after(), None, &scenarios, args, &stop).await?;
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    print_diff(&compared.diff(repeat.as_ref())?, args, reports)
}

/// Plays both peers with the same partners, scenarios and options, and compares them.
async fn of_peers(base: &str, head: &str, args: &DiffArgs, reports: &Reports, stop: CancellationToken) -> Result<Exit> {
    let pairs = peer_pairs::pairs(base, head, args.peers.as_deref())?;
    let scenarios = scenarios(args)?;
    let mut records = Vec::new();
    for (name, folder) in [base, head].into_iter().zip(record_folders(args)) {
        eprintln!("testing {name}");
        match play::play(name, &pairs, &scenarios, &folder, args, &stop).await? {
            Some(record) => records.push(record),
            None => return Ok(Exit::Interrupted),
        }
    }
    let [before, after] = &records[..] else { bail!("one of the two was not tested") };
    let compare = |repeat| diff(&Run::new(base, before), &Run::new(head, after), &Options { repeat, partners: &pairs });
    let first = compare(None)?;
    let repeat = play::again(&first, after, Some(head), &scenarios, args, &stop).await?;
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    print_diff(&compare(repeat.as_ref())?, args, reports)
}

/// Returns the folder of both records by its former name: `--out` with `--base`, where no file is meant.
fn former_records(args: &DiffArgs) -> Option<&Path> {
    let out = args.output.out.as_deref().filter(|out| args.records.is_none() && out.extension().is_none())?;
    args.base.as_ref().map(|_| out)
}

/// Returns the folders of the records of --base and --head.
fn record_folders(args: &DiffArgs) -> [PathBuf; 2] {
    let out = former_records(args).map(Path::to_owned).or_else(|| args.records.clone());
    let out = out.unwrap_or_else(|| records_folder(Path::new("")).join("diff"));
    ["base", "head"].map(|name| out.join(name))
}

fn scenarios(args: &DiffArgs) -> Result<Vec<Arc<Scenario>>> {
    let embedded = if args.no_corpus { Embedded::NotPlayed } else { Embedded::Played };
    Ok(Corpus::gather(&args.scenarios, embedded, &args.scenario)?.scenarios)
}

/// Returns the reports that are asked for. The former folder of the records is no file.
fn reports(args: &DiffArgs) -> Result<Reports> {
    let made = args.base.iter().flat_map(|_| record_folders(args));
    let runs = args.before.iter().chain(&args.after).cloned().chain(made).flat_map(|run| files_of_run(&run));
    let peers = args.base.iter().chain(&args.head).chain(&args.against).map(PathBuf::from);
    let taken: Vec<PathBuf> = runs.chain(peers).chain(args.scenarios.iter().cloned()).collect();
    let Some(folder) = former_records(args) else { return args.output.reports(args.short, &taken) };
    eprintln!(
        "note: the folder of both records is `--records {}` now; --out is the file of the report",
        neutralised(&folder.display().to_string())
    );
    OutputArgs { out: None, ..args.output.clone() }.reports(args.short, &taken)
}

/// Prints the changes, and returns the exit status.
fn print_diff(diff: &Diff, args: &DiffArgs, reports: &Reports) -> Result<Exit> {
    if diff.compared() == 0 && !reports.include(Format::Json) {
        print!("{}", report::terminal(diff, terminal::style()));
        bail!(
            "the two runs have no check in common: run both with the same scenarios, clients, servers and transports"
        );
    }
    if !(args.quiet && diff.is_empty()) {
        reports.write(|format, style| {
            Ok(match format {
                Format::Json => json_text(diff)?,
                Format::Markdown => report::markdown(diff),
                Format::Github => report::github(diff),
                Format::Terminal if args.base.is_some() && !args.quiet => {
                    report::terminal(diff, style) + &report::release(diff, style)
                }
                // The command has no other.
                Format::Terminal | Format::Junit | Format::Baseline | Format::Html | Format::Site => {
                    report::terminal(diff, style)
                }
            })
        })?;
    }
    let fails = match args.fail_on {
        _ if diff.compared() == 0 => return Ok(Exit::Usage),
        FailOn::Worse => diff.is_worse(),
        FailOn::Regression => diff.has_regression(),
        FailOn::Never => false,
    };
    Ok(if fails { Exit::Breaks } else { Exit::Success })
}
