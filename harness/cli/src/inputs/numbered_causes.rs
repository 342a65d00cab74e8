//! Causes of a stored run by the numbers that its report gives them.

use std::path::Path;

use anyhow::{Result, bail};
use mcp_compat_model::cause::Cause;
use mcp_compat_model::count::counted;
use mcp_compat_reports::view::View;

/// Returns the cause with a number.
///
/// # Errors
/// If the run has no such cause.
pub fn find<'v, 'r>(view: &'v View<'r>, run: &Path, number: usize) -> Result<&'v Cause<'r>> {
    let causes = view.all_breaks().count();
    match view.all_breaks().find(|cause| cause.number == number) {
        Some(cause) => Ok(cause),
        None if causes == 0 => bail!("nothing breaks in the run in {}, so it has no cause {number}", run.display()),
        None => bail!(
            "the run in {} has {}, and no number {number}. `mcp-compat report` lists them",
            run.display(),
            counted(causes, "cause")
        ),
    }
}
