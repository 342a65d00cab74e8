//! A tool with its control.

use super::answer;
use super::answer::Answering;
use super::beside::Beside;
use super::effect::{self, Sent};
use crate::file::besides::AlsoExpect;
use crate::file::table::{At, Completeness, Field};
use crate::file::tool::Tool as Written;
use crate::file::vocabulary::Expectation;
use crate::room::Size;
use crate::scenario::{CONTROL_SUFFIX, Means, Tool};
use crate::sink::{Sink, Span};
use mcp_compat_model::peer_contract::Reply;

/// A tool of one stage.
pub(super) struct Offered<'f> {
    pub(super) tool: Tool,
    /// The same schema with a result that violates it.
    pub(super) control: Option<Control<'f>>,
    pub(super) arguments: String,
    /// What the tool means, if that is said or can be seen.
    pub(super) means: Option<Means>,
    pub(super) expect: &'f Field<Expectation>,
    pub(super) also_expect: &'f Field<AlsoExpect>,
    /// What is in the result that it returns, if it does.
    pub(super) sent: Option<Sent<'f>>,
    /// The tool that must have been answered first, and where that is written.
    pub(super) waits_for: Option<&'f At<String>>,
    /// Where the tool begins in the file.
    pub(super) header: &'f Span,
}

impl Offered<'_> {
    /// The name of the tool, and that of its control.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let control = self.control.as_ref().map(|control| control.tool.name.as_str());
        std::iter::once(self.tool.name.as_str()).chain(control)
    }
}

/// The twin of a tool.
pub(super) struct Control<'f> {
    pub(super) tool: Tool,
    /// Where it is written.
    pub(super) key: &'f Span,
}

/// Checks a tool for itself.
pub(super) fn offered<'f>(written: &'f Written, beside: Beside<'_>, sink: &mut Sink<'_>) -> Option<Offered<'f>> {
    if !sink.has_room(Size::of_entry(), &written.header) {
        return None;
    }
    let by = Answering { what: "a tool", header: &written.header, completeness: written.completeness };
    let reply = answer::reply(&written.reply, &by, beside, sink);
    if written.definition.is_absent() && written.completeness == Completeness::Whole {
        let missing =
            sink.mistake(&written.header, "a tool needs `definition`").label("`definition` is missing here").help(
                "for example: `definition = '''{\"name\": \"list_users\", \"inputSchema\": {\"type\": \"object\"}}'''`",
            );
        sink.report(missing);
    }
    let definition = &written.definition.given()?.value;
    let control = match &written.control {
        Field::Given(result) if !effect::control_is_a_success(result, sink) => return None,
        Field::Given(result) if definition.has_output_schema => {
            let name = format!("{}{CONTROL_SUFFIX}", definition.name);
            let reply = Reply::Result(result.value.text.clone());
            Some(Control { tool: Tool::new(name.clone(), definition.renamed(&name), reply), key: &result.key })
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
    let broken = [written.means.is_broken(), written.expect.is_broken(), written.also_expect.is_broken()];
    if broken.contains(&true) || !effect::result_has_what_it_goes_without(written, sink) {
        return None;
    }
    let sent = written.reply.returns.given().map(|result| Sent::of(&result.value.members));
    if !effect::besides_are_sent(&written.also_expect, sent.as_ref(), sink) {
        return None;
    }
    let tool = Tool {
        without: words(&written.without)?,
        before: match &written.before {
            Field::Given(before) => before.value.iter().map(|message| message.value.0.clone()).collect(),
            Field::Absent => Vec::new(),
            Field::Broken => return None,
        },
        answers_after: match &written.answers_after {
            Field::Given(other) => Some(other.value.clone()),
            Field::Absent => None,
            Field::Broken => return None,
        },
        ..Tool::new(&definition.name, definition.text.get(), reply?)
    };
    Some(Offered {
        tool,
        control,
        arguments,
        means: answer::means(written),
        expect: &written.expect,
        also_expect: &written.also_expect,
        sent,
        waits_for: written.answers_after.given(),
        header: &written.header,
    })
}

/// A list of words, unless it is broken.
pub(super) fn words(written: &Field<Vec<At<String>>>) -> Option<Vec<String>> {
    match written {
        Field::Given(words) => Some(words.value.iter().map(|word| word.value.clone()).collect()),
        Field::Absent => Some(Vec::new()),
        Field::Broken => None,
    }
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
