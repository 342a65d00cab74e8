//! `audit`: judge a server without an adapter, by calling it.

mod args;
mod server;

use anyhow::Result;

use crate::exit::Exit;
pub(crate) use args::AuditArgs;

pub(crate) fn execute(args: &AuditArgs) -> Result<Exit> {
    server::execute(args)
}
