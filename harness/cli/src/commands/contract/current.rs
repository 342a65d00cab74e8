//! The lock of a server as it is now.

use anyhow::Result;
use mcp_compat_audit::probe::ServerProbe;
use mcp_compat_audit::schema_lock::{Lock, lock_of};

use crate::output::eprintln;
use crate::runtime::interruptible;
use crate::target::TargetArgs;
use crate::terminal;

/// Asks a server for its tools. Returns `None` if interrupted.
pub(super) fn current_lock(server: &TargetArgs) -> Result<Option<Lock>> {
    let target = server.target()?;
    let probed = async {
        let probe = ServerProbe::open(target, server.timeouts()).await?;
        let announce = |revision| {
            if terminal::draws_progress() {
                eprintln!("asking for the tools at {revision}");
            }
        };
        Ok(probe.list(announce).await?)
    };
    Ok(interruptible(|| {}, probed)?.map(|probed| lock_of(&probed)).transpose()?)
}
