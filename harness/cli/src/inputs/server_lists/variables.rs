//! Variables in the texts of configurations and headers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};

/// Prefix of the variables that stand for the inputs of VS Code.
const INPUT: &str = "MCP_COMPAT_INPUT_";

/// Number of defaults within defaults that are read.
const DEEPEST: usize = 8;

/// Number of missing variables that are named.
const NAMED: usize = 10;

/// Expands variables, and keeps what was used and what was missing.
pub(super) struct Variables<'a> {
    environment: &'a dyn Fn(&str) -> Option<String>,
    /// The folder of the project.
    folder: &'a Path,
    /// The inputs of VS Code, each with its default.
    inputs: &'a BTreeMap<String, Option<String>>,
    /// Number of defaults that the text which is expanded is in.
    depth: usize,
    /// Variables of the environment that were used, with their values.
    pub(super) used: BTreeMap<String, String>,
    /// What to set, a phrase each.
    pub(super) missing: Vec<String>,
}

impl<'a> Variables<'a> {
    pub(super) fn new(
        environment: &'a dyn Fn(&str) -> Option<String>,
        folder: &'a Path,
        inputs: &'a BTreeMap<String, Option<String>>,
    ) -> Self {
        Self { environment, folder, inputs, depth: 0, used: BTreeMap::new(), missing: Vec::new() }
    }

