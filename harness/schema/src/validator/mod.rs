//! The `jsonschema` validator behind functions that are not generic.
//!
//! The validator is generic over the type of JSON values, so every crate that calls it compiles all of it again: half of the
//! code of the mock client was the validator. This crate compiles it once, for [`serde_json::Value`]. It is the only crate
//! that calls `jsonschema`. It adds two things.
//!
//! Patterns are read in the dialect of whoever is asked about, because the validator's own engine takes patterns that are
//! no ECMA-262, and refuses some that are.
//!
//! Work is bounded, because schemas are written by strangers. A small schema can take a validator more time and memory than
//! there is. `meter` counts the work of a validation while it is done and ends it when its budget is spent, `metered` makes
//! the validator look at values through the meter, and `countable` rewrites a schema so that no work escapes. What is done
//! before the first look, when a schema is compiled, is estimated by `weight` and `unevaluated`. The end is a
//! [`ViolationKind::TooCostly`] with the place in the schema.
//!
//! ```
//! # use mcp_compat_schema::validator::Options;
//! # use serde_json::json;
//! let validator = Options::default().compile(&json!({"type": "integer"})).unwrap();
//! assert!(validator.validate(&json!(1)).is_ok());
//! assert_eq!(validator.validate(&json!("1")).unwrap_err().keyword, "type");
//! ```

mod costly_place;
mod countable;
mod kept;
mod memory;
mod meter;
mod metered;
mod own_keywords;
mod patterns;
mod references;
mod schema_patterns;
mod subschemas;
mod unevaluated;
mod weight;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError};
use serde_json::Value;

use self::costly_place::costly_place;
use self::meter::{Rates, Spent, Work};
use self::metered::{Instance, Metered};
use self::own_keywords::{Nothing, has_dependencies};
use self::schema_patterns::Originals;

pub use self::kept::Kept;
pub use self::memory::is_too_large;
pub use self::own_keywords::Division;
pub use self::patterns::PatternDialect;
pub use self::references::percent_decoded;
pub use self::schema_patterns::{RefusedPattern, refused_pattern};
pub use self::subschemas::{Holds, each_schema, holds};
pub use jsonschema::Draft;

/// Violation of a schema by a value, or an error in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub kind: ViolationKind,
    /// The place in the value, as a JSON Pointer. For an invalid schema, the place in the schema.
    pub instance_pointer: String,
    /// The place in the schema that the value violates, as a JSON Pointer.
    pub schema_pointer: String,
    pub keyword: String,
    /// The validator's message.
    pub message: String,
}

/// Violations of a schema by a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    pub first: Vec<Violation>,
    /// Number of violations; a lower bound if `is_complete` is false.
    pub number: usize,
    /// Set if the value was checked to its end.
    pub is_complete: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    Keyword,
    /// A pattern takes too long, so that the value cannot be checked.
    PatternTooSlow,
    /// A pattern of the schema is no regular expression of its dialect.
    Pattern,
    /// A pattern of the schema cannot be run here.
    PatternUnsupported,
    /// A reference cannot be resolved.
    Reference,
    /// The check takes too much work. `schema_pointer` is the place in the schema, as far as it is known.
    TooCostly,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Violation {}

/// Returns the document at an address, or why it is not available.
pub type Retriever = Box<dyn Fn(&str) -> Result<Value, String> + Send + Sync>;

/// Options for the compilation of a schema.
#[derive(Default)]
pub struct Options {
    /// The draft; without it, the one that the schema declares.
    pub draft: Option<Draft>,
    /// Makes `format` an assertion or an annotation; without it, the draft decides.
    pub formats: Option<bool>,
    /// The dialect of the patterns; without it, they are for the validator's engine.
    pub patterns: Option<PatternDialect>,
    pub division: Division,
    /// Resolves references to other documents; without it, none is available.
    pub retriever: Option<Retriever>,
}

