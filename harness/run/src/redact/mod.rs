//! Removal of secrets from what is printed or written into files.
//!
//! ```text
//! keys          `password`, `API_KEY`: is the value under this key a secret?
//! services      the rules of gitleaks, as data
//! text          any text ──> where credentials stand in it, or the text with `***` in their place
//! command_line  a command line ──> the same without its secrets
//! known         headers or an environment ──> KnownSecrets ──> texts, transcripts, observations without them
//! ```
//!
//! Nothing here does I/O.

mod command_line;
mod keys;
mod known;
mod services;
mod text;

pub use command_line::{redact_command_line, redact_command_words};
pub use keys::{is_secret_key, is_secret_number_key};
pub use known::{KnownSecrets, secrets_of_headers};
pub use text::{MASK, find_secrets, looks_like_secret, redact_text, redact_text_with};
