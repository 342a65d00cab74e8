//! Scenario files: every text is either scenarios or mistakes with their places.

use mcp_compat_json::Json;
use mcp_compat_scenario::{load, load_placed};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let beside = |path: &str| path.ends_with(".bin").then(|| b"{\"jsonrpc\"".to_vec());
    match load_placed("class/name.toml", text, &beside) {
        Ok(placed) => {
            assert!(!placed.is_empty(), "a file has scenarios");
            for placed in &placed {
                let scenario = &placed.scenario;
                assert!(scenario.id.as_str().starts_with("class/name"), "{}", scenario.id.as_str());
                let tools = scenario.stages.iter().flat_map(|stage| &stage.tools);
                tools.for_each(|tool| assert!(Json::parse(&tool.definition).is_ok(), "{}", tool.definition));
            }
            assert_eq!(load("class/name.toml", text, &beside).map(|all| all.len()), Ok(placed.len()));
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a file is refused for a mistake");
            assert!(!mistakes.to_string().is_empty());
        }
    }
}
