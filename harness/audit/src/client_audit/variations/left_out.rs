//! Tools that a client leaves out of a list for their shape: their definitions have in common what no definition has of
//! the tools that it takes. Pure.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::Json;

use super::played::{Played, tells_of_an_error};

/// Number of tools from which on a client takes the tools of a list, and does not call one that it knows.
const TAKES: usize = 3;

/// Longest name that hosts take which have a limit.
const LONG: usize = 64;

/// Place of the keywords of an inputSchema that are in no parameter.
const ROOT: &str = "at the root of the inputSchema";

/// Property of a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feature {
    /// A parameter has no `type`.
    Untyped,
    /// This stands in the place of the type of a parameter.
    Instead(&'static str),
    /// Another one, in words.
    Other(String),
}

/// Tools that a client leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) listed: usize,
    /// The features that only these tools have, each with the tools that none before has.
    pub(super) shapes: Vec<(Feature, Vec<String>)>,
    /// All features that only these tools have.
    features: BTreeSet<Feature>,
    /// The ids of the variations that list these tools.
    pub(super) variations: Vec<String>,
    /// Line in which the client says so.
    pub(super) told: Option<String>,
}

impl LeftOut {
    pub(super) fn tools(&self) -> impl Iterator<Item = &String> {
        self.shapes.iter().flat_map(|(_, tools)| tools)
    }

    /// A feature in words.
    pub(super) fn words(&self, feature: &Feature) -> String {
        let kinds =
            self.features.iter().filter_map(|it| if let Feature::Instead(kind) = it { Some(*kind) } else { None });
        match feature {
            Feature::Untyped => {
                let kinds: Vec<&str> = kinds.collect();
                format!("a parameter without `type` ({} in its place)", kinds.join(", "))
            }
            Feature::Instead(kind) => format!("{kind} in the place of the type of a parameter"),
            Feature::Other(words) => words.clone(),
        }
    }

    /// Returns true if a tool has such a shape.
    pub(super) fn explains(&self, tool: &Json) -> bool {
        features(tool).iter().any(|feature| self.features.contains(feature))
    }
}

/// The tools that a client leaves out of these lists. `None` if it takes all, chooses some, or nothing tells them apart.
pub(super) fn left_out<'p>(lists: impl IntoIterator<Item = &'p Played> + Clone) -> Option<LeftOut> {
    let lists = || lists.clone().into_iter().filter(|seen| seen.listed());
    let taken: BTreeSet<String> = lists().flat_map(taken).collect();
    let tools: BTreeMap<&str, &Json> =
        lists().flat_map(|seen| &seen.tools).filter_map(|tool| Some((tool.get("name")?.as_str()?, tool))).collect();
    let (known, others): (Vec<_>, Vec<_>) = tools.iter().partition(|(name, _)| taken.contains(**name));
    if known.len() < TAKES || others.is_empty() || others.len() * 2 > tools.len() {
        return None;
    }
    let common: BTreeSet<Feature> = known.iter().flat_map(|(_, tool)| features(tool)).collect();
    let twins: BTreeSet<String> = known.iter().map(|(name, _)| alike(name)).collect();
    let own = |name: &str, tool: &Json| {
        let is_twin = twins.contains(&alike(name));
        let twin =
            is_twin.then(|| Feature::Other("a name that is that of a taken tool but for `.`, `-` or `_`".to_owned()));
        let own = features(tool).into_iter().filter(|it| !common.contains(it));
        own.chain(twin).collect::<Vec<_>>()
    };
    let mut rest: Vec<(String, Vec<Feature>)> =
        others.iter().map(|(name, tool)| ((**name).to_owned(), own(name, tool))).collect();
    if rest.iter().any(|(_, own)| own.is_empty()) {
        return None;
    }
    let all: BTreeSet<Feature> = rest.iter().flat_map(|(_, own)| own.clone()).collect();
    let mut shapes = Vec::new();
    while let Some(feature) = most_frequent(&rest) {
        let (of_it, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, own)| own.contains(&feature));
        shapes.push((feature, of_it.into_iter().map(|(name, _)| name).collect()));
        rest = others;
    }
    let mut found = LeftOut { listed: tools.len(), shapes, features: all, ..LeftOut::default() };
    let names: Vec<String> = found.tools().cloned().collect();
    let is_about = |line: &&str| names.iter().any(|name| has_word(line, name));
    found.told = lists().flat_map(|seen| seen.errors_beside(None)).find(is_about).map(str::to_owned);
    Some(found)
}

