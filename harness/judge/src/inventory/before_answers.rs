//! What may come before an answer: progress, log messages, and notifications of a subscription.

use super::Gap::{Open, Unplayed};
use super::Judged::{ByRules, Not};
use super::Whom::{Both, Client, Server};
use super::{Statement, must, should};
use crate::rules::RevisionRange;

const STRUCTURED: RevisionRange = RevisionRange::STRUCTURED;
const MODERN: RevisionRange = RevisionRange::MODERN;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Client,
        STRUCTURED,
        "2026-07-28/basic/patterns/progress#progress-flow",
        "give progress tokens that are strings or integers, and differ among open requests",
        ByRules(&["progress-token-fresh"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/basic/patterns/progress#progress-flow",
        "raise `progress` with every notification",
        ByRules(&["progress-increases"]),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/basic/patterns/progress#progress-flow",
        "write into `message` what helps a person",
        Not(Open, "What helps is a matter of opinion."),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/basic/patterns/progress#behavior-requirements",
        "send progress only for a request that is open and gave a token",
        ByRules(&["progress-token-known"]),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/basic/patterns/progress#implementation-notes",
        "send no progress after the answer",
        ByRules(&["progress-token-known"]),
    ),
    should(
        Both,
        STRUCTURED,
        "2026-07-28/basic/patterns/progress#implementation-notes",
        "keep track of tokens, and not flood the other with progress",
        Not(Open, "How much is a flood is not said."),
    ),
    must(
        Server,
        STRUCTURED,
        "2026-07-28/server/utilities/logging#capabilities",
        "declare `logging` if it sends log messages",
        ByRules(&["logging-capability-declared"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/server/utilities/logging#per-request-log-level",
        "send log messages only for a request that asks for them, and before its answer",
        ByRules(&["log-only-where-asked"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/patterns/subscriptions#opening-a-stream",
        "send no notification that a subscription does not ask for",
        ByRules(&["list-changed-where-asked"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/patterns/subscriptions#acknowledgment",
        "acknowledge a subscription before anything else on it",
        ByRules(&["list-changed-where-asked", "subscription-id-carried"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/patterns/subscriptions#receiving-notifications",
        "tell notifications on stdio apart by the id of their subscription",
        Not(Unplayed, "A cell has at most one subscription."),
    ),
];
