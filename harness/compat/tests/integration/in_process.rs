//! Peers in the test's own process: honest ones do as the mocks do, and what goes wrong in them is an outcome.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use mcp_compat::in_process::{AnyError, CallAnswer, Client, ClientSession, ServerAt, Unsupported, Wire};
use mcp_compat::{ClientPeer, Peer, ServerPeer};
use mcp_compat::{Report, Suite, clients, servers};
use mcp_compat_mocks::server::{ServerSpec, serve};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::{JobStep, ToolAnswer};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Revision, Transport};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, ReadHalf, WriteHalf};

/// A step that goes wrong is given up soon.
const SOON: Duration = Duration::from_millis(300);

/// A server that is right: the mock, as somebody else's code would be plugged in.
fn honest_server() -> ServerPeer {
    ServerPeer::in_process("own@1.0.0", |script, wire| async move {
        let (read, write) = tokio::io::split(wire);
        serve(ServerSpec::parse("mock/dual")?, script.into(), read, write).await?;
        Ok(())
    })
    .unwrap()
}

fn outcomes(report: &Report) -> Vec<(String, Outcome, Option<Revision>)> {
    let told = |cell: &CellRecord| (format!("{} {}", cell.scenario, cell.client), cell.outcome, cell.negotiated);
    report.record().cells.iter().map(told).collect()
}

/// The cells of a peer with an honest counterpart, in one plain scenario, over the quickest transport.
fn cells(peer: impl Into<Peer>) -> Vec<CellRecord> {
    let suite = Suite::new().peer(peer).against(clients::named("mock/2025-11-25").unwrap());
    let suite = suite.against(servers::named("mock/2025-11-25").unwrap()).scenarios("root-type/object");
    suite.transport(Transport::Memory).step_timeout(SOON).run().unwrap().record().cells.clone()
}

fn only(peer: impl Into<Peer>) -> CellRecord {
    let mut cells = cells(peer);
    assert_eq!(cells.len(), 1, "{cells:#?}");
    cells.remove(0)
}

#[test]
fn a_server_in_process_fares_as_the_same_one_does_among_the_mocks() {
    let classes = ["root-type/*", "drift/*", "error-result/*"];
    let play = |server: ServerPeer| {
        let suite = classes.iter().fold(Suite::new().peer(server), |suite, class| suite.scenarios(*class));
        suite.against(clients::reference()).transport(Transport::Memory).run().unwrap()
    };
    let (own, mock) = (play(honest_server()), play(ServerPeer::mock("mock/dual").unwrap()));
    assert_eq!(outcomes(&own), outcomes(&mock));
    assert!(own.record().cells.len() > 20, "{}", own.record().cells.len());
}

#[test]
fn a_server_that_panics_has_crashed_and_its_words_are_told() {
    let server = ServerPeer::in_process("own@1.0.0", |script, _: Wire| async move {
        assert!(script.stages.is_empty(), "no idea what {} is", script.scenario);
        Ok(())
    });
    let cell = only(server.unwrap());
    assert_eq!((cell.outcome, cell.rating), (Outcome::Crashed, Rating::Breaks));
    assert!(cell.reason.contains("it panicked: no idea what root-type/object is"), "{}", cell.reason);
}

#[test]
fn a_server_that_ends_with_an_error_has_crashed() {
    let server = ServerPeer::in_process("own@1.0.0", |_, _: Wire| async { Err(AnyError::from("out of order")) });
    let cell = only(server.unwrap());
    assert_eq!(cell.outcome, Outcome::Crashed);
    assert!(cell.reason.contains("out of order"), "{}", cell.reason);
}

#[test]
fn an_error_of_a_server_whose_client_has_gone_is_its_own_affair() {
    let server = ServerPeer::in_process("own@1.0.0", |script, wire| async move {
        let (read, write) = tokio::io::split(wire);
        serve(ServerSpec::parse("mock/dual")?, script.into(), read, write).await?;
        Err(AnyError::from("the client is gone"))
    });
    assert_eq!(only(server.unwrap()).outcome, Outcome::Intact);
}

