//! `audit`: judge a program without an adapter. A server is called, a client is served.

mod args;
mod client;
mod job;
mod server;
mod several;
mod subject;
mod write_calls;

use anyhow::{Result, bail};
use mcp_compat_drive::shell_word;
use mcp_compat_model::invisible_chars::neutralised;

use crate::exit::Exit;
use crate::formats::Format;
pub(crate) use args::AuditArgs;
use subject::Subjects;

pub(crate) fn execute(args: &AuditArgs) -> Result<Exit> {
    if args.client {
        args.report.check("audit --client", &[Format::Terminal, Format::Markdown, Format::Json])?;
        if let Some(word) = args.subject.first() {
            let word = neutralised(&shell_word(word));
            bail!(
                "put `--` before the command of the client: `mcp-compat audit --client -- {word} …`. To select the clients \
                 for a server, type `--against {word}`"
            );
        }
        return client::execute(args);
    }
    args.report.check("audit", &[Format::Terminal, Format::Markdown, Format::Json, Format::Junit, Format::Github])?;
    if args.tests.tests.is_some() && !args.report.asks_for(Format::Json) {
        bail!("--tests adds tests to the JSON: give --json, too. For JUnit, give --format junit");
    }
    match Subjects::of(args)? {
        Subjects::One(subject) if args.write_calls.is_some() => write_calls::execute(args, *subject),
        Subjects::One(subject) => server::execute(args, *subject),
        Subjects::List(_) if args.write_calls.is_some() => {
            bail!("--write-calls is for one server: select it with --server NAME")
        }
        Subjects::List(_) if args.tests.baseline.is_some() => {
            bail!("--baseline is for one server: select it with --server NAME, or name the file in mcp-compat.toml")
        }
        Subjects::List(list) => several::execute(args, list, server::real_clients(args)?),
    }
}
