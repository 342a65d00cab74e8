//! Lists that come in pages: that all of them are read, and as they are meant.

use mcp_compat_json::Json;
use mcp_compat_model::verdict::{Level, Party};

use super::rule::{Affects, Check, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::Message;
use mcp_compat_model::excerpt::excerpt;

pub(super) static CLIENT_LISTS_EVERY_PAGE: Rule = Rule {
    id: "client-lists-every-page",
    level: Level::Should,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    title: "A client that lists the tools asks for the next page as long as a cursor leads to one.",
    explanation: "A tool on a page that nobody asked for is not offered, and a call of it is made without its schema, \
                  so its results are never checked. Any cursor leads on, the empty one too.",
    remedy: "request the next page until no cursor is returned",
    fix: None,
    check: Check::Wire(lists_every_page),
};

pub(super) static EMPTY_CURSOR_LEADS_ON: Rule = Rule {
    id: "empty-cursor-leads-on",
    level: Level::Must,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    title: "From 2026-07-28 on an empty cursor leads to the next page like any other.",
    explanation: "Only a cursor that is absent or null ends the list. A client that tests whether the text is empty \
                  ends it early, and its user never sees the tools that follow.",
    remedy: "request the next page whenever there is a `nextCursor`, even an empty one",
    fix: None,
    check: Check::Wire(empty_cursor),
};

pub(super) static CURSOR_AS_GIVEN: Rule = Rule {
    id: "cursor-as-given",
    level: Level::Must,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#implementation-guidelines",
    title: "A client sends a cursor back as it came, and makes up none.",
    explanation: "What stands in a cursor is the server's own business. One that was decoded, trimmed or counted up is \
                  refused, or leads to another page, and tools go missing.",
    remedy: "send each cursor exactly as a `nextCursor` gave it",
    fix: None,
    check: Check::Wire(cursor_as_given),
};

pub(super) static CACHE_SCOPE_UNIFORM: Rule = Rule {
    id: "cache-scope-uniform",
    level: Level::Must,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#interaction-with-pagination",
    title: "Every page of a list has the same `cacheScope`.",
    explanation: "A cache that goes by the first page shares the private ones after it with everybody, or keeps from \
                  everybody what it could share.",
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
            let detail =
                format!("tools/list was asked with the cursor {}, which no page gave", excerpt(&cursor.to_compact()));
            violations.push(Violation::new(detail, [request.seq]));
        }
    }
    violations
}

fn cache_scope(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut first: Option<(&Message<'_>, &Json)> = None;
    for (request, answer, page) in pages(facts) {
        let Some(scope) = page.get("cacheScope") else { continue };
        match first.filter(|_| request.param("cursor").is_some()) {
            None => first = Some((answer, scope)),
            Some((_, known)) if known == scope => {}
            Some((opening, known)) => {
                let (known, scope) = (excerpt(&known.to_compact()), excerpt(&scope.to_compact()));
                let detail = format!("a page has the cacheScope {scope}, and the first has {known}");
                violations.push(Violation::new(detail, [opening.seq, answer.seq]));
            }
        }
    }
    violations
}
