//! Clients beyond those that are played, of which reports tell what they lose by a violation.

use mcp_compat_judge::rules::{self, Affects};
use mcp_compat_model::audit::AuditFinding;

use super::host_limits::REFUSED_NAMES;

/// Adds to findings of the specification who loses what by them.
pub(super) fn tell(findings: &mut [AuditFinding]) {
    for finding in findings.iter_mut().filter(|finding| finding.lost_elsewhere.is_none()) {
        finding.lost_elsewhere = rules::find(&finding.rule).and_then(words).map(str::to_owned);
    }
}

fn words(rule: &rules::Rule) -> Option<&'static str> {
    // Report: cap-js/mcp#36.
    if rule == &rules::HTTP_GET_STREAM_OR_405 {
        return Some("Cursor, which takes another status for a failed connection: the session");
    }
    // Report: twentyhq/twenty#24559.
    if rule == &rules::PROGRESS_TOKEN_KNOWN {
        return Some(
            "every client that asks for progress: this progress, without an error; Cursor, which counts such a notification as \
             an error and takes the server for failed: the session",
        );
    }
    // rmcp, transport/common/reqwest/streamable_http_client.rs: 204 since 0.8.3, an empty 200 since 1.8.0; mark3labs/mcp-go#717.
    // Report: openai/codex#5208, langgenius/dify#24962, egoist/chatwise-releases#1360, modelcontextprotocol/rust-sdk#849.
    if rule == &rules::HTTP_NOTIFICATION_ACCEPTED {
        return Some(
            "clients that wait for 202: at 204 rmcp up to 0.8.2 (Codex of that time), mcp-go up to 0.43, ChatWise and Dify, at 200 \
             rmcp up to 1.7: the session",
        );
    }
    if rule == &rules::FAILED_CALL_IS_MARKED {
        return Some("every client: the failure, if it is one; it takes the result for a success");
    }
    if rule == &rules::TOOL_NAMES_PLAIN {
        return Some(REFUSED_NAMES);
    }
    // One entry without a name, or null, was measured with releases of these.
    if rule == &rules::TOOLS_LIST_SHAPE {
        return Some("the TypeScript and Python SDKs, which reject the list: all tools");
    }
    // Report: camunda/camunda#46949: Spring AI.
    (rule.affects == Affects::TextFallback).then_some(
        "clients that read only the text, such as Spring AI, and those of 2025-03-26 and before: the value, without an error",
    )
}
