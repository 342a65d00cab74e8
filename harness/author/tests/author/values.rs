//! Values of a shape: those that fit, and those that are broken in one place on purpose.

use mcp_compat_json::{Json, Object};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::Union;

use crate::shapes::{Field, Shape, json, object, scalar, stranger, text};

impl Shape {
    /// Values that fit.
    pub(crate) fn conforming(&self) -> BoxedStrategy<Json> {
        match self {
            Self::Anything => scalar(),
            Self::Null => Just(Json::Null).boxed(),
            Self::Boolean => any::<bool>().prop_map(Json::from).boxed(),
            Self::Integer { min, max } => {
                // An integer is one however it is written.
                let spelt = |(value, form): (i64, &str)| json(&format!("{value}{form}"));
                (*min..=*max, select(vec!["", ".0", "e0"])).prop_map(spelt).boxed()
            }
            Self::Number { over } => {
                // The next integer, and at most nine tenths further from zero, is still above.
                let next = over + 1;
                (0_i64..9, 1..=9).prop_map(move |(more, tenths)| json(&format!("{}.{tenths}", next + more))).boxed()
            }
            Self::Text { min, max } => text(*min, *max).prop_map(Json::from).boxed(),
            Self::OneOf { values } => select(values.clone()).boxed(),
            Self::Exactly { value } => Just(value.clone()).boxed(),
            Self::List { items, min, max } => vec(items.conforming(), *min..=*max).prop_map(Json::from).boxed(),
            Self::Tuple { items, .. } => {
                items.iter().map(Self::conforming).collect::<Vec<_>>().prop_map(Json::from).boxed()
            }
            Self::Record { fields, .. } => {
                let values = fields.iter().map(|field| (field.shape.conforming(), any::<bool>())).collect::<Vec<_>>();
                let fields = fields.clone();
                let record = move |values: Vec<(Json, bool)>| {
                    let present = fields.iter().zip(values).filter(|(field, (_, there))| field.required || *there);
                    object(present.map(|(field, (value, _))| (field.key.as_str(), value)))
                };
                values.prop_map(record).boxed()
            }
            Self::Nullable { inner, .. } => prop_oneof![inner.conforming(), Just(Json::Null)].boxed(),
            Self::Either { shapes, .. } => Union::new(shapes.iter().map(Self::conforming)).boxed(),
            Self::All { inner } | Self::Named { inner } => inner.conforming(),
        }
    }

    /// Returns true if any value does not fit.
    pub(crate) fn can_be_violated(&self) -> bool {
        match self {
            Self::Anything => false,
            Self::Nullable { inner, .. } | Self::Named { inner } => inner.can_be_violated(),
            Self::All { .. }
            | Self::Null
            | Self::Boolean
            | Self::Integer { .. }
            | Self::Number { .. }
            | Self::Text { .. }
            | Self::OneOf { .. }
            | Self::Exactly { .. }
            | Self::List { .. }
            | Self::Tuple { .. }
            | Self::Record { .. }
            | Self::Either { .. } => true,
        }
    }

    /// Values that do not fit, each wrong in one place. Never null, which some shape around this one may allow.
    pub(crate) fn violating(&self) -> BoxedStrategy<Json> {
        let of_another_kind = Just(self.wrong_kind()).boxed();
        match self.broken_inside() {
            Some(inside) => prop_oneof![1 => of_another_kind, 3 => inside].boxed(),
            None => of_another_kind,
        }
    }

    /// A value of a kind that does not fit at all.
    fn wrong_kind(&self) -> Json {
        match self {
            Self::Boolean | Self::Integer { .. } | Self::Number { .. } | Self::List { .. } | Self::Tuple { .. } => {
                stranger()
            }
            Self::Null | Self::Record { .. } | Self::OneOf { .. } | Self::Exactly { .. } => stranger(),
            Self::Text { .. } => 7_i64.into(),
            Self::Either { .. } => true.into(),
            // This is what it says a value must not be.
            Self::All { .. } => stranger(),
            Self::Nullable { inner, .. } | Self::Named { inner } => inner.wrong_kind(),
            Self::Anything => unreachable!("everything fits"),
        }
    }

