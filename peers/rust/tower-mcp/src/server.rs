//! A script offered with tower-mcp's router.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use peer_contract::exact;
use peer_contract::offer::Process;
use peer_contract::script::{Reply, Script, ScriptedTool, Stage};
use peer_contract::server::{CancellationToken, Endpoint, Server};
use serde_json::{Map, Value};
use tower_mcp::extract::RawArgs;
use tower_mcp::protocol::{CacheScope, ToolDefinition};
use tower_mcp::{CallToolResult, DynamicToolRegistry, HttpTransport, McpRouter, StdioTransport, Tool, ToolBuilder};

use crate::axum_common::AxumService;

/// A server of one script.
pub struct Scripted {
    router: McpRouter,
}

/// Answer to a call.
#[derive(Clone)]
enum Answer {
    Result(CallToolResult),
    Hang,
    Exit(i32),
    Evolve,
}

/// Tools that change. One router has one set of them for all sessions.
#[derive(Clone)]
struct Stages {
    tools: Arc<Vec<Vec<(ToolDefinition, Answer)>>>,
    stage: Arc<AtomicUsize>,
    registry: DynamicToolRegistry,
}

impl Server for Scripted {
    type Http = AxumService;

    fn new(script: &Script, process: Process) -> Result<Self, String> {
        if let Some(reason) = script.beyond_an_sdk() {
            return Err(reason.to_owned());
        }
        if script.stages.iter().skip(1).any(|stage| !stage.told) {
            return Err("the SDK tells its clients of each change of its tools".to_owned());
        }
        let stages = script.stages.iter().map(|stage| offered(stage, process)).collect::<Result<Vec<_>, _>>()?;
        let router = McpRouter::new().server_info("mcp-compat-tower-mcp", env!("CARGO_PKG_VERSION"));
        let mut router = listed(router, script.list.clone().unwrap_or_default())?;
        if let Some(size) = script.page_size.filter(|size| *size > 0) {
            router = router.page_size(size);
        }
        if stages.len() == 1 {
            let tools = stages.into_iter().flatten().map(|(definition, answer)| tool(definition, answer, None));
            return Ok(Self { router: router.tools(tools.collect::<Result<Vec<_>, _>>()?) });
        }
        let (router, registry) = router.with_dynamic_tools();
        let stages = Stages { tools: Arc::new(stages), stage: Arc::default(), registry };
        stages.enter(0)?;
        Ok(Self { router })
    }

    async fn over_stdio(self) {
        if let Err(error) = StdioTransport::new(self.router).run().await {
            eprintln!("the session ended: {error}");
        }
    }

    fn over_http(self) -> Endpoint<AxumService> {
        let router = HttpTransport::new(self.router).into_router();
        Endpoint { service: AxumService::new(router, "/"), stop: CancellationToken::new() }
    }
}

impl Stages {
    fn enter(&self, stage: usize) -> Result<(), String> {
        let Some(tools) = self.tools.get(stage) else { return Ok(()) };
        let tools = tools.iter().cloned().map(|(definition, answer)| tool(definition, answer, Some(self.clone())));
        self.registry.replace_all(tools.collect::<Result<Vec<_>, _>>()?);
        Ok(())
    }
}

/// Returns the tools of a stage in the SDK's types, if these hold all of it.
fn offered(stage: &Stage, process: Process) -> Result<Vec<(ToolDefinition, Answer)>, String> {
    let offered = |scripted: &ScriptedTool| {
        let definition: ToolDefinition = exact::typed("the tool", &scripted.definition)?;
        let answer = match &scripted.reply {
            Reply::Result(value) => Answer::Result(exact::typed("the result", value)?),
            Reply::Error(_) => return Err("the SDK turns the error of a tool into a result with isError".to_owned()),
            Reply::Raw(_) => return Err("the SDK's server API cannot send raw bytes".to_owned()),
            Reply::Hang {} => Answer::Hang,
            Reply::Exit { status } => match process {
                Process::OfOneSession => Answer::Exit(*status),
                Process::OfManySessions => return Err("the SDK's HTTP server cannot drop one connection".to_owned()),
            },
            Reply::Evolve {} => Answer::Evolve,
        };
        let made = tool(definition.clone(), answer.clone(), None)?;
        exact::same("the tool", &scripted.definition, &made.definition())?;
        Ok((definition, answer))
    };
    stage.tools.iter().map(offered).collect()
}

fn tool(definition: ToolDefinition, answer: Answer, stages: Option<Stages>) -> Result<Tool, String> {
    let mut builder = ToolBuilder::try_new(definition.name)
        .map_err(|error| format!("the SDK cannot represent the tool ({error})"))?;
    if let Some(title) = definition.title {
        builder = builder.title(title);
    }
    if let Some(description) = definition.description {
        builder = builder.description(description);
    }
    if let Some(annotations) = definition.annotations {
        builder = builder.annotations(annotations);
    }
    if let Some(schema) = definition.output_schema {
        builder = builder.output_schema(schema);
    }
    let handler = move |RawArgs(_): RawArgs| {
        let (answer, stages) = (answer.clone(), stages.clone());
        async move {
            match answer {
                Answer::Result(result) => Ok(result),
                Answer::Hang => std::future::pending().await,
                Answer::Exit(status) => std::process::exit(status),
                Answer::Evolve => {
                    if let Some(stages) = stages {
                        let stage = stages.stage.fetch_add(1, Ordering::SeqCst) + 1;
                        if let Err(reason) = stages.enter(stage) {
                            eprintln!("{reason}");
                        }
                    }
                    Ok(CallToolResult::text("the tools have changed"))
                }
            }
        }
    };
    let tool = builder.input_schema(definition.input_schema).extractor_handler((), handler).build();
    match definition.meta {
        Some(meta) => tool.with_meta(meta).map_err(|error| format!("the SDK cannot represent the tool ({error})")),
        None => Ok(tool),
    }
}

/// Sets the members of a list that the router has.
fn listed(mut router: McpRouter, members: Map<String, Value>) -> Result<McpRouter, String> {
    for (name, value) in members {
        router = match (name.as_str(), value.as_u64(), serde_json::from_value::<CacheScope>(value)) {
            ("ttlMs", Some(milliseconds), _) => router.list_ttl(milliseconds),
            ("cacheScope", _, Ok(scope)) => router.cache_scope(scope),
            _ => return Err(format!("the SDK's server API cannot set {name} of a list")),
        };
    }
    Ok(router)
}
