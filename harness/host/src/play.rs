//! One start of a host: the plan, the home, the process, and what the model saw.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_compat_drive::{Limits, Tap, run_client};
use mcp_compat_mocks::scripted_model::{ModelView, Part, Plan, ScriptedModel, SeenResult, refusals};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::{Answer, Job, ServerAddress};
use regex::Regex;
use serde_json::json;

use crate::answer::{HostEnd, Reading};
use crate::form::HostForm;
use crate::home::Home;
use crate::plan::plan;

/// Longest time of a start. Hosts need 1 to 13 s on a quiet machine, and ten times that on a busy one.
const LONGEST: Duration = Duration::from_secs(120);

/// A host that can be started.
#[derive(Debug)]
pub(crate) struct Host {
    form: HostForm,
    /// The folder of the templates.
    templates: PathBuf,
    reading: Reading,
    model: ScriptedModel,
}

impl Host {
    /// # Errors
    /// When a pattern is none, or the system gives no port.
    pub(crate) async fn new(form: HostForm, templates: &Path) -> Result<Self, String> {
        let patterns = |patterns: &[String]| {
            patterns.iter().map(|it| Regex::new(it).map_err(|error| error.to_string())).collect::<Result<Vec<_>, _>>()
        };
        let reading = Reading {
            strip: patterns(&form.strip)?,
            errors: patterns(&form.errors)?,
            own_tools: form.own_tools.clone(),
            content_as_json: form.content_as_json,
            texts_as_json: form.texts_as_json,
            wrapper: form.wrapper.clone(),
        };
        let model = ScriptedModel::bind().await.map_err(|error| format!("no port for the model: {error}"))?;
        Ok(Self { form, templates: templates.to_owned(), reading, model })
    }

    /// Plays a job.
    pub(crate) async fn play(&self, job: &Job) -> Answer {
        let (words, plan) = match (server(&job.server), plan(&job.steps)) {
            (Ok(words), Ok(plan)) => (words, plan),
            (Err(reason), _) | (_, Err(reason)) => return unsupported(job.id, reason),
        };
        let address = self.model.host(plan.clone());
        match self.run(&address, &words, self.time_limit(job)).await {
            Ok(end) => {
                let view = ModelView::of(&self.model.requests(&address), &plan);
                log(&job.scenario, &plan, &view);
                self.reading.answer(job.id, &job.steps, &view, &end)
            }
            Err(why) => {
                let error = PeerError { layer: Layer::Connect, code: None, message: why };
                Answer { error: Some(error), ..empty(job.id) }
            }
        }
    }

    fn time_limit(&self, job: &Job) -> Duration {
        let steps = u64::try_from(job.steps.len()).unwrap_or(u64::MAX);
        let told = job.deadlines.step_ms.saturating_mul(steps).saturating_add(job.deadlines.connect_ms);
        LONGEST.min(Duration::from_millis(told))
    }

    async fn run(&self, model: &str, server: &[String], time_limit: Duration) -> Result<HostEnd, String> {
        let home = Home::new(model, server).map_err(|error| error.to_string())?;
        for command in &self.form.before {
            self.start(&home, command, time_limit).await?;
        }
        home.write(&self.form, &self.templates).map_err(|error| error.to_string())?;
        self.start(&home, &self.form.command, time_limit).await
    }

    async fn start(&self, home: &Home, command: &[String], time_limit: Duration) -> Result<HostEnd, String> {
        let tap = Tap::new(Limits::default());
        let launch = home.launch(&self.form, command);
        let end = run_client(&launch, &tap, time_limit).await.map_err(|error| error.to_string())?;
        Ok(HostEnd { exit: end.exit.map(|exit| exit.to_string()), words: last_lines(&end.words) })
    }
}

/// Writes what a model saw to standard error, which the harness keeps as evidence: a line of JSON for each start.
#[expect(clippy::print_stderr, reason = "it is the log of this adapter")]
fn log(scenario: &str, plan: &Plan, view: &ModelView) {
    let offered: Vec<&str> = view.offered.iter().map(|tool| tool.name.as_str()).collect();
    let results = plan.calls.iter().zip(&view.results).map(|(call, seen)| {
        let parts = match seen {
            SeenResult::Answered(answer) => answer.parts.iter().map(|part| match part {
                Part::Text(text) => json!(text),
                Part::Other(value) => json!(value.to_string()),
            }),
            SeenResult::NotOffered | SeenResult::NotAnswered => {
                return json!({ "tool": call.tool, "seen": format!("{seen:?}") });
            }
        };
        json!({ "tool": call.tool, "parts": parts.collect::<Vec<_>>() })
    });
    let refused = view.interface.map_or_else(Vec::new, |interface| refusals(interface, &view.offered));
    let refused = refused.iter().map(|refusal| json!({ "tool": refusal.tool, "why": refusal.why }));
    let line = json!({
        "scenario": scenario,
        "offered": offered,
        "refused": refused.collect::<Vec<_>>(),
        "results": results.collect::<Vec<_>>(),
    });
    eprintln!("{line}");
}

/// The words of a command that starts the server with all that it needs, whatever environment the host gives it.
fn server(address: &ServerAddress) -> Result<Vec<String>, String> {
    match address {
        ServerAddress::Stdio { command, env } => {
            let set = env.iter().map(|(name, value)| format!("{name}={value}"));
            Ok(std::iter::once("env".to_owned()).chain(set).chain(command.iter().cloned()).collect())
        }
        ServerAddress::Http { .. } => Err("hosts are started with servers over stdio only".to_owned()),
    }
}

pub(crate) fn unsupported(id: u64, reason: String) -> Answer {
    Answer { unsupported: Some(reason), ..empty(id) }
}

fn empty(id: u64) -> Answer {
    Answer { id, negotiated: None, unsupported: None, error: None, steps: Vec::new() }
}

/// The last lines of an output, without the codes of terminals.
fn last_lines(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(5)..].join("\n")
}
