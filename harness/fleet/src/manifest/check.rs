//! Checks that serde cannot make: keys that exclude or need each other, empty commands, unknown placeholders, revisions
//! after the last release.

use std::path::{Component, Path};

use super::form::{Form, Revisions, Setup as SetupForm};
use super::types::{How, Manifest, Serves, Setup};
use crate::places::placeholders;
use crate::toml_file::TomlFile;

/// A list of words of the form, and its location.
struct Words<'f> {
    at: Vec<String>,
    words: &'f [String],
    known: Known,
    is_command: bool,
}

/// The placeholders that are known.
#[derive(Clone, Copy)]
enum Known {
    /// Before a release is installed.
    Folders,
    /// While a release is installed, and afterwards.
    Release,
    /// When a host is started.
    Host,
}

/// The manifest of a form. `None` if there was a mistake.
pub(super) fn manifest(form: Form, file: &mut TomlFile<'_>) -> Option<Manifest> {
    let serves = serves(&form, file);
    roles(&form, file);
    commands(&form, file);
    tools(&form, file);
    if let (Revisions::Since(first), Some(Serves::Releases { versions, .. })) = (&form.revisions, &serves) {
        for (revision, since) in first.iter().filter(|(_, since)| versions.is_below(since)) {
            file.mistake(
                &["revisions", revision.as_str()],
                format!("no release of `{versions}` speaks {revision}"),
                format!("{since} comes after all of them"),
            );
        }
    }
    let setup = match form.setup {
        Some(setup) => Some(self::setup(setup, serves.as_ref(), file)?),
        None => None,
    };
    Some(Manifest {
        serves: serves?,
        language: form.language,
        about: form.about,
        revisions: form.revisions,
        registry: form.registry,
        tools: form.tool,
        setup,
        client: form.client,
        host: form.host,
        server: form.server,
        server_typed: form.server_typed,
    })
}

fn serves(form: &Form, file: &mut TomlFile<'_>) -> Option<Serves> {
    match (&form.id, &form.name, &form.versions) {
        (Some(id), None, None) => Some(Serves::One(id.clone())),
        (None, Some(name), Some(versions)) => {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if name.is_empty() || !name.chars().all(allowed) {
                file.mistake(
                    &["name"],
                    format!("`{name}` cannot be the name of a family"),
                    "expected letters, digits and `-_.`",
                );
                return None;
            }
            Some(Serves::Releases { name: name.clone(), versions: versions.clone() })
        }
        (Some(_), ..) => {
            let second = if form.name.is_some() { "name" } else { "versions" };
            let message = format!("`id` is about one release, and `{second}` about a range");
            file.mistake(&[second], message, "keep one of the two");
            None
        }
        (None, Some(_), None) => {
            file.mistake(&["name"], "`versions` is missing", "which releases are these? As in `>=1.0.0, <2.0.0`");
            None
        }
        (None, None, Some(_)) => {
            file.mistake(&["versions"], "`name` is missing", "of what are these the releases?");
            None
        }
        (None, None, None) => {
            let message = "nothing says which releases this is about";
            file.mistake(&[], message, "expected `id`, or `name` and `versions`");
            None
        }
    }
}

fn roles(form: &Form, file: &mut TomlFile<'_>) {
    if form.client.is_none() && form.host.is_none() && form.server.is_none() && form.server_typed.is_none() {
        let expected = "expected [client] or [server], whichever it can play, or [host]";
        file.mistake(&[], "the peer has neither a client nor a server", expected);
    }
    if form.client.is_some() && form.host.is_some() {
        file.mistake(&["host"], "a host is a client, and the peer has a [client] beside it", "keep one of the two");
    }
    for (key, server) in [("server", &form.server), ("server-typed", &form.server_typed)] {
        if server.as_ref().is_some_and(|server| server.stdio.is_none() && server.http.is_none()) {
            file.mistake(&[key], format!("the server of [{key}] has no command"), "expected `stdio`, `http` or both");
        }
    }
}

fn commands(form: &Form, file: &mut TomlFile<'_>) {
    let copies = form.setup.as_ref().is_some_and(|setup| setup.command.is_none());
    let has_version = form.id.as_ref().is_none_or(|id| id.version().is_some());
    for Words { at, words, known, is_command } in all_words(form) {
        let at: Vec<&str> = at.iter().map(String::as_str).collect();
        if is_command && words.first().is_none_or(String::is_empty) {
            let keys: Vec<&str> = at.iter().copied().filter(|key| key.parse::<usize>().is_err()).collect();
            let message = format!("a command of `{}` is empty", keys.join("."));
            file.mistake(&at, message, "expected the program and its arguments");
        }
        for (number, word) in words.iter().enumerate() {
            for name in placeholders(word) {
                let (is_known, why) = match (name, known) {
                    ("peer" | "build", _) => (true, ""),
                    ("version", Known::Release | Known::Host) => (has_version, "the id names no version"),
                    (name, Known::Host) if mcp_compat_host::PLACEHOLDERS.contains(&name) => (true, ""),
                    ("home", Known::Release | Known::Host) => (copies, "no copy is made: [setup] has no `steps`"),
                    ("version" | "home", Known::Folders) => (false, "it has no meaning before there is a release"),
                    _ => (false, "expected `{peer}`, `{home}`, `{build}` or `{version}`"),
                };
                if !is_known {
                    let number = number.to_string();
                    file.mistake(
                        &[&at[..], &[&number]].concat(),
                        format!("`{{{name}}}` is not a placeholder here"),
                        why,
                    );
                }
            }
        }
    }
}

