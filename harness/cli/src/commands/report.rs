//! `report`: turn a record into a report.

use anstream::print;
use anyhow::anyhow;
use mcp_compat::store::read_record;
use mcp_compat_reports::{junit, markdown, terminal as terminal_report};

use crate::args::{Format, ReportArgs};
use crate::exit::Exit;
use crate::terminal;

pub(crate) fn execute(args: &ReportArgs) -> anyhow::Result<Exit> {
    let record = read_record(&args.record)?;
    let text = match args.format {
        Format::Terminal => terminal_report::render(&record, terminal::style()),
        Format::Markdown => markdown::render(&record),
        Format::Junit => junit::render(&record).map_err(|error| anyhow!("writing JUnit: {error}"))?,
    };
    print!("{text}");
    Ok(Exit::Success)
}
