//! The arguments of `bisect`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{ArgGroup, Args};
use mcp_compat_model::Mode;
use mcp_compat_model::version::Version;

use crate::values::duration;

const HOW: &str = "\
Both ends are played first. Where their outcomes differ, releases in between
are installed and played, each time the one in the middle, until the change is
between two of them. Either end may be the newer one. Releases are those that
the registry lists. One that cannot be installed, or cannot speak with the
counterpart, is left aside, and a neighbour is tried. A mode is that of --good
for all releases that can choose one, unless --bad names another for itself.

Examples:
  mcp-compat bisect --scenario root-type/array --client typescript \\
                    --good 2.4.0+auto --bad 1.32.2
  mcp-compat bisect --scenario my-bug.toml --server python/typed \\
                    --good 1.28.1 --bad 1.30.0 --against typescript@1.32.2

Exit status: 0 the release is found, 1 it is not: both ends come out alike,
one of them cannot be tried, releases that may be the one cannot be tried, or
the registry does not answer; 2 the input is wrong: nothing was played, 130
interrupted.";

#[derive(Debug, Args)]
#[command(after_help = HOW, group(ArgGroup::new("family").required(true)))]
pub(crate) struct BisectArgs {
    /// An id of the corpus or a pattern for one, or a file; `FILE[CASE]` for one of a family
    #[arg(long, value_name = "ID|FILE")]
    pub(super) scenario: String,
    /// The family whose clients are tried, such as typescript
    #[arg(long, value_name = "FAMILY", group = "family")]
    pub(super) client: Option<String>,
    /// The family whose servers are tried, such as python; python/typed for those of its typed API
    #[arg(long, value_name = "FAMILY", group = "family")]
    pub(super) server: Option<String>,
    /// A release with the outcome that is wanted
    #[arg(long, value_name = "VERSION[+MODE]")]
    pub(super) good: End,
    /// A release with another one
    #[arg(long, value_name = "VERSION[+MODE]")]
    pub(super) bad: End,
    /// With whom they play; a file is a peer.toml [default: the reference mock that speaks most]
    #[arg(long, value_name = "ID|FILE")]
    pub(super) against: Option<String>,
    /// memory, stdio or http [default: the quickest]
    #[arg(long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true)]
    pub(super) transport: Option<String>,
    /// Pre-releases too
    #[arg(long)]
    pub(super) pre: bool,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    pub(super) peers: Option<PathBuf>,
    /// How long each step of a cell may take
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(super) timeout: Duration,
}

/// One end of a bisection, as it is typed: `2.4.0+auto`.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) version: Version,
    pub(super) mode: Option<Mode>,
}

impl FromStr for End {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (version, mode) = match text.split_once('+') {
            Some((version, mode)) => (version, Some(mode.parse()?)),
            None => (text, None),
        };
        Ok(Self { version: Version::parse(version).map_err(|error| error.to_string())?, mode })
    }
}
