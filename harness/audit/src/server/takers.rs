//! Since which release clients take what a server does, from support data.

use std::collections::BTreeSet;

use mcp_compat_model::audit::{Audit, Taker, TakerOfFamily};
use mcp_compat_model::signature::Ground;
use mcp_compat_model::support::{Statement, Support};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Mode, Role};

/// Rules of servers, each with the scenario whose server does the same and nothing else.
const SCENARIOS: [(&str, &str); 2] =
    [("output-schema-object-root", "root-type/array"), ("content-array", "fallback/absent-content")];

/// For each of these rules for which clients lose tools: the SDKs of which not every release takes them, with the first
/// release from which on all do.
#[must_use]
pub fn takers(audit: &Audit, support: &Support) -> Vec<Taker> {
    let taker = |(rule, scenario): (&str, &str)| {
        let is_lost = |ground: &Ground| matches!(ground, Ground::Rule(id) if id == rule);
        let tools: BTreeSet<&str> = audit
            .tools
            .iter()
            .filter(|tool| {
                let mut signatures = tool.losses.iter().filter_map(|loss| loss.signature.as_ref());
                signatures.any(|signature| is_lost(&signature.ground))
            })
            .map(|tool| tool.name.as_str())
            .collect();
        let statements = support.of_scenario(scenario).filter(|statement| statement.role == Role::Client);
        let families: Vec<TakerOfFamily> =
            statements.filter(|statement| !always_works(statement)).filter_map(|it| of_family(it, support)).collect();
        let scenario = scenario.parse().ok().filter(|_| !tools.is_empty() && !families.is_empty())?;
        Some(Taker { rule: rule.to_owned(), scenario, tools: tools.into_iter().map(str::to_owned).collect(), families })
    };
    SCENARIOS.into_iter().filter_map(taker).collect()
}

fn always_works(statement: &Statement) -> bool {
    statement.ranges.iter().all(|range| matches!(range.rating, Rating::Works | Rating::Degraded))
}

/// How the releases of a family fare if they negotiate as they do by default.
fn of_family(statement: &Statement, support: &Support) -> Option<TakerOfFamily> {
    let sweep = support.sweep(&statement.family)?;
    let mode = statement.ranges.iter().any(|range| range.mode == Some(Mode::Auto)).then_some(Mode::Auto);
    let since = statement.works_since(mode).cloned();
    Some(TakerOfFamily {
        family: statement.family.clone(),
        mode: mode.filter(|_| since.is_some()),
        since,
        newest: sweep.played.last()?.clone(),
        measured: sweep.date.clone(),
    })
}
