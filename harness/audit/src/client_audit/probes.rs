//! The scenarios and the servers that a client is played with.

use mcp_compat_model::Revision;

/// The scenarios: results that a client must accept, results that may break it, and what it must not do.
pub const PROBES: [&str; 10] = [
    "root-type/object",
    "root-type/array",
    "root-type/primitive[zero]",
    "root-type/null",
    "ref/network[absolute]",
    "ref/dangling",
    "structured-missing/prose",
    "invalid-result/wrong-type",
    "error-result/plain-text",
    "fallback/prose",
];

/// The scenarios that are about references of a schema.
pub(super) const REFERENCES: [&str; 2] = ["ref/network[absolute]", "ref/dangling"];

/// The servers: each revision that has structured output, and each way to downgrade a result for older clients.
pub const SERVERS: [&str; 7] = [
    "mock/2025-06-18",
    "mock/2025-11-25",
    "mock/2026-07-28",
    "mock/dual",
    "mock/dual/omit",
    "mock/dual/wrap",
    "mock/dual/text-only",
];

/// The scenario with the tool on the second page of the list.
pub(super) const SECOND_PAGE: &str = "pagination/second-page";

/// The scenarios that are played with `mock/dual` alone: a list in pages, and an error in place of a result.
pub const PROBES_OF_ONE: [&str; 2] = [SECOND_PAGE, "error-result/json-rpc[internal]"];

/// The scenario and the server that are played first. A client that cannot connect there is told so at once.
pub(super) const FIRST: (&str, &str) = ("root-type/object", "mock/dual");

/// The server that speaks only the newest revision, with which many clients open no session.
pub(super) const MODERN: &str = SERVERS[2];

/// The scenarios whose value a server that downgrades it sends in another way. The others are as with `mock/dual`.
pub(super) const OF_DOWNGRADES: [&str; 3] = ["root-type/array", "root-type/primitive[zero]", "root-type/null"];

/// The servers that send clients of the newest revision what `mock/dual` sends them.
pub(super) const FOR_OLDER_CLIENTS: [&str; 2] = ["mock/dual/omit", "mock/dual/wrap"];

/// The scenarios, in the order of the report.
pub(super) fn scenarios() -> impl Iterator<Item = &'static str> {
    PROBES.into_iter().chain(PROBES_OF_ONE)
}

/// The servers that a client of this revision is played with, and those that would show it nothing new.
pub(super) fn servers(revision: Option<Revision>) -> (Vec<&'static str>, Vec<&'static str>) {
    let is_older = revision.is_none_or(|revision| revision < Revision::NEWEST);
    SERVERS.iter().partition(|server| is_older || !FOR_OLDER_CLIENTS.contains(server))
}
