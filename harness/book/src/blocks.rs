//! Markdown as blocks: what has to be set, without how.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A piece of text with its emphasis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) look: Look,
}

/// How a piece of text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Code,
    Strong,
    Emphasis,
}

/// A block. `depth` is how many lists it is in; `mark` stands before the first line of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Heading { level: usize, spans: Vec<Span> },
    Text { depth: usize, mark: Option<String>, spans: Vec<Span> },
    Code { depth: usize, text: String },
    Table { rows: Vec<Vec<Vec<Span>>> },
    Rule,
}

/// What is open while the events of the parser are read.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    spans: Vec<Span>,
    /// The number of the next item of each open list, if it has numbers.
    lists: Vec<Option<u64>>,
    mark: Option<String>,
    looks: Vec<Look>,
    /// The address of the open link.
    link: Option<String>,
    code: Option<String>,
    rows: Vec<Vec<Vec<Span>>>,
}

/// The blocks of a page.
pub(crate) fn blocks(markdown: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        reader.read(event);
    }
    reader.blocks
}

impl Reader {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the book needs a few kinds of events, and the parser has many")]
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push(&text, self.looks.last().copied().unwrap_or(Look::Plain)),
            },
            Event::Code(text) => self.push(&text, Look::Code),
            Event::SoftBreak | Event::HardBreak => self.push(" ", Look::Plain),
            Event::Rule => self.blocks.push(Block::Rule),
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "as above")]
    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::List(first) => {
                self.finish_text();
                self.lists.push(first);
            }
            Tag::Item => {
                self.mark = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    Some(None) | None => "- ".to_owned(),
                });
            }
            Tag::Strong => self.looks.push(Look::Strong),
            Tag::Emphasis => self.looks.push(Look::Emphasis),
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.into_string()),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.finish_text();
                self.code = Some(String::new());
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "as above")]
    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                let spans = std::mem::take(&mut self.spans);
                self.blocks.push(Block::Heading { level: level as usize, spans });
            }
            TagEnd::Paragraph | TagEnd::Item => self.finish_text(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Strong | TagEnd::Emphasis => {
                self.looks.pop();
            }
            TagEnd::Link => {
                let address = self.link.take().filter(|address| address.contains("://"));
                let is_shown = |address: &String| self.spans.last().is_some_and(|span| span.text == *address);
                if let Some(address) = address.filter(|address| !is_shown(address)) {
                    self.push(&format!(" ({address})"), Look::Plain);
                }
            }
            TagEnd::CodeBlock => {
                let text = self.code.take().unwrap_or_default();
                self.blocks.push(Block::Code { depth: self.lists.len(), text });
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.blocks.push(Block::Table { rows: std::mem::take(&mut self.rows) }),
            _ => {}
        }
    }

    fn push(&mut self, text: &str, look: Look) {
        self.spans.push(Span { text: text.to_owned(), look });
    }

    fn finish_text(&mut self) {
        let spans = std::mem::take(&mut self.spans);
        if !spans.is_empty() {
            self.blocks.push(Block::Text { depth: self.lists.len(), mark: self.mark.take(), spans });
        }
    }
}
