//! Python: `pyproject.toml` or `requirements.txt`.

use toml::Table;

use super::role;
use crate::folder::Folder;
use crate::said::{LookError, Said};
use crate::shell::command;
use crate::{Found, Language, Runner};

const PROJECT: &str = "pyproject.toml";
const REQUIREMENTS: &str = "requirements.txt";

/// The SDKs.
const SDKS: [&str; 2] = ["fastmcp", "mcp"];

/// Where a program may be that no key names.
const PLACES: [&str; 8] =
    ["server.py", "main.py", "app.py", "client.py", "src/server.py", "src/main.py", "__main__.py", "mcp_server.py"];

pub(crate) fn look(folder: Folder<'_>) -> Result<Option<Said>, LookError> {
    let project: Option<Table> =
        folder.text(PROJECT)?.map(|text| text.parse()).transpose().map_err(|error: toml::de::Error| {
            LookError::Unreadable { file: PROJECT.to_owned(), why: error.message().to_owned() }
        })?;
    let requirements = folder.text(REQUIREMENTS)?;
    let of_project: Vec<&str> = project.iter().flat_map(dependencies).collect();
    let of_file: Vec<&str> = requirements.iter().flat_map(|text| text.lines()).collect();
    let uses = |lines: &[&str]| SDKS.iter().copied().find(|sdk| lines.iter().any(|line| name(line) == *sdk));
    let (file, sdk) = match (uses(&of_project), uses(&of_file)) {
        (Some(sdk), _) => (PROJECT, sdk),
        (None, Some(sdk)) => (REQUIREMENTS, sdk),
        (None, None) if project.is_some() => return Ok(Some(Said::NoSdk(PROJECT))),
        (None, None) => return Ok(requirements.map(|_| Said::NoSdk(REQUIREMENTS))),
    };
    let because = format!("{file} depends on {sdk}");
    let uv = folder.has("uv.lock");
    let by = |runs: &'static str| if uv { "uv run --quiet" } else { runs };
    let of_module = |module: String| command(if uv { "uv run --quiet -m" } else { "python3 -m" }, &module);
    let start = match (project.as_ref().and_then(script), folder.first(&PLACES)) {
        (Some(script), _) => command(by(""), &script),
        (None, Some(file)) => command(by("python3"), &file),
        (None, None) => module(folder).map(of_module).unwrap_or_default(),
    };
    let install = match (uv, file) {
        (true, _) => "pip install uv && uv sync",
        (false, PROJECT) => "pip install .",
        (false, _) => "pip install --requirement requirements.txt",
    };
    Ok(Some(Said::Uses(Found {
        role: role(
            folder,
            &[".py"],
            &["FastMCP", "MCPServer", "mcp.server", "Server("],
            &["ClientSession", "mcp.client", "fastmcp.client", "from fastmcp import Client"],
        ),
        language: Language::Python,
        because,
        install: vec![install.to_owned()],
        build: Vec::new(),
        start,
        runner: Some(Runner::Pytest { uv, folder: if folder.has_folder("tests") { "tests" } else { "" } }),
    })))
}

/// What a project depends on, by the standard or as Poetry writes it.
fn dependencies(project: &Table) -> Vec<&str> {
    let listed = project.get("project").and_then(|project| project.get("dependencies")?.as_array());
    let of_poetry = poetry(project).and_then(|poetry| poetry.get("dependencies")?.as_table());
    let listed = listed.into_iter().flatten().filter_map(|line| line.as_str());
    listed.chain(of_poetry.into_iter().flat_map(Table::keys).map(String::as_str)).collect()
}

fn poetry(project: &Table) -> Option<&Table> {
    project.get("tool")?.get("poetry")?.as_table()
}

/// The name in a requirement: `mcp` in `mcp[cli]>=1.0`.
fn name(line: &str) -> String {
    let line = line.trim();
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(line.len());
    line[..end].to_ascii_lowercase()
}

/// The first program that is installed with a project.
fn script(project: &Table) -> Option<String> {
    let scripts = |of: &Table| of.get("scripts")?.as_table()?.keys().next().cloned();
    project.get("project").and_then(|project| scripts(project.as_table()?)).or_else(|| scripts(poetry(project)?))
}

/// The package that can be run: it has a file `__main__.py`.
fn module(folder: Folder<'_>) -> Option<String> {
    let runs = |parent: &'static str| {
        let names = folder.folders(parent).into_iter();
        names.filter(move |name| folder.has(&format!("{parent}{name}/__main__.py")))
    };
    runs("").chain(runs("src/")).find(|name| !name.starts_with('.'))
}
