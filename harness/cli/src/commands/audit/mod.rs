//! `audit`: judge a program without an adapter. A server is called, a client is served.

mod args;
mod client;
mod server;

use anyhow::Result;
use mcp_compat_run::black_box::SUITE_TOOL;

use crate::exit::Exit;
pub(crate) use args::AuditArgs;
use client::ClientAudit;

pub(crate) fn execute(args: &AuditArgs) -> Result<Exit> {
    if !args.client {
        return server::execute(args);
    }
    let AuditArgs { calls, json, markdown, server, .. } = args;
    let calls = calls.as_deref().unwrap_or(SUITE_TOOL);
    let timeout = server.timeout.unwrap_or(client::TIMEOUT);
    client::execute(ClientAudit { command: &server.command, calls, timeout, json: *json, markdown: *markdown })
}
