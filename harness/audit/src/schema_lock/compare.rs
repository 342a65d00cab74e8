//! Two locks of one server, tool by tool and revision by revision.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use mcp_compat_inclusion::Schemas;
use mcp_compat_json::{Json, pointer_token};
use mcp_compat_model::Revision;
use mcp_compat_model::comparison::{Change, ChangeKind, Comparison, Effect, Part, ToolComparison};

use super::classify::{Pair, classify};
use super::hints;
use super::lock::{Lock, LockedTool};

/// Why two locks cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// They are not of the same server.
    #[error(
        "the old lock is of the server {old:?}, the new one of {new:?}: only versions of one server can be compared"
    )]
    OtherServer {
        /// Whose the old one is.
        old: String,
        /// Whose the new one is.
        new: String,
    },
}

/// What changed from one lock to another.
///
/// # Errors
/// When they are of different servers.
pub fn compare(old: &Lock, new: &Lock) -> Result<Comparison, CompareError> {
    if old.server.name != new.server.name {
        return Err(CompareError::OtherServer { old: old.server.name.clone(), new: new.server.name.clone() });
    }
    let schemas = Schemas::default();
    let names: BTreeSet<&str> = old.tools.iter().chain(&new.tools).map(LockedTool::name).collect();
    let mut tools: Vec<ToolComparison> = Vec::new();
    let mut unchanged = 0;
    for name in names {
        let changed = compare_tool(&schemas, old, new, name);
        unchanged += usize::from(changed.is_empty());
        tools.extend(changed);
    }
    tools.sort_by_key(|tool| Reverse(tool.effect()));
    Ok(Comparison {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        server: new.server.name.clone(),
        old: old.server.version.clone(),
        new: new.server.version.clone(),
        revisions: sides(old, new).into_iter().map(|side| side.after).collect::<BTreeSet<_>>().into_iter().collect(),
        changes: worst_first(compare_revisions(old, new)),
        tools,
        unchanged,
    })
}

fn compare_revisions(old: &Lock, new: &Lock) -> Vec<Change> {
    let told = |kind, revision: &Revision, what: &str, effect, why: Option<&str>| Change {
        part: Part::Server,
        pointer: String::new(),
        kind,
        what: format!("revision {revision} is {what}"),
        effect,
        why: why.map(ToOwned::to_owned),
        witness: None,
    };
    let gone = old.revisions.iter().filter(|revision| !new.revisions.contains(revision)).map(|revision| {
        let why = "clients that speak no other one lose the server";
        told(ChangeKind::RevisionRemoved, revision, "no longer spoken", Effect::BreaksSomeClients, Some(why))
    });
    let come = new.revisions.iter().filter(|revision| !old.revisions.contains(revision));
    gone.chain(come.map(|revision| told(ChangeKind::RevisionAdded, revision, "spoken as well", Effect::Safe, None)))
        .collect()
}

/// Two revisions at which the two are put side by side.
#[derive(Clone, Copy, Debug)]
struct Side {
    before: Revision,
    after: Revision,
    /// Whether only those clients come to it that speak a revision which the old version did not.
    newly: bool,
}

/// The revisions that both speak; then those that are new, each beside the newest of the old ones, since clients that
/// spoke that one may settle on the new one from now on. Where nothing is left of the old ones, everybody must.
fn sides(old: &Lock, new: &Lock) -> Vec<Side> {
    let both = old.revisions.iter().filter(|revision| new.revisions.contains(revision));
    let mut sides: Vec<Side> = both.map(|both| Side { before: *both, after: *both, newly: false }).collect();
    let newly = !sides.is_empty();
    if let Some(before) = old.revisions.last().copied() {
        let come = new.revisions.iter().filter(|revision| !old.revisions.contains(revision));
        sides.extend(come.map(|after| Side { before, after: *after, newly }));
    }
    sides
}

/// A tool before and after, alike at some revisions.
struct Alike<'l> {
    was: Option<&'l Json>,
    is: Option<&'l Json>,
    /// Whether these revisions are all new.
    newly: bool,
    revisions: Vec<Revision>,
}

