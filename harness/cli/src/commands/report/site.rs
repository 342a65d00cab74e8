//! `report --format site`: write records as a folder of pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context as _, bail};
use clap::Args;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::observation::Seen;
use mcp_compat_model::record::Record;
use mcp_compat_model::{CellId, ScenarioId};
use mcp_compat_reports::hosts::{Offers, read};
use mcp_compat_reports::site::{Definition, EvidenceBook, Files, Hosts, Input, MARK, Run, site};
use mcp_compat_run::history::{OpenedRun, open};
use mcp_compat_run::store::transcripts::Transcripts;
use mcp_compat_scenario::Scenario;

use crate::commands::show::steps;
use crate::exit::Exit;
use crate::inputs::issues;
use crate::inputs::measured_hosts::measured_hosts;
use crate::inputs::quantities::size;
use crate::inputs::runs::Runs;
use crate::inputs::support_data;
use crate::output::{eprintln, println};
use crate::values::{DEFAULT_OUT, record_folder};

/// Default title of a site.
pub(super) const TITLE: &str = "MCP structured output";

#[derive(Debug, Args)]
#[command(next_help_heading = "With --format site")]
pub(super) struct SiteArgs {
    /// A history of runs, made by `history add`
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// The record of `mcp-compat hosts`, for a page about hosts
    #[arg(long, value_name = "RECORD")]
    hosts: Option<PathBuf>,
    /// The title of the site [default: MCP structured output]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The address at which the site is published; feeds and badges need it
    #[arg(long, value_name = "URL", value_parser = address)]
    base: Option<String>,
    /// Known issues that the pages link to [default: the list that ships]
    #[arg(long, value_name = "FILE")]
    issues: Option<PathBuf>,
    /// A file of support data [default: the data that ships]
    #[arg(long, value_name = "FILE")]
    support: Option<PathBuf>,
    /// Today's date; results that are more than two weeks older are called stale
    #[arg(long, value_name = "DATE", value_parser = date)]
    today: Option<String>,
    /// The largest size of the site, such as 25MB [default: 50MB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<u64>,
}

/// Default largest size of a site in bytes.
const MAX_SIZE: u64 = 50_000_000;

