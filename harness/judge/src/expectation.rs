//! Comparison of an outcome with what is expected.

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::{Outcome, OutcomeGroup, Rating};
use mcp_compat_scenario::scenario::{Call, Means};

/// The least that a call must give at a revision; `None` if the revision has nothing of the kind.
///
/// Before 2025-06-18 there is no structured output: a value can be sent as text at most, and there is no schema that
/// a result could violate.
pub fn expected(call: &Call, revision: Revision) -> Option<Outcome> {
    let least = call.expect.in_era(revision.era());
    if revision.has_structured_output() {
        return Some(least);
    }
    match call.means {
        Means::Value(_) if is_better(least, Outcome::Text) => Some(Outcome::Text),
        Means::Value(_) | Means::Text(_) | Means::ToolError(_) => Some(least),
        Means::Invalid => None,
    }
}

pub fn rating(outcome: Outcome, expected: Outcome) -> Rating {
    if outcome == expected || is_better(outcome, expected) {
        return Rating::Works;
    }
    if matches!(outcome, Outcome::Wrapped | Outcome::Text) {
        Rating::Degraded
    } else if outcome == Outcome::Unsupported {
        Rating::Skipped
    } else {
        Rating::Breaks
    }
}

/// Orders the outcomes that a cell may have: by the rating, then by silence, then by the order of outcomes.
pub(crate) fn severity(rating: Rating, outcome: Outcome) -> (u8, bool, Outcome) {
    let rank = match rating {
        Rating::Skipped => 0,
        Rating::Works => 1,
        Rating::Degraded => 2,
        Rating::Breaks => 3,
    };
    (rank, rating == Rating::Breaks && outcome.is_silent(), outcome)
}

/// Returns true if one outcome is better than another of the same group. Where the end of the session was expected, any
/// outcome is better of which the user learned.
fn is_better(outcome: Outcome, than: Outcome) -> bool {
    if matches!(than, Outcome::Unreachable | Outcome::Hung | Outcome::Crashed) {
        return outcome.group() != OutcomeGroup::Session && !outcome.is_silent();
    }
    outcome.is_better_than(than)
}

#[cfg(test)]
mod tests {
    use mcp_compat_json::Json;
    use mcp_compat_scenario::scenario::{Expect, Purpose};
    use rstest::rstest;

    use super::*;

    fn call(means: Means, expect: Expect) -> Call {
        Call::new("t", Purpose::Subject, means, expect)
    }

    #[rstest]
    #[case::as_expected(Outcome::Intact, Outcome::Intact, Rating::Works)]
    #[case::better_than_expected(Outcome::Intact, Outcome::Text, Rating::Works)]
    #[case::less_but_to_be_had(Outcome::Text, Outcome::Intact, Rating::Degraded)]
    #[case::less_but_whole(Outcome::Wrapped, Outcome::Intact, Rating::Degraded)]
    #[case::less_and_gone(Outcome::Prose, Outcome::Text, Rating::Breaks)]
    #[case::rejected_where_that_is_expected(Outcome::Rejected, Outcome::Rejected, Rating::Works)]
    #[case::told(Outcome::Told, Outcome::Told, Rating::Works)]
    #[case::masked(Outcome::Masked, Outcome::Told, Rating::Breaks)]
    #[case::uncaught(Outcome::Uncaught, Outcome::Caught, Rating::Breaks)]
    #[case::hung(Outcome::Hung, Outcome::Lost, Rating::Breaks)]
    #[case::never_better_than_another_meaning(Outcome::Told, Outcome::Lost, Rating::Breaks)]
    #[case::a_session_where_none_was_expected(Outcome::Intact, Outcome::Unreachable, Rating::Works)]
    #[case::an_error_in_place_of_silence(Outcome::Rejected, Outcome::Hung, Rating::Works)]
    #[case::a_value_from_nowhere(Outcome::Altered, Outcome::Hung, Rating::Breaks)]
    #[case::silence_in_place_of_an_end(Outcome::Hung, Outcome::Crashed, Rating::Breaks)]
    #[case::unsupported(Outcome::Unsupported, Outcome::Intact, Rating::Skipped)]
    fn ratings(#[case] outcome: Outcome, #[case] least: Outcome, #[case] expected: Rating) {
        assert_eq!(rating(outcome, least), expected);
    }

    #[test]
    fn a_revision_without_structured_output_is_asked_for_text_at_most() {
        let value = call(Means::Value(Json::Null), Expect::both(Outcome::Intact));
        assert_eq!(expected(&value, Revision::V2025_03_26), Some(Outcome::Text));
        assert_eq!(expected(&value, Revision::V2025_06_18), Some(Outcome::Intact));
        let less = call(Means::Value(Json::Null), Expect::both(Outcome::Prose));
        assert_eq!(expected(&less, Revision::V2024_11_05), Some(Outcome::Prose));
        let text = call(Means::Text(String::new()), Expect::both(Outcome::Intact));
        assert_eq!(expected(&text, Revision::V2024_11_05), Some(Outcome::Intact));
    }

    #[test]
    fn a_revision_without_schemas_has_nothing_to_catch() {
        let invalid = call(Means::Invalid, Expect::both(Outcome::Caught));
        assert_eq!(expected(&invalid, Revision::V2025_03_26), None);
        assert_eq!(expected(&invalid, Revision::V2025_06_18), Some(Outcome::Caught));
    }

    #[test]
    fn the_era_chooses_what_is_expected() {
        let expect = Expect { legacy: Outcome::Text, modern: Outcome::Intact };
        let value = call(Means::Value(Json::Null), expect);
        assert_eq!(expected(&value, Revision::V2025_11_25), Some(Outcome::Text));
        assert_eq!(expected(&value, Revision::V2026_07_28), Some(Outcome::Intact));
    }

    #[test]
    fn a_silent_break_is_worse_than_a_loud_one_and_any_break_than_a_degraded_call() {
        let silent = severity(Rating::Breaks, Outcome::Altered);
        let loud = severity(Rating::Breaks, Outcome::Hung);
        let degraded = severity(Rating::Degraded, Outcome::Text);
        assert!(silent > loud && loud > degraded && degraded > severity(Rating::Works, Outcome::Intact));
    }
}
