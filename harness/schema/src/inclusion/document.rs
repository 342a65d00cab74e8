//! A schema as a document: its dialect, its parts, and what its references lead to.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::validator::{Draft, percent_decoded};
use mcp_compat_json::{Json, Object, pointer_token};

/// Returns the dialect that a schema names, or else 2020-12; `None` if it names an unknown one.
pub fn dialect(schema: &Json) -> Option<Dialect> {
    match schema.get("$schema") {
        None => Some(Dialect::Draft202012),
        Some(named) => match Draft::from_schema_uri(named.as_str()?) {
            Draft::Draft4 => Some(Dialect::Draft4),
            Draft::Draft6 => Some(Dialect::Draft6),
            Draft::Draft7 => Some(Dialect::Draft7),
            Draft::Draft201909 => Some(Dialect::Draft201909),
            Draft::Draft202012 => Some(Dialect::Draft202012),
            // The enum may grow: a dialect that is not listed here is unknown.
            _ => None,
        },
    }
}

/// A dialect of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// 2019-09.
    Draft201909,
    /// 2020-12, the default of MCP.
    Draft202012,
}

impl Dialect {
    /// Returns true for 2019-09 and later.
    pub(crate) const fn is_new(self) -> bool {
        matches!(self, Self::Draft201909 | Self::Draft202012)
    }

    pub(crate) const fn draft(self) -> Draft {
        match self {
            Self::Draft4 => Draft::Draft4,
            Self::Draft6 => Draft::Draft6,
            Self::Draft7 => Draft::Draft7,
            Self::Draft201909 => Draft::Draft201909,
            Self::Draft202012 => Draft::Draft202012,
        }
    }
}

/// A whole schema.
#[derive(Debug)]
pub(crate) struct Document<'s> {
    root: &'s Json,
    pub(crate) dialect: Dialect,
    /// Target of each anchor, with its pointer; `None` if two have the name.
    anchors: HashMap<&'s str, Option<(&'s Json, String)>>,
    /// Number of bytes in the pointers of anchors.
    anchored: usize,
    resolves: bool,
    /// The members of large objects by their name, by the address of the object.
    indexed: HashMap<usize, Index<'s>>,
    /// The objects and arrays that mean something else elsewhere, by their address: a reference or an address is in them.
    placed: HashSet<usize>,
    /// The parts whose references start elsewhere, by their address: they have an address of their own, or stand in such a
    /// part.
    elsewhere: HashSet<usize>,
}

type Index<'s> = HashMap<&'s str, &'s Json>;

/// Number of members from which an object is searched by an index.
const LARGE: usize = 24;

/// Largest number of bytes in the pointers of anchors.
const ANCHORED: usize = 1 << 20;

/// A part of a document that is a schema.
#[derive(Clone, Debug)]
pub(crate) struct Node<'d> {
    document: &'d Document<'d>,
    schema: &'d Json,
    pub(crate) pointer: Cow<'d, str>,
}

/// The keywords by which a schema leads elsewhere, or says where it is.
const PLACING: [&str; 5] = ["$ref", "$dynamicRef", "$recursiveRef", "$id", "$schema"];

/// Schema to which no value conforms.
static NOTHING: Json = Json::Bool(false);

impl<'s> Document<'s> {
    pub(crate) fn new(root: &'s Json) -> Self {
        let mut document = Self {
            root,
            dialect: dialect(root).unwrap_or(Dialect::Draft202012),
            anchors: HashMap::new(),
            anchored: 0,
            resolves: true,
            indexed: HashMap::new(),
            placed: HashSet::new(),
            elsewhere: HashSet::new(),
        };
        document.survey(root, &mut String::new(), false);
        document
    }

