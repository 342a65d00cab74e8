//! Resolves a file to scenarios: families are expanded, defaults filled in, and all keys checked against each other.
//!
//! ```text
//! File ── family ──> members ── stage ──> tools ── steps ──> calls with meanings and expectations ──> Scenario
//! ```

mod answer;
mod effect;
mod expectation;
pub(crate) mod family;
mod stage;
mod steps;

use mcp_compat_model::{Revision, ScenarioId};

use crate::file::document::File;
use crate::file::table::{At, Field};
use crate::file::vocabulary::Unclear;
use crate::places::Places;
use crate::scenario::{Scenario, SpecStance};
use crate::sink::Sink;
use answer::Session;
use family::Member;

/// Looks up a `raw-file` by its path below the corpus.
type Beside<'b> = &'b dyn Fn(&str) -> Option<Vec<u8>>;

/// First revision with structured output, which most scenarios need.
const DEFAULT_SINCE: Revision = Revision::V2025_06_18;

/// Returns the scenarios of a file, each with the places of its parts. Unresolvable scenarios are reported and omitted.
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

/// Returns the id derived from the file's path.
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
    let answers = answer::answers(&file.answer, beside, sink)?;
    if !effect::list_has_removed_members(file, sink) {
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
        list_without: stage::words(&file.list_without)?,
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
