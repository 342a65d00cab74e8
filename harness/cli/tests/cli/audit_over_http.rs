//! `audit --url`: servers that were started before.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::python;
use crate::workshop::{Workshop, to_its_end};

/// A server over HTTP, which ends with this value, and the line that it printed first.
pub(crate) struct Served {
    process: Child,
    pub(crate) says: String,
}

impl Served {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut says = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut says).unwrap();
        Self { process, says: says.trim().to_owned() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn over_http_headers_reach_the_server_and_nothing_else() {
    let workshop = Workshop::new();
    let served = Served::start(workshop.command(["mock", "server", "--scenario", "root-type/object", "--http"]));
    let header = "Authorization: Bearer not-to-be-told";
    let options = ["audit", "--json", "--url", served.says.as_str(), "--header", header];
    let ran = workshop.run(options);
    let ran = ran.ends_with(0);
    assert!(!ran.stdout.contains("not-to-be-told") && !ran.stderr.contains("not-to-be-told"), "{ran:?}");
    let audit: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(audit["server"]["transport"], "http");
    assert_eq!(audit["spoken"].as_array().unwrap().len(), 5);
}

#[test]
fn a_server_behind_https_is_reached_where_its_certificate_is_trusted() {
    let workshop = Workshop::new();
    let served = Served::start(workshop.command(["mock", "server", "--scenario", "root-type/object", "--http"]));
    let (authority, path) = served.says.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    workshop.write("trusted.pem", &own.cert.pem());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let port = runtime.block_on(tls_in_front_of(authority.to_owned(), &own));
    let url = format!("https://localhost:{port}/{path}");
    let audit = |trusted: &str| {
        let mut command = workshop.command(["audit", "--json", "--url", &url]);
        to_its_end(command.env("SSL_CERT_FILE", workshop.path().join(trusted)).spawn().unwrap())
    };
    let ran = audit("trusted.pem");
    let refused = audit("absent.pem");
    let told: Value = serde_json::from_str(&ran.ends_with(0).stdout).unwrap();
    assert_eq!(told["spoken"].as_array().unwrap().len(), 5);
    refused.ends_with(2).says(&["ertificate"]);
}

/// Ends TLS on a port of its own, and passes on what comes.
async fn tls_in_front_of(authority: String, own: &rcgen::CertifiedKey<rcgen::KeyPair>) -> u16 {
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![own.cert.der().clone()], key);
    let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(config.unwrap()));
    let listener = tokio::net::TcpListener::bind("localhost:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, authority) = (acceptor.clone(), authority.clone());
            tokio::spawn(async move {
                // A client that does not trust the certificate hangs up.
                let Ok(mut secure) = acceptor.accept(stream).await else { return };
                let mut plain = tokio::net::TcpStream::connect(authority).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut secure, &mut plain).await;
            });
        }
    });
    port
}

/// A server with one tool. That of `waiting` answers when five calls wait for it; that of `busy` only one call at a time,
/// and the first one waits until a second one was refused. `alone` has one thread. `dying` ends at the first call.
const IN_COMPANY: &str = r#"
import json, os, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
kind = sys.argv[1]
five, one, refused = threading.Barrier(5), threading.Lock(), threading.Event()
def called():
    if kind == "dying": os._exit(3)
    if kind == "waiting" and not five.broken:
        try: five.wait(20)
        except threading.BrokenBarrierError: return None
    if kind == "busy":
        if not one.acquire(blocking=False):
            refused.set()
            return None
        refused.wait(20)
        one.release()
    return {"visits": 3}
