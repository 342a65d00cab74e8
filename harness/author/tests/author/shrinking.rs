//! A reduction ends, never changes the break, and leaves nothing that could be removed.

use std::cell::Cell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_compat_author::shrink::{
    Breakage, Ending, Halt, Limits, PeerPair, Progress, Reduced, Step, Trial, drafted, reduce, shrink, size,
};
use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::{Scenario, corpus, load};
use mcp_compat_schema::inclusion::{Conformance, check};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use crate::pairs::{RUNTIME, SKIPPING, STRICT, Said, play, read, scenario};
use crate::shapes::{Case, array_cases, object_cases};

/// More than any reduction here takes.
const ENOUGH: usize = 10_000;
const LIMITS: Limits = Limits { runs: ENOUGH, time: Duration::from_secs(600) };

/// Shrinks a scenario that breaks between two; what is left, and the steps to it.
fn shrunk(pair: &Arc<PeerPair>, scenario: &Scenario) -> (Breakage, Reduced, Vec<Step>) {
    let breakage = Breakage::of(&play(pair, scenario)).unwrap();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&steps);
    let watcher = Box::new(move |progress: Progress<'_>| {
        if let Progress::Took(step) = progress {
            keep.lock().unwrap().push(step.clone());
        }
    });
    let stop = CancellationToken::new();
    let pair = Arc::clone(pair);
    let reduced = shrink(pair, scenario.clone(), breakage.clone(), LIMITS, watcher, stop);
    let reduced = RUNTIME.block_on(reduced).unwrap();
    let steps = steps.lock().unwrap().clone();
    (breakage, reduced, steps)
}

