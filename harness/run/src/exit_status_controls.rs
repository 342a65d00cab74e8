//! The results of the controls that show what the exit status of a black-box client means. Each control is played once for
//! a client and a server, and their cells share the result.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::PeerId;
use tokio::sync::OnceCell;

use crate::black_box::{Control, ControlResult};

/// Client, server and control.
type Key = (PeerId, PeerId, Control);

/// The results of the controls.
#[derive(Debug, Default)]
pub(crate) struct ExitStatusControls(Mutex<HashMap<Key, Arc<OnceCell<ControlResult>>>>);

impl ExitStatusControls {
    /// The result of a control. The first cell that asks plays it, and the others wait for it.
    pub(crate) async fn result(
        &self,
        client: &PeerId,
        server: &PeerId,
        control: Control,
        play: impl Future<Output = ControlResult>,
    ) -> ControlResult {
        let key = (client.clone(), server.clone(), control);
        let cell = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        *cell.get_or_init(|| play).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_control_is_played_once_for_a_client_and_a_server() {
        let (controls, played) = (ExitStatusControls::default(), std::cell::Cell::new(0));
        let result = ControlResult::default();
        for (client, control) in
            [("a", Control::Plain), ("a", Control::Plain), ("a", Control::Failing), ("b", Control::Plain)]
        {
            let play = async {
                played.set(played.get() + 1);
                result
            };
            let id = |id| PeerId::new(id).unwrap();
            assert_eq!(controls.result(&id(client), &id("s"), control, play).await, result);
        }
        assert_eq!(played.get(), 3);
    }
}
