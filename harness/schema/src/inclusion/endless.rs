//! References that lead back to themselves without descending into the value. The meaning of such a schema is not defined: a
//! validation by it need not end, and `{"not": {"$ref": "#"}}` contradicts itself.

use std::collections::HashSet;

use mcp_compat_json::Json;

use crate::inclusion::document::{Dialect, Document, Node};

/// Finds a reference of a schema that leads back to itself at one place of a value. Only references by a fragment (`#…`) are
/// followed, and none in a part that has an address of its own, or stands in such a part.
pub fn endless_reference(schema: &Json) -> Option<String> {
    let document = Document::new(schema);
    in_document(&document).map(str::to_owned)
}

/// Finds such a reference in a document. Each part is visited once.
fn in_document<'d>(document: &'d Document<'d>) -> Option<&'d str> {
    let root = document.root().json();
    let mut walk = Walk { document, under_way: HashSet::new(), done: HashSet::new(), deeper: vec![root] };
    while let Some(part) = walk.deeper.pop() {
        if let Some(reference) = walk.at_one_place(part) {
            return Some(reference);
        }
    }
    None
}

/// Next step at one place of a value.
enum Next<'d> {
    /// Enter a part. With it comes the reference that was followed last.
    Enter(&'d Json, Option<&'d str>),
    /// Leave the part with this address.
    Leave(usize),
}

/// The parts are kept without their pointers, which can be long.
struct Walk<'d> {
    document: &'d Document<'d>,
    /// The addresses of the parts that are being applied to one place.
    under_way: HashSet<usize>,
    /// The addresses of the parts that were applied.
    done: HashSet<usize>,
    /// The parts that apply to what is in a value.
    deeper: Vec<&'d Json>,
}

