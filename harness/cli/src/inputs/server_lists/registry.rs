//! `server.json` of the MCP registry: packages that a runtime starts, and remote servers.

use std::collections::BTreeMap;

use mcp_compat_json::Json;

use super::Listed;
use super::client_config::scalar;
use super::entry::Fields;

/// Returns the description of a server, alone or in an answer of the registry.
pub(super) fn server(json: &Json) -> Option<&Json> {
    let is_server = |json: &&Json| json.get("packages").or_else(|| json.get("remotes")).is_some();
    Some(json).filter(is_server).or_else(|| json.get("server").filter(is_server))
}

/// Reads the ways to reach the server, each an entry: by the kind of its package, such as `npm`, or `remote`.
pub(super) fn read(server: &Json) -> Listed {
    let all = |key: &str| server.get(key).and_then(Json::as_array).unwrap_or_default();
    let packages = all("packages").iter().map(|it| (kind_of(it), package(it)));
    let remotes = all("remotes").iter().map(|it| ("remote".to_owned(), Ok(remote(it))));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let entry = |(kind, fields): (String, _)| {
        let many = seen.entry(kind.clone()).or_default();
        *many += 1;
        (if *many == 1 { kind } else { format!("{kind}-{many}") }, fields)
    };
    Listed { entries: packages.chain(remotes).map(entry).collect(), inputs: BTreeMap::new() }
}

/// Returns a member, whose name is in snake case in the oldest version of the format.
fn member<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    let snake: String = name
        .chars()
        .flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()]))
        .collect();
    json.get(name).or_else(|| json.get(&snake))
}

fn text(json: &Json, name: &str) -> Option<String> {
    scalar(member(json, name)?)
}

fn items<'j>(json: &'j Json, name: &str) -> &'j [Json] {
    member(json, name).and_then(Json::as_array).unwrap_or_default()
}

fn kind_of(package: &Json) -> String {
    text(package, "registryType").unwrap_or_else(|| "package".to_owned())
}

/// Returns the command that starts a package.
fn package(package: &Json) -> Result<Fields, String> {
    let transport = package.get("transport").and_then(|transport| text(transport, "type"));
    if transport.as_deref().is_some_and(|kind| kind != "stdio") {
        return Err("its package serves HTTP: start it, and audit its address with --url".to_owned());
    }
    let kind = kind_of(package);
    let Some(identifier) = text(package, "identifier") else { return Err("it has no `identifier`".to_owned()) };
    let usual = match kind.as_str() {
        "npm" => "npx",
        "pypi" => "uvx",
        "oci" => "docker",
        "nuget" => "dnx",
        "mcpb" => return Err("it is a bundle: unpack it, and audit the command of its manifest".to_owned()),
        _ => "",
    };
    let runtime = text(package, "runtimeHint").unwrap_or_else(|| usual.to_owned());
    if runtime.is_empty() {
        return Err(format!("its registryType {kind:?} is unknown, and it has no `runtimeHint`"));
    }
    let version = text(package, "version");
    let versioned = |mark: &str| match &version {
        Some(version) => format!("{identifier}{mark}{version}"),
        None => identifier.clone(),
    };
    let env = inputs(items(package, "environmentVariables"), |name| format!("${{{name}}}"));
    let own = arguments(items(package, "runtimeArguments"));
    let of_package = arguments(items(package, "packageArguments"));
    let words = |first: &[&str]| first.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let args = match runtime.as_str() {
        "npx" if own.iter().any(|word| word == "-y" || word == "--yes") => {
            [own, vec![versioned("@")], of_package].concat()
        }
        "npx" => [words(&["-y"]), own, vec![versioned("@")], of_package].concat(),
        "docker" => {
            let begin =
                if own.first().is_some_and(|word| word == "run") { words(&[]) } else { words(&["run", "-i", "--rm"]) };
            let passed = env.iter().flat_map(|(name, _)| ["-e".to_owned(), name.clone()]).collect();
            let has_tag = identifier.rsplit('/').next().is_some_and(|name| name.contains([':', '@']));
            let image = if has_tag { identifier.clone() } else { versioned(":") };
            // Options of `docker run` stand before the image.
            [begin, own, passed, vec![image], of_package].concat()
        }
        "dnx" if of_package.is_empty() => [own, vec![versioned("@")], words(&["--yes"])].concat(),
        "dnx" => [own, vec![versioned("@")], words(&["--yes", "--"]), of_package].concat(),
        _ => [own, vec![versioned("@")], of_package].concat(),
    };
    Ok(Fields { command: Some(runtime), args, env, ..Fields::default() })
}

fn remote(remote: &Json) -> Fields {
    let variables = member(remote, "variables");
    Fields {
        kind: text(remote, "type").or_else(|| text(remote, "transportType")),
        url: text(remote, "url").map(|url| with_variables(&url, variables)),
        headers: inputs(items(remote, "headers"), |name| format!("${{input:{name}}}")),
        ..Fields::default()
    }
}

/// Returns variables or headers with their values. Of those that are not required, only the ones with a value.
fn inputs(inputs: &[Json], missing: impl Fn(&str) -> String) -> Vec<(String, String)> {
    let input = |input: &Json| {
        let name = text(input, "name")?;
        let value = value(input, &missing(&name))?;
        Some((name, value))
    };
    inputs.iter().filter_map(input).collect()
}

fn arguments(arguments: &[Json]) -> Vec<String> {
    let argument = |argument: &Json| -> Vec<String> {
        let name = text(argument, "name");
        let hint = name.clone().or_else(|| text(argument, "valueHint")).unwrap_or_else(|| "argument".to_owned());
        let hint = format!("${{input:{}}}", hint.trim_start_matches('-'));
        let value = value(argument, &hint);
        let is_flag = text(argument, "type").as_deref() == Some("named");
        match (name.filter(|_| is_flag), value) {
            (Some(name), Some(value)) => vec![name, value],
            // A flag without a value stands alone.
            (Some(name), None) if text(argument, "format").is_none() => vec![name],
            (Some(_) | None, None) => Vec::new(),
            (None, Some(value)) => vec![value],
        }
    };
    arguments.iter().flat_map(argument).collect()
}

/// Returns the value of an input: the fixed one, the default, or what stands for a missing one if it is required.
fn value(input: &Json, missing: &str) -> Option<String> {
    let fixed = text(input, "value").map(|value| with_variables(&value, member(input, "variables")));
    let is_required = member(input, "isRequired").and_then(Json::as_bool) == Some(true);
    fixed.or_else(|| text(input, "default")).or_else(|| is_required.then(|| missing.to_owned()))
}

/// Replaces `{name}` by the value of a variable of the file. What a value has in braces stays.
fn with_variables(text: &str, variables: Option<&Json>) -> String {
    let Some(variables) = variables.and_then(Json::as_object) else { return text.to_owned() };
    let mut pieces = text.split('{');
    let mut replaced = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let known = piece.split_once('}').and_then(|(name, rest)| Some((name, variables.get(name)?, rest)));
        replaced += &match known {
            Some((name, variable, rest)) => {
                let given = value(variable, "").filter(|value| !value.is_empty());
                given.unwrap_or_else(|| format!("${{input:{name}}}")) + rest
            }
            None => format!("{{{piece}"),
        };
    }
    replaced
}
