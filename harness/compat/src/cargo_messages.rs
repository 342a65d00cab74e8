//! Reads the profile of a build from the path of the test, and the program from the messages of cargo. Pure.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Returns the profile that a test was built in, given its path, such as `target/debug/deps/compat-0123`.
pub(crate) fn profile(test: &Path) -> Option<String> {
    let deps = test.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "deps"))?;
    let folder = deps.parent()?.file_name()?.to_str()?;
    Some(if folder == "debug" { "dev".to_owned() } else { folder.to_owned() })
}

/// Returns the path of a binary from the messages of its build.
pub(crate) fn executable(messages: &str, bin: &str) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Target {
        name: String,
        kind: Vec<String>,
    }
    #[derive(Deserialize)]
    struct Artifact {
        target: Target,
        executable: Option<PathBuf>,
    }
    let is_it = |target: &Target| target.name == bin && target.kind.iter().any(|kind| kind == "bin");
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    artifacts.filter(|built| is_it(&built.target)).find_map(|built| built.executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_is_read_off_the_place_of_the_test() {
        let of = |path: &str| profile(Path::new(path));
        assert_eq!(of("/t/debug/deps/compat-01").as_deref(), Some("dev"));
        assert_eq!(of("/t/x86_64-unknown-linux-gnu/release/deps/compat-01").as_deref(), Some("release"));
        assert_eq!(of("/t/tuned/deps/compat-01").as_deref(), Some("tuned"));
        assert_eq!(of("/somewhere/compat-01"), None);
    }

    #[test]
    fn the_program_is_the_binarys_own() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"my-server","kind":["lib"]},"executable":null}"#,
            "\n",
            "warning: not a message\n",
            r#"{"reason":"compiler-artifact","target":{"name":"my-server","kind":["bin"]},"executable":"/t/my-server"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executable(messages, "my-server"), Some(PathBuf::from("/t/my-server")));
        assert_eq!(executable(messages, "other"), None);
    }
}