/// A name as hosts write it that take only letters, digits and `_`.
fn alike(name: &str) -> String {
    name.replace(['.', '-'], "_")
}

/// The feature that most of these tools have. The first of several.
fn most_frequent(tools: &[(String, Vec<Feature>)]) -> Option<Feature> {
    let number = |feature: &Feature| tools.iter().filter(|(_, own)| own.contains(feature)).count();
    tools.iter().flat_map(|(_, own)| own).rev().max_by_key(|feature| number(feature)).cloned()
}

/// The names of the tools that a client called, or that it printed if it calls only some.
fn taken(seen: &Played) -> Vec<String> {
    let called = seen.tools_called();
    if called.len() >= TAKES {
        return called.into_iter().collect();
    }
    let lines = seen.end.output.lines().filter(|line| !tells_of_an_error(line));
    let lines: Vec<String> = lines.map(alike).collect();
    let names = seen.tools.iter().filter_map(|tool| tool.get("name")?.as_str());
    let is_taken = |name: &&str| called.contains(*name) || lines.iter().any(|line| is_printed(line, name));
    names.filter(is_taken).map(str::to_owned).collect()
}

/// Returns true if a line, as hosts write names, has a name, or the beginning of a long one.
fn is_printed(line: &str, name: &str) -> bool {
    let name = alike(name);
    has_word(line, &name) || name.char_indices().nth(CUT).is_some_and(|(end, _)| line.contains(&name[..end]))
}

/// Number of characters after which programs may cut a name.
const CUT: usize = 20;

/// Returns true if a name stands in a line, and not as the part of a longer one.
fn has_word(line: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_-".contains(c));
    line.match_indices(name)
        .any(|(at, _)| !is_part(line[..at].chars().next_back()) && !is_part(line[at + name.len()..].chars().next()))
}

/// Features of a definition, those that say most first.
fn features(tool: &Json) -> Vec<Feature> {
    let mut found = Vec::new();
    let schema = tool.get("inputSchema").unwrap_or(&Json::Null);
    let parameters = || members(schema.get("properties"));
    let instead: BTreeSet<&str> = parameters().filter_map(|(_, parameter)| without_type(parameter)).collect();
    if !instead.is_empty() {
        found.push(Feature::Untyped);
        found.extend(instead.into_iter().map(Feature::Instead));
    }
    let mut words = Vec::new();
    for (name, parameter) in parameters() {
        if parameter.get("properties").is_some() {
            words.push("a parameter that is an object with `properties`".to_owned());
        }
        of_schema(parameter, "in a parameter", &mut words);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_plain) {
            words.push(format!("a parameter named `{name}`"));
        }
    }
    of_schema(schema, ROOT, &mut words);
    if schema.get("properties").is_none() {
        words.push("an inputSchema without `properties`".to_owned());
    }
    of_name(tool.get("name").and_then(Json::as_str).unwrap_or_default(), &mut words);
    match tool.get("description").map(|it| it.as_str().unwrap_or_default()) {
        None => words.push("no `description`".to_owned()),
        Some("") => words.push("an empty `description`".to_owned()),
        Some(text) if !text.is_ascii() => words.push("a `description` that is not ASCII".to_owned()),
        Some(_) => {}
    }
    let of_tool = members(Some(tool)).filter(|(key, _)| !["name", "description", "inputSchema"].contains(key));
    words.extend(of_tool.map(|(key, _)| format!("`{key}`")));
    found.extend(words.into_iter().map(Feature::Other));
    found
}

fn of_name(name: &str, words: &mut Vec<String>) {
    if name.contains('-') {
        words.push("a name with hyphens".to_owned());
    }
    if name.contains(|c: char| c.is_ascii_uppercase()) {
        words.push("a name with capitals".to_owned());
    }
    if name.contains('.') {
        words.push("a name with dots".to_owned());
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        words.push("a name that begins with a digit".to_owned());
    }
    if name.len() > LONG {
        words.push(format!("a name of more than {LONG} characters"));
    }
}

/// Thing that stands in the place of the type of a parameter. `None` if it has a type.
fn without_type(parameter: &Json) -> Option<&'static str> {
    let has = |key: &str| parameter.get(key).is_some();
    if parameter.as_object().is_none() || ["type", "anyOf", "oneOf", "allOf"].into_iter().any(has) {
        return None;
    }
    let instead = [("$ref", "`$ref`"), ("const", "`const`"), ("enum", "`enum`"), ("not", "`not`")];
    Some(instead.into_iter().find(|(key, _)| has(key)).map_or("nothing", |(_, words)| words))
}

