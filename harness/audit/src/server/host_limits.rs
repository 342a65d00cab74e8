//! Limits of hosts that the specification does not set: names and schemas that the interfaces of models refuse, and long
//! lists.

use mcp_compat_author::capture::CapturedTool;
use mcp_compat_json::{Json, Object};
use mcp_compat_model::Revision;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_reports::text::first_of;

use super::audit_rule::{ARRAYS_HAVE_ITEMS, LIST_IS_SHORT, NAMES_FIT_MODELS, SCHEMAS_FIT_MODELS};
use crate::probe::ProbedServer;

/// Most names that stand in a sentence.
const NAMES: usize = 3;

/// The longest name that the interfaces of models take, and the longest that the specification allows.
const LONGEST: usize = 64;
const LONGEST_BY_SPECIFICATION: usize = 128;

/// Clients that lose something by a name that does not fit: barryw/ImmichMCP#3, evoila/meho#2745, loomle/loomle#168,
/// Report: l22-io/orchard-mcp#14, NetApp/netapp-dataops-toolkit#38.
pub(super) const REFUSED_NAMES: &str = "Claude Desktop and claude.ai, which refuse all tools of the server for one such name, and \
                                        hosts that hand names to a model as they are: all tools";

/// Clients that lose something by a schema that does not fit: anthropics/claude-code#95504, makenotion/notion-mcp-server#341.
const REFUSED_SCHEMAS: &str = "Claude Code, which leaves the tool out without an error, and hosts that hand schemas to a Claude model as they are: every \
     prompt fails";

/// Clients that lose something by an array without `items`. Report: microsoft/vscode#246119, nhost/nhost#3686,
/// vespo92/SolidworksMCP-TS#29, mark3labs/mcphost#35.
const REFUSED_ARRAYS: &str = "VS Code, which leaves the tool out with an error, and hosts that hand schemas to an OpenAI model as they are: every prompt \
     fails";

/// Bytes of definitions from which a list is long: several times as much as most servers list.
const LONG: usize = 100_000;

/// The findings about the list of the newest revision.
pub(super) fn of_hosts(probed: &ProbedServer) -> Vec<AuditFinding> {
    let newest = probed.spoken.iter().filter(|session| session.listed).max_by_key(|session| session.revision);
    newest.map_or_else(Vec::new, |session| of_list(&session.tools, session.revision))
}

fn of_list(tools: &[CapturedTool], revision: Revision) -> Vec<AuditFinding> {
    let mut findings = Vec::new();
    let refused: Vec<String> = tools
        .iter()
        .filter(|tool| is_refused(&tool.name))
        .map(|tool| format!("`{}`", neutralised(&tool.name)))
        .collect();
    if !refused.is_empty() {
        let (name, has) = if refused.len() == 1 { ("name", "does") } else { ("names", "do") };
        let has_dots = tools.iter().any(|tool| is_refused(&tool.name) && tool.name.contains('.'));
        let limit = if has_dots {
            "MCP allows dots, but the interfaces of Claude and OpenAI models do not"
        } else {
            "MCP allows 128 characters, but the interface of OpenAI models, claude.ai and Claude Desktop do not"
        };
        let detail = format!(
            "the {name} {} {has} not match ^[a-zA-Z0-9_-]{{1,64}}$. {limit}. Some hosts rename such tools, others fail with every \
             prompt",
            first_of(&refused, NAMES)
        );
        let lost_elsewhere = Some(REFUSED_NAMES.to_owned());
        findings.push(AuditFinding { lost_elsewhere, ..NAMES_FIT_MODELS.violated(detail, vec![revision]) });
    }
    let combined: Vec<String> = tools
        .iter()
        .filter_map(|tool| Some(format!("`{}` ({})", neutralised(&tool.name), combination(&tool.definition)?)))
        .collect();
    if !combined.is_empty() {
        let (schema, has) = if combined.len() == 1 { ("inputSchema", "has") } else { ("inputSchemas", "have") };
        let detail = format!(
            "the {schema} of {} {has} a combination of schemas at the root. MCP allows that, but the interface of Claude models \
             does not",
            first_of(&combined, NAMES)
        );
        let lost_elsewhere = Some(REFUSED_SCHEMAS.to_owned());
        findings.push(AuditFinding { lost_elsewhere, ..SCHEMAS_FIT_MODELS.violated(detail, vec![revision]) });
    }
    let open: Vec<String> = tools
        .iter()
        .filter_map(|tool| Some(format!("`{}` ({})", neutralised(&tool.name), open_array(&tool.definition)?)))
        .collect();
    if !open.is_empty() {
        let (schema, has) = if open.len() == 1 { ("inputSchema", "has") } else { ("inputSchemas", "have") };
        let detail = format!(
            "the {schema} of {} {has} an array without `items`. JSON Schema allows that, but the interface of OpenAI models and \
             VS Code do not",
            first_of(&open, NAMES)
        );
        let lost_elsewhere = Some(REFUSED_ARRAYS.to_owned());
        findings.push(AuditFinding { lost_elsewhere, ..ARRAYS_HAVE_ITEMS.violated(detail, vec![revision]) });
    }
    let bytes: usize = tools.iter().map(|tool| tool.definition.len()).sum();
    if bytes > LONG {
        let detail = format!(
            "the list has {} tools and {} kB of definitions. The specification sets no limit, and each host decides how much of \
             it a model gets",
            tools.len(),
            bytes / 1_000
        );
        findings.push(LIST_IS_SHORT.violated(detail, vec![revision]));
    }
    findings
}

