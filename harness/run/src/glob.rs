//! Selections of scenarios, peers and cells by glob, and what to say when one selects nothing.

use std::sync::OnceLock;

use globset::{ErrorKind, GlobBuilder};
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::suggestions::{near, one_slip_away};
use regex_automata::meta::{BuildError, Regex};
use regex_automata::util::syntax;

/// A pattern in which `*` stands for anything, `/` included, `?` for one character, and `{a,b}` for one of several.
///
/// Brackets stand for themselves: they are part of the ids of scenario families. The name of a peer without a mode stands
/// for all its modes: `rmcp@3.9.0` selects `rmcp@3.9.0+legacy`, `+auto` and `+modern`.
#[derive(Clone, Debug)]
pub struct Glob {
    text: String,
    /// `None` for a name, which is compared: a baseline asks for hundreds of them in each cell.
    matcher: Option<Matcher>,
}

/// Matcher of a pattern. It is compiled when it is first asked: of the hundreds of patterns of a baseline, a run of a
/// few cells asks a few.
#[derive(Clone, Debug)]
struct Matcher {
    regex: String,
    compiled: OnceLock<Option<Regex>>,
}

/// Characters that make a name a pattern.
const MARKS: [char; 4] = ['*', '?', '{', '}'];

/// Longest pattern in bytes. Time and memory of its matcher grow with it.
const LONGEST: usize = 4096;

/// Number of characters that are compared to find the nearest name, each of the pattern with each of a name: a second.
/// The cells of a fleet are a million names, and to compare a long pattern with all of them takes minutes.
const COMPARED: usize = 100_000_000;

/// Number of names in an error.
const LISTED: usize = 2_000;

/// Deepest nesting of braces. The reader of patterns calls itself for each of them.
const DEEPEST: usize = 16;

impl Glob {
    /// Returns true if a text is meant as a pattern, and not as one name.
    pub fn is_pattern(text: &str) -> bool {
        text.contains(MARKS)
    }

    pub fn new(text: &str) -> Result<Self, BadGlob> {
        if let Some(why) = excess(text) {
            return Err(BadGlob { text: excerpt(text), why });
        }
        // In a name nothing has a meaning of its own.
        if !Self::is_pattern(text) {
            return Ok(Self { text: text.to_owned(), matcher: None });
        }
        let literal: String = text
            .chars()
            .flat_map(|c| {
                let special = "[]!\\".contains(c);
                special.then_some('\\').into_iter().chain([c])
            })
            .collect();
        let glob = GlobBuilder::new(&literal)
            .literal_separator(false)
            .backslash_escape(true)
            .build()
            .map_err(|error| BadGlob { text: text.to_owned(), why: problem(error.kind()) })?;
        let matcher = Matcher { regex: glob.regex().to_owned(), compiled: OnceLock::new() };
        Ok(Self { text: text.to_owned(), matcher: Some(matcher) })
    }

    /// Returns true if the pattern selects `name`.
    pub fn matches(&self, name: &str) -> bool {
        let has_a_mode_of = || name.strip_prefix(&self.text).is_some_and(|rest| rest.starts_with('+'));
        self.is_of(name) || has_a_mode_of()
    }

    /// Returns true if the pattern selects `name` as it stands, with its mode.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        self.matcher.as_ref().map_or(self.text == name, |matcher| matcher.is_match(name))
    }

    /// Returns the common beginning of everything that the pattern selects.
    pub fn beginning(&self) -> &str {
        self.text.split(MARKS).next().unwrap_or_default()
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Matcher {
    fn is_match(&self, name: &str) -> bool {
        // What can be read can be compiled; a test says so.
        self.compiled.get_or_init(|| compiled(&self.regex).ok()).as_ref().is_some_and(|regex| regex.is_match(name))
    }
}

/// A regular expression that makes the states of its automaton as it needs them: to make all of them first, as `globset`
/// does, took half of the time of a short run.
fn compiled(regex: &str) -> Result<Regex, Box<BuildError>> {
    let syntax = syntax::Config::new().utf8(false).dot_matches_new_line(true);
    let config = Regex::config().utf8_empty(false).nfa_size_limit(None).dfa(false).onepass(false);
    Regex::builder().syntax(syntax).configure(config).build(regex).map_err(Box::new)
}

/// In what a pattern is beyond its bounds.
fn excess(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return Some(format!("it has {} bytes, and may have {LONGEST}", text.len()));
    }
    let (mut open, mut deepest) = (0_usize, 0);
    for c in text.chars() {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    (deepest > DEEPEST).then(|| format!("its braces nest {deepest} deep, and may nest {DEEPEST} deep"))
}

/// Returns the mistake in a pattern. The words of the library speak of brackets, which stand for themselves here.
fn problem(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::UnclosedAlternates => "a `{` is not closed".to_owned(),
        ErrorKind::UnopenedAlternates => "a `}` has no `{`".to_owned(),
        other @ (ErrorKind::InvalidRecursive
        | ErrorKind::UnclosedClass
        | ErrorKind::InvalidRange(..)
        | ErrorKind::NestedAlternates
        | ErrorKind::DanglingEscape
        | ErrorKind::Regex(_)
        | _) => other.to_string(),
    }
}

