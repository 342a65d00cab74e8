//! pydantic writes three lines for each error: where, what, and the address of an explanation. Where a union is, the place
//! holds the name of the branch, and each branch has errors of its own.
//!
//! ```text
//! 2 validation errors for CallToolResult
//! content.0.TextContent.type
//!   Input should be 'text' [type=literal_error, input_value='json', input_type=str]
//!     For further information visit https://errors.pydantic.dev/2.14/v/literal_error
//! ```

use super::issue::{Constant, Issue, best, joined};

/// How many errors are looked at.
const ERRORS: usize = 96;

/// How many tokens of a place are looked at.
const TOKENS: usize = 32;

/// The longest value that is named.
const VALUE: usize = 40;

/// What the number of errors is of.
const SIGNS: [&str; 2] = [" validation error for ", " validation errors for "];

/// The errors in words: each place, and what is wrong there.
pub(super) fn told(text: &str, room: usize) -> Option<String> {
    let (before, model, list) = list(text)?;
    let issues = without_branches(issues(list), model.contains('['));
    let room = room.saturating_sub(before.chars().count());
    let words = joined(&issues, room, |issue| match issue.place() {
        place if place.is_empty() => issue.message.clone(),
        place => format!("{place}: {}", issue.message),
    });
    (!issues.is_empty()).then(|| format!("{before}{words}"))
}

/// What stands before the number of errors, the model after it, and the lines below.
fn list(text: &str) -> Option<(&str, &str, &str)> {
    let (head, list) = text.split_once('\n')?;
    let (numbered, model) = SIGNS.iter().find_map(|sign| head.split_once(sign))?;
    let before = numbered.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (before.len() < numbered.len()).then_some((before, model, list))
}

fn issues(list: &str) -> Vec<Issue> {
    let mut issues: Vec<Issue> = Vec::new();
    let mut place = Vec::new();
    for line in list.lines() {
        if !line.starts_with(' ') {
            place = tokens(line);
        } else if let Some(line) = line.strip_prefix("  ").filter(|line| !line.starts_with(' ')) {
            issues.push(issue(std::mem::take(&mut place), line));
        }
        if issues.len() == ERRORS {
            break;
        }
    }
    issues
}

/// The tokens of a place. The name of a branch may hold dots within brackets.
fn tokens(place: &str) -> Vec<String> {
    let mut open = 0_usize;
    let is_end = |letter: char| {
        match letter {
            '[' => open += 1,
            ']' => open = open.saturating_sub(1),
            _ => {}
        }
        letter == '.' && open == 0
    };
    place.splitn(TOKENS, is_end).map(str::to_owned).collect()
}

fn issue(path: Vec<String>, line: &str) -> Issue {
    let Some((message, about)) = line.rsplit_once(" [type=") else {
        return Issue { path, message: line.to_owned(), kind: String::new(), constant: None };
    };
    let kind = about.split(',').next().unwrap_or_default();
    let value = about.split_once("input_value=").and_then(|(_, rest)| rest.rsplit_once(", input_type="));
    // What is missing has the whole object as its value.
    let value = value.map(|(value, _)| value).filter(|value| message.starts_with("Input should") && is_short(value));
    let found = value.map_or_else(String::new, |value| format!(", not {value}"));
    let allowed = message.strip_prefix(CONSTANT).filter(|_| kind == "literal_error");
    let constant = allowed.map(|allowed| Constant {
        before: CONSTANT.to_owned(),
        allowed: allowed.replace(" or ", ", ").split(", ").map(str::to_owned).collect(),
        found: found.clone(),
    });
    Issue { path, message: format!("{message}{found}"), kind: kind.to_owned(), constant }
}

const CONSTANT: &str = "Input should be ";

fn is_short(value: &str) -> bool {
    value.chars().count() <= VALUE && !value.contains("...")
}

/// The issues of one branch for each union, and their places without the names of branches: the innermost unions first.
fn without_branches(mut issues: Vec<Issue>, is_root_union: bool) -> Vec<Issue> {
    let first = usize::from(!is_root_union);
    for depth in (first..TOKENS).rev() {
        while let Some(path) = union(&issues, depth) {
            issues = resolved(issues, &path);
        }
    }
    issues
}

/// The path of a union whose branches are named at a depth: two or more names, and nothing but names.
fn union(issues: &[Issue], depth: usize) -> Option<Vec<String>> {
    let deep = || issues.iter().filter(|issue| issue.path.len() > depth);
    let is_union = |path: &&[String]| {
        let mut below = deep().filter(|issue| issue.path[..depth] == **path);
        let names = || deep().filter(|issue| issue.path[..depth] == **path).map(|issue| &issue.path[depth]);
        below.all(|issue| is_branch(issue, depth)) && names().any(|name| Some(name) != names().next())
    };
    deep().map(|issue| &issue.path[..depth]).find(is_union).map(<[String]>::to_vec)
}

/// Whether a token is the name of a type: `TextContent`, `function-after[check(), Result]`. A member may have such a name too;
/// then it is told by what is wrong with it.
fn is_branch(issue: &Issue, depth: usize) -> bool {
    let token = &issue.path[depth];
    let is_last = issue.path.len() == depth + 1;
    let is_name = token.starts_with(|first: char| first.is_ascii_uppercase());
    token.contains('[') || (is_name && (!is_last || OF_A_TYPE.contains(&issue.kind.as_str())))
}

/// The errors that are of a whole object.
const OF_A_TYPE: [&str; 5] =
    ["model_type", "model_attributes_type", "dataclass_type", "value_error", "assertion_error"];

/// The issues, those of the union at a path replaced by the ones of its best branch.
fn resolved(issues: Vec<Issue>, path: &[String]) -> Vec<Issue> {
    let depth = path.len();
    let mut names: Vec<String> = Vec::new();
    let mut branches: Vec<Vec<Issue>> = Vec::new();
    let mut others = Vec::new();
    let mut at = None;
    for mut issue in issues {
        if issue.path.len() <= depth || issue.path[..depth] != *path {
            others.push(issue);
            continue;
        }
        at.get_or_insert(others.len());
        let name = issue.path.remove(depth);
        match names.iter().position(|known| *known == name) {
            Some(branch) => branches[branch].push(issue),
            None => {
                names.push(name);
                branches.push(vec![issue]);
            }
        }
    }
    others.splice(at.unwrap_or_default()..at.unwrap_or_default(), best(branches, depth));
    others
}
