//! Error message for a name that matches nothing.

use std::collections::BTreeSet;

use mcp_compat_run::glob::NothingMatches;

/// Number of names that are listed one by one.
const MOST_NAMES: usize = 40;

/// Width of the lines with names.
const WIDTH: usize = 78;

/// Returns the message: the pattern, the nearest name, and the known names, or patterns for them if there are many.
#[must_use]
pub fn message(nothing: &NothingMatches) -> String {
    let NothingMatches { kind, pattern, known, .. } = nothing;
    let first = nothing.what();
    if known.is_empty() {
        return first;
    }
    let (names, note) = if known.len() > MOST_NAMES && known.iter().any(|name| name.contains('/')) {
        let listed = if *kind == "scenario" { "; `mcp-compat show scenarios` names them" } else { "" };
        (classes(known), format!(" ({}{listed})", known.len()))
    } else {
        (known.clone(), String::new())
    };
    // The members of a family that was read from a file begin with the name of the file.
    let is_known = known.iter().any(|name| name.starts_with(pattern));
    let is_file = *kind == "scenario" && pattern.ends_with(".toml") && !is_known;
    let file = if is_file { "\na file is given with --scenarios, and --scenario chooses from it by name" } else { "" };
    format!("{first}{file}\nthere are{note}:\n{}", in_columns(&names))
}

/// Replaces the names in a class by a pattern such as `root-type/*`; names without a class stay.
fn classes(names: &[String]) -> Vec<String> {
    let class = |name: &String| name.split_once('/').map_or_else(|| name.clone(), |(class, _)| format!("{class}/*"));
    names.iter().map(class).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Lays names out in as many columns as fit, filled downwards.
fn in_columns(names: &[String]) -> String {
    let column = names.iter().map(String::len).max().unwrap_or(0) + 2;
    let rows = names.len().div_ceil((WIDTH / column).max(1));
    let row = |row: usize| {
        let names = names.iter().skip(row).step_by(rows);
        let line: String = names.map(|name| format!("  {name:<width$}", width = column - 2)).collect();
        line.trim_end().to_owned()
    };
    (0..rows).map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(kind: &'static str, known: &[String]) -> NothingMatches {
        NothingMatches { kind, pattern: "x.toml".to_owned(), nearest: None, known: known.to_vec(), family: None }
    }

    #[test]
    fn a_few_names_are_told_in_columns() {
        let known: Vec<String> = (1..=5).map(|number| format!("mock/a-name-of-some-length-{number}")).collect();
        let expected = "no client matches \"x.toml\"\nthere are:\n\
                        \x20 mock/a-name-of-some-length-1  mock/a-name-of-some-length-4\n\
                        \x20 mock/a-name-of-some-length-2  mock/a-name-of-some-length-5\n\
                        \x20 mock/a-name-of-some-length-3";
        assert_eq!(message(&nothing("client", &known)), expected);
    }

    #[test]
    fn many_names_are_told_by_the_patterns_that_take_them() {
        let many = (0..60).map(|number| format!("class-{}/{number}", number % 2));
        let known: Vec<String> = many.chain(["own".to_owned()]).collect();
        let expected = "no scenario matches \"x.toml\"\n\
                        a file is given with --scenarios, and --scenario chooses from it by name\n\
                        there are (61; `mcp-compat show scenarios` names them):\n\
                        \x20 class-0/*  class-1/*  own";
        assert_eq!(message(&nothing("scenario", &known)), expected);
    }

    #[test]
    fn a_family_in_a_file_that_was_read_needs_no_other_option() {
        let known = ["x.toml[a]", "x.toml[b]"].map(str::to_owned);
        assert!(!message(&nothing("scenario", &known)).contains("--scenarios"));
    }
}
