//! The effect of the differences between two schemas: each alone, and all together.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::comparison::{Change, ChangeKind, Effect, Part, Witness};
use mcp_compat_model::{Era, Revision};
use mcp_compat_schema::inclusion::{Dialect, Inclusion, Schemas, Validity, dialect};

use crate::schema_lock::declared_inputs;
use crate::schema_lock::differences::{Difference, Differences, differences};
use crate::schema_lock::formats::Formats;
use crate::schema_lock::keywords::shown;

/// Reason for which a new format breaks some clients.
const FORMAT_ADDED: &str = "servers and clients that check formats reject values that were accepted before";

/// Reason for which a removed format breaks some clients.
const FORMAT_REMOVED: &str = "clients may rely on the old format when they check or read the value";

/// Reason for which the effect of a change is unknown though it breaks callers by itself.
const COMPENSATED: &str = "by itself it would break callers; the other changes may compensate for it";

/// Reason for which a change breaks some clients that breaks no declared input.
const UNDECLARED: &str = "callers that send undeclared properties break";

/// Reason for which a changed default breaks some clients.
const DEFAULT_CHANGED: &str = "callers that omit it get another value";

/// Reason for which a removed default breaks some clients.
const DEFAULT_REMOVED: &str = "callers that omit it may get another value; the schema no longer names one";

/// Reason for which a new default breaks nobody.
const DEFAULT_ADDED: &str = "the old schema named no value for callers that omit it";

/// Two versions of a schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'s> {
    pub(crate) schemas: &'s Schemas,
    /// Input or output schema. The new input schema must accept what the old one did; the new output schema must not allow
    /// what the old one did not.
    pub(crate) part: Part,
    pub(crate) old: &'s Json,
    pub(crate) new: &'s Json,
}

/// The changes between two versions of a schema.
pub(crate) fn classify(pair: Pair<'_>) -> Vec<Change> {
    let Differences { listed, more } = differences(pair.old, pair.new);
    // The schemas are compared even if no difference was found: a difference may be of a kind that is not known.
    let classifier = Classifier::new(pair);
    let mut changes: Vec<Change> = pair.unusable().into_iter().collect();
    let mut left_out = more;
    for found in listed {
        let found = found.made_in(pair.old);
        // Without work left, nothing is known of a change but that it is there. That is said once for all of them.
        if classifier.may_classify() || found.alone == *pair.new {
            changes.push(classifier.change(&found));
        } else {
            left_out += 1;
        }
    }
    changes.extend(classifier.left_out(left_out));
    changes.extend(classifier.unexplained(&changes));
    changes.extend(pair.unsaid(&changes));
    changes
}

/// Finds what clients of these revisions reject in a schema that is new.
pub(crate) fn refused(schemas: &Schemas, part: Part, new: &Json, revisions: &[Revision]) -> Vec<Change> {
    let object = Json::Object([("type", Json::from("object"))].into_iter().collect());
    let pair = Pair { schemas, part, old: &object, new };
    let any_root = part == Part::Output && revisions.iter().all(|revision| revision.era() == Era::Modern);
    let root = pair.root_lost().filter(|_| !any_root);
    let what = || format!("the {part} does not have `type: object` at its root");
    let root = root.map(|why| pair.of_some_clients(ChangeKind::RootType, what(), why));
    pair.unusable().into_iter().chain(root).collect()
}

/// Classifies changes. Knows the effect of all changes together.
struct Classifier<'s> {
    pair: Pair<'s>,
    /// The values that must still be valid. For inputs: the declared inputs of the old schema. For outputs: the old schema.
    promised: Json,
    /// The inclusion of these values in the new schema; for outputs, the reverse.
    whole: Inclusion,
    /// Like `whole`, for all values that the old schema allowed, declared or not.
    undeclared: Inclusion,
}

impl<'s> Classifier<'s> {
    fn new(pair: Pair<'s>) -> Self {
        let promised = match pair.part {
            Part::Input => declared_inputs::closed(pair.old),
            Part::Output | Part::Server | Part::Tool => pair.old.clone(),
        };
        let whole = pair.kept(&promised, pair.new);
        let undeclared = if promised == *pair.old { whole.clone() } else { pair.kept(pair.old, pair.new) };
        Self { pair, promised, whole, undeclared }
    }

    /// Returns true if there is budget left to classify a change, or none is needed.
    fn may_classify(&self) -> bool {
        self.undeclared == Inclusion::Included || !self.pair.schemas.is_spent()
    }

