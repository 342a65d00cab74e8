//! `relay`: the server command for a client that starts its server itself.

use anyhow::Context as _;

use crate::exit::Exit;

pub(crate) fn execute() -> anyhow::Result<Exit> {
    mcp_compat_drive::relay::relay_from_environment().context("cannot join standard streams with the harness")?;
    Ok(Exit::Success)
}
