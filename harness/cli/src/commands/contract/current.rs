//! The lock of a server as it is now.

use anstream::eprintln;
use anyhow::Result;
use mcp_compat_audit::contract::{Lock, lock_of};
use mcp_compat_audit::survey::Surveyor;

use crate::runtime::interruptible;
use crate::target::TargetArgs;
use crate::terminal;

/// Asks a server for its tools. Returns `None` if interrupted.
pub(super) fn current_lock(server: &TargetArgs) -> Result<Option<Lock>> {
    let target = server.target()?;
    let survey = async {
        let surveyor = Surveyor::open(target, server.patience()).await?;
        let announce = |revision| {
            if terminal::draws_progress() {
                eprintln!("asking for the tools at {revision}");
            }
        };
        Ok(surveyor.list(announce).await?)
    };
    Ok(interruptible(|| {}, survey)?.map(|survey| lock_of(&survey)).transpose()?)
}
