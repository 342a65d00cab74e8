//! Commands and options that were removed. For one release, using one is an error that names its replacement.

use clap::error::{ContextKind, ContextValue, Error};
use clap::{Command, CommandFactory as _};

use crate::args::Args;

/// Removed commands, and options with their command, each with a sentence about the replacement. The sentence is empty
/// if there is none.
const GONE: &[(&str, &str)] = &[
    ("docs", "Read the pages of the book in the folder docs/src of the repository; docs/src/SUMMARY.md lists them."),
    ("run --schema-suite", ""),
    ("list", "Use `mcp-compat show scenarios`, `show peers` or `show rules`."),
    ("bisect", "Use `mcp-compat peers bisect`."),
    ("selftest", IN_LAB),
    ("fidelity", IN_LAB),
    ("sweep", IN_LAB),
    ("show --markdown", "Read harness/RULES.md in the repository."),
];

/// Replacement of commands that only mcp-compat itself needs.
const IN_LAB: &str = "It checks mcp-compat itself: in the repository, use `cargo run -p mcp-compat-lab`.";

/// Error message for a baseline in YAML.
pub(crate) const YAML_BASELINE: &str = "baselines in the YAML of the official conformance suite are no longer read. \
    Give a .toml; MCP_COMPAT_BASELINE=update makes it from what breaks";

/// Returns the error message for a command line that uses a removed command or option.
pub(crate) fn message(error: &Error, words: &[String]) -> Option<String> {
    let refused = error.get(ContextKind::InvalidSubcommand).or_else(|| error.get(ContextKind::InvalidArg))?;
    let ContextValue::String(refused) = refused else { return None };
    let mut path: Vec<&str> = path(&Args::command(), words);
    path.push(refused);
    let name = path.join(" ");
    let (_, instead) = GONE.iter().find(|(gone, _)| *gone == name)?;
    Some(format!("`mcp-compat {name}` is gone. {}", if instead.is_empty() { "Nothing replaces it." } else { *instead }))
}

/// Returns the names of the subcommands at the beginning of the words.
fn path<'w>(root: &Command, words: &'w [String]) -> Vec<&'w str> {
    let mut command = root;
    let mut path = Vec::new();
    for word in &words[1..] {
        let Some(inner) = command.find_subcommand(word) else { break };
        command = inner;
        path.push(word.as_str());
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn message_for(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        message(&Args::try_parse_from(&words).unwrap_err(), &words)
    }

    #[test]
    fn everything_that_is_gone_says_so() {
        for (gone, instead) in GONE {
            for values in ["", " VALUE", "=VALUE --other"] {
                let said = message_for(&format!("mcp-compat {gone}{values}"));
                if values.starts_with('=') && !gone.contains("--") {
                    continue;
                }
                assert!(said.as_ref().is_some_and(|said| said.contains(gone) && said.contains(instead)), "{said:?}");
            }
        }
        assert_eq!(message_for("mcp-compat dosc"), None);
        assert_eq!(message_for("mcp-compat show --schema-suite"), None, "it never had it");
    }
}
