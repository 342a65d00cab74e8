//! Comparing two locks of one server, tool by tool and revision by revision.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, pointer_token};
use mcp_compat_model::Revision;
use mcp_compat_model::comparison::{Change, ChangeKind, Comparison, Effect, Part, ToolComparison};
use mcp_compat_schema::inclusion::Schemas;

use crate::schema_lock::classify::{Pair, classify, refused};
use crate::schema_lock::lock::{Lock, LockedTool};

/// Number of steps that all proofs and samples of a comparison may take together: a few seconds.
const STEPS: u64 = 3_000_000;

/// Error about two locks that cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    #[error(
        "the old lock belongs to the server {old:?}, the new one to {new:?}. Only versions of one server can be compared"
    )]
    OtherServer { old: String, new: String },
}

/// Compares two locks of one server.
pub fn compare<'l>(old: &'l Lock, new: &'l Lock) -> Result<Comparison, CompareError> {
    if old.server.name != new.server.name {
        return Err(CompareError::OtherServer { old: old.server.name.clone(), new: new.server.name.clone() });
    }
    let schemas = Schemas::with_budget(STEPS);
    let (was, is) = (by_name(old), by_name(new));
    let names: BTreeSet<&str> = old.tools.iter().chain(&new.tools).map(LockedTool::name).collect();
    let sides = sides(old, new);
    let mut tools: Vec<ToolComparison> = Vec::new();
    let mut unchanged = 0;
    for name in names {
        let versions = |tools: &BTreeMap<&str, Vec<&'l LockedTool>>| tools.get(name).cloned().unwrap_or_default();
        let changed = compare_tool(&schemas, &sides, (versions(&was), versions(&is)), name);
        unchanged += usize::from(changed.is_empty());
        tools.extend(changed);
    }
    tools.sort_by_key(|tool| Reverse(tool.effect()));
    Ok(Comparison {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        server: new.server.name.clone(),
        old: old.server.version.clone(),
        new: new.server.version.clone(),
        revisions: sides.iter().map(|side| side.after).collect::<BTreeSet<_>>().into_iter().collect(),
        changes: worst_first(compare_revisions(old, new)),
        tools,
        unchanged,
    })
}

fn compare_revisions(old: &Lock, new: &Lock) -> Vec<Change> {
    let change = |kind, revision: &Revision, what: &str, effect, why: Option<&str>| Change {
        part: Part::Server,
        pointer: String::new(),
        kind,
        what: format!("revision {revision} is {what}"),
        effect,
        why: why.map(ToOwned::to_owned),
        witness: None,
        unlisted: None,
    };
    let gone = old.revisions.iter().filter(|revision| !new.revisions.contains(revision)).map(|revision| {
        let why = "clients that speak no other revision lose the server";
        change(ChangeKind::RevisionRemoved, revision, "no longer spoken", Effect::BreaksSomeClients, Some(why))
    });
    let come = new.revisions.iter().filter(|revision| !old.revisions.contains(revision));
    gone.chain(come.map(|revision| change(ChangeKind::RevisionAdded, revision, "new", Effect::Safe, None))).collect()
}

/// A revision of the old lock and the revision of the new lock that it is compared with.
#[derive(Clone, Copy, Debug)]
struct Side {
    before: Revision,
    after: Revision,
    /// Set if it affects only clients that speak a revision that the old version did not speak.
    newly: bool,
}

/// The revisions that both speak, then the new ones. A new revision is compared with the newest old one, because clients
/// that spoke the old one may negotiate the new one from now on. If no old revision is left, all clients must.
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

fn by_name(lock: &Lock) -> BTreeMap<&str, Vec<&LockedTool>> {
    let mut tools: BTreeMap<&str, Vec<&LockedTool>> = BTreeMap::new();
    for tool in &lock.tools {
        tools.entry(tool.name()).or_default().push(tool);
    }
    tools
}

/// A tool before and after, the same at several revisions.
struct Pairing<'l> {
    was: Option<&'l Json>,
    is: Option<&'l Json>,
    /// Set if these revisions are all new.
    newly: bool,
    revisions: Vec<Revision>,
}

/// The changes of a tool. The same change at several revisions is reported once.
fn compare_tool(
    schemas: &Schemas,
    sides: &[Side],
    (old, new): (Vec<&LockedTool>, Vec<&LockedTool>),
    name: &str,
) -> Vec<ToolComparison> {
    let mut pairs: Vec<Pairing<'_>> = Vec::new();
    let at = |versions: &[&'_ LockedTool], revision| -> Option<usize> {
        versions.iter().position(|tool| tool.revisions.contains(&revision))
    };
    for Side { before, after, newly } in sides.iter().copied() {
        let was = at(&old, before).map(|at| &old[at].definition);
        let is = at(&new, after).map(|at| &new[at].definition);
        match pairs.iter_mut().find(|pair| (pair.was, pair.is) == (was, is)) {
            Some(pair) => pair.revisions.push(after),
            None => pairs.push(Pairing { was, is, newly, revisions: vec![after] }),
        }
    }
    let compared = |Pairing { was, is, newly, mut revisions }: Pairing<'_>| {
        let mut changes = match (was, is) {
            (Some(was), Some(is)) => compare_definitions(schemas, was, is),
            (Some(_), None) => {
                vec![listed(ChangeKind::ToolRemoved, "the tool is no longer listed", Effect::BreaksCallers)]
            }
            (None, Some(is)) => {
                let new = listed(ChangeKind::ToolAdded, "the tool is new", Effect::Safe);
                let schemas_of = [(Part::Input, is.get("inputSchema")), (Part::Output, is.get("outputSchema"))];
                let there = schemas_of.into_iter().filter_map(|(part, schema)| Some((part, schema?)));
                let not_taken = there.flat_map(|(part, schema)| refused(schemas, part, schema, &revisions));
                std::iter::once(new).chain(not_taken).collect()
            }
            (None, None) => Vec::new(),
        };
        revisions.sort_unstable();
        if newly {
            changes.iter_mut().for_each(|change| limit_to_new_revisions(change, &revisions));
        }
        ToolComparison { tool: name.to_owned(), revisions, changes: worst_first(changes) }
    };
    pairs.into_iter().map(compared).filter(|tool| !tool.changes.is_empty()).collect()
}

