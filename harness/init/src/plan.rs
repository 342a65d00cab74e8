//! The files for a server or a client, and the command to run.

use crate::new_file::NewFile;
use crate::shell::all;
use crate::test_file;
use crate::workflow::{self, audit};
use crate::{Found, Role};

/// What to write, and what to run then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The files, in the order in which they are written.
    pub files: Vec<NewFile>,
    /// The command to run, as a shell line.
    pub command: String,
    /// The command that audits the program once, without a test: a shell line that needs nothing but mcp-compat.
    pub audit: String,
    /// Whether the command takes a package of mcp-compat from a registry.
    pub takes_package: bool,
}

/// What tests a program. `version` is that of the packages of mcp-compat.
#[must_use]
pub fn plan(found: &Found, version: &str) -> Plan {
    let test = Some(found).filter(|found| found.role == Role::Server).and_then(|found| test_file::of(found, version));
    let workflow = NewFile {
        path: workflow::WORKFLOW.to_owned(),
        text: workflow::workflow(found, test.as_ref().map(|test| &test.in_workflow[..]), version),
    };
    let audit = all(found.build.iter().cloned().chain([audit("mcp-compat", found)]));
    match test {
        Some(test) => Plan {
            audit,
            files: vec![test.baseline, test.file, workflow],
            command: all(std::iter::once(test.add).chain(found.build.iter().cloned()).chain([test.run])),
            takes_package: true,
        },
        None => Plan { files: vec![workflow], command: audit.clone(), audit, takes_package: false },
    }
}
