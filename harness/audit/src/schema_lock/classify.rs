//! What the differences between two schemas come to: alone, and together.

use mcp_compat_inclusion::Inclusion;
use mcp_compat_inclusion::{Conformance, Dialect, Schemas, dialect};
use mcp_compat_json::Json;
use mcp_compat_model::comparison::{Change, ChangeKind, Effect, Part, Witness};

use super::declared_inputs;
use super::differences::{self, Difference, differences};
use super::formats::Formats;

/// Why a format that is asked for breaks some clients.
const ASKED: &str = "whoever checks formats, server or client, refuses what was taken";

/// Why a format that is gone does.
const RELIED_ON: &str = "clients that check formats, or read the value by it, relied on the one that was";

/// Why a change that breaks callers alone is not said to.
const MADE_UP_FOR: &str = "alone it would break callers: the other changes may make up for it";

/// How many differences are weighed alone.
const MANY: usize = 60;

/// Two versions of a schema, and the direction in which it binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'s> {
    pub(super) schemas: &'s Schemas,
    /// Which of the two it is: of inputs whatever was sent must be taken, of outputs nothing else may become allowed.
    pub(super) part: Part,
    pub(super) old: &'s Json,
    pub(super) new: &'s Json,
}

/// The changes between two versions of a schema.
pub(super) fn classify(pair: Pair<'_>) -> Vec<Change> {
    let found = differences(pair.old, pair.new);
    // Asked even where no difference was found: that there is none is not concluded from not knowing its name.
    let classifier = Classifier::new(pair);
    let mut changes: Vec<Change> = found.iter().enumerate().map(|(at, found)| classifier.change(at, found)).collect();
    if found.len() >= differences::MANY {
        let why = "there are more differences than are told".to_owned();
        changes.push(pair.together(String::new(), Effect::Unknown, why, None));
    }
    changes.extend(classifier.unexplained(&changes));
    changes.extend(pair.unsaid(&changes));
    changes
}

