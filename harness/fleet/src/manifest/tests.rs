//! Manifests that are read, and the errors of those that are wrong.

use std::path::Path;

use mcp_compat_model::{Mode, Revision};

use super::{How, Manifest, ManifestError, Serves};
use mcp_compat_model::version::Version;

const FAMILY: &str = r#"name = "sdk"
versions = ">=1.10.0, <2.0.0"
language = "typescript"
about = "an SDK"

[revisions]
"2024-11-05" = "1.0.0"
"2025-06-18" = "1.13.0"

[registry]
list = ["npm", "view", "sdk", "versions", "--json"]

[[tool]]
command = ["node", "--version"]
at-least = "20"
get = "Node.js 20 or later"

[setup]
inputs = ["{peer}/../contract"]
lock = "package-lock.json"
locked = [["npm", "ci"]]
steps = [["npm", "install", "sdk@{version}"]]
produces = "{home}/node_modules/sdk/package.json"
env = { npm_config_cache = "{build}/cache" }

[client]
command = ["node", "{home}/client.js"]
modes = ["legacy", "auto"]

[server]
stdio = ["node", "{home}/server.js"]

[server-typed]
http = ["node", "{home}/server.js", "--typed", "--http"]
"#;

const ONE: &str = r#"id = "sdk@1.2.3"
language = "rust"
about = "an SDK"
revisions = ["2025-06-18"]
[setup]
command = ["make", "{build}"]
[server]
stdio = ["{peer}/run", "server"]
"#;

fn parse(text: &str) -> Result<Manifest, ManifestError> {
    Manifest::parse(Path::new("peers/sdk/peer.toml"), text)
}

fn mistakes(text: &str) -> String {
    let Err(ManifestError::Mistakes(mistakes)) = parse(text) else { panic!("no mistake in {text}") };
    mistakes.to_string()
}

#[test]
fn a_manifest_is_about_a_range_of_releases() {
    let manifest = parse(FAMILY).unwrap();
    let version = |text| Version::parse(text).unwrap();
    assert!(matches!(&manifest.serves, Serves::Releases { name, .. } if name == "sdk"));
    assert!(manifest.serves(&version("1.12.0")) && !manifest.serves(&version("2.0.0")));
    assert_eq!(manifest.revisions.spoken_by(Some(&version("1.12.0"))), [Revision::V2024_11_05]);
    let both = [Revision::V2024_11_05, Revision::V2025_06_18];
    assert_eq!(manifest.revisions.spoken_by(Some(&version("1.13.0"))), both);
    assert_eq!(manifest.client.unwrap().modes, [Mode::Legacy, Mode::Auto]);
    let How::Copied { lock, locked, steps } = manifest.setup.unwrap().how else { panic!("copied") };
    assert_eq!((lock.len(), locked.len(), steps.len()), (1, 1, 1));
}

#[test]
fn a_manifest_is_about_one_release() {
    let manifest = parse(ONE).unwrap();
    assert_eq!((manifest.name(), manifest.id().unwrap().as_str()), ("sdk", "sdk@1.2.3"));
    assert!(manifest.serves(&Version::parse("1.2.3").unwrap()));
    assert!(matches!(manifest.setup.unwrap().how, How::InPlace(_)));
}

#[test]
fn several_files_may_lock_a_release_and_steps_may_be_the_same_with_and_without() {
    let text = FAMILY
        .replace("\"package-lock.json\"", "[\"go.mod\", \"go.sum\"]")
        .replace("locked = [[\"npm\", \"ci\"]]\n", "");
    let How::Copied { lock, locked, steps } = parse(&text).unwrap().setup.unwrap().how else { panic!("copied") };
    assert_eq!(lock, ["go.mod", "go.sum"]);
    assert_eq!(locked, steps);
}

