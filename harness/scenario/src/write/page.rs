//! A draft as the lines of a file: keys and comments in the order of the corpus.

use std::fmt::Write as _;

use mcp_compat_json::{Json, Layout, lay_out};
use mcp_compat_model::Era;

use super::draft::{
    Answer, Beside, Draft, DraftAnswer, DraftCall, DraftCase, DraftChanges, DraftStep, DraftTool, Noted, Written,
};
use crate::scenario::{AlsoExpect, Expect, Means, SpecStance};

impl Draft {
    /// Writes the draft as a file. `stem` is the name of that file without `.toml`; files beside it are named after it.
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
            // A directive for editors, which must stay on one line.
            let path: String = schema.chars().filter(|character| !character.is_control()).collect();
            self.text.push_str(&format!("#:schema {path}\n"));
        }
        if !draft.heading.is_empty() {
            self.comment(&draft.heading);
            self.text.push('\n');
        }
        self.noted(&draft.title, |title| text_line("title", title));
        self.noted(&draft.why, |why| text_line("why", why));
        if let Some(since) = &draft.since {
            self.noted(since, |since| text_line("since", since.as_str()));
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
            self.text.push_str(&json_line("list", list));
        }
        self.words("list-without", &draft.list_without);
        self.comment(&draft.footing);
    }

    fn spec(&mut self, stance: &str, source: &str) {
        self.text.push_str(&format!("spec = {{ {stance} = {} }}\n", quoted(source)));
    }

    fn header(&mut self, name: &str) {
        self.text.push_str(&format!("\n[[{name}]]\n"));
    }

    fn tool(&mut self, header: &str, tool: &DraftTool) {
        self.header(header);
        self.noted(&tool.definition, |definition| json_line("definition", definition));
        if let Some(arguments) = &tool.arguments {
            self.noted(arguments, |arguments| json_line("arguments", arguments));
        }
        self.answer(tool.answer.as_ref());
        self.words("without", &tool.without);
        self.words("before", &tool.before);
        if let Some(other) = &tool.answers_after {
            self.text.push_str(&text_line("answers-after", other));
        }
        self.means(tool.means.as_ref());
        if let Some(control) = &tool.control {
            self.noted(control, |control| json_line("control", control));
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
        self.text.push_str(&text_line("to", to.as_str()));
        if let Some(page) = page {
            self.text.push_str(&format!("page = {page}\n"));
        }
        let line = self.answered(answer);
        self.text.push_str(&line);
    }

    fn answered(&mut self, answer: &Answer) -> String {
        match answer {
            Answer::Returns(result) => json_line("returns", result),
            Answer::Error(error) => json_line("error", error),
            Answer::Raw(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => raw_line("raw", text),
                Err(_) => text_line("raw-file", &self.file_beside(bytes)),
            },
            Answer::Hang => text_line("does", "hang"),
            Answer::Exit => text_line("does", "exit"),
        }
    }

    /// Puts bytes into a file beside the scenario, and returns its name.
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
            Means::Value(value) => json_line("means.value", &value.to_compact()),
            Means::Text(text) => text_line("means.text", text),
            Means::ToolError(words) => text_line("means.tool-error", words),
            Means::Invalid => text_line("means", "invalid"),
        });
    }

    fn also_expect(&mut self, also: &AlsoExpect) {
        if !also.blocks.is_empty() {
            let blocks = Json::Array(also.blocks.clone()).to_compact();
            self.text.push_str(&json_line("also-expect.blocks", &blocks));
        }
        if let Some(value) = &also.value {
            self.text.push_str(&json_line("also-expect.value", &value.to_compact()));
        }
    }

    fn expect(&mut self, expect: Option<&Noted<Expect>>) {
        let Some(expect) = expect else { return };
        self.noted(expect, |expect| {
            let (modern, legacy) = (expect.in_era(Era::Modern), expect.in_era(Era::Legacy));
            if modern == legacy {
                text_line("expect", modern.as_str())
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
                self.noted(tool, |tool| text_line("call", tool));
                if let Some(arguments) = arguments {
                    self.text.push_str(&json_line("arguments", arguments));
                }
                if *concurrent {
                    self.text.push_str("concurrent = true\n");
                }
                for (into, from) in args_from {
                    self.text.push_str(&text_line(&format!("args-from.{}", quoted(into)), from));
                }
                self.means(means.as_ref());
                self.also_expect(also_expect);
                self.expect(expect.as_ref());
            }
            DraftStep::Evolve { notified, tools } => {
                self.text.push_str(&text_line("evolve", if *notified { "notify" } else { "silent" }));
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
        self.noted(&case.case, |word| text_line("case", word));
        if let Some(title) = &case.title {
            self.text.push_str(&text_line("title", title));
        }
        if let Some(why) = &case.why {
            self.text.push_str(&text_line("why", why));
        }
        let DraftChanges { arguments, answer, means, expect } = &case.changes;
        if let Some(arguments) = arguments {
            self.text.push_str(&json_line("arguments", arguments));
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

/// `key = ["…", "…"]`, on one line if it fits, else one item a line.
fn list(key: &str, items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    let line = format!("{key} = [{}]\n", items.join(", "));
    if line.chars().count() <= WIDTH || items.is_empty() {
        return line;
    }
    let lines: String = items.iter().map(|item| format!("  {item},\n")).collect();
    format!("{key} = [\n{lines}]\n")
}

/// Maximum width of a line, if its JSON can be broken.
const WIDTH: usize = 110;

/// Deepest level of indentation.
const DEEPEST_INDENT: usize = 40;

/// `key = "text"`, on one line.
fn text_line(key: &str, text: &str) -> String {
    format!("{key} = {}\n", quoted(text))
}

/// `key = '''JSON'''`, over as many lines as it takes.
fn json_line(key: &str, text: &str) -> String {
    let around = key.len() + " = ''''''".len();
    let one_line = lay_out(text, Layout::OneLine).ok().filter(|line| around + line.chars().count() <= WIDTH);
    let content = one_line.unwrap_or_else(|| {
        let layout = Layout::Filled { width: WIDTH, tail: "'''".len(), deepest: DEEPEST_INDENT };
        // A text that is not JSON is written as it is.
        format!("\n{}", lay_out(text, layout).unwrap_or_else(|_| text.to_owned()))
    });
    format!("{key} = {}\n", verbatim(&content))
}

/// `key = '''text'''`, for text that is not known to be JSON.
fn raw_line(key: &str, text: &str) -> String {
    // TOML takes away a line break right after the three quotes: give it one, where there are lines.
    let content = if text.contains('\n') { format!("\n{text}") } else { text.to_owned() };
    format!("{key} = {}\n", verbatim(&content))
}

/// Quotes a text over several lines; TOML drops its first line break. Uses a literal, if one can hold the text.
fn verbatim(content: &str) -> String {
    let held = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    if content.chars().all(held) && !content.contains("'''") && !content.ends_with('\'') {
        return format!("'''{content}'''");
    }
    let mut quoted = String::from("\"\"\"");
    let mut quotes = 0;
    for character in content.chars() {
        quotes = if character == '"' { quotes + 1 } else { 0 };
        if matches!(character, '\n' | '\t') || (character == '"' && quotes < 3) {
            quoted.push(character);
        } else {
            escape(character, &mut quoted);
            quotes = 0;
        }
    }
    // A quote at the end must not merge with the closing three.
    if quotes > 0 {
        quoted.truncate(quoted.len() - quotes);
        quoted.push_str(&"\\\"".repeat(quotes));
    }
    quoted.push_str("\"\"\"");
    quoted
}

/// Quotes a text on one line.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    text.chars().for_each(|character| escape(character, &mut literal));
    literal.push('"');
    literal
}

fn escape(character: char, quoted: &mut String) {
    match character {
        '"' | '\\' => quoted.extend(['\\', character]),
        '\n' => quoted.push_str("\\n"),
        '\r' => quoted.push_str("\\r"),
        '\t' => quoted.push_str("\\t"),
        // Characters that a terminal or an editor would interpret are escaped, too.
        _ if character.is_control()
            || matches!(character, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}') =>
        {
            // Writing to a string cannot fail.
            let _ = write!(quoted, "\\u{:04X}", u32::from(character));
        }
        _ => quoted.push(character),
    }
}
