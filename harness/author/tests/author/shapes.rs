//! Schemas with values of which it is known by their making whether they conform.
//!
//! A [`Shape`] is drawn first. From it come its schema (here), values that fit it and values that do not (`values`). No
//! validator has a say in it.

use mcp_compat_json::{Json, Object};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Shape of a value.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Anything,
    Null,
    Boolean,
    Integer {
        min: i64,
        max: i64,
    },
    Number {
        over: i64,
    },
    Text {
        min: usize,
        max: usize,
    },
    OneOf {
        values: Vec<Json>,
    },
    Exactly {
        value: Json,
    },
    List {
        items: Box<Shape>,
        min: usize,
        max: usize,
    },
    Tuple {
        items: Vec<Shape>,
        closed: bool,
    },
    Record {
        fields: Vec<Field>,
        closed: bool,
    },
    Nullable {
        inner: Box<Shape>,
        form: NullForm,
    },
    /// Shapes of different kinds, so that no value fits two of them.
    Either {
        shapes: Vec<Shape>,
        keyword: &'static str,
    },
    All {
        inner: Box<Shape>,
    },
    Named {
        inner: Box<Shape>,
    },
}

/// A member of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
}

/// Form in which a schema says that null will do as well.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NullForm {
    AnyOf,
    OneOfReversed,
}

/// A schema, a value that conforms to it, and one that does not.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) schema: Json,
    pub(crate) conforming: Json,
    pub(crate) violating: Json,
}

/// Cases with any JSON value at the root.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    prop_oneof![record(shape().boxed()), shape()]
        .prop_filter("something must violate it", |shape| shape.can_be_violated())
        .prop_flat_map(case)
}

/// Cases with an object at the root, whether or not it conforms.
pub(crate) fn object_cases() -> impl Strategy<Value = Case> {
    let is_object = |value: &Json| value.as_object().is_some();
    let violable = |shape: &Shape| shape.broken_inside().is_some();
    let with_objects = record(shape().boxed()).prop_filter("it must be violated inside", violable).prop_flat_map(case);
    with_objects.prop_filter("both are objects", move |case| is_object(&case.violating))
}

/// Cases with an array at the root.
pub(crate) fn array_cases() -> impl Strategy<Value = Case> {
    list(shape().boxed()).prop_flat_map(case)
}

fn case(shape: Shape) -> impl Strategy<Value = Case> {
    let mut definitions = Object::new();
    let mut schema = shape.schema(&mut definitions);
    if !definitions.is_empty() {
        let Json::Object(members) = &mut schema else { unreachable!("only an object can refer") };
        members.push("$defs", definitions);
    }
    (shape.conforming(), shape.violating()).prop_map(move |(conforming, violating)| Case {
        schema: schema.clone(),
        conforming,
        violating,
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Anything),
        Just(Shape::Null),
        Just(Shape::Boolean),
        (-50_i64..50, 0_i64..50).prop_map(|(min, wide)| Shape::Integer { min, max: min + wide }),
        (-50_i64..50).prop_map(|over| Shape::Number { over }),
        (0_usize..4, 0_usize..4).prop_map(|(min, wide)| Shape::Text { min, max: min + wide }),
        vec(scalar(), 1..4).prop_map(|values| Shape::OneOf { values }),
        scalar().prop_map(|value| Shape::Exactly { value }),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let boxed = |inner: &BoxedStrategy<Shape>| inner.clone().prop_map(Box::new);
        let form = select(vec![NullForm::AnyOf, NullForm::OneOfReversed]);
        prop_oneof![
            3 => record(inner.clone()),
            2 => list(inner.clone()),
            1 => (vec(inner.clone(), 1..3), any::<bool>()).prop_map(|(items, closed)| Shape::Tuple { items, closed }),
            1 => (boxed(&inner), form).prop_map(|(inner, form)| Shape::Nullable { inner, form }),
            1 => (record(inner.clone()), list(inner.clone()), select(vec!["anyOf", "oneOf"]))
                .prop_map(|(one, other, keyword)| Shape::Either { shapes: vec![one, other], keyword }),
            1 => boxed(&inner).prop_map(|inner| Shape::All { inner }),
            1 => boxed(&inner).prop_map(|inner| Shape::Named { inner }),
        ]
    })
}

fn list(items: BoxedStrategy<Shape>) -> BoxedStrategy<Shape> {
    let list = |(items, min, wide)| Shape::List { items: Box::new(items), min, max: min + wide };
    (items, 0_usize..2, 0_usize..3).prop_map(list).boxed()
}