#[test]
fn a_misspelt_key_is_told_with_its_place() {
    insta::assert_snapshot!(mistakes(&FAMILY.replace("modes =", "mode =")), @r#"
    error: unknown field `mode`, expected `command` or `modes`
      --> peers/sdk/peer.toml:28:1
       |
    28 | mode = ["legacy", "auto"]
       | ^^^^
    "#);
}

#[test]
fn values_that_cannot_be_are_told_with_their_place() {
    let text = FAMILY.replace("<2.0.0", "^2.0.0");
    insta::assert_snapshot!(mistakes(&text), @r#"
    error: `^2.0.0` is not a bound: expected one of `>=`, `>`, `<=`, `<`, `=` and a version, as in `>=1.10.0, <2.0.0`
     --> peers/sdk/peer.toml:2:12
      |
    2 | versions = ">=1.10.0, ^2.0.0"
      |            ^^^^^^^^^^^^^^^^^^
    "#);
    insta::assert_snapshot!(mistakes(&FAMILY.replace("2025-06-18", "2025-06-19")), @r#"
    error: unknown variant `2025-06-19`, expected one of `2024-11-05`, `2025-03-26`, `2025-06-18`, `2025-11-25`, `2026-07-28`
     --> peers/sdk/peer.toml:8:1
      |
    8 | "2025-06-19" = "1.13.0"
      | ^^^^^^^^^^^^
    "#);
    insta::assert_snapshot!(mistakes(&FAMILY.replace("\"1.13.0\"", "\"latest\"")), @r#"
    error: `latest` is not a version: it does not begin with a number, as `1.2.3` or `2.0.0-rc.1` do
     --> peers/sdk/peer.toml:8:16
      |
    8 | "2025-06-18" = "latest"
      |                ^^^^^^^^
    "#);
    insta::assert_snapshot!(mistakes(&ONE.replace("2025-06-18", "2025-06-19")), @r#"
    error: unknown variant `2025-06-19`, expected one of `2024-11-05`, `2025-03-26`, `2025-06-18`, `2025-11-25`, `2026-07-28`
     --> peers/sdk/peer.toml:4:14
      |
    4 | revisions = ["2025-06-19"]
      |              ^^^^^^^^^^^^
    "#);
    insta::assert_snapshot!(mistakes(&FAMILY.replace("\"package-lock.json\"", "7")), @r"
    error: invalid type: integer `7`, expected a text, or an array of them
      --> peers/sdk/peer.toml:20:8
       |
    20 | lock = 7
       |        ^
    ");
}

#[test]
fn every_mistake_of_ours_is_told_in_one_go() {
    let text = FAMILY
        .replace("\"1.13.0\"", "\"2.0.0-alpha.1\"")
        .replace("[\"npm\", \"ci\"]", "[]")
        .replace("{home}/client.js", "{hmoe}/client.js")
        .replace("\"sdk\", \"versions\"", "\"sdk@{version}\"")
        .replace("stdio = [\"node\", \"{home}/server.js\"]", "")
        .replace("Node.js 20 or later", "")
        .replace("{peer}/../contract", "../contract")
        .replace("package-lock.json", "../package-lock.json");
    insta::assert_snapshot!(mistakes(&text), @r#"
    error: no release of `>=1.10.0, <2.0.0` speaks 2025-06-18
     --> peers/sdk/peer.toml:8:16
      |
    8 | "2025-06-18" = "2.0.0-alpha.1"
      |                ^^^^^^^^^^^^^^^ 2.0.0-alpha.1 comes after all of them

    error: `{version}` is not a placeholder here
      --> peers/sdk/peer.toml:11:24
       |
    11 | list = ["npm", "view", "sdk@{version}", "--json"]
       |                        ^^^^^^^^^^^^^^^ it has no meaning before there is a release

    error: `get` is empty
      --> peers/sdk/peer.toml:16:7
       |
    16 | get = ""
       |       ^^ what is to be got, and where?

    error: the input `../contract` is in no known place
      --> peers/sdk/peer.toml:19:11
       |
    19 | inputs = ["../contract"]
       |           ^^^^^^^^^^^^^ expected a path below `{peer}/`

    error: the lock file `../package-lock.json` is not one of the peer's folder
      --> peers/sdk/peer.toml:20:8
       |
    20 | lock = "../package-lock.json"
       |        ^^^^^^^^^^^^^^^^^^^^^^ expected a plain path, such as `package-lock.json`

    error: a command of `setup.locked` is empty
      --> peers/sdk/peer.toml:21:11
       |
    21 | locked = [[]]
       |           ^^ expected the program and its arguments

    error: `{hmoe}` is not a placeholder here
      --> peers/sdk/peer.toml:27:20
       |
    27 | command = ["node", "{hmoe}/client.js"]
       |                    ^^^^^^^^^^^^^^^^^^ expected `{peer}`, `{home}`, `{build}` or `{version}`

    error: the server of [server] has no command
      --> peers/sdk/peer.toml:30:2
       |
    30 | [server]
       |  ^^^^^^ expected `stdio`, `http` or both
    "#);
}

#[test]
fn keys_that_exclude_or_need_each_other_are_told() {
    let head = "language = \"sh\"\nabout = \"it\"\nrevisions = []\n";
    let role = "[client]\ncommand = [\"true\"]\n";
    for (text, expected) in [
        (format!("{head}{role}"), "expected `id`, or `name` and `versions`"),
        (format!("id = \"a@1\"\nname = \"a\"\n{head}{role}"), "`id` is about one release, and `name` about a range"),
        (format!("name = \"a\"\n{head}{role}"), "`versions` is missing"),
        (format!("versions = \"<1\"\n{head}{role}"), "`name` is missing"),
        (format!("name = \"a/b\"\nversions = \"<1\"\n{head}{role}"), "cannot be the name of a family"),
        (format!("id = \"a@1\"\n{head}"), "expected [client] or [server]"),
        (format!("id = \"a@1\"\n{head}{role}[setup]\n"), "[setup] does nothing"),
        (
            format!("id = \"a@1\"\n{head}{role}[setup]\ncommand = [\"x\"]\nsteps = [[\"y\"]]\n"),
            "`command` is the whole installation",
        ),
        (
            format!("name = \"a\"\nversions = \"<1\"\n{head}{role}[setup]\ncommand = [\"x\"]\n"),
            "several releases cannot be installed in one folder",
        ),
        (format!("id = \"a@1\"\n{head}{role}[setup]\nlocked = [[\"x\"]]\n"), "`lock` is missing"),
        (format!("id = \"a@1\"\n{head}[client]\ncommand = [\"{{home}}/x\"]\n"), "no copy is made"),
        (format!("id = \"a\"\n{head}[client]\ncommand = [\"x\", \"{{version}}\"]\n"), "the id names no version"),
        (format!("id = \"a\"\n{head}{role}[setup]\nsteps = [[\"x\"]]\n"), "`a` names no version"),
    ] {
        let told = mistakes(&text);
        assert!(told.contains(expected) && told.matches("error: ").count() == 1, "{told}");
    }
}
