//! First SDK releases that accept what a server does, from support data.

use std::collections::BTreeMap;

use mcp_compat_json::Json;
use mcp_compat_judge::rules::{self, Rule};
use mcp_compat_model::audit::{Audit, AuditedTool, Taker, TakerOfFamily};
use mcp_compat_model::signature::Ground;
use mcp_compat_model::support::{AcceptedSince, Statement, Support, Sweep};
use mcp_compat_model::version::Version;
use mcp_compat_model::{Era, Mode, Revision, Role};

use super::snapshot::ToolSnapshot;

struct CoveredViolation {
    rule: &'static Rule,
    /// The scenario whose server violates the rule in this way and does nothing else.
    scenario: &'static str,
    does: fn(&ToolSnapshot) -> bool,
}

static VIOLATIONS: [CoveredViolation; 2] = [
    CoveredViolation { rule: &rules::OUTPUT_SCHEMA_OBJECT_ROOT, scenario: "root-type/array", does: declares_an_array },
    CoveredViolation { rule: &rules::CONTENT_ARRAY, scenario: "fallback/absent-content", does: has_no_content },
];

fn declares_an_array(snapshot: &ToolSnapshot) -> bool {
    let schema = snapshot.output_schema();
    schema.is_some_and(|schema| schema.get("type").and_then(Json::as_str) == Some("array"))
}

fn has_no_content(snapshot: &ToolSnapshot) -> bool {
    snapshot.result().is_some_and(|result| result.get("content").is_none())
}

/// Since when releases accept what some tools do: they break a rule exactly as a scenario of the support data does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportQuestion {
    rule: &'static str,
    scenario: &'static str,
    tools: Vec<String>,
}

/// The questions about the tools of an audit that clients lose.
pub(super) fn support_questions(
    audit: &Audit,
    snapshots: &BTreeMap<String, Vec<ToolSnapshot>>,
) -> Vec<SupportQuestion> {
    let question = |CoveredViolation { rule, scenario, does }: &CoveredViolation| {
        let is_lost_by_it = |tool: &&AuditedTool| {
            let mut signatures = tool.losses.iter().filter_map(|loss| loss.signature.as_ref());
            signatures.any(|signature| matches!(&signature.ground, Ground::Rule(id) if rules::find(id) == Some(*rule)))
        };
        let does_it = |tool: &&AuditedTool| snapshots.get(&tool.name).is_some_and(|seen| seen.iter().all(does));
        let tools = audit.tools.iter().filter(is_lost_by_it).filter(does_it).map(|tool| tool.name.clone()).collect();
        SupportQuestion { rule: rule.id, scenario, tools }
    };
    VIOLATIONS.iter().map(question).filter(|question| !question.tools.is_empty()).collect()
}

/// For each question: the SDKs of which not every release takes the tools, with the first release from which on all do.
/// `spoken` are the revisions of the server.
pub fn accepting_releases(questions: &[SupportQuestion], spoken: &[Revision], support: &Support) -> Vec<Taker> {
    let mode = mode_with(spoken);
    let taker = |SupportQuestion { rule, scenario, tools }: &SupportQuestion| {
        let families = families(support, scenario, mode);
        let all_releases_of = in_all_releases(support, scenario, mode);
        let scenario = scenario.parse().ok().filter(|_| !families.is_empty())?;
        Some(Taker { rule: (*rule).to_owned(), scenario, tools: tools.clone(), families, all_releases_of })
    };
    questions.iter().filter_map(taker).collect()
}

/// Mode of clients that try the modern way first, with a server: legacy, if the server is one of the legacy era.
fn mode_with(spoken: &[Revision]) -> Mode {
    if spoken.iter().any(|revision| revision.era() == Era::Modern) { Mode::Auto } else { Mode::Legacy }
}

/// Statements about the SDKs that played a scenario as clients.
fn of_sdks<'s>(support: &'s Support, scenario: &'s str) -> impl Iterator<Item = &'s Statement> {
    // A fork of which there are only pre-releases is none that users have.
    let is_sdk = |sweep: &Sweep| !sweep.is_host && sweep.played.iter().any(|release| !release.is_pre_release());
    let of_clients = support.of_scenario(scenario).filter(|statement| statement.role == Role::Client);
    of_clients.filter(move |statement| support.sweep(&statement.family).is_some_and(is_sdk))
}

/// Returns true if the first release of a family that can be played was played.
fn is_known_of_all(sweep: &Sweep) -> bool {
    let cannot = |release: &Version| sweep.left_out.iter().any(|left_out| left_out.release == *release);
    sweep.releases.iter().find(|release| !cannot(release)) == sweep.played.first()
}

