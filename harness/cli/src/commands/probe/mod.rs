//! `probe`: measure a host that cannot be installed, with the help of its user.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use mcp_compat_drive::files::input_file;
use mcp_compat_mocks::server::{HttpServer, ServerSpec, serve};
use mcp_compat_model::peer_contract::Script;
use mcp_compat_reports::hosts::{MeasuredHost, Served, render_measured};
use mcp_compat_scenario::load;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::exit::Exit;
use crate::output::{eprintln, json_text, print, println};
use crate::runtime::{Threads, block_on};
use crate::terminal;
use crate::values::{DEFAULT_OUT, record_folder};

const HOW: &str = "\
Some hosts cannot be installed and measured here, such as Cursor or ChatGPT.
Their users measure them: the host gets two servers whose tools have a word of
their own in each place of a result, and the words in the model's answer say
what it read.

Examples:
  mcp-compat probe
  mcp-compat probe --answer answer.txt --host Cursor --version 2.1
  mcp-compat probe --answer answer.txt --host Cursor --json > cursor.json

Exit status: 0, or 2 if the input is wrong.";

/// The request to the model.
const PROMPT: &str = "Call every tool of the MCP servers `probe` and `probe-array`, one after the other, without arguments. \
    After each call, write the name of the tool, and repeat word for word everything that you read in its result. Do not \
    explain or shorten anything. If a tool fails, repeat the error.";

/// Most bytes of an answer and of a log.
const MOST_BYTES: u64 = 16 << 20;

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct ProbeArgs {
    /// The answer of the model: a text file, or - for standard input
    #[arg(long, value_name = "FILE", requires = "host")]
    answer: Option<PathBuf>,
    /// The name of the host
    #[arg(long, value_name = "NAME", requires = "answer")]
    host: Option<String>,
    /// The version of the host
    #[arg(long = "version", value_name = "VERSION", default_value = "unknown", requires = "answer")]
    host_version: String,
    /// The person who saw it, for a row that is published
    #[arg(long, value_name = "NAME", requires = "answer")]
    by: Option<String>,
    /// Print the row as JSON
    #[arg(long, requires = "answer")]
    json: bool,
    /// Serve the tools over HTTP on this machine, until interrupted
    #[arg(long, conflicts_with = "answer")]
    http: bool,
    /// Be one of the servers over stdio: the host starts this
    #[arg(long, value_name = "SERVER", hide = true)]
    serve: Option<Server>,
    /// File to which requests are added
    #[arg(long, value_name = "FILE", hide = true)]
    log: Option<PathBuf>,
}

/// Server of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Server {
    Probe,
    ProbeArray,
}

impl Server {
    const ALL: [Self; 2] = [Self::Probe, Self::ProbeArray];

    const fn name(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::ProbeArray => "probe-array",
        }
    }

    /// File with what the server was asked, in the folder of records.
    fn log(self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.jsonl", self.name()))
    }

    fn script(self) -> Result<Script> {
        let text = match self {
            Self::Probe => include_str!("probe.toml"),
            Self::ProbeArray => include_str!("array.toml"),
        };
        let scenarios = load(&format!("host/{}.toml", self.name()), text, &|_| None)?;
        Ok(scenarios.first().context("the probe has no tools")?.script())
    }
}

pub(crate) fn execute(args: &ProbeArgs) -> Result<Exit> {
    if let Some(server) = args.serve {
        return block_on(Threads::One, serve_over_stdio(server, args.log.as_deref()));
    }
    let folder = record_folder(DEFAULT_OUT.into());
    if let (Some(answer), Some(host)) = (&args.answer, &args.host) {
        return show(args, answer, host, &folder);
    }
    let logs = begin(&folder)?;
    if args.http { block_on(Threads::One, serve_over_http()) } else { instruct(&logs) }
}

/// Empties the logs: what an earlier probe saw is of another host. Returns their paths, in the order of the servers.
fn begin(folder: &Path) -> Result<[PathBuf; 2]> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let folder = fs::canonicalize(folder).with_context(|| format!("cannot find {}", folder.display()))?;
    let logs = Server::ALL.map(|server| server.log(&folder));
    for log in &logs {
        fs::write(log, "").with_context(|| format!("cannot write {}", log.display()))?;
    }
    Ok(logs)
}

