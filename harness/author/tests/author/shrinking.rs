//! A reduction ends, never changes the break, and leaves nothing that could go.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_compat_author::shrink::{
    Breakage, Ending, Halt, Limits, PeerPair, Progress, Reduced, Step, Trial, drafted, reduce, shrink, size,
};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::{Scenario, corpus};
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

/// What must hold of any reduction.
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
