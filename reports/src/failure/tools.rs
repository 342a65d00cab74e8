//! Tools of which a server test proves nothing, with the advice in the language of the test.

use std::collections::BTreeSet;

use mcp_compat_model::audit::{Audit, AuditedTool, CallState};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;

use super::story::short;

/// Number of characters of a sentence that are shown.
const SENTENCE: usize = 300;

/// Language of a test, in which its failure message gives advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The library for `cargo test`.
    Rust,
    /// The package for `pytest`.
    Python,
    /// The package for `node:test` and `vitest`.
    JavaScript,
    /// Options of `mcp-compat audit`.
    CommandLine,
}

impl std::str::FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "rust" => Ok(Self::Rust),
            "python" => Ok(Self::Python),
            "javascript" => Ok(Self::JavaScript),
            "plain" => Ok(Self::CommandLine),
            _ => Err("expected plain, rust, python or javascript".to_owned()),
        }
    }
}

impl Dialect {
    /// Text between the tool and the client in the name of a test.
    pub(super) const fn separator(self) -> &'static str {
        match self {
            Self::Python => "-",
            Self::Rust | Self::JavaScript | Self::CommandLine => "::",
        }
    }

    /// Code that calls a tool with arguments.
    fn call(self, tool: &str) -> String {
        match self {
            Self::Rust => format!(".call({tool:?}, …)"),
            Self::Python => format!("calls={{{tool:?}: {{…}}}}"),
            Self::JavaScript => format!("calls: {{ {tool:?}: {{…}} }}"),
            Self::CommandLine => format!("--call {tool}='{{…}}'"),
        }
    }

    /// Code that allows a tool to stay uncalled.
    fn allow(self, tool: &str) -> String {
        match self {
            Self::Rust => format!(".allow_uncalled({tool:?})"),
            Self::Python => format!("allow_uncalled=[{tool:?}]"),
            Self::JavaScript => format!("allowUncalled: [{tool:?}]"),
            Self::CommandLine => format!("--allow-uncalled {tool}"),
        }
    }

    /// Code that expects the call of a tool to fail.
    fn expect_error(self, tool: &str) -> String {
        match self {
            Self::Rust => format!(".expect_error({tool:?}, …)"),
            Self::Python => format!("expect_error=[{tool:?}]"),
            Self::JavaScript => format!("expectError: [{tool:?}]"),
            Self::CommandLine => format!("--expect-error {tool}"),
        }
    }
}

/// Expectations of a test about the calls of a server.
pub struct ExpectedCalls<'a> {
    /// Language of the test.
    pub dialect: Dialect,
    /// Returns whether a tool may stay uncalled.
    pub may_be_uncalled: &'a dyn Fn(&str) -> bool,
    /// Tools whose call has to end with a tool error.
    pub errors: &'a BTreeSet<String>,
}

/// Tools of which the test proves nothing, each with the reason and what to do.
pub fn unproven_tools(audit: &Audit, expected: &ExpectedCalls<'_>) -> Vec<(String, String)> {
    let audited = audit.tools.iter().filter_map(|tool| Some((tool.name.clone(), unproven(tool, expected)?)));
    let beyond_limit = audit.tool_limit.into_iter().flat_map(|limit| {
        let asked = audit.passed_over.iter().filter(|tool| !(expected.may_be_uncalled)(tool));
        asked.map(move |tool| (tool.clone(), not_audited(tool, limit)))
    });
    audited.chain(beyond_limit).collect()
}

/// Message about a tool that is beyond the limit of an audit.
fn not_audited(tool: &str, limit: usize) -> String {
    let tool = neutralised(tool);
    format!("`{tool}` was not audited: an audit covers the first {limit} tools. To audit others, select them by name")
}

fn unproven(tool: &AuditedTool, expected: &ExpectedCalls<'_>) -> Option<String> {
    let name = neutralised(&tool.name);
    let fails = expected.errors.contains(&tool.name);
    let dialect = expected.dialect;
    let (call, expect_error) = (dialect.call(&name), dialect.expect_error(&name));
    if tool.not_played > 0 {
        let clients = counted(tool.not_played, "client");
        return Some(format!(
            "`{name}` was not played to {clients}, because the audit ended early. Give it more time, or select fewer tools"
        ));
    }
    if tool.unchecked {
        return Some(format!(
            "`{name}` was not checked by the rules, because the audit ended early. Give it more time, or select fewer tools"
        ));
    }
    match &tool.call {
        CallState::NotCalled { .. } if (expected.may_be_uncalled)(&tool.name) => None,
        CallState::NotCalled { why, .. } => Some(format!(
            "`{name}` was never called: {}. Call it with {call}, or allow it with {}",
            short(&neutralised(why), SENTENCE),
            dialect.allow(&name)
        )),
        CallState::Answered { .. } if fails => Some(format!(
            "`{name}` returned a result, and {expect_error} expects an error. Give arguments that it refuses, or use {call}"
        )),
        CallState::Answered { .. } if tool.not_known > 0 && tool.fine + tool.losses.len() == 0 => Some(format!(
            "it is not known whether any client accepts `{name}`: the mocks and profiles cannot check its results. \
             `mcp-compat audit --fleet` plays it to real clients"
        )),
        CallState::Answered { .. } => None,
        CallState::Failed { .. } if fails => None,
        // A tool that every client loses is reported as a break.
        CallState::Failed { .. } if tool.breaks().next().is_some() => None,
        CallState::Failed { arguments, why, .. } => Some(format!(
            "the call of `{name}` with {} failed, so its result was not seen: {}. Give arguments that it accepts with \
             {call}, or state that it fails with {expect_error}",
            short(&neutralised(arguments), SENTENCE),
            short(&neutralised(why), SENTENCE)
        )),
    }
}
