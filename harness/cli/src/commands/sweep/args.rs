//! The arguments of `sweep`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::values::duration;

const HOW: &str = "\
Plays the smoke scenarios and the first of each class, as client and as server,
with mock/dual on the other side. The releases are those that the registry
lists. First those that are installed, then the ends, a sample between them, and
the neighbours of each change, as far as --at-most goes. A release that cannot
be installed is named and left out. The file is merged: what it says of other
families stays. `mcp-compat support` prints it.

Examples:
  mcp-compat sweep typescript --at-most 20
  mcp-compat sweep rmcp --installed --out peers/support.json

Exit status: 0 the file is written, 1 the registry does not answer or no release
could be played, 2 the input is wrong: nothing was played, 130 interrupted:
nothing is written.";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct SweepArgs {
    /// The family, such as typescript
    #[arg(value_name = "FAMILY")]
    pub(super) family: String,
    /// How many releases are played, besides those that are installed
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(super) at_most: usize,
    /// Only the releases that are installed
    #[arg(long, conflicts_with = "at_most")]
    pub(super) installed: bool,
    /// After this time no release is begun
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration)]
    pub(super) timeout: Duration,
    /// Where the support data is kept
    #[arg(long, value_name = "FILE", default_value = "support.json")]
    pub(super) out: PathBuf,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    pub(super) peers: Option<PathBuf>,
}