/// First accepting releases of the SDKs of which not every release accepts what a scenario does.
fn families(support: &Support, scenario: &str, mode: Mode) -> Vec<TakerOfFamily> {
    let of_family = |statement: &Statement| {
        let sweep = support.sweep(&statement.family)?;
        let since = match statement.accepted_since(mode)? {
            AcceptedSince::First if is_known_of_all(sweep) => return None,
            AcceptedSince::First => sweep.played.first().cloned(),
            AcceptedSince::Release(version) => Some(version.clone()),
            AcceptedSince::NotByNewest => None,
        };
        // A release without modes has an id without one.
        let mut since_then = statement.ranges.iter().filter(|range| since.as_ref() == Some(&range.from));
        let is_chosen = since_then.any(|range| range.mode == Some(mode));
        Some(TakerOfFamily {
            family: statement.family.clone(),
            mode: is_chosen.then_some(mode),
            since,
            newest: sweep.played.last()?.clone(),
            measured: sweep.date.clone(),
        })
    };
    of_sdks(support, scenario).filter_map(of_family).collect()
}

/// The SDKs of which every release takes what a scenario does.
fn in_all_releases(support: &Support, scenario: &str, mode: Mode) -> Vec<String> {
    let takes = |statement: &&Statement| {
        matches!(statement.accepted_since(mode), Some(AcceptedSince::First))
            && support.sweep(&statement.family).is_some_and(is_known_of_all)
    };
    of_sdks(support, scenario).filter(takes).map(|statement| statement.family.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An SDK whose second line takes it in the modern way only.
    const SUPPORT: &str = r#"{"schema_version":1,
        "sweeps":[{"family":"sdk","date":"2026-11-22","tool_version":"0.1.0","corpus":"1","server":"mock/dual",
            "client":"mock/dual+auto","releases":["1.0.0","2.0.0"],"played":["1.0.0","2.0.0"]}],
        "statements":[{"scenario":"root-type/array","family":"sdk","role":"client","transport":"http","ranges":[
            {"from":"1.0.0","to":"1.0.0","rating":"breaks","outcome":"rejected","lost":"server",
             "revisions":["2025-11-25"],"played":1,"inferred":0},
            {"from":"2.0.0","to":"2.0.0","mode":"legacy","rating":"breaks","outcome":"rejected","lost":"server",
             "revisions":["2025-11-25"],"played":1,"inferred":0},
            {"from":"2.0.0","to":"2.0.0","mode":"auto","rating":"works","outcome":"intact",
             "revisions":["2026-07-28"],"played":1,"inferred":0}]}]}"#;

    #[test]
    fn an_sdk_that_takes_it_in_the_modern_way_only_does_not_take_it_of_a_legacy_server() {
        let support = Support::parse(SUPPORT).unwrap();
        let told = |spoken: &[Revision]| {
            let families = families(&support, "root-type/array", mode_with(spoken));
            let told = |it: TakerOfFamily| (it.family, it.since.map(|version| version.to_string()), it.mode);
            families.into_iter().map(told).collect::<Vec<_>>()
        };
        let both = [Revision::V2025_11_25, Revision::V2026_07_28];
        assert_eq!(told(&both), [("sdk".to_owned(), Some("2.0.0".to_owned()), Some(Mode::Auto))]);
        assert!(in_all_releases(&support, "root-type/array", Mode::Auto).is_empty(), "the first release does not");
        let taken =
            SUPPORT.replace(r#""rating":"breaks","outcome":"rejected""#, r#""rating":"works","outcome":"intact""#);
        let taken = Support::parse(&taken).unwrap();
        assert_eq!(in_all_releases(&taken, "root-type/array", Mode::Auto), ["sdk"]);
        assert_eq!(told(&both[..1]), [("sdk".to_owned(), None, None)]);
    }

    #[test]
    fn what_was_measured_says_nothing_of_the_releases_before_it() {
        let one = SUPPORT
            .replace(r#""played":["1.0.0","2.0.0"]"#, r#""played":["2.0.0"]"#)
            .replace(
                r#""from":"1.0.0","to":"1.0.0","rating":"breaks","outcome":"rejected""#,
                r#""from":"2.0.0","to":"2.0.0","mode":"modern","rating":"works","outcome":"intact""#,
            )
            .replace(
                r#""mode":"legacy","rating":"breaks","outcome":"rejected""#,
                r#""mode":"legacy","rating":"works","outcome":"intact""#,
            );
        let support = Support::parse(&one).unwrap();
        assert_eq!(in_all_releases(&support, "root-type/array", Mode::Auto), [""; 0]);
        let families = families(&support, "root-type/array", Mode::Auto);
        assert_eq!(families[0].since.as_ref().map(ToString::to_string).as_deref(), Some("2.0.0"));
    }

    #[test]
    fn a_release_without_modes_is_named_without_one() {
        let support = SUPPORT.replace(
            r#"{"from":"2.0.0","to":"2.0.0","mode":"legacy","rating":"breaks","outcome":"rejected","lost":"server","#,
            r#"{"from":"1.1.0","to":"1.1.0","rating":"works","outcome":"intact","#,
        );
        let families = families(&Support::parse(&support).unwrap(), "root-type/array", Mode::Auto);
        let since = families[0].since.as_ref().map(ToString::to_string);
        assert_eq!((since.as_deref(), families[0].mode), (Some("1.1.0"), None));
    }
}
