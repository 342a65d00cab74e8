//! Black-box clients: programs that are started with the server's address, do what they do, and end.
//!
//! ```text
//! Scenario ─ adapted ─> a scenario that the client can play ─ (play) ─> Transcript, exit status ─ observed ─> Observation
//! ```
//!
//! The official conformance suite runs clients this way, and every SDK has such a program. It knows the scenarios of that
//! suite and calls the tool that it expects there, so the tool of the scenario is offered under that name. The program does
//! not report what its user got. That is read from the wire and from the exit status, and what they leave open is recorded
//! as not reported. If an outcome rests on the exit status, a control first shows whether that status means anything.

mod adapted;
mod command;
mod control;
mod observed;
mod report;
mod twin;
mod wire_activity;

pub(crate) use adapted::{adapted, unsupported_reason};
pub use command::{ClientCommand, SERVER, SUITE_TOOL, ServerPlace, URL};
pub(crate) use control::{ControlResult, ExitStatusControls, after_control, control, control_needed};
pub use control::{ENDS_WELL_ANYHOW, FAILS_ANYHOW, gives_up};
pub use observed::error_excerpt;
pub(crate) use observed::{is_lost_at_the_list, narrowed_to_the_tool, observed, with_plain_tool};
pub(crate) use report::Report;
pub(crate) use twin::{after_twin, twin};
pub(crate) use wire_activity::result_of_call;
pub use wire_activity::{WireActivity, called_tools};