/// What two versions come to as a whole.
struct Classifier<'s> {
    pair: Pair<'s>,
    /// What the promise is made to: of an input, what callers send; of an output, the old schema.
    promised: Json,
    /// Whether the promise is kept.
    whole: Inclusion,
    /// Whether it is even to those who send what the old schema only did not forbid.
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

    fn change(&self, at: usize, found: &Difference) -> Change {
        let pair = self.pair;
        let (effect, why, witness) = self.effect(at, found);
        let (effect, why) = match pair.some_clients(found) {
            Some(clients) if effect < Effect::BreaksSomeClients => {
                (Effect::BreaksSomeClients, Some(clients.to_owned()))
            }
            Some(_) | None => (effect, why),
        };
        let note = "what is done where callers leave it out may be something else";
        let why =
            why.or_else(|| (found.kind == ChangeKind::Default && pair.part == Part::Input).then(|| note.to_owned()));
        let Difference { pointer, kind, what, alone: _ } = found.clone();
        Change { part: pair.part, pointer, kind, what, effect, why, witness }
    }

    fn effect(&self, at: usize, found: &Difference) -> (Effect, Option<String>, Option<Witness>) {
        // What is included as it was written is included as well of what is sent.
        if self.undeclared == Inclusion::Included {
            return (Effect::Safe, None, None);
        }
        if at >= MANY {
            return (Effect::Unknown, Some("there are too many changes to classify each".to_owned()), None);
        }
        match self.pair.kept(&self.promised, &found.alone) {
            Inclusion::Included => self.effect_on_undeclared(found),
            Inclusion::Unknown { .. } if self.whole == Inclusion::Included => self.effect_on_undeclared(found),
            Inclusion::Unknown { why, .. } if self.is_forgiven(found) => (Effect::Unknown, Some(why), None),
            Inclusion::Unknown { .. } => self.effect_on_undeclared(found),
            Inclusion::Excluded { witness, message, .. } => match &self.whole {
                // A value that breaks the whole shows it, whatever else has changed.
                Inclusion::Excluded { .. } | Inclusion::Unknown { .. } if self.breaks(&self.promised, &witness) => {
                    (Effect::BreaksCallers, None, Some(Witness { value: witness, message }))
                }
                Inclusion::Included => self.effect_on_undeclared(found),
                Inclusion::Excluded { .. } => (Effect::Unknown, Some(MADE_UP_FOR.to_owned()), None),
                Inclusion::Unknown { why, .. } => (Effect::Unknown, Some(why.clone()), None),
            },
        }
    }

    /// What a change comes to that keeps the promise as far as callers send what is declared.
    fn effect_on_undeclared(&self, found: &Difference) -> (Effect, Option<String>, Option<Witness>) {
        if self.is_forgiven(found) {
            return (Effect::Safe, None, None);
        }
        match self.pair.kept(self.pair.old, &found.alone) {
            Inclusion::Included => (Effect::Safe, None, None),
            Inclusion::Excluded { witness, .. } if !self.breaks(self.pair.old, &witness) => {
                (Effect::Unknown, Some(MADE_UP_FOR.to_owned()), None)
            }
            Inclusion::Excluded { witness, message, .. } => {
                let why = "callers break that send more than is declared".to_owned();
                (Effect::BreaksSomeClients, Some(why), Some(Witness { value: witness, message }))
            }
            Inclusion::Unknown { why, .. } => (Effect::Unknown, Some(why), None),
        }
    }

    /// Whether what is not declared is of no account: of outputs nothing is, and of inputs nobody could know that a property
    /// may be sent from now on.
    fn is_forgiven(&self, found: &Difference) -> bool {
        self.promised == *self.pair.old || found.kind == ChangeKind::PropertyAdded
    }

    /// What the whole comes to where no change alone does.
    fn unexplained(&self, changes: &[Change]) -> Option<Change> {
        let worst = changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Safe);
        let added = changes.iter().any(|change| change.kind == ChangeKind::PropertyAdded);
        match (&self.whole, &self.undeclared) {
            (Inclusion::Excluded { witness, pointer, message }, _) if worst < Effect::BreaksCallers => {
                let why = "none of the changes does it alone, but all of them together".to_owned();
                let witness = Some(Witness { value: witness.clone(), message: message.clone() });
                Some(self.pair.together(pointer.clone(), Effect::BreaksCallers, why, witness))
            }
            (Inclusion::Included, Inclusion::Excluded { witness, pointer, message })
                if worst < Effect::BreaksSomeClients && !added =>
            {
                let why = "callers break that send more than is declared".to_owned();
                let witness = Some(Witness { value: witness.clone(), message: message.clone() });
                Some(self.pair.together(pointer.clone(), Effect::BreaksSomeClients, why, witness))
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

    /// Whether a value breaks a promise as it is now.
    fn breaks(&self, promised: &Json, value: &Json) -> bool {
        let (taken, refused) = match self.pair.part {
            Part::Input => (promised, self.pair.new),
            Part::Output | Part::Server | Part::Tool => (self.pair.new, promised),
        };
        self.pair.schemas.check(taken, value) == Conformance::Conforms
            && matches!(self.pair.schemas.check(refused, value), Conformance::Violates { .. })
    }
}

impl Pair<'_> {
    /// Whether the promise of a schema is kept by another one.
    fn kept(self, promised: &Json, other: &Json) -> Inclusion {
        match self.part {
            Part::Input => self.schemas.inclusion(promised, other),
            Part::Output | Part::Server | Part::Tool => self.schemas.inclusion(other, promised),
        }
    }

    /// What no value shows and no single change says: the root, and formats.
    fn unsaid(self, changes: &[Change]) -> Vec<Change> {
        let told =
            |kind| changes.iter().any(|change| change.kind == kind && change.effect >= Effect::BreaksSomeClients);
        let mut unsaid = Vec::new();
        if let Some(why) = self.root_lost().filter(|_| !told(ChangeKind::RootType)) {
            let what = "the root no longer says `type: object`".to_owned();
            unsaid.push(self.of_some_clients(ChangeKind::RootType, what, why));
        }
        let formats = Formats::of(self.old).zip(Formats::of(self.new));
        let more = match (&formats, self.part) {
            (None, _) => {
                let why = "there are too many places to look for formats".to_owned();
                unsaid.push(self.together(String::new(), Effect::Unknown, why, None));
                None
            }
            (Some((old, new)), Part::Input) => new
                .beyond_where_declared(old)
                .map(|format| (format!("{format:?} is asked for where it was not"), ASKED)),
            (Some((old, new)), Part::Output | Part::Server | Part::Tool) => {
                old.beyond(new).map(|format| (format!("{format:?} is no longer said where it was"), RELIED_ON))
            }
        };
        if let Some((what, why)) = more.filter(|_| !told(ChangeKind::Format)) {
            unsaid.push(self.of_some_clients(ChangeKind::Format, format!("the format {what}"), why));
        }
        unsaid
    }

    fn of_some_clients(self, kind: ChangeKind, what: String, why: &str) -> Change {
        let (pointer, effect) = (String::new(), Effect::BreaksSomeClients);
        Change { part: self.part, pointer, kind, what, effect, why: Some(why.to_owned()), witness: None }
    }

    /// Which clients break since the root is no longer said to be an object.
    fn root_lost(self) -> Option<&'static str> {
        (is_object(self.old) && !is_object(self.new)).then_some(match self.part {
            Part::Input => {
                "an inputSchema has `type: object` at its root: clients that hold servers to it lose every tool"
            }
            Part::Output | Part::Server | Part::Tool => {
                "up to 2025-11-25 a schema has `type: object` at its root: clients of these revisions lose every tool"
            }
        })
    }

    /// Whether a property that is gone says the same somewhere else: the new schema takes nothing that the old one refused.
    fn is_said_elsewhere(self, found: &Difference) -> bool {
        let free = self
            .at(self.old, found)
            .is_none_or(|was| self.schemas.inclusion(&Json::Bool(true), was) == Inclusion::Included);
        !free && self.schemas.inclusion(self.new, self.old) == Inclusion::Included
    }

    /// Which clients break over a change that breaks no promise, and why.
    fn some_clients(self, found: &Difference) -> Option<&'static str> {
        match (found.kind, self.part) {
            (ChangeKind::Format, Part::Input) if self.at(self.new, found).is_some() => Some(ASKED),
            (ChangeKind::Format, Part::Output) if self.at(self.old, found).is_some() => Some(RELIED_ON),
            (ChangeKind::Dialect, _) if dialect(self.new) != Some(Dialect::Draft202012) => {
                Some("not every client knows the dialect: those that do not refuse the tool, or do not check")
            }
            (ChangeKind::RootType, _) => self.root_lost(),
            (ChangeKind::PropertyRemoved, Part::Input) if !self.is_said_elsewhere(found) => {
                Some("callers that send it are no longer heard")
            }
            (ChangeKind::Default, Part::Input)
                if self.at(self.old, found).is_some() && self.at(self.new, found).is_some() =>
            {
                Some("callers that leave it out get something else")
            }
            (ChangeKind::Reference, _) if self.at(self.new, found).and_then(Json::as_str).is_some_and(leads_away) => {
                Some("nothing may be fetched: clients that check cannot, and some refuse the tool")
            }
            _ => None,
        }
    }

    fn at<'j>(self, schema: &'j Json, found: &Difference) -> Option<&'j Json> {
        schema.pointer(&found.pointer)
    }

    fn together(self, pointer: String, effect: Effect, why: String, witness: Option<Witness>) -> Change {
        let what = "what the changes come to together".to_owned();
        Change { part: self.part, pointer, kind: ChangeKind::Together, what, effect, why: Some(why), witness }
    }
}

fn is_object(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("object")
}

fn leads_away(reference: &str) -> bool {
    !reference.starts_with('#')
}
