//! References that lead back to themselves without descending into the value. What such a schema means is not defined: a
//! validation by it need not end, and `{"not": {"$ref": "#"}}` would hold of just the values of which it does not hold.

use std::collections::HashSet;

use mcp_compat_json::Json;

use crate::document::{Document, Node};

/// The keywords whose schema is for the value itself, or for what is in it.
const OF_VALUE: [&str; 4] = ["not", "if", "then", "else"];
const OF_PARTS: [&str; 7] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];

/// The first reference of a schema that is followed to itself at one place of a value. Only what `$ref` leads to within
/// the schema is looked at.
#[must_use]
pub fn endless_reference(schema: &Json) -> Option<String> {
    in_document(&Document::new(schema)).map(str::to_owned)
}

/// The same of a document. Each part is looked at once.
pub(crate) fn in_document<'d>(document: &'d Document<'d>) -> Option<&'d str> {
    let mut walk = Walk { under_way: HashSet::new(), done: HashSet::new(), deeper: vec![document.root()] };
    while let Some(part) = walk.deeper.pop() {
        if let Some(reference) = walk.at_one_place(part) {
            return Some(reference);
        }
    }
    None
}

/// What is to be done next at one place of a value.
enum Next<'d> {
    /// A part, and the reference that was followed last.
    Enter(Node<'d>, Option<&'d str>),
    /// The address of a part.
    Leave(usize),
}

struct Walk<'d> {
    /// The addresses of the parts that are being applied to one place.
    under_way: HashSet<usize>,
    /// Those of the parts that were.
    done: HashSet<usize>,
    /// The parts that apply to what is in a value.
    deeper: Vec<Node<'d>>,
}

impl<'d> Walk<'d> {
    fn at_one_place(&mut self, part: Node<'d>) -> Option<&'d str> {
        let mut next = vec![Next::Enter(part, None)];
        while let Some(step) = next.pop() {
            let (part, followed) = match step {
                Next::Enter(part, followed) => (part, followed),
                Next::Leave(address) => {
                    self.under_way.remove(&address);
                    self.done.insert(address);
                    continue;
                }
            };
            let address = part.address();
            if self.under_way.contains(&address) {
                return followed;
            }
            if self.done.contains(&address) || part.json().as_object().is_none() {
                continue;
            }
            self.under_way.insert(address);
            next.push(Next::Leave(address));
            self.deeper.extend(parts_within(&part));
            let reference = part.get("$ref").and_then(Json::as_str);
            next.extend(beside(&part).into_iter().map(|part| Next::Enter(part, followed)));
            next.extend(part.target().map(|target| Next::Enter(target, reference)));
        }
        None
    }
}

/// The schemas that apply to the value to which this one applies, but for what its reference leads to.
fn beside<'d>(part: &Node<'d>) -> Vec<Node<'d>> {
    let listed = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| part.list(keyword));
    let named = ["dependentSchemas", "dependencies"].into_iter().flat_map(|keyword| part.named(keyword));
    let single = OF_VALUE.into_iter().filter_map(|keyword| part.part(keyword));
    listed.chain(named.map(|(_, part)| part)).chain(single).collect()
}

/// The schemas that apply to members, elements and names.
fn parts_within<'d>(part: &Node<'d>) -> Vec<Node<'d>> {
    let listed = ["prefixItems", "items"].into_iter().flat_map(|keyword| part.list(keyword));
    let named = ["properties", "patternProperties"].into_iter().flat_map(|keyword| part.named(keyword));
    let single = OF_PARTS.into_iter().filter_map(|keyword| part.part(keyword));
    listed.chain(named.map(|(_, part)| part)).chain(single).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::at_once(r##"{"allOf":[{"$ref":"#"}]}"##, Some("#"))]
    #[case::of_what_it_is_not(r##"{"not":{"$ref":"#"}}"##, Some("#"))]
    #[case::by_two(
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
        Some("#/$defs/a")
    )]
    #[case::into_what_is_being_applied(r##"{"$ref":"#/allOf/0","allOf":[{"$ref":"#"}]}"##, Some("#"))]
    #[case::by_an_anchor(r##"{"properties":{"a":{"$anchor":"x","if":{"$ref":"#x"}}}}"##, Some("#x"))]
    #[case::in_a_member(
        r##"{"properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}"##,
        Some("#/$defs/a")
    )]
    #[case::with_a_member(r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##, Some("#"))]
    #[case::a_tree(r##"{"properties":{"children":{"items":{"$ref":"#"}}}}"##, None)]
    #[case::of_names(r##"{"propertyNames":{"$ref":"#"}}"##, None)]
    #[case::twice_the_same(r##"{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{}}}"##, None)]
    #[case::not_applied(r##"{"$defs":{"a":{"$ref":"#/$defs/a"}},"enum":[{"$ref":"#"}]}"##, None)]
    #[case::hidden_by_a_reference(
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/b","not":{"$ref":"#/properties/a"}}},"definitions":{"b":{}}}"##,
        None
    )]
    #[case::to_nowhere(r##"{"$ref":"#/$defs/a"}"##, None)]
    fn a_reference_is_endless_only_if_it_does_not_descend(#[case] schema: &str, #[case] endless: Option<&str>) {
        assert_eq!(endless_reference(&Json::parse(schema).unwrap()).as_deref(), endless);
    }
}
