//! Causes of a stored run by the numbers that its report gives them.

use std::path::Path;

use anyhow::{Result, bail};
use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::counted;
use mcp_compat_model::record::Record;
use mcp_compat_reports::view::View;

/// Returns the cause with a number.
///
/// # Errors
/// If the run has no such cause.
pub fn find<'r>(record: &'r Record, run: &Path, number: usize) -> Result<Cause<'r>> {
    let view = View::of(record);
    let causes = view.numbered().count();
    match view.numbered().find(|(place, _)| *place == number) {
        Some((_, cause)) => Ok(cause.clone()),
        None if causes == 0 => bail!("nothing breaks in the run in {}, so it has no cause {number}", run.display()),
        None => bail!(
            "the run in {} has {}, and no number {number}. `mcp-compat report` lists them",
            run.display(),
            counted(causes, "cause")
        ),
    }
}
