//! The moves within the JSON of a scenario, from the outside in.
//!
//! At each place: ever smaller runs of its members or elements go; then one of its parts takes its place; what is a text
//! or a number gets shorter. Where a value and its schema have to move together, they do: both step down to the same
//! member, and a reference gives way to what it refers to.

use std::ops::ControlFlow;

use mcp_compat_json::{Json, JsonString, Number};

use super::schema_and_value;
use crate::shrink::ddmin::ddmin;
use crate::shrink::location::{self, Location};
use crate::shrink::reducer::{Halt, Reducer};
use crate::shrink::tree;

/// How many parts of one value are tried in its place.
const HOISTED: usize = 64;

/// Tries every move once on everything.
pub(in crate::shrink) fn shrink_json(reducer: &mut Reducer<'_>) -> ControlFlow<Halt> {
    for location in Location::all(reducer.best()) {
        shrink_site(reducer, location)?;
    }
    let tools = location::tools(reducer.best()).into_iter();
    let tools: Vec<_> = tools.filter(|index| !location::is_control(reducer.best(), *index)).collect();
    for index in tools {
        schema_and_value::descend(reducer, index)?;
        schema_and_value::resolve_references(reducer, index)?;
    }
    ControlFlow::Continue(())
}

/// Goes through what stands at a location level by level: what goes at one level is not looked at below.
fn shrink_site(reducer: &mut Reducer<'_>, location: Location) -> ControlFlow<Halt> {
    let mut level = vec![Vec::new()];
    while !level.is_empty() {
        for path in &level {
            shrink_node(reducer, location, path)?;
        }
        let Some(root) = location.read(reducer.best()) else { break };
        let below = |path: &Vec<usize>| {
            let children = tree::at(&root, path).map_or(0, tree::children);
            let path = path.clone();
            (0..children).map(move |child| [&path[..], &[child]].concat())
        };
        level = level.iter().flat_map(below).collect();
    }
    ControlFlow::Continue(())
}

fn shrink_node(reducer: &mut Reducer<'_>, location: Location, path: &[usize]) -> ControlFlow<Halt> {
    loop {
        let Some(root) = location.read(reducer.best()) else { return ControlFlow::Continue(()) };
        match tree::at(&root, path) {
            Some(Json::Array(_) | Json::Object(_)) => {
                drop_children(reducer, location, path)?;
                if !hoist(reducer, location, path)? {
                    return ControlFlow::Continue(());
                }
            }
            Some(Json::String(text)) if may_shorten(location, &root, path) => {
                return shorten(reducer, location, path, text);
            }
            Some(Json::Number(number)) => return round(reducer, location, path, number),
            Some(Json::String(_) | Json::Bool(_) | Json::Null) | None => return ControlFlow::Continue(()),
        }
    }
}

/// Does without members or elements.
fn drop_children(reducer: &mut Reducer<'_>, location: Location, path: &[usize]) -> ControlFlow<Halt> {
    let Some(root) = location.read(reducer.best()) else { return ControlFlow::Continue(()) };
    let children = tree::at(&root, path).map_or(0, tree::children);
    ddmin(children, |run| {
        let Some(root) = location.read(reducer.best()) else { return ControlFlow::Continue(false) };
        let candidate = tree::without(&root, path, &run).and_then(|new| location.write(reducer.best(), new));
        reducer.attempt(candidate, |scenario| {
            let first = tree::pointer(&root, &[path, &[run.start]].concat());
            let more = if run.len() > 1 { format!(" and {} more", run.len() - 1) } else { String::new() };
            format!("dropped {first}{more} in {}", location.owner(scenario))
        })
    })
}

/// Puts a part in the place of the whole: a child, or a child of a child.
fn hoist(reducer: &mut Reducer<'_>, location: Location, path: &[usize]) -> ControlFlow<Halt, bool> {
    let (false, Some(root)) = (path.is_empty(), location.read(reducer.best())) else {
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
        let candidate = new.and_then(|new| location.write(reducer.best(), new));
        let done = reducer.attempt(candidate, |scenario| {
            let (whole, part) = (tree::pointer(&root, path), tree::pointer(node, &part));
            format!("replaced {whole} with {whole}{part} in {}", location.owner(scenario))
        })?;
        if done {
            return ControlFlow::Continue(true);
        }
    }
    ControlFlow::Continue(false)
}

/// Whether a string says something that may be said shorter: a value or prose, not a word of a schema or of MCP.
fn may_shorten(location: Location, root: &Json, path: &[usize]) -> bool {
    let keys: Vec<&str> =
        (0..path.len()).filter_map(|depth| tree::key(tree::at(root, &path[..depth])?, path[depth])?.as_str()).collect();
    let (first, last) = (keys.first().copied(), keys.last().copied());
    match location {
        Location::Meant { .. } | Location::Arguments { .. } | Location::List => true,
        Location::Answer(_) => {
            matches!(first, Some("structuredContent" | "_meta" | "data"))
                || matches!(last, Some("text" | "data" | "message"))
        }
        Location::Definition(_) => {
            keys.iter().any(|key| matches!(*key, "enum" | "const" | "default" | "examples" | "_meta"))
                || matches!(last, Some("title" | "description" | "$comment"))
        }
    }
}

/// Leaves characters out.
fn shorten(reducer: &mut Reducer<'_>, location: Location, path: &[usize], text: &JsonString) -> ControlFlow<Halt> {
    // By characters as long as there are any: half a surrogate pair would be another kind of text.
    let mut units: Vec<Vec<u16>> = match text.as_str() {
        Some(text) => text.chars().map(|c| c.encode_utf16(&mut [0; 2]).to_vec()).collect(),
        None => text.utf16().map(|unit| vec![unit]).collect(),
    };
    ddmin(units.len(), |run| {
        let mut left = units.clone();
        left.drain(run);
        let new = Json::String(JsonString::from_utf16(&left.concat()));
        let taken = replace(reducer, location, path, new)?;
        if taken {
            units = left;
        }
        ControlFlow::Continue(taken)
    })
}

/// Leaves digits out; zero first of all.
fn round(reducer: &mut Reducer<'_>, location: Location, path: &[usize], number: &Number) -> ControlFlow<Halt> {
    let mut lexeme: Vec<char> = number.lexeme().chars().collect();
    if replace(reducer, location, path, Json::from(0_i64))? {
        return ControlFlow::Continue(());
    }
    ddmin(lexeme.len(), |run| {
        let mut left = lexeme.clone();
        left.drain(run);
        let Some(number) = Number::parse(&left.iter().collect::<String>()) else {
            return ControlFlow::Continue(false);
        };
        let taken = replace(reducer, location, path, Json::Number(number))?;
        if taken {
            lexeme = left;
        }
        ControlFlow::Continue(taken)
    })
}

fn replace(reducer: &mut Reducer<'_>, location: Location, path: &[usize], new: Json) -> ControlFlow<Halt, bool> {
    let Some(root) = location.read(reducer.best()) else { return ControlFlow::Continue(false) };
    let candidate = tree::replaced(&root, path, new).and_then(|new| location.write(reducer.best(), new));
    reducer.attempt(candidate, |scenario| {
        format!("shortened {} in {}", tree::pointer(&root, path), location.owner(scenario))
    })
}
