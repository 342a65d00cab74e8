//! The addresses in a report: where the case was told first.

use super::documents::Document;

/// Number of addresses that are taken.
const MOST: usize = 4;

/// The addresses in the prose of a report, not those in its JSON; those of issues first.
pub(super) fn addresses(text: &str, documents: &[Document<'_>]) -> Vec<String> {
    let mut prose = String::new();
    let mut rest = text;
    for document in documents {
        if let Some((before, after)) = rest.split_once(document.text) {
            prose.push_str(before);
            prose.push('\n');
            rest = after;
        }
    }
    prose.push_str(rest);
    let mut found: Vec<String> = Vec::new();
    for (at, _) in prose.match_indices("http") {
        let end = prose[at..]
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '(' | ')' | '[' | ']' | '`' | '\''));
        let address =
            prose[at..end.map_or(prose.len(), |end| at + end)].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let host = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")).unwrap_or_default();
        let local = ["localhost", "127.", "0.0.0.0", "[::1]"].iter().any(|local| host.starts_with(local));
        if host.contains('.') && !local && !found.iter().any(|known| known == address) {
            found.push(address.to_owned());
        }
    }
    let of_issue = |address: &String| {
        !(address.contains("/issues/") || address.contains("/pull/") || address.contains("/discussions/"))
    };
    found.sort_by_key(of_issue);
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::super::documents::documents;
    use super::*;

    fn of(text: &str) -> Vec<String> {
        addresses(text, &documents(text).unwrap())
    }

    #[test]
    fn those_of_issues_come_first() {
        let text =
            "See https://example.org/docs. Told in (https://github.com/a/b/issues/1), and <https://example.org/x>";
        assert_eq!(of(text), ["https://github.com/a/b/issues/1", "https://example.org/docs", "https://example.org/x"]);
    }

    #[test]
    fn those_within_json_and_of_this_machine_are_none() {
        let text =
            "Server at http://localhost:3000/mcp and http://127.0.0.1/x\n{\"$schema\": \"https://json-schema.org/x\"}";
        assert_eq!(of(text), [""; 0]);
    }
}
