//! The types of JSON values, as far as schemas tell them apart: numbers are integers or fractions.

use mcp_compat_json::Json;

/// A type that no other one overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Null,
    Boolean,
    /// A number without a fraction, however it is written: `1.0` is one.
    Integer,
    /// Any other number.
    Fraction,
    String,
    Array,
    Object,
}

impl Type {
    const ALL: [Self; 7] =
        [Self::Null, Self::Boolean, Self::Integer, Self::Fraction, Self::String, Self::Array, Self::Object];

    pub(crate) fn of(value: &Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(_) => Self::Boolean,
            Json::Number(number) if number.is_integer() => Self::Integer,
            Json::Number(_) => Self::Fraction,
            Json::String(_) => Self::String,
            Json::Array(_) => Self::Array,
            Json::Object(_) => Self::Object,
        }
    }
}

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const ALL: Self = Self(0x7f);
    pub(crate) const NONE: Self = Self(0);

    const fn only(one: Type) -> Self {
        Self(1 << one as u8)
    }

    /// Returns the types that the value of `type` names. An unknown word names none.
    pub(crate) fn named(value: &Json) -> Self {
        let word = |value: &Json| match value.as_str() {
            Some("null") => Self::only(Type::Null),
            Some("boolean") => Self::only(Type::Boolean),
            Some("integer") => Self::only(Type::Integer),
            Some("number") => Self::only(Type::Integer).or(Self::only(Type::Fraction)),
            Some("string") => Self::only(Type::String),
            Some("array") => Self::only(Type::Array),
            Some("object") => Self::only(Type::Object),
            Some(_) | None => Self::NONE,
        };
        value
            .as_array()
            .map_or_else(|| word(value), |words| words.iter().fold(Self::NONE, |all, one| all.or(word(one))))
    }

    pub(crate) fn of_values<'v>(values: impl IntoIterator<Item = &'v Json>) -> Self {
        values.into_iter().fold(Self::NONE, |all, value| all.or(Self::only(Type::of(value))))
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn has(self, one: Type) -> bool {
        self.0 & Self::only(one).0 != 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Type> {
        Type::ALL.into_iter().filter(move |one| self.has(*one))
    }
}
