//! A script as one server plays it: every page and every answer, rendered once for each revision.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use crate::wire::jsonrpc::quote;
use crate::wire::object::one_line;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, Script, ScriptedAnswer, Stage};
use mcp_compat_model::{Era, Revision};

use crate::server::pages::Pages;
use crate::server::quirk::ServerQuirk;
use crate::server::rendering::Rendering;
use crate::server::spec::ServerSpec;
use crate::server::template::Template;
use crate::server::tool_behavior::{AnswerTiming, RenderedReply, ToolBehavior};

/// The highest page that a script can answer.
const PAGE_LIMIT: u32 = 1000;

/// A script with the server that plays it.
///
/// Compiling is cheap: a revision is rendered when the first client speaks it, and then kept. Sessions share it.
#[derive(Debug)]
pub struct CompiledScript {
    spec: ServerSpec,
    script: Arc<Script>,
    raws: BTreeMap<Place, Arc<Template>>,
    revisions: [OnceLock<RenderedRevision>; Revision::ALL.len()],
}

/// Reason why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadScript {
    #[error("the script of {scenario} has no stage; it needs at least one, with the tools to begin with")]
    NoStage { scenario: String },
    #[error("the raw reply to {to} in the script of {scenario} is not base64: {error}")]
    Raw {
        scenario: String,
        /// The tool or the method.
        to: String,
        /// Description of the problem.
        error: base64::DecodeError,
    },
    #[error("the script of {scenario} answers {} with an evolution, which only a call of a tool can have", to.as_str())]
    Evolves { scenario: String, to: AnsweredMethod },
    #[error("the script of {scenario} answers page {page}; pages are counted from 1 to {PAGE_LIMIT}")]
    Page { scenario: String, page: u32 },
}

/// The place of a reply in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Tool { stage: usize, tool: usize },
    Answer(usize),
}

/// Everything that the clients of one revision get.
#[derive(Debug)]
struct RenderedRevision {
    stages: Vec<RenderedStage>,
    /// The scripted answers to `initialize` and `server/discover`.
    initialize: Option<RenderedReply>,
    discover: Option<RenderedReply>,
}

/// The tools of one stage.
#[derive(Debug)]
pub(crate) struct RenderedStage {
    pub(crate) pages: Pages,
    behaviors: HashMap<String, ToolBehavior>,
}

impl CompiledScript {
    /// Compiles a script for a server.
    ///
    /// # Errors
    /// When the script has no stage, a raw reply that is not base64, or an answer that its request cannot have.
    pub fn new(spec: ServerSpec, script: Arc<Script>) -> Result<Self, BadScript> {
        let scenario = || script.scenario.clone();
        if script.stages.is_empty() {
            return Err(BadScript::NoStage { scenario: scenario() });
        }
        for ScriptedAnswer { to, page, reply } in &script.answers {
            if let Some(page) = page.filter(|page| !(1..=PAGE_LIMIT).contains(page)) {
                return Err(BadScript::Page { scenario: scenario(), page });
            }
            if matches!(reply, Reply::Evolve {}) {
                return Err(BadScript::Evolves { scenario: scenario(), to: *to });
            }
        }
        let mut raws = BTreeMap::new();
        for (place, to, reply) in replies(&script) {
            let Reply::Raw(text) = reply else { continue };
            let bytes = BASE64_STANDARD.decode(text);
            let bytes = bytes.map_err(|error| BadScript::Raw { scenario: scenario(), to: to.to_owned(), error })?;
            raws.insert(place, Arc::new(Template::answer(&bytes)));
        }
        Ok(Self { spec, script, raws, revisions: Default::default() })
    }

    /// The server that plays the script.
    pub fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    /// Returns the messages for clients of a revision in a stage. After the last stage, the last one stays in effect.
    pub(crate) fn stage(&self, revision: Revision, stage: usize) -> &RenderedStage {
        let rendered_revision = self.rendered_revision(revision);
        &rendered_revision.stages[stage.min(rendered_revision.stages.len() - 1)]
    }

    /// The scripted answer to `initialize` or `server/discover`, if there is one that this server can give.
    ///
    /// A server that does not know the method has no result for it. It may answer anything else, as servers of one era do to
    /// requests of another.
    pub(crate) fn opening(&self, method: &str) -> Option<&RenderedReply> {
        if self.script.answers.is_empty() {
            return None;
        }
        let rendered_revision = self.rendered_revision(Revision::NEWEST);
        let (reply, era) = match method {
            "initialize" => (rendered_revision.initialize.as_ref()?, Era::Legacy),
            "server/discover" => (rendered_revision.discover.as_ref()?, Era::Modern),
            _ => return None,
        };
        let known = self.spec.newest(era).is_some();
        (known || !matches!(reply, RenderedReply::Result(_))).then_some(reply)
    }

    /// The stage after a stage, and whether clients are notified of the step into it. `None` after the last.
    pub(crate) fn stage_after(&self, stage: usize) -> Option<(usize, bool)> {
        let next = stage + 1;
        let notified = self.script.stages.get(next)?.told;
        Some((next, notified && !self.spec.has(ServerQuirk::Untold)))
    }

    pub(crate) fn scripted_definition(&self, stage: usize, tool: &str) -> Option<&str> {
        let tools = &self.script.stages.get(stage)?.tools;
        tools.iter().find(|scripted| scripted.name == tool).map(|scripted| scripted.definition.get())
    }

    fn rendered_revision(&self, revision: Revision) -> &RenderedRevision {
        let position = Revision::ALL.iter().position(|known| *known == revision).unwrap_or_default();
        self.revisions[position].get_or_init(|| self.render(revision))
    }

