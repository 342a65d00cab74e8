//! Tests that conforming values arrive, and that others are caught by whoever looks.

use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_schema::inclusion::{Conformance, check};
use proptest::prelude::*;

use crate::pairs::{SKIPPING, Said, VALIDATING, play, scenario};
use crate::shapes::{Case, cases};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_judge_and_the_making_agree_on_what_conforms(Case { schema, conforming, violating } in cases()) {
        prop_assert_eq!(check(&schema, &conforming), Conformance::Conforms);
        prop_assert!(matches!(check(&schema, &violating), Conformance::Violates { .. }), "{:?}", check(&schema, &violating));
    }

    #[test]
    fn what_conforms_arrives_intact_and_a_control_shows_who_looked(case in cases()) {
        let Case { schema, conforming, violating } = &case;
        let said = Said { schema, value: conforming, control: Some(violating), invalid: false };
        let scenario = scenario(&said);
        for (pair, vacuous) in [(&VALIDATING, false), (&SKIPPING, true)] {
            let verdict = play(pair, &scenario);
            let seen = (verdict.outcome, verdict.rating, verdict.vacuous);
            prop_assert_eq!(seen, (Outcome::Intact, Rating::Works, vacuous), "{}: {}", pair.to_string(), verdict.reason);
        }
    }

    #[test]
    fn what_does_not_conform_is_caught_by_whoever_looks_and_by_nobody_else(case in cases()) {
        let Case { schema, violating, .. } = &case;
        let scenario = scenario(&Said { schema, value: violating, control: None, invalid: true });
        let caught = (Outcome::Caught, Rating::Works, false);
        let uncaught = (Outcome::Uncaught, Rating::Breaks, true);
        for (pair, expected) in [(&VALIDATING, caught), (&SKIPPING, uncaught)] {
            let verdict = play(pair, &scenario);
            let seen = (verdict.outcome, verdict.rating, verdict.silent);
            prop_assert_eq!(seen, expected, "{}: {}", pair.to_string(), verdict.reason);
        }
    }
}
