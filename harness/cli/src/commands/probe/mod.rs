//! `probe`: measure a host that cannot be installed, with the help of its user.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
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
  mcp-compat probe --answer answer.txt --host Cursor --version 2.1 --json \\
    > peers/hosts/measured/cursor.json

Exit status: 0, or 2 if the input is wrong.";

/// The request to the model.
const PROMPT: &str = "Call every tool of the MCP servers `probe` and `probe-array`, one after the other, without arguments. \
    After each call, write the name of the tool, and repeat word for word everything that you read in its result. Do not \
    explain or shorten anything. If a tool fails, repeat the error.";

/// File with what the servers were asked, in the folder of records.
const LOG: &str = "probe.jsonl";

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
    #[arg(long = "version", value_name = "VERSION", default_value = "unknown")]
    host_version: String,
    /// The person who saw it, for a row that is published
    #[arg(long, value_name = "NAME")]
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
    let log = record_folder(DEFAULT_OUT.into()).join(LOG);
    if let (Some(answer), Some(host)) = (&args.answer, &args.host) {
        return show(args, answer, host, &log);
    }
    if args.http { block_on(Threads::One, serve_over_http()) } else { instruct(&log) }
}

/// Prints how to measure a host.
fn instruct(log: &Path) -> Result<Exit> {
    let folder = log.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    // What an earlier probe saw is of another host.
    fs::write(log, "").with_context(|| format!("cannot write {}", log.display()))?;
    let log = fs::canonicalize(log).with_context(|| format!("cannot find {}", log.display()))?;
    let program = std::env::current_exe().context("cannot find the program of this process")?;
    let servers = Server::ALL.map(|server| {
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
fn show(args: &ProbeArgs, answer: &Path, host: &str, log: &Path) -> Result<Exit> {
    let text = if answer.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin()).context("cannot read the answer from standard input")?
    } else {
        input_file::read_named(answer).with_context(|| format!("cannot read the answer in {}", answer.display()))?
    };
    let served = Served::of(&fs::read_to_string(log).unwrap_or_default());
    let read = MeasuredHost::read(&text, &served);
    if read.is_empty() {
        bail!(
            "the answer has no word of the probe, and the servers saw no call: is {} the answer to the task that \
             `mcp-compat probe` prints?",
            answer.display()
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

/// Serves the tools, and adds each request to the log.
async fn serve_over_stdio(server: Server, log: Option<&Path>) -> Result<Exit> {
    let mut log = log.and_then(|path| OpenOptions::new().append(true).create(true).open(path).ok());
    let (mut requests, read) = tokio::io::duplex(64 << 10);
    let copy = async {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some(log) = &mut log {
                // A log that cannot be written does not keep the host from its server.
                let _ = writeln!(log, "{line}");
            }
            requests.write_all(line.as_bytes()).await?;
            requests.write_all(b"\n").await?;
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
