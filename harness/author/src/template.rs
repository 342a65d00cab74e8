//! A file to be filled in, which can already be played.

use mcp_compat_scenario::write::{Answer, Draft, DraftTool, Noted};

use crate::capture::captured::{Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool};
use crate::capture::compose::{Composed, Origin, compose};
use crate::capture::{infer, sample};

/// The tool's entry in the list.
const DEFINITION: &str = r#"{"name":"get_answer","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"answer":{"type":"integer"}},"required":["answer"]}}"#;

/// The result of its call.
const RESULT: &str = r#"{"structuredContent":{"answer":42},"content":[{"type":"text","text":"{\"answer\": 42}"}]}"#;

/// A draft without a report: a file to be filled in, which can already be played.
pub fn template(sources: Vec<String>) -> Draft {
    let tool = CapturedTool { name: "get_answer".to_owned(), definition: DEFINITION.to_owned() };
    let call = CapturedCall {
        stage: 0,
        tool: "get_answer".to_owned(),
        arguments: None,
        answer: Answer::Returns(RESULT.to_owned()),
        without: Vec::new(),
    };
    let mut captured = Captured::default();
    captured.stages.push(CapturedStage { tools: vec![tool], notified: false });
    captured.requests.push(CapturedRequest::Called(call));
    let heading = "A scenario: one thing that a server does, and what a user of any client must get out of it.\n\
                   All keys are explained in scenarios/README.md of mcp-compat.";
    let Composed { mut draft, .. } = compose(&captured, Origin { heading: heading.to_owned(), sources });
    draft.title.note = Some("What it is about, in a line.".to_owned());
    draft.footing = "The first revision in which a server may do this; without it 2025-06-18.\n\
                     since = \"2026-07-28\"\n\
                     Where the specification is not clear, the page that should say it:\n\
                     spec = { silent = \"https://…\" }\n\
                     The least that a user must get, where it is not the usual:\n\
                     expect = { modern = \"intact\", legacy = \"text\" }"
        .to_owned();
    if let Some(tool) = draft.tools.first_mut() {
        tool.definition.note = Some("The tool's entry in tools/list, pasted as it stands.".to_owned());
        if let Some(answer) = &mut tool.answer {
            answer.note = Some(
                "The result of a call, pasted as it stands; a JSON-RPC error is given as error = '''{…}'''.".to_owned(),
            );
        }
        tool.footing = "The arguments of the call, if it has any:\n\
                        arguments = '''{\"id\": 1}'''\n\
                        What the tool means, where its result shows something else: \"invalid\", or one of\n\
                        means.value = '''JSON''', means.text = \"words\", means.tool-error = \"words\""
            .to_owned();
    }
    add_controls(&mut draft);
    draft
}

/// Gives every tool whose value conforms a control: the same schema with a value that violates it.
pub(super) fn add_controls(draft: &mut Draft) {
    let taken: Vec<String> = draft.tools.iter().filter_map(name).collect();
    for tool in &mut draft.tools {
        let twin = name(tool).map(|name| format!("{name}_control"));
        if twin.is_none_or(|twin| taken.contains(&twin)) {
            continue;
        }
        let Some(Answer::Returns(result)) = tool.answer.as_ref().map(|answer| &answer.value) else { continue };
        let reading = infer::read(&tool.definition.value, &Answer::Returns(result.clone()));
        let wrong = reading.conforming.and_then(|(schema, value)| sample::violating(&schema, &value));
        if let Some(wrong) = wrong {
            let result = format!(r#"{{"structuredContent":{},"content":[]}}"#, wrong.to_compact());
            let note = "A result that violates the schema: a client that takes this too checks nothing.";
            tool.control = Some(Noted::with(result, note));
        }
    }
}

fn name(tool: &DraftTool) -> Option<String> {
    CapturedTool::of(&tool.definition.value).map(|tool| tool.name)
}
