//! The peer contract: what a peer receives and what it answers, as JSON lines.
//!
//! Anything that speaks this can be a peer, in any language. Mocks and adapters know nothing else of this project.
//!
//! ```text
//! client adapter   stdin: a Job a line              stdout: an Answer a line, in any order
//! server adapter   stdio: one process a session, its Script in the file that MCP_COMPAT_SCENARIO names
//!                  HTTP:  first line of stdout is the base URL; then stdin: a Hosting a line,
//!                         stdout: a Hosted a line; each script is served at its own path
//! both             end of input ends the process; exit status 127 says "this role is not supported"
//! ```
//!
//! Values that cross the wire stay JSON text ([`RawValue`](serde_json::value::RawValue)): no number is rounded and no
//! key is lost on the way.

mod answer;
mod job;
mod script;

pub use answer::{Answer, ContractBreach, StepAnswer, Structured, ToolAnswer};
pub use job::{Deadlines, Job, JobStep, ServerAddress};
pub use script::{AnsweredMethod, Hosted, Hosting, Reply, Script, ScriptedAnswer, ScriptedTool, Stage};

/// The environment variable that names the file with a stdio server's [`Script`].
pub const SCENARIO_VARIABLE: &str = "MCP_COMPAT_SCENARIO";

/// The exit status with which a peer says that it does not support a whole role or script.
pub const UNSUPPORTED_STATUS: i32 = 127;

/// The tool whose call makes a server go to the script's next stage.
///
/// A change of tools has to happen at one exact place among the calls, over any transport and with any SDK. A call
/// is the only thing that all of them order, so the change is made by one.
pub const EVOLVE_TOOL: &str = "mcp_compat_evolve";

/// Suffix of the name of a control, after the name of its tool.
pub const CONTROL_SUFFIX: &str = "_control";

/// The plain, correct tool that every server also offers, so that collateral damage is seen.
pub const BYSTANDER_TOOL: &str = "mcp_compat_bystander";

/// The name of the step that no adapter knows. A job with it must be answered `unsupported`: an adapter that makes
/// something up instead cannot be believed elsewhere either.
pub const PROBE_STEP: &str = "probe-that-no-adapter-knows";
