//! What is known of the exit status of clients that are only a command: found out once for a client and a server, and
//! shared by their cells.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::PeerId;
use tokio::sync::OnceCell;

use crate::command::{Control, Shown};

/// Client, server and control.
type Key = (PeerId, PeerId, Control);

/// What clients showed in the controls.
#[derive(Debug, Default)]
pub(crate) struct Calibrations(Mutex<HashMap<Key, Arc<OnceCell<Shown>>>>);

impl Calibrations {
    /// What the client shows with the server, played by the first who asks; others wait for it.
    pub(crate) async fn shown(
        &self,
        client: &PeerId,
        server: &PeerId,
        control: Control,
        play: impl Future<Output = Shown>,
    ) -> Shown {
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
        let (calibrations, played) = (Calibrations::default(), std::cell::Cell::new(0));
        let shown = Shown::default();
        for (client, control) in
            [("a", Control::Plain), ("a", Control::Plain), ("a", Control::Failing), ("b", Control::Plain)]
        {
            let play = async {
                played.set(played.get() + 1);
                shown
            };
            let id = |id| PeerId::new(id).unwrap();
            assert_eq!(calibrations.shown(&id(client), &id("s"), control, play).await, shown);
        }
        assert_eq!(played.get(), 3);
    }
}
