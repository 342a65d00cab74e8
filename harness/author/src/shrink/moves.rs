//! The moves within the JSON of a scenario, from the outside in.
//!
//! At each place: ever smaller runs of its members or elements go; then one of its parts takes its place; what is a text
//! or a number gets shorter. Where a value and its schema have to move together, they do: both step down to the same
//! member, and a reference gives way to what it refers to.

use std::ops::ControlFlow;

use mcp_compat_json::{Json, JsonString, Number};

use super::reduce::{Halt, Reducer};
use super::site::{self, Site};
use super::thin::thin_out;
use super::{descent, tree};

/// How many parts of one value are tried in its place.
const HOISTED: usize = 64;

/// Tries every move once on everything.
pub(super) fn shrink_json(reducer: &mut Reducer<'_>) -> ControlFlow<Halt> {
    for site in Site::all(reducer.best()) {
        shrink_site(reducer, site)?;
    }
    let spots = site::spots(reducer.best()).into_iter();
    let spots: Vec<_> = spots.filter(|spot| !site::is_control(reducer.best(), *spot)).collect();
    for spot in spots {
        descent::descend(reducer, spot)?;
        descent::resolve_references(reducer, spot)?;
    }
    ControlFlow::Continue(())
}

/// Goes through what stands at a site level by level: what goes at one level is not looked at below.
fn shrink_site(reducer: &mut Reducer<'_>, site: Site) -> ControlFlow<Halt> {
    let mut level = vec![Vec::new()];
    while !level.is_empty() {
        for path in &level {
            shrink_node(reducer, site, path)?;
        }
        let Some(root) = site.read(reducer.best()) else { break };
        let below = |path: &Vec<usize>| {
            let children = tree::at(&root, path).map_or(0, tree::children);
            let path = path.clone();
            (0..children).map(move |child| [&path[..], &[child]].concat())
        };
        level = level.iter().flat_map(below).collect();
    }
    ControlFlow::Continue(())
}

fn shrink_node(reducer: &mut Reducer<'_>, site: Site, path: &[usize]) -> ControlFlow<Halt> {
    loop {
        let Some(root) = site.read(reducer.best()) else { return ControlFlow::Continue(()) };
        match tree::at(&root, path) {
            Some(Json::Array(_) | Json::Object(_)) => {
                drop_children(reducer, site, path)?;
                if !hoist(reducer, site, path)? {
                    return ControlFlow::Continue(());
                }
            }
            Some(Json::String(text)) if may_shorten(site, &root, path) => return shorten(reducer, site, path, text),
            Some(Json::Number(number)) => return round(reducer, site, path, number),
            Some(Json::String(_) | Json::Bool(_) | Json::Null) | None => return ControlFlow::Continue(()),
        }
    }
}

/// Does without members or elements.
fn drop_children(reducer: &mut Reducer<'_>, site: Site, path: &[usize]) -> ControlFlow<Halt> {
    let Some(root) = site.read(reducer.best()) else { return ControlFlow::Continue(()) };
    let children = tree::at(&root, path).map_or(0, tree::children);
    thin_out(children, |run| {
        let Some(root) = site.read(reducer.best()) else { return ControlFlow::Continue(false) };
        let candidate = tree::without(&root, path, &run).and_then(|new| site.write(reducer.best(), new));
        reducer.attempt(candidate, |scenario| {
            let first = tree::pointer(&root, &[path, &[run.start]].concat());
            let more = if run.len() > 1 { format!(" and {} more", run.len() - 1) } else { String::new() };
            format!("dropped {first}{more} in {}", site.owner(scenario))
        })
    })
}

