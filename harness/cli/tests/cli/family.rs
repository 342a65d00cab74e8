//! A folder of peers whose releases are installed by shell scripts, and played by the mocks of the program itself.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::workshop::{PROGRAM, Workshop};

/// What a test says of the family `sdk`.
#[derive(Clone, Default)]
pub(crate) struct Family {
    /// What one release is installed by.
    pub(crate) script: &'static str,
    /// What is added to the manifest.
    pub(crate) more: &'static str,
}

impl Family {
    /// A family that is installed by that.
    pub(crate) fn of(script: &'static str) -> Self {
        Self { script, more: "" }
    }

    /// Writes it into a workshop.
    pub(crate) fn in_workshop(&self, workshop: &Workshop) {
        workshop.write("peers/sh/sdk/peer.toml", &self.manifest("sdk", ">=1.0.0, <3.0.0"));
    }

    pub(crate) fn manifest(&self, name: &str, versions: &str) -> String {
        let mut text = format!(
            "name = \"{name}\"\nversions = \"{versions}\"\nlanguage = \"sh\"\nabout = \"an SDK\"\n\
             [revisions]\n\"2025-06-18\" = \"1.0.0\"\n\"2025-11-25\" = \"1.5.0\"\n"
        );
        let Self { script, more } = self;
        let _ = write!(text, "[setup]\nlock = \"lock\"\nsteps = [[\"sh\", \"-c\", '''{script}''']]\n");
        let mock = |words: &str| format!("[\"{PROGRAM}\", \"mock\", {words}]");
        let _ = write!(text, "[client]\ncommand = {}\n", mock("\"client\", \"--adapter\", \"--id=mock/2025-11-25\""));
        let server = mock("\"server\", \"--adapter\", \"--id=mock/2025-11-25\"");
        let _ = write!(text, "[server]\nstdio = {server}\n[server-typed]\nstdio = {server}\n{more}");
        text
    }
}

/// Lists a fleet.
pub(crate) fn fleet(workshop: &Workshop, ids: &[&str]) {
    let entry = |id: &&str| format!("[[peer]]\nid = \"{id}\"\nwhy = \"it is played\"\n");
    workshop.write("peers/fleet.toml", &ids.iter().map(entry).collect::<String>());
}

/// A workshop with a family, of which two releases are the fleet.
pub(crate) fn workshop(family: &Family) -> Workshop {
    let workshop = Workshop::new();
    family.in_workshop(&workshop);
    fleet(&workshop, &["sdk@1.0.0", "sdk@2.0.0"]);
    workshop
}

/// A file of the folder that peers of the language share.
pub(crate) fn shared(workshop: &Workshop, name: &str) -> String {
    fs::read_to_string(workshop.path().join("target/mcp-compat-peers/sh").join(name)).unwrap_or_default()
}

/// The folder of a release.
pub(crate) fn home(workshop: &Workshop, version: &str) -> impl AsRef<Path> {
    workshop.path().join("target/mcp-compat-peers/homes/sdk").join(version)
}
