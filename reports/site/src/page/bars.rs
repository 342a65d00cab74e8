//! Numbers of one run after the other, as bars.

use maud::{Markup, html};

/// How wide the place of a run is, and how high the highest bar.
const WIDE: usize = 8;
const HIGH: f64 = 40.0;

/// A bar for each run, the oldest first: a number, and how much of it is silent. `said` is for who cannot see it.
pub(crate) fn bars(class: &str, runs: &[(usize, usize)], said: &str) -> Markup {
    let most = most(runs);
    let high = |number: usize| number as f64 * HIGH / most as f64;
    let rect = |class: &str, place: usize, number: usize| {
        html! { rect class=(class) x=(place * WIDE) y=(format!("{:.1}", HIGH + 1.0 - high(number))) width="6" height=(format!("{:.1}", high(number))) {} }
    };
    html! {
        svg class={ "runs " (class) } viewBox=(format!("0 0 {} 42", runs.len() * WIDE)) preserveAspectRatio="xMinYMid meet" role="img" aria-label=(said) {
            @for (place, (number, silent)) in runs.iter().enumerate() {
                (rect("b", place, *number))
                @if *silent > 0 { (rect("s", place, *silent)) }
            }
        }
    }
}

/// The highest of the numbers, 1 at least.
pub(crate) fn most(runs: &[(usize, usize)]) -> usize {
    runs.iter().map(|(number, _)| *number).max().unwrap_or_default().max(1)
}
