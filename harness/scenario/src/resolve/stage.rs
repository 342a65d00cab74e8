//! Stages: the first list of tools, and one more list for each evolution. Each tool may have a control.

use std::collections::{BTreeMap, HashMap};

use mcp_compat_model::peer_contract::{CONTROL_SUFFIX, Reply};

use super::answer::Answering;
use super::effect::{self, Sent};
use super::family::Member;
use super::{Beside, answer};
use crate::budget::Size;
use crate::file::extras::AlsoExpect;
use crate::file::table::{At, Completeness, Field};
use crate::file::tool::Tool as Written;
use crate::file::vocabulary::{Evolution, Expectation};
use crate::scenario::{Means, ScenarioStage, Tool};
use crate::sink::{Sink, Span};
use crate::words::both;

/// Tools that the server offers in one stage.
pub(super) struct Stage<'f> {
    pub(super) tools: Vec<Offered<'f>>,
    /// Index of each tool, by its name and by that of its control.
    by_name: HashMap<String, usize>,
    /// Their names, as messages list them.
    pub(super) on_offer: String,
    pub(super) notified: bool,
}

impl<'f> Stage<'f> {
    fn of(tools: Vec<Offered<'f>>, notified: bool) -> Self {
        let placed =
            tools.iter().enumerate().flat_map(|(at, tool)| tool.names().map(move |name| (name.to_owned(), at)));
        let (by_name, on_offer) = (placed.collect(), both(tools.iter().flat_map(Offered::names)));
        Self { tools, by_name, on_offer, notified }
    }

    /// Returns the tool of this name, except controls.
    pub(super) fn tool(&self, name: &str) -> Option<&Offered<'f>> {
        self.tools.get(*self.by_name.get(name)?).filter(|offered| offered.tool.name == name)
    }

    /// Returns the tool whose control has this name.
    pub(super) fn controlled_by(&self, name: &str) -> Option<&Offered<'f>> {
        let offered = self.tools.get(*self.by_name.get(name)?)?;
        offered.control.as_ref().is_some_and(|control| control.tool.name == name).then_some(offered)
    }

    /// Returns the names that can be called, in the order listed.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().flat_map(Offered::names)
    }

    /// Returns the stage for the script: each tool followed by its control.
    pub(super) fn played(self) -> ScenarioStage {
        let both = |offered: Offered<'f>| {
            let control = offered.control.map(|Control { tool, .. }| tool);
            std::iter::once(offered.tool).chain(control)
        };
        ScenarioStage { tools: self.tools.into_iter().flat_map(both).collect(), notified: self.notified }
    }
}

/// Returns the stages of a member: the first one, and one for each `evolve`; `None` if one of its tools is invalid.
pub(super) fn stages<'f>(member: &'f Member<'_>, beside: Beside<'_>, sink: &mut Sink<'_>) -> Option<Vec<Stage<'f>>> {
    let mut stages = vec![stage(&member.file.tool, false, beside, sink)];
    for step in member.file.step.given().map_or(&[][..], |steps| &steps.value) {
        let notified = match step.value.evolve.given().map(|evolution| evolution.value) {
            Some(Evolution::Notify) => true,
            Some(Evolution::Silent) => false,
            None => continue,
        };
        stages.push(stage(&step.value.tool, notified, beside, sink));
    }
    let stages: Vec<_> = stages.into_iter().collect::<Option<_>>()?;
    if member.file.step.is_broken() {
        return None;
    }
    if stages.iter().all(|stage| stage.tools.is_empty()) {
        let mistake = sink
            .mistake(&member.header, "a scenario needs a tool")
            .label("no `[[tool]]` for this scenario")
            .help("the smallest one has a `definition` and `returns`");
        sink.report(mistake);
        return None;
    }
    Some(stages)
}

fn stage<'f>(
    written: &'f Field<Vec<At<Written>>>,
    notified: bool,
    beside: Beside<'_>,
    sink: &mut Sink<'_>,
) -> Option<Stage<'f>> {
    let written = match written {
        Field::Given(tools) => &tools.value[..],
        Field::Absent => &[],
        Field::Broken => return None,
    };
    let tools: Vec<_> = written.iter().map(|tool| offered(&tool.value, beside, sink)).collect();
    let tools: Option<Vec<_>> = tools.into_iter().collect();
    let stage = Stage::of(tools?, notified);
    (has_unique_names(&stage, sink) && waits_for_others(&stage, sink)).then_some(stage)
}

/// Returns whether every `answers-after` names another tool of the stage. A tool that waits for itself or for an absent
/// tool never answers.
fn waits_for_others(stage: &Stage<'_>, sink: &mut Sink<'_>) -> bool {
    let mut valid = true;
    for offered in &stage.tools {
        let Some(other) = offered.waits_for else { continue };
        let others = || stage.names().filter(|name| *name != offered.tool.name);
        if other.value == offered.tool.name || !stage.by_name.contains_key(&other.value) {
            let help = sink.nearest(&other.value, others()).map(|near| format!("the nearest tool is `{near}`"));
            let mut mistake = sink
                .mistake(&other.span, format!("`{}` would never answer", offered.tool.name))
                .label(format!("no other tool is named `{}`", other.value));
            mistake.help.extend(help);
            sink.report(mistake);
            valid = false;
        }
    }
    valid
}

