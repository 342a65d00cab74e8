//! Parses the command line, with tips for common mistakes. For one release, a command that has another name now works and
//! says so, and a command or an option that was removed is an error that names its replacement.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser as _};
use mcp_compat_drive::shell_word;

use crate::args::Args;
use crate::output::eprintln;
use crate::overview::{self, is_asked_for_all};

/// Removed commands, and options with their command, each with a sentence about the replacement. The sentence is empty
/// if there is none.
const GONE: &[(&str, &str)] = &[
    ("docs", "Read the pages of the book in the folder docs/src of the repository; docs/src/SUMMARY.md lists them."),
    ("run --schema-suite", ""),
    ("selftest", IN_LAB),
    ("fidelity", IN_LAB),
    ("sweep", IN_LAB),
    ("show --markdown", "Read harness/RULES.md in the repository."),
];

/// Former names of commands, each with the words that replace it.
const RENAMED: &[(&str, &[&str])] = &[
    ("contract", &["lock"]),
    ("merge", &["report", "--merge"]),
    ("site", &["report", "--format", "site"]),
    ("bisect", &["peers", "bisect"]),
    ("list", &["show"]),
];

/// Replacement of commands that only mcp-compat itself needs.
const IN_LAB: &str = "It checks mcp-compat itself: in the repository, use `cargo run -p mcp-compat-lab`.";

/// Returns the arguments. Prints the error and ends the process if they are invalid.
pub(crate) fn parsed(words: Vec<OsString>) -> Args {
    let (words, renamed) = with_new_name(with_help_option(words));
    if let Some(Renamed { old, new }) = renamed {
        eprintln!("note: `mcp-compat {old}` is now `mcp-compat {new}`; the old name works until the next release");
    }
    let typed: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let matched = if is_asked_for_all(&typed[1.min(typed.len())..]) {
        overview::with_all_commands(Args::command()).try_get_matches_from(["mcp-compat", "--help"])
    } else {
        overview::with_first_commands(Args::command()).try_get_matches_from(&words)
    };
    matched.and_then(|matched| Args::from_arg_matches(&matched)).unwrap_or_else(|mut error| {
        let words = typed;
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

/// Former name of what was typed, and its name now.
#[derive(Debug, PartialEq, Eq)]
struct Renamed {
    old: String,
    new: String,
}

/// Replaces the former name of a command.
fn with_new_name(mut words: Vec<OsString>) -> (Vec<OsString>, Option<Renamed>) {
    let Some(first) = words.get(1).and_then(|word| word.to_str()) else { return (words, None) };
    if let Some((old, new)) = RENAMED.iter().find(|(old, _)| *old == first) {
        let renamed = Renamed { old: (*old).to_owned(), new: new.join(" ") };
        words.splice(1..2, new.iter().map(OsString::from));
        return (words, Some(renamed));
    }
    if first == "audit"
        && let Some(at) = of_client(&words)
    {
        words.remove(at);
        words[1] = "audit-client".into();
        let renamed = Renamed { old: "audit --client".to_owned(), new: "audit-client".to_owned() };
        return (words, Some(renamed));
    }
    (words, None)
}

/// Returns the place of the option `--client`, unless a value follows: then the pattern for clients is meant.
fn of_client(words: &[OsString]) -> Option<usize> {
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let at = words[..options].iter().position(|word| word == "--client")?;
    let has_value = words.get(at + 1).is_some_and(|next| !next.to_string_lossy().starts_with('-'));
    (!has_value).then_some(at)
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
    if unknown == "--client" && words[1] == "audit" {
        let client = words.get(at + 1).map(|client| shell_word(client))?;
        return Some(format!("to select the clients for a server, type `--against {client}`"));
    }
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
        let told = tip_for("mcp-compat lock save python3 server.py");
        assert_eq!(told.as_deref(), Some("put `--` before the command: `… -- python3 server.py`"));
        assert_eq!(tip_for("mcp-compat explain lost cause"), None, "it takes no command");
        assert_eq!(tip_for("mcp-compat audit --no-such-option"), None);
        let told = tip_for("mcp-compat audit --client mock/dual -- python3 server.py");
        assert_eq!(told.as_deref(), Some("to select the clients for a server, type `--against mock/dual`"));
        let told = tip_for("mcp-compat lock save --env srv=1 srv");
        assert_eq!(told.as_deref(), Some("put `--` before the command: `… -- srv`"));
        let told = tip_for("mcp-compat lock check node server.js");
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

    #[test]
    fn a_former_name_becomes_the_one_of_now() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (old, new) in [
            ("contract save -- node server.js", "lock save -- node server.js"),
            ("merge one two --out all", "report --merge one two --out all"),
            ("site --out pages", "report --format site --out pages"),
            ("audit --client --timeout=5s -- cmd", "audit-client --timeout=5s -- cmd"),
            ("audit --json --client", "audit-client --json"),
            ("list rules", "show rules"),
        ] {
            let (now, renamed) = with_new_name(words(&format!("mcp-compat {old}")));
            assert_eq!(now, words(&format!("mcp-compat {new}")));
            assert!(renamed.is_some(), "{old}");
        }
        for same in ["audit -- cmd --client", "audit --client mock/dual -- cmd", "show site", "run"] {
            let line = format!("mcp-compat {same}");
            assert_eq!(with_new_name(words(&line)), (words(&line), None));
        }
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
