//! `report --merge`: join the records of shards into one.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use mcp_compat_model::count::counted;
use mcp_compat_run::baseline_file::BaselineFile;
use mcp_compat_run::baseline_file::VARIABLE;
use mcp_compat_run::merge::{Merged, Missing, Part, check, keep, merge};
use mcp_compat_run::store::read_record;

use crate::exit::{Exit, HarnessFailed};
use crate::known_breaks::{self, is_own};
use crate::output::{eprintln, println};

/// Records to join, and where the joined one goes.
pub(super) struct Parts<'a> {
    pub(super) records: &'a [PathBuf],
    pub(super) out: &'a Path,
    /// File of known breaks in place of those of the parts; `none` for none.
    pub(super) baseline: Option<&'a Path>,
}

pub(super) fn execute(args: &Parts<'_>) -> Result<Exit> {
    let own = args.baseline.filter(|path| is_own(path));
    let file = own.map(known_breaks::open).transpose()?;
    if file.as_ref().is_some_and(BaselineFile::renews) {
        bail!("`report --merge` cannot rewrite a baseline, only `run` can: unset {VARIABLE}");
    }
    let baseline = file.as_ref().map(BaselineFile::baseline);
    let mut parts = Vec::new();
    for path in args.records {
        let folder = folder(path);
        if is_same(&folder, args.out) {
            bail!("{} is one of the records: choose another folder for the result", args.out.display());
        }
        let record = read_record(path)?;
        parts.push((folder, Part { name: path.display().to_string(), record }));
    }
    let records: Vec<Part> = parts.iter().map(|(_, part)| part.clone()).collect();
    let mut merged = merge(&records)?;
    drop(records);
    for (folder, part) in &parts {
        check(folder, &part.record)?;
    }
    if args.baseline.is_some() {
        merged.record.stale.clear();
        merged.record.cells.iter_mut().for_each(|cell| cell.known = None);
    }
    if let Some(baseline) = baseline {
        baseline.settle(&mut merged.record);
    }
    keep(&merged, &parts, args.out).context(HarnessFailed("writing the merged record"))?;
    Ok(report(&merged, args, args.baseline.is_some_and(is_own)))
}

/// Prints the result, and returns the exit status.
fn report(merged: &Merged, args: &Parts<'_>, against_baseline: bool) -> Exit {
    let Merged { record, missing: Missing { parts, cells }, .. } = merged;
    for (part, cells) in parts {
        eprintln!("missing: shard {part}, with {}", counted(usize::try_from(*cells).unwrap_or(usize::MAX), "check"));
    }
    if *cells > 0 {
        let cells = counted(usize::try_from(*cells).unwrap_or(usize::MAX), "check");
        eprintln!("missing: {cells} of shards that ended too early");
    }
    let incomplete = if record.complete { "" } else { ", which is incomplete" };
    let (joined, of) = (counted(args.records.len(), "record"), counted(record.cells.len(), "check"));
    println!("joined {joined}: {of} in {}{incomplete}", args.out.display());
    let is_news =
        !record.stale.is_empty() || record.cells.iter().any(mcp_compat_model::record::CellRecord::is_new_break);
    if against_baseline && is_news {
        for entry in &record.stale {
            eprintln!("{entry}");
        }
        let new = record.cells.iter().filter(|cell| cell.is_new_break()).count();
        if new > 0 {
            eprintln!("the baseline does not list {}; `mcp-compat report` shows them", counted(new, "break"));
        }
        return Exit::Breaks;
    }
    if record.complete { Exit::Success } else { Exit::Breaks }
}

/// Returns the folder of a record that is named by its folder or its file.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if path.is_file() && parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) if path.is_file() => parent.to_owned(),
        _ => path.to_owned(),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
