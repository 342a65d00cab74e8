//! Members of the result of `tools/list` beside the tools. A client that rejects them loses all tools, so they are
//! replayed with each tool, where they are not what a mock sends.

use std::sync::Arc;

use mcp_compat_json::{Json, JsonString, Object};
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};
use mcp_compat_model::shapes::{LIST, Official, mismatches};
use mcp_compat_model::{Era, Revision};
use mcp_compat_scenario::Scenario;
use serde_json::value::RawValue;

use super::session_results::{SessionResults, shortened};

/// The members that a modern server must send, and that a mock adds.
const REQUIRED: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// Members of the result of `tools/list` that are not as a mock sends them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListMembers {
    sent: Object,
    missing: Vec<String>,
    /// Cursor with which every page leads to itself.
    leads_back: Option<String>,
}

impl ListMembers {
    /// Reads the members of all pages of a session. `None` if there are none, or no list came.
    pub(super) fn of(results: &SessionResults<'_>, revision: Revision) -> Option<Arc<Self>> {
        Self::of_pages(results.of("tools/list").filter_map(Json::as_object), revision).map(Arc::new)
    }

    fn of_pages<'p>(pages: impl Iterator<Item = &'p Object>, revision: Revision) -> Option<Self> {
        let (mut sent, mut missing): (Vec<(JsonString, Json)>, Vec<String>) = <_>::default();
        let mut next: Option<&str> = None;
        for page in pages {
            let named = page.get("nextCursor").and_then(Json::as_str);
            // A page that names the same next page as the one before leads to itself.
            let is_endless = named.is_some() && named == next;
            next = named;
            if let Some(cursor) = named.filter(|_| is_endless)
                && sent.iter().all(|(known, _)| known.as_str() != Some("nextCursor"))
            {
                sent.push((JsonString::from("nextCursor"), Json::from(cursor)));
            }
            let odd = page.iter().filter_map(|(key, value)| Some((key.as_str()?, value)));
            for (key, value) in odd.filter(|(key, value)| !is_usual(key, value)) {
                // All pages are played as one, and null is what most clients take.
                match sent.iter_mut().find(|(known, _)| known.as_str() == Some(key)) {
                    Some((_, known)) if known.is_null() => *known = shortened(key, value),
                    Some(_) => {}
                    None => sent.push((JsonString::from(key), shortened(key, value))),
                }
            }
            let required = REQUIRED.iter().filter(|key| revision.era() == Era::Modern && !page.contains_key(key));
            missing.extend(required.map(|key| (*key).to_owned()));
        }
        missing.sort();
        missing.dedup();
        missing.retain(|key| sent.iter().all(|(known, _)| known.as_str() != Some(key.as_str())));
        let found = Self { sent: sent.into_iter().collect(), missing, leads_back: None };
        (!found.is_empty()).then_some(found)
    }

    /// The members of a list that leads back to itself by this cursor.
    pub(super) fn leading_back(list: Option<&Self>, cursor: &str) -> Arc<Self> {
        let list = list.cloned().unwrap_or(Self { sent: Object::default(), missing: Vec::new(), leads_back: None });
        Arc::new(Self { leads_back: Some(cursor.to_owned()), ..list })
    }

    fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.missing.is_empty() && self.leads_back.is_none()
    }

    /// Without those that are null and optional. `None` if none is.
    pub(super) fn without_nulls(&self) -> Option<Self> {
        let kept: Object = self
            .sent
            .iter()
            .filter(|(key, value)| !value.is_null() || key.as_str().is_some_and(|key| REQUIRED.contains(&key)))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        (kept != self.sent).then(|| Self { sent: kept, ..self.clone() })
    }

    /// Without those of another type than the schema of the revision has, but for nulls. `None` if none is.
    pub(super) fn without_wrong(&self, revision: Revision) -> Option<Self> {
        let sent = Json::Object(self.sent.clone());
        let wrong = mismatches(&Official(revision), &LIST, &sent);
        let wrong: Vec<&str> = wrong
            .iter()
            .filter(|mismatch| !mismatch.is_dispensable_null())
            .filter_map(|mismatch| mismatch.pointer.strip_prefix('/'))
            .collect();
        let is_kept = |key: &str| !wrong.contains(&key);
        let kept = self.sent.iter().filter(|(key, _)| key.as_str().is_none_or(is_kept));
        let sent = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
        (!wrong.is_empty()).then(|| Self { sent, ..self.clone() })
    }

    /// With the `resultType` that is missing. `None` if it is not.
    pub(super) fn with_result_type(&self) -> Option<Self> {
        let missing: Vec<String> = self.missing.iter().filter(|key| *key != "resultType").cloned().collect();
        (missing != self.missing).then(|| Self { missing, ..self.clone() })
    }

    /// Lets the server of a scenario list its tools with them.
    pub(super) fn give(&self, scenario: &mut Scenario) {
        scenario.list = (!self.sent.is_empty()).then(|| Json::Object(self.sent.clone()).to_compact());
        scenario.list_without.clone_from(&self.missing);
        if let (Some(cursor), Some(stage)) = (&self.leads_back, scenario.stages.first()) {
            let tools: Vec<&str> = stage.tools.iter().map(|tool| tool.definition.as_str()).collect();
            let cursor = Json::from(cursor.as_str()).to_compact();
            let page = format!("{{\"tools\":[{}],\"nextCursor\":{cursor}}}", tools.join(","));
            if let Ok(page) = RawValue::from_string(page) {
                let (to, reply) = (AnsweredMethod::ListTools, Reply::Result(page));
                scenario.answers.push(ScriptedAnswer { to, page: None, reply });
            }
        }
    }
}

