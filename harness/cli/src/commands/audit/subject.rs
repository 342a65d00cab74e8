//! The server or servers that `audit` is asked for.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use mcp_compat_audit::probe::Target;
use mcp_compat_drive::shell_word;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_run::redact::KnownSecrets;

use super::args::AuditArgs;
use crate::inputs::server_lists::{self, Entry, ListedServer, ServerEntry, ServerList, Settings};
use crate::output::eprintln;

/// A server, and how it is audited.
pub(super) struct Subject {
    pub(super) target: Target,
    pub(super) settings: Settings,
    /// Secrets that a configuration brought in.
    pub(super) secrets: KnownSecrets,
    /// The words that name it in a command, after the options.
    pub(super) words: Vec<String>,
    /// True if all servers of a list are audited.
    pub(super) is_one_of_many: bool,
    /// True if tools that are marked read-only are called without being asked for.
    pub(super) may_call: bool,
}

/// One server, or those of a file.
pub(super) enum Subjects {
    One(Box<Subject>),
    List(ServerList),
}

impl Subjects {
    /// Finds what the arguments mean.
    ///
    /// # Errors
    /// When they name nothing that can be audited. The message says what to type.
    pub(super) fn of(args: &AuditArgs) -> Result<Self> {
        let list = match (&args.subject[..], args.server.is_given()) {
            ([], true) => {
                no_server_option(args)?;
                if let Some(option) = args.server.command.iter().skip(1).find(|word| is_ours(word)) {
                    eprintln!(
                        "`{}` stands after `--`, so the server gets it. To give it to mcp-compat, write it before `--`",
                        neutralised(option)
                    );
                }
                let words = match &args.server.url {
                    Some(url) => vec!["--url".to_owned(), url.clone()],
                    None => ["--".to_owned()].into_iter().chain(args.server.command.iter().cloned()).collect(),
                };
                return Ok(Self::alone(args.server.target()?, words));
            }
            ([], false) => found()?,
            ([word], false) if is_address(word) => {
                no_server_option(args)?;
                let target = Target::Url { url: word.clone(), headers: args.server.headers()? };
                return Ok(Self::alone(target, vec![word.clone()]));
            }
            ([word], false) if server_lists::is_list(word) => server_lists::read(Path::new(word))?,
            (words, false) => return Err(anyhow!(what_to_type(words))),
            (words, true) => bail!(
                "`{}` and a command or --url are given: name one server, or one file",
                neutralised(&words.join(" "))
            ),
        };
        args.server.check_for_list()?;
        match &args.only {
            Some(name) => Ok(Self::One(Box::new(of_name(list, name)?))),
            None => Ok(Self::List(list)),
        }
    }

    /// Returns the files that a list names for its servers.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let settings: Vec<&Settings> = match self {
            Self::One(subject) => vec![&subject.settings],
            Self::List(list) => list.servers.iter().filter_map(|listed| listed.entry.settings()).collect(),
        };
        settings.into_iter().flat_map(|settings| settings.calls.iter().chain(&settings.baseline)).cloned().collect()
    }

    fn alone(target: Target, words: Vec<String>) -> Self {
        let (settings, secrets) = (Settings::default(), KnownSecrets::default());
        Self::One(Box::new(Subject { target, settings, secrets, words, is_one_of_many: false, may_call: true }))
    }
}

impl Subject {
    pub(super) fn of_entry(entry: ServerEntry, list: &Path, name: &str, is_one_of_many: bool, may_call: bool) -> Self {
        let ServerEntry { target, secrets, settings } = entry;
        let words = vec![list.display().to_string(), "--server".to_owned(), name.to_owned()];
        Self { target, settings, secrets, words, is_one_of_many, may_call }
    }
}

/// Reads the list of servers that is here, and says which file that is.
fn found() -> Result<ServerList> {
    let Some(file) = server_lists::find(Path::new(".")) else {
        bail!(
            "name the server: `mcp-compat audit -- COMMAND`, `mcp-compat audit http://…`, or the configuration of a client, \
             as in `mcp-compat audit .mcp.json`. Without a name, the servers of mcp-compat.toml, .mcp.json or \
             .vscode/mcp.json are audited, and none of these files is here"
        );
    };
    eprintln!("auditing the servers in {}", neutralised(&file.display().to_string()));
    server_lists::read(&file)
}

