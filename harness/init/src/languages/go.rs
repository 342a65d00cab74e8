//! Go: `go.mod`.

use super::role;
use crate::folder::Folder;
use crate::said::{LookError, Said};
use crate::shell::{command, line};
use crate::{Found, Language};

const MANIFEST: &str = "go.mod";

/// The SDKs.
const SDKS: [&str; 2] = ["github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go"];

pub(crate) fn look(folder: Folder<'_>) -> Result<Option<Said>, LookError> {
    let Some(text) = folder.text(MANIFEST)? else { return Ok(None) };
    let requires = |sdk: &&&str| text.lines().any(|line| line.split_whitespace().any(|word| word == **sdk));
    let Some(sdk) = SDKS.iter().find(requires) else { return Ok(Some(Said::NoSdk(MANIFEST))) };
    let because = format!("{MANIFEST} requires {sdk}");
    let commands = folder.folders("cmd");
    let package = match &commands[..] {
        _ if folder.has("main.go") => Some(".".to_owned()),
        [command] => Some(format!("./cmd/{command}")),
        _ => None,
    };
    Ok(Some(Said::Uses(Found {
        role: role(
            folder,
            &[".go"],
            &["mcp.NewServer", "NewMCPServer"],
            &["mcp.NewClient", "NewStdioMCPClient", "client.New"],
        ),
        language: Language::Go,
        because,
        install: package.iter().map(|package| line(&command("go build -o /dev/null", package))).collect(),
        build: Vec::new(),
        start: package.map(|package| command("go run", &package)).unwrap_or_default(),
        runner: None,
    })))
}
