//! Values that show what one change breaks, with all the other changes made.

use mcp_compat_json::Json;
use mcp_compat_model::comparison::{Part, Witness};
use mcp_compat_schema::inclusion::{Conformance, Inclusion, Schemas};

use crate::schema_lock::classify::Pair;
use crate::schema_lock::differences::Difference;
use crate::schema_lock::keywords::shown;

impl Pair<'_> {
    /// A value that shows what a change breaks: promised before, and not kept now because of this change. `alone`: a value
    /// that is not kept with this change alone. `all`: whether the promised values are kept with all changes.
    pub(crate) fn witness(
        self,
        promised: &Json,
        all: &Inclusion,
        found: &Difference,
        alone: (&Json, &str, &str),
    ) -> Option<Witness> {
        let (value, pointer, message) = alone;
        if self.breaks(promised, value) {
            let refusing = if self.part == Part::Input { &found.alone } else { promised };
            return Some(self.said(refusing, value, pointer, message));
        }
        // The other changes allow no such value. Another one may be there: the one that shows what all changes break, if it
        // is refused because of this one.
        let is_input = self.part == Part::Input;
        let undone = (!is_input).then(|| found.undone_in(self.new));
        let refusing = undone.as_ref().unwrap_or(&found.alone);
        if let Inclusion::Excluded { witness, .. } = all
            && let Conformance::Violates { schema_pointer, message, .. } = self.schemas.check(refusing, witness)
        {
            return Some(self.said(refusing, witness, &schema_pointer, &message));
        }
        // Or one that all the other changes do not allow.
        let undone = undone.as_ref()?;
        match self.kept(undone, self.new) {
            Inclusion::Excluded { witness, pointer, message } if self.breaks(promised, &witness) => {
                Some(self.said(undone, &witness, &pointer, &message))
            }
            Inclusion::Included | Inclusion::Excluded { .. } | Inclusion::Unknown { .. } => None,
        }
    }

    /// The value that shows what all changes break. `pointer` and `message`: what the refusing schema has against it.
    pub(crate) fn witness_of_all(self, promised: &Json, value: &Json, pointer: &str, message: &str) -> Witness {
        self.said(if self.part == Part::Input { self.new } else { promised }, value, pointer, message)
    }

    /// Returns true if a value was valid and no longer is; for outputs, the reverse.
    fn breaks(self, promised: &Json, value: &Json) -> bool {
        let (taken, refused) = match self.part {
            Part::Input => (promised, self.new),
            Part::Output | Part::Server | Part::Tool => (self.new, promised),
        };
        self.schemas.check(taken, value) == Conformance::Conforms
            && matches!(self.schemas.check(refused, value), Conformance::Violates { .. })
    }

    fn said(self, refusing: &Json, value: &Json, pointer: &str, message: &str) -> Witness {
        let forbidden = forbidden(self.schemas, refusing, value, pointer, message);
        Witness { value: value.clone(), message: forbidden.unwrap_or_else(|| message.to_owned()) }
    }
}

/// Describes what `not` forbids, as it is written in the schema: the validator's message shows the schema as the validator reads it.
fn forbidden(schemas: &Schemas, refusing: &Json, value: &Json, pointer: &str, message: &str) -> Option<String> {
    // Most messages are of other keywords.
    if !pointer.ends_with("/not") {
        return None;
    }
    match schemas.check(refusing, value) {
        Conformance::Violates { instance_pointer, schema_pointer, keyword, message: said }
            if keyword == "not" && said == message =>
        {
            let (part, schema) = (value.pointer(&instance_pointer)?, refusing.pointer(&schema_pointer)?);
            Some(format!("{} matches {}, which `not` forbids", shown(part), shown(schema)))
        }
        Conformance::Violates { .. } | Conformance::Conforms | Conformance::Undecided { .. } => None,
    }
}