/// Prints how to measure a host.
fn instruct(logs: &[PathBuf; 2]) -> Result<Exit> {
    let program = std::env::current_exe().context("cannot find the program of this process")?;
    let servers = Server::ALL.into_iter().zip(logs).map(|(server, log)| {
        let arguments = json!(["probe", "--serve", server.name(), "--log", log]);
        (server.name().to_owned(), json!({ "command": program, "args": arguments }))
    });
    explain(&json!({ "mcpServers": serde_json::Map::from_iter(servers) }))
}

fn explain(configuration: &serde_json::Value) -> Result<Exit> {
    println!("1. Add the servers to the configuration of the host, such as mcp.json:\n");
    println!("{}", json_text(configuration)?);
    println!("2. Begin a new conversation, and give the model this task:\n");
    println!("{PROMPT}\n");
    println!("3. Save its answer in a file, and read it:\n");
    println!("mcp-compat probe --answer answer.txt --host NAME --version VERSION");
    Ok(Exit::Success)
}

/// Prints the row of a host.
fn show(args: &ProbeArgs, answer: &Path, host: &str, folder: &Path) -> Result<Exit> {
    let text = if answer.as_os_str() == "-" {
        beginning(io::stdin()).context("cannot read the answer from standard input")?
    } else {
        input_file::read_named(answer).with_context(|| format!("cannot read the answer in {}", answer.display()))?
    };
    let [probe, array] = Server::ALL.map(|server| {
        let log = server.log(folder);
        match fs::File::open(&log) {
            Ok(file) => beginning(file).with_context(|| format!("cannot read {}", log.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", log.display())),
        }
    });
    let served = Served::of(&probe?, &array?);
    let read = MeasuredHost::read(&text, &served);
    if read.is_empty() {
        bail!(
            "no word of the probe is in the answer, and the servers saw no call. Give the whole answer of the model to \
             the task that `mcp-compat probe` prints"
        );
    }
    if !served.is_reached {
        eprintln!(
            "The servers saw no request, so the row is of the answer alone. `mcp-compat probe` starts a new one."
        );
    }
    let measured = MeasuredHost {
        host: host.to_owned(),
        version: args.host_version.clone(),
        date: jiff::Zoned::now().date().to_string(),
        by: args.by.clone(),
        client: served.client,
        revision: served.revision,
        read,
    };
    if args.json {
        print!("{}", json_text(&measured)?);
    } else {
        print!("{}", render_measured(&[measured], terminal::style()));
    }
    Ok(Exit::Success)
}

/// The beginning of a text that somebody else wrote.
fn beginning(from: impl io::Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Serves the tools, and adds each request to the log.
async fn serve_over_stdio(server: Server, log: Option<&Path>) -> Result<Exit> {
    let mut log = log.and_then(|path| OpenOptions::new().append(true).create(true).open(path).ok());
    let (mut requests, read) = tokio::io::duplex(64 << 10);
    let copy = async move {
        let mut stdin = BufReader::new(tokio::io::stdin());
        let mut line = Vec::new();
        while stdin.read_until(b'\n', &mut line).await? > 0 {
            if let Some(log) = &mut log {
                // A log that cannot be written does not keep the host from its server.
                let _ = log.write_all(&line);
            }
            requests.write_all(&line).await?;
            line.clear();
        }
        requests.shutdown().await
    };
    let spec = ServerSpec::parse("mock/dual")?;
    let script = Arc::new(server.script()?);
    let (copied, served) = tokio::join!(copy, serve(spec, script, read, tokio::io::stdout()));
    copied.context("cannot read requests")?;
    served.context("cannot serve the probe")?;
    Ok(Exit::Success)
}

/// Serves both servers until it is interrupted.
async fn serve_over_http() -> Result<Exit> {
    let http = HttpServer::bind().await.context("cannot open a port of 127.0.0.1")?;
    let mut servers = serde_json::Map::new();
    for server in Server::ALL {
        let path = format!("/{}", server.name());
        http.host(&path, ServerSpec::parse("mock/dual")?, Arc::new(server.script()?))?;
        servers.insert(server.name().to_owned(), json!({ "url": format!("{}{path}", http.base_url()) }));
    }
    explain(&json!({ "mcpServers": servers }))?;
    tokio::signal::ctrl_c().await.context("cannot wait for an interrupt")?;
    Ok(Exit::Success)
}
