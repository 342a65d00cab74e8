//! A resolved scenario: checked, defaults filled in, one member of its family.

use std::collections::BTreeMap;

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::{
    BYSTANDER_TOOL, EVOLVE_TOOL, JobStep, Reply, Script, ScriptedAnswer, ScriptedTool, Stage,
};
use mcp_compat_model::transcript::Raw;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Era, Revision, ScenarioId};
use serde_json::value::RawValue;

/// A scenario, ready to be played.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its id: the path below the corpus without extension, with the case in brackets.
    pub id: ScenarioId,
    /// Subject, in one line.
    pub title: String,
    /// Reason why it matters, for a stranger.
    pub why: String,
    /// The first revision in which a server may do this.
    pub since: Revision,
    /// Addresses of its sources.
    pub sources: Vec<String>,
    /// Clarity of the specification about it.
    pub spec: SpecStance,
    /// Tools of each stage. There is at least one stage; the first holds from the start.
    pub stages: Vec<ScenarioStage>,
    /// Actions of the client, in order.
    pub steps: Vec<Step>,
    /// True for the few scenarios of the default run, which represent the corpus.
    pub is_smoke: bool,
    /// Number of tools on a page of the list.
    pub page_size: Option<u32>,
    /// Members that the result of `tools/list` has beside `tools`, as a JSON object.
    pub list: Option<String>,
    /// Names of members that the result of `tools/list` is sent without, although the revision asks for them.
    pub list_without: Vec<String>,
    /// Scripted answers to requests other than calls.
    pub answers: Vec<ScriptedAnswer>,
}

/// Clarity of the specification about a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecStance {
    /// The specification defines the behaviour.
    Clear,
    /// The specification is silent; a failure is attributed to this gap.
    Silent {
        /// Address of the page that should define the behaviour.
        source: String,
    },
    /// The specification contradicts itself; a failure is attributed to it.
    Conflict {
        /// Address of the contradiction.
        source: String,
    },
}

/// The tools on offer for some time.
#[derive(Clone, Debug)]
pub struct ScenarioStage {
    /// The scenario's own tools and their controls, in the order listed; the bystander is not among them.
    pub tools: Vec<Tool>,
    /// True if the server sends a notification when it goes to this stage.
    pub notified: bool,
}

/// A tool of a scenario.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its definition, as JSON text without white space between tokens.
    pub definition: String,
    /// Answer to a call.
    pub reply: Reply,
    /// Names of members that the result is sent without, although the revision asks for them.
    pub without: Vec<String>,
    /// Messages that are sent right before the answer; see [`ScriptedTool::before`].
    pub before: Vec<String>,
    /// The tool whose call must have been answered first.
    pub answers_after: Option<String>,
}

/// Step of a scenario.
#[derive(Clone, Debug)]
pub enum Step {
    /// List all tools.
    List,
    /// Call a tool.
    Call(Call),
    /// The server goes to its next stage.
    Evolve {
        /// True if it sends a notification.
        notified: bool,
    },
}

/// A call with its expectations.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool's name.
    pub tool: String,
    /// The arguments, a JSON object as text.
    pub arguments: String,
    /// Purpose of the call.
    pub purpose: Purpose,
    /// Meaning of the tool's answer.
    pub means: Means,
    /// The least that a user of the client must get, in each era.
    pub expect: Expect,
    /// Parts of the result that the user must get in addition.
    pub also_expect: AlsoExpect,
    /// True if it is sent together with the step before, a call as well.
    pub concurrent: bool,
    /// Arguments that come from the value of the call before: from JSON Pointer in the arguments to JSON Pointer in
    /// that value.
    pub args_from: BTreeMap<String, String>,
}

/// Parts of a result that a user must get in addition to the tool's meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlsoExpect {
    /// Content blocks, such as an image beside its data.
    pub blocks: Vec<Json>,
    /// Structured content, such as the code of a tool error beside its words.
    pub value: Option<Json>,
}

impl AlsoExpect {
    /// Returns whether no additional part is expected.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.value.is_none()
    }
}

impl Call {
    /// Creates a call with `{}` as its arguments and no additional expectations.
    #[must_use]
    pub fn new(tool: impl Into<String>, purpose: Purpose, means: Means, expect: Expect) -> Self {
        Self {
            tool: tool.into(),
            arguments: "{}".to_owned(),
            purpose,
            means,
            expect,
            also_expect: AlsoExpect::default(),
            concurrent: false,
            args_from: BTreeMap::new(),
        }
    }
}

/// Purpose of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A call of the tool under test.
    Subject,
    /// A call of a tool with the same schema and a result that violates it. A client that accepts it does not validate.
    Control,
    /// A call of the plain tool that is listed beside the others. It shows the extent of a failure.
    Bystander,
}

/// Meaning of a tool's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Means {
    /// A value.
    Value(Json),
    /// Plain text, from a tool without structured output.
    Text(String),
    /// A tool error; the user must find these words in it.
    ToolError(String),
    /// An invalid result: it violates the tool's own schema or the protocol, and must be caught.
    Invalid,
}

