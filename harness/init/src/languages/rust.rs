//! Rust: `Cargo.toml`, with the SDK rmcp.

use toml::Table;

use super::role;
use crate::folder::Folder;
use crate::said::{LookError, Said};
use crate::shell::{command, line};
use crate::{Found, Language, Runner};

const MANIFEST: &str = "Cargo.toml";
const SDK: &str = "rmcp";

pub(crate) fn look(folder: Folder<'_>) -> Result<Option<Said>, LookError> {
    let Some(text) = folder.text(MANIFEST)? else { return Ok(None) };
    let manifest: Table = text.parse().map_err(|error: toml::de::Error| LookError::Unreadable {
        file: MANIFEST.to_owned(),
        why: error.message().to_owned(),
    })?;
    let depends = manifest.get("dependencies").and_then(|it| it.get(SDK)).is_some();
    if !depends {
        return Ok(Some(Said::NoSdk(MANIFEST)));
    }
    let because = format!("{MANIFEST} depends on {SDK}");
    let binary = binary(folder, &manifest);
    Ok(Some(Said::Uses(Found {
        role: role(
            folder,
            &[".rs"],
            &["ServerHandler", "tool_router", "tool_box"],
            &["ClientHandler", "ClientInfo", ".call_tool("],
        ),
        language: Language::Rust,
        because,
        install: binary.iter().map(|binary| line(&command("cargo build --quiet --bin", binary))).collect(),
        build: Vec::new(),
        start: binary.as_ref().map(|binary| command("cargo run --quiet --bin", binary)).unwrap_or_default(),
        runner: Some(Runner::Cargo { binary }),
    })))
}

/// The first program of a package.
fn binary(folder: Folder<'_>, manifest: &Table) -> Option<String> {
    let named = manifest.get("bin").and_then(|bins| bins.as_array()?.first()?.get("name")?.as_str());
    let package = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    named.or_else(|| package.filter(|_| folder.has("src/main.rs"))).map(str::to_owned)
}