def answer(asked):
    method, answer = asked["method"], {"jsonrpc": "2.0", "id": asked["id"]}
    if method == "initialize":
        answer["result"] = {"protocolVersion": min(asked["params"]["protocolVersion"], "2025-11-25"), "capabilities": {"tools": {}},
                            "serverInfo": {"name": kind, "version": "1"}}
    elif method == "tools/list":
        answer["result"] = {"tools": [{"name": "count", "inputSchema": {"type": "object"},
                                       "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    elif method == "ping": answer["result"] = {}
    elif method == "tools/call" and asked["params"]["name"] == "count":
        value = called()
        text = json.dumps(value) if value else "the database is locked"
        answer["result"] = {"content": [{"type": "text", "text": text}], "isError": not value}
        if value: answer["result"]["structuredContent"] = value
    else: answer["error"] = {"code": -32601, "message": "Method not found"}
    return answer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def send(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self): self.send(405)
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" in asked: self.send(200, json.dumps(answer(asked)).encode())
        else: self.send(202)
# A server of one thread serves nobody else while a connection is open.
server = (HTTPServer if kind == "alone" else ThreadingHTTPServer)(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)
server.serve_forever()
"#;

#[test]
fn an_address_is_asked_side_by_side_and_again_alone_where_calls_disturb_each_other() {
    for kind in ["waiting", "busy", "alone"] {
        let workshop = Workshop::new();
        workshop.write("server.py", IN_COMPANY);
        let mut server = Command::new("python3");
        server.args(["server.py", kind]).current_dir(workshop.path()).env("PATH", python::search_path());
        let served = Served::start(server);
        let ran = workshop.run(["audit", "--json", "--against", "mock/*", "--url", &served.says]).ends_with(0);
        let audit: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(audit["tools"][0]["call"]["answered"]["at"].as_array().map(Vec::len), Some(4), "{kind}: {audit:#}");
        assert!(!ran.stdout.contains("locked"), "{kind}: {}", ran.stdout);
    }
}

#[test]
fn a_server_that_dies_at_its_address_is_told_of_with_what_it_did_before() {
    let workshop = Workshop::new();
    workshop.write("server.py", IN_COMPANY);
    let mut server = Command::new("python3");
    server.args(["server.py", "dying"]).current_dir(workshop.path()).env("PATH", python::search_path());
    let served = Served::start(server);
    let ran = workshop.run(["audit", "--against", "mock/*", "--url", &served.says]);
    ran.ends_with(1).shows(&["✗ count  ", "the server ended at a call of `count`"]);
}

/// The port of a server that answers each request with these bytes, for as long as the test lasts.
fn answering(answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn an_address_without_a_server_says_what_to_look_at() {
    let page =
        "HTTP/1.1 404 Not Found\r\ncontent-length: 30\r\nconnection: close\r\n\r\n<!DOCTYPE HTML><p>\nnot here</p>";
    let url = format!("http://127.0.0.1:{}/", answering(page));
    let ran = Workshop::new().run(["audit", "--url", &url]).ends_with(2);
    ran.says(&["HTTP status 404, with a page of HTML", "Is the path right? Most serve /mcp."]);
    let refused = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let ran =
        Workshop::new().run(["audit", "--url", &format!("http://127.0.0.1:{}/", answering(refused))]).ends_with(2);
    assert!(!ran.stderr.contains("Is the path right"), "{}", ran.stderr);
    let secure = format!("https://127.0.0.1:{}/mcp", answering(refused));
    let ran = Workshop::new().run(["audit", "--url", &secure]).ends_with(2);
    ran.says(&["the server answered without TLS", "give its address with http://"]);
    // A server that refuses one request with 404, and fails at another, is there.
    let broken = "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 76\r\nconnection: close\r\n\r\n\
                  {\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}";
    let ran = Workshop::new().run(["audit", "--url", &format!("http://127.0.0.1:{}/", answering(broken))]).ends_with(1);
    let ran = ran.shows(&["13 of 13 clients lose the session", "explain response-matches-request"]);
    assert!(!ran.stderr.contains("Is the path right"), "{}", ran.stderr);
}

#[test]
fn a_server_that_is_silent_is_told_of_with_the_way_out_that_fits() {
    let workshop = Workshop::new();
    let waits = ["--start-timeout=6s", "--timeout=1s"];
    let program = workshop.run(["audit"].iter().chain(&waits).chain(&["--", "sleep", "600"])).ends_with(2);
    program.says(&["waiting for the server (5 s of 6 s, --start-timeout). Does it serve HTTP? Use --url ADDRESS"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("--url=http://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    let address = workshop.run(["audit"].iter().chain(&waits).chain(&[url.as_str()])).ends_with(2);
    let address = address.says(&["waiting for the server (5 s of 6 s, --start-timeout)\n"]);
    assert!(!address.stderr.contains("--url ADDRESS"), "{}", address.stderr);
}