/// A pattern that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern {text:?} is broken: {why}. Use * for anything, ? for one character, {{a,b}} for one of several")]
pub struct BadGlob {
    text: String,
    why: String,
}

/// A pattern that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", self.what(), there_are(.known))]
pub struct NothingMatches {
    /// Kind of thing that was asked for, such as `scenario`.
    pub kind: &'static str,
    pub pattern: String,
    pub nearest: Option<String>,
    /// The names there are; none if they are too many to be read. If the pattern names a family or a case that it does not
    /// have, only the cases of this family.
    pub known: Vec<String>,
    /// The family that the pattern names.
    pub family: Option<String>,
}

impl NothingMatches {
    /// The mistake, without the existing names.
    pub fn what(&self) -> String {
        let Self { kind, pattern, nearest, family, .. } = self;
        let what = match family {
            Some(family) if family == pattern => return format!("{pattern} is a family; pick one member"),
            Some(family) => format!("{family} has no {kind} {pattern:?}"),
            None => format!("no {kind} matches {pattern:?}"),
        };
        let meant = nearest.as_ref().map(|name| format!("; did you mean {name}?"));
        what + &meant.unwrap_or_default()
    }
}

fn there_are(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("\nthere are: {}", known.join(", ")) }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    #[error(transparent)]
    Bad(#[from] BadGlob),
    #[error(transparent)]
    Nothing(#[from] NothingMatches),
}

/// Selects by patterns: everything when there are none.
///
/// `kind` says in a word what is selected; it stands in the error.
pub fn select<'a, T>(
    kind: &'static str,
    patterns: &[String],
    all: &'a [T],
    name: impl Fn(&T) -> &str,
) -> Result<Vec<&'a T>, SelectError> {
    if patterns.is_empty() {
        return Ok(all.iter().collect());
    }
    let globs = patterns.iter().map(|text| Glob::new(text)).collect::<Result<Vec<_>, _>>()?;
    if let Some(glob) = globs.iter().find(|glob| !all.iter().any(|item| glob.matches(name(item)))) {
        return Err(nothing(kind, glob.as_str(), all.iter().map(&name)).into());
    }
    Ok(all.iter().filter(|item| globs.iter().any(|glob| glob.matches(name(item)))).collect())
}

/// The error for a pattern that selects none of `known`.
pub fn nothing<'a>(kind: &'static str, pattern: &str, known: impl Iterator<Item = &'a str>) -> NothingMatches {
    let mut known: Vec<String> = known.map(str::to_owned).collect();
    known.sort();
    known.dedup();
    let family = family_of(pattern, &known);
    if let Some(family) = family {
        known.retain(|name| is_case(name, family));
    }
    let plain = pattern.replace(MARKS, "");
    let is_affordable = plain.len() * known.iter().map(String::len).sum::<usize>() <= COMPARED;
    let names = || known.iter().map(String::as_str);
    let nearest = if is_affordable {
        near(&plain, names(), 1).first().copied()
    } else {
        // One slip is found at once.
        one_slip_away(&plain, names())
    };
    // `typescript` is a part of `profile/typescript@1`.
    let with_it = || names().find(|name| plain.len() > 2 && name.contains(&plain));
    let nearest = nearest.or_else(with_it).map(str::to_owned);
    if known.len() > LISTED {
        known.clear();
    }
    NothingMatches { kind, pattern: pattern.to_owned(), nearest, known, family: family.map(str::to_owned) }
}

/// The family that a name is of: the name itself, or what stands before its brackets, if there are cases of it.
fn family_of<'n>(name: &'n str, known: &[String]) -> Option<&'n str> {
    let family = name.split_once('[').map_or(name, |(family, _)| family);
    known.iter().any(|name| is_case(name, family)).then_some(family)
}

