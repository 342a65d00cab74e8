//! Looks at the folder of an MCP server or client, and makes what tests it: a test file with its baseline, a workflow, and
//! the command to run now.
//!
//! ```text
//! Cargo.toml, package.json, ... ── languages ──> Found: server or client, how it is installed and started, and why
//!                                                  │ test_file, workflow
//!                                                  └──> Plan: the files, and the command
//! ```
//!
//! Nothing is started, and nothing is asked that the folder shows. No file is changed that is there.

mod folder;
mod languages;
mod look;
mod new_file;
mod plan;
mod said;
mod shell;
mod test_file;
mod workflow;

pub use look::{look, of_command};
pub use new_file::NewFile;
pub use plan::{Plan, plan};
pub use said::LookError;
pub use workflow::WORKFLOW;

/// What a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A server.
    Server,
    /// A client, which gets the address of a server as its last argument.
    Client,
}

/// A language, with the tools that its programs need in a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rust.
    Rust,
    /// TypeScript or JavaScript.
    Node,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Java or Kotlin.
    Jvm,
    /// Only a command is known.
    Unknown,
}

impl Language {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Node => "JavaScript or TypeScript",
            Self::Python => "Python",
            Self::Go => "Go",
            Self::Jvm => "JVM",
            Self::Unknown => "another language",
        }
    }
}

/// What runs the tests of a project, if mcp-compat has a helper for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runner {
    /// `cargo test`, with the binary of the package that is the server.
    Cargo {
        /// The name of the binary. `None` if the server is another program.
        binary: Option<String>,
    },
    /// `node --test`, or vitest if the package depends on it.
    Node {
        /// What installs packages.
        packages: NodePackages,
        /// Whether tests are run by vitest.
        vitest: bool,
        /// The folder of the tests.
        folder: &'static str,
    },
    /// pytest.
    Pytest {
        /// Whether the project is managed by uv.
        uv: bool,
        /// The folder of the tests; empty if they are beside the program.
        folder: &'static str,
    },
}

/// What installs the packages of a Node project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodePackages {
    /// npm.
    Npm,
    /// pnpm.
    Pnpm,
    /// Yarn.
    Yarn,
}

/// What was found in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub role: Role,
    /// What it is written in.
    pub language: Language,
    /// What shows that, for people: `package.json depends on @modelcontextprotocol/sdk`.
    pub because: String,
    /// The shell lines that install it in a new checkout.
    pub install: Vec<String>,
    /// The shell lines that make the program, if its start does not.
    pub build: Vec<String>,
    /// The words of the command that starts it; empty if the folder does not show it.
    pub start: Vec<String>,
    /// What runs its tests.
    pub runner: Option<Runner>,
}
