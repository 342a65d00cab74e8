//! The clients that listen for changes: the open `subscriptions/listen` streams of a path.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::body::{Body, EventSender};
use crate::subscription::Subscription;

/// How long an answer waits until the notification is on its way to the listeners.
const NOTIFICATION: Duration = Duration::from_millis(250);

/// The most subscriptions that may be open at one path.
const LISTENER_LIMIT: usize = 1024;

/// The open `subscriptions/listen` streams of a path.
#[derive(Debug, Default)]
pub(super) struct Listeners(Mutex<Vec<Listener>>);

#[derive(Debug)]
struct Listener {
    subscription: Subscription,
    events: EventSender,
}

impl Listeners {
    fn lock(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn close(&self) {
        self.lock().clear();
    }

    /// Opens a stream for a subscription; `None` when too many are open.
    pub(super) fn open(&self, subscription: Subscription) -> Option<Body> {
        let mut listeners = self.lock();
        listeners.retain(|listener| listener.events.is_open());
        if listeners.len() == LISTENER_LIMIT {
            return None;
        }
        let (events, body) = Body::live(Some(&subscription.acknowledgement()), Some(&subscription.farewell()));
        listeners.push(Listener { subscription, events });
        Some(body)
    }

    /// Sends every listener the notification that the tools changed, and waits until it is on its way, so that no client gets
    /// the answer to the change before the notification of it. A client that does not read is not waited for.
    pub(super) async fn notify(&self) {
        let sent: Vec<_> = {
            let listeners = self.lock();
            let send = |listener: &Listener| listener.events.send(&listener.subscription.list_changed()?);
            listeners.iter().filter_map(send).collect()
        };
        let all = async {
            for one in sent {
                // An error says that the client is gone, and so needs no notification.
                let _ = one.await;
            }
        };
        let _ = tokio::time::timeout(NOTIFICATION, all).await;
    }
}
