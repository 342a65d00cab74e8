//! Arrays: lengths, and what stands at each place.

use mcp_compat_json::Json;

use super::{Proof, Prover, doubt, is_2020};
use crate::inclusion::case::Case;
use crate::inclusion::document::Node;

/// Number of places with a schema of their own that are compared.
const PLACES: usize = 64;

impl<'d> Prover<'d> {
    /// Shows a keyword of a goal for arrays.
    pub(super) fn array_keyword(&mut self, case: &Case<'d>, goal: &Node<'d>, keyword: &str) -> Proof {
        let unshown = |why: &str| doubt(goal, Some(keyword), why);
        let wanted = goal.count(keyword);
        match keyword {
            "minItems" if wanted.is_none_or(|wanted| least_items(case) < wanted) => {
                unshown("there may be fewer elements")
            }
            "maxItems" if wanted.is_none_or(|wanted| most_items(case).is_none_or(|most| most > wanted)) => {
                unshown("there may be more elements")
            }
            "uniqueItems" if goal.get(keyword).and_then(Json::as_bool) == Some(true) => {
                let unique = case.holds.iter().any(|node| node.get(keyword).and_then(Json::as_bool) == Some(true));
                // An array of one has nothing to repeat.
                if unique || most_items(case).is_some_and(|most| most <= 1) {
                    Ok(())
                } else {
                    unshown("elements may repeat")
                }
            }
            "prefixItems" | "items" => self.elements(case, goal),
            "additionalItems" if is_2020(goal.dialect()) => unshown("it is not a keyword of this dialect"),
            "unevaluatedItems" if is_2020(goal.dialect()) && goal.elements().1.is_none() => {
                unshown("what is evaluated elsewhere is not reasoned about")
            }
            "unevaluatedItems" if is_2020(goal.dialect()) => self.elements(case, goal),
            "contains" => self.contains(case, goal),
            _ => Ok(()),
        }
    }

    /// Shows that each place has what the goal wants there.
    fn elements(&mut self, case: &Case<'d>, goal: &Node<'d>) -> Proof {
        let (wanted, rest) = goal.elements();
        let own = case.holds.iter().map(|node| node.elements().0.len()).max().unwrap_or(0).max(wanted.len());
        if own > PLACES {
            return doubt(goal, None, "there are too many places to look at");
        }
        let most = most_items(case);
        // Beyond those with a schema of their own, all places are alike: one stands for them.
        for place in 0..=own {
            if most.is_some_and(|most| place as u64 >= most) {
                break;
            }
            if let Some(part) = wanted.get(place).or(rest.as_ref()) {
                self.entails_inside(&case.element(place), part)?;
            }
        }
        Ok(())
    }

    fn contains(&mut self, case: &Case<'d>, goal: &Node<'d>) -> Proof {
        let counted = is_2020(goal.dialect());
        let least = if counted { goal.count("minContains").unwrap_or(1) } else { 1 };
        let unshown = |why: &str| doubt(goal, Some("contains"), why);
        if counted && goal.get("maxContains").is_some() {
            return unshown("how often it may be contained is not reasoned about");
        }
        let Some(wanted) = goal.part("contains").filter(|_| least > 0) else { return Ok(()) };
        for known in &case.holds {
            let Some(part) = known.part("contains") else { continue };
            let known_least = if is_2020(known.dialect()) { known.count("minContains").unwrap_or(1) } else { 1 };
            if known_least >= least && self.entails_inside(&[part], &wanted).is_ok() {
                return Ok(());
            }
        }
        // That many elements there are, and each of them is one.
        let sure = least <= least_items(case) && least <= PLACES as u64;
        if sure && (0..least as usize).all(|place| self.entails_inside(&case.element(place), &wanted).is_ok()) {
            return Ok(());
        }
        unshown("it may not be contained")
    }

    /// Returns true if no array can have as many elements as it must.
    pub(super) fn array_contradicts(&mut self, case: &Case<'d>) -> bool {
        let least = least_items(case);
        most_items(case).is_some_and(|most| least > most)
            || (0..least.min(4) as usize).any(|place| self.is_void(&case.element(place)))
    }
}

/// Smallest number of elements.
fn least_items(case: &Case<'_>) -> u64 {
    let contains = |node: &Node<'_>| {
        let optional = is_2020(node.dialect()) && node.count("minContains") == Some(0);
        node.get("contains").is_some() && !optional
    };
    let contained = u64::from(case.holds.iter().any(contains));
    case.most("minItems").unwrap_or(0).max(contained)
}

/// Largest number of elements. A place that allows no value does not count.
fn most_items(case: &Case<'_>) -> Option<u64> {
    let closed = |node: &Node<'_>| {
        let (first, rest) = node.elements();
        let forbidden = first.iter().position(|part| part.truth() == Some(false));
        let closed = rest.is_some_and(|rest| rest.truth() == Some(false)).then_some(first.len());
        forbidden.or(closed).map(|length| length as u64)
    };
    case.least("maxItems").into_iter().chain(case.holds.iter().filter_map(closed)).min()
}
