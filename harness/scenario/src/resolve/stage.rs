//! Stages: the tools from the start, and those that each evolution leads to.

use std::collections::{BTreeMap, HashMap};

use super::beside::Beside;
use super::family::Member;
use super::tool::{Control, Offered, offered};
use crate::file::table::{At, Field};
use crate::file::tool::Tool as Written;
use crate::file::vocabulary::Evolution;
use crate::scenario::ScenarioStage;
use crate::sink::{Sink, Span};
use crate::words::both;

/// The tools on offer for some time.
pub(super) struct Stage<'f> {
    pub(super) tools: Vec<Offered<'f>>,
    /// The place of each tool, by its name and by that of its control.
    by_name: HashMap<String, usize>,
    /// Their names, as a mistake lists them.
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

    /// The tool of this name, controls aside.
    pub(super) fn tool(&self, name: &str) -> Option<&Offered<'f>> {
        self.tools.get(*self.by_name.get(name)?).filter(|offered| offered.tool.name == name)
    }

    /// The tool whose control has this name.
    pub(super) fn controlled_by(&self, name: &str) -> Option<&Offered<'f>> {
        let offered = self.tools.get(*self.by_name.get(name)?)?;
        offered.control.as_ref().is_some_and(|control| control.tool.name == name).then_some(offered)
    }

    /// The names that can be called, in the order listed.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().flat_map(Offered::names)
    }

    /// The stage as it is played: each tool followed by its control.
    pub(super) fn played(self) -> ScenarioStage {
        let both = |offered: Offered<'f>| {
            let control = offered.control.map(|Control { tool, .. }| tool);
            std::iter::once(offered.tool).chain(control)
        };
        ScenarioStage { tools: self.tools.into_iter().flat_map(both).collect(), notified: self.notified }
    }
}

/// The stages of a member: the first one, and one for each `evolve`. None, if one of its tools is not well.
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

/// A tool that waits for itself, or for one that is not there, never answers.
fn waits_for_others(stage: &Stage<'_>, sink: &mut Sink<'_>) -> bool {
    let mut well = true;
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
            well = false;
        }
    }
    well
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
