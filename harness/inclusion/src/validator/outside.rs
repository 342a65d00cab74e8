//! References that lead out of a schema: recorded, and never fetched.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Retrieve, Uri};
use serde_json::Value;

/// Refuses whatever the validator asks for, and remembers the first address.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside(Arc<Mutex<Option<String>>>);

impl Outside {
    /// The first address that was asked for.
    pub(super) fn first(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Retrieve for Outside {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| uri.as_str().to_owned());
        Err(format!("{uri} is outside of the schema, and nothing is fetched").into())
    }
}
