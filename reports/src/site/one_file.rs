//! Report of one run in one file, which loads nothing. It has the messages of cells that do not work.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::Rating;
use sha2::{Digest as _, Sha256};

use crate::site::assets::{css, js};
use crate::site::columns::Depth;
use crate::site::context::{Files, Site};
use crate::site::page::{cause, index, matrix};
use crate::site::{Input, SiteError, data};

/// Size limit of the file.
pub(crate) const LARGEST: u64 = 5 << 20;

/// Script that collects the data until the script of the site is loaded.
const EARLY: &str = "mcpCompatEarly=[];mcpCompat=(name,text)=>mcpCompatEarly.push([name,text]);\n";

/// Renders the newest run as one file: causes, matrix, pairs and cells. It says what it omits.
///
/// # Errors
/// If the file is larger than 5 MB without any message.
pub fn one_file(input: &Input<'_>) -> Result<Vec<u8>, SiteError> {
    let site = Site::of(input);
    let body = anchored(&report(&site).into_string());
    let (style, script) = (css(), js());
    let fixed = (body.len() + style.len() + script.len()) as u64 + 4_000;
    let mut files = Files::new();
    data(&site, input.newest.evidence, LARGEST.saturating_sub(fixed), Depth::NotWorking, &mut files);
    let data: String = files.values().map(|bytes| String::from_utf8_lossy(bytes)).collect();
    let data = format!("{EARLY}{data}");
    let policy = format!(
        "default-src 'none'; script-src {} {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&data),
        hash(&script),
        hash(&style)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" data-root="" data-run=(site.run) data-page="report" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="color-scheme" content="light dark";
                title { (neutralised(input.title)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(&style)) }
                script { (PreEscaped(&data)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top { a.name href="#main" { (neutralised(input.title)) } nav aria-label="Parts" {
                    @for (place, words) in [("#causes", "Causes"), ("#newest", "Newest releases"), ("#all", "All pairs"), ("#run", "Run")] { a href=(place) { (words) } }
                } }
                main id="main" tabindex="-1" { (PreEscaped(&body)) }
                script { (PreEscaped(&script)) }
            }
        }
    };
    let page = page.into_string().into_bytes();
    if page.len() as u64 > LARGEST {
        return Err(SiteError::TooLarge { needed: page.len() as u64, allowed: LARGEST });
    }
    Ok(page)
}

/// Hash of a script or a style for the content policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// Replaces the links to other pages by links within this page: the script shows pairs and cells, causes have anchors,
/// and peers and scenarios are selected by the filter.
fn anchored(markup: &str) -> String {
    let mut parts = markup.split("href=\"");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (address, rest) = part.split_once('"').unwrap_or((part, ""));
        let name = address.rsplit_once('/').map_or(address, |(_, name)| name).trim_end_matches(".html");
        let to = match address.split(['/', '.']).next() {
            _ if address.starts_with('#') || address.contains("://") => address.to_owned(),
            Some("pair") => address.trim_start_matches("pair.html").to_owned(),
            Some("cause") => format!("#cause-{name}"),
            Some("peer") => format!("#client={}", name.replace('~', "/")),
            Some("causes") => "#causes".to_owned(),
            Some("matrix") => "#all".to_owned(),
            Some(_) | None => "#main".to_owned(),
        };
        out.push_str(&format!("href=\"{to}\"{rest}"));
    }
    out
}

/// Number of causes in the report.
const CAUSES: usize = 100;

fn report(site: &Site<'_>) -> Markup {
    let listed = |rating| site.causes.iter().filter(move |ranked| ranked.rating == rating).take(CAUSES);
    html! {
        div id="app" aria-live="polite" hidden {}
        div id="whole" {
            (index::verdict(site))
            p.facts { "The messages here are those of checks that do not work, as far as 5 MB hold them. " code { "mcp-compat report --format site" } " makes a folder with all of them." }
            @if site.input.earlier.changes().is_some() { (index::changes_section(site)) }
            section aria-labelledby="causes" {
                h2 id="causes" { "What breaks, most users first" }
                ol.causes { @for ranked in listed(Rating::Breaks) { (cause::item(site, "", ranked)) } }
            }
            section aria-labelledby="newest" {
                h2 id="newest" { (index::front_title(site)) }
                (index::newest(site))
            }
            section aria-labelledby="all" {
                h2 id="all" { "All pairs" }
                (matrix::table(site))
            }
            section aria-labelledby="degraded" {
                h2 id="degraded" { "What degrades" }
                ol.causes { @for ranked in listed(Rating::Degraded) { (cause::item(site, "", ranked)) } }
            }
            (index::run(site))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_in_the_page() {
        let links = |markup: &str| anchored(markup);
        assert_eq!(
            links("<a href=\"pair.html#client=a&amp;server=b\">x</a>"),
            "<a href=\"#client=a&amp;server=b\">x</a>"
        );
        assert_eq!(links("<a href=\"cause/a-b.html\">"), "<a href=\"#cause-a-b\">");
        assert_eq!(
            links("<a href=\"peer/mock~dual.html\"><a href=\"#x\">"),
            "<a href=\"#client=mock/dual\"><a href=\"#x\">"
        );
        assert_eq!(links("<a href=\"https://example.org/\">"), "<a href=\"https://example.org/\">");
    }
}
