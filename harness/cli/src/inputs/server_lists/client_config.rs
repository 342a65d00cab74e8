//! The configuration of a client: `mcpServers` of Claude, Cursor and others, `servers` of VS Code.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use mcp_compat_json::{Json, Object};

use super::Listed;
use super::entry::Fields;

/// Returns the member of a configuration that lists servers.
pub(super) fn servers(json: &Json) -> Option<&Json> {
    let of_settings = json.get("mcp").and_then(|mcp| mcp.get("servers"));
    json.get("mcpServers").or_else(|| json.get("servers")).or(of_settings)
}

/// Reads the servers of a configuration.
///
/// # Errors
/// If they are not an object.
pub(super) fn read(json: &Json, servers: &Json) -> Result<Listed> {
    let Json::Object(servers) = servers else {
        bail!("its servers are a JSON value of type {}: expected an object with a name for each", servers.kind());
    };
    let names: Vec<String> = servers.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let last: BTreeMap<&str, usize> = names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let entry = |(place, (_, entry)): (usize, (&_, &Json))| {
        let name = names[place].clone();
        let is_replaced = last.get(name.as_str()) != Some(&place);
        let fields = match entry {
            _ if is_replaced => {
                Err("another entry of this name follows, and clients read only that one: rename one of them".to_owned())
            }
            Json::Object(entry) => fields(entry),
            other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                Err(format!("its entry is a JSON value of type {}: expected an object", other.kind()))
            }
        };
        (name, fields)
    };
    Ok(Listed { entries: servers.iter().enumerate().map(entry).collect(), inputs: inputs(json) })
}

/// Reads the inputs of VS Code.
fn inputs(json: &Json) -> BTreeMap<String, Option<String>> {
    let inputs = json.get("inputs").and_then(Json::as_array).unwrap_or_default();
    let input = |input: &Json| {
        let default = input.get("default").and_then(Json::as_str).map(str::to_owned);
        Some((input.get("id")?.as_str()?.to_owned(), default))
    };
    inputs.iter().filter_map(input).collect()
}

fn fields(entry: &Object) -> Result<Fields, String> {
    let text = |keys: &[&str]| -> Result<Option<String>, String> {
        let Some((key, value)) = keys.iter().find_map(|key| Some((key, entry.get(key)?))) else { return Ok(None) };
        match value {
            Json::Null => Ok(None),
            Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
                scalar(value).map(Some).ok_or_else(|| format!("its `{key}` is of type {}, not a string", value.kind()))
            }
        }
    };
    let flag = |key: &str| entry.get(key).and_then(Json::as_bool);
    // Some clients have the whole command in one list.
    let words = match entry.get("command") {
        Some(Json::Array(_)) => list(entry, "command")?,
        _ => text(&["command"])?.into_iter().collect(),
    };
    let mut words = words.into_iter();
    let command = words.next();
    Ok(Fields {
        kind: text(&["type", "transport"])?,
        command,
        args: words.chain(list(entry, "args")?).collect(),
        env: pairs(entry, &["env", "environment"])?,
        env_file: text(&["envFile"])?,
        cwd: text(&["cwd"])?,
        url: text(&["url", "serverUrl", "httpUrl"])?,
        headers: pairs(entry, &["headers", "http_headers"])?,
        bearer_token_env: text(&["bearer_token_env_var"])?,
        is_disabled: flag("disabled") == Some(true) || flag("enabled") == Some(false),
        ..Fields::default()
    })
}

/// Returns the text of a string, a number or a truth value.
pub(super) fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::String(_) => value.as_str().map(str::to_owned),
        Json::Number(_) | Json::Bool(_) => Some(value.to_compact()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

fn list(entry: &Object, key: &str) -> Result<Vec<String>, String> {
    let expected = || format!("its `{key}` is not a list of strings");
    match entry.get(key) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(words)) => words.iter().map(|word| scalar(word).ok_or_else(expected)).collect(),
        Some(_) => Err(expected()),
    }
}

/// Returns the members of an object of strings. A member that is null is left out.
fn pairs(entry: &Object, keys: &[&str]) -> Result<Vec<(String, String)>, String> {
    let Some((key, value)) = keys.iter().find_map(|key| Some((key, entry.get(key)?))) else { return Ok(Vec::new()) };
    let expected = || format!("its `{key}` is not an object of strings");
    match value {
        Json::Null => Ok(Vec::new()),
        Json::Object(members) => {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            given
                .map(|(name, value)| Ok((name.to_string_lossy().into_owned(), scalar(value).ok_or_else(expected)?)))
                .collect()
        }
        Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => Err(expected()),
    }
}