/// Features of a schema, and those of the schemas inside it.
fn of_schema(schema: &Json, place: &str, words: &mut Vec<String>) {
    const PLAIN: [&str; 5] = ["type", "properties", "required", "description", "title"];
    const INSIDE: &str = "inside a parameter";
    if schema.as_bool().is_some() {
        words.push(format!("a schema that is `true` or `false` {place}"));
    }
    if schema.get("type").is_some_and(|kind| kind.as_array().is_some()) {
        words.push(format!("a list as `type` {place}"));
    }
    words.extend(
        members(Some(schema)).filter(|(key, _)| !PLAIN.contains(key)).map(|(key, _)| format!("`{key}` {place}")),
    );
    let one = ["items", "additionalProperties", "not"].into_iter().filter_map(|key| schema.get(key));
    let several = ["anyOf", "oneOf", "allOf", "prefixItems"].into_iter().filter_map(|key| schema.get(key)?.as_array());
    one.chain(several.flatten()).for_each(|inner| of_schema(inner, INSIDE, words));
    if place != ROOT {
        members(schema.get("properties")).for_each(|(_, inner)| of_schema(inner, INSIDE, words));
    }
}

fn members(value: Option<&Json>) -> impl Iterator<Item = (&str, &Json)> {
    let members = value.and_then(Json::as_object).into_iter().flat_map(|object| object.iter());
    members.filter_map(|(key, value)| Some((key.as_str()?, value)))
}

#[cfg(test)]
mod tests {
    use super::super::played::tests::listing;
    use super::*;

    const TOOLS: [(&str, &str); 5] = [
        ("plain", r#"{"type":"object","properties":{"t":{"type":"string","default":""}}}"#),
        ("empty", r#"{"type":"object","properties":{}}"#),
        ("bounded", r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}"#),
        ("with_ref", r##"{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}"##),
        ("any", r#"{"type":"object","properties":{"v":{},"t":{"type":"string","default":""}}}"#),
    ];

    fn found(called: &[&str], output: &str) -> Option<LeftOut> {
        left_out([&listing(&TOOLS, called, output)])
    }

    #[test]
    fn tools_that_are_left_out_for_their_shape_are_found() {
        let found = found(&["plain", "empty", "bounded"], "Skipping tool 'any': no type").unwrap();
        assert_eq!(found.shapes, [(Feature::Untyped, vec!["any".to_owned(), "with_ref".to_owned()])]);
        assert_eq!(found.words(&Feature::Untyped), "a parameter without `type` (`$ref`, nothing in its place)");
        assert_eq!(found.told.as_deref(), Some("Skipping tool 'any': no type"));
        let tool =
            |schema: &str| Json::parse(&format!(r#"{{"name":"t","description":"d","inputSchema":{schema}}}"#)).unwrap();
        assert!(found.explains(&tool(TOOLS[3].1)) && !found.explains(&tool(TOOLS[0].1)));
    }

    #[test]
    fn names_that_a_host_takes_for_one_are_found() {
        let tools = ["a_b", "a.b", "c.d", "e"].map(|name| (name, "{}"));
        let found = left_out([&listing(&tools, &["a_b", "c.d", "e"], "")]).unwrap();
        assert_eq!(found.tools().collect::<Vec<_>>(), ["a.b"]);
    }

    #[test]
    fn clients_that_take_all_or_choose_leave_nothing_out() {
        assert_eq!(found(&["plain", "empty", "bounded", "with_ref", "any"], ""), None);
        assert_eq!(found(&["plain"], ""), None, "it knows its tool");
        assert_eq!(found(&["bounded", "with_ref", "any"], ""), None, "the others have no shape of their own");
    }

    #[test]
    fn a_printed_list_counts_where_few_tools_are_called() {
        let shapes = |output: &str| found(&["plain"], output).map(|it| it.shapes);
        assert_eq!(shapes("tools: plain, empty, bounded, with_ref, any"), None);
        let printed = shapes("tools: plain, empty, bounded, any\nerror: with_ref is no good");
        assert_eq!(printed, Some(vec![(Feature::Instead("`$ref`"), vec!["with_ref".to_owned()])]));
    }
}
