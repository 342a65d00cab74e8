//! Progress, on stderr: a bar for a person, plain lines for a log.

use anstream::eprintln;
use indicatif::{ProgressBar, ProgressStyle};
use mcp_compat::{Event, Observer};
use mcp_compat_model::verdict::Rating;

use crate::terminal;

/// How a run goes, while it goes.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    breaks: usize,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { bar: None, breaks: 0 }
    }
}

impl Observer for Progress {
    fn notice(&mut self, event: Event<'_>) {
        match event {
            Event::Started { cells } if terminal::draws_progress() => self.bar = Some(bar(cells)),
            Event::Started { cells } => eprintln!("playing {cells} cells"),
            Event::Finished(cell) => {
                self.breaks += usize::from(cell.rating == Rating::Breaks);
                if let Some(bar) = &self.bar {
                    bar.set_message(format!("{} break", self.breaks));
                    bar.inc(1);
                }
            }
            Event::Recorded { .. } => {}
            Event::Ended(_) => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
            }
        }
    }
}

fn bar(cells: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} cells  {msg}  {elapsed}");
    ProgressBar::new(cells as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// How setting up a peer goes, while it goes.
pub(crate) struct SetupProgress {
    spinner: Option<ProgressBar>,
}

impl SetupProgress {
    pub(crate) fn new() -> Self {
        Self { spinner: None }
    }

    /// A set-up began.
    pub(crate) fn started(&mut self, peer: &str) {
        if terminal::draws_progress() {
            let spinner = ProgressBar::new_spinner().with_prefix(peer.to_owned());
            let style = ProgressStyle::with_template("{spinner} setting up {prefix} (once)  {elapsed}  {wide_msg}");
            spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            self.spinner = Some(spinner);
        } else {
            eprintln!("setting up {peer} (once; it is kept)");
        }
    }

    /// It said something.
    pub(crate) fn line(&self, line: &str) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(line.trim().to_owned());
            spinner.tick();
        }
    }

    /// It is over.
    pub(crate) fn ended(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }
}