/// What changed of a tool; what is alike at several revisions is told once.
fn compare_tool(schemas: &Schemas, old: &Lock, new: &Lock, name: &str) -> Vec<ToolComparison> {
    let mut pairs: Vec<Alike<'_>> = Vec::new();
    for Side { before, after, newly } in sides(old, new) {
        let (was, is) = (old.tool(name, before), new.tool(name, after));
        match pairs.iter_mut().find(|pair| (pair.was, pair.is) == (was, is)) {
            Some(pair) => pair.revisions.push(after),
            None => pairs.push(Alike { was, is, newly, revisions: vec![after] }),
        }
    }
    let compared = |Alike { was, is, newly, mut revisions }: Alike<'_>| {
        let mut changes = match (was, is) {
            (Some(was), Some(is)) => compare_definitions(schemas, was, is),
            (Some(_), None) => {
                vec![listed(ChangeKind::ToolRemoved, "the tool is no longer listed", Effect::BreaksCallers)]
            }
            (None, Some(_)) => vec![listed(ChangeKind::ToolAdded, "the tool is new", Effect::Safe)],
            (None, None) => Vec::new(),
        };
        revisions.sort_unstable();
        if newly {
            changes.iter_mut().for_each(|change| spare_who_stays(change, &revisions));
        }
        ToolComparison { tool: name.to_owned(), revisions, changes: worst_first(changes) }
    };
    pairs.into_iter().map(compared).filter(|tool| !tool.changes.is_empty()).collect()
}

/// What is so at new revisions only breaks nobody who goes on with an old one.
fn spare_who_stays(change: &mut Change, revisions: &[Revision]) {
    if change.effect == Effect::BreaksCallers {
        let named: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
        change.effect = Effect::BreaksSomeClients;
        change.why = Some(format!("clients that speak {}, which is new, get it so", named.join(" or ")));
    }
}

fn listed(kind: ChangeKind, what: &str, effect: Effect) -> Change {
    member("", kind, what.to_owned(), effect, None)
}

fn compare_definitions(schemas: &Schemas, old: &Json, new: &Json) -> Vec<Change> {
    let keys = |tool: &Json| -> Vec<String> {
        let members = tool.as_object().into_iter().flat_map(|members| members.iter());
        members.filter_map(|(key, _)| key.as_str().map(ToOwned::to_owned)).collect()
    };
    let mut changes = Vec::new();
    for key in keys(old).into_iter().chain(keys(new)).collect::<BTreeSet<_>>() {
        let (was, is) = (old.get(&key), new.get(&key));
        if was == is {
            continue;
        }
        let part = match key.as_str() {
            "inputSchema" => Part::Input,
            "outputSchema" => Part::Output,
            _ => {
                changes.push(compare_member(&key, was, is));
                continue;
            }
        };
        changes.extend(match (was, is) {
            (Some(old), Some(new)) => classify(Pair { schemas, part, old, new }),
            (was, _) => vec![compare_presence(part, was.is_some())],
        });
    }
    changes
}

/// A schema that is there on one side only.
fn compare_presence(part: Part, was: bool) -> Change {
    let (kind, what) = match was {
        true => (ChangeKind::SchemaRemoved, format!("`{part}` removed")),
        false => (ChangeKind::SchemaAdded, format!("`{part}` added")),
    };
    let (effect, why) = match (part, was) {
        (Part::Output, true) => (Effect::BreaksCallers, Some("callers are promised no structured result any more")),
        (Part::Output, false) => {
            (Effect::BreaksSomeClients, Some("clients that check results by the schema do so from now on"))
        }
        (Part::Input, true) => {
            (Effect::BreaksSomeClients, Some("a tool must have one: clients that know refuse the tool"))
        }
        (Part::Input | Part::Server | Part::Tool, _) => {
            (Effect::Unknown, Some("what was taken before was nowhere said"))
        }
    };
    Change { part, pointer: String::new(), kind, what, effect, why: why.map(ToOwned::to_owned), witness: None }
}

/// A member of a definition that is no schema.
fn compare_member(key: &str, was: Option<&Json>, is: Option<&Json>) -> Change {
    let (kind, effect, why) = match key {
        "title" | "description" | "icons" | "_meta" => (ChangeKind::Words, Effect::Safe, None),
        "annotations" => match hints::lost(was, is) {
            Some(lost) => (ChangeKind::Annotations, Effect::BreaksSomeClients, Some(lost)),
            None => (ChangeKind::Annotations, Effect::Safe, Some("hints only: a client may ask its user anew")),
        },
        "execution" => (
            ChangeKind::Execution,
            Effect::BreaksSomeClients,
            Some("clients that call the tool in the way that was may not be served"),
        ),
        _ => (ChangeKind::Member, Effect::Unknown, Some("what it means is not known")),
    };
    member(&format!("/{}", pointer_token(key)), kind, format!("`{key}` changed"), effect, why)
}

fn member(pointer: &str, kind: ChangeKind, what: String, effect: Effect, why: Option<&str>) -> Change {
    let why = why.map(ToOwned::to_owned);
    Change { part: Part::Tool, pointer: pointer.to_owned(), kind, what, effect, why, witness: None }
}

fn worst_first(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by_key(|change| Reverse(change.effect));
    changes
}
