//! A tool with its control.

use super::{Beside, answer};
use crate::file::table::{At, Completeness, Field};
use crate::file::tool::Tool as Written;
use crate::file::vocabulary::Expectation;
use crate::scenario::{Means, Tool};
use crate::sink::{Sink, Span};
use mcp_compat_model::contract::Reply;

/// What follows the name of a tool in that of its control.
pub(crate) const CONTROL_SUFFIX: &str = "_control";

/// A tool of one stage.
pub(super) struct Offered<'f> {
    pub(super) tool: Tool,
    /// The same schema with a result that violates it.
    pub(super) control: Option<Control<'f>>,
    pub(super) arguments: String,
    /// What the tool means, if that is said or can be seen.
    pub(super) means: Option<Means>,
    pub(super) expect: &'f Field<Expectation>,
    /// Where the tool begins in the file.
    pub(super) header: &'f Span,
}

/// The twin of a tool.
pub(super) struct Control<'f> {
    pub(super) tool: Tool,
    /// Where it is written.
    pub(super) key: &'f Span,
}

/// Checks a tool for itself.
pub(super) fn offered<'f>(written: &'f Written, beside: Beside<'_>, sink: &mut Sink<'_>) -> Option<Offered<'f>> {
    let reply = answer::reply(written, beside, sink);
    if written.definition.is_absent() && written.completeness == Completeness::Whole {
        let missing =
            sink.mistake(&written.header, "a tool needs `definition`").label("`definition` is missing here").help(
                "for example: `definition = '''{\"name\": \"list_users\", \"inputSchema\": {\"type\": \"object\"}}'''`",
            );
        sink.report(missing);
    }
    let definition = &written.definition.given()?.value;
    let control = match &written.control {
        Field::Given(result) if definition.has_output_schema => {
            let name = format!("{}{CONTROL_SUFFIX}", definition.name);
            let reply = Reply::Result(result.value.text.clone());
            Some(Control { tool: Tool { definition: definition.renamed(&name), name, reply }, key: &result.key })
        }
        Field::Given(result) => {
            refuse_control(&written.definition, result, sink);
            return None;
        }
        Field::Absent => None,
        Field::Broken => return None,
    };
    let arguments = match &written.arguments {
        Field::Given(arguments) => arguments.value.text.get().to_owned(),
        Field::Absent => "{}".to_owned(),
        Field::Broken => return None,
    };
    if written.means.is_broken() || written.expect.is_broken() {
        return None;
    }
    Some(Offered {
        tool: Tool { name: definition.name.clone(), definition: definition.text.get().to_owned(), reply: reply? },
        control,
        arguments,
        means: answer::means(written),
        expect: &written.expect,
        header: &written.header,
    })
}

fn refuse_control<D, C>(definition: &Field<D>, control: &At<C>, sink: &mut Sink<'_>) {
    let mut mistake = sink
        .mistake(&control.key, "a control without a schema to violate")
        .label("this result cannot be invalid")
        .help("give the definition an `outputSchema`, or leave the control out");
    if let Some(definition) = definition.given() {
        mistake = mistake.context(definition.key.clone(), "has no `outputSchema`");
    }
    sink.report(mistake);
}
