//! The proxy passes everything on at once, records what matters, and passes on who goes away.

use http::header::{HOST, HeaderValue, ORIGIN};
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use mcp_compat_drive::{HttpProxy, Limits, Route, RouteError, Tap};
use mcp_compat_model::transcript::{Entry, Event, Head};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use wiremock::matchers::{body_string, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::fake::{recorded, soon};

fn tap() -> Tap {
    Tap::new(Limits::default())
}

async fn send(request: Request<&'static str>) -> Response<Incoming> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let request = request.map(|body| Full::new(bytes::Bytes::from_static(body.as_bytes())));
    soon(client.request(request)).await.unwrap()
}

fn post(url: &str, body: &'static str) -> Request<&'static str> {
    Request::post(url).header("content-type", "application/json").body(body).unwrap()
}

async fn text(response: Response<Incoming>) -> String {
    String::from_utf8(soon(response.into_body().collect()).await.unwrap().to_bytes().to_vec()).unwrap()
}

/// A server that is nothing but a socket, and the proxy's route to it.
struct Bare {
    listener: TcpListener,
    route: Route,
    _proxy: HttpProxy,
}

impl Bare {
    async fn start(tap: &Tap) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = HttpProxy::start().await.unwrap();
        let route = proxy.route(&format!("http://{}/mcp", listener.local_addr().unwrap()), tap.clone()).unwrap();
        Self { listener, route, _proxy: proxy }
    }

    /// Connects to the proxy and sends a GET.
    async fn get(&self) -> TcpStream {
        self.request("GET", "").await
    }

    /// Connects to the proxy and sends that body by POST, or nothing by GET.
    async fn request(&self, method: &str, body: &str) -> TcpStream {
        let url = self.route.url().parse::<http::Uri>().unwrap();
        let mut client = TcpStream::connect(url.authority().unwrap().as_str()).await.unwrap();
        let head = format!("{method} {} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream", url.path());
        let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        client.write_all(request.as_bytes()).await.unwrap();
        client
    }

    /// Takes the connection from the proxy and reads the request's head.
    async fn accept(&self) -> (TcpStream, String) {
        let (mut stream, _) = soon(self.listener.accept()).await.unwrap();
        let head = read_until(&mut stream, "\r\n\r\n").await;
        (stream, head)
    }
}

async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut read = String::new();
    while !read.ends_with(end) {
        let byte = soon(stream.read_u8()).await.unwrap_or_else(|error| panic!("{error} after {read:?}"));
        read.push(byte.into());
    }
    read
}

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n";

/// Waits until the connection to the client of this one has been closed. What it still sent is skipped.
async fn until_gone(server: &mut TcpStream) {
    let mut rest = Vec::new();
    let _ = soon(server.read_to_end(&mut rest)).await;
}

#[tokio::test]
async fn a_json_exchange_is_recorded_with_its_heads() {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).insert_header("mcp-session-id", "s1").insert_header("x-other", "y");
    Mock::given(method("POST"))
        .and(path("/mcp"))
        .and(body_string("{\"id\":1}"))
        .respond_with(answer.set_body_raw("{\"result\":1}", "application/json"))
        .mount(&server)
        .await;
    let (proxy, tap) = (HttpProxy::start().await.unwrap(), tap());
    let route = proxy.route(&format!("{}/mcp", server.uri()), tap.clone()).unwrap();
    let mut request = post(route.url(), "{\"id\":1}");
    for (name, value) in [("mcp-method", "tools/call"), ("mcp-param-x", "1"), ("authorization", "secret")] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let response = send(request).await;
    assert_eq!(
        (&response.headers()["mcp-session-id"], &response.headers()["x-other"]),
        (&"s1".parse().unwrap(), &"y".parse().unwrap())
    );
    assert_eq!(text(response).await, "{\"result\":1}");

    let received = &server.received_requests().await.unwrap()[0];
    assert_eq!(received.headers["authorization"], "secret");
    assert_eq!(received.headers["host"], server.address().to_string());

    let entries = tap.finish().entries;
    let head_of = |entry| match entry {
        &Entry { event: Event::Message { http: Some(ref head), .. }, .. } => Some(head),
        Entry { .. } => None,
    };
    let heads: Vec<&Head> = entries.iter().filter_map(head_of).collect();
    assert_eq!(heads.iter().map(|head| head.exchange).collect::<Vec<_>>(), [0, 0]);
    let named = |head: &Head| head.headers.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    assert_eq!(named(heads[0]), ["content-type=application/json", "mcp-method=tools/call", "mcp-param-x=1"]);
    let mut answered = named(heads[1]);
    answered.sort();
    assert_eq!(answered, ["content-type=application/json", "mcp-session-id=s1"]);
}

