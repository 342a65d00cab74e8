//! TypeScript and JavaScript: `package.json`.

use serde_json::Value;

use super::role;
use crate::folder::Folder;
use crate::said::{LookError, Said};
use crate::shell::command;
use crate::{Found, Language, NodePackages, Role, Runner};

const MANIFEST: &str = "package.json";

/// The SDKs, servers first.
const SDKS: [&str; 6] = [
    "@modelcontextprotocol/sdk",
    "@modelcontextprotocol/server",
    "fastmcp",
    "mcp-framework",
    "@modelcontextprotocol/client",
    "@ai-sdk/mcp",
];

/// Those that only clients use.
const OF_CLIENTS: [&str; 2] = ["@modelcontextprotocol/client", "@ai-sdk/mcp"];

/// Where a program may be that no key names.
const PLACES: [&str; 8] =
    ["index.js", "index.mjs", "server.js", "server.mjs", "client.js", "client.mjs", "src/index.js", "src/server.js"];

/// The same, in TypeScript.
const TYPED: [&str; 6] = ["src/index.ts", "src/server.ts", "src/main.ts", "src/client.ts", "index.ts", "server.ts"];

pub(crate) fn look(folder: Folder<'_>) -> Result<Option<Said>, LookError> {
    let Some(text) = folder.text(MANIFEST)? else { return Ok(None) };
    let manifest: Value = serde_json::from_str(&text)
        .map_err(|error| LookError::Unreadable { file: MANIFEST.to_owned(), why: error.to_string() })?;
    let depends = |package: &str| {
        ["dependencies", "devDependencies", "peerDependencies"].iter().any(|kind| manifest[kind].get(package).is_some())
    };
    let Some(sdk) = SDKS.iter().find(|sdk| depends(sdk)) else { return Ok(Some(Said::NoSdk(MANIFEST))) };
    let endings = [".ts", ".mts", ".js", ".mjs", ".cjs"];
    let role = if OF_CLIENTS.contains(sdk) {
        Role::Client
    } else {
        role(folder, &endings, &["sdk/server", "McpServer", "new FastMCP", "mcp-framework"], &["sdk/client"])
    };
    let (packages, install, run) = packages(folder);
    let build = manifest["scripts"].get("build").map(|_| format!("{run} build"));
    Ok(Some(Said::Uses(Found {
        role,
        language: Language::Node,
        because: format!("{MANIFEST} depends on {sdk}"),
        install: vec![install.to_owned()],
        start: start(folder, &manifest, build.is_some()).unwrap_or_default(),
        build: build.into_iter().collect(),
        runner: Some(Runner::Node { packages, vitest: depends("vitest"), folder: tests(folder) }),
    })))
}

/// The command that starts it: what `bin` or `main` names, or a file with a usual name.
fn start(folder: Folder<'_>, manifest: &Value, builds: bool) -> Option<Vec<String>> {
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    let of_bin = manifest["bin"].as_str().or_else(|| manifest["bin"].as_object()?.values().next()?.as_str());
    // What a build makes need not be there yet.
    let named = [of_bin, manifest["main"].as_str()].into_iter().flatten().map(plain);
    let script = named.into_iter().find(|path| folder.has(path) || builds).or_else(|| folder.first(&PLACES));
    let typed = || folder.first(&TYPED).map(|script| command("npx --yes tsx", &script));
    script.map(|script| command("node", &script)).or_else(typed)
}

/// What installs packages, how it installs those of the project, and how it runs a script.
fn packages(folder: Folder<'_>) -> (NodePackages, &'static str, &'static str) {
    if folder.has("pnpm-lock.yaml") {
        (NodePackages::Pnpm, "corepack enable && pnpm install --frozen-lockfile", "pnpm run")
    } else if folder.has("yarn.lock") {
        (NodePackages::Yarn, "corepack enable && yarn install", "yarn run")
    } else if folder.has("package-lock.json") {
        (NodePackages::Npm, "npm ci", "npm run")
    } else {
        (NodePackages::Npm, "npm install", "npm run")
    }
}

/// The folder of the tests.
fn tests(folder: Folder<'_>) -> &'static str {
    ["test", "tests", "__tests__"].into_iter().find(|name| folder.has_folder(name)).unwrap_or("test")
}
