//! Fuzz targets: properties of the readers of mcp-compat that hold for any bytes.
//!
//! A target takes bytes and panics if a property does not hold. The engine in `engine/` generates bytes, guided by the
//! code that they reach; it fails an input that takes longer than ten seconds or more than 512 MB. `corpus/` has the
//! seeds of each target and the inputs that once failed. A test replays them all. README.md says how to run a
//! target.
//!
//! ```text
//! bytes ─ framing ─ json ─┬─ record, lock, scenario ─> read from files
//!                         ├─ validator, inclusion ───> decisions about schemas
//!                         └─ transcript, redact ─────> written for readers
//! ```

mod draw;
mod formats;
mod framing;
mod json;
mod mutate;
mod schemas;

pub use mutate::mutate;

/// Fuzz target.
#[derive(Debug)]
pub struct Target {
    /// Its name, and the name of its folder below `corpus/`.
    pub name: &'static str,
    pub input: Input,
    /// Panics if the bytes break a property.
    pub run: fn(&[u8]),
}

/// Kind of input of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Bytes,
    /// JSON values in a row. [`mutate()`] keeps them values.
    Json,
}

pub static TARGETS: [Target; 10] = [
    Target { name: "json", input: Input::Bytes, run: json::run },
    Target { name: "sse", input: Input::Bytes, run: framing::sse },
    Target { name: "lines", input: Input::Bytes, run: framing::lines },
    Target { name: "scenario", input: Input::Bytes, run: formats::scenario },
    Target { name: "record", input: Input::Json, run: formats::record },
    Target { name: "transcript", input: Input::Json, run: formats::transcript },
    Target { name: "lock", input: Input::Json, run: formats::lock },
    Target { name: "validator", input: Input::Json, run: schemas::validator },
    Target { name: "inclusion", input: Input::Json, run: schemas::inclusion },
    Target { name: "redact", input: Input::Bytes, run: formats::redact },
];

pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
