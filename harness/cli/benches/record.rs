//! What `record` adds to a message: pings to a server that answers at once, directly and through `record`, in turns.
//!
//! `cargo bench -p mcp-compat-cli --bench record` prints the median and the 99th percentile of a round trip each way, over
//! standard streams and over HTTP, and half of the difference, which is what a message takes longer. `RECORD_BIN` names
//! another program to measure.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::env;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How many pings each way.
const PINGS: usize = 20_000;

/// How many of them follow one another: whatever else the machine does hits both ways alike.
const TURN: usize = 500;

/// The first ones warm up.
const WARM: usize = 1_000;

/// The argument that makes this program the server.
const SERVE: &str = "--serve-stdio";

fn main() -> Result<()> {
    if env::args().any(|argument| argument == SERVE) {
        return serve_stdio();
    }
    let program = env::var_os("RECORD_BIN").map(PathBuf::from);
    let program = program.or_else(|| option_env!("CARGO_BIN_EXE_mcp-compat").map(PathBuf::from));
    let program = program.ok_or("RECORD_BIN names no program")?;
    let output = env::temp_dir().join(format!("record-bench-{}.toml", std::process::id()));
    over_stdio(&program, &output)?;
    over_http(&program, &output)?;
    let _ = std::fs::remove_file(output);
    Ok(())
}

/// Answers each ping at once.
fn serve_stdio() -> Result<()> {
    let (input, mut output) = (BufReader::new(std::io::stdin().lock()), std::io::stdout().lock());
    for line in input.lines() {
        output.write_all(answer(&line?).as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

fn ping(number: usize) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"ping\"}}\n")
}

fn answer(ping: &str) -> String {
    ping.trim_end().replace("\"method\":\"ping\"", "\"result\":{}") + "\n"
}

/// A way to a server.
trait Way {
    fn round_trip(&mut self, number: usize) -> Result<()>;
}

struct Streams {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    line: String,
}

impl Streams {
    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let answers = BufReader::new(child.stdout.take().ok_or("there is no output")?);
        Ok(Self { child, answers, line: String::new() })
    }
}

impl Way for Streams {
    fn round_trip(&mut self, number: usize) -> Result<()> {
        self.child.stdin.as_mut().ok_or("there is no input")?.write_all(ping(number).as_bytes())?;
        self.line.clear();
        self.answers.read_line(&mut self.line)?;
        if self.line == answer(&ping(number)) { Ok(()) } else { Err(format!("not the answer: {:?}", self.line).into()) }
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn over_stdio(program: &Path, output: &Path) -> Result<()> {
    let this = env::current_exe()?;
    let mut direct = Streams::start(Command::new(&this).arg(SERVE))?;
    let mut recorded = Command::new(program);
    recorded.arg("record").arg("-o").arg(output).arg("--").arg(&this).arg(SERVE);
    let mut recorded = Streams::start(&mut recorded)?;
    compare("standard streams", &mut direct, &mut recorded)
}

struct Http {
    stream: TcpStream,
    host: String,
    path: String,
}

impl Http {
    fn connect(url: &str) -> Result<Self> {
        let rest = url.trim().strip_prefix("http://").ok_or("no address")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host: host.to_owned(), path: format!("/{path}") })
    }
}

impl Way for Http {
    fn round_trip(&mut self, number: usize) -> Result<()> {
        let body = ping(number);
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             content-length: {}\r\n\r\n",
            self.path,
            self.host,
            body.len()
        );
        self.stream.write_all((head + &body).as_bytes())?;
        let found = read_message(&mut self.stream)?;
        if found == answer(&ping(number)).as_bytes() { Ok(()) } else { Err("not the answer".into()) }
    }
}

/// The body of the next HTTP message, which gives its length.
fn read_message(stream: &mut TcpStream) -> Result<Vec<u8>> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        if let Some(end) = text.find("\r\n\r\n") {
            let length = text[..end].split("content-length:").nth(1).and_then(|rest| rest.lines().next());
            let length: usize = length.ok_or("no length")?.trim().parse()?;
            if bytes.len() >= end + 4 + length {
                return Ok(bytes[end + 4..end + 4 + length].to_vec());
            }
        }
        match stream.read(&mut chunk)? {
            0 => return Err("the connection was closed".into()),
            read => bytes.extend_from_slice(&chunk[..read]),
        }
    }
}

/// Answers every ping of every connection.
fn serve_http(listener: &TcpListener) {
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || -> Option<()> {
            let mut stream = stream;
            stream.set_nodelay(true).ok()?;
            loop {
                let body = read_message(&mut stream).ok()?;
                let answer = answer(&String::from_utf8_lossy(&body));
                let length = answer.len();
                let head =
                    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
                stream.write_all((head + &answer).as_bytes()).ok()?;
            }
        });
    }
}

fn over_http(program: &Path, output: &Path) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    std::thread::spawn(move || serve_http(&listener));
    let mut child = Command::new(program)
        .args(["record", "-o"])
        .arg(output)
        .args(["--url", &url])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut address = String::new();
    BufReader::new(child.stdout.take().ok_or("there is no output")?).read_line(&mut address)?;
    let compared = compare("HTTP", &mut Http::connect(&url)?, &mut Http::connect(&address)?);
    child.kill()?;
    child.wait()?;
    compared
}

/// Pings both ways in turns, and prints how long it took.
fn compare<W: Way>(what: &str, direct: &mut W, recorded: &mut W) -> Result<()> {
    let mut times = [Vec::new(), Vec::new()];
    let mut number = 0;
    while times[1].len() < WARM + PINGS {
        for (way, times) in [&mut *direct, &mut *recorded].into_iter().zip(&mut times) {
            for _ in 0..TURN {
                number += 1;
                let begun = Instant::now();
                way.round_trip(number)?;
                times.push(begun.elapsed());
            }
        }
    }
    let [direct, recorded] = times.map(|mut times| {
        times.drain(..WARM);
        times.sort_unstable();
        times
    });
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let at = |times: &[Duration], percent: usize| micros(times[times.len() * percent / 100]);
    println!("{what}, {PINGS} round trips each way, in microseconds");
    for (name, times) in [("direct", &direct), ("record", &recorded)] {
        println!("  {name}   median {:7.1}   99th percentile {:7.1}", at(times, 50), at(times, 99));
    }
    let added = |percent| (at(&recorded, percent) - at(&direct, percent)) / 2.0;
    println!("  a message takes {:.1} longer in the median, {:.1} in the 99th percentile", added(50), added(99));
    Ok(())
}
