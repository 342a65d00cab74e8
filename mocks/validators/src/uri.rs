//! References to documents: joined as RFC 3986 says, with relative ones as bases too.

/// The parts of a reference.
#[derive(Clone, Copy, Debug, Default)]
struct Parts<'u> {
    scheme: Option<&'u str>,
    authority: Option<&'u str>,
    path: &'u str,
    query: Option<&'u str>,
    fragment: Option<&'u str>,
}

fn parts(uri: &str) -> Parts<'_> {
    let (rest, fragment) = split(uri, '#');
    let (rest, query) = split(rest, '?');
    let named = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    };
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if named(scheme) => (Some(scheme), rest),
        _ => (None, rest),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };
    Parts { scheme, authority, path, query, fragment }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// A reference without its fragment, and the fragment.
pub(crate) fn without_fragment(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

/// Resolves a reference by a base. Either may be empty.
pub(crate) fn join(base: &str, reference: &str) -> String {
    if base.is_empty() || reference.is_empty() {
        return if base.is_empty() { reference } else { base }.to_owned();
    }
    let (base, given) = (parts(base), parts(reference));
    if given.scheme.is_some() {
        return reference.to_owned();
    }
    if given.authority.is_some() {
        return written(Parts { scheme: base.scheme, ..given }, given.path);
    }
    if given.path.is_empty() {
        let query = given.query.or(base.query);
        return written(Parts { query, fragment: given.fragment, ..base }, base.path);
    }
    let target = Parts { scheme: base.scheme, authority: base.authority, ..given };
    if given.path.starts_with('/') {
        return written(target, &without_dots(given.path));
    }
    let merged = match base.path.rfind('/') {
        Some(end) => format!("{}{}", &base.path[..=end], given.path),
        None if base.authority.is_some() => format!("/{}", given.path),
        None => given.path.to_owned(),
    };
    written(target, &without_dots(&merged))
}

fn written(parts: Parts<'_>, path: &str) -> String {
    let mut uri = String::new();
    if let Some(scheme) = parts.scheme {
        uri.push_str(scheme);
        uri.push(':');
    }
    if let Some(authority) = parts.authority {
        uri.push_str("//");
        uri.push_str(authority);
    }
    uri.push_str(path);
    for (sign, part) in [('?', parts.query), ('#', parts.fragment)] {
        if let Some(part) = part {
            uri.push(sign);
            uri.push_str(part);
        }
    }
    uri
}

fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." if last => kept.push(""),
            "." => {}
            ".." => {
                if kept.len() > 1 || kept.first().is_some_and(|first| !first.is_empty()) {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    kept.join("/")
}

/// A text with its percent-encoded bytes decoded. `None` if an escape is broken.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first == b'%' {
            let digits = tail.get(..2)?;
            let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", "a.json", "a.json")]
    #[case("own.json", "", "own.json")]
    #[case("own.json", "other.json#x", "other.json#x")]
    #[case("own.json", "#/a", "own.json#/a")]
    #[case("https://example.com/a/b.json", "c.json", "https://example.com/a/c.json")]
    #[case("https://example.com/a/b.json", "../c.json", "https://example.com/c.json")]
    #[case("https://example.com/a/b.json", "/c", "https://example.com/c")]
    #[case("https://example.com", "c", "https://example.com/c")]
    #[case("https://example.com/a", "urn:x:y", "urn:x:y")]
    #[case("urn:x:y", "#z", "urn:x:y#z")]
    fn references_are_joined(#[case] base: &str, #[case] reference: &str, #[case] joined: &str) {
        assert_eq!(join(base, reference), joined);
    }

    #[test]
    fn escapes_are_decoded_and_broken_ones_are_not() {
        assert_eq!(decoded("a%20%C3%A9").as_deref(), Some("a é"));
        assert_eq!((decoded("%zz"), decoded("%2"), decoded("%ff")), (None, None, None));
    }
}
