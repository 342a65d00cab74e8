//! From a record to bytes: terminal, Markdown, JUnit.
