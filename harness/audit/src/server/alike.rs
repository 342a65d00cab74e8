//! Snapshots of a tool that show the same at several revisions. Most servers say the same at all of them, so what is made
//! of a snapshot is made once for those that are alike.

use mcp_compat_model::Revision;

use super::snapshot::ToolSnapshot;

/// Makes something of each snapshot. `make` is called once for those that are alike, and must not depend on the revision.
pub(super) fn each<'s, T: Clone>(
    snapshots: impl IntoIterator<Item = &'s ToolSnapshot>,
    make: impl Fn(&'s ToolSnapshot) -> T,
) -> Vec<(&'s ToolSnapshot, T)> {
    let mut made: Vec<(&ToolSnapshot, T)> = Vec::new();
    for snapshot in snapshots {
        let known = made.iter().find(|(known, _)| known.is_alike(snapshot)).map(|(_, known)| known.clone());
        made.push((snapshot, known.unwrap_or_else(|| make(snapshot))));
    }
    made
}

/// The first snapshot that has a problem, with the problem, and the revisions of all that have one. `None` if none has.
pub(super) fn first_problem<'s, P: Clone>(
    snapshots: &'s [ToolSnapshot],
    problem: impl Fn(&'s ToolSnapshot) -> Option<P>,
) -> Option<(&'s ToolSnapshot, P, Vec<Revision>)> {
    let found = each(snapshots, problem).into_iter().filter_map(|(snapshot, problem)| Some((snapshot, problem?)));
    let found: Vec<_> = found.collect();
    let at = found.iter().map(|(snapshot, _)| snapshot.revision).collect();
    found.into_iter().next().map(|(first, problem)| (first, problem, at))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use mcp_compat_capture::CapturedTool;

    use super::*;
    use crate::server::opening::Opening;

    fn snapshot(revision: Revision, definition: &str) -> ToolSnapshot {
        let tool = CapturedTool { name: "a".to_owned(), definition: definition.to_owned() };
        ToolSnapshot { revision, tool, call: None, list: None, opening: Opening::default() }
    }

    #[test]
    fn snapshots_that_are_alike_are_looked_at_once() {
        let snapshots = [
            snapshot(Revision::V2025_03_26, "{}"),
            snapshot(Revision::V2025_06_18, "{\"b\":1}"),
            snapshot(Revision::V2025_11_25, "{\"b\":1}"),
        ];
        let looked_at = Cell::new(0);
        let problem = |snapshot: &ToolSnapshot| {
            looked_at.set(looked_at.get() + 1);
            (snapshot.tool.definition != "{}").then_some("it has a b")
        };
        let (first, words, at) = first_problem(&snapshots, problem).unwrap();
        assert_eq!((first.revision, words), (Revision::V2025_06_18, "it has a b"));
        assert_eq!(at, [Revision::V2025_06_18, Revision::V2025_11_25]);
        assert_eq!(looked_at.get(), 2);
        assert!(first_problem(&snapshots, |_| None::<()>).is_none());
    }
}
