//! A client under test: it opens sessions, and says what the user of its API gets.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::observation::{End, Layer, PeerError};
use mcp_compat_model::peer_contract::{Answer, Deadlines, EVOLVE_TOOL, JobStep, StepAnswer, Structured, ToolAnswer};
use mcp_compat_model::{Role, Transport};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::thread::begin;
use super::{AnyError, Unsupported, Wire, ended, no_thread};

/// Address of the server for a client under test.
#[derive(Debug)]
pub enum ServerAt {
    /// At the other end of a byte stream.
    Wire(Wire),
    /// At a streamable HTTP endpoint.
    Url(String),
}

/// A client under test, in this process.
///
/// ```
/// use mcp_compat_run::in_process::{CallAnswer, Client, ClientSession, ServerAt, Unsupported};
/// use mcp_compat_model::peer_contract::ToolAnswer;
/// use mcp_compat_model::observation::PeerError;
/// use serde_json::Value;
///
/// struct MyClient;
/// struct MySession; // holds the SDK's own session
///
/// impl Client for MyClient {
///     type Session = MySession;
///
///     async fn connect(&self, server: ServerAt) -> Result<MySession, PeerError> {
///         let ServerAt::Wire(wire) = server else { unreachable!("it has no other transport") };
///         # drop(wire);
///         Ok(MySession) // my_sdk::connect(wire).await
///     }
/// }
///
/// impl ClientSession for MySession {
///     async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
///         Ok(Vec::new()) // the tools that the SDK's user is given
///     }
///
///     async fn call(&self, tool: String, arguments: Value) -> Result<CallAnswer, PeerError> {
///         # let _ = (tool, arguments);
///         Ok(CallAnswer::default()) // what the SDK's user gets of the result
///     }
/// }
/// # let _ = mcp_compat_run::peer::ClientPeer::in_process("my-sdk@0.1.0", MyClient).expect("a peer");
/// ```
pub trait Client: Send + Sync + 'static {
    type Session: ClientSession;

    /// The transports that it has, of memory (a byte stream) and HTTP; a byte stream alone unless said.
    fn transports(&self) -> Vec<Transport> {
        vec![Transport::Memory]
    }

    /// Reason for not playing these steps, if there is one. They are then skipped, and no break.
    fn unsupported(&self, steps: &[JobStep]) -> Option<Unsupported> {
        let _ = steps;
        None
    }

    fn connect(&self, server: ServerAt) -> impl Future<Output = Result<Self::Session, PeerError>> + Send;
}

/// A session of a client under test, as the user of its public API has it. Dropping it ends it.
pub trait ClientSession: Send + Sync + 'static {
    /// The revision that the SDK says it speaks, if it does.
    fn negotiated(&self) -> Option<String> {
        None
    }

    /// Lists all tools, following the pages.
    fn list(&self) -> impl Future<Output = Result<Vec<ToolAnswer>, PeerError>> + Send;

    /// Calls a tool. `arguments` is an object.
    fn call(&self, tool: String, arguments: Value) -> impl Future<Output = Result<CallAnswer, PeerError>> + Send;

    /// Waits until the server's `notifications/tools/list_changed` has reached the user of the SDK; for half a second at
    /// most. An SDK that does not hand it out says no at once.
    fn told_of_change(&self) -> impl Future<Output = bool> + Send {
        async { false }
    }
}

/// Result of a call for the user of an API.
#[derive(Clone, Debug, Default)]
pub struct CallAnswer {
    /// The structured content: `None` if the API has none, and `null` if it has a null.
    pub structured: Option<Box<RawValue>>,
    pub content: Vec<Box<RawValue>>,
    /// True if the API presents the result as a tool error.
    pub is_error: bool,
}