    /// The changes that are not listed.
    fn left_out(&self, number: usize) -> Option<Change> {
        if number == 0 {
            return None;
        }
        let what = format!("{number} more {}", if number == 1 { "change" } else { "changes" });
        let why = "they were not classified, because there are too many changes".to_owned();
        let unlisted = Some(number as u64);
        Some(Change { what, unlisted, ..self.pair.together(String::new(), Effect::Unknown, why, None) })
    }

    fn change(&self, found: &Difference) -> Change {
        let pair = self.pair;
        let (effect, why, witness) = self.effect(found);
        let (effect, why) = match pair.some_clients(found) {
            Some(clients) if effect < Effect::BreaksSomeClients => {
                (Effect::BreaksSomeClients, Some(clients.to_owned()))
            }
            Some(clients) => (effect, why.or_else(|| Some(clients.to_owned()))),
            None => (effect, why),
        };
        let is_default = found.kind == ChangeKind::Default && pair.part == Part::Input;
        let why = why.or_else(|| is_default.then(|| DEFAULT_ADDED.to_owned()));
        let missed = (effect == Effect::BreaksCallers).then(|| missed(pair.old, pair.part, found)).flatten();
        let what = format!("{}{}", found.what, missed.unwrap_or_default());
        Change {
            part: pair.part,
            pointer: found.pointer.clone(),
            kind: found.kind,
            what,
            effect,
            why,
            witness,
            unlisted: None,
        }
    }

    fn effect(&self, found: &Difference) -> (Effect, Option<String>, Option<Witness>) {
        // If all allowed values are still valid, the declared ones are.
        if self.undeclared == Inclusion::Included {
            return (Effect::Safe, None, None);
        }
        match self.alone(&self.promised, &self.whole, found) {
            Inclusion::Included => self.effect_on_undeclared(found),
            Inclusion::Unknown { .. } if self.whole == Inclusion::Included => self.effect_on_undeclared(found),
            Inclusion::Unknown { why, .. } if self.is_forgiven(found) => (Effect::Unknown, Some(why), None),
            Inclusion::Unknown { .. } => self.effect_on_undeclared(found),
            Inclusion::Excluded { .. } if self.whole == Inclusion::Included => self.effect_on_undeclared(found),
            Inclusion::Excluded { witness, pointer, message } => {
                // A value that is invalid under the whole change proves the break.
                match (
                    self.pair.witness(&self.promised, &self.whole, found, (&witness, &pointer, &message)),
                    &self.whole,
                ) {
                    (Some(witness), _) => (Effect::BreaksCallers, None, Some(witness)),
                    (None, Inclusion::Unknown { why, .. }) => (Effect::Unknown, Some(why.clone()), None),
                    (None, _) => (Effect::Unknown, Some(COMPENSATED.to_owned()), None),
                }
            }
        }
    }

    /// The effect of a change that breaks no declared input.
    fn effect_on_undeclared(&self, found: &Difference) -> (Effect, Option<String>, Option<Witness>) {
        if self.is_forgiven(found) {
            return (Effect::Safe, None, None);
        }
        let pair = self.pair;
        match self.alone(pair.old, &self.undeclared, found) {
            Inclusion::Included => (Effect::Safe, None, None),
            Inclusion::Excluded { witness, pointer, message } => {
                match pair.witness(pair.old, &self.undeclared, found, (&witness, &pointer, &message)) {
                    Some(witness) => (Effect::BreaksSomeClients, Some(UNDECLARED.to_owned()), Some(witness)),
                    None => (Effect::Unknown, Some(COMPENSATED.to_owned()), None),
                }
            }
            Inclusion::Unknown { why, .. } => (Effect::Unknown, Some(why), None),
        }
    }

    /// Checks the promised values with one difference. `all`: the answer with all differences.
    fn alone(&self, promised: &Json, all: &Inclusion, found: &Difference) -> Inclusion {
        if found.alone == *self.pair.new { all.clone() } else { self.pair.kept(promised, &found.alone) }
    }

    /// Returns true if undeclared values do not matter. They never do for outputs. For inputs, no caller could know a property that is
    /// added now.
    fn is_forgiven(&self, found: &Difference) -> bool {
        self.promised == *self.pair.old || found.kind == ChangeKind::PropertyAdded
    }

