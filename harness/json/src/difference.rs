//! First difference between two values, worded for a maintainer.

use super::equality::{ByKey, SameNumber};
use super::pointer::{Step, to_pointer};
use super::{Json, JsonString, Number, Object};
use std::fmt;

/// Most characters in an excerpt of a value.
const EXCERPT: usize = 60;

/// The first place where a value is not what was expected. Displays as one short sentence:
/// `/users/0/id is 1, not 2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The place, as a JSON Pointer; empty for the whole value. Lone surrogates in keys are written as U+FFFD.
    pub pointer: String,
    pub kind: DifferenceKind,
}

/// Difference between two values in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DifferenceKind {
    /// An expected member is missing.
    Missing,
    /// A member was not expected.
    Unexpected,
    /// The values are of different kinds.
    Kind {
        /// The kind that was expected, as [`Json::kind`] names it.
        expected: &'static str,
        found: &'static str,
    },
    /// The values are of one kind, neither arrays nor objects, and not equal.
    Value {
        /// Expected value as JSON text; of a long text, an excerpt from about the difference.
        expected: String,
        found: String,
    },
    /// The arrays are not of one length.
    Length {
        /// The number of elements that was expected.
        expected: usize,
        /// The number of elements that was found.
        found: usize,
    },
    /// The object has the key, but a different number of times.
    Repeats {
        /// Expected number of occurrences of the key.
        expected: usize,
        /// Number of occurrences that was found.
        found: usize,
    },
}

impl Json {
    /// Returns the first place where `found` differs from `self`; `None` if and only if the two are equal.
    ///
    /// "First" refers to the order of `self`; additional parts of `found` come last. Arrays of different lengths differ
    /// in their length, whatever their elements are.
    pub fn first_difference(&self, found: &Json) -> Option<Difference> {
        if self == found { None } else { self.difference(found, Number::eq) }
    }

    /// Returns the first place where `found` has not kept this value; `None` if and only if
    /// [`is_kept_in`](Json::is_kept_in) holds.
    ///
    /// "First" has the same meaning as in [`first_difference`](Json::first_difference).
    pub fn first_loss(&self, found: &Json) -> Option<Difference> {
        self.difference(found, Number::is_kept_in)
    }

    fn difference(&self, found: &Json, numbers: SameNumber) -> Option<Difference> {
        let mut path = Vec::new();
        let mut pending = vec![Pending { depth: 0, step: None, task: Task::Compare(self, found) }];
        while let Some(Pending { depth, step, task }) = pending.pop() {
            path.truncate(depth);
            path.extend(step);
            let difference = match task {
                Task::Compare(expected, found) => compare(expected, found, numbers, path.len(), &mut pending),
                Task::Tell(kind) => Some(kind),
            };
            if let Some(kind) = difference {
                return Some(Difference { pointer: to_pointer(&path), kind });
            }
        }
        None
    }
}

/// Pending comparison at a place: the last step to it, and the length of the path before that step.
struct Pending<'v> {
    depth: usize,
    step: Option<Step<'v>>,
    task: Task<'v>,
}

enum Task<'v> {
    Compare(&'v Json, &'v Json),
    Tell(DifferenceKind),
}

/// Compares two values without their parts. Comparisons of the parts are pushed so that the first one is taken first.
fn compare<'v>(
    expected: &'v Json,
    found: &'v Json,
    numbers: SameNumber,
    depth: usize,
    pending: &mut Vec<Pending<'v>>,
) -> Option<DifferenceKind> {
    match (expected, found) {
        (Json::Array(expected), Json::Array(found)) => {
            if expected.len() != found.len() {
                return Some(DifferenceKind::Length { expected: expected.len(), found: found.len() });
            }
            let pairs = expected.iter().zip(found).enumerate().rev();
            pending.extend(pairs.map(|(at, (expected, found))| {
                let task = Task::Compare(expected, found);
                Pending { depth, step: Some(Step::Index(at)), task }
            }));
            None
        }
        (Json::Object(expected), Json::Object(found)) => {
            let mut tasks = compare_members(expected, found);
            let tasks = tasks.drain(..).rev();
            pending.extend(tasks.map(|(key, task)| Pending { depth, step: Some(Step::Key(key)), task }));
            None
        }
        _ if expected.kind() != found.kind() => {
            Some(DifferenceKind::Kind { expected: expected.kind(), found: found.kind() })
        }
        (Json::Number(expected), Json::Number(found)) if numbers(expected, found) => None,
        _ if expected == found => None,
        _ => {
            let (expected, found) = excerpts(&expected.to_compact(), &found.to_compact());
            Some(DifferenceKind::Value { expected, found })
        }
    }
}

