//! What is wrong at one place of a value, and which branch of a union says it best.

use std::cmp::Reverse;

use crate::excerpt::bounded;

/// How long one token of a path is shown.
const TOKEN: usize = 60;

/// How many tokens of a path are shown.
const TOKENS: usize = 24;

/// What is wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Issue {
    pub path: Vec<String>,
    pub message: String,
    /// What the library calls an error of this kind.
    pub kind: String,
    /// What the place had to be, if it is a constant: as it is written in the message.
    pub constant: Option<Constant>,
}

/// A constant that a branch of a union asks for, often to tell which branch is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    /// The message up to the constant.
    pub before: String,
    /// The constants that are allowed.
    pub allowed: Vec<String>,
    /// What stands there, as the message ends.
    pub found: String,
}

impl Issue {
    /// The place, as a path.
    pub(super) fn place(&self) -> String {
        let tokens: Vec<String> = self.path.iter().take(TOKENS).map(|token| bounded(token, TOKEN)).collect();
        let more = if self.path.len() > TOKENS { "/…" } else { "" };
        format!("{}{more}", tokens.join("/"))
    }
}

/// What the branches of a union at a path of so many tokens say together: the branch that was meant, or, where none was, what
/// all of them ask for.
pub(super) fn best(branches: Vec<Vec<Issue>>, depth: usize) -> Vec<Issue> {
    let is_meant = |branch: &&Vec<Issue>| asked(branch, depth).is_none();
    if branches.iter().all(|branch| !is_meant(&branch))
        && let Some(merged) = merged(&branches, depth)
    {
        return vec![merged];
    }
    let nobody = !branches.iter().any(|branch| is_meant(&branch));
    let reach = |branch: &Vec<Issue>| branch.iter().map(|issue| issue.path.len()).max().unwrap_or_default();
    let meant = branches.iter().filter(|branch| !branch.is_empty() && (nobody || is_meant(branch)));
    let chosen = meant.min_by_key(|branch| (branch.len(), Reverse(reach(branch))));
    chosen.cloned().unwrap_or_default()
}

/// The issue by which a branch says that another one is meant: a constant at the union itself or directly below it.
fn asked(branch: &[Issue], depth: usize) -> Option<(&Issue, &Constant)> {
    let issue = branch.iter().find(|issue| issue.constant.is_some() && issue.path.len() <= depth + 1)?;
    Some((issue, issue.constant.as_ref()?))
}

/// All constants that the branches allow, if they speak of one place.
fn merged(branches: &[Vec<Issue>], depth: usize) -> Option<Issue> {
    let (first, constant) = asked(branches.first()?, depth)?;
    let mut allowed: Vec<String> = Vec::new();
    for branch in branches {
        let (issue, constant) = asked(branch, depth)?;
        if issue.path != first.path {
            return None;
        }
        allowed.extend(constant.allowed.iter().filter(|word| !allowed.contains(word)).cloned().collect::<Vec<_>>());
    }
    let message = format!("{}{}{}", constant.before, listed(&allowed), constant.found);
    let constant = Constant { allowed, ..constant.clone() };
    Some(Issue { message, constant: Some(constant), ..first.clone() })
}

/// `a`, `a or b`, `a, b or c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] => format!("{} or {last}", before.join(", ")),
    }
}

/// As many issues as fit, in the words that `told` has for each, and how many more there are.
pub(super) fn joined(issues: &[Issue], room: usize, told: impl Fn(&Issue) -> String) -> String {
    let mut text = String::new();
    for (number, issue) in issues.iter().enumerate() {
        let words = told(issue);
        let fits = text.chars().count() + words.chars().count() + " (and 99 more)".len() <= room;
        if number > 0 && !fits {
            return format!("{text} (and {} more)", issues.len() - number);
        }
        if number > 0 {
            text.push_str("; ");
        }
        text.push_str(&words);
    }
    text
}
