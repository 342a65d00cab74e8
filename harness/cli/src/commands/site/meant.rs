//! What the scenarios of the embedded corpus mean, for their pages.

use std::collections::BTreeMap;

use mcp_compat_model::ScenarioId;
use mcp_compat_reports::site::Meant;
use mcp_compat_scenario::Scenario;

use crate::commands::show::steps;

/// The scenarios that ship with this version.
pub(super) fn of_corpus() -> anyhow::Result<BTreeMap<ScenarioId, Meant>> {
    let corpus = mcp_compat_scenario::corpus::load()?;
    Ok(corpus.iter().map(|scenario| (scenario.id.clone(), meant(scenario))).collect())
}

fn meant(scenario: &Scenario) -> Meant {
    let told = steps(scenario).into_iter().map(|step| {
        let details: Vec<String> = step.details.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        if details.is_empty() { step.what } else { format!("{} ({})", step.what, details.join("; ")) }
    });
    let tools = scenario.stages.iter().flat_map(|stage| &stage.tools);
    let wire = tools.map(|tool| (tool.name.clone(), tool.definition.clone())).collect();
    Meant { tools: told.collect(), wire }
}
