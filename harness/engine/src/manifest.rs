//! `peer.toml`: what a real peer is, how it is set up, and how it is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcp_compat_model::{Mode, PeerId, Revision};
use schemars::JsonSchema;
use serde::Deserialize;

/// A peer's manifest, as written. `peers/README.md` documents every key.
///
/// In commands, `{peer}` is the folder of the manifest and `{build}` the folder that is kept for what the set-up
/// makes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manifest {
    /// The peer's id without a mode, such as `rmcp@3.9.0`.
    pub id: PeerId,
    /// The language it is written in.
    pub language: String,
    /// One line on what it is.
    pub about: String,
    /// The revisions that it speaks.
    pub revisions: Vec<Revision>,
    /// What has to be done once before it can be started; nothing when absent.
    pub setup: Option<Setup>,
    /// How its client is started; absent when it has none.
    pub client: Option<ClientCommand>,
    /// How its server is started; absent when it has none.
    pub server: Option<ServerCommand>,
}

/// What has to be done once.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Setup {
    /// The command, run in the folder of the manifest.
    pub command: Vec<String>,
    /// Variables to set for it.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Further files and folders that it depends on, beside the folder of the manifest.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// The file that is there when it has succeeded.
    pub produces: Option<String>,
}

/// How a client adapter is started.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientCommand {
    /// The command.
    pub command: Vec<String>,
    /// The negotiation modes that it can be asked for; empty when it has no choice.
    #[serde(default)]
    pub modes: Vec<Mode>,
}

/// How a server adapter is started.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerCommand {
    /// The command of the server on standard streams; absent when it has none.
    pub stdio: Option<Vec<String>>,
    /// The command of the server over HTTP; absent when it has none.
    pub http: Option<Vec<String>>,
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file cannot be read.
    #[error("reading the peer manifest {}: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is not a manifest.
    #[error("the peer manifest {} is not one:\n{error}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What the reader found, with the line.
        error: String,
    },
    /// The peer plays no role.
    #[error("the peer manifest {} has neither [client] nor [server]: add the one that it can play", .path.display())]
    NoRole {
        /// The file.
        path: PathBuf,
    },
    /// A command is empty.
    #[error("the peer manifest {} has an empty `{key}`: write the program and its arguments", .path.display())]
    EmptyCommand {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
}

impl Manifest {
    /// Reads the manifest in `path`.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a manifest; the error names file, line and field.
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ManifestError::Unreadable { path: path.to_owned(), error })?;
        Self::parse(path, &text)
    }

    /// Reads a manifest from its text; `path` stands in errors.
    ///
    /// # Errors
    /// When the text is not a manifest.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text)
            .map_err(|error| ManifestError::Syntax { path: path.to_owned(), error: error.to_string() })?;
        if manifest.client.is_none() && manifest.server.is_none() {
            return Err(ManifestError::NoRole { path: path.to_owned() });
        }
        let server = manifest.server.as_ref();
        let commands = [
            ("setup.command", manifest.setup.as_ref().map(|setup| &setup.command)),
            ("client.command", manifest.client.as_ref().map(|client| &client.command)),
            ("server.stdio", server.and_then(|server| server.stdio.as_ref())),
            ("server.http", server.and_then(|server| server.http.as_ref())),
        ];
        let empty = commands.into_iter().find(|(_, command)| command.is_some_and(Vec::is_empty)).map(|(key, _)| key);
        match empty {
            Some(key) => Err(ManifestError::EmptyCommand { path: path.to_owned(), key }),
            None => Ok(manifest),
        }
    }
}

/// A command of a manifest with its folders filled in.
#[must_use]
pub fn fill_in(command: &[String], peer: &Path, build: &Path) -> Vec<String> {
    let folder = |path: &Path| path.display().to_string();
    let fill = |word: &String| word.replace("{peer}", &folder(peer)).replace("{build}", &folder(build));
    command.iter().map(fill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        id = "sdk@1.2.3"
        language = "rust"
        about = "an SDK"
        revisions = ["2025-06-18"]
        [setup]
        command = ["make", "{build}"]
        [client]
        command = ["{build}/peer", "client"]
        modes = ["legacy", "auto"]
        [server]
        stdio = ["{peer}/run", "server"]
    "#;

    #[test]
    fn a_manifest_says_how_a_peer_is_started() {
        let manifest = Manifest::parse(Path::new("peer.toml"), WHOLE).unwrap();
        let command = manifest.server.unwrap().stdio.unwrap();
        assert_eq!(fill_in(&command, Path::new("/p"), Path::new("/b")), ["/p/run", "server"]);
        assert_eq!(manifest.client.unwrap().modes, [Mode::Legacy, Mode::Auto]);
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_field() {
        let text = WHOLE.replace("modes =", "mode =");
        let error = Manifest::parse(Path::new("peer.toml"), &text).unwrap_err().to_string();
        assert!(error.contains("line 10") && error.contains("`mode`"), "{error}");
        let error = Manifest::parse(Path::new("peer.toml"), &WHOLE.replace("\"2025-06-18\"", "\"2025-06-19\""));
        assert!(error.unwrap_err().to_string().contains("2025-06-19"));
    }

    #[test]
    fn a_peer_without_a_role_or_with_an_empty_command_is_refused() {
        let path = Path::new("peer.toml");
        let no_role: String = WHOLE.lines().take(5).collect::<Vec<_>>().join("\n");
        assert!(matches!(Manifest::parse(path, &no_role), Err(ManifestError::NoRole { .. })));
        let empty = WHOLE.replace(r#"["{peer}/run", "server"]"#, "[]");
        let error = Manifest::parse(path, &empty).unwrap_err();
        assert!(matches!(error, ManifestError::EmptyCommand { key: "server.stdio", .. }));
    }
}
