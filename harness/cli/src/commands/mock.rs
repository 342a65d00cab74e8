//! `mock`: run a single mock, as a partner for any other tool.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::{Args as ClapArgs, Subcommand};
use mcp_compat_drive::files::input_file;
use mcp_compat_drive::likely_address;
use mcp_compat_mocks::client::{ClientSpec, HttpClient, play, run_adapter};
use mcp_compat_mocks::server::{HttpServer, ServeEnd, ServerSpec, run_http_adapter, run_stdio_adapter, serve};
use mcp_compat_model::peer_contract::{Answer, Deadlines, JobStep, Script, ServerAddress};
use serde_json::value::RawValue;
use tokio::io::BufReader;

use crate::exit::Exit;
use crate::inputs::corpus;
use crate::inputs::quantities::duration;
use crate::output::{json_text, print, println};
use crate::runtime::{Threads, block_on};

const EXAMPLES: &str = "\
Examples:
  mcp-compat mock server --scenario root-type/array
  mcp-compat mock server --scenario root-type/array --http
  mcp-compat mock client --call list_users --url http://127.0.0.1:3000/mcp";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MockArgs {
    #[command(subcommand)]
    role: MockRole,
}

#[derive(Debug, Subcommand)]
enum MockRole {
    /// Serve a scenario over stdio or HTTP
    Server(MockServerArgs),
    /// Connect to a server, list and call tools, and print what the user of the client gets
    Client(MockClientArgs),
}

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
struct MockServerArgs {
    /// The mock, as `mcp-compat show peers` names it
    #[arg(long, value_name = "ID", default_value = "mock/dual")]
    id: String,
    /// The scenario: a built-in id, a file, or `FILE[CASE]` for one case of a family
    #[arg(long, value_name = "ID|FILE", conflicts_with_all = ["script", "adapter"])]
    scenario: Option<String>,
    /// A script in JSON, in place of a scenario
    #[arg(long, value_name = "FILE", conflicts_with = "adapter")]
    script: Option<PathBuf>,
    /// Serve over HTTP on a free port of 127.0.0.1; the first line printed is the address
    #[arg(long)]
    http: bool,
    /// Act as a server adapter, as the contract of peers/README.md says
    #[arg(long)]
    adapter: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
struct MockClientArgs {
    /// The mock, as `mcp-compat show peers` names it
    #[arg(long, value_name = "ID", default_value = "mock/dual+auto")]
    id: String,
    /// The address of a server over HTTP, in place of a command
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "adapter"])]
    url: Option<String>,
    /// Act as a client adapter: read jobs from standard input
    #[arg(long, conflicts_with = "command")]
    adapter: bool,
    /// Call this tool after the list, with `{}` or with these arguments
    #[arg(long, value_name = "TOOL[=JSON]")]
    call: Vec<String>,
    /// How long one step may take; the first includes the start of the server
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    timeout: Duration,
    /// The command that starts the server over stdio
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn execute(args: MockArgs) -> anyhow::Result<Exit> {
    // One thread is enough: a mock mostly waits, and hundreds of them may run at the same time.
    match args.role {
        MockRole::Server(args) => block_on(Threads::One, server(args)),
        MockRole::Client(args) => block_on(Threads::One, client(args)),
    }
}

async fn server(args: MockServerArgs) -> anyhow::Result<Exit> {
    let spec = ServerSpec::parse(&args.id)?;
    match (args.adapter, args.http) {
        (true, true) => run_http_adapter(spec).await?,
        (true, false) => return Ok(ended(&run_stdio_adapter(spec).await?)),
        (false, true) => {
            let script = script(&args)?;
            let server = HttpServer::bind().await.context("cannot open a port of 127.0.0.1")?;
            server.host("/mcp", spec, Arc::new(script))?;
            println!("{}/mcp", server.base_url());
            tokio::signal::ctrl_c().await.context("cannot wait for an interrupt")?;
        }
        (false, false) => {
            let script = script(&args)?;
            return Ok(ended(&serve(spec, Arc::new(script), tokio::io::stdin(), tokio::io::stdout()).await?));
        }
    }
    Ok(Exit::Success)
}

/// Returns the exit status of a server whose stream has ended.
fn ended(ending: &ServeEnd) -> Exit {
    match ending {
        ServeEnd::Closed => Exit::Success,
        ServeEnd::Exit { status } => Exit::OfServer(u8::try_from(*status).unwrap_or(u8::MAX)),
    }
}

fn script(args: &MockServerArgs) -> anyhow::Result<Script> {
    if let Some(path) = &args.script {
        let text =
            input_file::read_named(path).with_context(|| format!("cannot read the script {}", path.display()))?;
        return serde_json::from_str(&text).with_context(|| format!("{} is not a script", path.display()));
    }
    let Some(name) = &args.scenario else {
        bail!("name what to serve: --scenario ID, --script FILE, or --adapter for the peer contract");
    };
    Ok(corpus::find(name)?.script())
}

async fn client(args: MockClientArgs) -> anyhow::Result<Exit> {
    let spec = ClientSpec::parse(&args.id)?;
    if args.adapter {
        run_adapter(spec, BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await?;
        return Ok(Exit::Success);
    }
    let server = match (args.url, args.command) {
        (Some(url), _) => match likely_address(&url) {
            Some(likely) => bail!("--url: {url:?} has no scheme. Did you mean {likely}?"),
            None => ServerAddress::Http { url },
        },
        (None, command) if !command.is_empty() => ServerAddress::Stdio { command, env: BTreeMap::new() },
        (None, _) => bail!("name the server: --url URL, or -- COMMAND"),
    };
    let calls = args.call.iter().map(|call| call_step(call));
    let steps: Vec<JobStep> = std::iter::once(Ok(JobStep::List {})).chain(calls).collect::<anyhow::Result<_>>()?;
    let played = play(&spec, &HttpClient::new(), &server, &steps, deadlines(args.timeout)).await;
    let answer = played.unwrap_or_else(Answer::from);
    print!("{}", json_text(&answer)?);
    let failed = answer.error.is_some() || answer.steps.iter().any(|step| step.error.is_some());
    Ok(if failed { Exit::Breaks } else { Exit::Success })
}

/// Parses `tool` or `tool={"json": 1}`.
fn call_step(text: &str) -> anyhow::Result<JobStep> {
    let (tool, arguments) = text.split_once('=').unwrap_or((text, "{}"));
    let arguments = RawValue::from_string(arguments.to_owned())
        .with_context(|| format!("--call {text}: the arguments are not JSON"))?;
    Ok(JobStep::call(tool, arguments))
}

fn deadlines(step: Duration) -> Deadlines {
    let step_ms = u64::try_from(step.as_millis()).unwrap_or(u64::MAX);
    Deadlines { connect_ms: step_ms, step_ms }
}
