//! Reading TOML tables key by key.
//!
//! Serde would stop at the first mistake. Here each key is read on its own: a readable key is [`Field::Given`], an
//! unreadable one is reported and [`Field::Broken`], and an unknown key is reported with the nearest known one. So the
//! list of known keys is written down only once.

use std::borrow::Cow;

use mcp_compat_model::count::thousands;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::budget::{MOST_ENTRIES, Size};
use crate::sink::{Sink, Span};
use crate::words::{both, renamed};

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    /// Place of its key, or of the value itself where it is an element of an array.
    pub(crate) key: Span,
    pub(crate) span: Span,
}

/// Result of reading a key.
#[derive(Clone, Debug)]
pub(crate) enum Field<T> {
    /// It is not there.
    Absent,
    /// The key cannot be used, or is required and absent. This is reported already.
    Broken,
    /// It is there and readable.
    Given(At<T>),
}

/// State of a table's keys. A missing key is reported only where all of them were understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completeness {
    /// Every key was understood.
    Whole,
    /// A key was not understood, which is reported already.
    Partial,
}

/// A type that can be read from a TOML value.
pub(crate) trait Read: Sized {
    /// Most entries of a list of this type.
    const MOST: usize = MOST_ENTRIES;

    /// Reads the value, or reports why that cannot be done.
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self>;
}

/// A TOML value on its way to be read.
pub(crate) struct Place<'v> {
    /// The key, for messages.
    pub(crate) name: &'v str,
    pub(crate) key: Span,
    pub(crate) span: Span,
    pub(crate) value: &'v DeValue<'v>,
}

/// A table of which keys are taken one by one.
pub(crate) struct Table<'v> {
    entries: &'v DeTable<'v>,
    /// Place for messages about missing keys: the header, or the whole inline table.
    pub(crate) header: Span,
    /// Name of the kind of table, for messages: "a tool".
    what: &'static str,
    asked: Vec<&'static str>,
}

