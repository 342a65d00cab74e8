//! What the differences between two schemas come to: alone, and together.

use mcp_compat_judge::schema::inclusion::Inclusion;
use mcp_compat_judge::schema::{Conformance, Dialect, Schemas, dialect};
use mcp_compat_model::comparison::{Change, ChangeKind, Effect, Part, Witness};
use mcp_compat_model::json::Json;

use super::differences::{self, Difference, differences};

/// How many differences are weighed alone.
const MANY: usize = 60;

/// Two versions of a schema, and the direction in which it binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'s> {
    pub(super) schemas: &'s Schemas,
    /// Which of the two it is: of inputs whatever was allowed must stay so, of outputs nothing else may become allowed.
    pub(super) part: Part,
    pub(super) old: &'s Json,
    pub(super) new: &'s Json,
}

/// The changes between two versions of a schema.
pub(super) fn weigh(pair: Pair<'_>) -> Vec<Change> {
    let found = differences(pair.old, pair.new);
    // Asked even where no difference was found: that there is none is not concluded from not knowing its name.
    let whole = pair.kept(pair.new);
    let mut changes: Vec<Change> = found.iter().enumerate().map(|(at, found)| pair.change(at, found, &whole)).collect();
    if found.len() >= differences::MANY {
        let why = "there are more differences than are told".to_owned();
        changes.push(pair.together(String::new(), Effect::Unknown, why, None));
    }
    let explained = changes.iter().any(|change| change.effect == Effect::BreaksCallers);
    match whole {
        Inclusion::Excluded { witness, pointer, message } if !explained => {
            let why = "none of the changes does it alone, but all of them together".to_owned();
            let witness = Some(Witness { value: witness, message });
            changes.push(pair.together(pointer, Effect::BreaksCallers, why, witness));
        }
        Inclusion::Unknown { pointer, why } if changes.iter().all(|change| change.effect == Effect::Safe) => {
            changes.push(pair.together(pointer, Effect::Unknown, why, None));
        }
        Inclusion::Included | Inclusion::Excluded { .. } | Inclusion::Unknown { .. } => {}
    }
    changes
}

impl Pair<'_> {
    /// Whether the promise of the old schema is kept by another one.
    fn kept(self, other: &Json) -> Inclusion {
        match self.part {
            Part::Input => self.schemas.inclusion(self.old, other),
            Part::Output | Part::Server | Part::Tool => self.schemas.inclusion(other, self.old),
        }
    }

    fn change(self, at: usize, found: &Difference, whole: &Inclusion) -> Change {
        let (effect, why, witness) = self.effect(at, found, whole);
        let (effect, why) = match self.some_clients(found) {
            Some(clients) if effect < Effect::BreaksSomeClients => {
                (Effect::BreaksSomeClients, Some(clients.to_owned()))
            }
            Some(_) | None => (effect, why),
        };
        let Difference { pointer, kind, what, alone: _ } = found.clone();
        Change { part: self.part, pointer, kind, what, effect, why, witness }
    }

    fn effect(self, at: usize, found: &Difference, whole: &Inclusion) -> (Effect, Option<String>, Option<Witness>) {
        if *whole == Inclusion::Included {
            return (Effect::Safe, None, None);
        }
        if at >= MANY {
            return (Effect::Unknown, Some("there are too many changes to weigh each".to_owned()), None);
        }
        match self.kept(&found.alone) {
            Inclusion::Included => (Effect::Safe, None, None),
            Inclusion::Unknown { why, .. } => (Effect::Unknown, Some(why), None),
            Inclusion::Excluded { witness, message, .. } => {
                // Another change may make up for this one: then the value that shows it shows nothing of the whole.
                let shows = self.breaks(&witness);
                let witness = Witness { value: witness, message };
                match whole {
                    Inclusion::Excluded { .. } if shows => (Effect::BreaksCallers, None, Some(witness)),
                    Inclusion::Excluded { .. } | Inclusion::Included => {
                        let why = "this value shows it where nothing else has changed".to_owned();
                        (Effect::BreaksCallers, Some(why), Some(witness))
                    }
                    Inclusion::Unknown { .. } if shows => (Effect::BreaksCallers, None, Some(witness)),
                    Inclusion::Unknown { why, .. } => (Effect::Unknown, Some(why.clone()), None),
                }
            }
        }
    }

    /// Whether a value breaks the promise as it is now.
    fn breaks(self, value: &Json) -> bool {
        let (taken, refused) = match self.part {
            Part::Input => (self.old, self.new),
            Part::Output | Part::Server | Part::Tool => (self.new, self.old),
        };
        self.schemas.check(taken, value) == Conformance::Conforms
            && matches!(self.schemas.check(refused, value), Conformance::Violates { .. })
    }

    /// Which clients break over a change that breaks no promise, and why.
    fn some_clients(self, found: &Difference) -> Option<&'static str> {
        match (found.kind, self.part) {
            (ChangeKind::Format, Part::Input) if self.at(self.new, found).is_some() => {
                Some("whoever checks formats, server or client, refuses what was taken")
            }
            (ChangeKind::Format, Part::Output) if self.at(self.old, found).is_some() => {
                Some("clients that check formats, or read the value by it, relied on the one that was")
            }
            (ChangeKind::Dialect, _) if dialect(self.new) != Some(Dialect::Draft202012) => {
                Some("not every client knows the dialect: those that do not refuse the tool, or do not check")
            }
            (ChangeKind::RootType, Part::Output) if is_object(self.old) && !is_object(self.new) => Some(
                "up to 2025-11-25 a schema has `type: object` at its root: clients of these revisions lose every tool",
            ),
            (ChangeKind::RootType, Part::Input) if is_object(self.old) && !is_object(self.new) => {
                Some("an inputSchema has `type: object` at its root: clients that hold servers to it lose every tool")
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
