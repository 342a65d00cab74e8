//! Spans as lines: wrapped, and with their looks.

use anstyle::{AnsiColor, Style};

use crate::blocks::{Look, Span};

/// The text of spans, without their looks.
pub(crate) fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// Spans as lines. Words keep their looks: each is coloured on its own, after the lines are known.
pub(crate) fn wrapped(spans: &[Span], width: usize, first: &str, other: &str, colour: bool) -> Vec<String> {
    let text = plain(spans);
    let options =
        textwrap::Options::new(width.max(1)).initial_indent(first).subsequent_indent(other).break_words(false);
    let lines = textwrap::wrap(&text, options);
    if !colour {
        return lines.into_iter().map(|line| line.trim_end().to_owned()).collect();
    }
    let mut looks = spans.iter().flat_map(|span| span.text.chars().map(|c| (c, span.look))).peekable();
    let set = |(number, line): (usize, std::borrow::Cow<'_, str>)| {
        let indent = if number == 0 { first } else { other };
        let mut set = indent.to_owned();
        let mut now = Look::Plain;
        for c in line.strip_prefix(indent).unwrap_or(&line).chars() {
            // Spaces at the break of a line are gone.
            let look = loop {
                match looks.next() {
                    Some((found, look)) if found == c => break look,
                    Some(_) => {}
                    None => break Look::Plain,
                }
            };
            if look != now {
                set.push_str(&format!("{}{}", style(now).render_reset(), style(look).render()));
                now = look;
            }
            set.push(c);
        }
        format!("{set}{}", style(now).render_reset())
    };
    lines.into_iter().enumerate().map(set).collect()
}

fn style(look: Look) -> Style {
    match look {
        Look::Plain => Style::new(),
        Look::Code => AnsiColor::Cyan.on_default(),
        Look::Strong => Style::new().bold(),
        Look::Emphasis => Style::new().italic(),
    }
}

pub(crate) fn styled(text: &str, look: Style, colour: bool) -> String {
    if colour { format!("{}{text}{}", look.render(), look.render_reset()) } else { text.to_owned() }
}
