//! Lists of each kind, and the mistakes of single entries.

use std::path::Path;

use mcp_compat_audit::probe::Target;

use super::*;

fn environment(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("t0k3n-of-mine".to_owned()),
        "HOME" => Some("/home/me".to_owned()),
        _ => None,
    }
}

fn list(path: &str, text: &str) -> ServerList {
    of_text(Path::new(path), text, &environment).unwrap()
}

/// What is wrong with the only entry of a configuration.
fn mistake(entry: &str) -> String {
    let list = list(".mcp.json", &format!(r#"{{"mcpServers": {{"books": {entry}}}}}"#));
    match &list.servers[..] {
        [ListedServer { name, entry: Entry::Mistake(why), .. }] if name == "books" => why.clone(),
        other => panic!("{entry}: {other:?}"),
    }
}

/// The program and the arguments of a server, its folder, and the variables that it is given.
fn command(listed: &ListedServer) -> (Vec<String>, String, Vec<String>) {
    let Entry::Server(entry) = &listed.entry else { panic!("{listed:?}") };
    let Target::Command(launch) = &entry.target else { panic!("{listed:?}") };
    let words = [&launch.program].into_iter().chain(&launch.args).map(|word| word.to_str().unwrap().to_owned());
    let env = launch.env.iter().map(|(name, value)| format!("{name}={}", value.to_str().unwrap()));
    (words.collect(), launch.cwd.clone().unwrap().display().to_string(), env.collect())
}

fn url(listed: &ListedServer) -> (String, Vec<(String, String)>) {
    let Entry::Server(entry) = &listed.entry else { panic!("{listed:?}") };
    let Target::Url { url, headers } = &entry.target else { panic!("{listed:?}") };
    (url.clone(), headers.clone())
}

#[test]
fn the_configuration_of_a_client_is_read_with_its_variables() {
    let list = list(
        "/srv/app/.mcp.json",
        r#"{
          // the local one
          "mcpServers": {
            "books": {"command": "node", "args": ["server.js", "--token=${TOKEN}", 1], "env": {"PORT": 80, "X": null}, "cwd": "a"},
            "far": {"type": "http", "url": "https://example.org/${PATH_OF_IT:-mcp}", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            "off": {"command": "node", "disabled": true},
          },
        }"#,
    );
    assert!(!list.may_call);
    let (words, cwd, env) = command(&list.servers[0]);
    assert_eq!(words, ["node", "server.js", "--token=t0k3n-of-mine", "1"]);
    assert_eq!(cwd, "/srv/app/a");
    assert_eq!(env, ["PORT=80", "TOKEN=t0k3n-of-mine"], "a variable of an argument is known, so it is never printed");
    let (url, headers) = url(&list.servers[1]);
    assert_eq!((url.as_str(), headers[0].1.as_str()), ("https://example.org/mcp", "Bearer t0k3n-of-mine"));
    assert!(matches!(list.servers[2].entry, Entry::Disabled));
}

#[test]
fn the_configuration_of_vs_code_belongs_to_the_folder_above_and_has_inputs() {
    let list = list(
        "/srv/app/.vscode/mcp.json",
        r#"{"inputs": [{"id": "region", "type": "promptString", "default": "eu"}, {"id": "key", "type": "promptString"}],
            "servers": {"a": {"type": "stdio", "command": "./run", "args": ["${input:region}"]},
                        "b": {"command": "./run", "env": {"KEY": "${input:key}"}}}}"#,
    );
    let (words, cwd, _) = command(&list.servers[0]);
    assert_eq!((words, cwd.as_str()), (vec!["./run".to_owned(), "eu".to_owned()], "/srv/app"));
    let Entry::Mistake(why) = &list.servers[1].entry else { panic!("{list:?}") };
    assert_eq!(why, "the input `key` has no value: set MCP_COMPAT_INPUT_KEY");
}

#[test]
fn a_mistake_is_one_of_its_entry() {
    for (entry, why) in [
        (r#"{}"#, "neither a `command` nor a `url`"),
        (r#"{"command": ""}"#, "neither"),
        (r#"{"command": "a", "url": "http://b"}"#, "a `command` and a `url`"),
        (r#"{"type": "http", "command": "a"}"#, "it has no `url`"),
        (r#"{"type": "stdio", "url": "http://b"}"#, "it has no `command`"),
        (r#"{"type": "carrier pigeon", "command": "a"}"#, "\"carrier pigeon\" is unknown: expected stdio or http"),
        (r#"{"type": "sse", "url": "http://b"}"#, "HTTP+SSE is not supported"),
        (
            r#"{"command": "a", "env": {"X": "${GONE}", "Y": "${AWAY}"}}"#,
            "the variable GONE is not set, the variable AWAY",
        ),
        (r#"{"url": "http://b/${GONE}"}"#, "the variable GONE is not set"),
        (r#"{"command": "a", "args": "b"}"#, "its `args` is not a list of strings"),
        (r#"{"command": {"a": 1}}"#, "its `command` is of type object"),
        (r#"{"command": "a", "env": ["X=1"]}"#, "its `env` is not an object"),
        (r#"{"command": "a", "envFile": "/nowhere/.env"}"#, "cannot read /nowhere/.env"),
        (r#"[]"#, "a JSON value of type array"),
    ] {
        assert!(mistake(entry).contains(why), "{entry}: {}", mistake(entry));
    }
}

#[test]
fn of_a_name_that_is_given_twice_the_last_entry_counts() {
    let list =
        list(".mcp.json", r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}, "a": {"command": "z"}}}"#);
    let Entry::Mistake(why) = &list.servers[0].entry else { panic!("{list:?}") };
    assert!(why.contains("another entry of this name follows"), "{why}");
    assert_eq!(command(&list.servers[1]).0, ["y"]);
    assert_eq!(command(&list.servers[2]).0, ["z"]);
}

#[test]
fn a_file_of_many_equal_names_is_read_in_time() {
    let entries = vec![r#""a": {"command": "x"}"#; 100_000].join(",");
    let list = list(".mcp.json", &format!("{{\"mcpServers\": {{{entries}}}}}"));
    let is_server = |listed: &&ListedServer| matches!(listed.entry, Entry::Server(_));
    assert_eq!((list.servers.len(), list.servers.iter().filter(is_server).count()), (100_000, 1));
}

#[test]
fn values_of_the_registry_are_not_expanded_again() {
    let variable = |number: usize| format!(r#""v{number}": {{"value": "{{v{0}}}{{v{0}}}"}}"#, number + 1);
    let variables = (0..100).map(variable).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"remotes": [{{"type": "http", "url": "http://{{v0}}/{{w}}/{{", "variables": {{{variables}}}}}]}}"#
    );
    assert_eq!(url(&list("server.json", &text).servers[0]).0, "http://{v1}{v1}/{w}/{");
}

#[test]
fn two_servers_with_one_baseline_are_refused() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("known.toml"), "").unwrap();
    let read = |a: &str, b: &str| {
        let text = format!("[servers.a]\ncommand = \"x\"\n{a}\n[servers.b]\ncommand = \"y\"\n{b}\n");
        of_text(&root.path().join("mcp-compat.toml"), &text, &environment)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for b in ["known.toml", "./known.toml", "../ROOT/known.toml"] {
        let b = b.replace("ROOT", root.path().file_name().unwrap().to_str().unwrap());
        let refused = read("baseline = \"known.toml\"", &format!("baseline = {b:?}")).unwrap_err();
        let why = format!("the servers `a` and `b` have the same baseline, {b}: give each a file of its own");
        assert_eq!(refused, why);
    }
    assert!(read("baseline = \"new.toml\"", "baseline = \"new.toml\"").is_err(), "a file to be made");
    assert_eq!(read("baseline = \"known.toml\"", "baseline = \"other.toml\""), Ok(()));
    assert_eq!(read("baseline = \"known.toml\"", "baseline = \"known.toml\"\ndisabled = true"), Ok(()));
}

#[test]
fn a_file_that_is_no_list_says_what_it_lacks() {
    for (text, why) in [
        ("{}", "none of `mcpServers`, `servers`, `packages` and `remotes`"),
        (r#"{"read_file": {"path": "/"}}"#, "--calls"),
        ("[]", "not a JSON value of type array"),
        (r#"{"mcpServers": []}"#, "expected an object with a name for each"),
        (r#"{"mcpServers": {}}"#, "it lists no servers"),
        ("{\"mcpServers\": {\n\"a\" 1}}", "line 2, column 5"),
    ] {
        let error = of_text(Path::new("x.json"), text, &environment).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn packages_and_remotes_of_the_registry_are_servers() {
    let list = list(
        "server.json",
        r#"{"name": "io.github.me/books", "version": "1.2.0", "packages": [
          {"registryType": "npm", "identifier": "@me/books", "version": "1.2.0", "transport": {"type": "stdio"},
           "packageArguments": [{"type": "named", "name": "--mode", "default": "local"}, {"type": "positional", "value": "x{n}",
             "variables": {"n": {"default": "7"}}}, {"type": "named", "name": "--quiet"}],
           "environmentVariables": [{"name": "TOKEN", "isRequired": true, "isSecret": true}, {"name": "MAYBE"},
             {"name": "LEVEL", "default": "info"}]},
          {"registry_type": "pypi", "identifier": "books", "version": "1.2.0", "runtime_hint": "uvx"},
          {"registryType": "oci", "identifier": "ghcr.io/me/books:1", "runtimeArguments": [{"type": "named", "name": "--network",
             "value": "host"}], "environmentVariables": [{"name": "A", "value": "b"}]},
          {"registryType": "npm", "identifier": "books-needs", "environmentVariables": [{"name": "GONE", "isRequired": true}]},
          {"registryType": "mcpb", "identifier": "https://example.org/a.mcpb"},
          {"registryType": "npm", "identifier": "served", "transport": {"type": "streamable-http", "url": "http://localhost"}}],
         "remotes": [{"type": "streamable-http", "url": "https://{tenant}.example.org/mcp", "variables": {"tenant": {"default": "me"}},
           "headers": [{"name": "X-Key", "isRequired": true, "isSecret": true}]},
           {"type": "streamable-http", "url": "https://example.org/mcp"}, {"type": "sse", "url": "https://example.org/sse"}]}"#,
    );
    let names: Vec<&str> = list.servers.iter().map(|listed| listed.name.as_str()).collect();
    assert_eq!(names, ["npm", "pypi", "oci", "npm-2", "mcpb", "npm-3", "remote", "remote-2", "remote-3"]);
    let (words, _, env) = command(&list.servers[0]);
    assert_eq!(words, ["npx", "-y", "@me/books@1.2.0", "--mode", "local", "x7", "--quiet"]);
    assert_eq!(env, ["LEVEL=info", "TOKEN=t0k3n-of-mine"]);
    assert_eq!(command(&list.servers[1]).0, ["uvx", "books@1.2.0"]);
    let docker = ["docker", "run", "-i", "--rm", "--network", "host", "-e", "A", "ghcr.io/me/books:1"];
    assert_eq!(command(&list.servers[2]).0, docker);
    let why = |place: usize| {
        let Entry::Mistake(why) = &list.servers[place].entry else { panic!("{list:?}") };
        why.clone()
    };
    assert_eq!(why(3), "the variable GONE is not set");
    assert!(why(4).contains("bundle") && why(5).contains("serves HTTP"));
    assert_eq!(why(6), "the input `X-Key` has no value: set MCP_COMPAT_INPUT_X_KEY");
    assert_eq!(url(&list.servers[7]).0, "https://example.org/mcp");
    assert!(why(8).contains("HTTP+SSE"));
}

#[test]
fn the_file_of_a_repository_has_settings_of_each_server() {
    let list = list(
        "/srv/app/mcp-compat.toml",
        r#"
        fail-on = "loss"
        [servers.books]
        command = "node"
        args = ["server.js"]
        calls = "test/calls.json"
        expect-errors = ["reserve"]
        [servers.far]
        url = "http://localhost:3000/mcp"
        bearer-token-env = "TOKEN"
        fail-on = "never"
        [servers.none]
        "#,
    );
    assert!(list.may_call);
    let settings = |place: usize| {
        let Entry::Server(entry) = &list.servers[place].entry else { panic!("{list:?}") };
        entry.settings.clone()
    };
    assert_eq!(settings(0).calls.unwrap(), Path::new("/srv/app/test/calls.json"));
    assert_eq!((settings(0).fail_on, settings(0).expect_errors), (Some(FailOn::Loss), vec!["reserve".to_owned()]));
    assert_eq!(settings(1).fail_on, Some(FailOn::Never));
    assert_eq!(url(&list.servers[1]).1, [("Authorization".to_owned(), "Bearer t0k3n-of-mine".to_owned())]);
    assert!(matches!(&list.servers[2].entry, Entry::Mistake(why) if why.contains("neither")));
    assert_eq!(list.servers[2].fail_on, Some(FailOn::Loss), "a server that cannot be audited fails or not, too");
    let unknown = of_text(Path::new("mcp-compat.toml"), "[servers.a]\ncomand = \"x\"\n", &environment).unwrap_err();
    assert!(unknown.to_string().contains("comand") && unknown.to_string().contains("line 2"), "{unknown}");
}

#[test]
fn the_list_that_is_found_is_the_one_for_mcp_compat_here_or_above() {
    let root = tempfile::tempdir().unwrap();
    let inner = root.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    assert_eq!(find(&inner), None);
    std::fs::write(inner.join(".mcp.json"), "{}").unwrap();
    assert_eq!(find(&inner), Some(PathBuf::from(".mcp.json")));
    std::fs::write(root.path().join(REPOSITORY_FILE), "").unwrap();
    assert_eq!(find(&inner), Some(PathBuf::from(".mcp.json")), "a folder above that is no repository is anybody's");
    std::fs::create_dir(root.path().join(".git")).unwrap();
    assert_eq!(find(&inner), Some(PathBuf::from("../../mcp-compat.toml")));
    std::fs::create_dir(root.path().join("a/.git")).unwrap();
    assert_eq!(find(&inner), Some(PathBuf::from(".mcp.json")), "a file outside the repository is another one's");
}