/// A compiled schema.
pub struct Validator {
    validator: jsonschema::Validator<Metered>,
    originals: Originals,
    rates: Rates,
    /// Approximate memory that it takes, in bytes.
    bytes: u64,
    /// The schema, to find the place that took too much work.
    schema: Value,
    /// The values that took too much work, so that the same value does not take it again.
    given_up: Mutex<Vec<(Value, Violation)>>,
}

impl Validator {
    /// Returns the approximate memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        usize::try_from(self.bytes).unwrap_or(usize::MAX)
    }
}

impl Options {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Fails if it is not a valid schema, a reference in it cannot be resolved, or it takes too much work.
    pub fn compile(self, schema: &Value) -> Result<Validator, Violation> {
        if is_too_large(schema) {
            return Err(too_costly(String::new(), memory::TOO_LARGE));
        }
        let mut written = schema.clone();
        let (rates, weight) =
            weight::rates(&mut written).map_err(|place| too_costly(place, "its patterns are too many or too long"))?;
        if let Some(place) = unevaluated::too_costly(&mut written) {
            return Err(too_costly(place, "what it evaluates takes too many steps to find"));
        }
        let mut originals = Originals::default();
        if let Some(dialect) = self.patterns.filter(|_| schema_patterns::has_patterns(schema)) {
            originals = schema_patterns::rewrite(&mut written, dialect)?;
        }
        let has_resources = !references::Places::of(schema).resources.is_empty();
        let shape = countable::rewrite(&mut written, has_resources)
            .map_err(|uncountable| too_costly(uncountable.pointer, uncountable.why))?;
        let rates = Rates { visit: shape.unseen / 8, ..rates };
        let asks_for_patterns = self.patterns.is_some();
        let draft = self.draft.unwrap_or_else(|| Draft::default().detect(schema));
        let mut options = self.options();
        if !has_dependencies(draft) {
            options = options.with_keyword("dependencies", |_, _, _| Ok(Box::new(Nothing)));
        }
        let built = meter::within(Rates::default(), costly_place::size(schema), || options.build(&written));
        let Ok(built) = built else {
            return Err(too_costly(String::new(), "its references lead to one another in too many ways"));
        };
        let validator = built.map_err(|error| {
            let violation = originals.restore(violation(&error));
            let refused = matches!(error.kind(), ValidationErrorKind::Format { format } if format == "regex");
            let kind = match (refused, asks_for_patterns) {
                (true, false) => ViolationKind::Pattern,
                // What was written for the engine is valid, so a limit of the engine is in the way.
                (true, true) => ViolationKind::PatternUnsupported,
                (false, _) => violation.kind,
            };
            Violation { kind, ..violation }
        })?;
        let bytes = memory::compiled(schema, weight);
        Ok(Validator { validator, originals, rates, bytes, schema: schema.clone(), given_up: Mutex::default() })
    }

    fn options(self) -> jsonschema::ValidationOptions<'static, Arc<dyn Retrieve>, Metered> {
        let division = self.division;
        let unavailable: Retriever = Box::new(|address| Err(format!("{address} is not available")));
        let mut options = jsonschema::options_for::<Metered>()
            .with_retriever(Documents(self.retriever.unwrap_or(unavailable)))
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(weight::BACKTRACKS))
            .with_keyword(countable::STEP, |_, _, _| {
                meter::charge(Work::Visit, STEP);
                Ok(Box::new(Nothing))
            })
            .with_keyword("multipleOf", move |_, value, _| division.keyword(value));
        if let Some(draft) = self.draft {
            options = options.with_draft(draft);
        }
        if let Some(formats) = self.formats {
            options = options.should_validate_formats(formats);
        }
        options
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { draft, formats, patterns, division, retriever: _ } = self;
        let mut shown = f.debug_struct("Options");
        shown.field("draft", draft).field("formats", formats).field("patterns", patterns);
        shown.field("division", division).finish_non_exhaustive()
    }
}

