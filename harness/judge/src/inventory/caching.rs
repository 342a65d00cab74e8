//! The page on caching.

use super::Gap::{Open, Time, Unplayed};
use super::Judged::{ByRules, ByVerdict, Not};
use super::Whom::{Both, Client, Server};
use super::{Statement, must, should};
use crate::rules::RevisionRange;

const MODERN: RevisionRange = RevisionRange::MODERN;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Server,
        MODERN,
        "2026-07-28/server/utilities/caching#cacheable-results",
        "put `ttlMs` and `cacheScope` into complete results of `tools/list` and `server/discover`",
        ByRules(&["cache-hints"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/server/utilities/caching#cache-key",
        "not serve what it kept for another request",
        Not(
            Unplayed,
            "Whether a list comes from the wire or from a cache shows only where the two differ, and no tools change without a call here.",
        ),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/server/utilities/caching#cache-key",
        "not keep results of retried requests",
        Not(Unplayed, "No scenario asks for input and is called again."),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/server/utilities/caching#time-to-live-ttl-field",
        "give a `ttlMs` of 0 or more",
        ByRules(&["cache-hints"]),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/utilities/caching#time-to-live-ttl-field",
        "take a result with `ttlMs` 0, or without it, for stale at once",
        ByVerdict("After a change that is not told, a client that goes on with the old list refuses what is right."),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/utilities/caching#time-to-live-ttl-field",
        "take a positive `ttlMs` for that many milliseconds of freshness",
        Not(Time, "A cell that waited would tell the time of the machine."),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/utilities/caching#time-to-live-ttl-field",
        "take a negative `ttlMs` for 0",
        Not(Open, "Taking it for 0 and refusing to keep the list look alike."),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/utilities/caching#freshness-calculation",
        "fetch again what is stale when it is needed, and not before",
        Not(Time, "A cell that waited would tell the time of the machine."),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/server/utilities/caching#cache-scope-field",
        "not share a private result beyond its authorisation",
        Not(Unplayed, "Nobody is authorised here."),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/utilities/caching#interaction-with-pagination",
        "fetch a stale page by its cursor, and all of them where a cursor is no longer valid",
        Not(Time, "A cell that waited would tell the time of the machine."),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/server/utilities/caching#interaction-with-pagination",
        "give all pages of a list the same `cacheScope`",
        ByRules(&["cache-scope-uniform"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/server/utilities/caching#security-considerations",
        "control access by more than `cacheScope`",
        Not(Unplayed, "Nobody is authorised here."),
    ),
];
