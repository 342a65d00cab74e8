//! Variations of lines over standard streams.

use mcp_compat_model::Transport;
use mcp_compat_model::audit::Severity;

use super::row::{Basis, Due, Group, Row, apart, row};
use super::rows_of_results::content;

const STDIO: Basis = Basis::Section("basic/transports#stdio");

pub(super) const GROUPS: [Group; 1] = [apart("lines", &LINES).over(Transport::Stdio)];

/// Number of lines that are more than a pipe holds.
const LOG_LINES: usize = 4000;

const LINES: [Row; 4] = [
    row("pieces", "writes a line in pieces that end inside it and inside a character", |server| {
        server.cut_lines = true;
        content(server, &[r#"{"type":"text","text":"The sum is 8. Zürich-8812"}"#]);
    })
    .due(Due::Show(&["Zürich-8812"]))
    .fix("collect the bytes of a line before it decodes them", STDIO),
    row("crlf", "ends its lines with CRLF", |server| server.line_end = "\r\n")
        .fix("ignore white space around a message", STDIO)
        .severity(Severity::Warning),
    row("log", "writes 300 kB to its standard error before the first message", |server| server.log_lines = LOG_LINES)
        .common()
        .fix(
            "read the standard error of the server all the time, or let it go to its own: a pipe that nobody reads is full \
             after 64 KiB, and the server stops",
            STDIO,
        ),
    row("noise", "writes a line to its standard output that is no message, before the first message", |server| {
        server.noise = Some("server is starting");
    })
    .practice()
    .fix("log lines that are no messages, and go on with the next line", STDIO)
    .severity(Severity::Note),
];
