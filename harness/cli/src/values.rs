//! Values that the arguments of several commands have in common.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use mcp_compat_drive::records_folder;
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

/// `500ms`, `5s`, `10m` or `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 =
        digits.parse().map_err(|_| format!("{text:?} is not a duration: expected 500ms, 5s, 10m or 2h"))?;
    let duration = match &text[digits.len()..] {
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(number.saturating_mul(60)),
        "h" => Duration::from_secs(number.saturating_mul(3600)),
        "" => return Err(format!("{number} of what? expected a unit, as in 500ms, 5s, 10m or 2h")),
        unit => return Err(format!("{unit:?} is not a unit of time: expected ms, s, m or h")),
    };
    if duration.is_zero() {
        return Err("a duration must be more than 0".to_owned());
    }
    if duration > LONGEST {
        return Err("a duration must not be longer than a week".to_owned());
    }
    Ok(duration)
}

/// An amount of memory in bytes: `512MB`, `2GB`.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let wrong = || format!("{text:?} is not an amount of memory: expected 512MB or 2GB");
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let bytes = match &text[digits.len()..] {
        "MB" => number.checked_mul(1 << 20),
        "GB" => number.checked_mul(1 << 30),
        _ => return Err(wrong()),
    };
    bytes.filter(|bytes| *bytes >= LEAST_MEMORY).ok_or_else(|| "expected at least 64MB".to_owned())
}

/// No runtime of an SDK starts with less.
const LEAST_MEMORY: u64 = 64 << 20;

/// What adds up over the steps of a cell without leaving the range of a duration.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_a_unit() {
        assert_eq!(memory("512MB"), Ok(512 << 20));
        assert_eq!(memory("2GB"), Ok(2 << 30));
        for text in ["2", "GB", "2 GB", "-1GB", "0GB", "63MB", "2gb", "99999999999GB"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        for text in ["5", "s", "0s", "5 s", "-1s", "5d", "999h", "99999999999999999999s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
