//! `peers bisect`: find the release of an SDK that changed the outcome of a scenario.
//!
//! ```text
//! BisectArgs ── asked ──> Asked: the releases, the counterpart, the transport ── hunt ──> trials and the change, on stdout
//! ```

mod args;
mod asked;
mod hunt;

use std::path::Path;

use anyhow::Result;

use crate::exit::{Exit, RESUMABLE};
use crate::output::eprintln;
use crate::runtime::interruptible;
pub(crate) use args::BisectArgs;
use asked::Asked;

pub(crate) fn execute(args: &BisectArgs, folder: Option<&Path>) -> Result<Exit> {
    let asked = Asked::read(args, folder)?;
    let exit = interruptible(|| eprintln!("{RESUMABLE}"), hunt::execute(asked, args))?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}
