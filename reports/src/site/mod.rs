//! From records to a folder of pages that opens from disk: a pure function from an [`Input`] to names and bytes.
//!
//! ```text
//! Record, EvidenceBook -> Site (causes, families, totals) -> page/*    HTML, each page readable without script
//!                                                         -> data/*    the cells in columns, and what happened in them
//!                                                         -> api/*     stable JSON, badges, feeds
//!                                                         -> assets/*  one style sheet, one script, written by hand
//! ```
//!
//! The same input gives the same bytes. Text of peers is hostile: templates escape it, and the script shows data as
//! text only. The sentences are those of the other reports.

mod api;
mod assets;
mod columns;
mod context;
mod earlier;
mod evidence;
mod names;
mod one_file;
mod page;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{ScopedJoinHandle, available_parallelism, scope};

use mcp_compat_model::count::kilobytes;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::support::Support;
use mcp_compat_model::{CellId, ScenarioId};
use sha2::{Digest as _, Sha256};

use crate::hosts::{MeasuredHost, Offers};

use self::assets::{css, js, local_js};
use self::columns::{Depth, chunk, columns, packed};
use self::context::Site;
use self::names::run_id;

pub use api::types::SiteFile;
pub use context::Files;
pub use earlier::Earlier;
pub use evidence::EvidenceBook;
pub use one_file::one_file;

/// Input of a site.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub title: &'a str,
    /// Address at which it is published, for feeds and badges.
    pub base: Option<&'a str>,
    /// Newest run, which the pages show.
    pub newest: Run<'a>,
    /// Runs before it.
    pub earlier: &'a Earlier<'a>,
    /// Definitions of the scenarios, as far as the caller has them.
    pub definitions: &'a BTreeMap<ScenarioId, Definition>,
    /// Reports elsewhere, by the names of the causes that they are about.
    pub issues: &'a BTreeMap<String, Vec<Issue>>,
    /// Measured releases that work with a scenario.
    pub support: &'a Support,
    /// Run of hosts, which has a page of its own.
    pub hosts: Option<Hosts<'a>>,
    /// Day on which the site is made, such as `2026-11-23`, to mark stale results; `None` marks none.
    pub today: Option<&'a str>,
    /// Maximum size in bytes. Beyond it evidence is omitted: of cells that work before that of breaks.
    pub max_bytes: u64,
}

/// Run with its evidence.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub record: &'a Record,
    /// Messages and observations of its cells.
    pub evidence: &'a EvidenceBook,
}

/// Run of hosts.
#[derive(Clone, Copy, Debug)]
pub struct Hosts<'a> {
    pub record: &'a Record,
    /// Texts that the model read in each cell.
    pub read: &'a BTreeMap<CellId, String>,
    /// Offers to the models.
    pub offers: &'a Offers,
    /// Hosts that users measured.
    pub measured: &'a [MeasuredHost],
}

/// Report of a cause in an issue tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    pub url: String,
    pub title: String,
    /// Its state: open, closed, or fixed in a release.
    pub state: String,
}

/// Definition of a scenario, as far as its page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// Steps of the scenario and intended results of its tools, one a line.
    pub tools: Vec<String>,
    /// Definitions of its tools: names, and JSON or other text.
    pub wire: Vec<(String, String)>,
}

/// File that marks a folder as a site.
pub const MARK: &str = "data/runs.json";

/// Size of one file of data before compression.
const CHUNK: usize = 1 << 20;

/// Makes the files of a site.
///
/// # Errors
/// If two runs began at one time, or if the pages without any evidence are larger than allowed.
pub fn site(input: &Input<'_>) -> Result<Files, SiteError> {
    let sums = input.earlier.sums();
    let mut ids: Vec<(String, &str)> = sums.iter().map(|sum| (sum.id.clone(), sum.started.as_str())).collect();
    ids.push((run_id(&input.newest.record.started), &input.newest.record.started));
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(SiteError::SameTime { started: twice[0].1.to_owned() });
    }
    let site = Site::of(input);
    let mut files = Files::new();
    files.insert("assets/site.css".to_owned(), css().into_bytes());
    files.insert("assets/site.js".to_owned(), js().into_bytes());
    files.insert("assets/local.js".to_owned(), local_js().into_bytes());
    page::write(&site, &mut files);
    api::write(&site, &mut files);
    files.extend(input.earlier.files().iter().cloned());
    let fixed: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
    data(&site, input.newest.evidence, input.max_bytes.saturating_sub(fixed), Depth::Everything, &mut files);
    let runs = api::runs(&site, &files, sha256);
    files.insert(MARK.to_owned(), runs);
    let needed: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
    if needed > input.max_bytes {
        return Err(SiteError::TooLarge { needed, allowed: input.max_bytes });
    }
    Ok(files)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the data of the newest run: the columns, and the reasons, findings and messages in several files.
