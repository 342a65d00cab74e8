//! What a server promises: kept, held against a later version, and never written over by mistake.

use std::fs;

use serde_json::Value;

use crate::workshop::{OWN, PROGRAM, Ran, Workshop};

const LOCK: &str = "mcp-compat.lock.json";

/// A lock with one tool, whose output has this property.
fn lock(server: &str, property: &str) -> String {
    format!(
        r#"{{"lock_version":1,"server":{{"name":"{server}","version":"1"}},"revisions":["2026-07-28"],"tools":[
           {{"revisions":["2026-07-28"],"definition":{{"name":"t","inputSchema":{{"type":"object"}},
             "outputSchema":{{"type":"object","required":["a"],"properties":{{"a":{property}}}}}}}}}]}}"#
    )
}

const TEXT: &str = r#"{"type":"string"}"#;

/// A workshop with two locks, the first where it is looked for.
fn workshop(old: &str, new: &str) -> Workshop {
    let workshop = Workshop::new();
    workshop.write(LOCK, old);
    workshop.write("new.json", new);
    workshop
}

fn compare(old: &str, new: &str, more: &[&str]) -> Ran {
    let args = ["lock", "check", "--against", "new.json"];
    workshop(&lock("s", old), &lock("s", new)).run(args.iter().chain(more))
}

