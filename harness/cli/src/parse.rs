//! Parses the command line, with tips for common mistakes. For one release, a command or an option that was removed is an
//! error that names its replacement.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory as _, Parser as _};
use mcp_compat_drive::shell_word;

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

/// Returns the arguments. Prints the error and ends the process if they are invalid.
pub(crate) fn parsed(words: Vec<OsString>) -> Args {
    let words = with_help_option(words);
    Args::try_parse_from(&words).unwrap_or_else(|mut error| {
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        if let Some(message) = gone(&error, &words) {
            let error: Error = Error::raw(ErrorKind::InvalidSubcommand, message + "\n");
            error.exit();
        }
        if let Some(tip) = tip(&error, &words) {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        error.exit()
    })
}

/// Returns the error message for a command line that uses a removed command or option.
fn gone(error: &Error, words: &[String]) -> Option<String> {
    let refused = error.get(ContextKind::InvalidSubcommand).or_else(|| error.get(ContextKind::InvalidArg))?;
    let ContextValue::String(refused) = refused else { return None };
    let program = Args::command();
    let (_, mut path) = subcommand(&program, words);
    path.push(refused);
    let name = path.join(" ");
    let (_, instead) = GONE.iter().find(|(gone, _)| *gone == name)?;
    Some(format!("`mcp-compat {name}` is gone. {}", if instead.is_empty() { "Nothing replaces it." } else { *instead }))
}

/// Rewrites `mcp-compat help run` to `mcp-compat run --help`.
fn with_help_option(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.truncate(words.iter().position(|word| word == "--" || word == "help").unwrap_or(words.len()));
        words.push("--help".into());
    }
    words
}

/// Returns a tip for an argument that a command does not accept.
fn tip(error: &Error, words: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return None };
    // The same word may occur earlier as the value of an option. The words up to the wrong one give this error first.
    let is_refused = |end: usize| match Args::try_parse_from(&words[..=end]) {
        Ok(_) => false,
        Err(error) => error.kind() == ErrorKind::UnknownArgument,
    };
    let at = (1..words.len()).find(|at| words[*at] == *unknown && is_refused(*at))?;
    if unknown.starts_with('-') || !takes_a_command(words) {
        return None;
    }
    let command = words[at..].iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ");
    Some(format!("put `--` before the command: `… -- {command}`"))
}

/// Returns whether the subcommand that the words name takes a command after `--`.
fn takes_a_command(words: &[String]) -> bool {
    subcommand(&Args::command(), words).0.get_arguments().any(clap::Arg::is_last_set)
}

/// Returns the subcommand that the first words name, and its names.
fn subcommand<'c, 'w>(program: &'c Command, words: &'w [String]) -> (&'c Command, Vec<&'w str>) {
    let mut command = program;
    let mut names = Vec::new();
    for word in &words[1..] {
        let Some(inner) = command.find_subcommand(word) else { break };
        command = inner;
        names.push(word.as_str());
    }
    (command, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tip_for(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        tip(&Args::try_parse_from(&words).unwrap_err(), &words)
    }

    #[test]
    fn a_command_without_two_dashes_is_told_to_have_them() {
        let told = tip_for("mcp-compat contract save python3 server.py");
        assert_eq!(told.as_deref(), Some("put `--` before the command: `… -- python3 server.py`"));
        assert_eq!(tip_for("mcp-compat explain lost cause"), None, "it takes no command");
        assert_eq!(tip_for("mcp-compat audit --no-such-option"), None);
        let told = tip_for("mcp-compat contract save --env srv=1 srv");
        assert_eq!(told.as_deref(), Some("put `--` before the command: `… -- srv`"));
        let told = tip_for("mcp-compat contract check node server.js");
        assert_eq!(told.as_deref(), Some("put `--` before the command: `… -- node server.js`"));
    }

    #[test]
    fn help_may_be_asked_for_in_both_ways() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(with_help_option(words("mcp-compat help run")), words("mcp-compat run --help"));
        assert_eq!(with_help_option(words("mcp-compat run")), words("mcp-compat run"));
        assert_eq!(with_help_option(words("mcp-compat help help")), words("mcp-compat --help"));
        let told = with_help_option(words("mcp-compat help audit -- python3 server.py"));
        assert_eq!(told, words("mcp-compat audit --help"));
    }

    fn gone_for(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        gone(&Args::try_parse_from(&words).unwrap_err(), &words)
    }

    #[test]
    fn everything_that_is_gone_says_so() {
        for (gone, instead) in GONE {
            for values in ["", " VALUE", "=VALUE --other"] {
                let said = gone_for(&format!("mcp-compat {gone}{values}"));
                if values.starts_with('=') && !gone.contains("--") {
                    continue;
                }
                assert!(said.as_ref().is_some_and(|said| said.contains(gone) && said.contains(instead)), "{said:?}");
            }
        }
        assert_eq!(gone_for("mcp-compat dosc"), None);
        assert_eq!(gone_for("mcp-compat show --schema-suite"), None, "it never had it");
    }
}