fn has_unique_names(stage: &Stage<'_>, sink: &mut Sink<'_>) -> bool {
    let mut seen: BTreeMap<&str, &Span> = BTreeMap::new();
    let mut unique = true;
    for offered in &stage.tools {
        let control = offered.control.as_ref().map(|control| (control.tool.name.as_str(), control.key));
        for (name, place) in std::iter::once((offered.tool.name.as_str(), offered.header)).chain(control) {
            if let Some(first) = seen.insert(name, place) {
                let mistake = sink
                    .mistake(place, format!("two tools have the name `{name}`"))
                    .label("expected another name")
                    .context(first.clone(), "the first one");
                sink.report(mistake);
                unique = false;
            }
        }
    }
    unique
}

/// A tool of one stage.
pub(super) struct Offered<'f> {
    pub(super) tool: Tool,
    /// Control: the same schema with a result that violates it.
    pub(super) control: Option<Control<'f>>,
    pub(super) arguments: String,
    /// Meaning of the answer, if given or visible in the answer.
    pub(super) means: Option<Means>,
    pub(super) expect: &'f Field<Expectation>,
    pub(super) also_expect: &'f Field<AlsoExpect>,
    /// Parts of its result, if it returns one.
    pub(super) sent: Option<Sent<'f>>,
    /// Tool that must have been answered first, with its place.
    pub(super) waits_for: Option<&'f At<String>>,
    /// Place of the tool's header in the file.
    pub(super) header: &'f Span,
}

impl Offered<'_> {
    /// Returns the name of the tool, and that of its control.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let control = self.control.as_ref().map(|control| control.tool.name.as_str());
        std::iter::once(self.tool.name.as_str()).chain(control)
    }
}

/// Control of a tool.
pub(super) struct Control<'f> {
    pub(super) tool: Tool,
    /// Place of the `control` key.
    pub(super) key: &'f Span,
}

/// Resolves a tool, without regard to the others.
pub(super) fn offered<'f>(written: &'f Written, beside: Beside<'_>, sink: &mut Sink<'_>) -> Option<Offered<'f>> {
    if !sink.fits_budget(Size::of_entry(), &written.header) {
        return None;
    }
    let by = Answering { what: "a tool", header: &written.header, completeness: written.completeness };
    let reply = answer::reply(&written.reply, &by, beside, sink);
    if written.definition.is_absent() && written.completeness == Completeness::Whole {
        let missing =
            sink.mistake(&written.header, "a tool needs `definition`").label("`definition` is missing here").help(
                "for example: `definition = '''{\"name\": \"list_users\", \"inputSchema\": {\"type\": \"object\"}}'''`",
            );
        sink.report(missing);
    }
    let definition = &written.definition.given()?.value;
    let control = match &written.control {
        Field::Given(result) if !effect::control_is_a_success(result, sink) => return None,
        Field::Given(result) if definition.has_output_schema => {
            let name = format!("{}{CONTROL_SUFFIX}", definition.name);
            let reply = Reply::Result(result.value.text.clone());
            Some(Control { tool: Tool::new(name.clone(), definition.renamed(&name), reply), key: &result.key })
        }
        Field::Given(result) => {
            refuse_control(&written.definition, result, sink);
            return None;
        }
        Field::Absent => None,
        Field::Broken => return None,
    };
    let arguments = match &written.arguments {
        Field::Given(arguments) => arguments.value.text.get().to_owned(),
        Field::Absent => "{}".to_owned(),
        Field::Broken => return None,
    };
    let broken = [written.means.is_broken(), written.expect.is_broken(), written.also_expect.is_broken()];
    if broken.contains(&true) || !effect::result_has_removed_members(written, sink) {
        return None;
    }
    let sent = written.reply.returns.given().map(|result| Sent::of(&result.value.members));
    if !effect::also_expect_is_sent(&written.also_expect, sent.as_ref(), sink) {
        return None;
    }
    let tool = Tool {
        without: words(&written.without)?,
        before: match &written.before {
            Field::Given(before) => before.value.iter().map(|message| message.value.0.clone()).collect(),
            Field::Absent => Vec::new(),
            Field::Broken => return None,
        },
        answers_after: match &written.answers_after {
            Field::Given(other) => Some(other.value.clone()),
            Field::Absent => None,
            Field::Broken => return None,
        },
        ..Tool::new(&definition.name, definition.text.get(), reply?)
    };
    Some(Offered {
        tool,
        control,
        arguments,
        means: answer::means(written),
        expect: &written.expect,
        also_expect: &written.also_expect,
        sent,
        waits_for: written.answers_after.given(),
        header: &written.header,
    })
}

/// Returns a list of words; `None` if it is broken.
pub(super) fn words(written: &Field<Vec<At<String>>>) -> Option<Vec<String>> {
    match written {
        Field::Given(words) => Some(words.value.iter().map(|word| word.value.clone()).collect()),
        Field::Absent => Some(Vec::new()),
        Field::Broken => None,
    }
}

fn refuse_control<D, C>(definition: &Field<D>, control: &At<C>, sink: &mut Sink<'_>) {
    let mut mistake = sink
        .mistake(&control.key, "a control without a schema to violate")
        .label("this result cannot be invalid")
        .help("give the definition an `outputSchema`, or leave the control out");
    if let Some(definition) = definition.given() {
        mistake = mistake.context(definition.key.clone(), "has no `outputSchema`");
    }
    sink.report(mistake);
}