impl CallAnswer {
    /// Converts from the types of an SDK.
    pub fn of<S: Serialize, C: Serialize>(
        structured: Option<&S>,
        content: &[C],
        is_error: bool,
    ) -> Result<Self, PeerError> {
        let written = |error: serde_json::Error| PeerError {
            layer: Layer::Decode,
            code: None,
            message: format!("what the API gives cannot be written as JSON: {error}"),
        };
        Ok(Self {
            structured: structured.map(to_raw_value).transpose().map_err(written)?,
            content: content.iter().map(to_raw_value).collect::<Result<_, _>>().map_err(written)?,
            is_error,
        })
    }
}

/// Time that a change that the server tells of may take to reach the user once the call has been answered.
const TELLING: Duration = Duration::from_millis(500);

type Playing = Pin<Box<dyn Future<Output = Result<Answer, AnyError>> + Send>>;

/// A client, whatever its type.
trait ErasedClient: Send + Sync {
    fn has(&self) -> Vec<Transport>;
    fn play(self: Arc<Self>, server: ServerAt, steps: Vec<JobStep>, deadlines: Deadlines) -> Playing;
}

/// A client of this process.
#[derive(Clone)]
pub(crate) struct ClientProgram(Arc<dyn ErasedClient>);

impl fmt::Debug for ClientProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientProgram")
    }
}

impl ClientProgram {
    pub(crate) fn new(client: impl Client) -> Self {
        Self(Arc::new(client))
    }

    /// The transports that it has, quickest first.
    pub(crate) fn transports(&self) -> Vec<Transport> {
        let has = self.0.has();
        [Transport::Memory, Transport::Http].into_iter().filter(|transport| has.contains(transport)).collect()
    }

    /// Plays the steps in one session.
    pub(crate) async fn play(
        &self,
        server: ServerAt,
        steps: Vec<JobStep>,
        deadlines: Deadlines,
    ) -> Result<Answer, End> {
        let client = Arc::clone(&self.0);
        let session = begin("mcp-compat client", move || client.play(server, steps, deadlines));
        ended(Role::Client, session.map_err(|error| no_thread(&error))?).await
    }
}

impl<C: Client> ErasedClient for C {
    fn has(&self) -> Vec<Transport> {
        self.transports()
    }

    fn play(self: Arc<Self>, server: ServerAt, steps: Vec<JobStep>, deadlines: Deadlines) -> Playing {
        Box::pin(async move {
            if let Some(unsupported) = self.unsupported(&steps) {
                return Err(unsupported.into());
            }
            let limit = Duration::from_millis(deadlines.connect_ms);
            Ok(match timeout(limit, self.connect(server)).await {
                Ok(Ok(session)) => taken(Arc::new(session), steps, deadlines).await,
                Ok(Err(error)) => failed(error),
                Err(_) => failed(overdue(limit)),
            })
        })
    }
}

fn failed(error: PeerError) -> Answer {
    Answer { id: 0, negotiated: None, unsupported: None, error: Some(error), steps: Vec::new() }
}

fn overdue(limit: Duration) -> PeerError {
    PeerError { layer: Layer::Timeout, code: None, message: format!("no answer within {} ms", limit.as_millis()) }
}

/// Takes the steps, those that go together side by side.
async fn taken<S: ClientSession>(session: Arc<S>, steps: Vec<JobStep>, deadlines: Deadlines) -> Answer {
    let limit = Duration::from_millis(deadlines.step_ms);
    let negotiated = session.negotiated();
    let (mut answers, mut last) = (Vec::new(), None);
    for round in rounds(steps) {
        let are_calls = matches!(round[..], [JobStep::Call { .. }, ..]);
        let taking: Vec<JoinHandle<StepAnswer>> = round
            .into_iter()
            .map(|step| tokio::spawn(take(Arc::clone(&session), fed_step(step, last.as_ref()), limit)))
            .collect();
        for step in taking {
            // A panic of a step is one of the session, whose starter reports it.
            let answer = step.await.unwrap_or_else(|lost| match lost.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => StepAnswer::default(),
            });
            if are_calls {
                last = answer.structured.as_ref().and_then(|structured| structured.value.as_deref()).and_then(parsed);
            }
            answers.push(answer);
        }
    }
    Answer { id: 0, negotiated, unsupported: None, error: None, steps: answers }
}

