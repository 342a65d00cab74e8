//! Hosts that users measured with `probe`: the JSON files in `hosts/measured` of the folder of peers.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use mcp_compat_drive::files::input_file;
use mcp_compat_reports::hosts::MeasuredHost;

use crate::inputs::peers_folder;

/// The measured hosts, in the order of the files' names.
pub fn measured_hosts(folder: Option<&Path>) -> Result<Vec<MeasuredHost>> {
    let Some(folder) = peers_folder::find(folder)? else { return Ok(Vec::new()) };
    let Ok(entries) = folder.path().join("hosts/measured").read_dir() else { return Ok(Vec::new()) };
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Result<MeasuredHost> {
    let text = input_file::read_named(file).with_context(|| format!("cannot read {}", file.display()))?;
    let host: MeasuredHost = serde_json::from_str(&text)
        .with_context(|| format!("{} is no row of a host: write it with `mcp-compat probe --json`", file.display()))?;
    if !host.is_of_the_table() {
        bail!(
            "{} has a word or a scenario that the table of hosts does not have: measure the host again",
            file.display()
        );
    }
    Ok(host)
}
