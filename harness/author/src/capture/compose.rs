//! From what was captured to a draft: one scenario if every tool gave one answer, a scenario with steps if the tools
//! changed, and a family if a tool gave several answers. From a single tool it makes a scenario that can be played.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mcp_compat_json::Json;
use mcp_compat_model::{Revision, ScenarioId};
use mcp_compat_scenario::write::{
    Answer, Draft, DraftAnswer, DraftCall, DraftCase, DraftChanges, DraftStep, DraftTool, Noted, Written,
};
use mcp_compat_scenario::{Scenario, load};

use super::captured::{Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool, Opening};
use super::infer::{self, Reading};
use super::sample::placeholder_call;

/// Placeholder in a draft for its sources, until its author adds them.
const NO_SOURCE: &str = "Where the case comes from: the issue, or the page of the specification.\n\
                         sources = [\"https://…\"]";

#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The comment at its top.
    pub heading: String,
    /// The addresses that are known.
    pub sources: Vec<String>,
}

/// A draft, and which calls are not in it.
pub struct Composed {
    /// The scenario as it can be written to a file.
    pub draft: Draft,
    /// The calls that were omitted from a family because they prove nothing, by tool.
    pub omitted: Vec<OmittedCalls>,
}

/// The calls of a tool that are not in a draft: their results are plain content, which every client handles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedCalls {
    pub tool: String,
    pub calls: usize,
    /// Number of calls of the tool.
    pub of: usize,
}

impl fmt::Display for OmittedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, calls, of } = self;
        let calls = match (calls, of) {
            (1, 1) => format!("the call of `{tool}`: its result is"),
            (calls, of) if calls == of => format!("the {of} calls of `{tool}`: their results are"),
            (1, of) => format!("1 of the {of} calls of `{tool}`: its result is"),
            (calls, of) => format!("{calls} of the {of} calls of `{tool}`: their results are"),
        };
        write!(f, "{calls} plain content, which proves nothing by itself")
    }
}

pub fn compose(captured: &Captured, origin: Origin) -> Composed {
    let captured = &completed(captured);
    let composer = Composer { captured };
    let calls: Vec<&CapturedCall> = captured.calls().collect();
    let readings: Vec<Reading> = calls
        .iter()
        .map(|call| infer::read(&composer.definition(call.stage, &call.tool).value, &call.answer))
        .collect();
    let why = readings
        .iter()
        .max_by_key(|reading| (reading.since, reading.means.is_some()))
        .map_or("", |reading| reading.why);
    let mut draft = Draft::new(title(&calls, &readings), why);
    let mut omitted = Vec::new();
    draft.heading = origin.heading;
    draft.why.note = Some("Why it matters, for readers without context. Say what went wrong, and for whom.".to_owned());
    draft.sources = match &origin.sources[..] {
        [] => Noted::with(Vec::new(), NO_SOURCE),
        known => known.to_vec().into(),
    };
    let since = readings.iter().map(|reading| reading.since).max().unwrap_or(Revision::V2025_06_18);
    draft.since = (since != Revision::V2025_06_18).then(|| since.into());
    draft.page_size = captured.page_size;
    draft.list.clone_from(&captured.list);
    draft.list_without.clone_from(&captured.list_without);
    draft.answers = captured.openings.iter().map(answer_of).collect();
    draft.footing = not_kept(&captured.left_out);
    if captured.stages.len() > 1 {
        composer.drift(&mut draft);
    } else if composer.answers_alike() {
        composer.plain(&mut draft);
    } else {
        omitted = composer.family(&mut draft);
    }
    Composed { draft, omitted }
}

fn title(calls: &[&CapturedCall], readings: &[Reading]) -> String {
    match (calls, readings) {
        ([call, ..], [reading, ..])
            if calls.iter().all(|other| other.tool == call.tool && other.answer == call.answer) =>
        {
            format!("`{}` {}", call.tool, reading.does)
        }
        _ => {
            let mut names: Vec<_> = calls.iter().map(|call| format!("`{}`", call.tool)).collect();
            names.dedup();
            names.truncate(3);
            format!("Calls of {}", names.join(", "))
        }
    }
}

