//! skeleton
use super::*;
/// Where two values differ first, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The JSON Pointer to the place.
    pub pointer: String,
    /// How the values differ there.
    pub kind: DifferenceKind,
}
/// How two values differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The member was expected and is not there.
    Missing,
    /// The member is there and was not expected.
    Unexpected,
    /// The kinds differ.
    Kind {
        /// The kind that was expected.
        expected: &'static str,
        /// The kind that was found.
        found: &'static str,
    },
    /// Both are of one kind and the values differ.
    Value {
        /// An excerpt of what was expected, as JSON.
        expected: String,
        /// An excerpt of what was found, as JSON.
        found: String,
    },
    /// Two arrays are not of one length.
    Length {
        /// The number of elements that was expected.
        expected: usize,
        /// The number of elements that was found.
        found: usize,
    },
    /// A key is not given as often.
    Repeats {
        /// How often the key was expected.
        expected: usize,
        /// How often the key was found.
        found: usize,
    },
}
impl std::fmt::Display for Difference { fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() } }
impl Json {
    /// The first place where `other` is not what `self` expects.
    pub fn first_difference(&self, _other: &Json) -> Option<Difference> { todo!() }
}
