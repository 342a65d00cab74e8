//! A script as one server plays it: every list page and every answer, rendered once for each revision.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use mcp_compat_model::Revision;
use mcp_compat_model::contract::{Reply, Script, Stage};

use super::conduct::Treatment;
use super::object::one_line;
use super::quirk::ServerQuirk;
use super::render::Rendering;
use super::spec::ServerSpec;
use crate::jsonrpc::quote;

/// What stands in a raw answer for the request's id.
const ID_PLACEHOLDER: &[u8] = b"{{id}}";

/// A script with the server that plays it.
///
/// Making one is cheap: a revision is rendered when the first client speaks it, and then kept. Sessions share it.
#[derive(Debug)]
pub struct Playbook {
    spec: ServerSpec,
    script: Arc<Script>,
    raws: BTreeMap<(usize, usize), Arc<RawAnswer>>,
    editions: [OnceLock<Edition>; Revision::ALL.len()],
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadScript {
    /// There is nothing to begin with.
    #[error("the script of {scenario} has no stage; it needs at least one, with the tools to begin with")]
    NoStage {
        /// The scenario.
        scenario: String,
    },
    /// A raw answer that cannot be decoded.
    #[error("the raw reply of {tool:?} in the script of {scenario} is not base64: {error}")]
    Raw {
        /// The scenario.
        scenario: String,
        /// The tool.
        tool: String,
        /// What is wrong with it.
        error: base64::DecodeError,
    },
}

/// Everything that one revision's clients get.
#[derive(Debug)]
pub(super) struct Edition {
    stages: Vec<StageEdition>,
}

/// The tools of one stage.
#[derive(Debug)]
pub(super) struct StageEdition {
    /// The results of `tools/list`, page by page; at least one.
    pages: Vec<String>,
    replies: HashMap<String, RenderedReply>,
}

/// What a call is answered with.
#[derive(Debug)]
pub(super) enum RenderedReply {
    Result(String),
    Error(String),
    Raw(Arc<RawAnswer>),
    Hang,
    Exit(i32),
    Evolve(String),
}

/// Bytes in place of a message, cut where the request's id goes.
#[derive(Debug)]
pub(super) struct RawAnswer {
    pieces: Vec<Vec<u8>>,
}

impl RawAnswer {
    fn new(bytes: &[u8]) -> Self {
        let (mut pieces, mut rest) = (Vec::new(), bytes);
        while let Some(at) = rest.windows(ID_PLACEHOLDER.len()).position(|window| window == ID_PLACEHOLDER) {
            pieces.push(rest[..at].to_vec());
            rest = &rest[at + ID_PLACEHOLDER.len()..];
        }
        pieces.push(rest.to_vec());
        Self { pieces }
    }

    /// The bytes for a request.
    pub(super) fn bytes(&self, id: &str) -> Vec<u8> {
        self.pieces.join(id.as_bytes())
    }
}

impl Playbook {
    /// Puts a script into a server's hands.
    ///
    /// # Errors
    /// When the script has no stage, or a raw reply that is not base64.
    pub fn new(spec: ServerSpec, script: Arc<Script>) -> Result<Self, BadScript> {
        if script.stages.is_empty() {
            return Err(BadScript::NoStage { scenario: script.scenario.clone() });
        }
        let mut raws = BTreeMap::new();
        for (stage_number, stage) in script.stages.iter().enumerate() {
            for (tool_number, tool) in stage.tools.iter().enumerate() {
                if let Reply::Raw(text) = &tool.reply {
                    let bytes = BASE64_STANDARD.decode(text).map_err(|error| BadScript::Raw {
                        scenario: script.scenario.clone(),
                        tool: tool.name.clone(),
                        error,
                    })?;
                    raws.insert((stage_number, tool_number), Arc::new(RawAnswer::new(&bytes)));
                }
            }
        }
        Ok(Self { spec, script, raws, editions: Default::default() })
    }

    /// The server that plays.
    #[must_use]
    pub fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    /// What the clients of a revision get in a stage. Behind the last stage the last one holds.
    pub(super) fn stage(&self, revision: Revision, stage: usize) -> &StageEdition {
        let position = Revision::ALL.iter().position(|known| *known == revision).unwrap_or_default();
        let edition = self.editions[position].get_or_init(|| self.edition(revision));
        &edition.stages[stage.min(edition.stages.len() - 1)]
    }

    /// The stage behind a stage, and whether the step into it is told; `None` behind the last.
    pub(super) fn stage_after(&self, stage: usize) -> Option<(usize, bool)> {
        let next = stage + 1;
        let told = self.script.stages.get(next)?.told;
        Some((next, told && !self.spec.has(ServerQuirk::Untold)))
    }

