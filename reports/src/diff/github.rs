//! Annotations of GitHub Actions for a comparison: one for each cause of what is worse.

use mcp_compat_model::diff::{Class, Diff};

use super::{example, facts, groups};
use crate::github::{Level, annotation};

/// Renders the annotations; empty if nothing is worse.
pub fn render(diff: &Diff) -> String {
    let of_group = |group: &&super::Group| {
        let change = example(diff, group)?;
        let reason = &change.telling()?.reason;
        Some(annotation(
            Level::Error,
            "worse than before",
            &format!("{reason}\n{}", facts(diff, group, change).join(" · ")),
        ))
    };
    groups(diff, Class::Worse).iter().filter_map(of_group).collect()
}
