//! The JSON Schema beside the corpus: current, and of one mind with the loader.

use mcp_compat_scenario::schema;
use serde_json::Value;

use crate::given::{accepted, plain, refused};

const CHECKED_IN: &str = include_str!("../../../../scenarios/scenario.schema.json");

/// The TOML text as the JSON that an editor would check.
fn instance(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().expect("TOML")).expect("JSON")
}

fn is_valid(text: &str) -> bool {
    jsonschema::is_valid(&serde_json::from_str(&schema()).expect("JSON"), &instance(text))
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the one test that writes what it checks")]
fn the_schema_beside_the_corpus_is_current() {
    if std::env::var("UPDATE_GENERATED").is_ok_and(|value| value == "1") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/scenario.schema.json");
        std::fs::write(path, schema()).unwrap();
    } else {
        assert_eq!(CHECKED_IN, schema(), "run the test again with UPDATE_GENERATED=1");
    }
}

#[test]
fn the_schema_accepts_what_the_loader_accepts() {
    let family = format!(
        "{}\n[[case]]\ncase = \"a\"\nreturns = '{{\"structuredContent\": 1}}'\nexpect = {{ legacy = \"text\" }}\n",
        plain()
    );
    for text in [plain(), family, include_str!("full.toml").to_owned()] {
        accepted(&text);
        let schema = serde_json::from_str(&schema()).unwrap();
        let errors: Vec<_> =
            jsonschema::validator_for(&schema).unwrap().iter_errors(&instance(&text)).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{text}\n{errors:#?}");
    }
}

#[test]
fn the_schema_refuses_what_only_the_shape_forbids() {
    let plain = plain();
    let wrong = [
        plain.replace("title", "tittle"),
        plain.replace("why = ", "since = \"2025-11-26\"\nwhy = "),
        plain.replace("why = ", "expect = \"intakt\"\nwhy = "),
        plain.replace("[\"https://example.org/issues/1\"]", "[]"),
        plain.replace("[\"https://example.org/issues/1\"]", "[\"issue 1\"]"),
        format!("page-size = 0\n{plain}"),
        format!("spec = \"silent\"\n{plain}"),
        format!("{plain}does = \"hang\"\n"),
        format!("{plain}means = \"nothing\"\n"),
        format!("{plain}\n[[step]]\nlist = false\n"),
        format!("{plain}\n[[step]]\nlist = true\ncall = \"count\"\n"),
        format!("{plain}\n[[step]]\nevolve = \"notify\"\n"),
        format!("{plain}\n[[case]]\ntitle = \"a\"\n"),
    ];
    for text in wrong {
        refused(&text);
        assert!(!is_valid(&text), "{text}");
    }
}