/// Puts a part in the place of the whole: a child, or a child of a child.
fn hoist(reducer: &mut Reducer<'_>, site: Site, path: &[usize]) -> ControlFlow<Halt, bool> {
    let (false, Some(root)) = (path.is_empty(), site.read(reducer.best())) else {
        return ControlFlow::Continue(false);
    };
    let Some(node) = tree::at(&root, path) else { return ControlFlow::Continue(false) };
    let children = (0..tree::children(node)).map(|child| vec![child]);
    let grandchildren = (0..tree::children(node)).flat_map(|child| {
        let inner = tree::child(node, child).map_or(0, tree::children);
        (0..inner).map(move |inner| vec![child, inner])
    });
    for part in children.chain(grandchildren).take(HOISTED) {
        let new = tree::at(node, &part).cloned().and_then(|part| tree::replaced(&root, path, part));
        let candidate = new.and_then(|new| site.write(reducer.best(), new));
        let done = reducer.attempt(candidate, |scenario| {
            let (whole, part) = (tree::pointer(&root, path), tree::pointer(node, &part));
            format!("put {whole}{part} in the place of {whole} in {}", site.owner(scenario))
        })?;
        if done {
            return ControlFlow::Continue(true);
        }
    }
    ControlFlow::Continue(false)
}

/// Whether a string says something that may be said shorter: a value or prose, not a word of a schema or of MCP.
fn may_shorten(site: Site, root: &Json, path: &[usize]) -> bool {
    let keys: Vec<&str> =
        (0..path.len()).filter_map(|depth| tree::key(tree::at(root, &path[..depth])?, path[depth])?.as_str()).collect();
    let (first, last) = (keys.first().copied(), keys.last().copied());
    match site {
        Site::Meant { .. } | Site::Arguments { .. } | Site::List => true,
        Site::Answer(_) => {
            matches!(first, Some("structuredContent" | "_meta" | "data"))
                || matches!(last, Some("text" | "data" | "message"))
        }
        Site::Definition(_) => {
            keys.iter().any(|key| matches!(*key, "enum" | "const" | "default" | "examples" | "_meta"))
                || matches!(last, Some("title" | "description" | "$comment"))
        }
    }
}

/// Leaves characters out.
fn shorten(reducer: &mut Reducer<'_>, site: Site, path: &[usize], text: &JsonString) -> ControlFlow<Halt> {
    // By characters as long as there are any: half a surrogate pair would be another kind of text.
    let mut units: Vec<Vec<u16>> = match text.as_str() {
        Some(text) => text.chars().map(|c| c.encode_utf16(&mut [0; 2]).to_vec()).collect(),
        None => text.utf16().map(|unit| vec![unit]).collect(),
    };
    thin_out(units.len(), |run| {
        let mut left = units.clone();
        left.drain(run);
        let new = Json::String(JsonString::from_utf16(&left.concat()));
        let taken = replace(reducer, site, path, new)?;
        if taken {
            units = left;
        }
        ControlFlow::Continue(taken)
    })
}

/// Leaves digits out; zero first of all.
fn round(reducer: &mut Reducer<'_>, site: Site, path: &[usize], number: &Number) -> ControlFlow<Halt> {
    let mut lexeme: Vec<char> = number.lexeme().chars().collect();
    if replace(reducer, site, path, Json::from(0_i64))? {
        return ControlFlow::Continue(());
    }
    thin_out(lexeme.len(), |run| {
        let mut left = lexeme.clone();
        left.drain(run);
        let Some(number) = Number::parse(&left.iter().collect::<String>()) else {
            return ControlFlow::Continue(false);
        };
        let taken = replace(reducer, site, path, Json::Number(number))?;
        if taken {
            lexeme = left;
        }
        ControlFlow::Continue(taken)
    })
}

fn replace(reducer: &mut Reducer<'_>, site: Site, path: &[usize], new: Json) -> ControlFlow<Halt, bool> {
    let Some(root) = site.read(reducer.best()) else { return ControlFlow::Continue(false) };
    let candidate = tree::replaced(&root, path, new).and_then(|new| site.write(reducer.best(), new));
    reducer
        .attempt(candidate, |scenario| format!("shortened {} in {}", tree::pointer(&root, path), site.owner(scenario)))
}