impl<'d> Walk<'d> {
    fn at_one_place(&mut self, part: &'d Json) -> Option<&'d str> {
        let mut next = vec![Next::Enter(part, None)];
        while let Some(step) = next.pop() {
            let (part, followed) = match step {
                Next::Enter(part, followed) => (self.document.node(part), followed),
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
            if self.done.contains(&address) || part.json().as_object().is_none() || part.is_elsewhere() {
                continue;
            }
            self.under_way.insert(address);
            next.push(Next::Leave(address));
            for (keyword, value) in part.keywords() {
                match applies_to(keyword, value, &part) {
                    Applies::ToTheValue(how) => {
                        next.extend(schemas(value, how).into_iter().map(|part| Next::Enter(part, followed)));
                    }
                    Applies::ToItsParts(how) => self.deeper.extend(schemas(value, how)),
                    Applies::AsReference => {
                        let target = value.as_str().and_then(|reference| self.document.referred(reference));
                        next.extend(target.map(|target| Next::Enter(target, value.as_str())));
                    }
                    Applies::Not => {}
                }
            }
        }
        None
    }
}

/// Values to which the schemas of a keyword apply.
enum Applies {
    ToTheValue(How),
    ToItsParts(How),
    /// The target of a reference applies to the value.
    AsReference,
    /// The keyword has none, or means nothing here.
    Not,
}

/// Form in which a keyword has schemas.
enum How {
    One,
    Listed,
    Named,
}

fn applies_to(keyword: &str, value: &Json, part: &Node<'_>) -> Applies {
    let dialect = part.dialect();
    let (is_2020, is_new) = (dialect == Dialect::Draft202012, dialect.is_new());
    let (is_draft_04, is_draft_06) = (dialect == Dialect::Draft4, dialect == Dialect::Draft6);
    match keyword {
        "$ref" => Applies::AsReference,
        "allOf" | "anyOf" | "oneOf" => Applies::ToTheValue(How::Listed),
        "not" => Applies::ToTheValue(How::One),
        "if" | "then" | "else" if is_draft_04 || is_draft_06 => Applies::Not,
        "if" => Applies::ToTheValue(How::One),
        "then" | "else" if part.get("if").is_some() => Applies::ToTheValue(How::One),
        "dependentSchemas" if is_new => Applies::ToTheValue(How::Named),
        "dependencies" if !is_new => Applies::ToTheValue(How::Named),
        "properties" | "patternProperties" => Applies::ToItsParts(How::Named),
        "items" if value.as_array().is_some() && !is_2020 => Applies::ToItsParts(How::Listed),
        "prefixItems" if is_2020 => Applies::ToItsParts(How::Listed),
        "additionalProperties" | "items" => Applies::ToItsParts(How::One),
        "contains" | "propertyNames" if !is_draft_04 => Applies::ToItsParts(How::One),
        "additionalItems" if !is_2020 && part.get("items").is_some_and(|items| items.as_array().is_some()) => {
            Applies::ToItsParts(How::One)
        }
        "unevaluatedProperties" | "unevaluatedItems" if is_new => Applies::ToItsParts(How::One),
        _ => Applies::Not,
    }
}

fn schemas(value: &Json, how: How) -> Vec<&Json> {
    match (how, value) {
        (How::One, _) => vec![value],
        (How::Listed, Json::Array(schemas)) => schemas.iter().collect(),
        (How::Named, Json::Object(schemas)) => schemas.iter().map(|(_, schema)| schema).collect(),
        (How::Listed | How::Named, _) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const DRAFT_07: &str = r#""$schema":"http://json-schema.org/draft-07/schema#""#;
    const DRAFT_04: &str = r#""$schema":"http://json-schema.org/draft-04/schema#""#;

    fn found(schema: &str) -> Option<String> {
        endless_reference(&Json::parse(schema).unwrap())
    }

    #[rstest]
    #[case::at_once(r##"{"allOf":[{"$ref":"#"}]}"##, Some("#"))]
    #[case::of_what_it_is_not(r##"{"not":{"$ref":"#"}}"##, Some("#"))]
    #[case::by_two(
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
        Some("#/$defs/a")
    )]
    #[case::into_what_is_being_applied(r##"{"$ref":"#/allOf/0","allOf":[{"$ref":"#"}]}"##, Some("#"))]
    #[case::by_an_anchor(r##"{"properties":{"a":{"$anchor":"x","if":{"$ref":"#x"}}}}"##, Some("#x"))]
    #[case::percent_encoded(
        r##"{"$ref":"#/%24defs/a~1b","$defs":{"a/b":{"not":{"$ref":"#/$defs/a~1b"}}}}"##,
        Some("#/$defs/a~1b")
    )]
    #[case::in_a_member(
        r##"{"properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}"##,
        Some("#/$defs/a")
    )]
    #[case::with_a_member(r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##, Some("#"))]
    #[case::in_a_branch(r##"{"if":{"type":"string"},"then":{"$ref":"#"}}"##, Some("#"))]
    #[case::a_tree(r##"{"properties":{"children":{"items":{"$ref":"#"}}}}"##, None)]
    #[case::of_names(r##"{"propertyNames":{"$ref":"#"}}"##, None)]
    #[case::twice_the_same(r##"{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{}}}"##, None)]
    #[case::not_applied(r##"{"$defs":{"a":{"$ref":"#/$defs/a"}},"enum":[{"$ref":"#"}]}"##, None)]
    #[case::in_a_branch_without_a_condition(r##"{"then":{"$ref":"#"}}"##, None)]
    #[case::below_an_address(
        r##"{"$defs":{"n":{"$id":"https://example.com/n","not":{"$ref":"#/$defs/n"}}},"$ref":"#/$defs/n"}"##,
        None
    )]
    #[case::in_a_part_below_an_address(
        r##"{"$ref":"#/$defs/k","$defs":{
            "n":{"$id":"https://example.com/n","$defs":{"m":{"$ref":"#/$defs/k"},"k":{}}},
            "k":{"$ref":"#/$defs/n/$defs/m"}}}"##,
        None
    )]
    #[case::to_nowhere(r##"{"$ref":"#/$defs/a"}"##, None)]
    fn a_reference_is_endless_only_if_it_does_not_descend(#[case] schema: &str, #[case] endless: Option<&str>) {
        assert_eq!(found(schema).as_deref(), endless);
    }

    #[rstest]
    #[case::beside_a_reference(r##""properties":{"a":{"$ref":"#/b","not":{"$ref":"#/properties/a"}}},"b":{}"##, [false, false, true])]
    #[case::dependencies(r##""dependencies":{"a":{"$ref":"#"}}"##, [true, true, false])]
    #[case::dependent_schemas(r##""dependentSchemas":{"a":{"$ref":"#"}}"##, [false, false, true])]
    #[case::first_elements(r##""prefixItems":[{"$ref":"#/b"}],"b":{"not":{"$ref":"#/b"}}"##, [false, false, true])]
    #[case::listed_items(r##""items":[{"$ref":"#/b"}],"b":{"not":{"$ref":"#/b"}}"##, [true, true, false])]
    #[case::a_condition(r##""if":{"$ref":"#"}"##, [false, true, true])]
    #[case::names(r##""propertyNames":{"$ref":"#/b"},"b":{"not":{"$ref":"#/b"}}"##, [false, true, true])]
    #[case::further_items_of_none(r##""additionalItems":{"$ref":"#/b"},"b":{"not":{"$ref":"#/b"}}"##, [false, false, false])]
    #[case::an_anchor(r##""$anchor":"a","not":{"$ref":"#a"}"##, [false, false, true])]
    fn a_keyword_counts_where_its_dialect_has_it(#[case] members: &str, #[case] endless: [bool; 3]) {
        let of = |dialect: &str| found(&format!("{{{dialect}{members}}}")).is_some();
        assert_eq!([of(&format!("{DRAFT_04},")), of(&format!("{DRAFT_07},")), of("")], endless);
    }
}