/// Returns what was captured, with every called tool in the list of its stage.
fn completed(captured: &Captured) -> Captured {
    let mut completed = captured.clone();
    // A stage without requests is never played.
    let met: BTreeSet<usize> = captured.requests.iter().map(CapturedRequest::stage).chain([0]).collect();
    for call in captured.calls() {
        let named = |tool: &&CapturedTool| tool.name == call.tool;
        let mut before = met.range(..=call.stage).filter_map(|stage| completed.stages.get(*stage));
        if before.any(|stage| stage.tools.iter().any(|tool| named(&tool))) {
            continue;
        }
        let known = captured.stages.iter().flat_map(|stage| &stage.tools).find(named);
        let definition = known.map_or_else(|| undefined(&call.tool), |tool| tool.definition.clone());
        if let Some(stage) = completed.stages.get_mut(call.stage) {
            stage.tools.push(CapturedTool { name: call.tool.clone(), definition });
        }
    }
    completed
}

/// The shortest valid definition, for a tool whose definition was not captured.
fn undefined(name: &str) -> String {
    format!(r#"{{"name":{},"inputSchema":{{"type":"object"}}}}"#, Json::from(name).to_compact())
}

/// Makes the reason that most members have that of the file: the others keep their own.
fn share_the_commonest_why(draft: &mut Draft) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let whys = || draft.cases.iter().filter_map(|case| case.why.as_deref());
    whys().for_each(|why| *counts.entry(why).or_default() += 1);
    // The first of those that are equally common.
    let Some(commonest) = whys().rev().max_by_key(|why| counts[why]).map(str::to_owned) else { return };
    for case in &mut draft.cases {
        case.why = case.why.take().filter(|why| *why != commonest);
    }
    draft.why.value = commonest;
}

struct Composer<'s> {
    captured: &'s Captured,
}