/// The least outcome that is good enough, in each era.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expect {
    /// On a session opened with `initialize`.
    pub legacy: Outcome,
    /// On stateless requests.
    pub modern: Outcome,
}

impl Expect {
    /// Creates an expectation that is the same in both eras.
    #[must_use]
    pub const fn both(outcome: Outcome) -> Self {
        Self { legacy: outcome, modern: outcome }
    }

    /// Returns the least outcome in `era`.
    #[must_use]
    pub const fn in_era(self, era: Era) -> Outcome {
        match era {
            Era::Legacy => self.legacy,
            Era::Modern => self.modern,
        }
    }
}

/// Text of the bystander's answer.
pub const BYSTANDER_TEXT: &str = "still here";

impl ScenarioStage {
    /// Returns the first tool of that name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl Scenario {
    /// Returns the script for a server: the stages, each with the bystander at its end, and with the tool that evolves
    /// where there is more than one stage.
    #[must_use]
    pub fn script(&self) -> Script {
        let evolves = self.stages.len() > 1;
        let stage = |stage: &ScenarioStage| {
            let mut tools: Vec<ScriptedTool> = stage.tools.iter().map(Tool::scripted).collect();
            tools.extend(evolves.then(|| plain_tool(EVOLVE_TOOL, Reply::Evolve {})));
            tools.push(plain_tool(BYSTANDER_TOOL, bystander_reply()));
            Stage { tools, told: stage.notified }
        };
        Script {
            scenario: self.id.to_string(),
            stages: self.stages.iter().map(stage).collect(),
            page_size: self.page_size,
            list: self.list.clone().map(raw),
            list_without: self.list_without.clone(),
            answers: self.answers.clone(),
        }
    }

    /// Returns the steps of a client's job: the steps without their meaning.
    #[must_use]
    pub fn job_steps(&self) -> Vec<JobStep> {
        let step = |step: &Step| match step {
            Step::List => JobStep::List {},
            Step::Call(call) => JobStep::Call {
                tool: call.tool.clone(),
                arguments: raw(call.arguments.clone()),
                at_once: call.concurrent,
                feed: call.args_from.clone(),
            },
            Step::Evolve { notified } => JobStep::Evolve { told: *notified },
        };
        self.steps.iter().map(step).collect()
    }

    /// Returns the number of bytes of its definitions and answers, which a server of it sends at most once over.
    #[must_use]
    pub fn size(&self) -> usize {
        let tool = |tool: &Tool| tool.definition.len() + size(&tool.reply);
        let tools = self.stages.iter().flat_map(|stage| &stage.tools).map(tool);
        tools.chain(self.answers.iter().map(|answer| size(&answer.reply))).sum()
    }

    /// Returns whether some answer leaves clients waiting: it never comes, or is not an answer.
    #[must_use]
    pub fn keeps_waiting(&self) -> bool {
        let of_tools = self.stages.iter().flat_map(|stage| &stage.tools).map(|tool| &tool.reply);
        of_tools.chain(self.answers.iter().map(|answer| &answer.reply)).any(|reply| match reply {
            Reply::Hang {} | Reply::Exit { .. } => true,
            Reply::Raw(base64) => {
                let bytes = Raw::Base64(base64.clone()).to_bytes();
                !std::str::from_utf8(&bytes).is_ok_and(|text| Json::parse(&text.replace("{{id}}", "0")).is_ok())
            }
            Reply::Result(_) | Reply::Error(_) | Reply::Evolve {} => false,
        })
    }

    /// Returns the calls among the steps, each with its index.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.steps.iter().enumerate().filter_map(|(index, step)| match step {
            Step::Call(call) => Some((index, call)),
            Step::List | Step::Evolve { .. } => None,
        })
    }
}

impl Tool {
    /// Creates a tool that answers at once and sends nothing but its answer.
    #[must_use]
    pub fn new(name: impl Into<String>, definition: impl Into<String>, reply: Reply) -> Self {
        Self {
            name: name.into(),
            definition: definition.into(),
            reply,
            without: Vec::new(),
            before: Vec::new(),
            answers_after: None,
        }
    }

    fn scripted(&self) -> ScriptedTool {
        ScriptedTool {
            name: self.name.clone(),
            definition: raw(self.definition.clone()),
            reply: self.reply.clone(),
            without: self.without.clone(),
            before: self.before.clone(),
            answers_after: self.answers_after.clone(),
        }
    }
}

fn size(reply: &Reply) -> usize {
    match reply {
        Reply::Result(json) | Reply::Error(json) => json.get().len(),
        Reply::Raw(base64) => base64.len(),
        Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => 0,
    }
}

fn plain_tool(name: &str, reply: Reply) -> ScriptedTool {
    let definition = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    ScriptedTool::new(name, raw(definition), reply)
}

fn bystander_reply() -> Reply {
    Reply::Result(raw(format!(r#"{{"content":[{{"type":"text","text":"{BYSTANDER_TEXT}"}}]}}"#)))
}

/// Wraps JSON text that the loader has parsed already, or that stands in this file.
fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_else(|error| unreachable!("checked JSON became unreadable: {error}"))
}