    fn render(&self, revision: Revision) -> RenderedRevision {
        let rendering = Rendering { spec: &self.spec, revision };
        let tools = self.script.stages.iter().flat_map(|stage| &stage.tools);
        let awaited: BTreeSet<_> = tools.filter_map(|tool| tool.answers_after.as_deref()).collect();
        let stages = self.script.stages.iter().enumerate();
        let stages = stages.map(|(number, stage)| self.render_stage(rendering, number, stage, &awaited));
        let mut stages: Vec<_> = stages.collect();
        if self.spec.has(ServerQuirk::StaleList) {
            let first = stages[0].pages.clone();
            for stage in &mut stages[1..] {
                stage.pages.clone_from(&first);
            }
        }
        RenderedRevision {
            stages,
            // The handshake belongs to sessions, which add nothing to a result.
            initialize: self.rendered(AnsweredMethod::Initialize, None, |result| one_line(result).into_owned()),
            discover: self.rendered(AnsweredMethod::Discover, None, |result| rendering.cacheable_result(result, &[])),
        }
    }

    fn render_stage(
        &self,
        rendering: Rendering<'_>,
        stage_number: usize,
        stage: &Stage,
        awaited: &BTreeSet<&str>,
    ) -> RenderedStage {
        let mut definitions = Vec::with_capacity(stage.tools.len());
        let mut behaviors = HashMap::with_capacity(stage.tools.len());
        for (tool_number, tool) in stage.tools.iter().enumerate() {
            let result = match &tool.reply {
                Reply::Result(result) => Some(result.get()),
                Reply::Error(_) | Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => None,
            };
            let treatments = rendering.treatments(tool, result);
            definitions.push(rendering.definition(tool.definition.get(), treatments.schema));
            let raw = self.raws.get(&Place::Tool { stage: stage_number, tool: tool_number });
            // Of two tools with one name the first answers, because clients find the first in the list.
            behaviors.entry(tool.name.clone()).or_insert_with(|| {
                let sent = |text: &str| rendering.result(text, treatments.value, &tool.without);
                let reply = match rendering.refusal(&[], result) {
                    Some(refusal) => RenderedReply::Error(refusal),
                    None => RenderedReply::new(&tool.reply, raw, sent),
                };
                ToolBehavior { reply, timing: AnswerTiming::of(tool, awaited) }
            });
        }
        RenderedStage { pages: self.pages(rendering, stage_number, &definitions), behaviors }
    }

    /// The pages of a stage: as many as the tools fill, or as the script has answers for.
    fn pages(&self, rendering: Rendering<'_>, stage_number: usize, definitions: &[String]) -> Pages {
        let size = self.script.page_size.map_or(usize::MAX, |size| size.max(1) as usize);
        let scripted = self.script.answers.iter().filter(|answer| answer.to == AnsweredMethod::ListTools);
        let scripted = scripted.filter_map(|answer| answer.page).max().unwrap_or(1) as usize;
        let count = definitions.len().div_ceil(size).max(scripted);
        let (list, without) = (self.script.list.as_deref().map(|list| list.get()), &self.script.list_without);
        let mut chunks = definitions.chunks(size);
        let pages = (1..=count).map(|number| {
            let tools = chunks.next().unwrap_or_default();
            let as_scripted = |result: &str| rendering.cacheable_result(result, without);
            let answer = self.rendered(AnsweredMethod::ListTools, Some(number), as_scripted).unwrap_or_else(|| {
                if let Some(refusal) = rendering.refusal(tools, None) {
                    return RenderedReply::Error(refusal);
                }
                let mut members = format!(r#""tools":[{}]"#, tools.join(","));
                if number < count && !self.spec.has(ServerQuirk::LosesPageTwo) {
                    members.push_str(r#","nextCursor":"#);
                    members.push_str(&quote(&cursor(stage_number, number + 1)));
                }
                RenderedReply::Result(rendering.cacheable(&members, list, without))
            });
            (cursor(stage_number, number), answer)
        });
        let any_cursor =
            self.rendered(AnsweredMethod::ListTools, None, |result| rendering.cacheable_result(result, without));
        Pages::new(pages, any_cursor)
    }

    /// The script's own answer to a request that is not a call, if it has one: the first for the page, or, without a page,
    /// the first for every page.
    fn rendered(
        &self,
        to: AnsweredMethod,
        page: Option<usize>,
        result: impl Fn(&str) -> String,
    ) -> Option<RenderedReply> {
        let holds = |answer: &ScriptedAnswer| {
            answer.to == to && answer.page.is_none_or(|wanted| page == usize::try_from(wanted).ok())
        };
        let (number, answer) = self.script.answers.iter().enumerate().find(|(_, answer)| holds(answer))?;
        Some(RenderedReply::new(&answer.reply, self.raws.get(&Place::Answer(number)), result))
    }
}

impl RenderedStage {
    /// Behavior of a tool when it is called.
    pub(crate) fn behavior(&self, tool: &str) -> Option<&ToolBehavior> {
        self.behaviors.get(tool)
    }
}

/// Every reply of a script, with its place and the tool or method.
fn replies(script: &Script) -> impl Iterator<Item = (Place, &str, &Reply)> {
    let tools = script.stages.iter().enumerate().flat_map(|(stage, tools)| {
        let tools = tools.tools.iter().enumerate();
        tools.map(move |(number, tool)| (Place::Tool { stage, tool: number }, tool.name.as_str(), &tool.reply))
    });
    let answers = script.answers.iter().enumerate();
    tools.chain(answers.map(|(number, answer)| (Place::Answer(number), answer.to.as_str(), &answer.reply)))
}

/// The cursor of a page, counted from 1. It contains the stage, so that a list never continues across a change of the tools.
fn cursor(stage_number: usize, page: usize) -> String {
    BASE64_STANDARD.encode(format!("stage {stage_number}, page {page}"))
}
