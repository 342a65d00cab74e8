//! Families: one member for each `[[case]]`, made by overriding.

use std::collections::BTreeMap;

use crate::budget::Size;
use crate::file::document::{Case, File};
use crate::file::table::{At, Field};
use crate::file::tool::Tool;
use crate::sink::{Sink, Span};

/// A file with at most one case applied to it.
pub(crate) struct Member<'f> {
    /// The word in brackets.
    pub(crate) case: Option<&'f str>,
    pub(crate) file: File,
    /// Place for messages about missing keys: the case's header, or the top of the file.
    pub(crate) header: Span,
}

/// Returns the cases of a family with distinct names, or `None` for the file itself.
pub(super) fn cases<'f>(file: &'f File, sink: &mut Sink<'_>) -> Vec<Option<&'f Case>> {
    let cases = match &file.case {
        Field::Absent => return vec![None],
        Field::Broken => return Vec::new(),
        Field::Given(cases) => cases,
    };
    if cases.value.is_empty() {
        let mistake = sink.mistake(&cases.span, "a family needs members");
        sink.report(mistake.label("expected at least one `[[case]]`"));
    }
    let mut seen = BTreeMap::new();
    let mut named = Vec::new();
    for case in &cases.value {
        let Some(name) = name(&case.value, sink) else { continue };
        if let Some(first) = seen.insert(&name.value, &name.span) {
            let mistake = sink
                .mistake(&name.span, format!("the case `{}` is there twice", name.value))
                .label("expected another word")
                .context(first.clone(), "the first one");
            sink.report(mistake);
            continue;
        }
        named.push(Some(&case.value));
    }
    named
}

/// Returns the file with a case applied to it, or unchanged.
pub(super) fn member<'f>(file: &'f File, case: Option<&'f Case>, sink: &mut Sink<'_>) -> Option<Member<'f>> {
    let Some(case) = case else { return Some(Member { case: None, file: file.clone(), header: 0..0 }) };
    if !sink.fits_budget(Size::of_bytes(file.bytes + case.file.bytes), &case.header) {
        return None;
    }
    let name = case.name.given().map(|name| name.value.as_str());
    Some(Member { case: name, file: apply(file, case, sink)?, header: case.header.clone() })
}

/// Returns the word in brackets, if it is valid there.
fn name<'f>(case: &'f Case, sink: &mut Sink<'_>) -> Option<&'f At<String>> {
    let name = case.name.given()?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.value.is_empty() && name.value.chars().all(fits) {
        return Some(name);
    }
    let mistake = sink.mistake(&name.span, "a case is named with a word of lower-case letters, digits and hyphens");
    sink.report(mistake.label("expected a word such as `zero` or `two-keys`"));
    None
}

/// Returns the file with the case's keys in place of its own.
fn apply(base: &File, case: &Case, sink: &mut Sink<'_>) -> Option<File> {
    let mut file = base.overridden_by(&case.file);
    if case.file.tool.is_absent()
        && !case.file.expect.is_absent()
        && let Field::Given(tools) = &mut file.tool
    {
        // An expectation of a case is nearer than that of the file's tool.
        tools.value.iter_mut().for_each(|tool| tool.value.expect = Field::Absent);
    }
    if case.tool.is_empty() {
        return Some(file);
    }
    let refusal = match (&case.file.tool, &file.tool) {
        (Field::Given(_) | Field::Broken, _) => "this case writes its tools itself",
        (Field::Absent, Field::Broken) => return None,
        (Field::Absent, Field::Absent) => {
            file.tool = only(case.tool.clone(), case.header.clone());
            return Some(file);
        }
        (Field::Absent, Field::Given(tools)) => match &tools.value[..] {
            [tool] => {
                file.tool = only(tool.value.overridden_by(&case.tool), tool.key.clone());
                return Some(file);
            }
            [..] => "the file does not have exactly one tool",
        },
    };
    let mistake = sink
        .mistake(&case.header, "it is not clear which tool this case means")
        .label(refusal)
        .help("write the keys of a tool directly in a case only where the file has exactly one `[[tool]]`");
    sink.report(mistake);
    None
}

fn only(tool: Tool, place: Span) -> Field<Vec<At<Tool>>> {
    let tool = At { value: tool, key: place.clone(), span: place.clone() };
    Field::Given(At { value: vec![tool], key: place.clone(), span: place })
}
