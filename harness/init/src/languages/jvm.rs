//! Java and Kotlin: `pom.xml` or `build.gradle`.

use super::role;
use crate::folder::Folder;
use crate::said::{LookError, Said};
use crate::{Found, Language};

/// The group of the official SDKs for Java and Kotlin.
const GROUP: &str = "io.modelcontextprotocol";

pub(crate) fn look(folder: Folder<'_>) -> Result<Option<Said>, LookError> {
    for file in ["pom.xml", "build.gradle.kts", "build.gradle"] {
        let Some(text) = folder.text(file)? else { continue };
        if !text.contains(GROUP) {
            return Ok(Some(Said::NoSdk(file)));
        }
        let because = format!("{file} depends on {GROUP}");
        let (build, start) = start(folder, file, &text).unzip();
        return Ok(Some(Said::Uses(Found {
            role: role(
                folder,
                &[".java", ".kt"],
                &["McpServer", "kotlin.sdk.server", "ServerOptions"],
                &["McpClient", "kotlin.sdk.client"],
            ),
            language: Language::Jvm,
            because,
            install: Vec::new(),
            build: build.into_iter().collect(),
            start: start.unwrap_or_default(),
            runner: None,
        })));
    }
    Ok(None)
}

/// How it is built and started: Gradle's plugin `application` makes a program with the name of the project. Maven has no
/// usual way.
fn start(folder: Folder<'_>, file: &str, text: &str) -> Option<(String, Vec<String>)> {
    if file == "pom.xml" || !text.contains("application") {
        return None;
    }
    let settings =
        folder.text("settings.gradle.kts").ok().flatten().or(folder.text("settings.gradle").ok().flatten())?;
    let line = settings.lines().find(|line| line.trim_start().starts_with("rootProject.name"))?;
    let name = line.split(['"', '\'']).nth(1).filter(|name| !name.contains(char::is_whitespace))?;
    let gradle = if folder.has("gradlew") { "./gradlew" } else { "gradle" };
    Some((format!("{gradle} --quiet installDist"), vec![format!("build/install/{name}/bin/{name}")]))
}
