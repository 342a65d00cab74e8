//! The tools that must exist before a release can be installed. Each is asked for its version once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;

use super::manifest::Tool;
use mcp_compat_drive::{Output, OutputError, output};
use mcp_compat_model::version::Version;

/// Longest time that a tool may take to print its version.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The tools of this machine that were asked for their version.
#[derive(Debug, Default)]
pub(super) struct Tools {
    asked: Mutex<HashMap<Vec<String>, Arc<Asked>>>,
}

/// Output of a tool, or the reason why there is none.
type Asked = OnceCell<Result<String, String>>;

/// A tool that is missing, broken or too old.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}. Install {get}")]
pub struct MissingTool {
    pub what: String,
    /// Name of the tool and the place to get it.
    pub get: String,
}

impl Tools {
    /// Checks that a tool exists and is new enough. `words` is its command, with placeholders replaced.
    pub(super) async fn check(&self, tool: &Tool, words: Vec<String>, folder: &Path) -> Result<(), MissingTool> {
        let missing = |what: String| MissingTool { what, get: tool.get.clone() };
        let command = words.join(" ");
        let slot =
            Arc::clone(self.asked.lock().unwrap_or_else(PoisonError::into_inner).entry(words.clone()).or_default());
        let printed = slot.get_or_init(|| ask(&words, folder)).await;
        let printed = printed.as_ref().map_err(|why| missing(why.clone()))?;
        let Some(at_least) = &tool.at_least else { return Ok(()) };
        match version_in(printed) {
            Some(found) if found >= *at_least => Ok(()),
            Some(found) => Err(missing(format!("`{command}` reports {found}, but {at_least} or later is required"))),
            None => Err(missing(format!("`{command}` prints no version, but {at_least} or later is required"))),
        }
    }
}

/// Returns the output of a tool about itself, or the reason why there is none.
async fn ask(words: &[String], folder: &Path) -> Result<String, String> {
    let command = words.join(" ");
    match output(words, folder, TIMEOUT).await {
        Ok(Output { stdout, stderr, exit }) if exit.is_success() => Ok(format!("{stdout}\n{stderr}")),
        Ok(Output { exit, .. }) => Err(format!("`{command}` ended with {exit}")),
        Err(OutputError::NotStarted(_)) => {
            Err(format!("`{}` is missing", words.first().map(String::as_str).unwrap_or_default()))
        }
        Err(error @ OutputError::TookTooLong(_)) => Err(format!("`{command}` {error}")),
    }
}

/// The first version with a dot in a text, or else the first number.
fn version_in(text: &str) -> Option<Version> {
    let mut runs = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let run = &rest[start..];
        let end = run.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(run.len());
        runs.push(run[..end].trim_end_matches('.'));
        rest = &run[end..];
    }
    let dotted = runs.iter().find(|run| run.contains('.')).or(runs.first());
    dotted.and_then(|run| Version::parse(run).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_tell_their_versions_each_in_its_own_way() {
        for (printed, version) in [
            ("v20.11.1\n", "20.11.1"),
            ("Python 3.11.4", "3.11.4"),
            ("go version go1.26.0 linux/amd64", "1.26"),
            ("openjdk version \"17.0.9\" 2023-10-17", "17.0.9"),
            ("openjdk 21 2023-09-19", "21"),
            ("Apache Maven 3.9.6 (bc0240f3c744dd6b6ec2920b3cd08dcc295161ae)", "3.9.6"),
            ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)", "1.95"),
            ("pip 24.0 from /usr/lib/python3.11/site-packages/pip (python 3.11)", "24"),
        ] {
            assert_eq!(version_in(printed), Some(Version::parse(version).unwrap()), "{printed}");
        }
        assert_eq!(version_in("no number"), None);
    }

    async fn check(command: &[&str], at_least: Option<&str>) -> Result<(), String> {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let at_least = at_least.map(|version| Version::parse(version).unwrap());
        let tool = Tool { command: command.clone(), at_least, get: "it, at https://example.org/".to_owned() };
        Tools::default().check(&tool, command, Path::new("/")).await.map_err(|missing| missing.to_string())
    }

    #[tokio::test]
    async fn a_tool_that_is_missing_old_or_broken_is_told_with_how_to_get_it() {
        assert_eq!(check(&["sh", "-c", "echo 1.10"], Some("1.9")).await, Ok(()));
        assert_eq!(check(&["sh", "-c", "echo 2.1 >&2"], Some("2")).await, Ok(()));
        assert_eq!(check(&["true"], None).await, Ok(()));
        let wrong = |error: Result<(), String>| error.unwrap_err();
        let told = wrong(check(&["sh", "-c", "echo 1.8"], Some("1.9")).await);
        assert_eq!(
            told,
            "`sh -c echo 1.8` reports 1.8, but 1.9 or later is required. Install it, at https://example.org/"
        );
        assert!(wrong(check(&["./no-such-tool", "--version"], None).await).starts_with("`./no-such-tool` is missing."));
        assert!(wrong(check(&["sh", "-c", "exit 3"], None).await).contains("ended with exit status 3"));
        assert!(wrong(check(&["echo", "hello"], Some("1")).await).contains("prints no version"));
    }

    #[tokio::test]
    async fn a_tool_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let command = vec!["sh".to_owned(), "-c".to_owned(), "echo asked >> asked; echo 1".to_owned()];
        let tool = Tool { command: command.clone(), at_least: None, get: "it".to_owned() };
        let tools = Tools::default();
        for _ in 0..3 {
            tools.check(&tool, command.clone(), folder.path()).await.unwrap();
        }
        assert_eq!(std::fs::read_to_string(folder.path().join("asked")).unwrap(), "asked\n");
    }
}
