//! `run --watch`: play in rounds. The first round plays everything; each later one plays what has changed and prints
//! the difference.
//!
//! A scenario has changed if the content of its file or of a raw file beside it has, and a peer if its `peer.toml` has.
//! The other results are kept, so that the record of a round is that of a whole run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use mcp_compat_fleet::manifest::{self, Manifest};
use mcp_compat_judge::triangulate;
use mcp_compat_model::record::{CellRecord, Evidence, Record};
use mcp_compat_model::{Cell, CellId, PeerId};
use mcp_compat_reports::round::{self, Round};
use mcp_compat_reports::terminal as terminal_report;
use mcp_compat_reports::view::View;
use mcp_compat_run::events::{Event, Observer as _};
use mcp_compat_run::run::Run;
use mcp_compat_run::store::Store;
use tokio_util::sync::CancellationToken;

use super::args::RunArgs;
use super::ready::{Ready, gather, report_time_out, request, wanted};
use crate::exit::{Exit, HarnessFailed};
use crate::inputs::changes::Changes;
use crate::inputs::peer_selection::PeerSelection;
use crate::inputs::peers_folder;
use crate::install_progress::{InstallProgress, report_failures};
use crate::output::{eprintln, print};
use crate::progress::Progress;
use crate::values::named_run;
use crate::{run_report, terminal};

/// Run that plays again when files change.
pub(super) struct Watch {
    args: RunArgs,
    ready: Ready,
    changes: Changes,
    manifests: BTreeMap<PathBuf, Described>,
    /// Latest result of each cell of the plan.
    known: BTreeMap<Cell, (CellRecord, Evidence)>,
    rounds: usize,
}

/// Content of a manifest when it was last read.
#[derive(Clone, PartialEq, Eq)]
struct Described {
    text: Option<String>,
    peers: BTreeSet<PeerId>,
}

/// Cells to play in a round.
struct Due {
    run: Run,
    /// All cells of the plan, also those that are not played again.
    planned: BTreeSet<Cell>,
}

impl Watch {
    pub(super) fn new(args: RunArgs, ready: Ready) -> Result<Self> {
        let manifests = described(&args);
        let paths: Vec<PathBuf> = args.scenarios.iter().chain(manifests.keys()).cloned().collect();
        let changes = Changes::of(&paths)?;
        Ok(Self { args, ready, changes, manifests, known: BTreeMap::new(), rounds: 0 })
    }