#[test]
fn a_server_that_blocks_its_thread_is_given_up_in_time() {
    let began = Instant::now();
    let server = ServerPeer::in_process("own@1.0.0", |_, wire: Wire| async move {
        let (_keep, never) = std::sync::mpsc::channel::<()>();
        let _ = never.recv();
        drop(wire);
        Ok(())
    });
    assert_eq!(only(server.unwrap()).outcome, Outcome::Hung);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn a_server_that_says_so_is_skipped() {
    let server = ServerPeer::in_process("own@1.0.0", |_, _: Wire| async {
        Err(AnyError::from(Unsupported::new("it has no objects")))
    });
    let cell = only(server.unwrap());
    assert_eq!((cell.outcome, cell.rating), (Outcome::Unsupported, Rating::Skipped));
    assert!(cell.reason.contains("it has no objects"), "{}", cell.reason);
}

/// A client of 2025-11-25 as small as one can be.
struct Small;

struct SmallSession(tokio::sync::Mutex<(BufReader<ReadHalf<Wire>>, WriteHalf<Wire>, u64)>);

fn undecoded(error: impl std::fmt::Display) -> PeerError {
    PeerError { layer: Layer::Decode, code: None, message: error.to_string() }
}

impl SmallSession {
    async fn ask(&self, method: &str, params: Value) -> Result<Value, PeerError> {
        let (read, write, last) = &mut *self.0.lock().await;
        *last += 1;
        let request = json!({"jsonrpc": "2.0", "id": *last, "method": method, "params": params});
        write.write_all(format!("{request}\n").as_bytes()).await.map_err(undecoded)?;
        loop {
            let mut line = String::new();
            if read.read_line(&mut line).await.map_err(undecoded)? == 0 {
                return Err(undecoded("the server has gone"));
            }
            let answer: Value = serde_json::from_str(&line).map_err(undecoded)?;
            if answer["id"] == *last {
                let error = &answer["error"];
                let (code, message) = (error["code"].as_i64(), error["message"].as_str().unwrap_or_default());
                let refused = PeerError { layer: Layer::Protocol, code, message: message.to_owned() };
                return answer.get("result").cloned().ok_or(refused);
            }
        }
    }
}

impl Client for Small {
    type Session = SmallSession;

    fn unsupported(&self, steps: &[JobStep]) -> Option<Unsupported> {
        let together = |step: &JobStep| matches!(step, JobStep::Call { at_once: true, .. });
        steps.iter().any(together).then(|| Unsupported::new("one call at a time"))
    }

    async fn connect(&self, server: ServerAt) -> Result<SmallSession, PeerError> {
        let ServerAt::Wire(wire) = server else { unreachable!("it has no other transport") };
        let (read, write) = tokio::io::split(wire);
        let session = SmallSession(tokio::sync::Mutex::new((BufReader::new(read), write, 0)));
        let client = json!({"name": "small", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        session.ask("initialize", hello).await?;
        let initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        session.0.lock().await.1.write_all(initialized.as_bytes()).await.map_err(undecoded)?;
        Ok(session)
    }
}

impl ClientSession for SmallSession {
    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        let listed = self.ask("tools/list", json!({})).await?;
        let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
        let tools = listed["tools"].as_array().into_iter().flatten();
        Ok(tools
            .map(|tool| ToolAnswer {
                name: name(tool),
                output_schema: None,
                input_schema: None,
                refused: None,
                found: false,
            })
            .collect())
    }

    async fn call(&self, tool: String, arguments: Value) -> Result<CallAnswer, PeerError> {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await?;
        let content = result["content"].as_array().cloned().unwrap_or_default();
        CallAnswer::of(result.get("structuredContent"), &content, result["isError"] == true)
    }
}

fn small() -> ClientPeer {
    ClientPeer::in_process("small@1.0.0", Small).unwrap().speaking([Revision::V2025_11_25])
}

#[test]
fn a_client_in_process_is_held_against_servers_of_every_time() {
    let suite = Suite::new().peer(small()).against(servers::dual()).against(servers::legacy());
    let report = suite.scenarios("root-type/object").scenarios("root-type/array").run().unwrap();
    let cells = &report.record().cells;
    assert!(cells.iter().any(|cell| cell.scenario.as_str() == "root-type/object" && cell.rating == Rating::Works));
    assert!(cells.iter().all(|cell| cell.transport == Transport::Memory && cell.client.as_str() == "small@1.0.0"));
    let wrong = |cell: &&CellRecord| !matches!(cell.rating, Rating::Works | Rating::Degraded | Rating::Breaks);
    assert_eq!(cells.iter().filter(wrong).count(), 0, "{cells:#?}");
    // It validates nothing, and is found out.
    let lax = Suite::new().peer(small()).scenarios("invalid-result/wrong-type").run().unwrap();
    assert!(lax.record().cells.iter().all(|cell| cell.outcome == Outcome::Uncaught));
    assert!(lax.breaks().count() > 0);
}

#[test]
fn a_client_and_a_server_in_process_meet() {
    let suite = Suite::new().peer(small()).against([honest_server()]).scenarios("root-type/object");
    let report = suite.run().unwrap();
    report.assert_no_breaks();
    assert_eq!(report.record().cells.len(), 1);
}

/// A client whose every call does what it is told to.
struct Naughty(fn());

struct NaughtySession(Mutex<fn()>, SmallSession);

impl Client for Naughty {
    type Session = NaughtySession;

    async fn connect(&self, server: ServerAt) -> Result<NaughtySession, PeerError> {
        Ok(NaughtySession(Mutex::new(self.0), Small.connect(server).await?))
    }
}

impl ClientSession for NaughtySession {
    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        self.1.list().await
    }

    async fn call(&self, _: String, _: Value) -> Result<CallAnswer, PeerError> {
        let act = *self.0.lock().unwrap();
        act();
        Ok(CallAnswer::default())
    }
}

#[test]
fn a_client_that_panics_has_crashed_and_one_that_blocks_hangs() {
    let naughty =
        |act: fn()| ClientPeer::in_process("small@1.0.0", Naughty(act)).unwrap().speaking([Revision::V2025_11_25]);
    let cell = only(naughty(|| panic!("a bad call")));
    assert_eq!((cell.outcome, cell.reason.contains("it panicked: a bad call")), (Outcome::Crashed, true), "{cell:#?}");
    let block = || {
        let (_keep, never) = std::sync::mpsc::channel::<()>();
        let _ = never.recv();
    };
    assert_eq!(only(naughty(block)).outcome, Outcome::Hung);
}

#[test]
fn what_a_client_does_not_support_is_skipped() {
    let corpus = mcp_compat_scenario::corpus::load().unwrap();
    let together = |step: &JobStep| matches!(step, JobStep::Call { at_once: true, .. });
    let scenario = corpus.iter().find(|scenario| scenario.job_steps().iter().any(together)).unwrap();
    let report = Suite::new().peer(small()).scenarios(scenario.id.as_str()).run().unwrap();
    assert!(report.record().cells.iter().all(|cell| cell.outcome == Outcome::Unsupported));
}

#[test]
fn a_peer_of_ones_own_is_no_mock_and_has_a_name() {
    let of = |id: &str| ClientPeer::in_process(id, Small).map(|_| ()).unwrap_err().to_string();
    assert!(of("mock/dual").contains("my-sdk@0.1.0"));
    assert!(of("a b").contains("is not a peer id"));
}
