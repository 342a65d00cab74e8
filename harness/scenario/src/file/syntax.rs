//! TOML itself: from text to a tree, with every syntax error at its place.

use toml::Spanned;
use toml::de::DeTable;

use crate::sink::Sink;

/// What the parser says of a key that is there already; it keeps the first and goes on undisturbed.
const DUPLICATE: &str = "duplicate key";

/// The tree of a text, unless the text is so broken that what follows would only be misunderstood.
pub(crate) fn parse<'t>(text: &'t str, sink: &mut Sink<'_>) -> Option<Spanned<DeTable<'t>>> {
    let (tree, errors) = DeTable::parse_recoverable(text);
    let mut last_line = None;
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        // One slip often gives several errors in a row; the first of a line says enough.
        let line = text.get(..span.start).map(|before| before.matches('\n').count());
        if line.is_some() && line == last_line {
            continue;
        }
        last_line = line;
        let mistake = sink.mistake(&span, "this is not TOML").label(error.message());
        sink.report(mistake);
    }
    let readable = errors.iter().all(|error| error.message() == DUPLICATE);
    readable.then_some(tree)
}