/// The steps, those that are taken together in one round.
fn rounds(steps: Vec<JobStep>) -> Vec<Vec<JobStep>> {
    let mut rounds: Vec<Vec<JobStep>> = Vec::new();
    for step in steps {
        match rounds.last_mut() {
            Some(round) if matches!(step, JobStep::Call { at_once: true, .. }) => round.push(step),
            Some(_) | None => rounds.push(vec![step]),
        }
    }
    rounds
}

/// A step, ready to be taken.
enum Taken {
    List,
    Call(String, Value),
    Evolve { told: bool },
}

fn fed_step(step: JobStep, last: Option<&Value>) -> Taken {
    match step {
        JobStep::List {} => Taken::List,
        JobStep::Evolve { told } => Taken::Evolve { told },
        JobStep::Call { tool, arguments, at_once: _, feed } => {
            Taken::Call(tool, fed(parsed(&arguments).unwrap_or_default(), &feed, last))
        }
    }
}

fn parsed(raw: &RawValue) -> Option<Value> {
    serde_json::from_str(raw.get()).ok()
}

async fn take<S: ClientSession>(session: Arc<S>, step: Taken, limit: Duration) -> StepAnswer {
    let work = async {
        match step {
            Taken::List => session.list().await.map(|tools| StepAnswer { tools: Some(tools), ..StepAnswer::default() }),
            Taken::Call(tool, arguments) => session.call(tool, arguments).await.map(called),
            Taken::Evolve { told } => {
                session.call(EVOLVE_TOOL.to_owned(), Value::Object(serde_json::Map::new())).await?;
                let seen = told && timeout(TELLING, session.told_of_change()).await.unwrap_or(false);
                Ok(StepAnswer { evolved: Some(seen), ..StepAnswer::default() })
            }
        }
    };
    match timeout(limit, work).await {
        Ok(answer) => answer.unwrap_or_else(step_failed),
        Err(_) => step_failed(overdue(limit)),
    }
}

fn called(CallAnswer { structured, content, is_error }: CallAnswer) -> StepAnswer {
    StepAnswer {
        structured: Some(Structured { present: structured.is_some(), value: structured }),
        content: Some(content),
        is_error: Some(is_error),
        ..StepAnswer::default()
    }
}

fn step_failed(error: PeerError) -> StepAnswer {
    StepAnswer { error: Some(error), ..StepAnswer::default() }
}

/// Returns the arguments with what they take from the value of the call before: from JSON Pointer in the arguments to JSON
/// Pointer in that value. What is not there is left out.
fn fed(mut arguments: Value, feed: &BTreeMap<String, String>, last: Option<&Value>) -> Value {
    for (into, from) in feed {
        let Some(piece) = last.and_then(|last| last.pointer(from)) else { continue };
        let Some((parent, key)) = into.rsplit_once('/') else { continue };
        if let Some(Value::Object(parent)) = arguments.pointer_mut(parent) {
            parent.insert(key.replace("~1", "/").replace("~0", "~"), piece.clone());
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_a_value_go_into_the_arguments_and_what_is_not_there_does_not() {
        let feed = BTreeMap::from([
            ("/id".to_owned(), "/users/0/id".to_owned()),
            ("/a~1b".to_owned(), "/users".to_owned()),
            ("/none".to_owned(), "/absent".to_owned()),
        ]);
        let last = json!({"users": [{"id": "u1"}]});
        let all = fed(json!({"limit": 2}), &feed, Some(&last));
        assert_eq!(all, json!({"limit": 2, "id": "u1", "a/b": [{"id": "u1"}]}));
        assert_eq!(fed(json!({}), &feed, None), json!({}));
    }
}
