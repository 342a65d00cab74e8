//! Command of a black-box client, and the tool that it calls.

use std::fmt;

use crate::redact::{redact_command_line, redact_command_words};
use mcp_compat_drive::{Launch, shell_word};
use mcp_compat_model::{Revision, Transport};

/// The scenario of the conformance suite in which clients list the tools and call one.
const SUITE_SCENARIO: &str = "tools_call";

/// The tool that clients call in that scenario.
pub const SUITE_TOOL: &str = "add_numbers";

/// The arguments with which they call it.
pub(super) const SUITE_ARGUMENTS: &str = r#"{"a":5,"b":3}"#;

/// The variable that names the scenario.
const SCENARIO_VARIABLE: &str = "MCP_CONFORMANCE_SCENARIO";

/// The variable that names the revision that the server speaks.
const REVISION_VARIABLE: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";

/// The placeholder of the server's address in a command.
pub const URL: &str = "{url}";

/// The placeholder of the server's command, for a client that starts its server itself.
pub const SERVER: &str = "{server}";

/// Server that a black-box client is started against.
#[derive(Clone, Copy, Debug)]
pub enum ServerPlace<'a> {
    /// It listens at this address.
    Url(&'a str),
    /// The client starts it with this command.
    Command(&'a [String]),
}

/// Command of a black-box client, and the tool that it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCommand {
    line: Line,
    calls: String,
}

/// A command as its user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    /// A line for the shell, as the conformance suite takes it.
    Shell(String),
    /// A program and its arguments.
    Words(Vec<String>),
}

impl ClientCommand {
    /// A line for the shell. The server's address takes the place of `{url}`, or is appended.
    pub fn shell(line: impl Into<String>) -> Self {
        Self { line: Line::Shell(line.into()), calls: SUITE_TOOL.to_owned() }
    }

    /// A program and its arguments. The server's address is added as in [`ClientCommand::shell`].
    pub fn words(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { line: Line::Words(words.into_iter().map(Into::into).collect()), calls: SUITE_TOOL.to_owned() }
    }

    /// The same client, if it calls another tool than [`SUITE_TOOL`].
    pub fn calling(self, tool: impl Into<String>) -> Self {
        Self { calls: tool.into(), ..self }
    }

    /// The tool that the client calls.
    pub fn calls(&self) -> &str {
        &self.calls
    }

    /// The transport over which the client connects: the one that its placeholder asks for.
    pub fn transport(&self) -> Transport {
        let has_placeholder = match &self.line {
            Line::Shell(line) => line.contains(SERVER),
            Line::Words(words) => words.iter().any(|word| word.contains(SERVER)),
        };
        if has_placeholder { Transport::Stdio } else { Transport::Http }
    }

    /// Returns the command that starts the client against a server. `revision` is the newest one of the server.
    pub fn launch(&self, server: ServerPlace<'_>, revision: Option<Revision>) -> Launch {
        let launch = match (&self.line, server) {
            (Line::Shell(line), ServerPlace::Url(url)) => Launch::new("sh").args(["-c", &addressed(line, url)]),
            (Line::Shell(line), ServerPlace::Command(command)) => {
                Launch::new("sh").args(["-c", &line.replace(SERVER, &one_word(command))])
            }
            (Line::Words(words), ServerPlace::Command(command)) => {
                // A word of its own stands for all words of the command.
                let placed = |word: &String| match word.as_str() {
                    SERVER => command.to_vec(),
                    _ => vec![word.replace(SERVER, &one_word(command))],
                };
                let mut words = words.iter().flat_map(placed);
                Launch::new(words.next().unwrap_or_default()).args(words)
            }
            (Line::Words(words), ServerPlace::Url(url)) => {
                let is_placed = words.iter().any(|word| word.contains(URL));
                let words = words.iter().map(|word| word.replace(URL, url));
                let mut words = words.chain((!is_placed).then(|| url.to_owned()));
                Launch::new(words.next().unwrap_or_default()).args(words)
            }
        };
        let launch = launch.env(SCENARIO_VARIABLE, SUITE_SCENARIO);
        match revision {
            Some(revision) => launch.env(REVISION_VARIABLE, revision.as_str()),
            None => launch,
        }
    }
}

/// A command as one text, as a shell reads it.
fn one_word(command: &[String]) -> String {
    command.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A line for the shell with the address in it. The harness chooses addresses, and they have no character that a shell
/// interprets.
fn addressed(line: &str, url: &str) -> String {
    if line.contains(URL) { line.replace(URL, url) } else { format!("{line} {url}") }
}

/// The command as it may be shown: the secrets among its arguments are redacted.
impl fmt::Display for ClientCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.line {
            Line::Shell(line) => f.write_str(&redact_command_line(line)),
            Line::Words(words) => f.write_str(&redact_command_words(words).join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(launch: &Launch) -> Vec<String> {
        let all = [&launch.program].into_iter().chain(&launch.args);
        all.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_address_comes_last_or_where_it_is_asked_for() {
        let launched = |command: ClientCommand| words(&command.launch(ServerPlace::Url("http://u/1"), None));
        assert_eq!(launched(ClientCommand::shell("npx me")), ["sh", "-c", "npx me http://u/1"]);
        assert_eq!(launched(ClientCommand::shell("A=1 me --to={url} -v")), ["sh", "-c", "A=1 me --to=http://u/1 -v"]);
        assert_eq!(launched(ClientCommand::words(["me", "x"])), ["me", "x", "http://u/1"]);
        assert_eq!(launched(ClientCommand::words(["me", "--to={url}", "x"])), ["me", "--to=http://u/1", "x"]);
    }

    #[test]
    fn a_client_that_starts_its_server_gets_the_command_where_it_is_asked_for() {
        let server = ["/a b/relay", "host:1", "t"].map(str::to_owned);
        let launched = |command: ClientCommand| {
            assert_eq!(command.transport(), Transport::Stdio);
            words(&command.launch(ServerPlace::Command(&server), None))
        };
        assert_eq!(launched(ClientCommand::words(["me", "--", "{server}"])), ["me", "--", "/a b/relay", "host:1", "t"]);
        let one = "--run='/a b/relay' host:1 t";
        assert_eq!(launched(ClientCommand::words(["me", "--run={server}"])), ["me", one]);
        assert_eq!(launched(ClientCommand::shell("me -- {server}")), ["sh", "-c", "me -- '/a b/relay' host:1 t"]);
        assert_eq!(ClientCommand::words(["me", "{url}"]).transport(), Transport::Http);
    }

    #[test]
    fn secrets_reach_the_program_and_are_redacted_for_display() {
        for command in
            [ClientCommand::shell("me --token=SEKRIT"), ClientCommand::words(["me", "--token", "it's SEKRIT"])]
        {
            assert!(words(&command.launch(ServerPlace::Url("http://u"), None)).concat().contains("SEKRIT"));
            assert!(!command.to_string().contains("SEKRIT"), "{command}");
        }
    }

    #[test]
    fn it_gets_the_variables_of_the_conformance_suite() {
        let launch = ClientCommand::shell("me").launch(ServerPlace::Url("http://u"), Some(Revision::V2025_11_25));
        assert_eq!(launch.env[SCENARIO_VARIABLE], "tools_call");
        assert_eq!(launch.env[REVISION_VARIABLE], "2025-11-25");
    }
}
