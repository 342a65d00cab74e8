//! Whole numbers from 1: how many tools make a page, which page, how often.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::table::{Place, Read};
use crate::sink::Sink;

/// A whole number from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub(crate) u32);

impl Read for Count {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let expected = "a whole number from 1";
        let Some(integer) = place.value.as_integer() else {
            return place.refuse(expected, None, sink);
        };
        match u32::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(count) if count > 0 => Some(Self(count)),
            Ok(_) | Err(_) => {
                let mistake = sink.mistake(&place.span, format!("`{}` must be {expected}", place.name));
                sink.report(mistake.label(format!("expected {expected} that 32 bits hold")));
                None
            }
        }
    }
}

impl JsonSchema for Count {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": u32::MAX })
    }
}