impl SiteArgs {
    /// Returns an option that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--history", self.history.is_some()),
            ("--hosts", self.hosts.is_some()),
            ("--title", self.title.is_some()),
            ("--base", self.base.is_some()),
            ("--issues", self.issues.is_some()),
            ("--support", self.support.is_some()),
            ("--today", self.today.is_some()),
            ("--max-size", self.max_size.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// Writes the site of the runs that are named to the folder `out`.
pub(super) fn execute(named: &[PathBuf], out: &Path, args: &SiteArgs) -> anyhow::Result<Exit> {
    check_replaceable(out)?;
    let mut runs = Runs::find(&or_default(named, args), args.history.as_deref())?;
    let OpenedRun { record, evidence } = runs.newest()?;
    let evidence = book(evidence)?;
    let earlier = runs.before(&record)?;
    let definitions = definitions()?;
    let hosts = args.hosts.as_deref().map(OfHosts::open).transpose()?;
    let measured = if hosts.is_some() { measured_hosts(None)? } else { Vec::new() };
    let input = Input {
        title: args.title.as_deref().unwrap_or(TITLE),
        base: args.base.as_deref(),
        newest: Run { record: &record, evidence: &evidence },
        earlier: &earlier,
        definitions: &definitions,
        issues: &issues::of_record(&record, args.issues.as_deref())?,
        support: &support_data::of(args.support.as_deref())?,
        hosts: hosts.as_ref().map(|it| Hosts {
            record: &it.record,
            read: &it.read,
            offers: &it.offers,
            measured: &measured,
        }),
        today: args.today.as_deref(),
        max_bytes: args.max_size.unwrap_or(MAX_SIZE),
    };
    let files = site(&input)?;
    write(out, &files)?;
    let size: usize = files.values().map(Vec::len).sum();
    println!("{}", out.join("index.html").display());
    eprintln!("{}, {} KB", counted(files.len(), "file"), thousands(size as u64 / 1000));
    Ok(Exit::Success)
}

/// Returns the runs that are named. Without a history, the default is the run in the default folder.
fn or_default(named: &[PathBuf], args: &SiteArgs) -> Vec<PathBuf> {
    match (named, &args.history) {
        ([], None) => vec![record_folder(DEFAULT_OUT.into())],
        (named, _) => named.to_vec(),
    }
}

/// Parses a date such as `2026-11-23`.
fn date(text: &str) -> Result<String, String> {
    let day: jiff::civil::Date = text.parse().map_err(|_| format!("{text:?} is not a date: expected 2026-11-23"))?;
    Ok(day.to_string())
}

/// A record of `hosts`.
struct OfHosts {
    record: Record,
    /// Texts that the model read in each cell: those of the first tool that was called.
    read: BTreeMap<CellId, String>,
    offers: Offers,
}

impl OfHosts {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let OpenedRun { record, evidence } = open(path)?;
        let Some(mut evidence) = evidence else {
            bail!("{} has no messages: give the folder of `mcp-compat hosts --record`", path.display())
        };
        if !record.peers.iter().any(|peer| peer.isolated == Some(true)) {
            bail!(
                "{} has no host that was isolated from the network: give the record of `mcp-compat hosts`, from a system \
                 that permits isolation",
                path.display()
            );
        }
        let (mut texts, mut offers) = (BTreeMap::new(), Offers::default());
        while let Some(evidence) = evidence.next_cell()? {
            let (id, steps) = (evidence.cell.id(), &evidence.observation.steps);
            offers.add(&id, steps);
            let first = steps.iter().find(|seen| !matches!(seen, Seen::Listed { .. }));
            texts.insert(id, first.map(read).unwrap_or_default());
        }
        Ok(Self { record, read: texts, offers })
    }
}

/// Reads the messages of the cells of a run.
pub(super) fn book(evidence: Option<Transcripts>) -> anyhow::Result<EvidenceBook> {
    let Some(mut transcripts) = evidence else { return Ok(EvidenceBook::default()) };
    Ok(EvidenceBook::read(|| transcripts.next_cell())?)
}

/// Parses an address of the web, and returns it with one slash at its end.
fn address(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>\"'`\\".contains(c);
    let is_address = (text.starts_with("https://") || text.starts_with("http://")) && text.chars().all(is_plain);
    if !is_address {
        return Err(format!("{text:?} is not the address of a site: expected https://example.org/compat/"));
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

/// Returns the steps and definitions of the embedded scenarios, for their pages.
fn definitions() -> anyhow::Result<BTreeMap<ScenarioId, Definition>> {
    let corpus = mcp_compat_scenario::corpus::load()?;
    Ok(corpus.iter().map(|scenario| (scenario.id.clone(), definition(scenario))).collect())
}

fn definition(scenario: &Scenario) -> Definition {
    let lines = steps(scenario).into_iter().map(|step| {
        let details: Vec<String> = step.details.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        if details.is_empty() { step.what } else { format!("{} ({})", step.what, details.join("; ")) }
    });
    let tools = scenario.stages.iter().flat_map(|stage| &stage.tools);
    let wire = tools.map(|tool| (tool.name.clone(), tool.definition.clone())).collect();
    Definition { tools: lines.collect(), wire }
}

/// Checks that the folder is new, empty or a site, so that nothing else is replaced.
fn check_replaceable(out: &Path) -> anyhow::Result<()> {
    if !out.exists() || is_empty(out) || out.join(MARK).is_file() {
        return Ok(());
    }
    bail!("{} is there and is not a site of mcp-compat: choose another folder, or empty it", out.display());
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Writes the files. The existing site stays until all are written.
fn write(out: &Path, files: &Files) -> anyhow::Result<()> {
    replace(out, files).with_context(|| format!("cannot write the site {}, which stays as it was", out.display()))
}

fn replace(out: &Path, files: &Files) -> io::Result<()> {
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let new = tempfile::Builder::new().prefix(".site-").tempdir_in(parent)?;
    for (path, bytes) in files {
        let path = new.path().join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, bytes)?;
    }
    readable(new.path())?;
    // Between the two renames there is no site, but never a part of one.
    let old = tempfile::Builder::new().prefix(".site-old-").tempdir_in(parent)?;
    let was_there = out.exists();
    let aside = old.path().join("site");
    if was_there {
        fs::rename(out, &aside)?;
    }
    fs::rename(new.path(), out).inspect_err(|_| {
        // Restores the former site, if possible.
        let _ = if was_there { fs::rename(&aside, out) } else { Ok(()) };
    })?;
    let _ = new.keep();
    Ok(())
}

/// Gives the folder the mode that the umask allows. A temporary folder is readable only by its owner.
#[cfg(unix)]
fn readable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // This folder was created with the usual mode.
    let sample = folder.join("assets");
    let mode = fs::metadata(sample)?.permissions().mode();
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_with_one_slash() {
        assert_eq!(address("https://example.org/a"), Ok("https://example.org/a/".to_owned()));
        assert!(["javascript:alert(1)", "https://a b", "example.org"].iter().all(|text| address(text).is_err()));
    }
}
