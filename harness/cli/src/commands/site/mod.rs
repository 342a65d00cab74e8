//! `site`: turn records into a folder of pages.

mod folder;
mod meant;

use std::path::{Path, PathBuf};

use clap::Args;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::record::Record;
use mcp_compat_run::store::{each_evidence, read_record};
use mcp_compat_site::{EvidenceBook, Input, Run, site};

use crate::exit::Exit;
use crate::output::{eprintln, println};
use crate::values::DEFAULT_OUT;

const HOW: &str = "\
The pages need no server: open DIR/index.html, or publish DIR under any
address. The same records give the same files. A folder that is already there
is replaced if it is a site; any other folder is refused.

The pages show the newest run. Earlier runs are compared with it. Evidence is
left out where the site would be larger than --max-size: first that of cells
that work, then that of others.

Examples:
  mcp-compat site --out report
  mcp-compat site monday tuesday --out report --title 'Nightly'";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct SiteArgs {
    /// The records, the newest last: folders of runs, or their run.json
    #[arg(value_name = "RUN", default_value = DEFAULT_OUT)]
    runs: Vec<PathBuf>,
    /// The folder that the site is written to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What the site is called
    #[arg(long, value_name = "TEXT", default_value = "MCP structured output")]
    title: String,
    /// The address that the site is published at, for the feed and the badges
    #[arg(long, value_name = "URL", value_parser = address)]
    base: Option<String>,
    /// How large the site may be, such as 25MB
    #[arg(long, value_name = "SIZE", default_value = "50MB", value_parser = bytes)]
    max_size: u64,
}

pub(crate) fn execute(args: &SiteArgs) -> anyhow::Result<Exit> {
    folder::check(&args.out)?;
    let mut records: Vec<Record> = Vec::new();
    for path in &args.runs {
        records.push(read_record(path)?);
    }
    let mut books: Vec<EvidenceBook> = records.iter().map(|_| EvidenceBook::default()).collect();
    if let (Some(path), Some(book)) = (args.runs.last(), books.last_mut()) {
        each_evidence(folder_of(path), |evidence| book.add(evidence))?;
    }
    let meant = meant::of_corpus()?;
    let runs: Vec<Run<'_>> = records.iter().zip(&books).map(|(record, evidence)| Run { record, evidence }).collect();
    let input = Input {
        title: &args.title,
        base: args.base.as_deref(),
        runs: &runs,
        meant: &meant,
        changes: None,
        max_bytes: args.max_size,
    };
    let files = site(&input)?;
    folder::write(&args.out, &files)?;
    let size: usize = files.values().map(Vec::len).sum();
    println!("{}", args.out.join("index.html").display());
    eprintln!("{}, {} KB", counted(files.len(), "file"), thousands(size as u64 / 1000));
    Ok(Exit::Success)
}

/// The folder of a record, which may be named by its file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if path.is_file() => parent,
        Some(_) | None => path,
    }
}

/// `25MB`, `512KB` or a number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let wrong = || format!("{text:?} is not a size: expected 500KB, 25MB or 1GB");
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "KB" | "K" => 1_000,
        "MB" | "M" => 1_000_000,
        "GB" | "G" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or_else(wrong)
}

/// An address of the web, which ends with a slash.
fn address(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>\"'`\\".contains(c);
    let is_address = (text.starts_with("https://") || text.starts_with("http://")) && text.chars().all(is_plain);
    if !is_address {
        return Err(format!("{text:?} is not the address of a site: expected https://example.org/compat/"));
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit() {
        assert_eq!((bytes("25MB"), bytes("512k"), bytes("7")), (Ok(25_000_000), Ok(512_000), Ok(7)));
        assert!(["", "MB", "-1", "3 apples", "99999999999GB", "0"].iter().all(|text| bytes(text).is_err()));
    }

    #[test]
    fn an_address_ends_with_one_slash() {
        assert_eq!(address("https://example.org/a"), Ok("https://example.org/a/".to_owned()));
        assert!(["javascript:alert(1)", "https://a b", "example.org"].iter().all(|text| address(text).is_err()));
    }
}
