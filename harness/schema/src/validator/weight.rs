//! Estimate of the work on the patterns of a schema.

use serde_json::Value;

use crate::validator::meter::Rates;
use crate::validator::subschemas::each_schema;

/// Weight of all patterns of a schema together, at most. Each is compiled before it is used.
const ALL: u64 = 100_000;

/// Weight of a pattern beside its text.
const EACH: u64 = 40;

/// Weight of the name of a set of characters, which stands for many ranges.
const SET: u64 = 16;

/// Cost of a text that may be matched with backtracking.
const BACKTRACKING: u64 = 400;

/// Number of times that a match may backtrack.
pub(crate) const BACKTRACKS: usize = 20_000;

/// Returns the cost of looks at texts under the patterns of a schema, and the weight of all patterns.
///
/// # Errors
/// Fails if the patterns weigh too much, with the place that has most of them, as a JSON Pointer.
pub(crate) fn rates(schema: &mut Value) -> Result<(Rates, u64), String> {
    let (mut all, mut most, mut heaviest) = (0_u64, 0_u64, (0, String::new()));
    let mut backtracks = false;
    let Ok(()) = each_schema(schema, &mut |pointer, members| -> Result<(), std::convert::Infallible> {
        let own = members.get("pattern").and_then(Value::as_str).into_iter();
        let named = members.get("patternProperties").and_then(Value::as_object);
        let named = named.into_iter().flat_map(|named| named.keys()).map(String::as_str);
        let mut here = 0_u64;
        for pattern in own.chain(named) {
            let weight = weight(pattern);
            most = most.max(weight);
            here = here.saturating_add(weight + EACH);
            backtracks |= may_backtrack(pattern);
        }
        all = all.saturating_add(here);
        if here > heaviest.0 {
            let keyword = if members.contains_key("patternProperties") { "patternProperties" } else { "pattern" };
            heaviest = (here, format!("{pointer}/{keyword}"));
        }
        Ok(())
    });
    if all > ALL {
        return Err(heaviest.1);
    }
    let text = most / 16 + u64::from(most > 0) + if backtracks { BACKTRACKING } else { 0 };
    Ok((Rates { visit: 0, text }, all))
}

/// Returns true if a pattern can only be matched with backtracking.
fn may_backtrack(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<", "(?P=", "\\k"].iter().any(|mark| pattern.contains(mark))
        || pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && (b'1'..=b'9').contains(&pair[1]))
}

/// About how long a pattern is when every repetition is written out.
fn weight(pattern: &str) -> u64 {
    let mut groups = vec![Group::default()];
    let mut rest = pattern.chars();
    while let Some(next) = rest.next() {
        let Some(group) = groups.last_mut() else { return u64::MAX };
        match next {
            '(' => groups.push(Group::default()),
            ')' => {
                let inner = groups.pop().unwrap_or_default().all();
                match groups.last_mut() {
                    Some(outer) => outer.add(inner),
                    None => groups.push(Group { before: inner, last: 0 }),
                }
            }
            '{' => {
                let text = rest.as_str();
                if let Some((times, after)) = text.split_once('}').filter(|(times, _)| is_count(times)) {
                    let most = times.split(',').filter_map(|times| times.parse().ok()).max();
                    group.last = group.last.saturating_mul(most.unwrap_or(u64::from(u32::MAX)).max(1));
                    rest = after.chars();
                } else {
                    group.add(1);
                }
            }
            '\\' => match rest.next() {
                Some('p' | 'P') => {
                    let named = rest.as_str().strip_prefix('{').and_then(|name| name.split_once('}'));
                    rest = named.map_or(rest.as_str(), |(_, after)| after).chars();
                    group.add(SET);
                }
                Some('w' | 'W' | 's' | 'S' | 'd' | 'D') => group.add(SET),
                Some(_) | None => group.add(1),
            },
            _ => group.add(1),
        }
    }
    groups.into_iter().fold(0, |all, group| all.saturating_add(group.all()))
}

fn is_count(times: &str) -> bool {
    times.starts_with(|first: char| first.is_ascii_digit())
        && times.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
}

/// Group of a pattern that is not closed yet.
#[derive(Default)]
struct Group {
    before: u64,
    /// The last piece, which a repetition is about.
    last: u64,
}

impl Group {
    fn add(&mut self, weight: u64) {
        self.before = self.before.saturating_add(self.last);
        self.last = weight;
    }

    fn all(self) -> u64 {
        self.before.saturating_add(self.last)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case("abc", 3)]
    #[case("^a{3}b$", 6)]
    #[case("(ab{2}){10}", 30)]
    #[case("(a{100}){100}", 10_000)]
    #[case(r"\p{L}{5}", 80)]
    #[case("a{,3}", 5)]
    #[case("a{2,}", 2)]
    #[case(")))(", 0)]
    fn repetitions_multiply(#[case] pattern: &str, #[case] expected: u64) {
        assert_eq!(weight(pattern), expected);
    }

    #[test]
    fn too_many_patterns_are_named_by_their_place() {
        let named: serde_json::Map<_, _> = (0..5_000).map(|at| (format!("^n{at}$"), json!(true))).collect();
        let mut schema = json!({"properties": {"a": {"patternProperties": named}, "b": {"pattern": "^b$"}}});
        assert_eq!(rates(&mut schema), Err("/properties/a/patternProperties".to_owned()));
        assert!(rates(&mut json!({"pattern": "((a{1000}){1000}){1000}"})).is_err());
        let (plain, weight) = rates(&mut json!({"pattern": "^[a-z]+$"})).unwrap();
        let (looking, _) = rates(&mut json!({"pattern": "^(?=.*a)[a-z]+$"})).unwrap();
        assert!(plain.text > 0 && looking.text > BACKTRACKING && weight > EACH);
        assert_eq!(rates(&mut json!({})).unwrap(), (Rates::default(), 0));
    }
}