    /// Returns why no proof can use it; `None` if proofs can.
    pub(crate) fn why_not_reasoned_about(&self) -> Option<&'static str> {
        match self.dialect {
            Dialect::Draft4 | Dialect::Draft6 | Dialect::Draft201909 => {
                Some("only draft-07 and 2020-12 are reasoned about")
            }
            Dialect::Draft7 | Dialect::Draft202012 => {
                (!self.resolves).then_some("a part of the schema has an address or a dialect of its own")
            }
        }
    }

    /// Finds the anchors, and whether every fragment is one of the root. Whatever looks like an address counts as one,
    /// even where it is data: then less can be said, and nothing wrong. Returns whether the value means the same wherever it
    /// stands.
    fn survey(&mut self, value: &'s Json, pointer: &mut String, is_elsewhere: bool) -> bool {
        let length = pointer.len();
        if let Json::Object(members) = value
            && members.len() >= LARGE
        {
            let index = members.iter().filter_map(|(name, member)| Some((name.as_str()?, member))).collect();
            self.indexed.insert(std::ptr::from_ref(members).addr(), index);
        }
        let is_elsewhere = is_elsewhere || length > 0 && self.has_own_address(value);
        if is_elsewhere {
            self.elsewhere.insert(std::ptr::from_ref(value).addr());
        }
        let mut is_closed = true;
        match value {
            Json::Object(members) => {
                for (key, member) in members.iter() {
                    is_closed &= !key.as_str().is_none_or(|key| PLACING.contains(&key));
                    let key = key.to_string_lossy();
                    match (key.as_ref(), member.as_str()) {
                        ("$id", Some(address)) if address.starts_with('#') && self.dialect == Dialect::Draft7 => {
                            self.anchor(&address[1..], value, pointer);
                        }
                        ("$id" | "$schema", Some(_)) if length > 0 => self.resolves = false,
                        ("$anchor", Some(name)) if self.dialect.is_new() => self.anchor(name, value, pointer),
                        ("$dynamicAnchor", Some(_)) => self.resolves = false,
                        _ => {}
                    }
                    pointer.push('/');
                    pointer.push_str(&pointer_token(&key));
                    is_closed &= self.survey(member, pointer, is_elsewhere);
                    pointer.truncate(length);
                }
            }
            Json::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    pointer.push_str(&format!("/{index}"));
                    is_closed &= self.survey(element, pointer, is_elsewhere);
                    pointer.truncate(length);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
        if !is_closed {
            self.placed.insert(std::ptr::from_ref(value).addr());
        }
        is_closed
    }

    /// Adds an anchor. Anchors at very long pointers are not resolved.
    fn anchor(&mut self, name: &'s str, schema: &'s Json, pointer: &str) {
        self.anchored += pointer.len();
        if self.anchored > ANCHORED {
            self.resolves = false;
            return;
        }
        self.anchors
            .entry(name)
            .and_modify(|place| *place = None)
            .or_insert_with(|| Some((schema, pointer.to_owned())));
    }

    /// Returns true if a value, read as a schema, has the address of a resource of its own.
    fn has_own_address(&self, value: &Json) -> bool {
        let keyword = if self.dialect == Dialect::Draft4 { "id" } else { "$id" };
        let address = value.as_object().and_then(|members| self.member(members, keyword)).and_then(Json::as_str);
        address.is_some_and(|address| !address.starts_with('#'))
    }

    fn member<'d>(&'d self, object: &'d Object, name: &str) -> Option<&'d Json> {
        if object.len() < LARGE {
            return object.get(name);
        }
        self.indexed.get(&std::ptr::from_ref(object).addr())?.get(name).copied()
    }

    pub(crate) fn root<'d>(&'d self) -> Node<'d>
    where
        's: 'd,
    {
        self.node(self.root)
    }

    /// A part as a node, of which nobody asks where it is.
    pub(crate) fn node<'d>(&'d self, schema: &'d Json) -> Node<'d>
    where
        's: 'd,
    {
        Node { document: self, schema, pointer: Cow::Borrowed("") }
    }

    /// Returns the target of a reference within the document.
    fn resolve<'d>(&'d self, reference: &str) -> Option<Node<'d>>
    where
        's: 'd,
    {
        let (schema, pointer) = match self.place(reference)? {
            Place::Anchor((schema, pointer)) => (*schema, pointer.clone()),
            Place::Pointer(pointer) => (self.at(&pointer)?, pointer),
        };
        Some(Node { document: self, schema, pointer: Cow::Owned(pointer) })
    }

    /// Returns the target without its pointer. Very many references may lead to a part whose pointer is long.
    pub(crate) fn referred<'d>(&'d self, reference: &str) -> Option<&'d Json>
    where
        's: 'd,
    {
        match self.place(reference)? {
            Place::Anchor((schema, _)) => Some(schema),
            Place::Pointer(pointer) => self.at(&pointer),
        }
    }

    fn place<'d>(&'d self, reference: &str) -> Option<Place<'d, 's>> {
        let fragment = percent_decoded(reference.strip_prefix('#')?);
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(Place::Pointer(fragment));
        }
        self.anchors.get(fragment.as_str())?.as_ref().map(Place::Anchor)
    }

    fn at<'d>(&'d self, pointer: &str) -> Option<&'d Json>
    where
        's: 'd,
    {
        self.root.pointer_by(pointer, |object, name| self.member(object, name))
    }
}

/// Place that a reference within a document names.
enum Place<'d, 's> {
    Anchor(&'d (&'s Json, String)),
    Pointer(String),
}

impl<'d> Node<'d> {
    /// Schema to which no value conforms, in place of this part.
    pub(crate) fn nothing(&self) -> Self {
        Self { schema: &NOTHING, ..self.clone() }
    }

