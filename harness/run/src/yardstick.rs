//! A scenario about nothing, for measuring others: a sabotage that even it notices says nothing of any of them.

use mcp_compat_model::peer_contract::BYSTANDER_TOOL;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, ScenarioId};
use mcp_compat_scenario::scenario::{
    BYSTANDER_TEXT, Call, Expect, Means, Purpose, Scenario, ScenarioStage, SpecStance, Step,
};

/// A server with nothing to offer but the bystander.
pub fn yardstick() -> Scenario {
    let text = Means::Text(BYSTANDER_TEXT.to_owned());
    let call = Call::new(BYSTANDER_TOOL, Purpose::Bystander, text, Expect::both(Outcome::Intact));
    Scenario {
        id: ScenarioId::new("mcp-compat/yardstick").unwrap_or_else(|error| unreachable!("a plain id: {error}")),
        title: "Nothing".to_owned(),
        why: "What notices even this says nothing of any scenario.".to_owned(),
        since: Revision::V2025_06_18,
        sources: Vec::new(),
        spec: SpecStance::Clear,
        stages: vec![ScenarioStage { tools: Vec::new(), told: false }],
        steps: vec![Step::List, Step::Call(call)],
        is_smoke: false,
        page_size: None,
        list: None,
        list_without: Vec::new(),
        answers: Vec::new(),
    }
}