    /// Replaces `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, and the folders of VS Code and Cursor. Any
    /// other text stays.
    pub(super) fn expand(&mut self, text: &str) -> String {
        let (mut expanded, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${") {
            let Some(end) = closing_brace(after) else { break };
            expanded += before;
            match self.value(&after[..end]) {
                Some(value) => expanded += &value,
                None => expanded += &format!("${{{}}}", &after[..end]),
            }
            rest = &after[end + 1..];
        }
        expanded + rest
    }

    /// Returns the value of a variable, or nothing if this is not one. The value of a missing variable is empty.
    fn value(&mut self, inner: &str) -> Option<String> {
        let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        if let Some(folder) = self.of_editor(name) {
            return Some(folder);
        }
        if let Some(id) = name.strip_prefix("input:") {
            let variable = format!("{INPUT}{}", id.replace(|c: char| !c.is_ascii_alphanumeric(), "_").to_uppercase());
            let known = self.inputs.get(id).cloned().flatten();
            return Some(
                self.of_environment(&variable, known, || format!("the input `{id}` has no value: set {variable}")),
            );
        }
        let name = name.strip_prefix("env:").unwrap_or(name);
        if !is_name(name) {
            return None;
        }
        let default = default.map(|default| self.default(default));
        Some(self.of_environment(name, default, || format!("the variable {name} is not set")))
    }

    /// Expands the default of a variable. A file that nests more of them than anyone writes is refused.
    fn default(&mut self, text: &str) -> String {
        if self.depth == DEEPEST {
            self.needs(format!("its variables have more than {DEEPEST} defaults within each other: write fewer"));
            return String::new();
        }
        self.depth += 1;
        let expanded = self.expand(text);
        self.depth -= 1;
        expanded
    }

    fn needs(&mut self, what: String) {
        if self.missing.len() < NAMED && !self.missing.contains(&what) {
            self.missing.push(what);
        }
    }

    fn of_environment(&mut self, name: &str, default: Option<String>, missing: impl Fn() -> String) -> String {
        // As in a shell, `:-` counts an empty variable as one that is not set.
        let value = (self.environment)(name).filter(|value| default.is_none() || !value.is_empty());
        if let Some(value) = value {
            self.used.insert(name.to_owned(), value.clone());
            return value;
        }
        default.unwrap_or_else(|| {
            self.needs(missing());
            String::new()
        })
    }

    /// Returns what the variables of VS Code, Cursor and Claude Code that depend on the project stand for.
    fn of_editor(&self, name: &str) -> Option<String> {
        let folder = || self.folder.canonicalize().unwrap_or_else(|_| self.folder.to_owned());
        Some(match name {
            "workspaceFolder" | "CLAUDE_PROJECT_DIR" => folder().display().to_string(),
            "workspaceFolderBasename" => folder().file_name()?.to_string_lossy().into_owned(),
            "userHome" => (self.environment)("HOME")?,
            "pathSeparator" | "/" => std::path::MAIN_SEPARATOR_STR.to_owned(),
            _ => return None,
        })
    }
}

/// Variables that every environment has, and that are no secrets.
const PUBLIC: [&str; 8] = ["HOME", "PATH", "PWD", "USER", "USERPROFILE", "SHELL", "LANG", "TMPDIR"];

pub fn is_public(name: &str) -> bool {
    PUBLIC.contains(&name)
}

/// Returns the variables of the environment in a text, in its order, without those that every environment has.
pub fn variables_in(text: &str) -> Vec<String> {
    let (names, inputs) = (RefCell::new(Vec::new()), BTreeMap::new());
    let environment = |name: &str| {
        names.borrow_mut().push(name.to_owned());
        Some(String::new())
    };
    Variables::new(&environment, Path::new("."), &inputs).expand(text);
    names.into_inner().into_iter().filter(|name| !is_public(name)).collect()
}

/// Returns whether a text is one variable, `${NAME}`, `${env:NAME}` or `${NAME:-default}`, and nothing else.
pub fn is_variable(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("${") else { return false };
    let name = inner.split_once(":-").map_or_else(|| inner.trim_end_matches('}'), |(name, _)| name);
    closing_brace(inner).is_some_and(|end| end + 1 == inner.len()) && is_name(name.strip_prefix("env:").unwrap_or(name))
}

/// Returns the text with letters in place of the bytes of each variable.
pub fn covered(text: &str) -> String {
    let (mut covered, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some(end) = closing_brace(after) else { break };
        covered += before;
        covered += &"x".repeat("${}".len() + end);
        rest = &after[end + 1..];
    }
    covered + rest
}

fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the place of the brace that closes a variable whose `${` was read.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' if text[..at].ends_with('$') => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Expands `$NAME`, `${NAME}` and `${NAME:-default}` in the value of a header; `$$` stands for a dollar sign.
///
/// # Errors
/// If a variable is not set. Its name is part of the message.
pub fn expanded_header(value: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<String> {
    let inputs = BTreeMap::new();
    let mut variables = Variables::new(environment, Path::new("."), &inputs);
    let parts: Vec<String> = value.split("$$").map(|part| variables.expand(&with_braces(part))).collect();
    if let Some(missing) = variables.missing.first() {
        bail!("{missing}. Write $$ for a dollar sign");
    }
    Ok(parts.join("$"))
}

/// Writes `${NAME}` for `$NAME`. Names in lower case stay, because values may have a dollar sign.
fn with_braces(text: &str) -> String {
    let mut pieces = text.split('$');
    let mut braced = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let end = piece.find(|c| !is_part(c)).unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let is_word = rest.starts_with(|c: char| c.is_ascii_lowercase());
        if is_name(name) && !is_word {
            braced += &format!("${{{name}}}{rest}");
        } else {
            braced += &format!("${piece}");
        }
    }
    braced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some("t0k3n".to_owned()),
            "EMPTY" => Some(String::new()),
            "HOME" => Some("/home/me".to_owned()),
            "MCP_COMPAT_INPUT_API_KEY" => Some("typed".to_owned()),
            _ => None,
        }
    }

    fn expanded(text: &str) -> (String, Vec<String>) {
        let inputs = BTreeMap::from([("api-key".to_owned(), None), ("region".to_owned(), Some("eu".to_owned()))]);
        let mut variables = Variables::new(&environment, Path::new("/nowhere/project"), &inputs);
        let text = variables.expand(text);
        (text, variables.missing)
    }

    #[test]
    fn what_clients_expand_is_expanded_and_the_rest_stays() {
        for (text, value) in [
            ("Bearer ${TOKEN}!", "Bearer t0k3n!"),
            ("${env:TOKEN}${TOKEN}", "t0k3nt0k3n"),
            ("${GONE:-a:-b}", "a:-b"),
            ("${EMPTY:-d}|${EMPTY}|${GONE:-}", "d||"),
            ("${GONE:-${TOKEN}}", "t0k3n"),
            ("${input:api-key} ${input:region}", "typed eu"),
            ("${workspaceFolder}${/}a ${userHome} ${workspaceFolderBasename}", "/nowhere/project/a /home/me project"),
            ("$TOKEN ${x%y} ${ ${} $", "$TOKEN ${x%y} ${ ${} $"),
            ("${bad-name:-${GONE}}", "${bad-name:-${GONE}}"),
        ] {
            assert_eq!(expanded(text), (value.to_owned(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn variables_are_found_without_their_values() {
        let text = "${A} ${env:B}${C:-${D}} ${PATH} ${userHome} ${workspaceFolder} ${x%y} ${input:api-key}";
        assert_eq!(variables_in(text), ["A", "B", "D", "C", "MCP_COMPAT_INPUT_API_KEY"]);
        for (text, is_one) in [
            ("${A}", true),
            ("${env:A}", true),
            ("${A:-${B}}", true),
            ("${A}${B}", false),
            ("${A:-b}c${D}", false),
            ("a${A}", false),
            ("${A}}", false),
            ("${a b}", false),
            ("${", false),
        ] {
            assert_eq!(is_variable(text), is_one, "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_named_once() {
        let (_, missing) = expanded("${GONE}${GONE}${env:AWAY}${input:other}");
        let input = "the input `other` has no value: set MCP_COMPAT_INPUT_OTHER";
        assert_eq!(missing, ["the variable GONE is not set", "the variable AWAY is not set", input]);
    }

    #[test]
    fn defaults_are_nested_only_so_deep() {
        let nested = |depth: usize| format!("{}end{}", "${GONE:-".repeat(depth), "}".repeat(depth));
        assert_eq!(expanded(&nested(DEEPEST)), ("end".to_owned(), Vec::new()));
        for depth in [DEEPEST + 1, 100_000] {
            let (_, refused) = expanded(&nested(depth));
            assert!(refused[0].contains("more than 8 defaults within each other"), "{refused:?}");
        }
        let (_, missing) = expanded(&(0..100_000).map(|number| format!("${{GONE_{number}}}")).collect::<String>());
        assert_eq!(missing.len(), NAMED);
    }

    #[test]
    fn a_header_takes_the_forms_of_a_shell() {
        let header = |value: &str| expanded_header(value, &environment);
        for (value, sent) in [
            ("Bearer $TOKEN", "Bearer t0k3n"),
            ("Bearer ${TOKEN}.", "Bearer t0k3n."),
            ("a$$TOKEN", "a$TOKEN"),
            ("pa$word $1 $", "pa$word $1 $"),
            ("$Abc", "$Abc"),
            ("${GONE:-none}", "none"),
        ] {
            assert_eq!(header(value).unwrap(), sent, "{value}");
        }
        let error = header("Bearer $GONE").unwrap_err().to_string();
        assert!(error.starts_with("the variable GONE is not set"), "{error}");
    }
}
