//! The possible targets of the references of a schema.
//!
//! The target of a reference depends on addresses and on the way that led to it. All possible targets are returned, because
//! the result is used as an upper bound.

use std::collections::HashMap;

use serde_json::Value;

/// The keywords that refer to another schema.
pub(crate) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The places of a schema that have a name.
pub(crate) struct Places<'s> {
    root: &'s Value,
    anchors: HashMap<&'s str, Vec<&'s Value>>,
    /// The schemas within it that have an address of their own.
    pub(crate) resources: Vec<&'s Value>,
}

impl<'s> Places<'s> {
    pub(crate) fn of(root: &'s Value) -> Self {
        let mut places = Self { root, anchors: HashMap::new(), resources: Vec::new() };
        places.survey(root, true);
        places
    }

    fn survey(&mut self, value: &'s Value, is_root: bool) {
        match value {
            Value::Object(members) => {
                for keyword in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                        self.anchors.entry(name).or_default().push(value);
                    }
                }
                for keyword in ["$id", "id"] {
                    match members.get(keyword).and_then(Value::as_str) {
                        Some(address) if address.starts_with('#') => {
                            self.anchors.entry(&address[1..]).or_default().push(value);
                        }
                        Some(_) if !is_root => self.resources.push(value),
                        Some(_) | None => {}
                    }
                }
                members.values().for_each(|member| self.survey(member, false));
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.survey(element, false)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Every schema that a reference may lead to, each once.
    pub(crate) fn targets(&self, reference: &str) -> Vec<&'s Value> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let bases = || {
            let root = (address.is_empty() || self.resources.is_empty()).then_some(self.root);
            root.into_iter().chain(self.resources.iter().copied())
        };
        let decoded = percent_decoded(fragment);
        let mut found: Vec<&Value> = match decoded.as_str() {
            "" => bases().collect(),
            pointer if pointer.starts_with('/') => bases().filter_map(|base| base.pointer(pointer)).collect(),
            name => self.anchors.get(name).cloned().unwrap_or_default(),
        };
        found.sort_unstable_by_key(|target| std::ptr::from_ref(*target).addr());
        found.dedup_by_key(|target| std::ptr::from_ref(*target).addr());
        found
    }
}

/// Decodes the percent-encoding of a fragment.
pub fn percent_decoded(fragment: &str) -> String {
    if !fragment.contains('%') {
        return fragment.to_owned();
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