#[test]
fn what_breaks_is_told_with_a_value_that_shows_it() {
    let ran = compare(TEXT, r#"{"type":["string","null"],"description":"words"}"#, &[]).ends_with(1);
    insta::assert_snapshot!(ran.stdout, @r#"
    s: old 1, new 1

    t
      breaks callers       outputSchema /properties/a/type
                           `type` changed from "string" to ["string","null"]
                           callers may now get {"a":null}
                           the old schema refuses it: null is not of type "string"
      safe                 outputSchema /properties/a/description
                           `description` changed

    breaks callers: 2 changes (1 breaks callers, 1 is safe)
    "#);
    assert_eq!(ran.stderr, "");
}

/// What Python servers change most: a result that may be `None` now.
#[test]
fn a_text_that_became_optional_is_one_change() {
    let optional = r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#;
    let ran = compare(TEXT, optional, &[]).ends_with(1);
    insta::assert_snapshot!(ran.stdout, @r#"
    s: old 1, new 1

    t
      breaks callers       outputSchema /properties/a
                           `type` "string" became `anyOf` [{"type":"string"},{"type":"null"}]
                           callers may now get {"a":null}
                           the old schema refuses it: null is not of type "string"

    breaks callers: 1 change (1 breaks callers)
    "#);
    compare(optional, TEXT, &[]).ends_with(0).shows(&["safe: 1 change (1 is safe)"]);
}

/// Two limits that say the same of integers: without either, the other one holds.
#[test]
fn what_all_changes_do_together_is_not_counted_as_a_change() {
    let limits = r#"{"type":"integer","maximum":3,"exclusiveMaximum":4}"#;
    let ran = compare(limits, r#"{"type":"integer"}"#, &[]).ends_with(1);
    insta::assert_snapshot!(ran.stdout, @r#"
    s: old 1, new 1

    t
      breaks callers       outputSchema /properties/a/maximum
                           all changes together
                           callers may now get {"a":4}
                           the old schema refuses it: 4 is greater than the maximum of 3
                           no single change explains the break
      safe                 outputSchema /properties/a/maximum
                           `maximum` removed: it was 3
      safe                 outputSchema /properties/a/exclusiveMaximum
                           `exclusiveMaximum` removed: it was 4

    breaks callers: 2 changes (2 are safe; together, the changes of 1 tool break callers)
    "#);
}

#[test]
fn what_is_safe_ends_well_and_what_is_not_does_not() {
    compare(TEXT, TEXT, &[]).ends_with(0).shows(&["safe: 1 tool, nothing changed"]);
    compare(TEXT, r#"{"type":"string","maxLength":3}"#, &[]).ends_with(0).shows(&["safe: 1 change (1 is safe)"]);
    compare(r#"{"format":"uri"}"#, "{}", &[]).ends_with(1).shows(&["breaks some clients:"]);
    let (old, new) = (r#"{"type":"string","pattern":"^a"}"#, r#"{"type":"string","pattern":"^ab"}"#);
    compare(old, new, &[]).ends_with(1).shows(&["unknown: 1 change"]);
    compare(old, new, &["--allow-unknown"]).ends_with(0);
    compare(new, old, &["--allow-unknown"]).ends_with(1).shows(&["breaks callers:"]);
}

#[test]
fn programs_get_json_and_pages_get_markdown() {
    let null = r#"{"type":["string","null"]}"#;
    let json: Value = serde_json::from_str(&compare(TEXT, null, &["--json"]).ends_with(1).stdout).unwrap();
    assert_eq!(json["tools"][0]["changes"][0]["effect"], "breaks-callers");
    assert_eq!(json["tools"][0]["changes"][0]["witness"]["value"], serde_json::json!({"a": null}));
    compare(TEXT, null, &["--markdown"])
        .ends_with(1)
        .shows(&["# s: old 1, new 1", "- **breaks callers**, `outputSchema /properties/a/type`"]);
}

#[test]
fn a_lock_that_cannot_be_used_is_told_and_stays() {
    let good = lock("s", TEXT);
    for (broken, says) in [
        ("{", "it cannot be read as JSON"),
        (r#"{"name":"package"}"#, "no `lock_version`"),
        (r#"{"lock_version":2,"tools":{}}"#, "Update mcp-compat"),
        (r#"{"lock_version":1}"#, "it is not a valid lock: missing field"),
    ] {
        let workshop = workshop(broken, &good);
        workshop.run(["lock", "check", "--against", "new.json"]).ends_with(2).says(&[LOCK, says]);
        workshop.run(["lock", "check", "--lock", "new.json", "--against", LOCK]).ends_with(2).says(&[LOCK, says]);
        // The server is not even started.
        workshop.run(["lock", "save", "--", "/no/such/server"]).ends_with(2).says(&[LOCK, says]);
        assert_eq!(fs::read_to_string(workshop.path().join(LOCK)).unwrap(), broken);
    }
    workshop(&good, &lock("other", TEXT))
        .run(["lock", "check", "--against", "new.json"])
        .ends_with(2)
        .says(&["belongs to the server \"s\"", "\"other\""]);
    Workshop::new()
        .run(["lock", "check", "--against", LOCK])
        .ends_with(2)
        .says(&["Create it with `mcp-compat lock save -- COMMAND`"]);
    Workshop::new()
        .run(["lock", "check", "--lock", "v 1.json", "--", "node", "server.js"])
        .ends_with(2)
        .says(&["Create it with `mcp-compat lock save --lock 'v 1.json' -- node server.js`"]);
}

#[test]
fn one_later_version_is_needed_and_not_two() {
    let workshop = workshop(&lock("s", TEXT), &lock("s", TEXT));
    workshop.run(["lock", "check"]).ends_with(2).says(&["name the server"]);
    workshop.run(["lock", "check", "--against", "new.json", "--", "server"]).ends_with(2);
}

/// Saves the tools of a mock with a scenario, or holds them against the lock.
fn with_server(workshop: &Workshop, command: &str, scenario: &str) -> Ran {
    workshop.run(["lock", command, "--", PROGRAM, "mock", "server", "--scenario", scenario])
}

#[test]
fn a_server_is_kept_and_held_to_it_at_every_revision() {
    let workshop = Workshop::new();
    workshop.write("my-class/v1.toml", OWN);
    workshop.write("my-class/v2.toml", &OWN.replace(r#""required": ["n"]"#, r#""required": []"#));
    with_server(&workshop, "save", "my-class/v1.toml").ends_with(0).shows(&["has 1 tool of", "at 5 revisions"]);
    with_server(&workshop, "save", "my-class/v1.toml").ends_with(0).shows(&["is unchanged"]);
    with_server(&workshop, "check", "my-class/v1.toml").ends_with(0);
    let kept = fs::read_to_string(workshop.path().join(LOCK)).unwrap();
    let ran = with_server(&workshop, "check", "my-class/v2.toml").ends_with(1);
    ran.shows(&[r#""n" is no longer required"#, "callers may now get {}", "breaks callers"]);
    assert_eq!(fs::read_to_string(workshop.path().join(LOCK)).unwrap(), kept, "a check changes nothing");
    with_server(&workshop, "save", "my-class/v2.toml").ends_with(0);
    with_server(&workshop, "check", "my-class/v2.toml").ends_with(0);
}

#[test]
fn another_server_or_none_leaves_the_lock_as_it_was() {
    let workshop = workshop(&lock("s", TEXT), "");
    let before = fs::read_to_string(workshop.path().join(LOCK)).unwrap();
    workshop.write("my-class/v1.toml", OWN);
    for command in ["save", "check"] {
        with_server(&workshop, command, "my-class/v1.toml").ends_with(2).says(&["\"s\"", "\"mcp-compat-mock\""]);
        workshop.run(["lock", command, "--", "/no/such/server"]).ends_with(2).says(&["cannot start"]);
        workshop.run(["lock", command, "--", "sh", "-c", "exit 3"]).ends_with(2).says(&["no session"]);
    }
    assert_eq!(fs::read_to_string(workshop.path().join(LOCK)).unwrap(), before);
    assert_eq!(fs::read_dir(workshop.path()).unwrap().count(), 3, "nothing else is left behind");
}

#[test]
fn a_list_of_which_a_lock_would_lose_something_is_refused() {
    let workshop = Workshop::new();
    workshop.write("listing.py", include_str!("listing_server.py"));
    let listing = |command: &str, tools: &str| workshop.run(["lock", command, "--", "python3", "listing.py", tools]);
    let tool = r#"{"name": "look", "inputSchema": {"type": "object"}}"#;
    let other = r#"{"name": "look", "inputSchema": {"type": "object", "required": ["n"]}}"#;
    listing("save", "[]").ends_with(2).says(&["the server lists no tools, so there is nothing to save"]);
    listing("save", &format!("[{tool}]")).ends_with(0).shows(&["has 1 tool of listing 1"]);
    listing("check", "[]").ends_with(1).shows(&["breaks callers"]);
    for command in ["save", "check"] {
        let twice = listing(command, &format!("[{tool}, {other}]")).ends_with(2);
        twice.says(&["lists `look` more than once, so nothing was compared or saved"]);
        for entry in [r#"{"inputSchema": {"type": "object"}}"#, r#""look""#] {
            let no_tool = listing(command, &format!("[{tool}, {entry}]")).ends_with(2);
            no_tool.says(&["lists an entry that is not a tool with a name"]);
        }
    }
    let long =
        include_str!("listing_server.py").replace("sys.argv[1]", "sys.argv[1] % ('x' * (3 << 20), 'x' * (3 << 20))");
    workshop.write("long.py", &long);
    let described =
        |name: &str| format!(r#"{{"name": "{name}", "description": "%s", "inputSchema": {{"type": "object"}}}}"#);
    let two = format!("[{}, {}]", described("look"), described("peek"));
    for command in ["save", "check"] {
        let cut = workshop.run(["lock", command, "--", "python3", "long.py", &two]).ends_with(2);
        cut.says(&["the list of tools is too long: it was read up to 3 MB, and the server has more"]);
    }
    listing("check", &format!("[{tool}]")).ends_with(0);
}