impl Composer<'_> {
    fn stage(&self, stage: usize) -> Option<&CapturedStage> {
        self.captured.stages.get(stage)
    }

    /// The definition of a tool in that stage, or before.
    fn definition(&self, stage: usize, name: &str) -> Noted<String> {
        let stages = self.captured.stages.iter().take(stage + 1).rev();
        let known = stages.flat_map(|stage| &stage.tools).find(|tool| tool.name == name);
        match known.map(|tool| tool.definition.clone()).filter(|definition| *definition != undefined(name)) {
            Some(definition) => definition.into(),
            None => {
                let note = "The definition of this tool is not known: replace it by its entry in tools/list.";
                Noted::with(undefined(name), note)
            }
        }
    }

    /// The tool as a call shows it.
    fn tool(&self, stage: usize, call: &CapturedCall) -> DraftTool {
        let definition = self.definition(stage, &call.tool);
        let reading = infer::read(&definition.value, &call.answer);
        let mut tool = DraftTool::new(definition.value, call.answer.clone());
        tool.definition.note = definition.note;
        tool.without.clone_from(&call.without);
        tool.arguments = arguments(call).map(Noted::from);
        tool.means = reading.means;
        tool.expect = reading.expect;
        tool.also_expect = reading.also_expect;
        tool
    }

    /// The called tools, each with its first call, in the order listed.
    fn called(&self) -> Vec<&CapturedCall> {
        let mut first: Vec<&CapturedCall> = Vec::new();
        for call in self.captured.calls() {
            if first.iter().all(|known| known.tool != call.tool) {
                first.push(call);
            }
        }
        let listed = |name: &str| {
            let tools = self.stage(0).map_or(&[][..], |stage| &stage.tools);
            tools.iter().position(|tool| tool.name == name).unwrap_or(usize::MAX)
        };
        first.sort_by_key(|call| listed(&call.tool));
        first
    }

    /// Returns true if each tool gave the same answer to every call.
    fn answers_alike(&self) -> bool {
        let mut answers: BTreeMap<&str, (&Answer, &[String])> = BTreeMap::new();
        self.captured.calls().all(|call| {
            let answer = (&call.answer, call.without.as_slice());
            *answers.entry(&call.tool).or_insert(answer) == answer
        })
    }

    /// One scenario, with steps only if they differ from the default ones.
    fn plain(&self, draft: &mut Draft) {
        let called = self.called();
        draft.tools = called.iter().map(|call| self.tool(0, call)).collect();
        let calls: Vec<&CapturedCall> = self.captured.calls().collect();
        if calls == called {
            return;
        }
        draft.steps.push(DraftStep::List);
        for call in calls {
            let usual = called.iter().find(|first| first.tool == call.tool);
            let differs = usual.is_some_and(|usual| arguments(usual) != arguments(call));
            let given = differs.then(|| call.arguments.clone().unwrap_or_else(|| "{}".to_owned()));
            draft.steps.push(DraftStep::Call(DraftCall { arguments: given, ..DraftCall::new(&call.tool) }));
        }
    }

    /// A member for each different call. Returns the calls that are omitted because a member of their own would prove nothing.
    fn family(&self, draft: &mut Draft) -> Vec<OmittedCalls> {
        let mut kept: Vec<(usize, &CapturedCall)> = Vec::new();
        for (index, call) in self.captured.calls().enumerate() {
            if kept.iter().all(|(_, known)| *known != call) {
                kept.push((index, call));
            }
        }
        let is_plain = |call: &CapturedCall| {
            call.without.is_empty() && infer::is_plain(&self.definition(0, &call.tool).value, &call.answer)
        };
        let mut omitted: BTreeMap<&str, OmittedCalls> = BTreeMap::new();
        if !kept.iter().all(|(_, call)| is_plain(call)) {
            kept.retain(|(_, call)| !is_plain(call));
            for call in self.captured.calls() {
                let tool = || OmittedCalls { tool: call.tool.clone(), calls: 0, of: 0 };
                let of_tool = omitted.entry(&call.tool).or_insert_with(tool);
                of_tool.of += 1;
                of_tool.calls += usize::from(is_plain(call));
            }
            omitted.retain(|_, of_tool| of_tool.calls > 0);
        }
        // A member that leaves members of a result out has a tool of its own.
        let is_of = |call: &CapturedCall, tool: &str| call.tool == tool && call.without.is_empty();
        let only =
            kept.first().map(|(_, first)| &first.tool).filter(|tool| kept.iter().all(|(_, call)| is_of(call, tool)));
        if let Some(name) = only {
            let definition = self.definition(0, name);
            let mut tool = DraftTool::new(definition.value, Answer::Hang);
            tool.definition.note = definition.note;
            // Each member says what it answers.
            tool.answer = None;
            draft.tools.push(tool);
        }
        draft.cases = kept.iter().map(|(index, call)| self.member(*index, call, only.is_some())).collect();
        share_the_commonest_why(draft);
        omitted.into_values().collect()
    }

    fn member(&self, index: usize, call: &CapturedCall, has_the_files_tool: bool) -> DraftCase {
        let tool = self.tool(0, call);
        let reading = infer::read(&tool.definition.value, &call.answer);
        let mut case = DraftCase {
            case: format!("call-{}", index + 1).into(),
            title: Some(format!("`{}` {}", call.tool, reading.does)),
            why: Some(reading.why.to_owned()),
            ..DraftCase::default()
        };
        if has_the_files_tool {
            let DraftTool { arguments, answer, means, expect, .. } = tool;
            let arguments = arguments.map(|arguments| arguments.value);
            case.changes = DraftChanges { arguments, answer, means, expect };
        } else {
            case.tools = vec![tool];
        }
        case
    }

    /// Steps in the order seen, with an evolution wherever the tools, or an answer, changed.
    fn drift(&self, draft: &mut Draft) {
        let mut server = Server { composer: self, answers: BTreeMap::new(), stage: 0 };
        for call in self.called() {
            server.answers.insert(&call.tool, call);
        }
        draft.tools = server.tools();
        for (index, request) in self.captured.requests.iter().enumerate() {
            let stage = request.stage();
            let moved = stage > server.stage;
            let notified = moved && self.stage(stage).is_some_and(|stage| stage.notified);
            server.stage = stage.max(server.stage);
            let answers_anew = match request {
                CapturedRequest::Called(call) if self.offers(server.stage, &call.tool) => {
                    server.answers.insert(&call.tool, call).is_some_and(|before| before.answer != call.answer)
                }
                CapturedRequest::Called(_) | CapturedRequest::Listed { .. } => false,
            };
            if moved {
                // The next answers of the tools in this stage are known already.
                server.look_ahead(&self.captured.requests[index..]);
            }
            if moved || answers_anew {
                draft.steps.push(DraftStep::Evolve { notified, tools: server.tools() });
            }
            draft.steps.push(match request {
                CapturedRequest::Listed { .. } => DraftStep::List,
                CapturedRequest::Called(call) => server.call(call),
            });
        }
    }

    fn offers(&self, stage: usize, name: &str) -> bool {
        self.stage(stage).is_some_and(|stage| stage.tools.iter().any(|tool| tool.name == name))
    }
}

