//! Places of a scenario's parts in its file, for mistakes that loading alone cannot find.
//!
//! A scenario does not refer to its file. Its places are kept separately, step by step and tool by tool.

use std::ops::Range;
use std::sync::Arc;

use mcp_compat_model::Era;
use mcp_compat_model::peer_contract::CONTROL_SUFFIX;
use mcp_compat_model::verdict::Outcome;

use crate::file::step::Step as WrittenStep;
use crate::file::table::{At, Field};
use crate::file::tool::Tool;
use crate::file::vocabulary::Expectation;
use crate::resolve::family::Member;
use crate::scenario::{Call, Purpose, Scenario, Step};
use crate::{Diagnostic, Diagnostics};

/// Byte range of the file.
pub type Span = Range<usize>;

/// A scenario with its file.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The scenario.
    pub scenario: Scenario,
    /// Places of its parts.
    pub places: Places,
    /// Path of the file, as messages show it.
    pub path: String,
    /// Text of the file.
    pub text: Arc<str>,
}

/// Places of the parts of a scenario.
#[derive(Clone, Debug)]
pub struct Places {
    /// The scenario as a whole: the header of its case, or else its title.
    pub scenario: Span,
    /// Value of `title`.
    pub title: Span,
    /// Value of `why`.
    pub why: Span,
    /// Each address of `sources`.
    pub sources: Vec<Span>,
    /// Value of `spec`.
    pub spec: Option<Span>,
    /// The tools of each stage, without controls.
    pub stages: Vec<Vec<ToolPlaces>>,
    /// Places of each step of the scenario; `None` for a step that calls no tool of this file.
    pub steps: Vec<Option<CallPlaces>>,
}

/// Places of a tool's keys. The values are not marked, as they may be long.
#[derive(Clone, Debug)]
pub struct ToolPlaces {
    /// The tool's name.
    pub name: String,
    /// Its header.
    pub header: Span,
    /// `definition`.
    pub definition: Span,
    /// `returns`, or another key that gives the answer.
    pub answer: Option<Span>,
    /// `control`.
    pub control: Option<Span>,
    means: Option<Span>,
    expect: Field<Expectation>,
}

/// Places of the expectations of a call.
#[derive(Clone, Debug)]
pub struct CallPlaces {
    /// The step, or the tool where the file has no steps, or the control that is called.
    pub call: Span,
    /// `means`, of the step or else of the tool; `None` if the answer shows it.
    pub means: Option<Span>,
    /// Expected outcomes in legacy and modern; `None` for the default.
    expect: [Option<Span>; 2],
}

impl CallPlaces {
    /// Returns the place of the expected outcome in an era; `None` for the default.
    #[must_use]
    pub fn expect(&self, era: Era) -> Option<&Span> {
        let [legacy, modern] = &self.expect;
        match era {
            Era::Legacy => legacy.as_ref(),
            Era::Modern => modern.as_ref(),
        }
    }
}

impl Placed {
    /// Creates a mistake in this scenario's file.
    #[must_use]
    pub fn mistake(&self, span: &Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(&self.path, span.clone(), message)
    }

    /// Combines mistakes with the text of the file.
    #[must_use]
    pub fn diagnostics(&self, mistakes: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::of_file(&self.path, &self.text, mistakes)
    }
}

impl Places {
    /// Returns the tool of that name in a stage, or in the nearest stage before it.
    #[must_use]
    pub fn tool(&self, stage: usize, name: &str) -> Option<&ToolPlaces> {
        let known = &self.stages[..self.stages.len().min(stage + 1)];
        known.iter().rev().flatten().find(|tool| tool.name == name)
    }

    /// Returns the places of a resolved member of a file.
    pub(crate) fn of(member: &Member<'_>, scenario: &Scenario) -> Self {
        let file = &member.file;
        let written = file.step.given().map_or(&[][..], |steps| &steps.value);
        let evolutions = written.iter().filter(|step| !step.value.evolve.is_absent()).map(|step| &step.value.tool);
        let title = file.title.given().map_or(0..0, |title| title.span.clone());
        let mut places = Self {
            scenario: if member.case.is_some() { member.header.clone() } else { title.clone() },
            title,
            why: file.why.given().map_or(0..0, |why| why.span.clone()),
            sources: file.sources.given().map_or(&[][..], |sources| &sources.value).iter().map(place).collect(),
            spec: file.spec.given().map(place),
            stages: std::iter::once(&file.tool).chain(evolutions).map(tools).collect(),
            steps: Vec::new(),
        };
        let mut stage = 0;
        for (number, step) in scenario.steps.iter().enumerate() {
            let call = match step {
                Step::List => None,
                Step::Evolve { .. } => {
                    stage += 1;
                    None
                }
                Step::Call(call) => {
                    let step = written.get(number).map(|step| &step.value);
                    places.call(stage, call, step, &file.expect)
                }
            };
            places.steps.push(call);
        }
        places
    }

    fn call(
        &self,
        stage: usize,
        call: &Call,
        step: Option<&WrittenStep>,
        of_file: &Field<Expectation>,
    ) -> Option<CallPlaces> {
        if call.purpose == Purpose::Control {
            let control = self.tool(stage, call.tool.strip_suffix(CONTROL_SUFFIX)?)?.control.clone()?;
            return Some(CallPlaces { call: control, means: None, expect: [None, None] });
        }
        let tool = self.tool(stage, &call.tool)?;
        let given = step.and_then(|step| step.means.given()).map(|means| means.key.clone());
        let called = step.and_then(|step| step.call.given()).map(|call| call.span.clone());
        let written = [step.map_or(&Field::Absent, |step| &step.expect), &tool.expect, of_file];
        Some(CallPlaces {
            call: called.unwrap_or_else(|| tool.header.clone()),
            means: given.or_else(|| tool.means.clone()),
            expect: [
                nearest(written, |expectation| &expectation.legacy),
                nearest(written, |expectation| &expectation.modern),
            ],
        })
    }
}

fn tools(written: &Field<Vec<At<Tool>>>) -> Vec<ToolPlaces> {
    written.given().map_or(&[][..], |tools| &tools.value).iter().filter_map(|tool| of_tool(&tool.value)).collect()
}

fn of_tool(tool: &Tool) -> Option<ToolPlaces> {
    let definition = tool.definition.given()?;
    Some(ToolPlaces {
        name: definition.value.name.clone(),
        header: tool.header.clone(),
        definition: definition.key.clone(),
        answer: tool.reply.ways().first().and_then(|(_, key)| key.cloned()),
        control: tool.control.given().map(|control| control.key.clone()),
        means: tool.means.given().map(|means| means.key.clone()),
        expect: tool.expect.clone(),
    })
}

fn place<T>(at: &At<T>) -> Span {
    at.span.clone()
}

/// Returns the place of the nearest expectation for an era.
fn nearest(written: [&Field<Expectation>; 3], era: fn(&Expectation) -> &Field<Outcome>) -> Option<Span> {
    written.into_iter().find_map(|field| Some(era(&field.given()?.value).given()?.span.clone()))
}