    /// The effect of all changes together, if no single change explains it.
    fn unexplained(&self, changes: &[Change]) -> Option<Change> {
        let worst = changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Safe);
        let added = changes.iter().any(|change| change.kind == ChangeKind::PropertyAdded);
        match (&self.whole, &self.undeclared) {
            (Inclusion::Excluded { witness, pointer, message }, _) if worst < Effect::BreaksCallers => {
                let why = "no single change explains the break".to_owned();
                let witness = Some(self.pair.witness_of_all(&self.promised, witness, pointer, message));
                Some(self.pair.together(pointer.clone(), Effect::BreaksCallers, why, witness))
            }
            (Inclusion::Included, Inclusion::Excluded { witness, pointer, message })
                if worst < Effect::BreaksSomeClients && !added =>
            {
                let witness = Some(self.pair.witness_of_all(self.pair.old, witness, pointer, message));
                Some(self.pair.together(pointer.clone(), Effect::BreaksSomeClients, UNDECLARED.to_owned(), witness))
            }
            (Inclusion::Unknown { pointer, why }, _) if worst == Effect::Safe => {
                Some(self.pair.together(pointer.clone(), Effect::Unknown, why.clone(), None))
            }
            (Inclusion::Included, Inclusion::Unknown { pointer, why }) if worst == Effect::Safe && !added => {
                Some(self.pair.together(pointer.clone(), Effect::Unknown, why.clone(), None))
            }
            (Inclusion::Included | Inclusion::Excluded { .. } | Inclusion::Unknown { .. }, _) => None,
        }
    }
}

impl Pair<'_> {
    /// Reports a new schema that cannot be used, if the old one could. The effect of each difference is unknown then.
    fn unusable(self) -> Option<Change> {
        if matches!(self.schemas.validity(self.old), Validity::Invalid { .. } | Validity::Dangling { .. }) {
            return None;
        }
        let (pointer, why) = match self.schemas.validity(self.new) {
            Validity::Invalid { pointer, message } => (pointer, message),
            Validity::Dangling { reason } => (String::new(), reason),
            Validity::Valid | Validity::ForeignPattern(_) | Validity::Endless { .. } | Validity::Undecided { .. } => {
                return None;
            }
        };
        let validated = if self.part == Part::Input { "every call of it" } else { "its results" };
        let what = format!("the new schema cannot be used; clients that validate reject the tool or {validated}");
        Some(Change { pointer, ..self.of_some_clients(ChangeKind::Keyword, what, &why) })
    }

    /// Checks whether the other schema is compatible with the promised one.
    pub(crate) fn kept(self, promised: &Json, other: &Json) -> Inclusion {
        match self.part {
            Part::Input => self.schemas.inclusion_of([("old", promised), ("new", other)]),
            Part::Output | Part::Server | Part::Tool => self.schemas.inclusion_of([("new", other), ("old", promised)]),
        }
    }

    /// Changes that no value and no single difference shows: the root type, and formats.
    fn unsaid(self, changes: &[Change]) -> Vec<Change> {
        let reported =
            |kind| changes.iter().any(|change| change.kind == kind && change.effect >= Effect::BreaksSomeClients);
        let mut unsaid = Vec::new();
        if let Some(why) = self.root_lost().filter(|_| !reported(ChangeKind::RootType)) {
            let what = "the root no longer has `type: object`".to_owned();
            unsaid.push(self.of_some_clients(ChangeKind::RootType, what, why));
        }
        let formats = Formats::of(self.old).zip(Formats::of(self.new));
        let more = match (&formats, self.part) {
            (None, _) => {
                let why = "the schema has too many locations to compare formats".to_owned();
                unsaid.push(self.together(String::new(), Effect::Unknown, why, None));
                None
            }
            (Some((old, new)), Part::Input) => {
                new.beyond_where_declared(old).map(|format| (format!("{format:?} was added"), FORMAT_ADDED))
            }
            (Some((old, new)), Part::Output | Part::Server | Part::Tool) => {
                old.beyond(new).map(|format| (format!("{format:?} was removed"), FORMAT_REMOVED))
            }
        };
        if let Some((what, why)) = more.filter(|_| !reported(ChangeKind::Format)) {
            unsaid.push(self.of_some_clients(ChangeKind::Format, format!("the format {what}"), why));
        }
        unsaid
    }

    fn of_some_clients(self, kind: ChangeKind, what: String, why: &str) -> Change {
        let (pointer, effect) = (String::new(), Effect::BreaksSomeClients);
        Change {
            part: self.part,
            pointer,
            kind,
            what,
            effect,
            why: Some(why.to_owned()),
            witness: None,
            unlisted: None,
        }
    }

    /// Returns which clients break because the root no longer has `type: object`.
    fn root_lost(self) -> Option<&'static str> {
        (is_object(self.old) && !is_object(self.new)).then_some(match self.part {
            Part::Input => {
                "an inputSchema must have `type: object` at its root; clients that check this lose all tools"
            }
            Part::Output | Part::Server | Part::Tool => {
                "up to 2025-11-25 an outputSchema must have `type: object` at its root; clients of these revisions lose all tools"
            }
        })
    }

    /// Returns true if another keyword says the same as a removed property: the new schema accepts nothing that the old one
    /// rejected.
    fn is_said_elsewhere(self, found: &Difference) -> bool {
        let free = self
            .at(self.old, found)
            .is_none_or(|was| self.schemas.inclusion(&Json::Bool(true), was) == Inclusion::Included);
        !free && self.schemas.inclusion(self.new, self.old) == Inclusion::Included
    }

    /// Returns the reason for which a compatible change breaks some clients. `None` if it does not.
    fn some_clients(self, found: &Difference) -> Option<&'static str> {
        match (found.kind, self.part) {
            (ChangeKind::Format, Part::Input) if self.at(self.new, found).is_some() => Some(FORMAT_ADDED),
            (ChangeKind::Format, Part::Output) if self.at(self.old, found).is_some() => Some(FORMAT_REMOVED),
            (ChangeKind::Dialect, _) if dialect(self.new) != Some(Dialect::Draft202012) => {
                Some("not every client supports the dialect; the others reject the tool, or do not validate")
            }
            (ChangeKind::RootType, _) => self.root_lost(),
            (ChangeKind::PropertyRemoved, Part::Input) if !self.is_said_elsewhere(found) => {
                Some("the server ignores it when callers send it")
            }
            // Nobody omits what is required, and null is what there is without a default.
            (ChangeKind::Default, Part::Input) if !is_required(self.old, &found.pointer) => {
                match (self.at(self.old, found)?, self.at(self.new, found)) {
                    (_, Some(_)) => Some(DEFAULT_CHANGED),
                    (Json::Null, None) => None,
                    (_, None) => Some(DEFAULT_REMOVED),
                }
            }
            (ChangeKind::Reference, _) if self.at(self.new, found).and_then(Json::as_str).is_some_and(leads_away) => {
                Some("clients must not fetch other documents; they cannot validate, and some reject the tool")
            }
            _ => None,
        }
    }

    pub(crate) fn at<'j>(self, schema: &'j Json, found: &Difference) -> Option<&'j Json> {
        schema.pointer(&found.pointer)
    }

    fn together(self, pointer: String, effect: Effect, why: String, witness: Option<Witness>) -> Change {
        let what = "all changes together".to_owned();
        Change {
            part: self.part,
            pointer,
            kind: ChangeKind::Together,
            what,
            effect,
            why: Some(why),
            witness,
            unlisted: None,
        }
    }
}

