//! Objects: which members there must be, which there may be, and what each of them is.
//!
//! Of the members that there may be, three kinds are looked at: each that some schema names; for each pattern, those
//! that match it and are not named; and those that are not named and match no pattern. Every member is of one of them.

use std::collections::BTreeSet;

use mcp_compat_json::{Json, Object};

use super::{Proof, Prover, doubt, is_2020};
use crate::inclusion::case::Case;
use crate::inclusion::document::Node;

impl<'d> Prover<'d> {
    /// Shows a keyword of a goal for objects.
    pub(super) fn object_keyword(&mut self, case: &Case<'d>, goal: &Node<'d>, keyword: &str) -> Proof {
        let unshown = |why: &str| doubt(goal, Some(keyword), why);
        let wanted = goal.count(keyword);
        match keyword {
            "required" => {
                let known = case.required();
                let missing = strings(goal.get(keyword)).find(|name| !known.contains(name));
                missing.map_or(Ok(()), |name| unshown(&format!("{name:?} may be missing")))
            }
            "minProperties" if wanted.is_none_or(|wanted| least_members(case) < wanted) => {
                unshown("there may be fewer members")
            }
            "maxProperties" if wanted.is_none_or(|wanted| most_members(case).is_none_or(|most| most > wanted)) => {
                unshown("there may be more members")
            }
            "properties" | "patternProperties" | "additionalProperties" => self.members(case, goal, keyword),
            "unevaluatedProperties" if is_2020(goal.dialect()) => match goal.further_members() {
                Some(_) => self.members(case, goal, keyword),
                None => unshown("what is evaluated elsewhere is not reasoned about"),
            },
            "propertyNames" => self.names(case, goal),
            "dependentRequired" if is_2020(goal.dialect()) => self.dependent_required(case, goal),
            "dependentSchemas" if is_2020(goal.dialect()) => {
                goal.named(keyword).into_iter().try_for_each(|(name, part)| match self.is_impossible(case, name) {
                    true => Ok(()),
                    false => self.entails_in(case, super::Type::Object, &part),
                })
            }
            // Ajv knows it in every dialect.
            "dependencies" => unshown("dependencies are not reasoned about"),
            _ => Ok(()),
        }
    }

    /// Shows one of the keywords that speak of members.
    fn members(&mut self, case: &Case<'d>, goal: &Node<'d>, keyword: &str) -> Proof {
        let known = case.names();
        let own: BTreeSet<&str> = goal.named("properties").into_iter().map(|(name, _)| name).collect();
        let patterns = goal.named("patternProperties");
        match keyword {
            "properties" => goal.named(keyword).iter().try_for_each(|(name, part)| {
                let premises = self.member(case, name);
                self.entails_inside(&premises, part)
            }),
            "patternProperties" => patterns.iter().try_for_each(|(pattern, part)| {
                for name in known.union(&own) {
                    if self.matches(goal.dialect(), pattern, name) != Some(false) {
                        let premises = self.member(case, name);
                        self.entails_inside(&premises, part)?;
                    }
                }
                self.entails_inside(&matching(case, pattern), part)
            }),
            _ => {
                let Some(further) = goal.further_members() else { return Ok(()) };
                for name in known.difference(&own) {
                    if patterns.iter().all(|(pattern, _)| self.matches(goal.dialect(), pattern, name) != Some(true)) {
                        let premises = self.member(case, name);
                        self.entails_inside(&premises, &further)?;
                    }
                }
                for pattern in
                    case.holds.iter().flat_map(|node| node.named("patternProperties")).map(|(pattern, _)| pattern)
                {
                    if patterns.iter().all(|(other, _)| *other != pattern) {
                        self.entails_inside(&matching(case, pattern), &further)?;
                    }
                }
                self.entails_inside(&unnamed(case), &further)
            }
        }
    }

