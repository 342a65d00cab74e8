//! Words that the formats share: the day and the corpus of a run, numbers, and texts as XML has them.

use mcp_compat_model::count::thousands;
use mcp_compat_model::unseen::neutralised;

use crate::context::Site;

/// The day on which a run began, if it says so as RFC 3339 does.
pub(super) fn day(started: &str) -> String {
    let day: String = started.chars().take(10).filter(|c| c.is_ascii_digit() || *c == '-').collect();
    if day.len() == 10 { day } else { "no date".to_owned() }
}

/// The corpus, in as few signs as tell it from others.
pub(super) fn corpus(site: &Site<'_>) -> String {
    let short: String = site.record.corpus.chars().filter(char::is_ascii_alphanumeric).take(4).collect();
    format!("corpus {short}")
}

/// A text in XML.
pub(super) fn xml(text: &str) -> String {
    let text = neutralised(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A number with its thousands apart.
pub(super) fn number(number: usize) -> String {
    thousands(number as u64)
}

/// From how many days on a result is stale.
const STALE_DAYS: i64 = 14;

/// Whether a run began more than two weeks before the day on which the site is made.
pub(crate) fn is_stale(started: &str, today: Option<&str>) -> bool {
    let age = |today: &str| Some(number_of_day(today)? - number_of_day(&day(started))?);
    today.and_then(age).is_some_and(|days| days > STALE_DAYS)
}

/// The number of a day such as `2026-11-23`, counted from any fixed day.
fn number_of_day(day: &str) -> Option<i64> {
    let mut parts = day.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // Years that begin in March have the odd day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_stale_after_two_weeks() {
        let run = "2026-02-20T03:00:00Z";
        assert!(!is_stale(run, None) && !is_stale(run, Some("2026-02-20")) && !is_stale(run, Some("2026-03-06")));
        assert!(is_stale(run, Some("2026-03-07")) && is_stale("2023-12-31T00:00:00Z", Some("2024-03-01")));
        assert!(!is_stale("no time", Some("2026-03-07")) && !is_stale(run, Some("today")));
    }
}