fn no_server_option(args: &AuditArgs) -> Result<()> {
    if args.only.is_some() {
        bail!(
            "--server selects a server of a configuration: name its file, as in `mcp-compat audit .mcp.json --server NAME`"
        );
    }
    Ok(())
}

fn of_name(list: ServerList, name: &str) -> Result<Subject> {
    let ServerList { read_from, servers, may_call } = list;
    let shown = neutralised(&read_from.display().to_string());
    let names: Vec<String> = servers.iter().map(|listed| neutralised(&listed.name)).collect();
    // Of several with one name, clients read the last.
    let Some(ListedServer { entry, .. }) = servers.into_iter().rfind(|listed| listed.name == name) else {
        bail!("{shown} has no server {:?}. It has: {}", neutralised(name), names.join(", "));
    };
    match entry {
        Entry::Server(entry) => Ok(Subject::of_entry(*entry, &read_from, name, false, may_call)),
        Entry::Disabled => bail!("{shown} turns the server {name:?} off: remove that to audit it"),
        Entry::Mistake(why) => bail!("{shown}, server {name:?}: {why}"),
    }
}

fn is_address(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.starts_with("http://") || word.starts_with("https://")
}

/// Returns whether a word of a command is an option of `audit` that hardly any server has.
fn is_ours(word: &str) -> bool {
    const OPTIONS: [&str; 10] = [
        "--call",
        "--calls",
        "--guess",
        "--against",
        "--fail-on",
        "--notes",
        "--write-calls",
        "--expect-error",
        "--allow-uncalled",
        "--baseline",
    ];
    OPTIONS.contains(&word.split('=').next().unwrap_or_default())
}

/// Returns the error for words that name no server, with the command to type.
fn what_to_type(words: &[String]) -> String {
    let line: Vec<String> = words.iter().map(|word| neutralised(word)).collect();
    let line = line.join(" ");
    let command = |starter: &str| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // One word with blanks is a command that was put in quotes.
        let typed = match &words[..] {
            [word] if word.contains(' ') => neutralised(word),
            words => words.iter().map(|word| neutralised(&shell_word(word))).collect::<Vec<_>>().join(" "),
        };
        format!("a command stands after `--`. Type: mcp-compat audit -- {starter}{typed}")
    };
    let [word] = words else { return command("") };
    let has_port = || {
        let (host, rest) = word.split_once(':').unwrap_or((word, ""));
        let port = rest.split('/').next().unwrap_or_default();
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    };
    match Path::new(word).extension().and_then(|end| end.to_str()) {
        _ if word.contains(' ') => command(""),
        Some("js" | "mjs" | "cjs") => command("node "),
        Some("ts" | "mts" | "tsx") => command("npx tsx "),
        Some("py") => command("python3 "),
        _ if has_port() => format!("an address begins with http:// or https://. Type: mcp-compat audit http://{line}"),
        _ => format!(
            "`{line}` is neither an address nor a configuration with servers, such as .mcp.json. If it starts a server, type: \
             mcp-compat audit -- {line}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[&str]) -> String {
        what_to_type(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn words_that_name_no_server_are_answered_with_what_to_type() {
        for (words, typed) in [
            (&["node server.js"][..], "mcp-compat audit -- node server.js"),
            (&["server.js"], "mcp-compat audit -- node server.js"),
            (&["src/index.ts"], "mcp-compat audit -- npx tsx src/index.ts"),
            (&["server.py"], "mcp-compat audit -- python3 server.py"),
            (&["node", "my server.js"], "mcp-compat audit -- node 'my server.js'"),
            (&["localhost:3000/mcp"], "mcp-compat audit http://localhost:3000/mcp"),
            (&["my-server"], "mcp-compat audit -- my-server"),
        ] {
            assert!(told(words).ends_with(&format!(": {typed}")), "{words:?}: {}", told(words));
        }
    }

    #[test]
    fn an_option_that_was_meant_for_the_audit_is_known_behind_the_command() {
        assert!(is_ours("--call=list") && is_ours("--guess") && !is_ours("--stdio") && !is_ours("--callback"));
    }

    #[test]
    fn addresses_and_lists_are_told_from_commands() {
        assert!(is_address("HTTPS://example.org/mcp") && !is_address("http-server"));
        assert!(server_lists::is_list("a/.mcp.json") && server_lists::is_list("mcp-compat.toml"));
        assert!(!server_lists::is_list("server.js") && !server_lists::is_list("other.toml"));
    }
}