/// A change at new revisions only does not break clients that go on with an old one.
fn limit_to_new_revisions(change: &mut Change, revisions: &[Revision]) {
    if change.effect == Effect::BreaksCallers {
        let named: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
        change.effect = Effect::BreaksSomeClients;
        change.why = Some(format!("only clients that speak {}, which is new, are affected", named.join(" or ")));
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

/// A schema that was added or removed.
fn compare_presence(part: Part, was: bool) -> Change {
    let (kind, what) = if was { (ChangeKind::SchemaRemoved, "removed") } else { (ChangeKind::SchemaAdded, "added") };
    let (effect, why) = match (part, was) {
        (Part::Output, true) => (Effect::BreaksCallers, Some("the tool no longer declares a structured result")),
        (Part::Output, false) => (
            Effect::BreaksSomeClients,
            Some("clients that validate results start to validate them against this schema"),
        ),
        (Part::Input, true) => (
            Effect::BreaksSomeClients,
            Some("every tool must have an inputSchema; clients that check this reject the tool"),
        ),
        (Part::Input | Part::Server | Part::Tool, _) => {
            (Effect::Unknown, Some("the old version did not declare which inputs it accepts"))
        }
    };
    Change {
        part,
        pointer: String::new(),
        kind,
        what: format!("`{part}` {what}"),
        effect,
        why: why.map(ToOwned::to_owned),
        witness: None,
        unlisted: None,
    }
}

/// A member of a definition that is not a schema.
fn compare_member(key: &str, was: Option<&Json>, is: Option<&Json>) -> Change {
    let (kind, effect, why) = match key {
        "title" | "description" | "icons" | "_meta" => (ChangeKind::Words, Effect::Safe, None),
        "annotations" => match lost_hints(was, is) {
            Some(lost) => (ChangeKind::Annotations, Effect::BreaksSomeClients, Some(lost)),
            None => (
                ChangeKind::Annotations,
                Effect::Safe,
                Some("annotations are hints; a client may ask its user for confirmation again"),
            ),
        },
        "execution" => (
            ChangeKind::Execution,
            Effect::BreaksSomeClients,
            Some("clients that call the tool in the old way may get no answer"),
        ),
        _ => (ChangeKind::Member, Effect::Unknown, Some("mcp-compat does not know what this member means")),
    };
    member(&format!("/{}", pointer_token(key)), kind, format!("`{key}` changed"), effect, why)
}

fn member(pointer: &str, kind: ChangeKind, what: String, effect: Effect, why: Option<&str>) -> Change {
    let why = why.map(ToOwned::to_owned);
    Change { part: Part::Tool, pointer: pointer.to_owned(), kind, what, effect, why, witness: None, unlisted: None }
}

fn worst_first(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by_key(|change| Reverse(change.effect));
    changes
}

/// The meaning of the annotations of a tool. A missing annotation has the default of the specification.
struct Hints {
    read_only: bool,
    not_destructive: bool,
    idempotent: bool,
    closed_world: bool,
}

impl Hints {
    fn of(annotations: Option<&Json>) -> Self {
        let says = |hint: &str, otherwise: bool| match annotations.and_then(|said| said.get(hint)) {
            Some(Json::Bool(said)) => *said,
            Some(_) | None => otherwise,
        };
        let read_only = says("readOnlyHint", false);
        Self {
            read_only,
            not_destructive: read_only || !says("destructiveHint", true),
            idempotent: read_only || says("idempotentHint", false),
            closed_world: !says("openWorldHint", true),
        }
    }
}

/// Returns the property that hosts could rely on and no longer can.
fn lost_hints(was: Option<&Json>, is: Option<&Json>) -> Option<&'static str> {
    let (was, is) = (Hints::of(was), Hints::of(is));
    if was.read_only && !is.read_only {
        Some("the tool is no longer marked read-only; hosts that rely on it ask before they call, or do not call")
    } else if was.not_destructive && !is.not_destructive {
        Some("the tool may now be destructive; hosts that rely on the annotation ask before they call, or do not call")
    } else if was.idempotent && !is.idempotent {
        Some("the tool is no longer marked idempotent; hosts that retry after a failure may repeat its effect")
    } else if was.closed_world && !is.closed_world {
        Some(
            "the tool may now reach the open world; hosts that rely on the annotation ask before they call, or do not call",
        )
    } else {
        None
    }
}
