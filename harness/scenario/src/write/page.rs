//! A draft as the lines of a file: keys in the order in which the corpus has them, comments in their places.

use mcp_compat_json::Json;

use mcp_compat_model::Era;

use super::draft::{Answer, Draft, DraftAnswer, DraftCall, DraftCase, DraftChanges, DraftStep, DraftTool, Noted};
use super::quoting::{self, WIDTH};
use super::written::{Beside, Written};
use crate::scenario::{AlsoExpect, Expect, Means, SpecStance};

impl Draft {
    /// The draft as a file. `stem` is the name of that file without `.toml`: files beside it are named after it.
    #[must_use]
    pub fn write(&self, stem: &str) -> Written {
        let mut page = Page { text: String::new(), stem, beside: Vec::new() };
        page.file(self);
        for answer in &self.answers {
            page.scripted_answer(answer);
        }
        for tool in &self.tools {
            page.tool("tool", tool);
        }
        for step in &self.steps {
            page.step("step", step);
        }
        for case in &self.cases {
            page.case(case);
        }
        Written { text: page.text, beside: page.beside }
    }
}

struct Page<'d> {
    text: String,
    stem: &'d str,
    beside: Vec<Beside>,
}

impl Page<'_> {
    fn file(&mut self, draft: &Draft) {
        if let Some(schema) = &draft.schema {
            // In the way of editors, not for people: it must stay on one line.
            let path: String = schema.chars().filter(|character| !character.is_control()).collect();
            self.text.push_str(&format!("#:schema {path}\n"));
        }
        if !draft.heading.is_empty() {
            self.comment(&draft.heading);
            self.text.push('\n');
        }
        self.noted(&draft.title, |title| quoting::words("title", title));
        self.noted(&draft.why, |why| quoting::words("why", why));
        if let Some(since) = &draft.since {
            self.noted(since, |since| quoting::words("since", since.as_str()));
        }
        self.noted(&draft.sources, |sources| if sources.is_empty() { String::new() } else { list("sources", sources) });
        match &draft.spec {
            None | Some(SpecStance::Clear) => {}
            Some(SpecStance::Silent { source }) => self.spec("silent", source),
            Some(SpecStance::Conflict { source }) => self.spec("conflict", source),
        }
        self.expect(draft.expect.as_ref());
        if let Some(size) = draft.page_size {
            self.text.push_str(&format!("page-size = {size}\n"));
        }
        if let Some(list) = &draft.list {
            self.text.push_str(&quoting::json("list", list));
        }
        self.words("list-without", &draft.list_without);
        self.comment(&draft.footing);
    }

    fn spec(&mut self, stance: &str, source: &str) {
        self.text.push_str(&format!("spec = {{ {stance} = {} }}\n", quoting::basic(source)));
    }

    fn header(&mut self, name: &str) {
        self.text.push_str(&format!("\n[[{name}]]\n"));
    }

    fn tool(&mut self, header: &str, tool: &DraftTool) {
        self.header(header);
        self.noted(&tool.definition, |definition| quoting::json("definition", definition));
        if let Some(arguments) = &tool.arguments {
            self.noted(arguments, |arguments| quoting::json("arguments", arguments));
        }
        self.answer(tool.answer.as_ref());
        self.words("without", &tool.without);
        self.words("before", &tool.before);
        if let Some(other) = &tool.answers_after {
            self.text.push_str(&quoting::words("answers-after", other));
        }
        self.means(tool.means.as_ref());
        if let Some(control) = &tool.control {
            self.noted(control, |control| quoting::json("control", control));
        }
        self.also_expect(&tool.also_expect);
        self.expect(tool.expect.as_ref());
        self.comment(&tool.footing);
    }

    fn answer(&mut self, answer: Option<&Noted<Answer>>) {
        let Some(answer) = answer else { return };
        let line = self.answered(&answer.value);
        self.noted(answer, |_| line);
    }

    fn scripted_answer(&mut self, DraftAnswer { to, page, answer }: &DraftAnswer) {
        self.header("answer");
        self.text.push_str(&quoting::words("to", to.as_str()));
        if let Some(page) = page {
            self.text.push_str(&format!("page = {page}\n"));
        }
        let line = self.answered(answer);
        self.text.push_str(&line);
    }

    fn answered(&mut self, answer: &Answer) -> String {
        match answer {
            Answer::Returns(result) => quoting::json("returns", result),
            Answer::Error(error) => quoting::json("error", error),
            Answer::Raw(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => quoting::raw("raw", text),
                Err(_) => quoting::words("raw-file", &self.file_beside(bytes)),
            },
            Answer::Hang => quoting::words("does", "hang"),
            Answer::Exit => quoting::words("does", "exit"),
        }
    }

    /// Puts bytes into a file beside the scenario, and gives its name.
    fn file_beside(&mut self, bytes: &[u8]) -> String {
        let name = match self.beside.len() {
            0 => format!("{}.bin", self.stem),
            others => format!("{}-{}.bin", self.stem, others + 1),
        };
        self.beside.push(Beside { name: name.clone(), bytes: bytes.to_vec() });
        name
    }

    fn means(&mut self, means: Option<&Noted<Means>>) {
        let Some(means) = means else { return };
        self.noted(means, |means| match means {
            Means::Value(value) => quoting::json("means.value", &value.to_compact()),
            Means::Text(text) => quoting::words("means.text", text),
            Means::ToolError(words) => quoting::words("means.tool-error", words),
            Means::Invalid => quoting::words("means", "invalid"),
        });
    }

    fn also_expect(&mut self, also: &AlsoExpect) {
        if !also.blocks.is_empty() {
            let blocks = Json::Array(also.blocks.clone()).to_compact();
            self.text.push_str(&quoting::json("also-expect.blocks", &blocks));
        }
        if let Some(value) = &also.value {
            self.text.push_str(&quoting::json("also-expect.value", &value.to_compact()));
        }
    }

    fn expect(&mut self, expect: Option<&Noted<Expect>>) {
        let Some(expect) = expect else { return };
        self.noted(expect, |expect| {
            let (modern, legacy) = (expect.in_era(Era::Modern), expect.in_era(Era::Legacy));
            if modern == legacy {
                quoting::words("expect", modern.as_str())
            } else {
                format!("expect = {{ modern = \"{modern}\", legacy = \"{legacy}\" }}\n")
            }
        });
    }

    fn step(&mut self, header: &str, step: &DraftStep) {
        self.header(header);
        match step {
            DraftStep::List => self.text.push_str("list = true\n"),
            DraftStep::Call(DraftCall { tool, arguments, means, also_expect, expect, concurrent, args_from }) => {
                self.noted(tool, |tool| quoting::words("call", tool));
                if let Some(arguments) = arguments {
                    self.text.push_str(&quoting::json("arguments", arguments));
                }
                if *concurrent {
                    self.text.push_str("concurrent = true\n");
                }
                for (into, from) in args_from {
                    self.text.push_str(&quoting::words(&format!("args-from.{}", quoting::basic(into)), from));
                }
                self.means(means.as_ref());
                self.also_expect(also_expect);
                self.expect(expect.as_ref());
            }
            DraftStep::Evolve { notified, tools } => {
                self.text.push_str(&quoting::words("evolve", if *notified { "notify" } else { "silent" }));
                if tools.is_empty() {
                    self.text.push_str("tool = []\n");
                }
                for tool in tools {
                    self.tool(&format!("{header}.tool"), tool);
                }
            }
        }
    }

    fn case(&mut self, case: &DraftCase) {
        self.header("case");
        self.noted(&case.case, |word| quoting::words("case", word));
        if let Some(title) = &case.title {
            self.text.push_str(&quoting::words("title", title));
        }
        if let Some(why) = &case.why {
            self.text.push_str(&quoting::words("why", why));
        }
        let DraftChanges { arguments, answer, means, expect } = &case.changes;
        if let Some(arguments) = arguments {
            self.text.push_str(&quoting::json("arguments", arguments));
        }
        self.answer(answer.as_ref());
        self.means(means.as_ref());
        self.expect(expect.as_ref());
        for tool in &case.tools {
            self.tool("case.tool", tool);
        }
        for step in &case.steps {
            self.step("case.step", step);
        }
    }

    fn words(&mut self, key: &str, words: &[String]) {
        if !words.is_empty() {
            self.text.push_str(&list(key, words));
        }
    }

    fn noted<T>(&mut self, noted: &Noted<T>, line: impl FnOnce(&T) -> String) {
        if let Some(note) = &noted.note {
            self.comment(note);
        }
        self.text.push_str(&line(&noted.value));
    }

    fn comment(&mut self, comment: &str) {
        for line in comment.lines().flat_map(|line| textwrap::wrap(line, WIDTH - 2)) {
            let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            self.text.push_str(format!("# {line}").trim_end());
            self.text.push('\n');
        }
    }
}

/// `key = ["…", "…"]`, one a line where they do not fit beside one another.
fn list(key: &str, items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoting::basic(item)).collect();
    let line = format!("{key} = [{}]\n", items.join(", "));
    if line.chars().count() <= WIDTH || items.is_empty() {
        return line;
    }
    let lines: String = items.iter().map(|item| format!("  {item},\n")).collect();
    format!("{key} = [\n{lines}]\n")
}
