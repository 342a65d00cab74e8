//! From a file as it is written to the scenarios that are played: families unfolded, defaults filled in, every word
//! checked against the others.
//!
//! ```text
//! File ── family ──> members ── tool ──> stages ── steps ──> calls with what they mean and must come to ──> Scenario
//! ```

mod answer;
mod beside;
mod effect;
mod expectation;
pub(crate) mod family;
mod link;
mod opening;
mod stage;
mod steps;
pub(crate) mod tool;

use mcp_compat_model::{Revision, ScenarioId};

use crate::file::document::File;
use crate::file::stance::Unclear;
use crate::file::table::{At, Field};
use crate::places::Places;
use crate::scenario::{Scenario, SpecStance};
use crate::sink::Sink;
use beside::Beside;
use family::Member;
use opening::Session;

/// The revision that brought structured output, and so the first in which most scenarios make sense.
const DEFAULT_SINCE: Revision = Revision::V2025_06_18;

/// The scenarios of a file, each with where its parts stand. What cannot be resolved is reported and left out.
pub(crate) fn scenarios(file: &File, beside: Beside<'_>, sink: &mut Sink<'_>) -> Vec<(Scenario, Places)> {
    let stem = stem(sink);
    let cases = family::cases(file, sink);
    let placed = |case| {
        let member = family::member(file, case, sink)?;
        let scenario = resolve(stem.as_ref(), &member, beside, sink)?;
        let places = Places::of(&member, &scenario);
        Some((scenario, places))
    };
    cases.into_iter().filter_map(placed).collect()
}

/// The id that the file's path gives.
fn stem(sink: &mut Sink<'_>) -> Option<ScenarioId> {
    let stem = sink.path.strip_suffix(".toml").filter(|stem| !stem.contains('['));
    let id = stem.and_then(|stem| ScenarioId::new(stem).ok());
    if id.is_none() {
        let mistake = sink
            .mistake(&(0..0), "the path of this file cannot be the id of a scenario")
            .help("a path has lower-case words of letters, digits and hyphens, such as `root-type/array.toml`");
        sink.report(mistake);
    }
    id
}

fn resolve(
    stem: Option<&ScenarioId>,
    member: &Member<'_>,
    beside: Beside<'_>,
    sink: &mut Sink<'_>,
) -> Option<Scenario> {
    let file = &member.file;
    let since = match &file.since {
        Field::Absent => DEFAULT_SINCE,
        Field::Given(since) => since.value,
        Field::Broken => return None,
    };
    let stages = stage::stages(member, beside, sink)?;
    let answers = opening::answers(&file.answer, beside, sink)?;
    if !effect::list_has_what_it_goes_without(file, sink) {
        return None;
    }
    let steps = steps::steps(member, &stages, since, Session::of(&answers), sink)?;
    let id = match member.case {
        None => stem?.clone(),
        Some(case) => ScenarioId::new(format!("{}[{case}]", stem?)).ok()?,
    };
    Some(Scenario {
        id,
        title: file.title.given()?.value.clone(),
        why: file.why.given()?.value.clone(),
        since,
        sources: file
            .sources
            .given()
            .into_iter()
            .flat_map(|at| &at.value)
            .map(|source| source.value.0.clone())
            .collect(),
        spec: stance(file.spec.given()),
        stages: stages.into_iter().map(stage::Stage::played).collect(),
        steps,
        is_smoke: file.smoke.given().is_some(),
        page_size: file.page_size.given().map(|size| size.value.0),
        list: file.list.given().map(|list| list.value.text.get().to_owned()),
        list_without: tool::words(&file.list_without)?,
        answers,
    })
}

fn stance(written: Option<&At<Unclear>>) -> SpecStance {
    match written.map(|at| &at.value) {
        None => SpecStance::Clear,
        Some(Unclear::Silent(source)) => SpecStance::Silent { source: source.0.clone() },
        Some(Unclear::Conflict(source)) => SpecStance::Conflict { source: source.0.clone() },
    }
}
