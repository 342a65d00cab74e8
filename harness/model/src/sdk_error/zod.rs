//! zod throws its issues as a list in JSON, one object an issue, those of each branch of a union in a list of their own.
//!
//! The third version has the issues of branches in `unionErrors`, with paths from the root; the fourth has them in `errors`,
//! with paths from the union.

use mcp_compat_json::{Json, first_value};

use super::issue::{Constant, Issue, best, joined};

/// How deep unions within unions are followed.
const DEPTH: usize = 8;

/// How many issues of one list are looked at.
const ISSUES: usize = 64;

/// The list of issues within the text in words: each message, and where.
pub(super) fn told(text: &str, room: usize) -> Option<String> {
    let is_start = |at: &usize| text[at + 1..].trim_start().starts_with('{');
    let start = text.match_indices('[').map(|(at, _)| at).find(is_start)?;
    let (before, list) = text.split_at(start);
    let (list, after) = first_value(list).ok()?;
    let list = Json::parse(list).ok()?;
    let issues = issues(list.as_array()?, &[], 0)?;
    let room = room.saturating_sub(before.chars().count() + after.trim().chars().count());
    let words = joined(&issues, room, |issue| match issue.place() {
        place if place.is_empty() => issue.message.clone(),
        place => format!("{} (at {place})", issue.message),
    });
    Some(format!("{before}{words}{}", after.trim_end()))
}

/// The issues of a list, unions resolved; `None` if it is another list.
fn issues(list: &[Json], within: &[String], depth: usize) -> Option<Vec<Issue>> {
    let mut issues = Vec::new();
    for json in list.iter().take(ISSUES) {
        let issue = issue(json, within)?;
        let branches = if depth < DEPTH { branches(json, &issue.path, depth) } else { None };
        match branches.map(|branches| best(branches, issue.path.len())) {
            Some(of_union) if !of_union.is_empty() => issues.extend(of_union),
            Some(_) | None => issues.push(issue),
        }
    }
    issues.truncate(ISSUES);
    (!issues.is_empty()).then_some(issues)
}

/// The issues of each branch, if it is a union.
fn branches(json: &Json, path: &[String], depth: usize) -> Option<Vec<Vec<Issue>>> {
    let third = json.get("unionErrors").and_then(Json::as_array);
    let fourth = json.get("errors").and_then(Json::as_array);
    let lists: Vec<(&[Json], &[String])> = match (third, fourth) {
        (Some(branches), _) => {
            branches.iter().filter_map(|branch| Some((branch.get("issues")?.as_array()?, &[][..]))).collect()
        }
        (None, Some(branches)) => branches.iter().filter_map(|branch| Some((branch.as_array()?, path))).collect(),
        (None, None) => return None,
    };
    Some(lists.into_iter().take(ISSUES).filter_map(|(list, within)| issues(list, within, depth + 1)).collect())
}

fn issue(json: &Json, within: &[String]) -> Option<Issue> {
    let (code, message) = (json.get("code")?.as_str()?, json.get("message")?.as_str()?);
    let token = |token: &Json| token.as_str().map_or_else(|| token.to_compact(), str::to_owned);
    let own = json.get("path")?.as_array()?.iter().map(token);
    Some(Issue {
        path: within.iter().cloned().chain(own).collect(),
        message: message.to_owned(),
        kind: code.to_owned(),
        constant: constant(json, code),
    })
}

fn constant(json: &Json, code: &str) -> Option<Constant> {
    let allowed: Vec<String> = match code {
        "invalid_literal" => vec![json.get("expected")?.to_compact()],
        "invalid_value" => json.get("values")?.as_array()?.iter().map(Json::to_compact).collect(),
        _ => return None,
    };
    let found = json.get("received").map(|found| format!(", received {}", found.to_compact())).unwrap_or_default();
    Some(Constant { before: "Expected ".to_owned(), allowed, found })
}
