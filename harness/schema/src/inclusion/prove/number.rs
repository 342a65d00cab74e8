//! Numbers: bounds and multiples.

use mcp_compat_json::{Json, Number};

use super::{Proof, doubt};
use crate::inclusion::case::Case;
use crate::inclusion::document::Node;
use crate::inclusion::types::Type;

/// A bound, and whether the bound itself is left out.
type Bound<'d> = (&'d Number, bool);

/// Shows a keyword of a goal for numbers.
pub(super) fn keyword(case: &Case<'_>, of: Type, goal: &Node<'_>, keyword: &str) -> Proof {
    let Some(wanted) = goal.get(keyword).and_then(Json::as_number) else { return Ok(()) };
    let shown = match keyword {
        "minimum" => lower(case).is_some_and(|known| is_above(known, of, (wanted, false))),
        "exclusiveMinimum" => lower(case).is_some_and(|known| is_above(known, of, (wanted, true))),
        "maximum" => upper(case).is_some_and(|known| is_below(known, of, (wanted, false))),
        "exclusiveMaximum" => upper(case).is_some_and(|known| is_below(known, of, (wanted, true))),
        "multipleOf" => is_multiple(case, of, wanted),
        _ => true,
    };
    if shown { Ok(()) } else { doubt(goal, Some(keyword), &format!("the number may not be within {wanted}")) }
}

/// Returns true if no number of that type can be within the bounds.
pub(super) fn contradicts(case: &Case<'_>, of: Type) -> bool {
    if of == Type::Fraction && whole_factors(case).next().is_some() {
        return true;
    }
    let (Some(lower), Some(upper)) = (lower(case), upper(case)) else { return false };
    if lower.0 > upper.0 || (lower.0 == upper.0 && (lower.1 || upper.1)) {
        return true;
    }
    let ends = (first_integer(lower), last_integer(upper));
    matches!(ends, (Some(first), Some(last)) if of == Type::Integer && first > last)
}

fn lower<'d>(case: &Case<'d>) -> Option<Bound<'d>> {
    bounds(case, ["minimum", "exclusiveMinimum"]).max_by_key(|(bound, open)| (*bound, *open))
}

fn upper<'d>(case: &Case<'d>) -> Option<Bound<'d>> {
    bounds(case, ["maximum", "exclusiveMaximum"]).min_by_key(|(bound, open)| (*bound, !*open))
}

fn bounds<'c, 'd>(
    case: &'c Case<'d>,
    [closed, open]: [&'static str; 2],
) -> impl Iterator<Item = Bound<'d>> + use<'c, 'd> {
    let bound = |node: &Node<'d>, keyword: &str| node.get(keyword).and_then(Json::as_number);
    case.holds
        .iter()
        .flat_map(move |node| {
            [bound(node, closed).map(|number| (number, false)), bound(node, open).map(|number| (number, true))]
        })
        .flatten()
}

/// Returns true if numbers above one bound are above another.
fn is_above(known: Bound<'_>, of: Type, wanted: Bound<'_>) -> bool {
    known.0 > wanted.0
        || (known.0 == wanted.0 && (known.1 || !wanted.1))
        || (of == Type::Integer
            && first_integer(known).is_some_and(|first| first > *wanted.0 || (first == *wanted.0 && !wanted.1)))
}

fn is_below(known: Bound<'_>, of: Type, wanted: Bound<'_>) -> bool {
    known.0 < wanted.0
        || (known.0 == wanted.0 && (known.1 || !wanted.1))
        || (of == Type::Integer
            && last_integer(known).is_some_and(|last| last < *wanted.0 || (last == *wanted.0 && !wanted.1)))
}

/// The first integer above a bound that is one itself.
fn first_integer((bound, open): Bound<'_>) -> Option<Number> {
    Some(bound.as_i64()?.checked_add(open.into())?.into())
}

fn last_integer((bound, open): Bound<'_>) -> Option<Number> {
    Some(bound.as_i64()?.checked_sub(open.into())?.into())
}

/// Returns true if the numbers are multiples of another one. Fractions are excluded, because the validator uses doubles for
/// them.
fn is_multiple(case: &Case<'_>, of: Type, wanted: &Number) -> bool {
    let Some(wanted) = wanted.as_u64().filter(|wanted| *wanted > 0) else { return false };
    (wanted == 1 && of == Type::Integer) || whole_factors(case).any(|factor| factor % wanted == 0)
}

fn whole_factors(case: &Case<'_>) -> impl Iterator<Item = u64> {
    case.holds.iter().filter_map(|node| node.count("multipleOf")).filter(|factor| *factor > 0)
}