impl Validator {
    /// Validates a value.
    ///
    /// # Errors
    /// The first violation, or that it takes too much work to find one.
    pub fn validate(&self, value: &Value) -> Result<(), Violation> {
        if let Some((_, violation)) = self.given_up().iter().find(|(given_up, _)| given_up == value) {
            return Err(violation.clone());
        }
        let validated = meter::within(self.rates, costly_place::size(value), || {
            self.validator.validate(Instance(value)).map_err(|error| self.originals.restore(violation(&error)))
        });
        validated.unwrap_or_else(|spent| Err(self.give_up(value, spent)))
    }

    /// Returns the first violations of a value, at most `most`, and their number. It has a budget of its own, as much as
    /// [`Validator::validate`] has.
    pub fn violations(&self, value: &Value, most: usize) -> Violations {
        let mut found = Violations { is_complete: true, ..Violations::default() };
        if self.given_up().iter().any(|(given_up, _)| given_up == value) {
            return Violations::default();
        }
        let counted = meter::within(self.rates, costly_place::size(value), || {
            for error in self.validator.iter_errors(Instance(value)) {
                let violation = violation(&error);
                if violation.kind != ViolationKind::Keyword {
                    found.is_complete = false;
                } else if found.first.len() < most {
                    let violation = self.originals.restore(violation);
                    found.number += usize::from(!found.first.contains(&violation));
                    found.first.extend((!found.first.contains(&violation)).then_some(violation));
                } else {
                    found.number += 1;
                }
            }
        });
        found.is_complete &= counted.is_ok();
        found
    }

    /// Returns true if a value conforms. This is quicker than finding a violation.
    ///
    /// # Errors
    /// Fails if a pattern takes too long, or the whole takes too much work.
    pub fn is_valid(&self, value: &Value) -> Result<bool, Violation> {
        let has_patterns = self.rates.text > 0;
        if has_patterns || self.given_up().iter().any(|(given_up, _)| given_up == value) {
            return match self.validate(value) {
                Ok(()) => Ok(true),
                Err(violation) => match violation.kind {
                    ViolationKind::PatternTooSlow | ViolationKind::TooCostly | ViolationKind::Reference => {
                        Err(violation)
                    }
                    ViolationKind::Keyword | ViolationKind::Pattern | ViolationKind::PatternUnsupported => Ok(false),
                },
            };
        }
        let validated =
            meter::within(self.rates, costly_place::size(value), || self.validator.is_valid(Instance(value)));
        validated.map_err(|spent| self.give_up(value, spent))
    }

    fn give_up(&self, value: &Value, Spent { on }: Spent) -> Violation {
        let why = match on {
            Work::Visit => "its parts apply to the value too many times",
            Work::Comparison => "it compares too many values",
            Work::Name => "it looks at too many names",
            Work::Text => "it matches too many or too long texts with patterns",
        };
        let violation = too_costly(costly_place(&mut self.schema.clone(), on), why);
        let mut given_up = self.given_up();
        if given_up.len() < KEPT && costly_place::size(value) < KEPT_SIZE {
            given_up.push((value.clone(), violation.clone()));
        }
        violation
    }

    fn given_up(&self) -> MutexGuard<'_, Vec<(Value, Violation)>> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").finish_non_exhaustive()
    }
}

/// Number of values that took too much work and are kept with a schema.
const KEPT: usize = 4;

/// Largest number of values in a value that is kept.
const KEPT_SIZE: usize = 1_000;

/// Cost of a schema while it is compiled, if it may be compiled many times over.
const STEP: u64 = 100;

/// Returns the violation that a schema takes too much work at a place.
fn too_costly(place: String, why: &str) -> Violation {
    let shown = if place.is_empty() { "the schema".to_owned() } else { format!("the schema at {place}") };
    let keyword = place.rsplit('/').next().unwrap_or_default().to_owned();
    Violation {
        kind: ViolationKind::TooCostly,
        instance_pointer: String::new(),
        schema_pointer: place,
        keyword,
        message: format!("{shown} takes too much work to check: {why}"),
    }
}

/// Returns true if a schema declares a dialect that the validator does not know.
pub fn is_unknown_dialect(schema: &Value) -> bool {
    matches!(Draft::default().detect(schema), Draft::Unknown)
}

fn violation(error: &ValidationError<'_>) -> Violation {
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
