//! Lists that come in pages: that all of them are read, and as they are meant.

use mcp_compat_json::Json;
use mcp_compat_model::verdict::Party;

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::message::Message;
use mcp_compat_model::excerpt::excerpt;

pub(crate) static CLIENT_LISTS_EVERY_PAGE: Rule = Rule {
    id: "client-lists-every-page",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    title: "A client that lists the tools requests the next page until no cursor is returned.",
    violation: "later pages of the list are not requested",
    explanation: "A tool on a page that was not requested is not offered to the user. A call to it is made without its \
                  schema, so its results are not validated. Every cursor has a next page, even an empty one.",
    remedy: "request the next page until no cursor is returned",
    fix: None,
    check: Check::Wire(lists_every_page),
};

pub(super) static EMPTY_CURSOR_LEADS_ON: Rule = Rule {
    id: "empty-cursor-leads-on",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    title: "From 2026-07-28 on, an empty cursor has a next page like any other.",
    violation: "an empty cursor is taken for the end of the list",
    explanation: "Only an absent or null cursor ends the list. A client that tests for an empty string stops too \
                  early, and its user does not see the remaining tools.",
    remedy: "request the next page whenever there is a `nextCursor`, even an empty one",
    fix: None,
    check: Check::Wire(empty_cursor),
};

pub(super) static CURSOR_AS_GIVEN: Rule = Rule {
    id: "cursor-as-given",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    title: "A client sends a cursor back unchanged, and does not invent one.",
    violation: "a cursor is changed or invented",
    explanation: "Cursors are opaque: only the server may interpret them. If a client decodes, trims or increments a \
                  cursor, the server rejects it or returns another page, and tools are missing.",
    remedy: "send each cursor exactly as a `nextCursor` gave it",
    fix: None,
    check: Check::Wire(cursor_as_given),
};

/// Rule about lists without an end.
pub static CURSOR_ADVANCES: Rule = Rule {
    id: "cursor-advances",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#response-format",
    title: "A `nextCursor` leads to a page that has not been read yet.",
    violation: "a list without an end: `nextCursor` leads back",
    explanation: "A `nextCursor` says that more results exist, and a cursor is a position in them. A cursor that leads to \
                  its own page or to an earlier one contradicts both, although no sentence forbids it in words. A \
                  client that follows cursors lists the same tools again and again, until a limit of its own or for ever.",
    remedy: "omit `nextCursor` on the last page, and lead each page to the one after it",
    fix: None,
    check: Check::Wire(cursor_advances),
};

pub(super) static CACHE_SCOPE_UNIFORM: Rule = Rule {
    id: "cache-scope-uniform",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#interaction-with-pagination",
    title: "Every page of a list has the same `cacheScope`.",
    violation: "pages of one list with different `cacheScope`",
    explanation: "A cache that applies the scope of the first page to all of them shares private pages with other \
                  users, or does not share public ones.",
    remedy: "give all pages of a list the same `cacheScope`",
    fix: None,
    check: Check::Wire(cache_scope),
};

/// The pages of tools, with the request and the answer.
fn pages<'f, 'a>(facts: &'f Facts<'a>) -> impl Iterator<Item = (&'f Message<'a>, &'f Message<'a>, &'f Json)> {
    facts.exchanges_of("tools/list").filter_map(|(request, exchange)| {
        let (answer, page) = facts.result_of(exchange)?;
        Some((request, answer, page))
    })
}

fn lists_every_page(facts: &Facts<'_>) -> Vec<Violation> {
    unread(facts, |_| true)
}

fn empty_cursor(facts: &Facts<'_>) -> Vec<Violation> {
    unread(facts, str::is_empty)
}

fn unread(facts: &Facts<'_>, concerns: fn(&str) -> bool) -> Vec<Violation> {
    // A list that failed ends where it failed.
    if facts.list_failed() {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for (_, answer, page) in pages(facts) {
        let Some(cursor) = page.get("nextCursor").filter(|cursor| cursor.as_str().is_some_and(concerns)) else {
            continue;
        };
        if !facts.exchanges_of("tools/list").any(|(request, _)| request.param("cursor") == Some(cursor)) {
            violations.push(Violation::new("the page that `nextCursor` leads to was not asked for", [answer.seq]));
        }
    }
    violations
}

fn cursor_as_given(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (request, _) in facts.exchanges_of("tools/list") {
        let Some(cursor) = request.param("cursor").filter(|cursor| !cursor.is_null()) else { continue };
        let given = |(_, answer, page): (&Message<'_>, &Message<'_>, &Json)| {
            answer.seq < request.seq && page.get("nextCursor") == Some(cursor)
        };
        if !pages(facts).any(given) {
            let detail = format!(
                "the client requested tools/list with the cursor {}, which no page returned",
                excerpt(&cursor.to_compact())
            );
            violations.push(Violation::new(detail, [request.seq]));
        }
    }
    violations
}

/// Number of pages with the same tools after which a list that goes on has no end.
const SAME_PAGES: usize = 3;

/// The first cursor that leads back to a page of its own pass through the list.
pub(super) fn cursor_advances(facts: &Facts<'_>) -> Vec<Violation> {
    // The pages of one list, in the order in which each led to the next.
    let mut read: Vec<(Option<&Json>, &Json)> = Vec::new();
    for (request, answer, page) in pages(facts) {
        let cursor = request.param("cursor").filter(|cursor| !cursor.is_null());
        let led = read.last().and_then(|(_, last)| last.get("nextCursor"));
        if cursor.is_none() || led != cursor {
            // A new list, or one that goes on at a page that was read before.
            let from = read.iter().position(|(asked, _)| *asked == cursor).unwrap_or(0);
            read.truncate(from);
        }
        let is_same = |known: &Json| ["tools", "nextCursor"].iter().all(|key| known.get(key) == page.get(key));
        let is_repeated = read.iter().any(|(_, known)| is_same(known));
        let has_tools = page.get("tools").and_then(Json::as_array).is_some_and(|tools| !tools.is_empty());
        let same_tools = read.iter().filter(|(_, known)| known.get("tools") == page.get("tools")).count();
        read.push((cursor, page));
        let Some(next) = page.get("nextCursor") else { continue };
        let words = excerpt(&next.to_compact());
        if has_tools && same_tools >= SAME_PAGES && !is_repeated {
            let detail = format!(
                "the pages of tools/list have the same tools under new cursors again and again, as with the `nextCursor` \
                 {words}, so the list has no end"
            );
            return vec![Violation::new(detail, [answer.seq]).at("/nextCursor")];
        }
        if !is_repeated {
            continue;
        }
        let place = if cursor == Some(next) { "to itself" } else { "back to an earlier page" };
        let detail =
            format!("a page of tools/list leads {place} with the `nextCursor` {words}, so the list has no end");
        return vec![Violation::new(detail, [answer.seq]).at("/nextCursor")];
    }
    Vec::new()
}

fn cache_scope(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut first: Option<(&Message<'_>, &Json)> = None;
    for (request, answer, page) in pages(facts) {
        let Some(scope) = page.get("cacheScope") else { continue };
        match first {
            Some((opening, known)) if request.param("cursor").is_some() => {
                if known == scope {
                    continue;
                }
                let (known, scope) = (excerpt(&known.to_compact()), excerpt(&scope.to_compact()));
                let detail = format!("a page has the cacheScope {scope}, but the first has {known}");
                violations.push(Violation::new(detail, [opening.seq, answer.seq]));
            }
            Some(_) | None => first = Some((answer, scope)),
        }
    }
    violations
}
