//! The site in a real browser: what it shows is what the record says, on a disk and on a server, by mouse, by keyboard and
//! without script; nothing leaves; nothing of a stranger is more than text; everybody can read it.
//!
//! The browser is Chromium without windows (`chromium-headless-shell`, or what `CHROMIUM` names). Without one the tests are
//! skipped and say so. All tests share one browser, so they take turns; each has a tab in a context of its own.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

#[path = "../../../compat/tests/integration/skip.rs"]
mod skip;

mod accessible;
mod chromium;
mod filters;
mod hostile;
mod local;
mod made;
mod numbers;
mod recount;
mod server;
mod shown;
mod tab;
mod timings;
mod walk;
