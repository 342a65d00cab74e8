//! `audit`: judge a server without an adapter, by calling it.

mod args;
mod job;
mod server;
mod several;
mod subject;
mod write_calls;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::exit::Exit;
use crate::inputs::server_lists;
use crate::report_output::Format;
pub(crate) use args::AuditArgs;
use subject::Subjects;

pub(crate) fn execute(args: &AuditArgs) -> Result<Exit> {
    if args.peers.is_some() && !args.fleet && args.hosts.is_none() {
        bail!("--peers names the folder of real clients: add --fleet, or --hosts");
    }
    let subjects = Subjects::of(args)?;
    let reports = args.output.reports(args.short, &inputs(args, &subjects))?;
    if args.tests.tests.is_some() && !reports.include(Format::Json) {
        bail!("--tests adds tests to the JSON: give --json, too. For JUnit, give --format junit");
    }
    match subjects {
        Subjects::One(subject) if args.write_calls.is_some() => write_calls::execute(args, *subject),
        Subjects::One(subject) => server::execute(args, *subject, &reports),
        Subjects::List(_) if args.write_calls.is_some() => {
            bail!("--write-calls is for one server: select it with --server NAME")
        }
        Subjects::List(_) if args.tests.baseline.is_some() => {
            bail!("--baseline is for one server: select it with --server NAME, or name the file in mcp-compat.toml")
        }
        Subjects::List(_) if args.hosts.is_some() => bail!("--hosts is for one server: select it with --server NAME"),
        Subjects::List(list) => several::execute(args, list, server::real_clients(args)?.as_deref(), &reports),
    }
}

/// Returns the files that the audit reads.
fn inputs(args: &AuditArgs, subjects: &Subjects) -> Vec<PathBuf> {
    let is_named = !args.subject.is_empty() || args.server.is_given();
    let found = if is_named { None } else { server_lists::find(Path::new(".")) };
    let named = args.subject.iter().chain(&args.calls).map(PathBuf::from);
    named.chain(found).chain(args.tests.baseline.clone()).chain(subjects.files()).collect()
}
