//! Ajv: a schema is compiled to a function, and not checked by its meta-schema, as the TypeScript SDK turns that off.
//!
//! | module | file of the library |
//! |---|---|
//! | `class` | `ajv.ts`, `2019.ts`, `2020.ts`, `compile/rules.ts`; and which of them the SDK takes |
//! | `references` | `compile/resolve.ts`, `compile/index.ts` |
//! | `compile` | `compile/validate/index.ts`, and what each keyword looks at when code is written |
//! | `validate`, `keywords`, `evaluated` | the code that is written: `validate` runs that of a schema, `keywords` that of a keyword |
//! | `formats` | `ajv-formats/dist/formats.js` |

mod class;
mod compile;
mod evaluated;
mod formats;
mod keywords;
mod references;
mod types;
mod validate;

use serde_json::Value;

pub use self::class::Class;
use self::class::Engine;
use self::compile::Compiler;
use self::references::References;
use self::validate::Run;
use crate::patterns::Patterns;
use crate::refusal::Refusal;

/// Compiles a schema.
///
/// # Errors
/// When Ajv refuses it.
pub(crate) fn compile(class: Class, schema: &Value, patterns: &Patterns) -> Result<(), Refusal> {
    let engine = Engine::of(class, schema)?;
    Compiler::new(engine, &References::new(engine, schema)?, patterns).root()
}

/// Runs the function of a schema.
///
/// # Errors
/// When the value is invalid, or the function fails.
pub(crate) fn check(class: Class, schema: &Value, value: &Value, patterns: &Patterns) -> Result<(), Refusal> {
    let engine = Engine::of(class, schema)?;
    let references = References::new(engine, schema)?;
    let valid = Run::new(engine, &references, patterns, keywords::run).root(value)?;
    if valid { Ok(()) } else { Err(Refusal::Value("the schema".to_owned())) }
}
