//! Tables: columns as wide as their words, and the widest ones wrapped where that is more than the terminal has.

use textwrap::core::display_width;

use crate::blocks::Span;
use crate::lines::{plain, wrapped};

/// What stands between columns.
const GAP: &str = "  ";

/// No column is narrower, if its words are longer.
const LEAST: usize = 12;

/// Sets a table; its first row is the head.
pub(crate) fn table(rows: &[Vec<Vec<Span>>], width: usize, colour: bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths = widths(rows, columns, width);
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        if number == 0 && row.iter().all(|cell| plain(cell).trim().is_empty()) {
            continue;
        }
        text.push_str(&set(row, &widths, colour));
        if number == 0 {
            let lines: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| "-".repeat(display_width(&plain(cell)).min(*width)))
                .collect();
            let padded: Vec<String> =
                lines.iter().zip(&widths).map(|(line, width)| format!("{line:<width$}")).collect();
            text.push_str(padded.join(GAP).trim_end());
            text.push('\n');
        }
    }
    text
}

/// The widths of the columns: those that they want, until the table is too wide. Then the widest gives first.
fn widths(rows: &[Vec<Vec<Span>>], columns: usize, width: usize) -> Vec<usize> {
    let of_cell = |row: &Vec<Vec<Span>>, column: usize| row.get(column).map_or(0, |cell| display_width(&plain(cell)));
    let wanted = |column| rows.iter().map(|row| of_cell(row, column)).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns).map(wanted).collect();
    let there_is = width.saturating_sub(GAP.len() * columns.saturating_sub(1));
    while widths.iter().sum::<usize>() > there_is {
        let Some(widest) = widths.iter_mut().max() else { break };
        if *widest <= LEAST {
            break;
        }
        *widest -= 1;
    }
    widths
}

fn set(row: &[Vec<Span>], widths: &[usize], colour: bool) -> String {
    let cells: Vec<(Vec<String>, Vec<String>)> = row
        .iter()
        .zip(widths)
        .map(|(cell, width)| (wrapped(cell, *width, "", "", false), wrapped(cell, *width, "", "", colour)))
        .collect();
    let height = cells.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
    let mut text = String::new();
    for number in 0..height {
        let mut line = String::new();
        for ((plain, coloured), width) in cells.iter().zip(widths) {
            let empty = String::new();
            let shown = coloured.get(number).unwrap_or(&empty);
            let taken = plain.get(number).map_or(0, |plain| display_width(plain));
            line.push_str(shown);
            line.push_str(&" ".repeat(width.saturating_sub(taken) + GAP.len()));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
