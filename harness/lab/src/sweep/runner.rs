//! The sweep itself: one release after the other, each reported as it comes, and the file at the end.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use mcp_compat_cli::inputs::support_data;
use mcp_compat_drive::files::atomic_file;
use mcp_compat_fleet::PeersFolder;
use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::support::{NotPlayed, Statement, Support, Sweep};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::version::Version;
use tokio::time::Instant;

use super::args::SweepArgs;
use super::choice::{Results, next};
use super::play::SweepSetup;
use super::statements::{Key, Result as RatedResult, results, statements};
use mcp_compat_cli::exit::{Exit, HarnessFailed};
use mcp_compat_cli::inputs::corpus;
use mcp_compat_cli::install_progress::InstallProgress;
use mcp_compat_cli::output::{eprintln, println};

/// A sweep that goes on.
pub(super) struct SweepRunner<'a> {
    args: &'a SweepArgs,
    folder: &'a PeersFolder,
    setup: SweepSetup,
    /// Those that the registry lists and an adapter serves, oldest first.
    releases: Vec<Version>,
    installed: Vec<usize>,
    progress: InstallProgress,
    played: BTreeMap<usize, Vec<CellRecord>>,
    results: Results<Key, RatedResult>,
    /// Those that cannot be played, and why.
    aside: BTreeMap<usize, String>,
}

impl<'a> SweepRunner<'a> {
    pub(super) fn new(
        args: &'a SweepArgs,
        folder: &'a PeersFolder,
        setup: SweepSetup,
        releases: Vec<Version>,
        installed: Vec<usize>,
    ) -> Self {
        let (played, results, aside) = (BTreeMap::new(), Results::new(), BTreeMap::new());
        Self { args, folder, setup, releases, installed, progress: InstallProgress::default(), played, results, aside }
    }

    pub(super) async fn go(mut self, known: Support) -> Result<Exit> {
        let (family, until) = (&self.args.family, Instant::now() + self.args.timeout);
        let (all, scenarios) =
            (counted(self.releases.len(), "release"), counted(self.setup.scenarios.len(), "scenario"));
        println!("{family}: {all}, {} of them installed; {scenarios}\n", self.installed.len());
        let ends = self.folder.ends(family, &self.releases);
        let mut installed = std::mem::take(&mut self.installed).into_iter();
        let mut left = if self.args.installed || self.args.add.is_some() { 0 } else { self.args.at_most };
        while Instant::now() < until {
            let place = match installed.next() {
                Some(place) => place,
                None if left == 0 => break,
                None => {
                    left -= 1;
                    let aside = self.aside.keys().copied().collect();
                    let Some(place) = next(self.releases.len(), &ends, &self.results, &aside) else { break };
                    place
                }
            };
            let Ok(done) = tokio::time::timeout_at(until, self.play(place)).await else {
                println!("{family}@{}: not finished in time", self.releases[place]);
                break;
            };
            done?;
        }
        self.keep(known)
    }

    /// Plays a release, and says what came of it.
    async fn play(&mut self, place: usize) -> Result<()> {
        let id = format!("{}@{}", self.args.family, self.releases[place]);
        let release = self.folder.release(&id).context(HarnessFailed("finding a release"))?;
        match self.setup.play(&release, |step| self.progress.notice(&release, step)).await? {
            Ok(cells) => {
                let count = |rating| cells.iter().filter(|cell| cell.rating == rating).count();
                let (works, degraded, breaks) = (count(Rating::Works), count(Rating::Degraded), count(Rating::Breaks));
                let skipped = count(Rating::Skipped);
                println!(
                    "{id}: {}: {works} work, {degraded} degrade, {breaks} break, {skipped} not supported",
                    counted(cells.len(), "cell")
                );
                self.results.insert(place, results(&cells));
                self.played.insert(place, cells);
            }
            Err(why) => {
                let why = why.to_string();
                let first = why.lines().next().unwrap_or_default().to_owned();
                println!("{id}: left out: {first}");
                self.aside.insert(place, first);
            }
        }
        Ok(())
    }

    /// Writes the file.
    fn keep(self, known: Support) -> Result<Exit> {
        if self.played.is_empty() {
            eprintln!("no release of {} could be played, so nothing is written", self.args.family);
            return Ok(Exit::Breaks);
        }
        let aside: BTreeSet<usize> = self.aside.keys().copied().collect();
        let found = statements(&self.args.family, &self.releases, &self.played, &aside);
        let of = |place: &usize| self.releases[*place].clone();
        let played = self.played.keys().map(of).collect();
        let sweep = Sweep {
            left_out: self.aside.iter().map(|(at, why)| NotPlayed { release: of(at), reason: why.clone() }).collect(),
            ..measured(&self.args.family, &self.setup, self.releases.clone(), played)?
        };
        write(self.args, known, sweep, found)?;
        Ok(Exit::Success)
    }
}

/// Measurement of a family on this day, with this program.
pub(super) fn measured(
    family: &str,
    setup: &SweepSetup,
    releases: Vec<Version>,
    played: Vec<Version>,
) -> Result<Sweep> {
    let corpus = corpus::load(&[])?;
    Ok(Sweep {
        family: family.to_owned(),
        is_host: setup.is_host,
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        corpus: mcp_compat_scenario::corpus::digest(corpus.iter().map(AsRef::as_ref)),
        server: setup.server.id().clone(),
        client: setup.client.id().clone(),
        releases,
        played,
        left_out: Vec::new(),
        added: Vec::new(),
        recorded: Vec::new(),
    })
}

/// Adds a measurement to the file, and says what is in it.
pub(super) fn write(args: &SweepArgs, known: Support, sweep: Sweep, found: Vec<Statement>) -> Result<()> {
    let (family, out) = (&args.family, &args.out);
    // Another sweep may have written to it meanwhile.
    let mut known = support_data::read(out).unwrap_or(known);
    let (all, number) = (sweep.releases.len(), found.len());
    if args.add.is_some() {
        known.extend(sweep, found);
    } else {
        known.replace(sweep, found);
    }
    let text = known.to_text().context(HarnessFailed("writing the support data"))?;
    atomic_file::replace(out, text).with_context(|| format!("cannot write the support data {}", out.display()))?;
    let played = known.sweep(family).map_or(0, |sweep| sweep.played.len());
    let statements = counted(number, "statement");
    println!("\n{played} of {all} releases played; {statements} about {family} in {}", out.display());
    Ok(())
}