    pub(crate) fn json(&self) -> &'d Json {
        self.schema
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.document.dialect
    }

    /// Identity of this part among the parts of all documents.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self.schema).addr()
    }

    /// Returns the value of a schema that is `true` or `false`.
    pub(crate) fn truth(&self) -> Option<bool> {
        self.schema.as_bool()
    }

    /// Returns true if the references in it do not start at the root: it has an address of its own, or stands in such a part.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.document.elsewhere.contains(&self.address())
    }

    /// The keywords that count. Up to draft-07 a reference hides whatever stands beside it.
    pub(crate) fn keywords(&self) -> Vec<(&'d str, &'d Json)> {
        let Some(members) = self.schema.as_object() else { return Vec::new() };
        if self.is_bare_reference() {
            return members.get("$ref").map(|reference| ("$ref", reference)).into_iter().collect();
        }
        members.iter().filter_map(|(key, value)| Some((key.as_str()?, value))).collect()
    }

    fn is_bare_reference(&self) -> bool {
        let hides = matches!(self.dialect(), Dialect::Draft4 | Dialect::Draft6 | Dialect::Draft7);
        let reference = || self.document.member(self.schema.as_object()?, "$ref");
        hides && reference().is_some()
    }

    /// The value of a keyword that counts.
    pub(crate) fn get(&self, keyword: &str) -> Option<&'d Json> {
        if self.is_bare_reference() && keyword != "$ref" {
            return None;
        }
        self.document.member(self.schema.as_object()?, keyword)
    }

    /// A keyword whose value is a count.
    pub(crate) fn count(&self, keyword: &str) -> Option<u64> {
        self.get(keyword)?.as_number()?.as_u64()
    }

    /// Returns the pointer of a keyword.
    pub(crate) fn place(&self, keyword: &str) -> String {
        format!("{}/{}", self.pointer, pointer_token(keyword))
    }

    /// The schema that is the value of a keyword.
    pub(crate) fn part(&self, keyword: &str) -> Option<Self> {
        let schema = self.get(keyword)?;
        Some(Self { document: self.document, schema, pointer: Cow::Owned(self.place(keyword)) })
    }

    /// The schemas that a keyword lists.
    pub(crate) fn list(&self, keyword: &str) -> Vec<Self> {
        let listed = self.get(keyword).and_then(Json::as_array).unwrap_or_default();
        let part = |(index, schema)| Self {
            document: self.document,
            schema,
            pointer: Cow::Owned(format!("{}/{index}", self.place(keyword))),
        };
        listed.iter().enumerate().map(part).collect()
    }

    /// The schemas that a keyword names.
    pub(crate) fn named(&self, keyword: &str) -> Vec<(&'d str, Self)> {
        let Some(members) = self.get(keyword).and_then(Json::as_object) else { return Vec::new() };
        let part = |key: &'d str, schema| Self {
            document: self.document,
            schema,
            pointer: Cow::Owned(format!("{}/{}", self.place(keyword), pointer_token(key))),
        };
        members.iter().filter_map(|(key, schema)| key.as_str().map(|key| (key, part(key, schema)))).collect()
    }

    /// The schema that a keyword names so.
    pub(crate) fn under(&self, keyword: &str, name: &str) -> Option<Self> {
        let schema = self.document.member(self.get(keyword)?.as_object()?, name)?;
        let pointer = Cow::Owned(format!("{}/{}", self.place(keyword), pointer_token(name)));
        Some(Self { document: self.document, schema, pointer })
    }

    /// Returns the target of its `$ref`, if that is within the document.
    pub(crate) fn target(&self) -> Option<Self> {
        self.document.resolve(self.get("$ref")?.as_str()?)
    }

    /// The elements with a schema of their own, and the schema of all further ones.
    pub(crate) fn elements(&self) -> (Vec<Self>, Option<Self>) {
        match self.dialect() {
            Dialect::Draft7 if self.get("items").is_some_and(|items| items.as_array().is_some()) => {
                (self.list("items"), self.part("additionalItems"))
            }
            Dialect::Draft7 | Dialect::Draft4 | Dialect::Draft6 => (Vec::new(), self.part("items")),
            Dialect::Draft201909 | Dialect::Draft202012 => {
                let unevaluated = || self.part("unevaluatedItems").filter(|_| self.evaluates_alone("contains"));
                (self.list("prefixItems"), self.part("items").or_else(unevaluated))
            }
        }
    }

    /// The schema of the members that neither `properties` nor `patternProperties` speak of.
    pub(crate) fn further_members(&self) -> Option<Self> {
        let unevaluated = || {
            let known = self.dialect() == Dialect::Draft202012 && self.evaluates_alone("additionalProperties");
            self.part("unevaluatedProperties").filter(|_| known)
        };
        self.part("additionalProperties").or_else(unevaluated)
    }

    /// Returns true if nothing beside its own lists of members or elements evaluates any, so that what is unevaluated is just
    /// what they do not name.
    fn evaluates_alone(&self, unless: &str) -> bool {
        let others = [
            "$ref",
            "$dynamicRef",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "dependentSchemas",
            "dependencies",
        ];
        others.iter().chain([&unless]).all(|keyword| self.get(keyword).is_none())
    }

    /// Returns true if its meaning depends on nothing but its own text and the dialect of the document.
    pub(crate) fn is_closed(&self) -> bool {
        let mut counted = self.keywords().into_iter().filter(|(key, _)| *key != "$schema");
        counted.all(|(key, value)| !PLACING.contains(&key) && self.has_whole(value))
    }

    /// Returns true if it means the same at any place. Whatever looks like a reference counts as one.
    pub(crate) fn is_whole(&self) -> bool {
        self.has_whole(self.schema)
    }

    /// Returns true if a value in it means the same at any place.
    pub(crate) fn has_whole(&self, value: &Json) -> bool {
        !self.document.placed.contains(&std::ptr::from_ref(value).addr())
    }
}