    /// Plays rounds until `stop` is cancelled. Returns `Success` unless that was in the middle of a round.
    pub(super) async fn go_on(mut self, stop: CancellationToken) -> Result<Exit> {
        let places: Vec<_> = self.args.scenarios.iter().map(|place| place.display().to_string()).collect();
        let first = self.due(|_| false)?;
        let mut complete = self.play(first, stop.clone()).await?;
        eprintln!("watching {}; Ctrl-C ends", places.join(", "));
        let mut refused = false;
        while !stop.is_cancelled() {
            // Also before the first wait, because files may have changed while the first round was played.
            match self.reload(&stop).await {
                Ok(due) if due.is_news(&self.known) => {
                    refused = false;
                    complete = self.play(due, stop.clone()).await?;
                    continue;
                }
                Ok(_) if refused => {
                    refused = false;
                    eprintln!("no content has changed: nothing is tested");
                }
                Ok(_) => {}
                Err(error) => {
                    refused = true;
                    // The error is printed and can be fixed while the watch continues.
                    let _ = Exit::from_error(error);
                }
            }
            tokio::select! {
                () = self.changes.next() => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(if complete { Exit::Success } else { Exit::Interrupted })
    }

    async fn reload(&mut self, stop: &CancellationToken) -> Result<Due> {
        let corpus = gather(&self.args)?;
        let manifests = described(&self.args);
        if manifests != self.manifests {
            let command = self.args.command.client()?;
            self.ready.peers =
                PeerSelection::resolve(&wanted(&self.args, command.as_ref()), stop, &InstallProgress::default())
                    .await?;
            report_failures(&self.ready.peers.missing);
            if !self.ready.peers.complete {
                bail!("none of the selected clients and servers can be tested");
            }
        }
        let scenarios = corpus.changed_since(&self.ready.corpus);
        let peers = changed_peers(&self.manifests, &manifests);
        let corpus_before = std::mem::replace(&mut self.ready.corpus, corpus);
        let due = self.due(|cell| {
            let plays = |peer: &PeerId| peers.contains(&peer.in_any_mode());
            scenarios.contains(&cell.scenario) || plays(&cell.client) || plays(&cell.server)
        });
        match &due {
            Ok(_) => self.manifests = manifests,
            // The next reload compares with the former corpus, so that no change is lost.
            Err(_) => self.ready.corpus = corpus_before,
        }
        due
    }

    /// Plans the next round: the cells that have changed, and those without a result.
    fn due(&self, changed: impl Fn(&Cell) -> bool) -> Result<Due> {
        let Ready { corpus, peers, .. } = &self.ready;
        let mut run = request(&self.args, peers)?.prepare(&peers.peers, &corpus.scenarios, None)?;
        let planned = run.plan.cells.iter().cloned().collect();
        run.plan.cells.retain(|cell| changed(cell) || !self.known.contains_key(cell));
        Ok(Due { run, planned })
    }

    /// Plays a round, writes the record of everything, and prints the difference. Returns whether all cells were
    /// played.
    async fn play(&mut self, due: Due, stop: CancellationToken) -> Result<bool> {
        let Due { run, planned } = due;
        let before: Vec<CellRecord> = self.known.values().map(|(cell, _)| cell.clone()).collect();
        let playing: BTreeSet<Cell> = run.plan.cells.iter().cloned().collect();
        self.known.retain(|cell, _| planned.contains(cell) && !playing.contains(cell));
        let store = Store::open(&self.args.out).context("nothing was run")?;
        let known = &mut self.known;
        let mut collect = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event {
                known.insert(evidence.cell.clone(), (cell.clone(), evidence.clone()));
            }
        };
        let mut progress = Progress::default();
        let mut record = mcp_compat_run::run::run(run, &mut [&mut progress, &mut collect], stop.clone()).await?;
        let played: BTreeSet<CellId> = record.cells.iter().map(|cell| cell.id.clone()).collect();
        let complete = record.complete;
        if !stop.is_cancelled() {
            report_time_out(&record, playing.len());
        }
        self.keep(&mut record, store)?;
        self.rounds += 1;
        let text = if self.rounds == 1 {
            let path = named_run(&self.args.out);
            let view = View::of(&record).at(path.as_deref());
            terminal_report::render(&view, self.args.shown(), terminal::style())
        } else {
            let round = Round {
                number: self.rounds,
                before: &before,
                after: &record.cells,
                played: &played,
                duration_us: record.duration_us,
            };
            round::render(&round, terminal::style())
        };
        print!("{text}");
        Ok(complete)
    }

    /// Completes the record of a round with the kept results, and writes it with the requested reports.
    fn keep(&mut self, record: &mut Record, mut store: Store) -> Result<()> {
        record.cells.clear();
        for (number, (cell, evidence)) in self.known.values_mut().enumerate() {
            cell.transcript = Some(number as u64);
            store.notice(Event::Recorded { cell, evidence });
            record.cells.push(cell.clone());
        }
        triangulate(record);
        let Ready { corpus, baseline, reports, .. } = &self.ready;
        corpus.mark(record);
        if let Some(known) = baseline {
            known.hold(record);
        }
        let kept = store.close(record).context(HarnessFailed("keeping the run"));
        let view = View::of(record);
        let written = reports.write_files(|format, style| run_report::text(&view, format, self.args.shown(), style));
        kept.and(written.context(HarnessFailed("writing a report")))
    }
}

impl Due {
    /// Returns whether a cell is to be played, or has left the plan.
    fn is_news(&self, known: &BTreeMap<Cell, (CellRecord, Evidence)>) -> bool {
        !self.run.plan.cells.is_empty() || known.keys().any(|cell| !self.planned.contains(cell))
    }
}

/// Reads the manifests that the arguments name.
fn described(args: &RunArgs) -> BTreeMap<PathBuf, Described> {
    let mut all: BTreeMap<PathBuf, Described> = BTreeMap::new();
    for name in args.client.iter().chain(&args.server).filter(|name| peers_folder::is_manifest(name)) {
        // A file that cannot be read is reported when it is read.
        let Ok((path, version)) = peers_folder::manifest(name) else { continue };
        let text = manifest::text(&path).ok();
        let manifest = text.as_deref().and_then(|text| Manifest::parse(&path, text).ok());
        let peer = manifest.and_then(|manifest| manifest.id_of(version.as_ref()));
        all.entry(path).or_insert_with(|| Described { text, peers: BTreeSet::new() }).peers.extend(peer);
    }
    all
}

/// Returns the peers whose manifests have changed, with their old and new ids.
fn changed_peers(before: &BTreeMap<PathBuf, Described>, now: &BTreeMap<PathBuf, Described>) -> BTreeSet<PeerId> {
    let changed = now.iter().filter_map(|(path, described)| {
        let known = before.get(path).filter(|known| *known != described)?;
        Some(known.peers.union(&described.peers).cloned())
    });
    changed.flatten().collect()
}
