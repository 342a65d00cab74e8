//! The bisection: both ends, then one release after the other, each told as it comes, and the change at the end.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use mcp_compat_fleet::bisect::{CannotTry, ReleaseRange, Search, Step, TrialSetup, Tried, Variant};
use mcp_compat_fleet::{Installer, Options};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::version::Version;
use mcp_compat_reports::bisection::{self, Ending, Trial};

use super::asked::{Asked, Counterpart};
use super::{BisectArgs, End};
use crate::exit::{Exit, HarnessFailed};
use crate::inputs::corpus;
use crate::install_progress::InstallProgress;
use crate::output::{eprintln, print, println};
use crate::runtime::own_programs;
use crate::terminal;

/// Reason why a release cannot be tried that the registry has, and no manifest.
const UNSERVED: &str = "no adapter serves it";

pub(super) async fn execute(asked: Asked, args: &BisectArgs) -> Result<Exit> {
    let listed = match asked.folder.releases(&asked.name, &Options::default()).await {
        Ok(listed) => listed,
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(Exit::Breaks);
        }
    };
    let (good, bad) = (&args.good.version, &args.bad.version);
    let range = ReleaseRange::between(&listed, good, bad, args.pre).with_context(|| {
        let name = &asked.name;
        format!("{name}@{good} and {name}@{bad} cannot be bisected (`mcp-compat peers versions {name}` lists them)")
    })?;
    let progress = InstallProgress::default();
    let Counterpart { peer: counterpart, release } = asked.counterpart.clone();
    let installer = Installer::default();
    if let Some(release) = &release
        && let Err(error) = installer.install(release, |step| progress.notice(release, step)).await
    {
        eprintln!("error: {error}");
        return Ok(Exit::Breaks);
    }
    let programs = own_programs()?;
    let (scenario, transport, timeout) = (asked.scenario.clone(), asked.transport, args.timeout);
    let (from, to) = if good < bad { (good, bad) } else { (bad, good) };
    println!(
        "{}: {} releases of {} from {from} to {to}, with {} over {transport}\n",
        scenario.id,
        range.releases.len(),
        asked.name,
        counterpart.id(),
    );
    let setup = TrialSetup { installer, scenario, counterpart, transport, timeout, programs };
    let mut hunt = Hunt { column: column(&asked, &range), asked, range, setup, progress, seen: BTreeMap::new() };
    hunt.go_on(args).await
}

struct Hunt {
    asked: Asked,
    range: ReleaseRange,
    setup: TrialSetup,
    progress: InstallProgress,
    /// How wide the ids of the releases are.
    column: usize,
    /// What came of those that were tried, by their places.
    seen: BTreeMap<usize, Result<CellRecord, CannotTry>>,
}

impl Hunt {
    async fn go_on(&mut self, args: &BisectArgs) -> Result<Exit> {
        let place = |end: &End| self.range.releases.iter().position(|release| *release == end.version).unwrap_or(0);
        let (good_at, bad_at) = (place(&args.good), place(&args.bad));
        let (good, bad) = (self.asked.good.clone(), self.asked.bad.clone());
        for (at, word, variant) in [(good_at, "good", good), (bad_at, "bad", bad)] {
            if let Err(why) = self.try_release(at, word, &variant).await? {
                eprintln!("the {word} end cannot be tried, so there is nothing to compare: {why}");
                return Ok(Exit::Breaks);
            }
        }
        let (oldest, newest) = (good_at.min(bad_at), good_at.max(bad_at));
        let ends = self.fate(oldest).zip(self.fate(newest));
        let (old, new) = ends.context(HarnessFailed("comparing the two ends"))?;
        let Some(mut search) = Search::new(old, &new, self.range.releases.len()) else {
            eprintln!("both ends are `{}` ({}), so there is no change to look for", old.0, old.1);
            return Ok(Exit::Breaks);
        };
        let mut number = 0;
        let change = loop {
            match search.step() {
                Step::Found(change) => break change,
                Step::Try(at) => {
                    number += 1;
                    let variant = self.asked.variant.clone();
                    match self.try_release(at, &number.to_string(), &variant).await? {
                        Ok(fate) => search.saw(at, &fate),
                        Err(_) => search.cannot_try(at),
                    }
                }
            }
        };
        self.tell(change.last, change.first, args)
    }

    /// Tries a release, tells what came of it and notes it.
    async fn try_release(
        &mut self,
        at: usize,
        place: &str,
        variant: &Variant,
    ) -> Result<Result<(Outcome, Rating), String>> {
        // As the registry spells it: to a package manager `1.0` may be another release than `1.0.0`.
        let id = format!("{}@{}", self.asked.name, self.range.releases[at]);
        let release = self.asked.folder.release(&id).context(HarnessFailed("finding a release"))?;
        let tried = self.setup.try_release(&release, variant, |step| self.progress.notice(&release, step)).await?;
        let Tried { peer, came } = tried;
        let why = came.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let result = came.as_ref().map_err(|_| why.as_str());
        let line = Trial { place, peer: &peer, column: self.column, result };
        print!("{}", bisection::trial(&line, terminal::style()));
        let fate = came.as_ref().map(|cell| (cell.outcome, cell.rating)).map_err(|_| why);
        self.seen.insert(at, came);
        Ok(fate)
    }

    fn fate(&self, at: usize) -> Option<(Outcome, Rating)> {
        self.cell(at).map(|cell| (cell.outcome, cell.rating))
    }

    fn cell(&self, at: usize) -> Option<&CellRecord> {
        self.seen.get(&at)?.as_ref().ok()
    }

    /// Tells the change, and whether it is certain.
    fn tell(&self, last: usize, first: usize, args: &BisectArgs) -> Result<Exit> {
        let ReleaseRange { releases, .. } = &self.range;
        let cells = self.cell(last).zip(self.cell(first));
        let (last_cell, first_cell) = cells.context(HarnessFailed("telling the change"))?;
        let aside = |within: bool| {
            let failed = self.seen.iter().filter_map(|(at, came)| Some((*at, came.as_ref().err()?)));
            let failed = failed.filter(move |(at, _)| (last < *at && *at < first) == within);
            failed.map(|(at, why)| (releases[at].clone(), why.to_string()))
        };
        let unserved = self.range.unserved_between(&releases[last], &releases[first]);
        let mut between: Vec<(Version, String)> =
            aside(true).chain(unserved.map(|version| (version.clone(), UNSERVED.to_owned()))).collect();
        between.sort();
        let named = |(version, why): (Version, String)| (version.to_string(), why);
        let between: Vec<_> = between.into_iter().map(named).collect();
        let elsewhere: Vec<_> = aside(false).map(named).collect();
        let ending = Ending {
            role: self.asked.variant.role,
            last: last_cell,
            first: first_cell,
            between: &between,
            elsewhere: &elsewhere,
            played: self.seen.values().filter(|came| came.is_ok()).count(),
            of: releases.len(),
            file: corpus::scenario_file(&args.scenario).map(|(path, _)| path),
        };
        print!("\n{}", bisection::ending(&ending, terminal::style()));
        Ok(if between.is_empty() { Exit::Success } else { Exit::Breaks })
    }
}

/// How wide the longest id is that a release may play by.
fn column(asked: &Asked, range: &ReleaseRange) -> usize {
    let versions = range.releases.iter().map(|version| version.as_str().len()).max().unwrap_or_default();
    versions + asked.beside
}
