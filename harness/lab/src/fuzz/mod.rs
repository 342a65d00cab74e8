//! Fuzz targets: what any bytes must not do to the readers of mcp-compat.
//!
//! A target takes bytes and panics if a property does not hold. The engine below `engine/` makes up the bytes, guided by
//! the code that they reach; it also ends an input that takes longer than ten seconds or more than 512 MB. `corpus/`
//! has the seeds of each target and the inputs that once failed. A test replays them all. README.md says how to run a
//! target.
//!
//! ```text
//! bytes ─ framing ─ json ─┬─ record, lock, scenario ─> what is read from files
//!                         ├─ validator, inclusion ───> what is decided about schemas
//!                         └─ transcript, redact ─────> what is written for others to read
//! ```

mod draw;
mod framing;
mod json;
mod lock;
mod mutate;
mod record;
mod redact;
mod scenario;
mod schemas;
mod transcript;

pub use mutate::mutate;

/// One target.
#[derive(Debug)]
pub struct Target {
    /// Its name, and the name of its folder below `corpus/`.
    pub name: &'static str,
    /// What it reads.
    pub input: Input,
    /// Panics if the bytes break a property.
    pub run: fn(&[u8]),
}

/// What the bytes of a target are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Anything.
    Bytes,
    /// JSON values in a row. [`mutate()`] keeps them values.
    Json,
}

/// All targets.
pub static TARGETS: [Target; 10] = [
    Target { name: "json", input: Input::Bytes, run: json::run },
    Target { name: "sse", input: Input::Bytes, run: framing::sse },
    Target { name: "lines", input: Input::Bytes, run: framing::lines },
    Target { name: "scenario", input: Input::Bytes, run: scenario::run },
    Target { name: "record", input: Input::Json, run: record::run },
    Target { name: "transcript", input: Input::Json, run: transcript::run },
    Target { name: "lock", input: Input::Json, run: lock::run },
    Target { name: "validator", input: Input::Json, run: schemas::validator },
    Target { name: "inclusion", input: Input::Json, run: schemas::inclusion },
    Target { name: "redact", input: Input::Bytes, run: redact::run },
];

/// The target of a name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
