//! `jsonschema` for Python: the schema is checked by its meta-schema first, then it is applied keyword by keyword, and
//! references are resolved when they are come to.
//!
//! | module | file of the library |
//! |---|---|
//! | `draft` | `jsonschema/validators.py`: the classes; `referencing/jsonschema.py` |
//! | `registry` | `referencing/_core.py` |
//! | `validator` | `jsonschema/validators.py`: `iter_errors`, `descend` |
//! | `keywords` | `jsonschema/_keywords.py`, `_legacy_keywords.py` |
//! | `evaluated` | `jsonschema/_utils.py`: `find_evaluated_…` |

mod draft;
mod evaluated;
mod keywords;
mod registry;
mod types;
mod validator;

use serde_json::{Value, json};

use self::draft::Draft;
use self::validator::Validator;
use crate::patterns::Patterns;
use crate::refusal::Refusal;

/// Checks a schema by the meta-schema of its draft.
///
/// # Errors
/// The first violation.
pub(crate) fn check_schema(schema: &Value, patterns: &Patterns) -> Result<(), Refusal> {
    let draft = Draft::of(schema, Draft::LATEST)?;
    let meta = json!({ "$ref": draft.meta_schema() });
    let validator = Validator::new(draft, &meta, patterns, keywords::apply, true)?;
    if validator.is_valid(schema)? { Ok(()) } else { Refusal::schema("it violates its meta-schema") }
}

/// Validates a value.
///
/// # Errors
/// When there is a violation, or an exception on the way.
pub(crate) fn check(schema: &Value, value: &Value, patterns: &Patterns) -> Result<(), Refusal> {
    let draft = Draft::of(schema, Draft::LATEST)?;
    let validator = Validator::new(draft, schema, patterns, keywords::apply, false)?;
    if validator.has_no_errors(value)? { Ok(()) } else { Err(Refusal::Value("the schema".to_owned())) }
}
