//! Parses the command line, with tips for common mistakes.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{CommandFactory as _, Parser as _};
use mcp_compat_drive::shell_word;

use crate::args::Args;
use crate::gone;

/// Returns the arguments. Prints the error and ends the process if they are invalid.
pub(crate) fn parsed(words: Vec<OsString>) -> Args {
    let words = with_help_option(words);
    Args::try_parse_from(&words).unwrap_or_else(|mut error| {
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        if let Some(message) = gone::message(&error, &words) {
            let error: Error = Error::raw(ErrorKind::InvalidSubcommand, message + "\n");
            error.exit();
        }
        if let Some(tip) = tip(&error, &words) {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        error.exit()
    })
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
    let with_dashes = format!("put `--` before the command: `… -- {command}`");
    if words.get(at - 1).is_some_and(|before| before == "--client") {
        let client = shell_word(unknown);
        return Some(format!("{with_dashes}. To select the clients for a server, type `--against {client}`"));
    }
    Some(with_dashes)
}

/// Returns whether the subcommand that the words name takes a command after `--`.
fn takes_a_command(words: &[String]) -> bool {
    let root = Args::command();
    let mut command = &root;
    for word in &words[1..] {
        let Some(inner) = command.find_subcommand(word) else { break };
        command = inner;
    }
    command.get_arguments().any(clap::Arg::is_last_set)
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
        let told = tip_for("mcp-compat audit python3 server.py");
        assert_eq!(told.as_deref(), Some("put `--` before the command: `… -- python3 server.py`"));
        assert_eq!(tip_for("mcp-compat explain lost cause"), None, "it takes no command");
        assert_eq!(tip_for("mcp-compat audit --no-such-option"), None);
        let told = tip_for("mcp-compat audit --client mock/dual -- python3 server.py");
        assert!(told.unwrap().contains("--against mock/dual"));
        let told = tip_for("mcp-compat audit --tool srv srv");
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
}
