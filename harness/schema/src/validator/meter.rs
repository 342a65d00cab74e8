//! A budget for one validation, and the way out when it is spent.
//!
//! The validator cannot be interrupted, and no estimate of its work is both sound and close. So the work is counted while it
//! is done: the validator reads values through `Metered`, which charges for every look. When
//! the budget is spent, the stack is unwound to [`within`]. The count depends on the schema and the value alone, so the same
//! validation always ends in the same way. The clock is the last resort, for work between two looks.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Units of work that a validation may take beside those for its value: about 50 ms without optimisation.
const UNITS: u64 = 500_000;

/// Units of work for each value in the value. It takes about ten to check a member by a plain schema.
const EACH: u64 = 32;

/// Units of work that a validation may take at most.
const MOST: u64 = 16_000_000;

/// Stack that a validation may take, in bytes. Threads have two megabytes.
const STACK: usize = 768 * 1024;

/// Time that a validation may take. Its units are spent long before, unless the machine is very busy.
const TIME: Duration = Duration::from_secs(15);

/// Number of looks at a value after which the clock is read.
const LOOKS: u64 = 4_096;

/// Kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A subschema looked at a value.
    Visit,
    /// A value was compared with another one.
    Comparison,
    /// The name of a member was looked at.
    Name,
    Text,
}

/// Cost of looks under one schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rates {
    /// A look of a subschema, beside the one unit that it always costs.
    pub(crate) visit: u64,
    /// Every 64 bytes of a text or a name, beside the one unit that they always cost.
    pub(crate) text: u64,
}

/// The budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    /// Kind of work that most of it was spent on.
    pub(crate) on: Work,
}

struct Meter {
    left: Cell<u64>,
    spent: [Cell<u64>; 4],
    rates: Cell<Rates>,
    looks: Cell<u64>,
    /// Position of the stack at the start. It grows downwards on every supported platform.
    stack: Cell<usize>,
    end: Cell<Option<Instant>>,
}

thread_local! {
    static METER: Meter = const {
        Meter {
            left: Cell::new(u64::MAX),
            spent: [const { Cell::new(0) }; 4],
            rates: Cell::new(Rates { visit: 0, text: 0 }),
            looks: Cell::new(0),
            stack: Cell::new(usize::MAX),
            end: Cell::new(None),
        }
    };
}

/// Does work within the budget for a value in which so many stand.
///
/// # Errors
/// Fails when the budget is spent. The result of the work so far is lost.
pub(crate) fn within<T>(rates: Rates, values: usize, work: impl FnOnce() -> T) -> Result<T, Spent> {
    METER.with(|meter| meter.start(rates, values));
    let done = catch_unwind(AssertUnwindSafe(work));
    METER.with(Meter::stop);
    done.or_else(|payload| match payload.downcast::<Spent>() {
        Ok(spent) => Err(*spent),
        Err(panic) => resume_unwind(panic),
    })
}

/// Charges for one look.
pub(crate) fn look() {
    METER.with(|meter| meter.charge(Work::Visit, 1 + meter.rates.get().visit));
}

/// Charges for a text or a name of so many bytes.
pub(crate) fn text(what: Work, bytes: usize) {
    METER.with(|meter| meter.charge(what, 1 + (bytes as u64 / 64 + 1).saturating_mul(meter.rates.get().text)));
}

/// Charges for other work.
pub(crate) fn charge(what: Work, units: u64) {
    METER.with(|meter| meter.charge(what, units));
}

impl Meter {
    #[expect(clippy::disallowed_methods, reason = "the clock is the last resort: the count of the work comes first")]
    fn start(&self, rates: Rates, values: usize) {
        self.left.set(UNITS.saturating_add(EACH.saturating_mul(values as u64)).min(MOST));
        self.spent.iter().for_each(|spent| spent.set(0));
        self.rates.set(rates);
        self.looks.set(0);
        self.stack.set(here());
        self.end.set(Instant::now().checked_add(TIME));
    }

    fn stop(&self) {
        self.left.set(u64::MAX);
        self.stack.set(usize::MAX);
        self.end.set(None);
    }

    #[expect(clippy::disallowed_methods, reason = "the clock is the last resort: the count of the work comes first")]
    fn charge(&self, what: Work, units: u64) {
        let spent = &self.spent[what as usize];
        spent.set(spent.get().saturating_add(units));
        let left = self.left.get();
        self.looks.set(self.looks.get().wrapping_add(1));
        let is_late =
            || self.looks.get().is_multiple_of(LOOKS) && self.end.get().is_some_and(|end| Instant::now() > end);
        let is_deep = || self.stack.get() != usize::MAX && self.stack.get().saturating_sub(here()) > STACK;
        if units > left || is_deep() || is_late() {
            self.give_up();
        }
        self.left.set(left - units);
    }

    fn give_up(&self) -> ! {
        let all = [Work::Visit, Work::Comparison, Work::Name, Work::Text];
        let most = all.into_iter().max_by_key(|work| self.spent[*work as usize].get());
        resume_unwind(Box::new(Spent { on: most.unwrap_or(Work::Visit) }))
    }
}

/// About where the stack is.
fn here() -> usize {
    let place = 0_u8;
    std::ptr::from_ref(&place).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_its_budget_is_spent_and_the_next_has_a_budget_of_its_own() {
        let endless = || -> () {
            loop {
                charge(Work::Comparison, 7);
                look();
            }
        };
        for _ in 0..2 {
            assert_eq!(within(Rates::default(), 1, endless), Err(Spent { on: Work::Comparison }));
            assert_eq!(within(Rates::default(), 1, || 7), Ok(7));
        }
        // Outside of a budget nothing is counted.
        charge(Work::Visit, UNITS);
        charge(Work::Visit, UNITS);
    }

    #[test]
    fn recursion_ends_before_the_stack_does() {
        fn deeper(level: u64) -> u64 {
            look();
            if level == u64::MAX { 0 } else { std::hint::black_box(level) + deeper(level + 1) }
        }
        assert_eq!(within(Rates::default(), 1, || deeper(0)), Err(Spent { on: Work::Visit }));
    }

    #[test]
    fn a_panic_goes_through() {
        let caught = catch_unwind(|| within(Rates::default(), 1, || -> () { resume_unwind(Box::new("mine")) }));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"mine"));
    }
}
