//! The results of the controls that show what the exit status of a black-box client means. Each control is played once for
//! a client and a server, and their cells share the result.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::PeerId;
use tokio::sync::OnceCell;

use crate::black_box::{Control, ControlResult};

/// Client, server and control.
type Key = (PeerId, PeerId, Control);

#[derive(Debug, Default)]
pub(crate) struct ExitStatusControls(Mutex<HashMap<Key, Arc<OnceCell<ControlResult>>>>);

impl ExitStatusControls {
    /// The result of a control. The first cell that asks plays it, and the others wait for it. A result after a timeout is
    /// an error: it is for that cell alone, and the next one plays the control again.
    pub(crate) async fn result<E>(
        &self,
        client: &PeerId,
        server: &PeerId,
        control: Control,
        play: impl Future<Output = Result<ControlResult, E>>,
    ) -> Result<ControlResult, E> {
        let key = (client.clone(), server.clone(), control);
        let cell = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        cell.get_or_try_init(|| play).await.copied()
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
                Ok::<_, ()>(result)
            };
            let id = |id| PeerId::new(id).unwrap();
            assert_eq!(controls.result(&id(client), &id("s"), control, play).await, Ok(result));
        }
        assert_eq!(played.get(), 3);
    }

    #[tokio::test]
    async fn a_control_that_timed_out_is_played_again_for_the_next_cell() {
        let controls = ExitStatusControls::default();
        let id = |id| PeerId::new(id).unwrap();
        let ask = async |played| controls.result(&id("a"), &id("s"), Control::Plain, async { played }).await;
        let result = ControlResult::default();
        assert_eq!(ask(Err("it timed out beside others")).await, Err("it timed out beside others"));
        assert_eq!(ask(Ok(result)).await, Ok(result));
        assert_eq!(ask(Err("it is not played")).await, Ok(result));
    }
}
