//! Data as scripts: a page that is opened from disk may load no other files.
//!
//! What is large is compressed and in base64, which the browser takes apart.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// A script that hands bytes, compressed, to the site's own script under a name.
pub(crate) fn packed(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory does not fail.
    let compressed = gzip.write_all(bytes).and_then(|()| gzip.finish()).unwrap_or_default();
    format!("mcpCompat({},\"{}\");\n", in_script(&serde_json::Value::from(name)), STANDARD.encode(compressed))
        .into_bytes()
}

/// JSON that can stand in a script, and in a page: no `<` that could end the one or begin markup in the other.
pub(crate) fn in_script(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
