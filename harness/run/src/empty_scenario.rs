//! A scenario with nothing but a plain tool. A sabotage that breaks even this one is noticed by every scenario, so it does
//! not show what a particular scenario is good for.

use mcp_compat_model::peer_contract::BYSTANDER_TOOL;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, ScenarioId};
use mcp_compat_scenario::scenario::{
    BYSTANDER_TEXT, Call, Expect, Means, Purpose, Scenario, ScenarioStage, SpecStance, Step,
};

/// The scenario of a server that offers only the bystander tool.
pub fn empty_scenario() -> Scenario {
    let text = Means::Text(BYSTANDER_TEXT.to_owned());
    let call = Call::new(BYSTANDER_TOOL, Purpose::Bystander, text, Expect::both(Outcome::Intact));
    Scenario {
        id: ScenarioId::new("mcp-compat/empty").unwrap_or_else(|error| unreachable!("a plain id: {error}")),
        title: "Nothing".to_owned(),
        why: "A client or a server that breaks this breaks every scenario.".to_owned(),
        since: Revision::V2025_06_18,
        sources: Vec::new(),
        spec: SpecStance::Clear,
        stages: vec![ScenarioStage { tools: Vec::new(), notified: false }],
        steps: vec![Step::List, Step::Call(call)],
        is_smoke: false,
        page_size: None,
        list: None,
        list_without: Vec::new(),
        answers: Vec::new(),
    }
}
