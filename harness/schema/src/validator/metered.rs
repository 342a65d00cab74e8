//! JSON values as the validator reads them, with a charge for every look.

use std::borrow::Cow;
use std::collections::HashSet;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, cmp};
use serde_json::{Map, Number, Value, map};

use crate::validator::meter::{Work, charge, look, text};

/// Cost of an error: it has places, and keeps them.
const ERROR: u64 = 64;

/// Cost of a look at the identity: it is searched for among those of the values around.
const IDENTITY: u64 = 4;

/// The representation of JSON.
pub(crate) struct Metered;

#[derive(Clone, Copy)]
pub(crate) struct Instance<'a>(pub(crate) &'a Value);

pub(crate) struct Digits<'a>(&'a Number);

/// The members of an object, and the elements of an array.
pub(crate) struct Members<'a>(&'a Map<String, Value>);
pub(crate) struct Elements<'a>(&'a [Value]);

/// One after the other.
pub(crate) struct EachMember<'a>(map::Iter<'a>);
pub(crate) struct EachElement<'a>(std::slice::Iter<'a, Value>);

impl Json for Metered {
    type Node<'a> = Instance<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut Value, string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        *buffer = Value::String(string.to_owned());
        f(Instance(buffer))
    }
}

impl<'a> Node<'a, Metered> for Instance<'a> {
    type Object = Members<'a>;
    type Array = Elements<'a>;
    type Number = Digits<'a>;

    fn as_object(&self) -> Option<Members<'a>> {
        look();
        self.0.as_object().map(Members)
    }

    fn as_array(&self) -> Option<Elements<'a>> {
        look();
        self.0.as_array().map(|elements| Elements(elements))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        look();
        let string = self.0.as_str()?;
        text(Work::Text, string.len());
        Some(Cow::Borrowed(string))
    }

    fn as_number(&self) -> Option<Digits<'a>> {
        look();
        match self.0 {
            Value::Number(number) => Some(Digits(number)),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        look();
        self.0.as_bool()
    }

    fn is_null(&self) -> bool {
        look();
        self.0.is_null()
    }

    fn json_type(&self) -> JsonType {
        look();
        JsonType::from(self.0)
    }

    fn string_length(&self) -> Option<u64> {
        look();
        let string = self.0.as_str()?;
        charge(Work::Text, string.len() as u64 / 64);
        Some(string.chars().count() as u64)
    }

    fn equals_value(&self, expected: &Value) -> bool {
        look();
        are_equal(self.0, expected)
    }

    fn to_value(&self) -> Cow<'a, Value> {
        charge(Work::Visit, ERROR);
        Cow::Borrowed(self.0)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        charge(Work::Visit, IDENTITY);
        look();
        Some(NodeIdentity::new(std::ptr::from_ref(self.0).addr()))
    }
}

impl<'a> Object<'a, Metered> for Members<'a> {
    type Node = Instance<'a>;
    type MemberName = &'a str;
    type MembersIter = EachMember<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<Instance<'a>> {
        charge(Work::Name, 1);
        self.0.get(key.as_str()).map(Instance)
    }

    fn members(&self) -> EachMember<'a> {
        EachMember(self.0.iter())
    }
}

impl<'a> Array<'a, Metered> for Elements<'a> {
    type Node = Instance<'a>;
    type ElementsIter = EachElement<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> EachElement<'a> {
        EachElement(self.0.iter())
    }

    /// By one text for each value, so that there is no pair of values to compare.
    fn is_unique(&self) -> bool {
        let mut seen = HashSet::new();
        self.0.iter().all(|element| {
            let mut key = String::new();
            write_key(element, &mut key);
            seen.insert(key)
        })
    }
}

impl<'a> Iterator for EachMember<'a> {
    type Item = (&'a str, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.0.next()?;
        text(Work::Name, name.len());
        Some((name.as_str(), Instance(value)))
    }
}

impl<'a> Iterator for EachElement<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Instance<'a>> {
        look();
        self.0.next().map(Instance)
    }
}

impl JsonNumber for Digits<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.0.to_string())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Borrowed(self.0)
    }

    fn is_written_as_integer(&self) -> bool {
        JsonNumber::is_written_as_integer(&self.0)
    }
}

/// Equality as JSON Schema has it: numbers by their value, objects without order.
fn are_equal(one: &Value, other: &Value) -> bool {
    charge(Work::Comparison, 1);
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, one): (&String, &Value)| other.get(name).is_some_and(|other| are_equal(one, other));
            one.len() == other.len() && one.iter().all(same)
        }
        (Value::String(one), Value::String(other)) => {
            if one.len() == other.len() {
                charge(Work::Comparison, one.len() as u64 / 64);
            }
            one == other
        }
        (one, other) => cmp::equal(one, other),
    }
}

/// Writes a text that is the same for equal values only.
fn write_key(value: &Value, key: &mut String) {
    charge(Work::Comparison, 2);
    match value {
        Value::Null => key.push('n'),
        Value::Bool(value) => key.push(if *value { 't' } else { 'f' }),
        Value::Number(number) => {
            key.push_str(&number_key(number));
            key.push(',');
        }
        Value::String(text) => write_text(text, key),
        Value::Array(elements) => {
            key.push('[');
            elements.iter().for_each(|element| write_key(element, key));
            key.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            key.push('{');
            for (name, member) in members {
                write_text(name, key);
                write_key(member, key);
            }
            key.push('}');
        }
    }
}

/// A text with its length, so that it cannot be taken for anything else.
fn write_text(text: &str, key: &mut String) {
    charge(Work::Comparison, text.len() as u64 / 64);
    key.push_str(&text.len().to_string());
    key.push('"');
    key.push_str(text);
}

/// A number that is whole is written as an integer, however it was written.
fn number_key(number: &Number) -> String {
    const EXACT: f64 = 1e38;
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(whole), ..) => whole.to_string(),
        (_, Some(whole), _) => whole.to_string(),
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range")]
        (_, _, Some(float)) if float.fract() == 0.0 && float.abs() < EXACT => (float as i128).to_string(),
        (_, _, Some(float)) => format!("x{:x}", float.to_bits()),
        (None, None, None) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(json!([1, 1.0]), false)]
    #[case(json!([0, -0.0]), false)]
    #[case(json!([1.5, 1.5]), false)]
    #[case(json!([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]), false)]
    #[case(json!([9_007_199_254_740_993_u64, 9_007_199_254_740_992_u64]), true)]
    #[case(json!(["1", 1, [1], [[1]], {"1": 1}, null, "n", false, "f", "", []]), true)]
    #[case(json!([["a", "b"], ["ab"], ["a\"1\"b"], [1, 2], [12]]), true)]
    fn elements_are_unique_as_json_schema_has_it(#[case] array: Value, #[case] unique: bool) {
        let elements = array.as_array().unwrap();
        assert_eq!(Elements(elements).is_unique(), unique);
        assert_eq!(jsonschema::json::unique::is_unique(elements), unique, "as the validator has it");
    }

    #[rstest]
    #[case(json!(1), json!(1.0), true)]
    #[case(json!({"a": [1, "x"]}), json!({"a": [1.0, "x"]}), true)]
    #[case(json!({"a": 1}), json!({"b": 1}), false)]
    #[case(json!([1]), json!([1, 2]), false)]
    #[case(json!(true), json!(1), false)]
    fn values_are_equal_as_json_schema_has_it(#[case] one: Value, #[case] other: Value, #[case] equal: bool) {
        assert_eq!((are_equal(&one, &other), cmp::equal(&one, &other)), (equal, equal));
    }
}