#[tokio::test]
async fn messages_without_a_body_are_heads() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(202)).mount(&server).await;
    Mock::given(method("DELETE")).respond_with(ResponseTemplate::new(204)).mount(&server).await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(405)).mount(&server).await;
    Mock::given(method("HEAD")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    let (proxy, tap) = (HttpProxy::start().await.unwrap(), tap());
    let route = proxy.route(&server.uri(), tap.clone()).unwrap();
    assert_eq!(send(post(route.url(), "{}")).await.status(), 202);
    for (method, status) in [(Method::DELETE, 204), (Method::GET, 405), (Method::HEAD, 200)] {
        let request = Request::builder().method(method).uri(route.url()).body("").unwrap();
        assert_eq!(send(request).await.status(), status);
    }
    let said = ["client: POST {}", "server: 202", "client: DELETE", "server: 204"];
    assert_eq!(recorded(&tap), [&said[..], &["client: GET", "server: 405", "client: HEAD", "server: 200"]].concat());
}

#[tokio::test]
async fn a_query_is_added_to_the_servers_url_and_no_path_is() {
    let server = MockServer::start().await;
    Mock::given(path("/a/"))
        .and(query_param("q", "1"))
        .respond_with(ResponseTemplate::new(200).set_body_string("found"))
        .mount(&server)
        .await;
    let proxy = HttpProxy::start().await.unwrap();
    let route = proxy.route(&format!("{}/a/", server.uri()), tap()).unwrap();
    assert_eq!(text(send(post(&format!("{}?q=1", route.url()), "{}")).await).await, "found");
    for beyond in ["/", "/b", "/../../admin", "/..%2f..%2fadmin"] {
        let refused = send(post(&format!("{}{beyond}?q=1", route.url()), "{}")).await;
        assert_eq!(refused.status(), 404, "{beyond}");
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_request_for_another_host_or_from_a_web_page_is_refused() {
    let server = MockServer::start().await;
    Mock::given(path("/mcp")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    let proxy = HttpProxy::start().await.unwrap();
    let route = proxy.route(&format!("{}/mcp", server.uri()), tap()).unwrap();
    let with = |name, value: &'static str| {
        let mut request = post(route.url(), "{}");
        request.headers_mut().insert(name, HeaderValue::from_static(value));
        send(request)
    };
    assert_eq!(with(HOST, "attacker.example:80").await.status(), 403);
    assert_eq!(with(ORIGIN, "https://attacker.example").await.status(), 403);
    assert_eq!(with(ORIGIN, "null").await.status(), 403);
    assert_eq!(with(HOST, "localhost:80").await.status(), 200);
    assert_eq!(with(ORIGIN, "http://127.0.0.1:3000").await.status(), 200);
}

#[tokio::test]
async fn events_are_passed_on_at_once_and_recorded_one_by_one() {
    let tap = tap();
    let bare = Bare::start(&tap).await;
    let mut client = bare.get().await;
    let (mut server, head) = bare.accept().await;
    assert!(head.starts_with("GET /mcp HTTP/1.1\r\n"), "{head}");
    server.write_all(EVENTS.as_bytes()).await.unwrap();
    read_until(&mut client, "\r\n\r\n").await;
    // Cut within the field name, the text's bytes and the line end; the client sees each part before the next.
    for part in [b": hello\r\n\r\nda".as_slice(), b"ta: {\"a\":\"\xc3", b"\xa9\"}\r", b"\n\r\n"] {
        server.write_all(part).await.unwrap();
        let mut chunk = format!("{:x}\r\n", part.len()).to_lowercase().into_bytes();
        chunk.extend_from_slice(part);
        chunk.extend_from_slice(b"\r\n");
        let mut read = vec![0; chunk.len()];
        soon(client.read_exact(&mut read)).await.unwrap();
        assert_eq!(read.to_ascii_lowercase(), chunk.to_ascii_lowercase());
    }
    server.write_all(b"id: 1\ndata:\n\ndata: {\"b\":2}\n\ndata: cut off").await.unwrap();
    drop(server);
    read_until(&mut client, "\r\n0\r\n\r\n").await;
    let said = ["client: GET", "server: 200", "server: 200 {\"a\":\"\u{e9}\"}", "server: 200 {\"b\":2}"];
    assert_eq!(recorded(&tap), said);
}

/// A client that asked something and leaves has cancelled it. One that leaves the server's stream ends its session, and
/// whether the harness still records that would be chance.
const LEAVING: [(&str, &str, &[&str]); 2] = [("GET", "", &["client: GET"]), ("POST", "{}", &["client: POST {}"])];

#[tokio::test]
async fn a_client_that_goes_away_from_a_stream_is_missed_by_the_server() {
    for (method, body, said) in LEAVING {
        let tap = tap();
        let bare = Bare::start(&tap).await;
        let mut client = bare.request(method, body).await;
        let (mut server, _) = bare.accept().await;
        server.write_all(EVENTS.as_bytes()).await.unwrap();
        read_until(&mut client, "\r\n\r\n").await;
        drop(client);
        until_gone(&mut server).await;
        let closed: &[&str] = if method == "POST" { &["client: closed"] } else { &[] };
        assert_eq!(recorded(&tap), [said, &["server: 200"], closed].concat());
    }
}

#[tokio::test]
async fn a_client_that_goes_away_before_any_answer_is_missed_by_the_server() {
    for (method, body, said) in LEAVING {
        let tap = tap();
        let bare = Bare::start(&tap).await;
        let client = bare.request(method, body).await;
        let (mut server, _) = bare.accept().await;
        drop(client);
        until_gone(&mut server).await;
        let closed: &[&str] = if method == "POST" { &["client: closed"] } else { &[] };
        assert_eq!(recorded(&tap), [said, closed].concat());
    }
}

#[tokio::test]
async fn a_client_that_leaves_a_stream_with_its_answer_has_cancelled_nothing() {
    let tap = tap();
    let bare = Bare::start(&tap).await;
    let mut client = bare.request("POST", "{}").await;
    let (mut server, _) = bare.accept().await;
    server.write_all(format!("{EVENTS}data: {{}}\n\n").as_bytes()).await.unwrap();
    read_until(&mut client, "data: {}\n\n").await;
    drop(client);
    until_gone(&mut server).await;
    assert_eq!(recorded(&tap), ["client: POST {}", "server: 200", "server: 200 {}"]);
}

#[tokio::test]
async fn a_server_that_hangs_up_without_an_answer_is_passed_on_as_that() {
    let tap = tap();
    let bare = Bare::start(&tap).await;
    let mut client = bare.get().await;
    drop(bare.accept().await);
    let mut nothing = Vec::new();
    soon(client.read_to_end(&mut nothing)).await.unwrap();
    assert_eq!(String::from_utf8(nothing).unwrap(), "");
    assert_eq!(recorded(&tap), ["client: GET", "server: closed"]);
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_of_a_body_is_passed_on_as_that() {
    let tap = tap();
    let bare = Bare::start(&tap).await;
    let mut client = bare.get().await;
    let (mut server, _) = bare.accept().await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
    server.write_all(format!("{head}{{\"half\":").as_bytes()).await.unwrap();
    read_until(&mut client, "{\"half\":").await;
    drop(server);
    let mut rest = Vec::new();
    let _ = soon(client.read_to_end(&mut rest)).await;
    assert!(rest.is_empty());
    assert_eq!(recorded(&tap), ["client: GET", "server: 200 {\"half\":", "server: closed"]);
}

#[tokio::test]
async fn a_chunked_body_is_one_message() {
    let tap = tap();
    let bare = Bare::start(&tap).await;
    let mut client = bare.get().await;
    let (mut server, _) = bare.accept().await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    server.write_all(format!("{head}3\r\n{{\"a\r\n4\r\n\":1}}\r\n0\r\n\r\n").as_bytes()).await.unwrap();
    read_until(&mut client, "\r\n0\r\n\r\n").await;
    assert_eq!(recorded(&tap), ["client: GET", "server: 200 {\"a\":1}"]);
}

#[tokio::test]
async fn a_client_that_has_all_of_a_message_need_not_wait_for_the_end_of_the_body() {
    let whole: &[&str] = &["server: 200 {\"a\":1}"];
    for (part, said) in [("{\"a\":1}", whole), ("{\"a\":1 ", &["server: 200", "client: closed"])] {
        let tap = tap();
        let bare = Bare::start(&tap).await;
        let mut client = bare.request("POST", "{}").await;
        let (mut server, _) = bare.accept().await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
        server.write_all(format!("{head}{:x}\r\n{part}\r\n", part.len()).as_bytes()).await.unwrap();
        read_until(&mut client, &format!("{part}\r\n")).await;
        drop(client);
        until_gone(&mut server).await;
        assert_eq!(recorded(&tap), [&["client: POST {}"], said].concat(), "{part}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_bad_gateway() {
    let tap = tap();
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let proxy = HttpProxy::start().await.unwrap();
    let route = proxy.route(&format!("http://{address}/mcp"), tap.clone()).unwrap();
    assert_eq!(send(post(route.url(), "{}")).await.status(), 502);
    assert_eq!(recorded(&tap), ["client: POST {}", "server: closed"]);
}

#[tokio::test]
async fn a_request_that_is_too_long_goes_nowhere() {
    let tap = Tap::new(Limits { message_bytes: 10, ..Limits::default() });
    let bare = Bare::start(&tap).await;
    let response = send(post(bare.route.url(), "{\"more\":\"than ten\"}")).await;
    assert_eq!(response.status(), 413);
    assert_eq!(recorded(&tap), ["client: more than 10"]);
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_passed_on_but_not_kept() {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_raw("x".repeat(5_000_000), "application/json");
    Mock::given(method("POST")).respond_with(answer).mount(&server).await;
    let tap = Tap::new(Limits { message_bytes: 1000, ..Limits::default() });
    let proxy = HttpProxy::start().await.unwrap();
    let route = proxy.route(&server.uri(), tap.clone()).unwrap();
    assert_eq!(text(send(post(route.url(), "{}")).await).await.len(), 5_000_000);
    assert_eq!(recorded(&tap), ["client: POST {}", "server: more than 1000"]);
}

#[tokio::test]
async fn dropping_a_route_ends_its_streams_and_its_path() {
    let tap = tap();
    let bare = Bare::start(&tap).await;
    let mut client = bare.get().await;
    let (mut server, _) = bare.accept().await;
    server.write_all(EVENTS.as_bytes()).await.unwrap();
    read_until(&mut client, "\r\n\r\n").await;
    let Bare { route, _proxy, .. } = bare;
    let url = route.url().to_owned();
    drop(route);
    let mut rest = Vec::new();
    let _ = soon(client.read_to_end(&mut rest)).await;
    assert_eq!(soon(server.read(&mut [0; 1])).await.unwrap_or(0), 0);
    assert_eq!(send(post(&url, "{}")).await.status(), 404);
}

#[tokio::test]
async fn routes_do_not_mix() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(202)).mount(&server).await;
    let (proxy, one, other) = (HttpProxy::start().await.unwrap(), tap(), tap());
    let to_one = proxy.route(&server.uri(), one.clone()).unwrap();
    let to_other = proxy.route(&server.uri(), other.clone()).unwrap();
    send(post(to_one.url(), "\"one\"")).await;
    send(post(to_other.url(), "\"other\"")).await;
    assert_eq!(recorded(&one), ["client: POST \"one\"", "server: 202"]);
    assert_eq!(recorded(&other), ["client: POST \"other\"", "server: 202"]);
}

#[tokio::test]
async fn a_url_that_is_not_of_the_web_has_no_route() {
    let proxy = HttpProxy::start().await.unwrap();
    for url in ["ftp://localhost/mcp", "localhost", "/mcp", "not a url"] {
        assert!(matches!(proxy.route(url, tap()), Err(RouteError::Address { .. })), "{url}");
    }
}

#[tokio::test]
async fn a_query_and_headers_of_the_route_s_own_reach_the_server_and_not_the_transcript() {
    let tap = tap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = HttpProxy::start().await.unwrap();
    let upstream = format!("http://{}/mcp?key=secret-1", listener.local_addr().unwrap());
    let headers = [("Authorization".to_owned(), "Bearer secret-2".to_owned())];
    let route = proxy.route_with(&upstream, &headers, tap.clone()).unwrap();
    let bare = Bare { listener, route, _proxy: proxy };
    let _client = bare.get().await;
    let (_stream, head) = bare.accept().await;
    assert!(head.starts_with("GET /mcp?key=secret-1 "), "{head}");
    assert!(head.contains("authorization: Bearer secret-2\r\n"), "{head}");
    assert!(!format!("{:?}", tap.finish()).contains("secret"));
}

#[tokio::test]
async fn a_header_that_cannot_be_one_is_refused_without_its_value() {
    let proxy = HttpProxy::start().await.unwrap();
    let headers = [("a b".to_owned(), "secret".to_owned())];
    let refused = proxy.route_with("http://127.0.0.1:1/mcp", &headers, tap()).unwrap_err();
    assert_eq!(refused, RouteError::Header { name: "a b".to_owned() });
    assert!(!refused.to_string().contains("secret"));
}
