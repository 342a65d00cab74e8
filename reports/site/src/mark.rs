//! Which bytes of a message a finding is about.

use mcp_compat_json::Json;
use mcp_compat_json::text_at;

/// The part of a message that a finding is about, from and to, in UTF-16 units as browsers count them: the place that
/// the signature names, below the tool or the result that it is about; the tool, where it names no place there.
pub(crate) fn marked(text: &str, tool: Option<&str>, pointer: Option<&str>) -> Option<(usize, usize)> {
    // A place in a list is `*`: everything below the list is meant.
    let pointer = pointer.map(|pointer| pointer.split("/*").next().unwrap_or_default()).unwrap_or_default();
    let roots = match tool.and_then(|tool| listed(text, tool)) {
        Some(root) => vec![root],
        None => ["/result/structuredContent", "/result", "/params", "/error", ""].map(str::to_owned).to_vec(),
    };
    let deepest =
        roots.iter().filter(|_| !pointer.is_empty()).find_map(|root| text_at(text, &format!("{root}{pointer}")));
    // What is missing has no bytes: the part of the message that lacks it has.
    let around = || {
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        roots.iter().filter(|root| !root.is_empty()).find_map(|root| text_at(text, &format!("{root}{parent}")))
    };
    let part = deepest.or_else(around)?;
    let from = part.as_ptr() as usize - text.as_ptr() as usize;
    let units = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
    let start = units(text.get(..from)?);
    Some((start, start + units(part)))
}

/// Where a list of tools has that tool.
fn listed(text: &str, tool: &str) -> Option<String> {
    let message = Json::parse(text).ok()?;
    let tools = message.pointer("/result/tools")?.as_array()?;
    let place = tools.iter().position(|listed| listed.get("name").and_then(Json::as_str) == Some(tool))?;
    Some(format!("/result/tools/{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str, tool: Option<&str>, pointer: Option<&str>) -> Option<String> {
        let (from, to) = marked(text, tool, pointer)?;
        let units: Vec<u16> = text.encode_utf16().collect();
        Some(String::from_utf16(&units[from..to]).unwrap())
    }

    #[test]
    fn the_bytes_are_those_of_the_place() {
        let list = r#"{"id":1,"result":{"tools":[{"name":"é"},{"name":"a","outputSchema":{"type":"array"}}]}}"#;
        assert_eq!(part(list, Some("a"), Some("/outputSchema/type")).as_deref(), Some(r#""array""#));
        assert_eq!(part(list, Some("a"), Some("/outputSchema/required")).as_deref(), Some(r#"{"type":"array"}"#));
        assert_eq!(part(list, Some("é"), None).as_deref(), Some(r#"{"name":"é"}"#));
        let result = r#"{"id":2,"result":{"structuredContent":{"a":[{"b":1}]},"content":[]}}"#;
        assert_eq!(part(result, Some("a"), Some("/content")).as_deref(), Some("[]"));
        assert_eq!(part(result, None, Some("/a/*/b")).as_deref(), Some(r#"[{"b":1}]"#));
        assert_eq!(part("not JSON", Some("a"), Some("/b")), None);
    }
}
