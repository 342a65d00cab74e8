//! Commands that a report suggests.
//!
//! They are built from the parts of a cell, which are safe in a shell. The id of a stored cell and a path may contain
//! anything. Names with brackets are quoted, because a shell reads brackets as a pattern.

use std::collections::BTreeSet;
use std::{fmt, iter};

use mcp_compat_model::diff::Bisection;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, ScenarioRecord};
use mcp_compat_model::{CellId, ScenarioId};

/// Id of a cell, composed of its parts: the stored id may contain anything.
pub(crate) fn id(cell: &CellRecord) -> CellId {
    cell.cell().id()
}

/// Command in parts. A line may be broken between two parts.
#[derive(Clone, Debug)]
pub struct Command(pub(crate) Vec<String>);

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl Command {
    /// Command that reports a run.
    pub(crate) fn report(path: Option<&str>) -> Self {
        Self(iter::once("mcp-compat report".to_owned()).chain(path.map(quoted)).collect())
    }

    /// The command with the option for a run at this path.
    pub(crate) fn in_run(mut self, path: Option<&str>) -> Self {
        self.0.extend(path.map(|path| format!("--out {}", quoted(path))));
        self
    }
}

/// Command that shows a cell in full.
pub fn show(cell: &CellRecord) -> Command {
    Command(vec!["mcp-compat show".to_owned(), format!("'{}'", id(cell))])
}

/// Source of a scenario, as far as a command has to name it.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'r> {
    /// The embedded corpus; a command does not name it.
    Corpus,
    /// Folder or file of scenarios.
    Scenarios(&'r str),
}

impl<'r> Origin<'r> {
    /// Source of a scenario of a run.
    pub fn of(scenario: Option<&'r ScenarioRecord>) -> Self {
        scenario.and_then(|scenario| scenario.read_from.as_deref()).map_or(Self::Corpus, Self::Scenarios)
    }
}

/// Command that plays a cell again.
pub fn again(cell: &CellRecord, origin: Origin<'_>) -> Command {
    let mut parts = vec!["mcp-compat run".to_owned()];
    parts.extend(match origin {
        Origin::Corpus => None,
        Origin::Scenarios(path) => Some(format!("--scenarios {}", quoted(path))),
    });
    parts.extend([
        format!("--scenario '{}'", cell.scenario),
        format!("--client {}", cell.client),
        format!("--server {}", cell.server),
        format!("--transport {}", cell.transport),
    ]);
    Command(parts)
}

/// Options of `run` that read these scenarios, and that select them one by one if there are at most `few`.
pub fn of_scenarios(scenarios: &[ScenarioRecord], few: usize) -> Vec<String> {
    let places: BTreeSet<&str> = scenarios.iter().filter_map(|scenario| scenario.read_from.as_deref()).collect();
    let read = places.into_iter().map(|place| format!("--scenarios {}", quoted(place)));
    let selected = if scenarios.len() <= few { scenarios } else { &[] };
    read.chain(selected.iter().map(|scenario| format!("--scenario '{}'", scenario.id))).collect()
}

/// Command that finds the release that made a change.
pub(crate) fn bisect(bisection: &Bisection) -> Command {
    let Bisection { scenario, read_from, role, family, good, bad, against, transport } = bisection;
    let scenario = match read_from {
        None => format!("'{scenario}'"),
        Some(path) => quoted(&file_of(path, scenario)),
    };
    Command(vec![
        "mcp-compat peers bisect".to_owned(),
        format!("--scenario {scenario}"),
        format!("--{role} {}", neutralised(family)),
        format!("--good {good}"),
        format!("--bad {bad}"),
        format!("--against {against}"),
        format!("--transport {transport}"),
    ])
}

/// Path of a scenario that was read from a folder or a file, with its case.
fn file_of(read_from: &str, scenario: &ScenarioId) -> String {
    let (file, case) = scenario.as_str().split_at(scenario.file().len());
    if read_from.ends_with(".toml") { format!("{read_from}{case}") } else { format!("{read_from}/{file}.toml{case}") }
}

/// An option with its value, as part of a command. A value that looks like an option is joined to its name.
pub(crate) fn option(name: &str, value: &str) -> String {
    format!("{name}{}{}", if value.starts_with('-') { "=" } else { " " }, quoted(value))
}

/// A path as one word for a shell.
fn quoted(path: &str) -> String {
    let path = neutralised(path);
    // This fails only for NUL, which is replaced above.
    shlex::try_quote(&path).map_or_else(|_| path.clone(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_a_run_that_is_not_the_default_one() {
        let show = |path| Command(vec!["mcp-compat show 1".to_owned()]).in_run(path).to_string();
        assert_eq!(
            (show(None).as_str(), show(Some("my run")).as_str()),
            ("mcp-compat show 1", "mcp-compat show 1 --out 'my run'")
        );
        assert_eq!(Command::report(Some("nightly")).to_string(), "mcp-compat report nightly");
        assert_eq!(Command::report(None).to_string(), "mcp-compat report");
    }

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted("../mine/my_class-1.toml"), "../mine/my_class-1.toml");
        assert_eq!(quoted("my files"), "'my files'");
        assert_eq!(quoted("it's $(here)"), r#""it's "'$(here)'"#);
        assert_eq!(quoted("a\u{1b}[31m"), r#""a\\u{1b}[31m""#);
    }
}
