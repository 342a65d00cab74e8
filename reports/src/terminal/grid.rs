//! Grid of entries below the names of their columns. The names may stand on stairs, and a mark may stand to the right
//! of its column, which table libraries do not support.

use std::ops::Range;

use mcp_compat_model::PeerId;

use crate::page::Page;
use crate::style::Tone;

/// Mark after entries with silent breaks.
const MARK: &str = "!";

/// Distance of a name on the stairs from its line.
const LANDING: usize = 1;

/// Layout of a grid.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Number of blanks between columns; the first may hold a mark.
    gap: usize,
    /// True if the names of the columns stand on stairs, rather than side by side.
    stairs: bool,
}

impl Layout {
    /// The names side by side.
    pub(super) const BESIDE: Self = Self { gap: 2, stairs: false };
    pub(super) const STAIRS: Self = Self { gap: 2, stairs: true };
    /// The names on stairs, the columns as close as they get.
    pub(super) const TIGHT: Self = Self { gap: 1, stairs: true };
}

/// Content of a row in a column.
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) tone: Option<Tone>,
    /// True if it gets the mark.
    pub(super) silent: bool,
}

impl Entry {
    pub(super) fn toned(text: String, tone: Tone) -> Self {
        Self { text, tone: Some(tone), silent: false }
    }
}

/// Row of the grid.
pub(super) struct Row<'a> {
    pub(super) label: &'a str,
    pub(super) entries: Vec<Entry>,
}

/// Rows of entries below the names of their columns.
pub(super) struct Grid<'a> {
    names: Vec<&'a str>,
    rows: Vec<Row<'a>>,
    /// Width of the entries of each column.
    widths: Vec<usize>,
    /// True if an entry of the column would stand right after the mark of the column before.
    crowded: Vec<bool>,
}

impl<'a> Grid<'a> {
    /// Creates a grid with a column for each peer.
    pub(super) fn new(peers: &[&'a PeerId], rows: Vec<Row<'a>>) -> Self {
        let width = |place: usize| {
            let entries = rows.iter().filter_map(|row| row.entries.get(place));
            entries.map(|entry| entry.text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..peers.len()).map(width).collect();
        let meet = |pair: &[Entry], place: usize| pair[0].silent && pair[1].text.chars().count() == widths[place];
        let is_crowded = |place: usize| {
            place > 0 && rows.iter().any(|row| row.entries.get(place - 1..=place).is_some_and(|pair| meet(pair, place)))
        };
        let crowded = (0..peers.len()).map(is_crowded).collect();
        Self { names: peers.iter().map(|peer| peer.as_str()).collect(), rows, widths, crowded }
    }

    /// Returns whether the whole grid fits the width.
    pub(super) fn fits(&self, layout: Layout, width: usize) -> bool {
        self.width(&(0..self.names.len()), layout) <= width
    }

    /// Writes the grid, in as many parts as the width of the page asks for.
    pub(super) fn write(&self, page: &mut Page, layout: Layout) {
        for part in self.parts(layout, page.width()) {
            self.write_part(page, &part, layout);
            page.blank();
        }
    }

    /// Splits the columns into parts that fit the width, of the same size if possible.
    fn parts(&self, layout: Layout, width: usize) -> Vec<Range<usize>> {
        let all = self.names.len();
        let mut parts = vec![];
        let mut start = 0;
        for place in 1..all {
            if self.width(&(start..place + 1), layout) > width {
                parts.push(start..place);
                start = place;
            }
        }
        parts.push(start..all);
        let size = all.div_ceil(parts.len());
        let even: Vec<_> = (0..all).step_by(size.max(1)).map(|start| start..(start + size).min(all)).collect();
        if even.iter().all(|part| self.width(part, layout) <= width) { even } else { parts }
    }

    fn width(&self, part: &Range<usize>, layout: Layout) -> usize {
        self.ends(part, layout).last().map_or(0, |end| end + MARK.len())
    }

    /// Position at which each column of a part ends, without the mark.
    ///
    /// The labels before them are as wide as the widest of them, and wide enough for the names on the stairs, which
    /// end above their columns and begin above the labels.
    fn ends(&self, part: &Range<usize>, layout: Layout) -> Vec<usize> {
        let mut end = 0;
        let column = |place: usize| {
            let name = if layout.stairs { 0 } else { self.names[place].len() };
            let gap = if self.crowded[place] { layout.gap.max(MARK.len() + 1) } else { layout.gap };
            end += gap + self.widths[place].max(name);
            end
        };
        let ends: Vec<usize> = part.clone().map(column).collect();
        let mut labels = self.rows.iter().map(|row| row.label.len()).max().unwrap_or(0);
        if layout.stairs {
            for (place, end) in part.clone().zip(&ends) {
                labels = labels.max((self.names[place].len() + LANDING + 1).saturating_sub(*end));
            }
        }
        ends.iter().map(|end| labels + end).collect()
    }

    fn write_part(&self, page: &mut Page, part: &Range<usize>, layout: Layout) {
        let ends = self.ends(part, layout);
        if layout.stairs {
            self.write_stairs(page, part, &ends);
        } else {
            let mut line = Line::default();
            for (place, end) in part.clone().zip(&ends) {
                line.put(*end, self.names[place], &page.paint(Tone::Strong, self.names[place]));
            }
            page.line(&line.text);
        }
        for row in &self.rows {
            let entries = &row.entries[part.clone()];
            let mut line = Line::default();
            line.put(row.label.len(), row.label, row.label);
            for (entry, end) in entries.iter().zip(&ends) {
                let mark = if entry.silent { MARK } else { "" };
                let text = format!("{}{mark}", entry.text);
                let painted = entry.tone.map_or_else(|| text.clone(), |tone| page.paint(tone, &text));
                line.put(end + mark.len(), &text, &painted);
            }
            page.line(&line.text);
        }
    }

    /// Writes the names, the last on top, each with a line down to its column.
    fn write_stairs(&self, page: &mut Page, part: &Range<usize>, ends: &[usize]) {
        for (step, place) in part.clone().enumerate().rev() {
            let mut line = Line::default();
            line.put(ends[step] - 1 - LANDING, self.names[place], self.names[place]);
            line.put(ends[step], "┐", &page.paint(Tone::Aside, "┐"));
            for end in &ends[step + 1..] {
                line.put(*end, "│", &page.paint(Tone::Aside, "│"));
            }
            page.line(&line.text);
        }
    }
}

/// Line on which texts are put from left to right.
#[derive(Default)]
struct Line {
    text: String,
    /// Number of columns that are used.
    used: usize,
}

impl Line {
    /// Puts a text, as it is painted, so that it ends at a column.
    fn put(&mut self, end: usize, text: &str, painted: &str) {
        let blanks = end.saturating_sub(self.used + text.chars().count());
        self.text.push_str(&" ".repeat(blanks));
        self.text.push_str(painted);
        self.used = self.used.max(end);
    }
}
