//! TOML itself: from text to a tree, with every syntax error at its place.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::DeTable;

use crate::sink::Sink;

/// What the parser says of a key that is there already; it keeps the first and goes on undisturbed.
const DUPLICATE: &str = "duplicate key";

/// The tree of a text, unless the text is so broken that what follows would only be misunderstood.
pub(crate) fn parse<'t>(text: &'t str, sink: &mut Sink<'_>) -> Option<Spanned<DeTable<'t>>> {
    let (tree, mut errors) = DeTable::parse_recoverable(text);
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    let mut lines = BTreeSet::new();
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let message = if error.message() == DUPLICATE { "this key is there twice" } else { "this is not TOML" };
        // One slip often gives several errors; the first of a line says enough.
        if lines.insert(text.get(..span.start).map(|before| before.matches('\n').count())) {
            let mistake = sink.mistake(&span, message).label(error.message());
            sink.report(mistake);
        }
    }
    let readable = errors.iter().all(|error| error.message() == DUPLICATE);
    readable.then_some(tree)
}
