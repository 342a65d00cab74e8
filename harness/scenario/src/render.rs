//! Diagnostics for people, in the style of `rustc`, drawn by annotate-snippets.
//!
//! A scenario file may come from a stranger. None of its control characters reaches the terminal: in the excerpt each
//! becomes one visible character, so that columns stay true; in messages it is escaped.

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_TERM_WIDTH;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use mcp_compat_model::invisible_chars::is_invisible;

use crate::{Diagnostic, Diagnostics, Severity};

/// Most mistakes shown for one file.
const SHOWN: usize = 100;

/// Most bytes shown of a sentence. It may quote the file.
const LONGEST: usize = 2_000;

impl Diagnostics {
    /// Renders the mistakes with their excerpts, with or without ANSI colours, a blank line between each two.
    ///
    /// Only the first mistakes of a file are shown, followed by the number of the others.
    ///
    /// The result depends only on the arguments; the terminal is not queried.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        self.render_within(DEFAULT_TERM_WIDTH, colour)
    }

    /// Renders as [`Diagnostics::render`] does, with lines of the excerpts cut that are much wider than the terminal.
    #[must_use]
    pub fn render_within(&self, width: usize, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.term_width(width);
        let mut excerpts: BTreeMap<&str, Excerpt> = BTreeMap::new();
        let mut page = String::new();
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        for diagnostic in self.iter() {
            let shown = shown.entry(&diagnostic.path).or_default();
            *shown += 1;
            if *shown > SHOWN {
                continue;
            }
            let excerpt = excerpts
                .entry(&diagnostic.path)
                .or_insert_with(|| Excerpt::of(self.text(&diagnostic.path).unwrap_or_default()));
            if !page.is_empty() {
                page.push('\n');
            }
            page.push_str(&renderer.render(&[group(diagnostic, excerpt)]));
            page.push('\n');
        }
        for (path, all) in shown.into_iter().filter(|(_, all)| *all > SHOWN) {
            let (more, path) = (all - SHOWN, visible(path));
            let what = if more == 1 { "mistake or warning is" } else { "mistakes and warnings are" };
            page.push_str(&format!("\n{path}: {more} more {what} not shown\n"));
        }
        page
    }
}

fn group<'e>(diagnostic: &Diagnostic, excerpt: &'e Excerpt) -> Group<'e> {
    let span = excerpt.span(&diagnostic.span);
    let context = diagnostic.context.as_ref().map(|(context, label)| (excerpt.span(context), label));
    // The renderer reads all of the text that it is given.
    let both = context.iter().fold(span.clone(), |both, (span, _)| both.start.min(span.start)..both.end.max(span.end));
    let (line, window) = excerpt.lines_of(&both);
    let within = |span: &Range<usize>| span.start - window.start..span.end - window.start;
    let primary = AnnotationKind::Primary.span(within(&span)).label(visible(&diagnostic.label));
    let context =
        context.as_ref().map(|(span, label)| AnnotationKind::Context.span(within(span)).label(visible(label)));
    let snippet = Snippet::source(&excerpt.text[window.clone()])
        .line_start(line)
        .path(visible(&diagnostic.path))
        .annotation(primary)
        .annotations(context);
    let help = diagnostic.help.iter().map(|help| Level::HELP.message(visible(help)));
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    level.primary_title(visible(&diagnostic.message)).element(snippet).elements(help)
}

/// Text of a file without control characters.
struct Excerpt {
    text: String,
    /// For each replacement: the offset after it in the original, and the offset after it here.
    moved: Vec<(usize, usize)>,
}

impl Excerpt {
    fn of(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut moved = Vec::new();
        let mut characters = original.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let ends_line = character == '\r' && characters.peek().is_some_and(|(_, next)| *next == '\n');
            if ends_line || matches!(character, '\n' | '\t') || !is_invisible(character) {
                text.push(character);
            } else {
                text.push(stand_in(character));
                moved.push((at + character.len_utf8(), text.len()));
            }
        }
        Self { text, moved }
    }

    /// Returns the corresponding span in the excerpt: within the text, on character boundaries, and not empty where
    /// possible.
    fn span(&self, original: &Range<usize>) -> Range<usize> {
        let start = self.place(original.start);
        let end = self.place(original.end).max(start);
        if start < end {
            return start..end;
        }
        match self.text[start..].chars().next() {
            Some(character) if character != '\n' && character != '\r' => start..start + character.len_utf8(),
            Some(_) | None => start..start,
        }
    }

    /// Returns the whole lines that hold a span of this text, and the number of the first one.
    fn lines_of(&self, span: &Range<usize>) -> (usize, Range<usize>) {
        let start = self.text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[span.end..].find('\n').map_or(self.text.len(), |newline| span.end + newline + 1);
        (self.text[..start].matches('\n').count() + 1, start..end)
    }

    fn place(&self, original: usize) -> usize {
        let behind = self.moved.partition_point(|(from, _)| *from <= original);
        let (from, to) = behind.checked_sub(1).map_or((0, 0), |last| self.moved[last]);
        let mut place = (to + (original - from)).min(self.text.len());
        while !self.text.is_char_boundary(place) {
            place -= 1;
        }
        place
    }
}

/// Returns the text on one line, with control characters escaped and a very long text cut.
fn visible(text: &str) -> String {
    let mut line = String::new();
    for character in text.chars() {
        if line.len() > LONGEST {
            line.push('…');
            break;
        }
        if is_invisible(character) {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// Returns the visible replacement of a character: the picture of a control character, or U+FFFD.
fn stand_in(character: char) -> char {
    match character {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}