fn record(members: BoxedStrategy<Shape>) -> BoxedStrategy<Shape> {
    let keys = ["id", "name", "größe", "a/b", "~", "$ref"];
    let field = |key: &str, (shape, required)| Field { key: key.to_owned(), shape, required };
    let fields = (proptest::sample::subsequence(keys.to_vec(), 1..4), vec((members, any::<bool>()), 3))
        .prop_map(move |(keys, shapes)| keys.into_iter().zip(shapes).map(|(key, shape)| field(key, shape)).collect());
    (fields, any::<bool>()).prop_map(|(fields, closed)| Shape::Record { fields, closed }).boxed()
}

pub(crate) fn scalar() -> BoxedStrategy<Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-9_i64..9).prop_map(Json::from),
        text(0, 4).prop_map(Json::from),
    ]
    .boxed()
}

pub(crate) fn text(min: usize, max: usize) -> BoxedStrategy<String> {
    let characters = select(vec!['a', 'b', ' ', '"', '\\', '\'', 'é', '😀', '{', '\n']);
    vec(characters, min..=max).prop_map(|characters| characters.into_iter().collect()).boxed()
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// A value that nothing here makes otherwise.
pub(crate) fn stranger() -> Json {
    json(r#""a stranger to all""#)
}

impl Shape {
    fn schema(&self, definitions: &mut Object) -> Json {
        match self {
            Self::Anything => json("{}"),
            Self::Null => json(r#"{"type":"null"}"#),
            Self::Boolean => json(r#"{"type":"boolean"}"#),
            Self::Integer { min, max } => json(&format!(r#"{{"type":"integer","minimum":{min},"maximum":{max}}}"#)),
            Self::Number { over } => json(&format!(r#"{{"type":"number","exclusiveMinimum":{over}}}"#)),
            Self::Text { min, max } => json(&format!(r#"{{"type":"string","minLength":{min},"maxLength":{max}}}"#)),
            Self::OneOf { values } => object([("enum", Json::Array(values.clone()))]),
            Self::Exactly { value } => object([("const", value.clone())]),
            Self::List { items, min, max } => object([
                ("type", "array".into()),
                ("items", items.schema(definitions)),
                ("minItems", (*min as u64).into()),
                ("maxItems", (*max as u64).into()),
            ]),
            Self::Tuple { items, closed } => {
                let schemas = items.iter().map(|item| item.schema(definitions)).collect::<Vec<_>>();
                let length = json(&schemas.len().to_string());
                object([
                    ("type", "array".into()),
                    ("prefixItems", schemas.into()),
                    ("minItems", length),
                    ("items", (!closed).into()),
                ])
            }
            Self::Record { fields, closed } => {
                let properties = fields.iter().map(|field| (field.key.as_str(), field.shape.schema(definitions)));
                let properties = object(properties);
                let required = fields.iter().filter(|field| field.required).map(|field| field.key.as_str().into());
                object([
                    ("type", "object".into()),
                    ("properties", properties),
                    ("required", Json::Array(required.collect())),
                    ("additionalProperties", (!closed).into()),
                ])
            }
            Self::Nullable { inner, form } => {
                let (null, inner) = (Self::Null.schema(definitions), inner.schema(definitions));
                match form {
                    NullForm::AnyOf => object([("anyOf", vec![inner, null].into())]),
                    // No value may be both: an inner schema that takes null would make null wrong.
                    NullForm::OneOfReversed => {
                        let other = object([("allOf", vec![json(r#"{"not":{"type":"null"}}"#), inner].into())]);
                        object([("oneOf", vec![null, other].into())])
                    }
                }
            }
            Self::Either { shapes, keyword } => {
                let schemas = shapes.iter().map(|shape| shape.schema(definitions)).collect::<Vec<_>>();
                object([(*keyword, schemas.into())])
            }
            Self::All { inner } => {
                let other = object([("not", object([("const", stranger())]))]);
                object([("allOf", vec![inner.schema(definitions), other].into())])
            }
            Self::Named { inner } => {
                let schema = inner.schema(definitions);
                let name = format!("d{}", definitions.len());
                let reference = format!("#/$defs/{name}");
                definitions.push(name, schema);
                object([("$ref", reference.into())])
            }
        }
    }
}

pub(crate) fn object<'k>(members: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
    Json::Object(members.into_iter().collect())
}
