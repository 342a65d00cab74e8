//! The page on tools.

use super::Gap::{Host, Inside, Open, Unplayed};
use super::Judged::{ByRules, ByVerdict, Not};
use super::Whom::{Both, Client, Server};
use super::{SINCE_2025_11_25, Statement, must, should};
use crate::rules::RevisionRange;

const STRUCTURED: RevisionRange = RevisionRange::STRUCTURED;
const MODERN: RevisionRange = RevisionRange::MODERN;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Server,
        STRUCTURED,
        "2026-07-28/server/tools#capabilities",
        "declare the `tools` capability if it has tools",
        ByRules(&["tools-capability-declared"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/server/tools#capabilities",
        "answer `tools/list` with the tools that the client may use now",
        ByRules(&["tools-list-answered"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/server/tools#capabilities",
        "not list other tools on another connection, or because of other requests on the same one",
        Not(
            Unplayed,
            "A cell has one connection, and its tools change by a call on purpose: a call is the only thing that every SDK orders.",
        ),
    ),
    should(
        Server,
        MODERN,
        "2026-07-28/server/tools#capabilities",
        "list the same tools in the same order",
        ByRules(&["tools-order-stable"]),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/server/tools#list-changed-notification",
        "tell that its tools changed, if it declares `listChanged`",
        ByRules(&["list-changed-told"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/server/tools#input-required-tool-results",
        "give the retry of a call another id than the call had",
        Not(Unplayed, "No scenario has a tool that asks for input and is called again."),
    ),
    must(
        Server,
        SINCE_2025_11_25,
        "2026-07-28/server/tools#tool",
        "give a tool an `inputSchema` that is a JSON Schema object, not null",
        ByRules(&["input-schema-object-root"]),
    ),
    must(
        Client,
        STRUCTURED,
        "2026-07-28/server/tools#tool",
        "not trust annotations of a tool unless it trusts the server",
        Not(Inside, "What a client makes of `readOnlyHint` and the like does not show in a result."),
    ),
    should(
        Server,
        SINCE_2025_11_25,
        "2026-07-28/server/tools#tool-names",
        "give a tool a name of 1 to 128 characters",
        ByRules(&["tool-names-plain"]),
    ),
    should(
        Both,
        SINCE_2025_11_25,
        "2026-07-28/server/tools#tool-names",
        "tell names apart by case",
        Not(Unplayed, "No scenario has two tools whose names differ in case alone."),
    ),
    should(
        Server,
        SINCE_2025_11_25,
        "2026-07-28/server/tools#tool-names",
        "make names of ASCII letters, digits, `_`, `-` and `.`, without blanks and commas",
        ByRules(&["tool-names-plain"]),
    ),
    should(
        Server,
        SINCE_2025_11_25,
        "2026-07-28/server/tools#tool-names",
        "give no two tools the same name",
        ByRules(&["tool-names-unique"]),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/tools#tool-names",
        "keep tools of several servers apart, and not by the servers' own names",
        Not(Host, "A cell has one server."),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/server/tools#x-mcp-header",
        "over HTTP leave out a tool whose `x-mcp-header` is malformed, and list the others",
        Not(
            Unplayed,
            "No scenario declares a header for an argument: it is about what goes in, not about what comes out.",
        ),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/server/tools#embedded-resources",
        "implement `resources` if it embeds resources in results",
        ByRules(&["embedded-resource-capability"]),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/server/tools#structured-content",
        "put the serialised value into a text block beside `structuredContent`",
        ByRules(&["text-fallback", "text-fallback-for-non-objects"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/server/tools#output-schema",
        "return a structured result that conforms to the `outputSchema`, if the tool declares one",
        ByRules(&["structured-content-present", "structured-content-conforms"]),
    ),
    should(
        Client,
        STRUCTURED,
        "2026-07-28/server/tools#output-schema",
        "validate structured results by the `outputSchema`",
        ByRules(&["client-validates"]),
    ),
    should(
        Client,
        SINCE_2025_11_25,
        "2026-07-28/server/tools#error-handling",
        "hand tool errors on to the model",
        ByRules(&["client-tells-tool-errors"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/server/tools#security-considerations",
        "validate what goes into its tools, control who calls them and how often",
        Not(Inside, "Every argument that is played is one that the tool takes."),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/server/tools#security-considerations",
        "sanitise what comes out of its tools",
        Not(Open, "Which values are harmful depends on who reads them; here a value has to arrive as it is."),
    ),
    should(
        Client,
        STRUCTURED,
        "2026-07-28/server/tools#security-considerations",
        "validate a result before a model sees it",
        ByRules(&["client-validates"]),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/tools#security-considerations",
        "keep to what is asked about `$ref` when it validates",
        ByRules(&["references-not-fetched"]),
    ),
    should(
        Client,
        STRUCTURED,
        "2026-07-28/server/tools#security-considerations",
        "end a call that takes too long",
        ByVerdict("A call that is neither answered nor ended is `hung`."),
    ),
    should(
        Client,
        STRUCTURED,
        "2026-07-28/server/tools#security-considerations",
        "ask before a sensitive call, show its arguments, and log it",
        Not(Host, "An SDK has no user to ask."),
    ),
    should(
        Client,
        STRUCTURED,
        "2026-07-28/server/tools#user-interaction-model",
        "show which tools a model may call and when it does, and let a person refuse",
        Not(Host, "An SDK has no user to show anything."),
    ),
];
