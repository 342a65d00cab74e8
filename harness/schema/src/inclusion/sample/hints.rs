//! Numbers, texts, lengths and names in two schemas, of which values are made.

use std::collections::BTreeSet;

use mcp_compat_json::{Json, Number, Object};

/// Number of hints of each kind.
const MANY: usize = 24;

/// The longest text or array that is made up.
const LONGEST: u64 = 300;

/// Parts of which values are made.
#[derive(Debug)]
pub(super) struct Hints {
    numbers: Vec<Json>,
    strings: Vec<Json>,
    lengths: BTreeSet<u64>,
    names: Vec<String>,
}

#[derive(Default)]
struct Found {
    numbers: BTreeSet<Number>,
    strings: BTreeSet<String>,
    lengths: BTreeSet<u64>,
    names: BTreeSet<String>,
}

impl Hints {
    pub(super) fn of(schemas: [&Json; 2]) -> Self {
        let mut found = Found::default();
        schemas.into_iter().for_each(|schema| found.read(schema));
        let Found { numbers, strings, lengths, names } = found;
        let lengths = around(lengths);
        let mut all = Vec::new();
        for plain in ["0", "1", "1.5", "-1", "-0.5"] {
            all.extend(Number::parse(plain));
        }
        for number in numbers.iter().take(MANY) {
            all.push(number.clone());
            if let Some(whole) = number.as_i64() {
                all.extend([whole.saturating_sub(1), whole.saturating_add(1)].map(Number::from));
                all.extend(Number::parse(&format!("{whole}.5")));
            }
        }
        let plain = ["a", "", "A1"].map(ToOwned::to_owned).into_iter();
        let long = lengths.iter().map(|length| "a".repeat(usize::try_from(*length).unwrap_or_default()));
        let strings = plain.chain(strings.into_iter().take(MANY)).chain(long).map(Json::from).collect();
        let names = names.into_iter().take(MANY).chain(["extra".to_owned()]).collect();
        Self { numbers: all.into_iter().map(Json::from).collect(), strings, lengths, names }
    }

    /// Values of every type, each as plain as can be, and what either schema names.
    pub(super) fn anything(&self) -> Vec<Json> {
        let plain = [Json::Null, true.into(), Vec::new().into(), Object::new().into()].into_iter();
        let inner = [Json::Null].into_iter().map(|inner| vec![inner].into());
        let short = self.strings.iter().filter(|text| text.as_str().is_some_and(|text| text.len() < 40));
        plain.chain(inner).chain(self.numbers.iter().take(12).cloned()).chain(short.take(12).cloned()).collect()
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = &Json> {
        self.numbers.iter()
    }

    pub(super) fn strings(&self) -> impl Iterator<Item = &Json> {
        self.strings.iter()
    }

    /// Lengths of arrays: the least there may be, and those that either schema names.
    pub(super) fn lengths(&self, least: Option<u64>) -> Vec<usize> {
        let least = least.unwrap_or(0);
        let all = self.lengths.iter().copied().chain([least, least + 1, least + 2]);
        let all: BTreeSet<u64> = all.filter(|length| (least..least.saturating_add(16)).contains(length)).collect();
        all.into_iter().filter(|length| *length <= LONGEST).filter_map(|length| usize::try_from(length).ok()).collect()
    }

    /// Numbers of members: those that either schema names.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.lengths.iter().filter(|length| **length <= MANY as u64).filter_map(|length| usize::try_from(*length).ok())
    }

    /// Names that are not among the known ones.
    pub(super) fn names(&self, known: &[String]) -> Vec<String> {
        self.names.iter().filter(|name| !known.contains(name)).cloned().collect()
    }
}

/// Each length and its neighbours, as far as they are made up.
fn around(lengths: BTreeSet<u64>) -> BTreeSet<u64> {
    let near = |length: u64| [length.saturating_sub(1), length, length.saturating_add(1)];
    lengths.into_iter().filter(|length| *length < LONGEST).take(MANY).flat_map(near).collect()
}

impl Found {
    fn read(&mut self, value: &Json) {
        match value {
            Json::Object(members) => {
                for (key, member) in members.iter() {
                    let key = key.to_string_lossy();
                    match (key.as_ref(), member) {
                        ("title" | "description" | "$comment" | "$id" | "$schema" | "$ref" | "$anchor", _) => {}
                        (
                            "properties" | "patternProperties" | "dependentRequired" | "dependentSchemas"
                            | "dependencies",
                            Json::Object(named),
                        ) => {
                            let names = named.iter().map(|(name, _)| name.to_string_lossy());
                            self.names.extend(names.map(|name| literal(&name)));
                            named.iter().for_each(|(_, part)| self.read(part));
                        }
                        ("pattern", Json::String(pattern)) => {
                            self.strings.insert(literal(&pattern.to_string_lossy()));
                        }
                        _ => {
                            let counts = key.starts_with("min") || key.starts_with("max");
                            if let (true, Some(count)) = (counts, member.as_number().and_then(Number::as_u64)) {
                                self.lengths.insert(count);
                            }
                            self.read(member);
                        }
                    }
                }
            }
            Json::Array(elements) => elements.iter().for_each(|element| self.read(element)),
            Json::Number(number) => {
                self.numbers.insert(number.clone());
            }
            Json::String(text) => self.strings.extend(text.as_str().map(ToOwned::to_owned)),
            Json::Null | Json::Bool(_) => {}
        }
    }
}

/// Returns the literal text of a pattern: it may well match.
fn literal(pattern: &str) -> String {
    pattern
        .trim_start_matches('^')
        .trim_end_matches('$')
        .replace("\\.", ".")
        .replace("[a-z]+", "a")
        .replace("\\d+", "1")
}