pub(crate) fn data(site: &Site<'_>, book: &EvidenceBook, allowed: u64, deepest: Depth, files: &mut Files) {
    let mut groups: Vec<Vec<(usize, &CellRecord)>> = Vec::new();
    let mut size = CHUNK;
    let mut before: Option<&ScenarioId> = None;
    let mut chunks = BTreeMap::<&ScenarioId, usize>::new();
    for (place, cell) in site.record.cells.iter().enumerate() {
        if before != Some(&cell.scenario) && size >= CHUNK {
            groups.push(Vec::new());
            size = 0;
        }
        before = Some(&cell.scenario);
        size += 2_000 + cell.reason.len();
        chunks.insert(&cell.scenario, groups.len() - 1);
        if let Some(group) = groups.last_mut() {
            group.push((place, cell));
        }
    }
    let run = &site.run;
    let name = |number: usize| format!("data/{run}/cells-{number:03}.js");
    let whole = columns(run, site.record, &site.causes, &chunks, Some(&site.input.earlier.past()));
    let columns = packed(&format!("{run}/columns"), &whole);
    let file = |number: usize, depth: Depth| {
        let bytes = groups.get(number).map(|cells| chunk(&site.scenarios, cells, book, depth)).unwrap_or_default();
        packed(&format!("{run}/cells-{number:03}"), &bytes)
    };
    let size_of_runs = (1_000 * (1 + site.input.earlier.sums().len()) + 160 * groups.len()) as u64;
    let allowed = allowed.saturating_sub(columns.len() as u64).saturating_sub(size_of_runs);
    files.insert(format!("data/{run}/columns.js"), columns);
    let numbers: Vec<usize> = (0..groups.len()).collect();
    let mut written: Vec<Vec<u8>> = in_parallel(&numbers, |number| file(*number, deepest));
    for depth in [Depth::NotWorking, Depth::Nothing].into_iter().filter(|depth| *depth > deepest) {
        let mut total: u64 = written.iter().map(|bytes| bytes.len() as u64).sum();
        let mut largest: Vec<usize> = (0..written.len()).collect();
        largest.sort_by_key(|number| std::cmp::Reverse(written[*number].len()));
        for number in largest {
            if total <= allowed {
                break;
            }
            let shorter = file(number, depth);
            total = total.saturating_sub(written[number].len() as u64) + shorter.len() as u64;
            written[number] = shorter;
        }
    }
    files.extend(written.into_iter().enumerate().map(|(number, bytes)| (name(number), bytes)));
}

/// Computes a result for each item, on all processors. The results are in the order of the items.
pub(crate) fn in_parallel<T: Sync, R: Send>(items: &[T], compute: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let place = || next.fetch_add(1, Ordering::Relaxed);
        std::iter::from_fn(|| {
            let place = place();
            Some((place, compute(items.get(place)?)))
        })
        .collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, R)> = scope(|scope| {
        let threads = available_parallelism().map_or(1, NonZero::get).min(items.len());
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        let join = |thread: ScopedJoinHandle<'_, Vec<_>>| thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        started.into_iter().flat_map(join).collect()
    });
    results.sort_unstable_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Reason why no site can be made of the runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    #[error("two runs began at {started}: a site needs a time of its own for each; leave one of them out")]
    SameTime { started: String },
    #[error(
        "the site takes {} without any messages, and --max-size allows {}: allow {}KB or more",
        kilobytes(*needed), kilobytes(*allowed), needed.div_ceil(1000)
    )]
    TooLarge { needed: u64, allowed: u64 },
}