/// Returns the comparisons of the members of two objects, in the order of the expected one.
fn compare_members<'v>(expected: &'v Object, found: &'v Object) -> Vec<(&'v JsonString, Task<'v>)> {
    let (all_expected, all_found) = (ByKey::new(expected), ByKey::new(found));
    let mut tasks = Vec::with_capacity(expected.len());
    for (key, value) in expected.iter() {
        let (expected, found) = (all_expected.group(key), all_found.group(key));
        // A repeated key is compared at its first occurrence.
        if !expected.first().is_some_and(|(_, first)| std::ptr::eq(*first, value)) {
            continue;
        }
        match (expected.len(), found.len()) {
            (_, 0) => tasks.push((key, Task::Tell(DifferenceKind::Missing))),
            (expected, found) if expected != found => {
                tasks.push((key, Task::Tell(DifferenceKind::Repeats { expected, found })));
            }
            _ => {
                let pairs = expected.iter().zip(found);
                tasks.extend(pairs.map(|((_, expected), (_, found))| (key, Task::Compare(expected, found))));
            }
        }
    }
    let unexpected = found.iter().map(|(key, _)| key).filter(|key| all_expected.group(key).is_empty());
    tasks.extend(unexpected.map(|key| (key, Task::Tell(DifferenceKind::Unexpected))));
    tasks
}

/// Returns excerpts of two texts that differ: all, or from about the first difference.
fn excerpts(expected: &str, found: &str) -> (String, String) {
    let common = expected.chars().zip(found.chars()).take_while(|(one, other)| one == other).count();
    (excerpt(expected, common), excerpt(found, common))
}

fn excerpt(text: &str, place: usize) -> String {
    let length = text.chars().count();
    if length <= EXCERPT {
        return text.to_owned();
    }
    let start = if place < EXCERPT / 2 { 0 } else { place - EXCERPT / 4 };
    let before = if start > 0 { "…" } else { "" };
    let after = if start + EXCERPT < length { "…" } else { "" };
    let shown: String = text.chars().skip(start).take(EXCERPT).collect();
    format!("{before}{shown}{after}")
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.pointer.is_empty() { "the value" } else { &self.pointer })?;
        match &self.kind {
            DifferenceKind::Missing => f.write_str(" is missing"),
            DifferenceKind::Unexpected => f.write_str(" was not expected"),
            DifferenceKind::Kind { expected, found } => {
                write!(f, " is {}, not {}", with_article(found), with_article(expected))
            }
            DifferenceKind::Value { expected, found } => write!(f, " is {found}, not {expected}"),
            DifferenceKind::Length { expected, found: 1 } => write!(f, " has 1 element, not {expected}"),
            DifferenceKind::Length { expected, found } => write!(f, " has {found} elements, not {expected}"),
            DifferenceKind::Repeats { expected, found } => {
                write!(f, " is there {}, not {}", times(*found), times(*expected))
            }
        }
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "array" | "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(expected: &str, found: &str) -> String {
        let (expected, found) = (Json::parse(expected).unwrap(), Json::parse(found).unwrap());
        expected.first_difference(&found).map_or_else(String::new, |difference| difference.to_string())
    }

    #[test]
    fn each_kind_of_difference_reads_as_a_sentence() {
        let cases = [
            (r#"{"a":{"b":[1,2]}}"#, r#"{"a":{"b":[1,3]}}"#, "/a/b/1 is 3, not 2"),
            (r#"{"a":1,"b":2}"#, r#"{"b":2}"#, "/a is missing"),
            (r#"{"b":2}"#, r#"{"a":1,"b":2}"#, "/a was not expected"),
            ("[1,2]", "[2]", "the value has 1 element, not 2"),
            ("[[1]]", "[[]]", "/0 has 0 elements, not 1"),
            ("[]", "{}", "the value is an object, not an array"),
            ("null", r#""null""#, "the value is a string, not null"),
            (r#"{"a":1}"#, r#"{"a":1,"a":1}"#, "/a is there twice, not once"),
            (r#"{"a":1,"a":2,"a":3}"#, r#"{"a":1}"#, "/a is there once, not 3 times"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#, "/a is 2, not 1"),
            (r#"{"a/b":{"m~n":true}}"#, r#"{"a/b":{"m~n":false}}"#, "/a~1b/m~0n is false, not true"),
            (r#"["\ud800"]"#, r#"["\ud801"]"#, r#"/0 is "\ud801", not "\ud800""#),
            (r#"{"b":1,"a":2}"#, r#"{"a":1.0,"b":1.00}"#, "/a is 1.0, not 2"),
        ];
        for (expected, found, told) in cases {
            assert_eq!(sentence(expected, found), told);
        }
    }

    #[test]
    fn the_first_difference_is_first_in_the_order_of_what_was_expected() {
        assert_eq!(sentence(r#"{"z":1,"y":1,"x":1}"#, r#"{"w":0,"x":0,"y":0,"z":1}"#), "/y is 0, not 1");
        assert_eq!(sentence("[[1],2,3]", "[[1],4,5]"), "/1 is 4, not 2");
    }

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let (same, rest) = ("x".repeat(500), "y".repeat(500));
        let difference = sentence(&format!("\"{same}1{rest}\""), &format!("\"{same}2{rest}\""));
        assert!(difference.starts_with("the value is …xxx"), "{difference}");
        assert!(difference.contains("x2y") && difference.contains("x1y"), "{difference}");
        assert!(difference.chars().count() < 160, "{difference}");
        assert!(sentence(&"1".repeat(100), &"2".repeat(99)).starts_with("the value is 222"));
    }
}