fn is_case(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|case| case.starts_with('[') && case.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_crosses_folders_and_brackets_are_plain() {
        let glob = |text| Glob::new(text).unwrap();
        assert!(glob("mock/*").matches("mock/dual/omit+auto"));
        assert!(glob("root-type/primitive[zero]").matches("root-type/primitive[zero]"));
        assert!(!glob("root-type/primitive[zero]").matches("root-type/primitivez"));
        assert!(glob("rmcp@3.?.0+*").matches("rmcp@3.9.0+auto"));
        assert!(!glob("rmcp@3").matches("rmcp@3.9.0"));
        assert!(["rmcp@3.9.0", "rmcp@3.9.0+legacy", "rmcp@3.9.0+auto"].iter().all(|id| glob("rmcp@3.9.0").matches(id)));
        assert!(!glob("rmcp@3.9.0").matches("rmcp@3.9.0/typed+auto"));
        assert!(!glob("rmcp@3.9.0+auto").matches("rmcp@3.9.0+legacy"));
    }

    #[test]
    fn braces_hold_several() {
        let glob = Glob::new("{a/b[one],c/*}::x").unwrap();
        assert!(["a/b[one]::x", "c/d::x"].iter().all(|name| glob.matches(name)));
        assert!(["a/b::x", "d/c::x", "{a/b[one],c/*}::x"].iter().all(|name| !glob.matches(name)));
        assert!(["{a,b}", "a*", "a?"].into_iter().all(Glob::is_pattern) && !Glob::is_pattern("a/b[one]"));
        let broken = Glob::new("{a,b::x").unwrap_err().to_string();
        assert!(broken.starts_with("the pattern \"{a,b::x\" is broken: a `{` is not closed. Use "), "{broken}");
    }

    #[test]
    fn a_pattern_is_bounded() {
        let why = |text: String| Glob::new(&text).unwrap_err().to_string();
        assert!(why("*a".repeat(3_000)).contains("is broken: it has 6000 bytes, and may have 4096"));
        let nested = |depth| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        assert!(why(nested(17)).contains("its braces nest 17 deep, and may nest 16 deep"));
        assert!(Glob::new(&nested(16)).unwrap().matches("a"));
        assert!(Glob::new(&"{a,b}".repeat(200)).unwrap().matches(&"ab".repeat(100)));
        for dense in ["?", "*", "*a", "{a,b}", "\u{e9}*", "{*?,**,?*}"] {
            let longest = dense.repeat(LONGEST / dense.len());
            let matcher = Glob::new(&longest).unwrap().matcher.unwrap();
            assert!(compiled(&matcher.regex).is_ok(), "what is read can be compiled: {longest}");
        }
    }

    #[test]
    fn a_pattern_that_selects_nothing_names_the_nearest() {
        let all = ["root-type/array", "drift/enum-widened"];
        let error = select("scenario", &["root-type/arry".into()], &all, |name| name).unwrap_err();
        insta::assert_snapshot!(error, @r#"
        no scenario matches "root-type/arry"; did you mean root-type/array?
        there are: drift/enum-widened, root-type/array
        "#);
    }

    #[test]
    fn of_very_many_names_none_is_listed_and_a_long_pattern_is_not_compared_with_them() {
        let names: Vec<String> = (0..200_000).map(|number| format!("scenario/{number:06}::client::server")).collect();
        let nothing = nothing("cell", &"x,".repeat(200), names.iter().map(String::as_str));
        assert_eq!((nothing.known.len(), nothing.nearest), (0, None));
    }

    #[test]
    fn no_pattern_selects_everything() {
        let all = ["a", "b"];
        assert_eq!(select("peer", &[], &all, |name| name).unwrap(), [&"a", &"b"]);
        assert_eq!(select("peer", &["b".into()], &all, |name| name).unwrap(), [&"b"]);
    }

    #[test]
    fn a_family_and_a_case_that_it_does_not_have_name_its_cases() {
        let known = ["root-type/number[zero]", "root-type/number[one]", "root-type/array", "root-type/numbers[two]"];
        let said = |pattern| nothing("scenario", pattern, known.into_iter()).to_string();
        let cases = "\nthere are: root-type/number[one], root-type/number[zero]";
        assert_eq!(said("root-type/number"), format!("root-type/number is a family; pick one member{cases}"));
        assert_eq!(
            said("root-type/number[oen]"),
            format!(
                "root-type/number has no scenario \"root-type/number[oen]\"; did you mean root-type/number[one]?{cases}"
            )
        );
        assert!(said("root-type/nothing").starts_with("no scenario matches \"root-type/nothing\""));
    }
}
