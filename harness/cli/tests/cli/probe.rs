//! `probe`: the servers that a host starts, and the row that comes of a model's answer.

use serde_json::Value;

use crate::workshop::{PROGRAM, Workshop};

/// The words that start a server, as the configuration that is printed has them.
fn server(printed: &str, name: &str) -> Vec<String> {
    let begin = printed.find('{').unwrap();
    let configuration: Value =
        serde_json::Deserializer::from_str(&printed[begin..]).into_iter().next().unwrap().unwrap();
    let entry = &configuration["mcpServers"][name];
    let words = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
    [entry["command"].as_str().unwrap().to_owned()].into_iter().chain(words).collect()
}

#[test]
fn a_host_is_measured_by_the_answer_of_its_model() {
    let workshop = Workshop::new();
    let printed = workshop.run(["probe"]).ends_with(0).shows(&["Call every tool of the MCP servers"]).stdout;
    let words = server(&printed, "probe");
    assert_eq!(words[0], std::fs::canonicalize(PROGRAM).unwrap().display().to_string());
    let play = ["mock", "client", "--id", "mock/2025-11-25", "--call", "read_harbour", "--call", "read_ferry", "--"];
    let played = workshop.run(play.into_iter().map(ToOwned::to_owned).chain(words)).ends_with(0).stdout;
    assert!(played.contains("heron-4127"), "{played}");
    workshop.write("answer.txt", "read_harbour: {\"word\": \"heron-4127\"}\nread_ferry: (no output)\n");
    let read = ["probe", "--answer", "answer.txt", "--host", "Editor", "--version", "2.1"];
    workshop.run(read).ends_with(0).shows(&[
        "The server sends           Editor 2.1",
        "a value and its JSON text  value",
        "a value alone              nothing",
        "revision                   2025-11-25",
    ]);
    let row = workshop.run(read.into_iter().chain(["--json", "--by", "a reader"])).ends_with(0).stdout;
    let row: Value = serde_json::from_str(&row).unwrap();
    assert_eq!(row["read"]["fallback/empty-content"], "nothing");
    assert_eq!((&row["by"], &row["revision"]), (&Value::from("a reader"), &Value::from("2025-11-25")));
}

#[test]
fn an_answer_to_something_else_is_refused() {
    let workshop = Workshop::new();
    workshop.write("answer.txt", "I cannot help with that.");
    let ran = workshop.run(["probe", "--answer", "answer.txt", "--host", "Editor"]).ends_with(2);
    ran.says(&[
        "no word of the probe is in the answer, and the servers saw no call. Give the whole answer of the model",
    ]);
}

#[test]
fn each_server_lists_its_tools() {
    for (name, tool) in [("probe", "read_beacon"), ("probe-array", "read_buoys")] {
        let workshop = Workshop::new();
        let played = workshop.run(["mock", "client", "--", PROGRAM, "probe", "--serve", name]).ends_with(0).stdout;
        assert!(played.contains(tool), "{played}");
    }
}
