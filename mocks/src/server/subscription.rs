//! A modern client's open `subscriptions/listen` request, and the messages that belong to it.

use crate::wire::jsonrpc::{META_SUBSCRIPTION, notification, response};

/// The notification that the tools changed.
pub(crate) const LIST_CHANGED: &str = "notifications/tools/list_changed";

/// One subscription, known by the id of the request that opened it.
#[derive(Clone, Debug)]
pub(crate) struct Subscription {
    id: String,
    to_tool_changes: bool,
}

impl Subscription {
    /// A subscription of the request with this id, as JSON text.
    pub(crate) fn new(id: &str, to_tool_changes: bool) -> Self {
        Self { id: id.to_owned(), to_tool_changes }
    }

    /// The request's id, as JSON text.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The first message: the notifications that the server agreed to send.
    pub(crate) fn acknowledgement(&self) -> Vec<u8> {
        let agreed = if self.to_tool_changes { r#"{"toolsListChanged":true}"# } else { "{}" };
        let params = format!(r#"{{{},"notifications":{agreed}}}"#, self.meta());
        let mut message = Vec::new();
        notification(&mut message, "notifications/subscriptions/acknowledged", Some(&params));
        message
    }

    /// The notification that the tools changed, if the client subscribed to it.
    pub(crate) fn list_changed(&self) -> Option<Vec<u8>> {
        self.to_tool_changes.then(|| {
            let mut message = Vec::new();
            notification(&mut message, LIST_CHANGED, Some(&format!("{{{}}}", self.meta())));
            message
        })
    }

    /// The last message, when the server ends the subscription: the response to the request that opened it.
    pub(crate) fn farewell(&self) -> Vec<u8> {
        let mut message = Vec::new();
        response(&mut message, &self.id, &format!(r#"{{"resultType":"complete",{}}}"#, self.meta()));
        message
    }

    fn meta(&self) -> String {
        format!(r#""_meta":{{"{META_SUBSCRIPTION}":{}}}"#, self.id)
    }
}