/// The keyword that combines schemas at the root of the inputSchema of a tool.
fn combination(definition: &str) -> Option<&'static str> {
    let definition = Json::parse(definition).ok()?;
    let schema = definition.get("inputSchema")?;
    ["oneOf", "anyOf", "allOf"].into_iter().find(|keyword| schema.get(keyword).is_some())
}

/// The first array without `items` in the inputSchema of a tool: its name, or the pointer to it in the schema.
fn open_array(definition: &str) -> Option<String> {
    let definition = Json::parse(definition).ok()?;
    let pointer = open_array_in(definition.get("inputSchema")?)?;
    let name = pointer.strip_prefix("/properties/").filter(|name| !name.contains('/'));
    Some(neutralised(name.unwrap_or(&pointer)))
}

/// The pointer to the first array without `items` in a schema, where values are described: not under `default` or `enum`.
fn open_array_in(schema: &Json) -> Option<String> {
    const OF_ITEMS: [&str; 2] = ["items", "prefixItems"];
    let is_array = schema.get("type").and_then(Json::as_str) == Some("array");
    if is_array && OF_ITEMS.iter().all(|key| schema.get(key).is_none()) {
        return Some(String::new());
    }
    let below = |key: &str, schema: &Json| Some(format!("/{key}{}", open_array_in(schema)?));
    let members = schema.get("properties").and_then(Json::as_object).into_iter().flat_map(Object::iter);
    let in_members = members.into_iter().find_map(|(key, schema)| below(key.as_str()?, schema));
    let in_choices = || {
        ["anyOf", "oneOf", "allOf"].iter().find_map(|key| {
            let choices = schema.get(key)?.as_array()?.iter().enumerate();
            choices.into_iter().find_map(|(at, choice)| below(&format!("{key}/{at}"), choice))
        })
    };
    let in_items = || below("items", schema.get("items")?);
    in_members.map(|pointer| format!("/properties{pointer}")).or_else(in_items).or_else(in_choices)
}

/// Returns whether the specification allows a name that the interfaces of models refuse. A rule of the judge finds names
/// that neither allows.
fn is_refused(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let is_plain = !name.is_empty() && name.len() <= LONGEST_BY_SPECIFICATION && name.chars().all(is_allowed);
    is_plain && (name.contains('.') || name.len() > LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(tools: &[(&str, usize)]) -> Vec<String> {
        let tool =
            |(name, bytes): &(&str, usize)| CapturedTool { name: (*name).to_owned(), definition: "x".repeat(*bytes) };
        let tools: Vec<CapturedTool> = tools.iter().map(tool).collect();
        of_list(&tools, Revision::NEWEST).into_iter().map(|found| found.detail).collect()
    }

    #[test]
    fn a_name_that_models_refuse_is_told() {
        let told = details(&[("a.b", 1), ("c", 1)]);
        assert!(matches!(&told[..], [detail] if detail.starts_with("the name `a.b` does not match")), "{told:?}");
        let long = "x".repeat(65);
        assert_eq!(details(&[(&long, 1)]).len(), 1);
        for fine in ["get_sum", &"x".repeat(64), "höhe", &"x".repeat(129)] {
            assert_eq!(details(&[(fine, 1)]), [""; 0], "{fine}");
        }
    }

    #[test]
    fn a_schema_that_models_refuse_is_told() {
        let details = |schema: &str| {
            let definition = format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
            let found = of_list(&[CapturedTool { name: "a".to_owned(), definition }], Revision::NEWEST);
            found.into_iter().map(|found| found.detail).collect::<Vec<_>>()
        };
        let told = details(r#"{"type":"object","anyOf":[{"required":["b"]}]}"#);
        assert!(matches!(&told[..], [detail] if detail.starts_with("the inputSchema of `a` (anyOf) has")), "{told:?}");
        assert_eq!(details(r#"{"type":"object","properties":{"b":{"anyOf":[{"type":"null"}]}}}"#), [""; 0]);
    }

    #[test]
    fn an_array_without_items_is_told_wherever_it_is() {
        let told = |schema: &str| {
            let definition = format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
            let found = of_list(&[CapturedTool { name: "a".to_owned(), definition }], Revision::NEWEST);
            found.into_iter().map(|found| found.detail).collect::<Vec<_>>()
        };
        let open = told(r#"{"type":"object","properties":{"ids":{"type":"array"}}}"#);
        assert_eq!(
            open,
            [
                "the inputSchema of `a` (ids) has an array without `items`. JSON Schema allows that, but the interface of OpenAI \
              models and VS Code do not"
            ]
        );
        let inner = told(r#"{"properties":{"o":{"properties":{"l":{"anyOf":[{"type":"null"},{"type":"array"}]}}}}}"#);
        assert!(inner[0].contains("(/properties/o/properties/l/anyOf/1)"), "{inner:?}");
        for fine in [
            r#"{"properties":{"ids":{"type":"array","items":{}}}}"#,
            r#"{"properties":{"ids":{"type":"array","prefixItems":[{"type":"string"}]}}}"#,
            r#"{"properties":{"ids":{"default":{"type":"array"}}}}"#,
            r#"{"properties":{"type":{"type":"string"}}}"#,
        ] {
            assert_eq!(told(fine), [""; 0], "{fine}");
        }
    }

    #[test]
    fn a_long_list_is_told() {
        let told = details(&[("a", 60_000), ("b", 60_000)]);
        assert!(matches!(&told[..], [detail] if detail.starts_with("the list has 2 tools and 120 kB")), "{told:?}");
        assert_eq!(details(&[("a", 100_000)]), [""; 0]);
    }
}
