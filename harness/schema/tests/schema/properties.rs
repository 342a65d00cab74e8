//! Properties of the answer for any two schemas.

use std::cell::RefCell;

use mcp_compat_json::Json;
use mcp_compat_schema::inclusion::Inclusion;
use mcp_compat_schema::inclusion::{Conformance, Schemas};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::json;
use crate::schemas::pairs;
use crate::values::Draw;

/// Number of pairs.
const PAIRS: u32 = 256;

/// Number of values for each pair.
const VALUES: usize = 60;

/// Number of times of each answer.
#[derive(Debug, Default)]
struct Said {
    included: u32,
    excluded: u32,
    unknown: u32,
    /// Number of proofs for which there were values to check.
    held: u32,
}

#[test]
fn no_value_gainsays_a_proof_and_every_witness_is_one() {
    let config = Config { cases: PAIRS, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let schemas = Schemas::default();
    let said = RefCell::new(Said::default());
    let cases = (pairs(), any::<[u8; 32]>());
    runner.run(&cases, |((a, b), seed)| hold(&schemas, &a, &b, seed, &mut said.borrow_mut())).unwrap();
    let Said { included, excluded, unknown, held } = said.into_inner();
    // Of nothing but doubts, or of proofs about nothing, anything would hold.
    let told =
        format!("{included} included, {held} of them held against values; {excluded} excluded, {unknown} unknown");
    assert!(held * 4 >= PAIRS && excluded * 8 >= PAIRS && unknown * 8 <= PAIRS, "{told}");
}

fn hold(schemas: &Schemas, a: &Json, b: &Json, seed: [u8; 32], said: &mut Said) -> Result<(), TestCaseError> {
    match schemas.inclusion(a, b) {
        Inclusion::Included => {
            let values = conforming(schemas, a, seed);
            said.included += 1;
            said.held += u32::from(!values.is_empty());
            let gainsaid = refused(schemas, b, &values);
            prop_assert!(gainsaid.is_none(), "{:?} is in {} and not in {}", gainsaid, a, b);
        }
        Inclusion::Excluded { witness, .. } => {
            said.excluded += 1;
            prop_assert_eq!(schemas.check(a, &witness), Conformance::Conforms);
            let refused = refused(schemas, b, std::slice::from_ref(&witness));
            prop_assert!(refused.is_some(), "{} is taken by {}", witness, b);
        }
        Inclusion::Unknown { .. } => said.unknown += 1,
    }
    Ok(())
}

fn conforming(schemas: &Schemas, schema: &Json, seed: [u8; 32]) -> Vec<Json> {
    let mut draw = Draw::new(schema, seed);
    let drawn = (0..VALUES).map(|_| draw.value());
    drawn.filter(|value| schemas.check(schema, value) == Conformance::Conforms).collect()
}

fn refused<'v>(schemas: &Schemas, schema: &Json, values: &'v [Json]) -> Option<&'v Json> {
    values.iter().find(|value| matches!(schemas.check(schema, value), Conformance::Violates { .. }))
}

#[test]
fn a_proof_that_is_none_would_be_gainsaid() {
    let schemas = Schemas::default();
    for (a, b) in [
        (r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, r#"{"properties":{"a":{"minimum":0}}}"#),
        (r#"{"type":"array","items":{"type":["string","null"]}}"#, r#"{"items":{"type":"string"}}"#),
        (r#"{"type":"object","properties":{"a":{}}}"#, r#"{"properties":{"a":{}},"additionalProperties":false}"#),
    ] {
        let values = conforming(&schemas, &json(a), [7; 32]);
        assert!(refused(&schemas, &json(b), &values).is_some(), "{a} and {b}");
    }
}
