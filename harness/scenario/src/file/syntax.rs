//! TOML itself: from text to a tree, with every syntax error at its place.

use toml::Spanned;
use toml::de::DeTable;

use crate::sink::Sink;

/// What the parser says of a key that is there already; it keeps the first and goes on undisturbed.
const DUPLICATE: &str = "duplicate key";

/// The tree of a text, unless the text is so broken that what follows would only be misunderstood.
pub(crate) fn parse<'t>(text: &'t str, sink: &mut Sink<'_>) -> Option<Spanned<DeTable<'t>>> {
    let (tree, mut errors) = DeTable::parse_recoverable(text);
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    let (mut at, mut line, mut last) = (0, 0, None);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let message = if error.message() == DUPLICATE { "this key is there twice" } else { "this is not TOML" };
        // One slip often gives several errors; the first of a line says enough.
        line += text.as_bytes().get(at..span.start).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
        at = span.start;
        if last.replace(line) != Some(line) {
            let mistake = sink.mistake(&span, message).label(error.message());
            sink.report(mistake);
        }
    }
    let readable = errors.iter().all(|error| error.message() == DUPLICATE);
    readable.then_some(tree)
}
