//! A scripted model: an endpoint on loopback that a host takes for a model, and that calls the tools of a plan.
//!
//! A host lists an MCP server's tools, offers them to a model, and sends the model what their calls returned. So the
//! requests to the model show what a model gets to see of a server.
//!
//! ```text
//! request ─ Interface::read ─> Conversation ─ Plan::next ─> Say ─ Interface::write ─> response, or its stream
//! requests ─ ModelView::of ─> the tools that were offered, and the results that were sent
//! ```
//!
//! It keeps no state: the history in a request shows which calls were made. So a host may send a request again, start
//! anew, or ask for a title in between.

mod arguments;
mod code_mode;
mod conversation;
mod deferred;
mod http;
mod interface;
mod names;
mod plan;
mod refusals;
mod view;

pub use conversation::{Conversation, MadeCall, OfferedTool, Part, ToolAnswer};
pub use http::{ModelRequest, ScriptedModel};
pub use interface::Interface;
pub use names::offered_as;
pub use plan::{Plan, PlannedCall, Say};
pub use refusals::{Refusal, refusals};
pub use view::{ModelView, SeenResult};
