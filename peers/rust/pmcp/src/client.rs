//! A session with pmcp's client, through its public API only.

use futures_util::StreamExt as _;
use peer_contract::answer::{CallAnswer, Layer, PeerError, ToolAnswer};
use peer_contract::client::{Client, Session};
use peer_contract::job::{Job, Mode, ServerAddress};
use pmcp::client::subscriptions::SubscriptionStream;
use pmcp::error::TransportError;
use pmcp::shared::streamable_http::{StreamableHttpTransport, StreamableHttpTransportConfigBuilder};
use pmcp::types::ProtocolVersion;
use pmcp::types::protocol::PROTOCOL_VERSION_2026_07_28;
use pmcp::types::subscriptions::SubscriptionFilter;
use pmcp::types::{ClientCapabilities, ServerNotification};
use pmcp::{ClientBuilder, Error, ErrorCode};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use url::Url;

/// pmcp's client.
pub struct Pmcp;

/// A running session, and what it listens to.
pub struct PmcpSession {
    client: pmcp::Client<StreamableHttpTransport>,
    negotiated: String,
    changes: watch::Sender<u64>,
    subscription: Option<JoinHandle<()>>,
}

impl Client for Pmcp {
    type Session = PmcpSession;

    fn unsupported(job: &Job) -> Option<String> {
        let reason = match (&job.server, job.mode) {
            (ServerAddress::Stdio { .. }, _) => "the SDK's client cannot start a server",
            (_, Some(Mode::Auto)) => "the SDK has no way to try both eras",
            (ServerAddress::Http { .. }, None | Some(Mode::Legacy | Mode::Modern)) => return None,
        };
        Some(reason.to_owned())
    }

    async fn connect(job: &Job) -> Result<PmcpSession, PeerError> {
        let ServerAddress::Http { url } = &job.server else {
            return Err(PeerError::new(Layer::Connect, "the server is not reached over HTTP"));
        };
        let url = Url::parse(url).map_err(|error| PeerError::new(Layer::Connect, error))?;
        let transport = StreamableHttpTransport::new(StreamableHttpTransportConfigBuilder::new(url).build());
        let mut builder = ClientBuilder::new(transport);
        let modern = job.mode == Some(Mode::Modern);
        if modern {
            let version = ProtocolVersion(PROTOCOL_VERSION_2026_07_28.to_owned());
            builder = builder.with_protocol_version(version).map_err(of_connecting)?;
        }
        let mut client = builder.build();
        let changes = watch::Sender::new(0);
        let initialized = client.initialize(ClientCapabilities::default()).await.map_err(of_connecting)?;
        let mut negotiated = initialized.protocol_version.0;
        let mut subscription = None;
        if modern {
            // `initialize` has sent nothing, and no request needs `server_discover` first.
            PROTOCOL_VERSION_2026_07_28.clone_into(&mut negotiated);
            if job.waits_for_change() {
                let filter = SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() };
                match client.subscriptions_listen(filter).await {
                    Ok(stream) => subscription = Some(tokio::spawn(read(stream, changes.clone()))),
                    Err(error) => eprintln!("no subscription: {error}"),
                }
            }
        }
        Ok(PmcpSession { client, negotiated, changes, subscription })
    }
}

async fn read(mut stream: SubscriptionStream, changes: watch::Sender<u64>) {
    while let Some(Ok(notification)) = stream.next().await {
        if matches!(notification, ServerNotification::ToolsChanged) {
            changes.send_modify(|count| *count += 1);
        }
    }
}

impl Session for PmcpSession {
    fn negotiated(&self) -> Option<String> {
        Some(self.negotiated.clone())
    }

    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        let tools = self.client.list_all_tools().await.map_err(of_request)?;
        Ok(tools.into_iter().map(|tool| ToolAnswer { name: tool.name, output_schema: tool.output_schema }).collect())
    }

    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<CallAnswer, PeerError> {
        let result = self.client.call_tool(tool.to_owned(), Value::Object(arguments)).await.map_err(of_request)?;
        let content = result.content.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        Ok(CallAnswer {
            structured: result.structured_content,
            content: content.map_err(|error| PeerError::new(Layer::Decode, error))?,
            is_error: result.is_error,
        })
    }

    /// Only the subscription of the modern era hands out a change.
    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    async fn close(self) {
        if let Some(subscription) = self.subscription {
            subscription.abort();
        }
    }
}

fn of_connecting(error: Error) -> PeerError {
    match &error {
        Error::Protocol { code, .. } => PeerError::with_code(Layer::Connect, code.0, &error),
        _ => PeerError::new(Layer::Connect, &error),
    }
}

fn of_request(error: Error) -> PeerError {
    match &error {
        // The SDK gives this code to what it cannot read itself.
        Error::Protocol { code, .. } if *code == ErrorCode::PARSE_ERROR => PeerError::new(Layer::Decode, &error),
        Error::Protocol { code, message, .. } => PeerError::with_code(Layer::Protocol, code.0, message),
        Error::Serialization(_)
        | Error::Transport(
            TransportError::InvalidMessage(_) | TransportError::Serialization(_) | TransportError::Deserialization(_),
        ) => PeerError::new(Layer::Decode, &error),
        Error::Validation(_) => PeerError::new(Layer::Validate, &error),
        Error::Timeout(_) => PeerError::new(Layer::Timeout, &error),
        Error::Transport(_) => PeerError::new(Layer::Connect, &error),
        _ => PeerError::new(Layer::Protocol, &error),
    }
}
