//! Lists of `show`: names and their titles, in two columns.

use mcp_compat_model::invisible_chars::neutralised;
use textwrap::core::display_width;

use crate::page::Page;
use crate::style::{Style, Tone};

/// Number of blanks between the columns.
const GAP: usize = 2;

/// Renders the rows. The first column is as wide as the widest name; the title of a name that takes more than half of
/// the page goes below it.
pub fn table(rows: &[(String, String)], style: Style) -> String {
    let rows: Vec<(String, String)> =
        rows.iter().map(|(name, title)| (neutralised(name), neutralised(title))).collect();
    let half = (style.width / 2).saturating_sub(GAP);
    let fitting = rows.iter().map(|(name, _)| display_width(name)).filter(|width| *width <= half);
    let column = fitting.max().unwrap_or(0);
    let mut page = Page::new(style);
    for (name, title) in &rows {
        let painted = page.paint(Tone::Strong, name);
        let width = display_width(name);
        if width <= column {
            page.paragraph(&format!("{painted}{:blanks$}", "", blanks = column + GAP - width), title);
        } else {
            page.line(&painted);
            page.paragraph(&" ".repeat(column + GAP), title);
        }
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_stand_below_each_other_and_long_names_alone() {
        let rows = [
            ("root-type/array", "An array at the root, which older clients do not expect"),
            ("drift/told", "A tool changes"),
            ("root-type/primitive-with-a-long-name[zero]", "A number"),
        ];
        let rows = rows.map(|(name, title)| (name.to_owned(), title.to_owned()));
        insta::assert_snapshot!(table(&rows, Style::plain(44)), @r"
        root-type/array  An array at the root, which
                         older clients do not expect
        drift/told       A tool changes
        root-type/primitive-with-a-long-name[zero]
                         A number
        ");
    }

    #[test]
    fn an_empty_list_is_an_empty_line() {
        assert_eq!(table(&[], Style::plain(80)), "\n");
    }
}
