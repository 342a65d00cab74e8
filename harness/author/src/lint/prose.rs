//! Checks what an author says about a case to people: addresses that can be trusted, sentences that are whole, and
//! words of its own for each file.

use std::collections::BTreeMap;

use mcp_compat_scenario::places::Span;
use mcp_compat_scenario::scenario::SpecStance;
use mcp_compat_scenario::{Diagnostic, Placed};

/// Ends of a sentence, perhaps before a closing quote or bracket.
const ENDS: [char; 3] = ['.', '?', '!'];

/// Returns warnings, scenario by scenario.
pub(super) fn warnings(set: &[Placed]) -> Vec<(&Placed, Vec<Diagnostic>)> {
    let (mut titles, mut whys) = (BTreeMap::new(), BTreeMap::new());
    let of_one = |placed| {
        let mut found = addresses(placed);
        found.extend(unfinished(placed));
        found.extend(repeated(placed, &placed.scenario.title, &placed.places.title, &mut titles, "title"));
        found.extend(repeated(placed, &placed.scenario.why, &placed.places.why, &mut whys, "why"));
        (placed, found.into_iter().map(Diagnostic::warning).collect())
    };
    set.iter().map(of_one).collect()
}

fn addresses(placed: &Placed) -> Vec<Diagnostic> {
    let insecure = |(address, span): (&String, &Span)| {
        let mistake = placed.mistake(span, "an address that is not `https`");
        (!address.starts_with("https://")).then(|| mistake.label("expected `https`"))
    };
    let sources = placed.scenario.sources.iter().zip(&placed.places.sources);
    let mut found: Vec<_> = sources.filter_map(insecure).collect();
    if let (SpecStance::Silent { source } | SpecStance::Conflict { source }, Some(span)) =
        (&placed.scenario.spec, &placed.places.spec)
    {
        found.extend(insecure((source, span)));
        if is_front_page(source) {
            let mistake = placed.mistake(span, "`spec` names a whole site");
            found.push(mistake.label("expected the page that leaves it open"));
        }
    }
    found
}

/// Returns true if an address leads to a site and no further.
fn is_front_page(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split_once('/').is_none_or(|(_, path)| path.is_empty())
}

fn unfinished(placed: &Placed) -> Option<Diagnostic> {
    let why = placed.scenario.why.trim_end().trim_end_matches(['"', '\'', ')', '`', '”']);
    let mistake = placed.mistake(&placed.places.why, "`why` does not end with a full stop, `?` or `!`");
    (!why.ends_with(ENDS)).then(|| mistake.label("expected whole sentences"))
}

/// A text that another file has too. The members of a family share theirs.
fn repeated<'s>(
    placed: &'s Placed,
    text: &'s str,
    span: &Span,
    first: &mut BTreeMap<&'s str, &'s Placed>,
    key: &str,
) -> Option<Diagnostic> {
    let other = *first.entry(text).or_insert(placed);
    if other.scenario.id.file() == placed.scenario.id.file() {
        return None;
    }
    let mistake = placed.mistake(span, format!("`{key}` is that of another scenario"));
    Some(mistake.label(format!("`{}` has the same", other.scenario.id)))
}