    /// The definition of a tool as the script has it.
    pub(super) fn scripted_definition(&self, stage: usize, tool: &str) -> Option<&str> {
        let tools = &self.script.stages.get(stage)?.tools;
        tools.iter().find(|scripted| scripted.name == tool).map(|scripted| scripted.definition.get())
    }

    fn edition(&self, revision: Revision) -> Edition {
        let rendering = Rendering { spec: &self.spec, revision };
        let stages = self.script.stages.iter().enumerate();
        let mut stages: Vec<_> = stages.map(|(number, stage)| self.render_stage(rendering, number, stage)).collect();
        if self.spec.has(ServerQuirk::StaleList) {
            let first = stages[0].pages.clone();
            for stage in &mut stages[1..] {
                stage.pages.clone_from(&first);
            }
        }
        Edition { stages }
    }

    fn render_stage(&self, rendering: Rendering<'_>, stage_number: usize, stage: &Stage) -> StageEdition {
        let mut definitions = Vec::with_capacity(stage.tools.len());
        let mut replies = HashMap::with_capacity(stage.tools.len());
        for (tool_number, tool) in stage.tools.iter().enumerate() {
            let result = match &tool.reply {
                Reply::Result(result) => Some(result.get()),
                Reply::Error(_) | Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => None,
            };
            let treatment = rendering.treatment(tool, result);
            definitions.push(rendering.definition(tool.definition.get(), treatment));
            let raw = self.raws.get(&(stage_number, tool_number));
            // Of two tools with one name the first answers, as the first is what a client finds in the list.
            replies.entry(tool.name.clone()).or_insert_with(|| render_reply(rendering, &tool.reply, treatment, raw));
        }
        StageEdition { pages: self.pages(rendering, stage_number, &definitions), replies }
    }

    fn pages(&self, rendering: Rendering<'_>, stage_number: usize, definitions: &[String]) -> Vec<String> {
        let size = self.script.page_size.map_or(usize::MAX, |size| size.max(1) as usize);
        let mut chunks: Vec<_> = definitions.chunks(size).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let last = chunks.len() - 1;
        let scripted = self.script.list.as_deref().map(|list| list.get());
        let page = |(number, tools): (usize, &[String])| {
            let mut members = format!(r#""tools":[{}]"#, tools.join(","));
            if number < last && !self.spec.has(ServerQuirk::LosesPageTwo) {
                members.push_str(r#","nextCursor":"#);
                members.push_str(&quote(&cursor(stage_number, number + 1)));
            }
            rendering.cacheable(&members, scripted)
        };
        chunks.into_iter().enumerate().map(page).collect()
    }
}

impl StageEdition {
    /// The result for the page that a cursor points to, or for the first without one; `None` when it points nowhere.
    pub(super) fn page(&self, stage_number: usize, wanted: Option<&str>) -> Option<&str> {
        let number = match wanted {
            None => 0,
            Some(wanted) => (1..self.pages.len()).find(|number| cursor(stage_number, *number) == wanted)?,
        };
        self.pages.get(number).map(String::as_str)
    }

    /// What a call of a tool is answered with.
    pub(super) fn reply(&self, tool: &str) -> Option<&RenderedReply> {
        self.replies.get(tool)
    }
}

/// The cursor of a page. The stage is in it, so that a list never goes on over a change of the tools.
fn cursor(stage_number: usize, page: usize) -> String {
    BASE64_STANDARD.encode(format!("stage {stage_number}, page {page}"))
}

fn render_reply(
    rendering: Rendering<'_>,
    reply: &Reply,
    treatment: Treatment,
    raw: Option<&Arc<RawAnswer>>,
) -> RenderedReply {
    match reply {
        Reply::Result(result) => RenderedReply::Result(rendering.result(result.get(), treatment)),
        Reply::Error(error) => RenderedReply::Error(one_line(error.get()).into_owned()),
        // Decoded when the playbook was made, so it is there.
        Reply::Raw(_) => raw.map_or(RenderedReply::Hang, |raw| RenderedReply::Raw(Arc::clone(raw))),
        Reply::Hang {} => RenderedReply::Hang,
        Reply::Exit { status } => RenderedReply::Exit(*status),
        Reply::Evolve {} => {
            let result: Cow<'_, str> = r#"{"content":[{"type":"text","text":"The tools have moved on."}]}"#.into();
            RenderedReply::Evolve(rendering.result(&result, Treatment::Keep))
        }
    }
}
