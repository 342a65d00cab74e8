//! The ids of many cells by their parts: `scenario::client::server::transport`.
//!
//! A pattern of four parts selects a cell if each part selects that of the cell: an id has three double colons, so those of
//! the pattern stand for them, and no star reaches beyond one. To compare the parts takes hundreds of comparisons where the
//! ids are tens of thousands.

use std::collections::HashMap;

use mcp_compat_model::suggestions::near;

use crate::glob::Glob;

const PARTS: usize = 4;

/// The names in each part of the ids, and which of them each id has.
pub(super) struct IdParts<'c> {
    names: [Vec<&'c str>; PARTS],
    ids: Vec<[usize; PARTS]>,
}

/// Tells the ids that a pattern selects.
pub(super) struct Selector<'p> {
    ids: &'p [[usize; PARTS]],
    /// True if each name of each part is selected.
    selected: [Vec<bool>; PARTS],
}

impl<'c> IdParts<'c> {
    /// `None` if an id has more parts or fewer.
    pub(super) fn of(ids: impl Iterator<Item = &'c str>) -> Option<Self> {
        let mut names: [Vec<&str>; PARTS] = Default::default();
        let mut places: [HashMap<&str, usize>; PARTS] = Default::default();
        let mut found = Vec::new();
        for id in ids {
            let parts: [&str; PARTS] = id.split("::").collect::<Vec<_>>().try_into().ok()?;
            let mut of_id = [0; PARTS];
            for (at, part) in parts.into_iter().enumerate() {
                of_id[at] = *places[at].entry(part).or_insert_with(|| {
                    names[at].push(part);
                    names[at].len() - 1
                });
            }
            found.push(of_id);
        }
        Some(Self { names, ids: found })
    }

    /// The pattern with the nearest name in the place of each part that no id has, if there is one. `None` if the pattern
    /// cannot be taken apart.
    pub(super) fn nearest(&self, glob: &Glob) -> Option<Option<String>> {
        let Selector { selected, .. } = self.selector(glob)?;
        let parts = glob.as_str().split("::").zip(&self.names).zip(&selected);
        let mut meant = Vec::new();
        for ((part, names), selected) in parts {
            let name = if selected.contains(&true) {
                Some(part)
            } else {
                near(part, names.iter().copied(), 1).first().copied()
            };
            meant.extend(name);
        }
        let nearest = Some(meant.join("::")).filter(|_| meant.len() == PARTS);
        // Each name is near to what was written; the four together may be of no id.
        let is_of_one = |nearest: &String| {
            let glob = Glob::new(nearest).ok();
            let selector = glob.as_ref().and_then(|glob| self.selector(glob));
            selector.is_some_and(|selector| (0..self.ids.len()).any(|place| selector.selects(place)))
        };
        Some(nearest.filter(is_of_one))
    }

    /// `None` if the pattern cannot be taken apart: it has other parts, or double colons within braces. Two stars have a
    /// meaning of their own at the beginning of a pattern.
    pub(super) fn selector(&self, glob: &Glob) -> Option<Selector<'_>> {
        if glob.as_str().contains("**") {
            return None;
        }
        let parts: [&str; PARTS] = glob.as_str().split("::").collect::<Vec<_>>().try_into().ok()?;
        let mut selected: [Vec<bool>; PARTS] = Default::default();
        for ((selected, names), part) in selected.iter_mut().zip(&self.names).zip(parts) {
            // A brace that is cut in two cannot be read.
            let glob = Glob::new(part).ok()?;
            *selected = names.iter().map(|name| glob.is_of(name)).collect();
        }
        Some(Selector { ids: &self.ids, selected })
    }
}

impl Selector<'_> {
    /// Returns true if the pattern selects the id in this place.
    pub(super) fn selects(&self, place: usize) -> bool {
        self.ids[place].iter().zip(&self.selected).all(|(name, selected)| selected[*name])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_select_what_the_whole_pattern_selects() {
        let mut ids = Vec::new();
        for scenario in ["a/x", "a/x[one]", "b/y-z"] {
            for client in ["mock/dual+auto", "mock/dual", "rmcp@3.9.0+legacy", "é"] {
                for server in ["mock/dual", "mock/dual/wrap"] {
                    ids.extend(
                        ["http", "stdio"].map(|transport| format!("{scenario}::{client}::{server}::{transport}")),
                    );
                }
            }
        }
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let parts = IdParts::of(ids.iter().copied()).unwrap();
        for pattern in [
            "*::*::*::*",
            "*x*::*::*::http",
            "a/x::mock/dual::mock/dual::*",
            "a/x[one]::rmcp@*::{mock/dual,other}::{http,stdio}",
            "?/x::?::*l::*",
            "*y*::mock/*+auto::*wrap::stdi?",
            "nothing::*::*::*",
            "::::::",
        ] {
            let glob = Glob::new(pattern).unwrap();
            let selector = parts.selector(&glob).unwrap();
            for (place, id) in ids.iter().enumerate() {
                assert_eq!(selector.selects(place), glob.matches(id), "{pattern} {id}");
            }
        }
    }

    #[test]
    fn each_part_that_nothing_has_is_corrected() {
        let parts = IdParts::of(
            ["class/object::mock/dual::rmcp@3.9.0::http", "class/array::mock/dual::mock/dual::http"].into_iter(),
        );
        let parts = parts.unwrap();
        for (pattern, nearest) in [
            ("class/objct::mock/dual::*::*", Some("class/object::mock/dual::*::*")),
            ("class/objct::mock/duel::*::htp", Some("class/object::mock/dual::*::http")),
            ("class/array::*::rmcp@*::*", None),
            ("class/object::unlike::*::*", None),
            ("class/objct::*::mock/dual::*", None),
        ] {
            assert_eq!(parts.nearest(&Glob::new(pattern).unwrap()), Some(nearest.map(str::to_owned)), "{pattern}");
        }
        assert_eq!(parts.nearest(&Glob::new("class/objct::*").unwrap()), None);
    }

    #[test]
    fn what_has_other_parts_is_not_taken_apart() {
        let parts = IdParts::of(["a::b::c::d"].into_iter()).unwrap();
        for pattern in
            ["*", "a::*", "*::*::*::*::*", "{a::b,x}::c::d", "a::b::{c::d,e}", "{a,b::c}::d::e::f", "*::**/dual::*::*"]
        {
            let glob = Glob::new(pattern).unwrap();
            assert!(parts.selector(&glob).is_none(), "{pattern}");
        }
        assert!(IdParts::of(["a::b::c::d", "a::b"].into_iter()).is_none());
    }
}