    /// Values of the right kind, with something wrong in them.
    pub(crate) fn broken_inside(&self) -> Option<BoxedStrategy<Json>> {
        match self {
            Self::Integer { min, max } => {
                let wrong = [(max + 1).to_string(), (min - 1).to_string(), format!("{}.5", max.max(&0))];
                Some(select(wrong.map(|wrong| json(&wrong)).to_vec()).boxed())
            }
            Self::Number { over } => Some(Just((*over).into()).boxed()),
            Self::Text { min, max } => {
                let too_long = text(max + 1, max + 3).prop_map(Json::from).boxed();
                let too_short = min.checked_sub(1).map(|short| text(short, short).prop_map(Json::from).boxed());
                Some(Union::new([too_long].into_iter().chain(too_short)).boxed())
            }
            Self::List { items, max, .. } => {
                let too_many = vec(items.conforming(), max + 1..=max + 2).prop_map(Json::from).boxed();
                let wrong = items.can_be_violated() && *max > 0;
                let items = wrong.then(|| (vec(items.conforming(), *max), items.violating(), any::<Index>()));
                let wrong_item = items.map(|items| {
                    items
                        .prop_map(|(mut items, wrong, place)| {
                            let place = place.index(items.len());
                            items[place] = wrong;
                            Json::from(items)
                        })
                        .boxed()
                });
                Some(Union::new([too_many].into_iter().chain(wrong_item)).boxed())
            }
            Self::Tuple { items, closed } => {
                let right: Vec<_> = items.iter().map(Self::conforming).collect();
                let too_few = right[1..].to_vec().prop_map(Json::from).boxed();
                let too_many = closed.then(|| {
                    right
                        .clone()
                        .prop_map(|mut items| {
                            items.push(Json::Null);
                            Json::from(items)
                        })
                        .boxed()
                });
                Some(Union::new([too_few].into_iter().chain(too_many)).boxed())
            }
            Self::Record { fields, closed } => broken_record(self, fields, *closed),
            Self::Nullable { inner, .. } | Self::Named { inner } | Self::All { inner } if inner.can_be_violated() => {
                inner.broken_inside()
            }
            Self::Anything
            | Self::Null
            | Self::Boolean
            | Self::OneOf { .. }
            | Self::Exactly { .. }
            | Self::Either { .. }
            | Self::Nullable { .. }
            | Self::All { .. }
            | Self::Named { .. } => None,
        }
    }
}

/// Records without a member that is required, with one too many, or with a wrong one.
fn broken_record(whole: &Shape, fields: &[Field], closed: bool) -> Option<BoxedStrategy<Json>> {
    let mut ways: Vec<BoxedStrategy<Json>> = Vec::new();
    if closed {
        let with_more = |value: Json| with_member(&value, "more", Some(Json::Null));
        ways.push(whole.conforming().prop_map(with_more).boxed());
    }
    for field in fields {
        let key = field.key.clone();
        if field.required {
            let key = key.clone();
            ways.push(whole.conforming().prop_map(move |value| with_member(&value, &key, None)).boxed());
        }
        if field.shape.can_be_violated() {
            let broken = (whole.conforming(), field.shape.violating());
            ways.push(broken.prop_map(move |(value, wrong)| with_member(&value, &key, Some(wrong))).boxed());
        }
    }
    (!ways.is_empty()).then(|| Union::new(ways).boxed())
}

fn with_member(value: &Json, key: &str, new: Option<Json>) -> Json {
    let members = value.as_object().into_iter().flat_map(Object::iter).filter(|(name, _)| **name != *key);
    let mut members: Object = members.map(|(name, value)| (name.clone(), value.clone())).collect();
    if let Some(new) = new {
        members.push(key, new);
    }
    members.into()
}
