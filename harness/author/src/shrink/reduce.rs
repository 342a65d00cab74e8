//! The reduction itself: candidates in, the smallest that still breaks out.

use std::ops::ControlFlow;

use mcp_compat_scenario::Scenario;

use super::passes;
use super::reducer::{Halt, Reducer, Trial};
use super::size::size;

/// What a reduction led to.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest scenario that was found to break; the given one, if nothing could go.
    pub scenario: Scenario,
    /// The size of the given one.
    pub before: usize,
    /// The size of what is left.
    pub after: usize,
    /// How many candidates were tried.
    pub runs: usize,
    /// How it ended.
    pub ending: Ending,
}

/// How a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing more can go.
    Minimal,
    /// More might have gone.
    Halted(Halt),
}

/// Reduces a scenario that breaks, trying at most `max_runs` candidates.
///
/// Every step makes [`size()`] less and is approved by the trial, so this ends for any trial, and what it gives is the
/// given scenario or one that the trial approved.
#[must_use]
pub fn reduce(scenario: &Scenario, trial: &mut dyn Trial, max_runs: usize) -> Reduced {
    let before = size(scenario);
    let mut reducer = Reducer::new(scenario.clone(), trial, max_runs);
    let ending = match sweep_until_minimal(&mut reducer) {
        ControlFlow::Continue(()) => Ending::Minimal,
        ControlFlow::Break(halt) => Ending::Halted(halt),
    };
    Reduced { before, after: reducer.size(), runs: reducer.runs(), ending, scenario: reducer.into_best() }
}

/// Repeats all passes until none of them makes the scenario smaller.
fn sweep_until_minimal(reducer: &mut Reducer<'_>) -> ControlFlow<Halt> {
    loop {
        let before = reducer.size();
        passes::drop_structure(reducer)?;
        passes::shrink_json(reducer)?;
        if reducer.size() == before {
            return ControlFlow::Continue(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use mcp_compat_model::peer_contract::Reply;
    use mcp_compat_scenario::corpus;

    use super::super::example::{TWO_TOOLS, only};
    use super::*;

    /// A trial that a condition decides.
    struct If<F>(F);

    impl<F: FnMut(&Scenario) -> bool> Trial for If<F> {
        fn breaks(&mut self, candidate: &Scenario) -> ControlFlow<(), bool> {
            ControlFlow::Continue((self.0)(candidate))
        }
    }

    /// What is left of a scenario while a condition holds: the definition and the answer of each tool.
    fn left(text: &str, condition: impl FnMut(&Scenario) -> bool) -> Vec<(String, String)> {
        let reduced = reduce(&only(text), &mut If(condition), usize::MAX);
        assert_eq!(reduced.ending, Ending::Minimal);
        let tools = reduced.scenario.stages.into_iter().flat_map(|stage| stage.tools);
        let answer = |reply| match reply {
            Reply::Result(text) | Reply::Error(text) => text.get().to_owned(),
            Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => String::new(),
        };
        tools.map(|tool| (tool.definition, answer(tool.reply))).collect()
    }

    fn one_tool(schema: &str, value: &str, more: &str) -> String {
        let text = mcp_compat_json::Json::from(value).to_compact();
        format!(
            "[[tool]]\ndefinition = '''{{\"name\":\"a\",\"inputSchema\":{{\"type\":\"object\"}},\"outputSchema\":{schema}}}'''\n\
             returns = '''{{\"structuredContent\":{value},\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}'''\n{more}"
        )
    }

    /// Whether some definition has these words.
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
    fn where_nothing_else_breaks_nothing_goes() {
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
        let (whole, halted) = (reduced(usize::MAX), reduced(3));
        assert_eq!((whole.ending, halted.ending), (Ending::Minimal, Ending::Halted(Halt::OutOfTime)));
        assert!(whole.after < halted.after && halted.after < halted.before && halted.runs <= 3, "{halted:?}");
        // Candidates that are not tried count, too.
        let looks = (whole.runs..).find(|looks| reduced(*looks).ending == Ending::Minimal).unwrap();
        assert!(looks > whole.runs, "{looks}");
    }

    #[test]
    fn a_value_and_its_schema_step_down_together() {
        let schema = r#"{"type":"object","required":["p"],"properties":{"p":{"type":"object","required":["q"],"properties":
            {"q":{"type":"array","items":{"type":"integer","multipleOf":5}}}}}}"#;
        let text = one_tool(schema, r#"{"p":{"q":[5,7]}}"#, "means = \"invalid\"");
        let left = left(&text, |scenario| declares(scenario, "multipleOf"));
        assert!(
            left[0].0.ends_with(r#""outputSchema":{"type":"object","properties":{"p":{"multipleOf":5}}}}"#),
            "{left:?}"
        );
        assert_eq!(left[0].1, r#"{"structuredContent":{"p":7},"content":[{"type":"text","text":"{\"p\":7}"}]}"#);
    }

    #[test]
    fn what_violates_a_schema_goes_on_to_violate_the_same_keyword() {
        let schema = r#"{"type":"object","required":["p","q"],"properties":{"p":{"type":"string"}}}"#;
        let left = left(&one_tool(schema, r#"{"p":"x"}"#, "means = \"invalid\""), |_| true);
        assert!(left[0].0.ends_with(r#""outputSchema":{"type":"object","required":["q"]}}"#), "{left:?}");
    }

    #[test]
    fn a_reference_gives_way_to_what_it_refers_to() {
        let schema = r##"{"type":"object","properties":{"p":{"$ref":"#/$defs/d"}},"$defs":{"d":{"maxLength":1}}}"##;
        let left = left(&one_tool(schema, r#"{"p":"xyz"}"#, "means = \"invalid\""), |_| true);
        let resolved = r#""outputSchema":{"type":"object","properties":{"p":{"maxLength":1}}}}"#;
        assert!(left[0].0.ends_with(resolved), "{left:?}");
        assert!(left[0].1.starts_with(r#"{"structuredContent":{"p":"xy"}"#), "{left:?}");
    }

    #[test]
    fn blocks_that_tell_an_item_each_go_with_their_items() {
        let text = r#"
            since = "2026-07-28"
            [[tool]]
            definition = '{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}}'
            returns = '''{"structuredContent": [1, 2, 3], "content":
              [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}, {"type": "text", "text": "3"}]}'''"#;
        let holds_two = |scenario: &Scenario| match &scenario.stages[0].tools[0].reply {
            Reply::Result(text) => text.get().contains('2'),
            Reply::Error(_) | Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => false,
        };
        let left = left(text, holds_two);
        assert_eq!(left[0].1, r#"{"structuredContent":[2],"content":[{"type":"text","text":"2"}]}"#);
    }

    #[test]
    fn an_evolution_that_is_not_needed_goes_with_the_tools_before_or_after_it() {
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
        for needed in ["old", "new"] {
            let left = left(text, |scenario| declares(scenario, needed));
            let [(definition, _)] = &left[..] else { panic!("{left:?}") };
            assert!(definition.contains(needed), "{definition}");
        }
        assert_eq!(left(text, |scenario| declares(scenario, "old") && declares(scenario, "new")).len(), 2);
    }
}
