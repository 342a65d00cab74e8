//! `audit`: judge a server without an adapter, by calling it.

mod args;
mod job;
mod server;
mod several;
mod subject;
mod write_calls;

use anyhow::{Result, bail};

use crate::exit::Exit;
use crate::report_output::Format;
pub(crate) use args::AuditArgs;
use subject::Subjects;

pub(crate) fn execute(args: &AuditArgs) -> Result<Exit> {
    let reports = args.output.reports(args.short)?;
    if args.tests.tests.is_some() && !reports.include(Format::Json) {
        bail!("--tests adds tests to the JSON: give --json, too. For JUnit, give --format junit");
    }
    match Subjects::of(args)? {
        Subjects::One(subject) if args.write_calls.is_some() => write_calls::execute(args, *subject),
        Subjects::One(subject) => server::execute(args, *subject, &reports),
        Subjects::List(_) if args.write_calls.is_some() => {
            bail!("--write-calls is for one server: select it with --server NAME")
        }
        Subjects::List(_) if args.tests.baseline.is_some() => {
            bail!("--baseline is for one server: select it with --server NAME, or name the file in mcp-compat.toml")
        }
        Subjects::List(list) => several::execute(args, list, server::real_clients(args)?.as_deref(), &reports),
    }
}
