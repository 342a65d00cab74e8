//! The `jsonschema` validator behind functions that are not generic.
//!
//! The validator is generic over the type of JSON values, so every crate that calls it compiles all of it again: half of the
//! code of the mock client was the validator. This crate compiles it once, for [`serde_json::Value`]. It is the only crate
//! that calls `jsonschema`. It adds one thing: patterns are read in the dialect of whoever is asked about, because the
//! validator's own engine takes patterns that are no ECMA-262, and refuses some that are.
//!
//! ```
//! # use mcp_compat_validator::Options;
//! # use serde_json::json;
//! let validator = Options::default().compile(&json!({"type": "integer"})).unwrap();
//! assert!(validator.validate(&json!(1)).is_ok());
//! assert_eq!(validator.validate(&json!("1")).unwrap_err().keyword, "type");
//! ```

mod patterns;
mod schema_patterns;
mod subschemas;
mod violation;

use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Retrieve, Uri};
use serde_json::Value;

use self::schema_patterns::Originals;

pub use self::patterns::{PatternDialect, PatternProblem};
pub use self::schema_patterns::{RefusedPattern, refused_pattern};
pub use self::subschemas::{Holds, each_schema, holds};
pub use self::violation::{Violation, ViolationKind};
pub use jsonschema::Draft;

/// Returns the document at an address, or why it is not available.
pub type Retriever = Box<dyn Fn(&str) -> Result<Value, String> + Send + Sync>;

/// How a schema is compiled.
#[derive(Default)]
pub struct Options {
    /// The draft; without it, the one that the schema declares.
    pub draft: Option<Draft>,
    /// Whether `format` is an assertion; without it, the draft decides.
    pub formats: Option<bool>,
    /// The dialect of the patterns; without it, they are for the validator's engine.
    pub patterns: Option<PatternDialect>,
    /// Resolves references to other documents; without it, none is available.
    pub retriever: Option<Retriever>,
}

/// A compiled schema.
pub struct Validator {
    validator: Box<dyn Validate>,
    originals: Originals,
}

/// What a [`Validator`] does. As a trait object, so that nothing of the validator is compiled elsewhere.
trait Validate: Send + Sync {
    fn validate(&self, value: &Value) -> Result<(), Violation>;
}

impl Options {
    /// Compiles a schema.
    ///
    /// # Errors
    /// When it is not a valid schema, or a reference in it cannot be resolved.
    pub fn compile(self, schema: &Value) -> Result<Validator, Violation> {
        let unavailable: Retriever = Box::new(|address| Err(format!("{address} is not available")));
        let mut options = jsonschema::options().with_retriever(Documents(self.retriever.unwrap_or(unavailable)));
        if let Some(draft) = self.draft {
            options = options.with_draft(draft);
        }
        if let Some(formats) = self.formats {
            options = options.should_validate_formats(formats);
        }
        let mut originals = Originals::default();
        let mut written = None;
        if let Some(dialect) = self.patterns.filter(|_| schema_patterns::has_patterns(schema)) {
            originals = schema_patterns::rewrite(written.insert(schema.clone()), dialect)?;
        }
        match options.build(written.as_ref().unwrap_or(schema)) {
            Ok(validator) => Ok(Validator { validator: Box::new(validator), originals }),
            Err(error) => {
                let violation = originals.restore(violation(&error));
                let refused = matches!(error.kind(), ValidationErrorKind::Format { format } if format == "regex");
                let kind = match (refused, self.patterns) {
                    (true, None) => ViolationKind::Pattern,
                    // What was written for the engine is valid, so a limit of the engine is in the way.
                    (true, Some(_)) => ViolationKind::PatternUnsupported,
                    (false, _) => violation.kind,
                };
                Err(Violation { kind, ..violation })
            }
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { draft, formats, patterns, retriever: _ } = self;
        let mut shown = f.debug_struct("Options");
        shown.field("draft", draft).field("formats", formats).field("patterns", patterns).finish_non_exhaustive()
    }
}

impl Validator {
    /// Validates a value.
    ///
    /// # Errors
    /// The first violation.
    pub fn validate(&self, value: &Value) -> Result<(), Violation> {
        self.validator.validate(value).map_err(|violation| self.originals.restore(violation))
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").finish_non_exhaustive()
    }
}

impl Validate for jsonschema::Validator {
    fn validate(&self, value: &Value) -> Result<(), Violation> {
        Self::validate(self, value).map_err(|error| violation(&error))
    }
}

/// Whether a schema declares a dialect that the validator does not know.
#[must_use]
pub fn is_unknown_dialect(schema: &Value) -> bool {
    matches!(Draft::default().detect(schema), Draft::Unknown)
}

fn violation(error: &jsonschema::ValidationError<'_>) -> Violation {
    let found = error.kind();
    let too_slow = matches!(
        found,
        ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. }
    );
    let kind = if too_slow {
        ViolationKind::PatternTooSlow
    } else if let ValidationErrorKind::Referencing(_) = found {
        ViolationKind::Reference
    } else {
        ViolationKind::Keyword
    };
    Violation {
        kind,
        instance_pointer: error.instance_path().to_string(),
        schema_pointer: error.schema_path().to_string(),
        keyword: found.keyword().to_owned(),
        message: error.to_string(),
    }
}

struct Documents(Retriever);

impl Retrieve for Documents {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        (self.0)(uri.as_str()).map_err(Into::into)
    }
}
