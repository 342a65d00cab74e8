//! The arguments of `sweep`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use mcp_compat_cli::inputs::quantities::duration;
use mcp_compat_model::version::Version;

const HOW: &str = "\
sweep plays the smoke scenarios and the first scenario of each class, with the
SDK as client and as server and mock/dual on the other side. A host plays those
of `mcp-compat hosts`. Played are the releases that are installed, then the
oldest and the newest release, a sample between them, and the neighbours of each
change, up to --at-most. A release that cannot be installed is named and
skipped. What the file says about other SDKs stays. `mcp-compat support` prints
the file.

Examples:
  cargo run -p mcp-compat-lab -- sweep typescript --at-most 20
  cargo run -p mcp-compat-lab -- sweep rmcp --add 3.11.0 --out peers/support.json
  cargo run -p mcp-compat-lab -- sweep rmcp --installed --out peers/support.json

Exit status: 0 the file was written; 1 the registry does not answer, or no
release could be played; 2 the input is wrong, and nothing was played;
130 interrupted (nothing is written).";

/// Measure which releases of an SDK work with the main scenarios
#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub struct SweepArgs {
    /// The SDK or host, such as typescript
    #[arg(value_name = "FAMILY")]
    pub(super) family: String,
    /// How many releases are installed and played besides those that are installed already
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(super) at_most: usize,
    /// Play only the releases that are installed
    #[arg(long, conflicts_with = "at_most")]
    pub(super) installed: bool,
    /// Play only this release, newer than those of the file, and add what it does to the file
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["at_most", "installed"])]
    pub(super) add: Option<Version>,
    /// After this time, no further release is started
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration)]
    pub(super) timeout: Duration,
    /// The file for the support data
    #[arg(long, value_name = "FILE", default_value = "support.json")]
    pub(super) out: PathBuf,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    pub(super) peers: Option<PathBuf>,
}
