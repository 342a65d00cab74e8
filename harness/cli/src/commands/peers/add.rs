//! `peers add`: check the recording of a release that cannot be started here, and add it to the folder of peers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use mcp_compat_drive::files::make_folder;
use mcp_compat_model::count::counted;
use mcp_compat_reports::wording;
use mcp_compat_run::recording::{Checked, Recording};
use mcp_compat_run::store::Store;

use crate::exit::{Exit, HarnessFailed};
use crate::inputs::{peers_folder, recordings};
use crate::output::{eprintln, println};

const HOW: &str = "\
A recording is for a release that no adapter plays, such as one in C#. It is the
record of a run on a machine that has the release. All checks of it are judged
again: the verdicts have to be those of its messages. It is then part of
`run --fleet`, marked as recorded.

Exit status: 0 it can be used, 2 it cannot, and nothing is written.

Examples:
  mcp-compat run --client ./peer.toml --no-peers --out csharp-client
  mcp-compat peers add csharp-client --dry-run
  mcp-compat peers add csharp-client";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(super) struct AddArgs {
    /// The folder of the record
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// Only check the recording
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn execute(args: &AddArgs, folder: Option<&Path>) -> Result<Exit> {
    let peers = if args.dry_run { peers_folder::find(folder)? } else { peers_folder::of_project(folder)? };
    let path = args.record.parent().filter(|_| args.record.is_file()).unwrap_or(&args.record);
    let recording = recordings::open(path, peers.as_ref())?;
    if args.dry_run {
        let checked = recording.check(None).await.with_context(|| refused(path))?;
        report(&recording, &checked);
        return Ok(Exit::Success);
    }
    let Some(peers) = peers else {
        bail!(
            "cannot add {}: there is no folder `peers` with adapters here or above. Name one with --peers, or check the recording with \
             --dry-run",
            recording.release()
        );
    };
    let place = peers.recording_of(recording.release(), recording.only_role());
    if place.canonicalize().is_ok_and(|place| path.canonicalize().is_ok_and(|path| path == place)) {
        bail!("{} is part of the folder of peers already: check it with --dry-run", path.display());
    }
    let others = recordings::of_folder(&peers).into_iter().flatten();
    let others: Vec<Arc<Recording>> = others.filter(|other| other.folder() != place).collect();
    recordings::apart(&recording, &others)?;
    let around = place.parent().unwrap_or(Path::new("."));
    let writing = || format!("cannot write the recording to {}", place.display());
    make_folder(around).with_context(writing)?;
    // It is whole before it takes its place.
    let new = tempfile::Builder::new().prefix(".adding-").tempdir_in(around).with_context(writing)?;
    let checked = recording.check(Some(Store::open(new.path())?)).await.with_context(|| refused(path))?;
    let _ = fs::remove_dir_all(Store::logs(new.path()));
    let old = tempfile::Builder::new().prefix(".adding-").tempdir_in(around).with_context(writing)?;
    let is_replaced = place.exists();
    let old = old.path().join("old");
    if is_replaced {
        fs::rename(&place, &old).context(HarnessFailed("replacing a recording"))?;
    }
    if let Err(error) = fs::rename(new.path(), &place) {
        // What could not be replaced stays.
        let _ = fs::rename(&old, &place);
        return Err(error).with_context(writing);
    }
    report(&recording, &checked);
    println!("{} {}", if is_replaced { "replaced" } else { "added" }, place.display());
    Ok(Exit::Success)
}

fn refused(path: &Path) -> String {
    format!("cannot use the recording {}", path.display())
}

/// Prints what was checked, and what of the recording is not used.
fn report(recording: &Recording, checked: &Checked) {
    let cells = checked.record.cells.len();
    let (release, recorded) = (recording.release(), wording::recorded(recording.recorded()));
    println!("{release}: {}, {recorded}", counted(cells, "check"));
    match checked.changed {
        0 => println!("judged again: the same verdicts"),
        changed => println!(
            "judged again: {} differ; the file names another version of the judge",
            counted(changed, "verdict")
        ),
    }
    if !checked.left_out.is_empty() {
        let names: Vec<&str> = checked.left_out.iter().map(String::as_str).collect();
        eprintln!(
            "not used: {} that changed since the recording or is not built in ({})",
            counted(names.len(), "scenario"),
            names.join(", ")
        );
    }
}
