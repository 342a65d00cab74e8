//! Runs the target that `FUZZ_TARGET` names under libFuzzer: `.ci/fuzz TARGET SECONDS`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use mcp_compat_lab::fuzz::{Input, Target, mutate, target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("FUZZ_TARGET is {name:?}, which is no target"))
});

fuzz_target!(|bytes: &[u8]| (TARGET.run)(bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // Mutated bytes are seldom JSON. Every fourth time they are wanted nevertheless.
    if TARGET.input == Input::Json && seed % 4 != 0 {
        let mutated = mutate(&data[..size], u64::from(seed));
        if !mutated.is_empty() && mutated.len() <= max_size {
            data[..mutated.len()].copy_from_slice(&mutated);
            return mutated.len();
        }
    }
    fuzzer_mutate(data, size, max_size)
});
