//! What a manifest says, and why nothing can be made for a folder.

use crate::Found;

/// Why nothing can be made for a folder.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LookError {
    /// A manifest cannot be used.
    #[error("cannot read {file}: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        why: String,
    },
    /// There is no manifest.
    #[error(
        "looking for a server or a client: there is no Cargo.toml, package.json, pyproject.toml, requirements.txt, go.mod, \
         pom.xml or build.gradle here. Go to the folder of your server, or give its command: mcp-compat init -- COMMAND"
    )]
    NoManifest,
    /// The manifests name no SDK.
    #[error(
        "looking for a server or a client: {files} names no MCP SDK. If the server is in another folder, such as a \
         member of a workspace, go there. Otherwise, give its command: mcp-compat init -- COMMAND"
    )]
    NoSdk {
        /// The manifests.
        files: String,
    },
    /// How it is started is not in the folder.
    #[error("{because}, but nothing here shows how it is started. Give its command: mcp-compat init -- COMMAND")]
    NoStart {
        /// What was found.
        because: String,
    },
}

/// What the manifest of a language says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// It uses an SDK: a server or a client, whose start need not be known.
    Uses(Found),
    /// It uses no SDK.
    NoSdk(&'static str),
}