/// Returns whether a mock sends the like of it, or clients ignore it.
fn is_usual(key: &str, value: &Json) -> bool {
    let is_count = || value.as_number().is_some_and(|number| number.lexeme().parse::<u32>().is_ok());
    match key {
        "nextCursor" => value.as_str().is_some(),
        "_meta" => value.as_object().is_some(),
        "resultType" => value.as_str() == Some("complete"),
        "ttlMs" => is_count(),
        "cacheScope" => matches!(value.as_str(), Some("public" | "private")),
        // Clients ignore members that they do not know.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const USUAL: &str = r#""tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"public","_meta":{}"#;

    #[rstest]
    #[case::a_next_page(r#""nextCursor":"2""#, None)]
    #[case::null_for_no_page(r#""nextCursor":null"#, Some(r#"{"nextCursor":null}"#))]
    #[case::a_member_that_clients_do_not_know(r#""total":null"#, None)]
    fn what_a_mock_does_not_send_is_found(#[case] page: &str, #[case] sent: Option<&str>) {
        let found = of(&[&format!("{{{page},{USUAL}}}")], Revision::V2026_07_28);
        let found = found.map(|found| (Json::Object(found.sent).to_compact(), found.missing));
        assert_eq!(found, sent.map(|sent| (sent.to_owned(), Vec::new())));
    }

    #[test]
    fn a_page_that_leads_to_itself_is_played() {
        let page = r#"{"tools":[],"nextCursor":"2"}"#;
        let found = of(&[page, page, page], Revision::V2025_11_25).unwrap();
        assert_eq!(Json::Object(found.sent).to_compact(), r#"{"nextCursor":"2"}"#);
        assert_eq!(of(&[page, r#"{"tools":[],"nextCursor":"3"}"#, r#"{"tools":[]}"#], Revision::V2025_11_25), None);
    }

    #[test]
    fn a_wrong_hint_is_found() {
        let page = r#"{"tools":[],"resultType":"complete","ttlMs":-1,"cacheScope":"all"}"#;
        let found = of(&[page], Revision::V2026_07_28).unwrap();
        assert_eq!(Json::Object(found.sent).to_compact(), r#"{"ttlMs":-1,"cacheScope":"all"}"#);
    }

    #[test]
    fn only_a_modern_list_lacks_cache_hints() {
        let page = r#"{"tools":[],"resultType":"complete"}"#;
        assert_eq!(of(&[page], Revision::V2025_11_25), None);
        assert_eq!(of(&[page], Revision::V2026_07_28).unwrap().missing, ["cacheScope", "ttlMs"]);
    }

    #[test]
    fn the_last_page_counts_too() {
        let found =
            of(&[r#"{"tools":[],"nextCursor":"2"}"#, r#"{"tools":[],"nextCursor":null}"#], Revision::V2025_11_25);
        let found = found.unwrap();
        assert_eq!(Json::Object(found.sent.clone()).to_compact(), r#"{"nextCursor":null}"#);
        assert!(found.without_nulls().unwrap().is_empty());
    }

    #[test]
    fn what_is_required_is_not_left_out() {
        let page = r#"{"tools":[],"resultType":"complete","ttlMs":null,"cacheScope":"public"}"#;
        assert_eq!(of(&[page], Revision::V2026_07_28).unwrap().without_nulls(), None);
    }

    #[test]
    fn wrong_types_are_left_out_apart_from_nulls() {
        let page = r#"{"tools":[],"nextCursor":null,"_meta":[]}"#;
        let found = of(&[page], Revision::V2025_11_25).unwrap().without_wrong(Revision::V2025_11_25).unwrap();
        assert_eq!(Json::Object(found.sent.clone()).to_compact(), r#"{"nextCursor":null}"#);
        assert_eq!(found.without_wrong(Revision::V2025_11_25), None);
    }

    #[test]
    fn of_several_pages_the_value_that_fewer_clients_take_is_played() {
        let pages = [r#"{"tools":[],"_meta":null}"#, r#"{"tools":[],"_meta":[]}"#];
        for pages in [[pages[0], pages[1]], [pages[1], pages[0]]] {
            let found = of(&pages, Revision::V2025_11_25).unwrap();
            assert_eq!(Json::Object(found.sent).to_compact(), r#"{"_meta":[]}"#);
        }
    }

    #[rstest]
    #[case::digits("5", true)]
    #[case::fraction("5.0", false)]
    #[case::beyond_a_word("99999999999999999999", false)]
    #[case::negative("-1", false)]
    fn a_time_that_some_client_does_not_read_is_unusual(#[case] time: &str, #[case] expected: bool) {
        assert_eq!(is_usual("ttlMs", &Json::parse(time).unwrap()), expected);
    }

    fn of(pages: &[&str], revision: Revision) -> Option<ListMembers> {
        let pages: Vec<Json> = pages.iter().map(|page| Json::parse(page).unwrap()).collect();
        ListMembers::of_pages(pages.iter().filter_map(Json::as_object), revision)
    }
}
