//! `audit`: judge a program without an adapter. A server is called, a client is served.

mod args;
mod client;
mod server;

use anyhow::Result;

use crate::exit::Exit;
pub(crate) use args::AuditArgs;

pub(crate) fn execute(args: &AuditArgs) -> Result<Exit> {
    if args.client { client::execute(args) } else { server::execute(args) }
}
