//! `show`: a scenario on the wire, one cell of the last run, the cells that a filter selects, or a list.
//!
//! The id of a cell contains `::`, that of a scenario never does.

mod cell;
mod filtered;
mod listed;
mod scenario;

pub(crate) use filtered::Selected;
pub(crate) use scenario::steps;

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::Args;
use mcp_compat_model::suggestions::one_slip_away;
use mcp_compat_reports::list;
use mcp_compat_run::glob::{Glob, nothing};
use mcp_compat_scenario::Scenario;

use crate::exit::Exit;
use crate::inputs::corpus::{self, Corpus, Embedded, scenario_file};
use crate::output::print;
use crate::report_output::{Format, formats};
use crate::terminal;
use crate::values::{DEFAULT_OUT, record_folder, records};
use listed::Listed;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// The number of a cause in the report of the last run, a scenario (id or file), a check of the last run, or a pattern
    /// that fits only one of them; or `scenarios`, `peers` or `rules` for the list of them
    #[arg(value_name = "NUMBER|SCENARIO|CHECK|LIST", required_unless_present = "filter")]
    name: Option<String>,
    /// List the checks of the run that a filter selects; see below
    #[arg(long = "where", value_name = "FILTER", conflicts_with_all = ["name", "scenarios", "peers"], allow_hyphen_values = true)]
    filter: Option<String>,
    /// Compare with this earlier run, for the key `changed:` of the filter
    #[arg(long, value_name = "RUN", requires = "filter")]
    since: Option<PathBuf>,
    /// The format (json: lists and --where only)
    #[arg(long, value_name = "FORMAT", value_parser = formats(&FORMATS))]
    format: Option<Format>,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The folder of the SDK releases, for `show peers` [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Also use the scenarios of this folder
    #[arg(long, value_name = "DIR")]
    scenarios: Vec<PathBuf>,
    /// The run that has the check: its folder, or a compact run of a history (.mcpc.gz) [default: .mcp-compat or
    /// target/mcp-compat]
    #[arg(long, value_name = "DIR", value_parser = records())]
    out: Option<PathBuf>,
}

/// Formats of `show`.
const FORMATS: [Format; 2] = [Format::Terminal, Format::Json];

const EXAMPLES: &str = "\
A filter has one or more terms KEY:GLOB, and a check must meet all of them. `-`
negates a term, | separates alternatives, * stands for any text, ? for one
character:
  client: server: scenario: rule: cause: known:     names
  rating: outcome: fault: negotiated: transport:    words, such as rating:breaks
  is:                 silent, vacuous (unproven), known, flaky
  changed:            compared with the run of --since, such as changed:worse

Examples:
  mcp-compat show 1                               the worst cause of the run
  mcp-compat show root-type/array                 the messages of a scenario
  mcp-compat show root-type/primitive             the cases of a family
  mcp-compat show 'my-class/my-bug.toml[zero]'    one case, from a file
  mcp-compat show 'root-type/array::mock/dual+auto::mock/dual::memory'
  mcp-compat show --where 'rating:breaks fault:client -is:known'
  mcp-compat show scenarios                       the list; also peers, rules";

/// Separator of the parts of a cell's id.
const OF_A_CELL: &str = "::";

/// Number of scenarios that are listed if several match.
const NAMED: usize = 10;

