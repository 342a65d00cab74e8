//! Candidates for the reduction of a pair that still shows the same difference.
//!
//! ```text
//! Pair ─ smaller ─> candidates, each with one part less ─ still differs? ─> the smallest that does ─┐
//!   ^───────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```

use serde_json::Value;

use super::Pair;

/// Largest number of candidates of a pair in a round.
const CANDIDATES: usize = 24;

/// Returns the pairs with one part less, smallest first.
pub fn smaller(pair: &Pair) -> Vec<Pair> {
    let mut found: Vec<Pair> = without_a_part(&pair.schema)
        .into_iter()
        .filter(Value::is_object)
        .map(|schema| Pair { schema, value: pair.value.clone() })
        .collect();
    found.extend(without_a_part(&pair.value).into_iter().map(|value| Pair { schema: pair.schema.clone(), value }));
    found.sort_by_key(|pair| pair.schema.to_string().len() + pair.value.to_string().len());
    found.truncate(CANDIDATES);
    found
}

/// Returns the variants of a value with one member or item less, at any depth.
fn without_a_part(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let mut less = members.clone();
                less.remove(name);
                found.push(Value::Object(less));
                let with = |member| {
                    let mut with = members.clone();
                    with.insert(name.clone(), member);
                    Value::Object(with)
                };
                found.extend(without_a_part(member).into_iter().map(with));
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                let mut less = items.clone();
                less.remove(place);
                found.push(Value::Array(less));
                let with = |item| {
                    let mut with = items.clone();
                    with[place] = item;
                    Value::Array(with)
                };
                found.extend(without_a_part(item).into_iter().map(with));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_candidate_has_one_part_less() {
        let pair = Pair { schema: json!({ "type": "object", "required": ["a"] }), value: json!({ "a": [1] }) };
        let candidates = smaller(&pair);
        let schemas =
            [json!({ "type": "object" }), json!({ "required": ["a"] }), json!({ "type": "object", "required": [] })];
        assert!(schemas.iter().all(|schema| candidates.iter().any(|pair| pair.schema == *schema)));
        let values = [json!({}), json!({ "a": [] })];
        assert!(values.iter().all(|value| candidates.iter().any(|pair| pair.value == *value)));
        assert_eq!(candidates.len(), schemas.len() + values.len());
    }

    #[test]
    fn nothing_is_left_of_what_has_no_parts() {
        assert!(smaller(&Pair { schema: json!({}), value: json!(1) }).is_empty());
    }
}
