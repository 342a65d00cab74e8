//! `peers bisect`: find the release of an SDK that changed the outcome of a scenario.
//!
//! ```text
//! BisectArgs ── asked ──> Asked: the releases, the counterpart, the transport ── hunt ──> trials and the change, on stdout
//! ```

mod asked;
mod hunt;

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Result;
use clap::{ArgGroup, Args};
use mcp_compat_model::Mode;
use mcp_compat_model::version::Version;

use crate::exit::{Exit, RESUMABLE};
use crate::inputs::quantities::duration;
use crate::output::eprintln;
use crate::runtime::interruptible;
use asked::Asked;

const HOW: &str = "\
bisect tests both ends first. If their outcomes differ, it installs and tests
the release in the middle, and repeats that until the change is between two
neighbours. --good may be older or newer than --bad. The registry gives the list
of releases. If a release cannot be installed or tested, its neighbour is tried.
The mode of --good (such as +auto) applies to all releases that have it.

Examples:
  mcp-compat peers bisect --scenario root-type/array --client typescript \\
                    --good 2.4.0+auto --bad 1.32.2
  mcp-compat peers bisect --scenario my-bug.toml --server python/typed \\
                    --good 1.28.1 --bad 1.30.0 --against typescript@1.32.2

Exit status: 0 the release was found; 1 it was not found, because both ends have
the same outcome, a release cannot be tested or the registry does not answer;
2 the input is wrong, and nothing was tested; 130 interrupted.";

#[derive(Debug, Args)]
#[command(after_help = HOW, group(ArgGroup::new("family").required(true)))]
pub(crate) struct BisectArgs {
    /// The scenario: a built-in id, a file, or `FILE[CASE]` for one case of a family
    #[arg(long, value_name = "ID|FILE")]
    scenario: String,
    /// The SDK whose clients are tested, such as typescript
    #[arg(long, value_name = "FAMILY", group = "family")]
    client: Option<String>,
    /// The SDK whose servers are tested, such as python; python/typed for servers of its typed API
    #[arg(long, value_name = "FAMILY", group = "family")]
    server: Option<String>,
    /// A release with the right outcome
    #[arg(long, value_name = "VERSION[+MODE]")]
    good: End,
    /// A release with another outcome
    #[arg(long, value_name = "VERSION[+MODE]")]
    bad: End,
    /// The other side: an id or a peer.toml [default: the reference mock with the most revisions]
    #[arg(long, value_name = "ID|FILE")]
    against: Option<String>,
    /// The transport: memory, stdio or http [default: the quickest]
    #[arg(long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true)]
    transport: Option<String>,
    /// Include pre-releases
    #[arg(long)]
    pre: bool,
    /// Time limit of each step of a check
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    timeout: Duration,
}

/// One end of a bisection, as it is typed: `2.4.0+auto`.
#[derive(Clone, Debug)]
struct End {
    version: Version,
    mode: Option<Mode>,
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

pub(crate) fn execute(args: &BisectArgs, folder: Option<&Path>) -> Result<Exit> {
    let asked = Asked::read(args, folder)?;
    let exit = interruptible(|| eprintln!("{RESUMABLE}"), hunt::execute(asked, args))?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}