/// Checks what must hold of any reduction.
fn holds(pair: &Arc<PeerPair>, scenario: &Scenario) -> Result<Reduced, TestCaseError> {
    let (breakage, reduced, steps) = shrunk(pair, scenario);
    prop_assert_eq!(reduced.ending, Ending::Minimal);
    prop_assert!(steps.iter().all(|step| step.after < step.before), "{:?}", steps);
    prop_assert!(steps.windows(2).all(|pair| pair[0].after == pair[1].before && pair[0].runs < pair[1].runs));
    prop_assert_eq!(reduced.after, size(&reduced.scenario));
    prop_assert!(breakage.is_kept_by(&play(pair, &reduced.scenario)));

    let file = read(&drafted(&reduced.scenario).unwrap());
    let (again, same, none) = shrunk(pair, &file);
    prop_assert!(none.is_empty() && same.before == same.after, "more could go: {:?}", none);
    prop_assert_eq!(again.outcome(), breakage.outcome());
    Ok(reduced)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn what_nobody_catches_stays_uncaught(Case { schema, violating, .. } in object_cases()) {
        let scenario = scenario(&Said { schema: &schema, value: &violating, control: None, invalid: true });
        let reduced = holds(&SKIPPING, &scenario)?;
        prop_assert_eq!(play(&SKIPPING, &reduced.scenario).outcome, Outcome::Uncaught);
    }

    #[test]
    fn an_array_that_is_refused_stays_an_array_that_is_refused(Case { schema, conforming, violating } in array_cases()) {
        let said = Said { schema: &schema, value: &conforming, control: Some(&violating), invalid: false };
        let reduced = holds(&STRICT, &scenario(&said))?;
        prop_assert_eq!(play(&STRICT, &reduced.scenario).outcome, Outcome::Rejected);
        let [tool] = &reduced.scenario.stages[0].tools[..] else { panic!("one tool, without its control") };
        prop_assert!(tool.definition.ends_with(r#""outputSchema":{}}"#), "{}", tool.definition);
    }
}

/// A trial that nobody can reason with.
struct Whim {
    seed: u64,
    approved: Option<usize>,
    asked: usize,
}

impl Trial for Whim {
    fn breaks(&mut self, candidate: &Scenario) -> ControlFlow<(), bool> {
        self.asked += 1;
        let mut hasher = DefaultHasher::new();
        (self.seed, corpus::digest([candidate])).hash(&mut hasher);
        let breaks = hasher.finish().is_multiple_of(3);
        if breaks {
            self.approved = Some(size(candidate));
        }
        ControlFlow::Continue(breaks)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn it_ends_whatever_the_trial_says_with_what_the_trial_approved(
        Case { schema, conforming, violating } in object_cases(),
        seed in any::<u64>(),
    ) {
        let given = scenario(&Said { schema: &schema, value: &conforming, control: Some(&violating), invalid: false });
        let mut whim = Whim { seed, approved: None, asked: 0 };
        let reduced = reduce(&given, &mut whim, ENOUGH);
        prop_assert_eq!((reduced.ending, reduced.runs), (Ending::Minimal, whim.asked));
        prop_assert_eq!(reduced.after, whim.approved.unwrap_or(reduced.before));
        prop_assert_eq!(size(&reduced.scenario), reduced.after);

        let once_more = reduce(&given, &mut Whim { seed, approved: None, asked: 0 }, ENOUGH);
        prop_assert_eq!(corpus::digest([&once_more.scenario]), corpus::digest([&reduced.scenario]));
        prop_assert_eq!(once_more.runs, reduced.runs);
    }

    #[test]
    fn it_asks_no_more_often_than_it_may(Case { schema, conforming, .. } in object_cases(), runs in 0_usize..4) {
        let given = scenario(&Said { schema: &schema, value: &conforming, control: None, invalid: false });
        let mut whim = Whim { seed: 0, approved: None, asked: 0 };
        let reduced = reduce(&given, &mut whim, runs);
        prop_assert!(whim.asked <= runs);
        prop_assert!(reduced.ending == Ending::Minimal || (reduced.ending, whim.asked) == (Ending::Halted(Halt::OutOfRuns), runs));
    }
}

/// The keys that every file has at its top.
const HEAD: &str = "title = \"t\"\nwhy = \"w\"\nsources = [\"https://example.org/\"]\n";

/// Two tools, the first one with a control, and everything else that a file may have.
const TWO_TOOLS: &str = r#"
page-size = 1
list = '{"ttlMs": 1, "cacheScope": "private"}'
[[tool]]
definition = '''
{"name": "a", "description": "d", "inputSchema": {"type": "object"},
 "outputSchema": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}}, "required": ["x"]}}'''
arguments = '{"q": 1}'
returns = '{"structuredContent": {"x": 10, "y": "abc"}, "content": [{"type": "text", "text": "{\"x\": 10, \"y\": \"abc\"}"}]}'
control = '{"structuredContent": {"x": "ten"}, "content": []}'
[[tool]]
definition = '{"name": "b", "inputSchema": {"type": "object"}}'
returns = '{"content": [{"type": "text", "text": "hello"}]}'
"#;

/// Returns the scenario of a file that has this below its head.
fn only(rest: &str) -> Scenario {
    let mut scenarios = load("a/b.toml", &format!("{HEAD}{rest}"), &|_| None).unwrap();
    assert_eq!(scenarios.len(), 1);
    scenarios.remove(0)
}

/// A trial that a condition decides.
struct If<F>(F);

impl<F: FnMut(&Scenario) -> bool> Trial for If<F> {
    fn breaks(&mut self, candidate: &Scenario) -> ControlFlow<(), bool> {
        ControlFlow::Continue((self.0)(candidate))
    }
}

/// Returns what is left of a scenario while a condition holds: the definition and the answer of each tool.
fn left(text: &str, condition: impl FnMut(&Scenario) -> bool) -> Vec<(String, String)> {
    let reduced = reduce(&only(text), &mut If(condition), usize::MAX);
    assert_eq!(reduced.ending, Ending::Minimal);
    let tools = reduced.scenario.stages.into_iter().flat_map(|stage| stage.tools);
    tools.map(|tool| (tool.definition, answer(&tool.reply))).collect()
}

fn answer(reply: &Reply) -> String {
    match reply {
        Reply::Result(text) | Reply::Error(text) => text.get().to_owned(),
        Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => String::new(),
    }
}

fn one_tool(schema: &str, value: &str, more: &str) -> String {
    let text = Json::from(value).to_compact();
    format!(
        "[[tool]]\ndefinition = '''{{\"name\":\"a\",\"inputSchema\":{{\"type\":\"object\"}},\"outputSchema\":{schema}}}'''\n\
         returns = '''{{\"structuredContent\":{value},\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}'''\n{more}"
    )
}

/// Returns true if some definition has these words.
fn declares(scenario: &Scenario, words: &str) -> bool {
    scenario.stages.iter().flat_map(|stage| &stage.tools).any(|tool| tool.definition.contains(words))
}

#[test]
fn where_everything_breaks_one_empty_tool_is_left() {
    let left = left(TWO_TOOLS, |_| true);
    let [(definition, answer)] = &left[..] else { panic!("{left:?}") };
    assert_eq!(definition, r#"{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#);
    assert_eq!(answer, r#"{"structuredContent":{},"content":[{"type":"text","text":"{}"}]}"#);
}

#[test]
fn where_nothing_else_breaks_nothing_is_removed() {
    let given = only(TWO_TOOLS);
    let reduced = reduce(&given, &mut If(|_: &Scenario| false), usize::MAX);
    assert_eq!((reduced.before, reduced.ending), (reduced.after, Ending::Minimal));
    assert_eq!(corpus::digest([&reduced.scenario]), corpus::digest([&given]));
}

/// A trial that takes everything, and halts after so many candidates, tried or not.
struct Halting {
    left: Cell<usize>,
}

impl Trial for Halting {
    fn breaks(&mut self, _: &Scenario) -> ControlFlow<(), bool> {
        ControlFlow::Continue(true)
    }

    fn halt(&self) -> Option<Halt> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.unwrap_or_default());
        if left.is_some() { None } else { Some(Halt::OutOfTime) }
    }
}

#[test]
fn a_reduction_that_is_halted_keeps_the_best_so_far() {
    let given = only(TWO_TOOLS);
    let reduced = |left| reduce(&given, &mut Halting { left: Cell::new(left) }, usize::MAX);
    let (whole, halted) = (reduced(usize::MAX), reduced(8));
    assert_eq!((whole.ending, halted.ending), (Ending::Minimal, Ending::Halted(Halt::OutOfTime)));
    assert!(whole.after < halted.after && halted.after < halted.before && halted.runs <= 8, "{halted:?}");
    // Candidates that are not tried count, too.
    let looks = (whole.runs..).find(|looks| reduced(*looks).ending == Ending::Minimal).unwrap();
    assert!(looks > whole.runs, "{looks}");
}

/// The output schema, the value, and what a text block says.
fn declared_and_returned((definition, answer): &(String, String)) -> (Json, Json, Option<Json>) {
    let (definition, answer) = (Json::parse(definition).unwrap(), Json::parse(answer).unwrap());
    let text = answer.pointer("/content/0/text").and_then(Json::as_str).and_then(|text| Json::parse(text).ok());
    let member = |json: &Json, key| json.get(key).unwrap().clone();
    (member(&definition, "outputSchema"), member(&answer, "structuredContent"), text)
}

#[test]
fn a_text_that_repeats_the_value_goes_on_to_repeat_it() {
    let schema = r#"{"type":"object","required":["p"],"properties":{"p":{"type":"object","required":["q"],"properties":
        {"q":{"type":"array","items":{"type":"integer","multipleOf":5}}}}}}"#;
    let text = one_tool(schema, r#"{"p":{"q":[5,7]}}"#, "means = \"invalid\"");
    let left = left(&text, |scenario| declares(scenario, "multipleOf"));
    let [tool] = &left[..] else { panic!("{left:?}") };
    let (schema, value, text) = declared_and_returned(tool);
    assert_eq!(text.as_ref(), Some(&value));
    assert!(matches!(check(&schema, &value), Conformance::Violates { .. }), "{left:?}");
    assert!(tool.0.len() + tool.1.len() < 260, "{left:?}");
}

#[test]
fn what_violates_a_schema_goes_on_to_violate_it() {
    let schema = r#"{"type":"object","required":["p","q"],"properties":{"p":{"type":"string"}}}"#;
    let left = left(&one_tool(schema, r#"{"p":"x"}"#, "means = \"invalid\""), |_| true);
    assert!(left[0].0.ends_with(r#""outputSchema":{"type":"object","required":["p"]}}"#), "{left:?}");
    assert_eq!(left[0].1, r#"{"structuredContent":{},"content":[{"type":"text","text":"{}"}]}"#);
}

#[test]
fn an_evolution_that_is_not_needed_goes_with_its_tools() {
    let text = r#"
        [[tool]]
        definition = '{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"title": "old"}}'
        returns = '{"structuredContent": {}, "content": []}'
        [[step]]
        list = true
        [[step]]
        call = "a"
        [[step]]
        evolve = "notify"
        [[step.tool]]
        definition = '{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"title": "new"}}'
        returns = '{"structuredContent": {}, "content": []}'
        [[step]]
        call = "a""#;
    let tools = |needed: &[&str]| left(text, |scenario| needed.iter().all(|needed| declares(scenario, needed))).len();
    assert_eq!((tools(&["old"]), tools(&["old", "new"])), (1, 2));
}

#[test]
fn every_scenario_of_the_corpus_has_a_file_that_says_it() {
    // Those of many megabytes say nothing that the others do not.
    let readable = |scenario: &Scenario| size(scenario) < 100_000;
    for scenario in corpus::load().unwrap().into_iter().filter(readable) {
        assert!(drafted(&scenario).is_ok(), "{}", scenario.id);
    }
    let full = include_str!("../../../scenario/tests/scenario/full.toml");
    for scenario in load("a/b.toml", full, &|_| Some(vec![0xff])).unwrap() {
        assert!(drafted(&scenario).is_ok(), "{}", scenario.id);
    }
}

#[test]
fn a_draft_has_no_more_than_it_needs() {
    let draft = drafted(&only(TWO_TOOLS)).unwrap();
    assert!(draft.steps.is_empty() && draft.since.is_none());
    let [a, b] = &draft.tools[..] else { panic!("two tools") };
    assert!(a.means.is_none() && a.expect.is_none() && a.control.is_some());
    assert_eq!(a.arguments.as_ref().map(|arguments| arguments.value.as_str()), Some(r#"{"q":1}"#));
    assert!(b.arguments.is_none());
    assert!(draft.write("x").text.starts_with(HEAD));
}

#[test]
fn a_draft_has_what_is_no_default() {
    let text = r#"
        [[tool]]
        definition = '{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}'
        raw = '{"jsonrpc": "2.0", "id": {{id}}, "result": 3}'
        means = "invalid"
        [[step]]
        call = "a"
        [[step]]
        evolve = "notify"
        tool = []
        [[step]]
        call = "a"
        means.tool-error = "gone"
        expect = { modern = "told", legacy = "masked" }"#;
    let written = drafted(&only(text)).unwrap().write("x").text;
    for line in ["means = \"invalid\"", "evolve = \"notify\"", "means.tool-error = \"gone\"", "legacy = \"masked\""] {
        assert!(written.contains(line), "{line} is not in\n{written}");
    }
}

#[test]
fn less_of_anything_is_smaller() {
    let scenario = only(TWO_TOOLS);
    let smaller = |change: &dyn Fn(&mut Scenario)| {
        let mut changed = scenario.clone();
        change(&mut changed);
        size(&changed) < size(&scenario)
    };
    assert!(smaller(&|scenario| scenario.stages[0].tools[0].definition = "{}".to_owned()));
    assert!(smaller(&|scenario| scenario.stages[0].tools[0].reply = Reply::Hang {}));
    assert!(smaller(&|scenario| scenario.page_size = None));
    assert!(smaller(&|scenario| scenario.list = None));
    assert!(!smaller(&|scenario| drop(scenario.steps.remove(1))), "without a default call, steps have to be written");
}