fn is_object(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("object")
}

fn leads_away(reference: &str) -> bool {
    !reference.starts_with('#')
}

/// Describes what callers miss of a property that is gone from a result.
fn missed(old: &Json, part: Part, found: &Difference) -> Option<String> {
    if (found.kind, part) != (ChangeKind::PropertyRemoved, Part::Output) {
        return None;
    }
    let (schema, name) = found.pointer.rsplit_once("/properties/")?;
    let name = name.replace("~1", "/").replace("~0", "~");
    let (before, after) = (old.pointer(schema)?.as_object()?, found.alone.pointer(schema)?.as_object()?);
    let kind = old.pointer(&found.pointer).and_then(|property| property.get("type"));
    Some(match kind {
        _ if requires(before, &name) && !requires(after, &name) => ": it may be missing now".to_owned(),
        _ if !declared_inputs::is_open(after) => ": its value is no longer declared".to_owned(),
        Some(kind) => format!(": it no longer has to be of type {}", shown(kind)),
        None => ": it may have any value now".to_owned(),
    })
}

/// Returns true if an object requires the property that has a keyword at this place.
fn is_required(root: &Json, keyword: &str) -> bool {
    let property = keyword.rsplit_once('/').and_then(|(property, _)| property.rsplit_once("/properties/"));
    property.is_some_and(|(schema, name)| {
        let name = name.replace("~1", "/").replace("~0", "~");
        root.pointer(schema).and_then(Json::as_object).is_some_and(|schema| requires(schema, &name))
    })
}

fn requires(schema: &Object, name: &str) -> bool {
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    required.iter().any(|required| required.as_str() == Some(name))
}
