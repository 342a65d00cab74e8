//! Named tests that the program prints, as tests of a runner or as a single assertion.

#[cfg(feature = "main")]
use libtest_mimic::{Completion, Trial};
use serde::{Deserialize, Serialize};

/// Test of a tool with a client, or of the call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Named {
    name: String,
    result: TestResult,
    #[serde(default)]
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TestResult {
    Passed,
    Failed,
    Skipped,
}

#[cfg(feature = "main")]
impl Named {
    pub(super) fn trial(self) -> Trial {
        let Self { name, result, text } = self;
        Trial::ignorable_test(name, move || match result {
            TestResult::Passed => Ok(Completion::Completed),
            TestResult::Skipped => Ok(Completion::ignored_with(text)),
            TestResult::Failed => Err(text.into()),
        })
    }
}

/// Report of an audit, for a test to assert on.
#[derive(Clone, Debug)]
pub struct Report(Vec<Named>);

impl Report {
    pub(super) fn new(tests: Vec<Named>) -> Self {
        Self(tests)
    }

    /// Passes if the baseline lists everything that clients lose, and the result of each tool was seen.
    ///
    /// # Panics
    /// When a client loses something, a tool was not called, a baseline entry is stale, or nothing was judged.
    #[track_caller]
    pub fn assert_no_breaks(&self) {
        let failed = |test: &&Named| test.result == TestResult::Failed;
        let texts: Vec<&str> = self.0.iter().filter(failed).map(|test| test.text.trim_end()).collect();
        let number = texts.len();
        assert!(texts.is_empty(), "{number} of {} tests fail\n\n{}", self.0.len(), texts.join("\n\n"));
        let is_judged = self.0.iter().any(|test| test.result == TestResult::Passed);
        assert!(is_judged, "nothing was judged: every test is skipped");
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn failure(tests: &str) -> Option<String> {
        let report = Report::new(serde_json::from_str(tests).unwrap());
        let panic = catch_unwind(AssertUnwindSafe(|| report.assert_no_breaks())).err()?;
        let plain = |panic: Box<dyn std::any::Any + Send>| (*panic.downcast::<&str>().unwrap()).to_owned();
        Some(panic.downcast::<String>().map_or_else(plain, |text| *text))
    }

    #[test]
    fn one_assertion_has_the_text_of_every_test_that_fails() {
        let passed = r#"{"name": "a::x", "tool": "a", "client": "x", "result": "passed"}"#;
        let skipped = r#"{"name": "b::x", "tool": "b", "result": "skipped", "text": "not called"}"#;
        let failed = r#"{"name": "c::x", "tool": "c", "result": "failed", "text": "it breaks\n"}"#;
        assert_eq!(failure(&format!("[{passed}, {skipped}]")), None);
        assert_eq!(failure(&format!("[{passed}, {failed}]")).unwrap(), "1 of 2 tests fail\n\nit breaks");
        assert_eq!(failure(&format!("[{skipped}]")).unwrap(), "nothing was judged: every test is skipped");
    }
}
