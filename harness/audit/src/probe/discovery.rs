//! An answer to `server/discover` that shows a modern server and cannot be read.

use mcp_compat_shapes::{DISCOVER, Official, mismatches};
use mcp_compat_wire::exchange::exchanges;
use mcp_compat_wire::message::messages;
use mcp_compat_wire::session::is_of_modern_server;

use super::ProbeSession;

/// What is wrong with the result of `server/discover`, if it is that of a modern server.
pub(super) fn unreadable_discovery(session: &ProbeSession) -> Option<String> {
    let messages = messages(&session.transcript);
    let exchanges = exchanges(&messages, &session.transcript).all;
    let discovered = exchanges.iter().find(|asked| messages[asked.request].method() == Some("server/discover"))?;
    let result = messages[discovered.answer.message()?].result().filter(|result| is_of_modern_server(result))?;
    let wrong = mismatches(&Official(session.revision), &DISCOVER, result).into_iter().next()?;
    Some(format!("`{}` of the result of `server/discover` {}", wrong.path(), wrong.problem))
}
