//! `site`: turn records into a folder of pages.

mod folder;
mod meant;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use mcp_compat_diff::{Options, diff};
use mcp_compat_history::{ENDING, OpenedRun, open};
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::diff::Diff;
use mcp_compat_model::record::Record;
use mcp_compat_run::transcripts::Transcripts;
use mcp_compat_site::{EvidenceBook, Input, Run, site};

use crate::exit::Exit;
use crate::output::{eprintln, println};
use crate::values::DEFAULT_OUT;

const HOW: &str = "\
The pages need no server: open DIR/index.html, or publish DIR under any
address. The same records give the same files. A folder that is already there
is replaced if it is a site; any other folder is refused.

The pages show the newest run, and what it changed against the one before.
Evidence is left out where the site would be larger than --max-size: first
that of cells that work, then that of others.

Examples:
  mcp-compat site --out report
  mcp-compat site monday tuesday --out report --title 'Nightly'";

/// What a site is called if nobody says otherwise.
pub(super) const TITLE: &str = "MCP structured output";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct SiteArgs {
    /// The runs: folders, their run.json, or runs of a history (.mcpc.gz)
    #[arg(value_name = "RUN", default_value = DEFAULT_OUT)]
    runs: Vec<PathBuf>,
    /// The folder that the site is written to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A history of runs, as `mcp-compat history add` keeps it
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// What the site is called
    #[arg(long, value_name = "TEXT", default_value = TITLE)]
    title: String,
    /// The address that the site is published at, for the feed and the badges
    #[arg(long, value_name = "URL", value_parser = address)]
    base: Option<String>,
    /// How large the site may be, such as 25MB
    #[arg(long, value_name = "SIZE", default_value = "50MB", value_parser = bytes)]
    max_size: u64,
}

pub(crate) fn execute(args: &SiteArgs) -> anyhow::Result<Exit> {
    folder::check(&args.out)?;
    let mut records: Vec<Record> = Vec::new();
    let mut newest: Option<(String, EvidenceBook)> = None;
    // The history keeps less of a run than its own folder, so that it comes last.
    for path in args.runs.iter().chain(&of_history(args.history.as_deref())?) {
        let OpenedRun { record, evidence } = open(path)?;
        if records.iter().any(|other| is_in_history(&record, other, args)) {
            continue;
        }
        if newest.as_ref().is_none_or(|(started, _)| *started < record.started) {
            newest = Some((record.started.clone(), book(evidence)?));
        }
        records.push(record);
    }
    records.sort_by(|one, other| one.started.cmp(&other.started));
    let nothing = EvidenceBook::default();
    let evidence = newest.as_ref().map_or(&nothing, |(_, book)| book);
    let last = records.len().saturating_sub(1);
    let of = |place: usize| if place == last { evidence } else { &nothing };
    let runs: Vec<Run<'_>> =
        records.iter().enumerate().map(|(place, record)| Run { record, evidence: of(place) }).collect();
    let meant = meant::of_corpus()?;
    let changes = changes(&records);
    let input = Input {
        title: &args.title,
        base: args.base.as_deref(),
        runs: &runs,
        meant: &meant,
        changes: changes.as_ref(),
        max_bytes: args.max_size,
    };
    let files = site(&input)?;
    folder::write(&args.out, &files)?;
    let size: usize = files.values().map(Vec::len).sum();
    println!("{}", args.out.join("index.html").display());
    eprintln!("{}, {} KB", counted(files.len(), "file"), thousands(size as u64 / 1000));
    Ok(Exit::Success)
}

/// The runs of a history, the oldest first.
fn of_history(history: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let Some(folder) = history.map(|folder| folder.join("runs")) else { return Ok(Vec::new()) };
    let entries = std::fs::read_dir(&folder).with_context(|| format!("reading the history {}", folder.display()))?;
    let mut runs: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    runs.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING)));
    runs.sort();
    Ok(runs)
}

/// Whether a run of the history is one that is there already.
fn is_in_history(kept: &Record, run: &Record, args: &SiteArgs) -> bool {
    args.history.is_some()
        && (&kept.started, &kept.corpus, kept.cells.len()) == (&run.started, &run.corpus, run.cells.len())
}

/// What happened in the cells of a run.
pub(super) fn book(evidence: Option<Transcripts>) -> anyhow::Result<EvidenceBook> {
    let mut book = EvidenceBook::default();
    if let Some(mut transcripts) = evidence {
        while let Some(evidence) = transcripts.next_cell()? {
            book.add(&evidence);
        }
    }
    Ok(book)
}

/// What the newest run changed against the one before; nothing, where they cannot be compared.
fn changes(records: &[Record]) -> Option<Diff> {
    let [.., before, after] = records else { return None };
    let (before, after) = (mcp_compat_diff::Run::new("before", before), mcp_compat_diff::Run::new("after", after));
    diff(&before, &after, &Options::default()).ok()
}

/// `25MB`, `512KB` or a number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let wrong = || format!("{text:?} is not a size: expected 500KB, 25MB or 1GB");
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "KB" | "K" => 1_000,
        "MB" | "M" => 1_000_000,
        "GB" | "G" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or_else(wrong)
}

/// An address of the web, which ends with a slash.
fn address(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>\"'`\\".contains(c);
    let is_address = (text.starts_with("https://") || text.starts_with("http://")) && text.chars().all(is_plain);
    if !is_address {
        return Err(format!("{text:?} is not the address of a site: expected https://example.org/compat/"));
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit() {
        assert_eq!((bytes("25MB"), bytes("512k"), bytes("7")), (Ok(25_000_000), Ok(512_000), Ok(7)));
        assert!(["", "MB", "-1", "3 apples", "99999999999GB", "0"].iter().all(|text| bytes(text).is_err()));
    }

    #[test]
    fn an_address_ends_with_one_slash() {
        assert_eq!(address("https://example.org/a"), Ok("https://example.org/a/".to_owned()));
        assert!(["javascript:alert(1)", "https://a b", "example.org"].iter().all(|text| address(text).is_err()));
    }
}
