//! Opens a session with rmcp's client in either era, and listens where the era asks for it.

use peer_contract::answer::{CallAnswer, PeerError, ToolAnswer};
use peer_contract::client::{Client, Session};
use peer_contract::job::{Job, Mode, ServerAddress};
use rmcp::ClientServiceExt as _;
use rmcp::model::{JsonObject, ProtocolVersion, ServerNotification, SubscriptionFilter};
use rmcp::service::{ClientLifecycleMode, Subscription};
use rmcp::transport::StreamableHttpClientTransport;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::common::errors::of_connecting;
use crate::common::session::{Listener, RmcpSession};
use crate::common::transports::subprocess;

/// rmcp's client.
pub struct Rmcp;

/// A running session, and what it listens to.
pub struct Rmcp3Session {
    session: RmcpSession,
    subscription: Option<Listening>,
}

/// An open `subscriptions/listen`, read in a task of its own.
struct Listening {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Client for Rmcp {
    type Session = Rmcp3Session;

    fn unsupported(_: &Job) -> Option<String> {
        None
    }

    async fn connect(job: &Job) -> Result<Rmcp3Session, PeerError> {
        let listener = Listener::default();
        let lifecycle = lifecycle(job.mode);
        let service = match &job.server {
            ServerAddress::Stdio { command, env } => {
                listener.clone().serve_with_lifecycle(subprocess(command, env)?, lifecycle).await
            }
            ServerAddress::Http { url } => {
                let transport = StreamableHttpClientTransport::from_uri(url.as_str());
                listener.clone().serve_with_lifecycle(transport, lifecycle).await
            }
        };
        let session = RmcpSession { service: service.map_err(of_connecting)? };
        let mut session = Rmcp3Session { session, subscription: None };
        if job.waits_for_change() && session.is_modern(job.mode) {
            session.subscribe(listener).await;
        }
        Ok(session)
    }
}

/// Without a mode, what `ServiceExt::serve` does: `initialize`.
fn lifecycle(mode: Option<Mode>) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::LATEST];
    match mode {
        None | Some(Mode::Legacy) => ClientLifecycleMode::Initialize,
        Some(Mode::Auto) => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        Some(Mode::Modern) => ClientLifecycleMode::Discover { preferred_versions },
    }
}

impl Rmcp3Session {
    /// Returns whether the session was opened in the modern era. The negotiated revision alone does not show it: a server
    /// may name a modern one in its answer to `initialize`.
    fn is_modern(&self, mode: Option<Mode>) -> bool {
        let asked = matches!(mode, Some(Mode::Auto | Mode::Modern));
        asked && self.session.service.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Subscribes to changes: in the modern era, only subscribers are notified.
    async fn subscribe(&mut self, listener: Listener) {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        match self.session.service.listen(filter).await {
            Ok(subscription) => {
                let (stop, stopped) = oneshot::channel();
                let task = tokio::spawn(read(subscription, listener, stopped));
                self.subscription = Some(Listening { stop, task });
            }
            Err(error) => eprintln!("no subscription: {error}"),
        }
    }
}

async fn read(mut subscription: Subscription, listener: Listener, mut stopped: oneshot::Receiver<()>) {
    loop {
        tokio::select! {
            next = subscription.next() => match next {
                Ok(Some(ServerNotification::ToolListChangedNotification(_))) => listener.changed(),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            },
            _ = &mut stopped => {
                let _ = subscription.cancel().await;
                return;
            }
        }
    }
}

impl Session for Rmcp3Session {
    fn negotiated(&self) -> Option<String> {
        self.session.negotiated()
    }

    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        self.session.list().await
    }

    async fn call(&self, tool: &str, arguments: JsonObject) -> Result<CallAnswer, PeerError> {
        self.session.call(tool, arguments).await
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.session.changes()
    }

    async fn close(self) {
        if let Some(Listening { stop, task }) = self.subscription {
            let _ = stop.send(());
            let _ = task.await;
        }
        self.session.close().await;
    }
}