pub(crate) fn execute(args: &ShowArgs) -> anyhow::Result<Exit> {
    let run = || args.out.clone().unwrap_or_else(|| record_folder(DEFAULT_OUT.into()));
    if let Some(filter) = &args.filter {
        return filtered::execute(&run(), filter, args.since.as_deref(), args.is_json());
    }
    let name = args.name.as_deref().unwrap_or_default();
    if let Some(list) = Listed::named(name) {
        args.accept_only(list.options())?;
        return listed::execute(list, &args.scenarios, args.peers.as_deref(), args.is_json());
    }
    if let Ok(number) = name.parse::<usize>() {
        args.accept_only(&[ShowOption::Out])?;
        return cell::numbered(&run(), number);
    }
    if name.contains(OF_A_CELL) {
        args.accept_only(&[ShowOption::Out])?;
        return cell::execute(&run(), name);
    }
    if let Some((path, case)) = scenario_file(name) {
        args.accept_only(&[])?;
        let mut scenarios = corpus::load_file(Path::new(path))?;
        if let Some(case) = case {
            let cases: Vec<_> = scenarios.iter().map(|scenario| format!("{path}{}", bracketed(scenario))).collect();
            scenarios.retain(|scenario| bracketed(scenario) == case);
            if scenarios.is_empty() {
                return Err(anyhow!(nothing("scenario", name, cases.iter().map(String::as_str))));
            }
        }
        return show(&scenarios.iter().collect::<Vec<_>>(), path);
    }
    if let Some(list) = one_slip_away(name, Listed::NAMES) {
        bail!("no scenario matches {name:?}; did you mean the list, `mcp-compat show {list}`?");
    }
    args.accept_only(&[ShowOption::Scenarios, ShowOption::Out])?;
    let corpus = Corpus::gather(&args.scenarios, Embedded::Played, &[name.to_owned()])?.scenarios;
    let found = find(&corpus, name)?;
    if found.is_empty() {
        let run = run();
        if cell::is_there(&run, name) {
            args.accept_only(&[ShowOption::Out])?;
            return cell::execute(&run, name);
        }
        return Err(anyhow!(nothing("scenario", name, corpus.iter().map(|scenario| scenario.id.as_str()))));
    }
    args.accept_only(&[ShowOption::Scenarios])?;
    show(&found, found[0].id.file())
}

/// Option that only some forms of `show` can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShowOption {
    Json,
    Peers,
    Scenarios,
    Out,
}

impl ShowArgs {
    fn is_json(&self) -> bool {
        self.json || self.format == Some(Format::Json)
    }

    /// Refuses the options that say nothing about what is shown.
    fn accept_only(&self, used: &[ShowOption]) -> anyhow::Result<()> {
        let given = [
            (ShowOption::Json, self.is_json(), "JSON is for lists: name scenarios, peers or rules, or give --where"),
            (ShowOption::Peers, self.peers.is_some(), "--peers is for `show peers`"),
            (
                ShowOption::Scenarios,
                !self.scenarios.is_empty(),
                "--scenarios is for ids of scenarios and for their list",
            ),
            (ShowOption::Out, self.out.is_some(), "--out is for checks: name one, or give --where"),
        ];
        match given.iter().find(|(option, is_given, _)| *is_given && !used.contains(option)) {
            Some((.., why)) => bail!("{why}"),
            None => Ok(()),
        }
    }
}

/// Returns `[case]` for a member of a family.
fn bracketed(scenario: &Scenario) -> &str {
    &scenario.id.as_str()[scenario.id.file().len()..]
}

/// Finds the scenario of an id, the members of a family, or the only scenario that a pattern matches.
fn find<'c>(corpus: &'c [std::sync::Arc<Scenario>], name: &str) -> anyhow::Result<Vec<&'c Scenario>> {
    let all = || corpus.iter().map(AsRef::as_ref);
    let named: Vec<&Scenario> =
        all().filter(|scenario| [scenario.id.as_str(), scenario.id.file()].contains(&name)).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let glob = Glob::new(name)?;
    let fitting: Vec<&Scenario> = all().filter(|scenario| glob.matches(scenario.id.as_str())).collect();
    if fitting.len() > 1 {
        let mut lines: Vec<_> = fitting.iter().take(NAMED).map(|scenario| format!("  {}", scenario.id)).collect();
        if fitting.len() > NAMED {
            lines.push(format!("  and {} more", fitting.len() - NAMED));
        }
        bail!("{name:?} fits {} scenarios; name one of them:\n{}", fitting.len(), lines.join("\n"));
    }
    Ok(fitting)
}

/// Shows a single scenario in full, or a line for each member of a family. `file` is the file of the scenarios.
fn show(scenarios: &[&Scenario], file: &str) -> anyhow::Result<Exit> {
    if let [only] = scenarios {
        return scenario::execute(only, file);
    }
    let row = |scenario: &&Scenario| (scenario.id.to_string(), scenario.title.clone());
    let rows: Vec<_> = scenarios.iter().map(row).collect();
    print!("{}", list::table(&rows, terminal::style()));
    Ok(Exit::Success)
}
