//! The fresh home of one start: files from templates, and the environment.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use mcp_compat_drive::Launch;
use serde_json::json;
use tempfile::TempDir;

use crate::form::HostForm;
use crate::isolation::alone;

/// Variables of the harness that a host keeps.
const KEPT: [&str; 2] = ["PATH", "LANG"];

/// Address of a proxy that nobody listens at.
const CLOSED: &str = "http://127.0.0.1:1";

/// A home folder for one start of a host, with an empty working directory. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Home {
    folder: TempDir,
    places: BTreeMap<&'static str, String>,
}

/// Reason why a home could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {error}", .path.display())]
pub(crate) struct HomeError {
    path: PathBuf,
    error: io::Error,
}

impl Home {
    /// Makes the folder. `model` is the address of the model, `server` the words of the server's command.
    pub(crate) fn new(model: &str, server: &[String]) -> Result<Self, HomeError> {
        let folder = tempfile::Builder::new().prefix("mcp-compat-").tempdir();
        let folder = folder.map_err(|error| HomeError { path: std::env::temp_dir(), error })?;
        let (program, arguments) = server.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let places = BTreeMap::from([
            ("user", folder.path().join("home").display().to_string()),
            ("model", model.to_owned()),
            ("server", json!(server).to_string()),
            ("program", json!(program).to_string()),
            ("arguments", json!(arguments).to_string()),
        ]);
        let home = Self { folder, places };
        for path in [home.user(), home.work()] {
            std::fs::create_dir_all(&path).map_err(|error| HomeError { path, error })?;
        }
        Ok(home)
    }

    fn user(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The working directory. Prompts hold its path, so it has the name of no tool.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn fill(&self, text: &str) -> String {
        self.places.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
    }

    /// Writes the files of the manifest, whose templates are in the folder `templates`.
    pub(crate) fn write(&self, form: &HostForm, templates: &Path) -> Result<(), HomeError> {
        for (path, template) in &form.files {
            let (path, template) = (PathBuf::from(self.fill(path)), templates.join(template));
            let text = std::fs::read_to_string(&template).map_err(|error| HomeError { path: template, error })?;
            let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            written
                .and_then(|()| std::fs::write(&path, self.fill(&text)))
                .map_err(|error| HomeError { path, error })?;
        }
        Ok(())
    }

    /// A command in this home: nothing of the environment is passed on but what every program needs.
    pub(crate) fn launch(&self, form: &HostForm, command: &[String]) -> Launch {
        let mut words = alone();
        words.extend(["env", "-i"].map(ToOwned::to_owned));
        let kept = KEPT.iter().filter_map(|name| Some((*name, std::env::var(name).ok()?)));
        let proxies = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        let set = kept
            .chain([
                ("HOME", self.user().display().to_string()),
                ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
                ("no_proxy", "127.0.0.1,localhost".to_owned()),
            ])
            .chain(proxies.map(|name| (name, CLOSED.to_owned())));
        words.extend(set.map(|(name, value)| format!("{name}={value}")));
        words.extend(form.env.iter().map(|(name, value)| format!("{name}={}", self.fill(value))));
        words.extend(command.iter().map(|word| self.fill(word)));
        let program = words.remove(0);
        Launch::new(program).args(words).cwd(self.work())
    }
}