fn all_words(form: &Form) -> Vec<Words<'_>> {
    let mut all = Vec::new();
    let mut add = |at: &[&str], words, known, is_command| {
        let at = at.iter().map(|key| (*key).to_owned()).collect();
        all.push(Words { at, words, known, is_command });
    };
    if let Some(registry) = &form.registry {
        add(&["registry", "list"], &registry.list[..], Known::Folders, true);
    }
    for (number, tool) in form.tool.iter().enumerate() {
        add(&["tool", &number.to_string(), "command"], &tool.command[..], Known::Folders, true);
    }
    if let Some(setup) = &form.setup {
        for (key, steps) in [("locked", &setup.locked), ("steps", &setup.steps)] {
            for (number, step) in steps.iter().enumerate() {
                add(&["setup", key, &number.to_string()], &step[..], Known::Release, true);
            }
        }
        if let Some(command) = &setup.command {
            add(&["setup", "command"], &command[..], Known::Release, true);
        }
        add(&["setup", "inputs"], &setup.inputs[..], Known::Folders, false);
        add(&["setup", "produces"], setup.produces.as_slice(), Known::Release, false);
        for (name, value) in &setup.env {
            add(&["setup", "env", name], std::slice::from_ref(value), Known::Release, false);
        }
    }
    if let Some(client) = &form.client {
        add(&["client", "command"], &client.command[..], Known::Release, true);
    }
    if let Some(host) = &form.host {
        add(&["host", "command"], &host.command[..], Known::Host, true);
        for (number, command) in host.before.iter().enumerate() {
            add(&["host", "before", &number.to_string()], &command[..], Known::Host, true);
        }
        for (name, value) in &host.env {
            add(&["host", "env", name], std::slice::from_ref(value), Known::Host, false);
        }
    }
    for (key, server) in [("server", &form.server), ("server-typed", &form.server_typed)] {
        let Some(server) = server else { continue };
        for (transport, command) in [("stdio", &server.stdio), ("http", &server.http)] {
            if let Some(command) = command {
                add(&[key, transport], &command[..], Known::Release, true);
            }
        }
    }
    all
}

fn tools(form: &Form, file: &mut TomlFile<'_>) {
    for (number, tool) in form.tool.iter().enumerate() {
        if tool.get.trim().is_empty() {
            let at = ["tool", &number.to_string(), "get"];
            file.mistake(&at, "`get` is empty", "what is to be got, and where?");
        }
    }
}

fn setup(form: SetupForm, serves: Option<&Serves>, file: &mut TomlFile<'_>) -> Option<Setup> {
    let SetupForm { command, env, inputs, lock, locked, steps, produces } = form;
    for (number, input) in inputs.iter().enumerate() {
        if !input.starts_with("{peer}/") {
            let message = format!("the input `{input}` is in no known place");
            file.mistake(&["setup", "inputs", &number.to_string()], message, "expected a path below `{peer}/`");
        }
    }
    for lock in &lock {
        let plain = Path::new(lock).components().all(|part| matches!(part, Component::Normal(_)));
        if lock.is_empty() || !plain {
            let message = format!("the lock file `{lock}` is not one of the peer's folder");
            file.mistake(&["setup", "lock"], message, "expected a plain path, such as `package-lock.json`");
        }
    }
    let how = match command {
        None => {
            if steps.is_empty() && locked.is_empty() {
                file.mistake(&["setup"], "[setup] does nothing", "expected `steps`");
                return None;
            }
            if lock.is_empty() && !locked.is_empty() {
                file.mistake(
                    &["setup", "locked"],
                    "`setup.locked` has no lock file",
                    "`lock` is missing: which file is it?",
                );
            }
            if let Some(Serves::One(id)) = serves
                && id.version().is_none()
            {
                let message = format!("a copy is made for a version, but `{id}` names no version");
                file.mistake(&["id"], message, "expected `name@version`");
            }
            let locked = if locked.is_empty() { steps.clone() } else { locked };
            How::Copied { lock, locked, steps }
        }
        Some(_) if !steps.is_empty() || !locked.is_empty() || !lock.is_empty() => {
            let message = "`command` is the whole installation, in the manifest's own folder";
            file.mistake(&["setup", "command"], message, "expected this, or `steps` in a copy of the folder");
            return None;
        }
        Some(_) if matches!(serves, Some(Serves::Releases { .. })) => {
            let message = "several releases cannot be installed in one folder";
            file.mistake(&["setup", "command"], message, "expected `steps`: each release has a copy");
            return None;
        }
        Some(command) => How::InPlace(command),
    };
    Some(Setup { inputs, env, produces, how })
}