/// The state of the server while its steps are written.
struct Server<'c, 's> {
    composer: &'c Composer<'s>,
    /// By tool, the call with the current answer.
    answers: BTreeMap<&'c str, &'c CapturedCall>,
    stage: usize,
}

impl<'c> Server<'c, '_> {
    fn tools(&self) -> Vec<DraftTool> {
        let listed = self.composer.stage(self.stage).map_or(&[][..], |stage| &stage.tools);
        let answered = listed.iter().filter_map(|tool| self.answers.get(tool.name.as_str()));
        answered.map(|call| self.composer.tool(self.stage, call)).collect()
    }

    /// Takes the next answer of each tool in this stage as its current one.
    fn look_ahead(&mut self, requests: &'c [CapturedRequest]) {
        let mut next = BTreeMap::new();
        for request in requests {
            match request {
                CapturedRequest::Called(call) if call.stage == self.stage => {
                    next.entry(call.tool.as_str()).or_insert(call);
                }
                CapturedRequest::Called(_) | CapturedRequest::Listed { .. } => {}
            }
        }
        self.answers.extend(next);
    }

    fn call(&self, call: &CapturedCall) -> DraftStep {
        let arguments = call.arguments.clone();
        let mut step = DraftCall::new(&call.tool);
        if self.composer.offers(self.stage, &call.tool) {
            let usual = self.answers.get(call.tool.as_str()).and_then(|usual| usual.arguments.clone());
            step.arguments = arguments.filter(|arguments| Some(arguments) != usual.as_ref());
        } else {
            // The tool was removed: the error must at least name it.
            step.arguments = arguments;
            let means = mcp_compat_scenario::scenario::Means::ToolError(call.tool.clone());
            step.means = Some(Noted::with(means, "The tool was removed: what the error must say."));
        }
        DraftStep::Call(step)
    }
}

fn answer_of(opening: &Opening) -> DraftAnswer {
    DraftAnswer { to: opening.to, page: None, answer: Answer::Returns(opening.result.clone()) }
}

/// A comment on what was seen and is not in the draft.
fn not_kept(left_out: &[String]) -> String {
    let lines: Vec<String> = left_out.iter().map(|line| format!("Not in this file: {line}.")).collect();
    lines.join("\n")
}

fn arguments(call: &CapturedCall) -> Option<String> {
    call.arguments.clone().filter(|arguments| arguments.trim() != "{}")
}

/// Reason for which no scenario can be made of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scenario can be made of `{tool}`: {problem}")]
pub struct NoScenario {
    pub tool: String,
    pub problem: String,
}

/// The scenario of a tool. A tool that was not called has a placeholder result.
pub fn tool_scenario(
    id: &ScenarioId,
    tool: &CapturedTool,
    call: Option<&CapturedCall>,
) -> Result<Scenario, NoScenario> {
    let mut captured = Captured::default();
    captured.stages.push(CapturedStage { tools: vec![tool.clone()], notified: false });
    let call = call.cloned().unwrap_or_else(|| placeholder_call(tool, 0));
    captured.requests.push(CapturedRequest::Called(CapturedCall { stage: 0, ..call }));
    let Composed { draft, .. } = compose(&captured, Origin::default());
    let stem = id.as_str().rsplit('/').next().unwrap_or_default();
    let folder = id.as_str().strip_suffix(stem).unwrap_or_default();
    let Written { text, beside } = draft.write(stem);
    let bytes = |path: &str| {
        let name = path.strip_prefix(folder)?;
        beside.iter().find(|file| file.name == name).map(|file| file.bytes.clone())
    };
    let no_scenario = |problem: String| NoScenario { tool: tool.name.clone(), problem };
    let scenarios = load(&format!("{id}.toml"), &text, &bytes).map_err(|diagnostics| {
        let first = diagnostics.iter().next().map(|diagnostic| diagnostic.message.clone());
        no_scenario(first.unwrap_or_else(|| "its file cannot be read".to_owned()))
    })?;
    scenarios.into_iter().next().ok_or_else(|| no_scenario("its file is empty".to_owned()))
}
