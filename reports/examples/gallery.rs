//! Prints a report of a made-up run, to be looked at; or renders ten thousand cells and says how long that takes.
//!
//! ```text
//! cargo run -p mcp-compat-reports --example gallery -- terminal 80 colour
//! cargo run -p mcp-compat-reports --example gallery --release -- speed
//! ```

#[path = "../tests/reports/fixture.rs"]
mod fixture;

use std::error::Error;
use std::io::Write as _;

use mcp_compat_reports::view::View;
use mcp_compat_reports::{Record, Style, cell, junit, markdown, terminal};

const USAGE: &str = "expected terminal|small|baseline|markdown|junit|cell|speed [WIDTH] [colour]";

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let width = words.iter().find_map(|word| word.parse().ok()).unwrap_or(80);
    let style = Style { colour: words.iter().any(|word| word == "colour"), width };
    let large = || fixture::Run::large(60).record();
    let small = || fixture::Run::small().record();
    let text = match words.first().map(String::as_str) {
        Some("terminal") => terminal::render(&View::of(&large()), terminal::Shown::EVERYTHING, style),
        Some("small") => terminal::render(&View::of(&small()), terminal::Shown::EVERYTHING, style),
        Some("baseline") => {
            terminal::render(&View::of(&fixture::with_baseline(small())), terminal::Shown::EVERYTHING, style)
        }
        Some("markdown") => markdown::render(&View::of(&fixture::with_baseline(large()))),
        Some("junit") => junit::render(&fixture::with_baseline(small()))?,
        Some("cell") => shown(&small(), style),
        Some("speed") => speed(style)?,
        Some(_) | None => return Err(USAGE.into()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn shown(record: &Record, style: Style) -> String {
    let id = "root-type/array::ardent@2.0.1+auto::mock/dual::http";
    let scenario = fixture::scenario("root-type/array");
    cell::render(fixture::found(record, id), Some(&scenario), &fixture::evidence(id), style)
}

/// Time that each format takes for about ten and twenty thousand cells.
#[expect(clippy::disallowed_methods, reason = "the crate has no clock, but here its speed is measured")]
fn speed(style: Style) -> Result<String, Box<dyn Error>> {
    let mut lines = String::new();
    for scenarios in [20, 40] {
        let record = fixture::with_baseline(fixture::Run::large(scenarios).record());
        let mut timed =
            |name: &str, render: &dyn Fn() -> Result<String, Box<dyn Error>>| -> Result<(), Box<dyn Error>> {
                let begun = std::time::Instant::now();
                let bytes = render()?.len();
                let took = begun.elapsed();
                lines.push_str(&format!("{name:<9} {} cells, {bytes} bytes in {took:?}\n", record.cells.len()));
                Ok(())
            };
        timed("terminal", &|| Ok(terminal::render(&View::of(&record), terminal::Shown::EVERYTHING, style)))?;
        timed("markdown", &|| Ok(markdown::render(&View::of(&record))))?;
        timed("junit", &|| Ok(junit::render(&record)?))?;
    }
    Ok(lines)
}
