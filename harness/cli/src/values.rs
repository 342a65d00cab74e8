//! Values that the arguments of several commands have in common.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use mcp_compat_drive::files::records_folder;
use mcp_compat_model::Transport;
use mcp_compat_model::unseen::neutralised;

use crate::output::eprintln;

/// Where `run` keeps its record, and the other commands look for it, as help says it. [`records`] makes a path of it.
pub(crate) const DEFAULT_OUT: &str = ".mcp-compat or target/mcp-compat";

/// What takes the folder of a record.
pub(crate) fn records() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(record_folder)
}

/// The folder of a record that is given, or the default.
pub(crate) fn record_folder(given: OsString) -> PathBuf {
    if given == DEFAULT_OUT { records_folder(Path::new("")) } else { given.into() }
}

/// Says how `show` finds the cells of a record that is elsewhere than where it looks by itself.
pub(crate) fn tell_folder(record: &Path) {
    if record != record_folder(DEFAULT_OUT.into()) && !record.ends_with("run.json") {
        eprintln!("`mcp-compat show` finds these cells with `--out {}`.", neutralised(&record.display().to_string()));
    }
}

/// The transports with these names. Clap has checked the names.
pub(crate) fn transports(names: &[String]) -> Vec<Transport> {
    Transport::ALL.into_iter().filter(|transport| names.iter().any(|name| name == transport.as_str())).collect()
}