    /// Shows `propertyNames`, for each name that is known and for all others.
    fn names(&mut self, case: &Case<'d>, goal: &Node<'d>) -> Proof {
        let Some(wanted) = goal.part("propertyNames") else { return Ok(()) };
        let known: Vec<Node<'d>> = case.holds.iter().filter_map(|node| node.part("propertyNames")).collect();
        if !known.is_empty() && self.entails_inside(&known, &wanted).is_ok() {
            return Ok(());
        }
        for name in case.names().union(&case.required()) {
            if self.takes(&wanted, &(*name).into()) != Some(true) && !self.is_impossible(case, name) {
                return doubt(goal, Some("propertyNames"), &format!("there may be a member {name:?}"));
            }
        }
        let patterns: Vec<_> = case.holds.iter().flat_map(|node| node.named("patternProperties")).collect();
        if patterns.iter().all(|(pattern, _)| self.is_void(&matching(case, pattern))) && self.is_void(&unnamed(case)) {
            return Ok(());
        }
        doubt(goal, Some("propertyNames"), "there may be members of any name")
    }

    fn dependent_required(&mut self, case: &Case<'d>, goal: &Node<'d>) -> Proof {
        let known = case.required();
        let Some(dependent) = goal.get("dependentRequired").and_then(Json::as_object) else { return Ok(()) };
        for (name, wanted) in dependent.iter() {
            let Some(name) = name.as_str() else { continue };
            let as_well = case
                .holds
                .iter()
                .filter_map(|node| node.get("dependentRequired")?.get(name))
                .flat_map(|list| strings(Some(list)));
            let known: BTreeSet<&str> = known.iter().copied().chain(as_well).collect();
            if strings(Some(wanted)).any(|wanted| !known.contains(wanted)) && !self.is_impossible(case, name) {
                return doubt(goal, Some("dependentRequired"), &format!("{name:?} may be there alone"));
            }
        }
        Ok(())
    }

    /// Returns the schemas of the member with this name.
    pub(in super::super) fn member(&mut self, case: &Case<'d>, name: &str) -> Vec<Node<'d>> {
        let mut known = Vec::new();
        for node in &case.holds {
            known.extend(self.member_parts(node, name).0);
            if let Some(names) = node.part("propertyNames")
                && self.takes(&names, &name.into()) == Some(false)
            {
                known.push(names.nothing());
            }
        }
        known
    }

    /// Returns true if there is certainly no member with this name.
    fn is_impossible(&mut self, case: &Case<'d>, name: &str) -> bool {
        let known = self.member(case, name);
        self.is_void(&known)
    }

    /// Returns true if no object can have its required members.
    pub(super) fn object_contradicts(&mut self, case: &Case<'d>) -> bool {
        most_members(case).is_some_and(|most| least_members(case) > most)
            || case.required().into_iter().any(|name| self.is_impossible(case, name))
    }
}

/// Returns the schemas of a member that is not named and matches a pattern.
fn matching<'d>(case: &Case<'d>, pattern: &str) -> Vec<Node<'d>> {
    let known = |node: &Node<'d>| {
        // It may match any other pattern as well, so nothing follows from those.
        match node.get("patternProperties").and_then(Json::as_object).is_none_or(Object::is_empty) {
            true => node.further_members(),
            false => node.under("patternProperties", pattern),
        }
    };
    case.holds.iter().filter_map(known).collect()
}

/// Returns the schemas of a member that is not named and matches no pattern.
fn unnamed<'d>(case: &Case<'d>) -> Vec<Node<'d>> {
    case.holds.iter().filter_map(Node::further_members).collect()
}

fn least_members(case: &Case<'_>) -> u64 {
    case.most("minProperties").unwrap_or(0).max(case.required().len() as u64)
}

/// Largest number of members. A closed object has no more members than names.
fn most_members(case: &Case<'_>) -> Option<u64> {
    let closed = |node: &Node<'_>| {
        let closed = node.further_members().is_some_and(|part| part.truth() == Some(false));
        let named = node.named("properties").len() as u64;
        (closed && node.named("patternProperties").is_empty()).then_some(named)
    };
    case.least("maxProperties").into_iter().chain(case.holds.iter().filter_map(closed)).min()
}

fn strings<'v>(list: Option<&'v Json>) -> impl Iterator<Item = &'v str> + use<'v> {
    list.and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str)
}
