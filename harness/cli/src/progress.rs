//! Progress, on stderr: a bar for a person, plain lines for a log.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::Rating;
use mcp_compat_run::events::{Event, Observer};

use crate::output::eprintln;
use crate::signals::Writing;
use crate::terminal;

/// Interval between two progress lines in a log.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Interval between two frames of a bar or spinner.
const TURN: Duration = Duration::from_millis(120);

pub struct Progress {
    bar: ProgressBar,
    unit: Unit,
    cells: usize,
    finished: usize,
    breaks: usize,
    /// Cells that are played again, alone and with more time.
    repeats: usize,
    last_line: Instant,
    /// Held from the end of the run until the results are written, so that a signal does not lose them.
    writing: Option<Writing>,
}

impl Default for Progress {
    fn default() -> Self {
        Self::of(Unit::Cells)
    }
}

impl Progress {
    /// Creates the progress of a run whose reports call a cell `unit`.
    pub fn of(unit: Unit) -> Self {
        let bar = ProgressBar::hidden();
        Self { bar, unit, cells: 0, finished: 0, breaks: 0, repeats: 0, last_line: Instant::now(), writing: None }
    }

    /// Returns a printer of lines above the bar.
    pub fn printer(&self) -> ProgressPrinter {
        ProgressPrinter { bar: self.bar.clone() }
    }

    fn begin(&mut self, cells: usize) {
        (self.cells, self.finished, self.breaks, self.repeats, self.writing) = (cells, 0, 0, 0, None);
        self.last_line = Instant::now();
        if !terminal::draws_progress() {
            eprintln!("testing {}{}", counted(cells, self.unit.singular()), self.unit.aside());
            return;
        }
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {prefix}{msg}  {elapsed}");
        self.bar.set_prefix(format!("{}s{}", self.unit.singular(), self.unit.aside()));
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_length(cells as u64);
        // An earlier run may have finished the bar.
        self.bar.reset();
        self.bar.set_message("");
        // Setting the target again would forget the line that is drawn.
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        // The clock advances even while no cell ends, which shows that the run is alive.
        self.bar.enable_steady_tick(TURN);
    }

    fn count(&mut self, rating: Rating) {
        self.finished += 1;
        if rating == Rating::Breaks {
            self.breaks += 1;
            self.show();
        }
        self.bar.inc(1);
        if !terminal::draws_progress() && self.last_line.elapsed() >= BETWEEN_LINES {
            self.last_line = Instant::now();
            let all = counted(self.cells, self.unit.singular());
            let finished = thousands(self.finished as u64);
            eprintln!("{finished} of {all}, {}", breaking(self.breaks));
        }
    }

    /// Takes note of the cells that are played again. A log says so when no others are left.
    fn repeat(&mut self, left: usize) {
        if left == self.repeats {
            return;
        }
        let are_last = left > self.repeats && self.finished + left == self.cells;
        self.repeats = left;
        self.show();
        if are_last && !terminal::draws_progress() {
            eprintln!("{}", repeating(left));
        }
    }

    /// Shows what is to be said beside the numbers.
    fn show(&self) {
        let breaks = (self.breaks > 0).then(|| breaking(self.breaks));
        let repeats = (self.repeats > 0).then(|| repeating(self.repeats));
        self.bar.set_message(breaks.into_iter().chain(repeats).map(|part| format!(", {part}")).collect::<String>());
    }
}

/// Name of a cell in the reports of a command.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    Cells,
    /// Cell with a client that is a command. Each probe starts the command, which may take long.
    Probes,
}

impl Unit {
    const fn singular(self) -> &'static str {
        match self {
            Self::Cells => "check",
            Self::Probes => "probe",
        }
    }

    /// Hint for a person who waits, in parentheses.
    const fn aside(self) -> &'static str {
        match self {
            Self::Cells => "",
            Self::Probes => " (each starts the client)",
        }
    }
}

impl Observer for Progress {
    fn notice(&mut self, event: Event<'_>) {
        match event {
            Event::Started { cells } => self.begin(cells),
            Event::Finished(cell) => self.count(cell.rating),
            Event::Repeats { left } => self.repeat(left),
            Event::Recorded { .. } => {}
            Event::ContractViolated { peer, role, violations } => {
                let what = violations.first().map(|violation| neutralised(&violation.to_string())).unwrap_or_default();
                let more = match violations.len() {
                    0 | 1 => String::new(),
                    all => format!(" (and {} more)", all - 1),
                };
                self.printer().say(&format!("the {role} {peer} breaks the peer contract: it {what}{more}"));
            }
            Event::Ending => self.writing = Some(Writing::begin()),
            Event::Ended(_) => self.bar.finish_and_clear(),
        }
    }
}

fn breaking(cells: usize) -> String {
    if cells == 1 { "1 breaks".to_owned() } else { format!("{cells} break") }
}

fn repeating(cells: usize) -> String {
    let what = if cells == 1 { "1 check is" } else { &format!("{} checks are", thousands(cells as u64)) };
    format!("{what} repeated, each alone and with four times the time")
}

/// Prints lines to stderr while a bar may be drawn there.
pub struct ProgressPrinter {
    bar: ProgressBar,
}

impl ProgressPrinter {
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }
}

/// Progress of work whose extent is unknown.
pub struct Spinner {
    bar: ProgressBar,
}

impl Spinner {
    /// Shows what begins: as a spinner on a terminal, as a line in a log.
    pub fn start(what: &str) -> Self {
        if !terminal::draws_progress() {
            eprintln!("{what}");
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new_spinner().with_prefix(what.to_owned());
        let style = ProgressStyle::with_template("{spinner} {prefix}  {elapsed}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(TURN);
        Self { bar }
    }

    /// Prints a line above the spinner.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Shows a line beside the spinner.
    pub fn line(&self, line: &str) {
        self.bar.set_message(line.trim().to_owned());
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::is_writing;

    #[test]
    fn what_was_measured_is_being_written_from_the_end_of_the_run_on() {
        let mut progress = Progress::default();
        progress.notice(Event::Started { cells: 2 });
        assert!(!is_writing());
        progress.notice(Event::Ending);
        assert!(is_writing(), "time that runs out after a signal does not end the program now");
        progress.notice(Event::Started { cells: 2 });
        assert!(!is_writing(), "another round plays");
        progress.notice(Event::Ending);
        drop(progress);
        assert!(!is_writing());
    }
}
