//! Bytes from a script, with placeholders for fields of the request.

/// The placeholder for the request's id.
const ID: &[u8] = b"{{id}}";

/// The placeholder for the request's progress token.
const TOKEN: &[u8] = b"{{progress-token}}";

/// Bytes, split at the placeholders.
#[derive(Debug)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Id,
    Token,
}

/// The fields of a request that a script can repeat, as JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestFields<'r> {
    pub(crate) id: &'r str,
    pub(crate) token: Option<&'r str>,
}

impl Template {
    /// Bytes in place of an answer, with a placeholder for the id.
    pub(crate) fn answer(bytes: &[u8]) -> Self {
        Self { pieces: cut(bytes, ID, || Piece::Id) }
    }

    /// A message before an answer, with placeholders for the id and the progress token.
    pub(crate) fn message(bytes: &[u8]) -> Self {
        let recut = |piece| match piece {
            Piece::Bytes(bytes) => cut(&bytes, TOKEN, || Piece::Token),
            Piece::Id | Piece::Token => vec![piece],
        };
        Self { pieces: cut(bytes, ID, || Piece::Id).into_iter().flat_map(recut).collect() }
    }

    /// The bytes for a request. `None` if they need a token that it does not have.
    pub(crate) fn fill(&self, fields: RequestFields<'_>) -> Option<Vec<u8>> {
        let mut filled = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Bytes(bytes) => filled.extend_from_slice(bytes),
                Piece::Id => filled.extend_from_slice(fields.id.as_bytes()),
                Piece::Token => filled.extend_from_slice(fields.token?.as_bytes()),
            }
        }
        Some(filled)
    }
}

fn cut(bytes: &[u8], place: &[u8], piece: impl Fn() -> Piece) -> Vec<Piece> {
    let (mut pieces, mut rest) = (Vec::new(), bytes);
    while let Some(at) = rest.windows(place.len()).position(|window| window == place) {
        pieces.push(Piece::Bytes(rest[..at].to_vec()));
        pieces.push(piece());
        rest = &rest[at + place.len()..];
    }
    pieces.push(Piece::Bytes(rest.to_vec()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &Template, token: Option<&str>) -> Option<String> {
        template.fill(RequestFields { id: "\"7\"", token }).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_message_repeats_what_the_request_says() {
        let template = Template::message(b"{{progress-token}} of {{id}}, {{id}} {{no}}");
        assert_eq!(filled(&template, Some("1")).as_deref(), Some("1 of \"7\", \"7\" {{no}}"));
        assert_eq!(filled(&template, None), None, "it needs a token");
        assert_eq!(filled(&Template::message(b"noise"), None).as_deref(), Some("noise"));
    }

    #[test]
    fn an_answer_takes_the_id_and_leaves_all_else_as_it_is() {
        let template = Template::answer(b"{{id}}{{progress-token}}\xff");
        let filled = template.fill(RequestFields { id: "7", token: None });
        assert_eq!(filled.as_deref(), Some(&b"7{{progress-token}}\xff"[..]));
    }
}