impl<T> Field<T> {
    pub(crate) fn given(&self) -> Option<&At<T>> {
        match self {
            Self::Given(at) => Some(at),
            Self::Absent | Self::Broken => None,
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(crate) fn is_broken(&self) -> bool {
        matches!(self, Self::Broken)
    }

    /// Returns this field, or the other one if this one is absent.
    pub(crate) fn or(&self, other: &Self) -> Self
    where
        T: Clone,
    {
        if self.is_absent() { other.clone() } else { self.clone() }
    }
}

impl Place<'_> {
    /// Reports that the value is of the wrong kind, with the expected kind.
    pub(crate) fn refuse<T>(&self, expected: &str, help: Option<String>, sink: &mut Sink<'_>) -> Option<T> {
        let found = match self.value {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        let mut mistake = sink
            .mistake(&self.span, format!("`{}` must be {expected}", self.name))
            .label(format!("expected {expected}, found {found}"));
        mistake.help.extend(help);
        sink.report(mistake);
        None
    }

    /// Returns whether there are not too many entries, or else reports it.
    pub(crate) fn has_at_most(&self, most: usize, count: usize, sink: &mut Sink<'_>) -> bool {
        if count > most {
            let entries = thousands(count as u64);
            let mistake = sink.mistake(&self.key, format!("`{}` has {entries} entries", self.name));
            sink.report(mistake.label(format!("expected at most {}", thousands(most as u64))));
        }
        count <= most
    }

    /// The value as a table.
    pub(crate) fn table(&self, what: &'static str) -> Option<Table<'_>> {
        Some(Table::new(self.value.as_table()?, self.span.clone(), what))
    }
}

impl<'v> Table<'v> {
    pub(crate) fn new(entries: &'v DeTable<'v>, header: Span, what: &'static str) -> Self {
        Self { entries, header, what, asked: Vec::new() }
    }

    /// Reads a key that may be missing.
    pub(crate) fn field<T: Read>(&mut self, name: &'static str, sink: &mut Sink<'_>) -> Field<T> {
        self.asked.push(name);
        let Some((key, value)) = self.entries.get_key_value(name) else { return Field::Absent };
        let place = Place { name, key: key.span(), span: value.span(), value: value.get_ref() };
        match T::read(&place, sink) {
            Some(value) => Field::Given(At { value, key: place.key, span: place.span }),
            None => Field::Broken,
        }
    }

    /// Reports a key that must be there but is not; `example` shows how it could be written.
    pub(crate) fn need<T>(&self, field: &mut Field<T>, name: &str, example: &str, sink: &mut Sink<'_>) {
        if !field.is_absent() {
            return;
        }
        // A misspelt key is reported already, or would be if fewer were.
        let is_misspelt = self.unknown().any(|key| self.nearest_known(key.get_ref(), sink) == Some(name));
        if !is_misspelt && sink.compares() {
            let missing = sink
                .mistake(&self.header, format!("{} needs `{name}`", self.what))
                .label(format!("`{name}` is missing here"))
                .help(format!("for example: `{name} = {example}`"));
            sink.report(missing);
        }
        *field = Field::Broken;
    }

    /// Reports every unknown key. `elsewhere` are keys that belong somewhere else, and the name of that place.
    pub(crate) fn finish(&self, elsewhere: Option<(&[&str], &str)>, sink: &mut Sink<'_>) -> Completeness {
        let mut completeness = Completeness::Whole;
        for key in self.unknown() {
            completeness = Completeness::Partial;
            let name: &str = key.get_ref();
            let home = elsewhere.filter(|(keys, _)| keys.contains(&name));
            let now = renamed(name, self.asked.iter().copied());
            let help = match (home, now, self.nearest_known(name, sink)) {
                (Some((_, home)), _, _) => format!("`{name}` is written {home}"),
                (None, Some(now), _) => format!("`{name}` is now called `{now}`"),
                (None, None, Some(near)) => format!("the nearest key is `{near}`"),
                (None, None, None) => format!("the keys of {} are {}", self.what, both(self.asked.iter().copied())),
            };
            let unknown = sink
                .mistake(&key.span(), format!("unknown key `{name}`"))
                .label(format!("not a key of {}", self.what))
                .help(help);
            sink.report(unknown);
        }
        completeness
    }

    fn unknown(&self) -> impl Iterator<Item = &'v Spanned<DeString<'v>>> {
        self.entries.keys().filter(|key| !self.asked.contains(&key.get_ref().as_ref()))
    }

    /// Returns the known key that is nearest to an unknown one.
    fn nearest_known(&self, unknown: &str, sink: &mut Sink<'_>) -> Option<&'static str> {
        sink.nearest(unknown, self.asked.iter().copied())
    }
}

impl Read for String {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(text) = place.value.as_str() else {
            let dated = place.value.as_datetime().map(|date| format!("put it in quotes: `\"{date}\"`"));
            return place.refuse("text in quotes", dated, sink);
        };
        sink.fits_budget(Size::of_bytes(text.len()), &place.span).then(|| text.to_owned())
    }
}

impl<T: Read> Read for Vec<At<T>> {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(elements) = place.value.as_array() else {
            let header = place.value.as_table().map(|_| format!("each one begins with `[[{}]]`", place.name));
            return place.refuse("an array", header, sink);
        };
        if !place.has_at_most(T::MOST, elements.len(), sink) {
            return None;
        }
        let read = |element: &Spanned<DeValue<'_>>| {
            let span = element.span();
            let place = Place { name: place.name, key: span.clone(), span: span.clone(), value: element.get_ref() };
            T::read(&place, sink).map(|value| At { value, key: span.clone(), span })
        };
        let elements: Vec<Option<At<T>>> = elements.iter().map(read).collect();
        elements.into_iter().collect()
    }
}

/// Gives a type that carries a place the JSON Schema of its value.
macro_rules! transparent_schema {
    ($wrapper:ident) => {
        impl<T: JsonSchema> JsonSchema for $wrapper<T> {
            fn inline_schema() -> bool {
                T::inline_schema()
            }

            fn schema_name() -> Cow<'static, str> {
                T::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                T::schema_id()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                T::json_schema(generator)
            }
        }
    };
}

transparent_schema!(At);
transparent_schema!(Field);

/// Message of the parser for a repeated key; it keeps the first one and continues.
const DUPLICATE: &str = "duplicate key";

/// Parses a text to a tree. Returns nothing for a text that is so broken that further checks would mislead.
pub(crate) fn parse<'t>(text: &'t str, sink: &mut Sink<'_>) -> Option<Spanned<DeTable<'t>>> {
    let (tree, mut errors) = DeTable::parse_recoverable(text);
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    let (mut at, mut line, mut last) = (0, 0, None);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let message = if error.message() == DUPLICATE { "this key is there twice" } else { "this is not TOML" };
        // One slip often gives several errors; the first of a line says enough.
        line += text.as_bytes().get(at..span.start).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
        at = span.start;
        if last.replace(line) != Some(line) {
            let mistake = sink.mistake(&span, message).label(error.message());
            sink.report(mistake);
        }
    }
    let readable = errors.iter().all(|error| error.message() == DUPLICATE);
    readable.then_some(tree)
}
