//! Go wraps one error in another, each with a colon before it: the cause stands at the end.

use crate::excerpt::bounded;

/// What begins a chain of errors of an SDK in Go, whatever is wrapped in it.
const BEGINNINGS: [&str; 4] = ["calling \"", "connection closed: calling \"", "sending \"", "failed to unmarshal "];

/// What a field of a type without a name is named by: the whole of its type.
const STRUCT: &str = "struct { ";

/// The end of a chain that is longer than `limit`, from an error that is wrapped in it.
pub(super) fn told(text: &str, limit: usize) -> Option<String> {
    let is_chain = BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
    if !is_chain || text.chars().nth(limit).is_none() {
        return None;
    }
    let text = bounded(&without_structs(text), text.len());
    let ends = text.match_indices(": ").map(|(at, colon)| &text[at + colon.len()..]);
    let fits = |end: &&str| end.chars().nth(limit.saturating_sub(2)).is_none();
    if fits(&text.as_str()) {
        return Some(text);
    }
    let end = ends.take_while(|end| !is_detail(end)).find(fits)?;
    Some(format!("… {end}"))
}

/// Whether this is only what a decoder met, and no error.
fn is_detail(end: &str) -> bool {
    !end.contains(' ')
}

/// The text without the members of types.
fn without_structs(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, members)) = rest.split_once(STRUCT) {
        let Some(end) = closing(members) else { break };
        out.push_str(before);
        out.push_str("struct{}");
        rest = &members[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Where the brace closes that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}
