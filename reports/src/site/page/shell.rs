//! Frame of every page: head, navigation, footer.

use maud::{DOCTYPE, Markup, html};
use mcp_compat_model::invisible_chars::neutralised;

use super::hosts;
use super::parts::begun;
use crate::site::api::is_stale;
use crate::site::context::Site;
use crate::text::clipped;

/// Content policy: the site's own style and script, and nothing else from anywhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/// Page for missing addresses: a server shows it at any address.
pub(crate) const NOT_FOUND: &str = "404.html";

/// Number of characters of the digest of a corpus that are shown.
pub(crate) const CORPUS: usize = 12;

/// Pages in the navigation.
const PLACES: [(&str, &str); 9] = [
    ("index.html", "Overview"),
    (hosts::PATH, "Hosts"),
    ("matrix.html", "Matrix"),
    ("causes.html", "Causes"),
    ("peers.html", "Clients and servers"),
    ("scenarios.html", "Scenarios"),
    ("rules.html", "Rules"),
    ("history.html", "History"),
    ("local.html", "Open a file"),
];

/// Page of the site.
pub(crate) struct Page<'p> {
    pub(crate) path: &'p str,
    pub(crate) title: &'p str,
    /// Kind of page, for the script.
    pub(crate) kind: &'p str,
    /// Content of the page.
    pub(crate) body: Markup,
}

impl Page<'_> {
    /// Renders the page.
    pub(crate) fn bytes(self, site: &Site<'_>) -> Vec<u8> {
        let root = if self.path == NOT_FOUND {
            site.input.base.unwrap_or_default().to_owned()
        } else {
            "../".repeat(self.path.matches('/').count())
        };
        let link = |path: &str| format!("{root}{path}");
        let title = if self.path == "index.html" {
            site.input.title.to_owned()
        } else {
            format!("{} · {}", self.title, site.input.title)
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" data-root=(root) data-run=(site.run) data-page=(self.kind) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="referrer" content="no-referrer";
                    meta name="color-scheme" content="light dark";
                    title { (neutralised(&title)) }
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href=(link("assets/site.css"));
                    script defer src=(link("assets/site.js")) {}
                    @if self.kind == "local" { script defer src=(link("assets/local.js")) {} }
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header.top {
                        a.name href=(link("index.html")) { (neutralised(site.input.title)) }
                        nav aria-label="Pages" {
                            @for (path, words) in PLACES.into_iter().filter(|(path, _)| *path != hosts::PATH || site.input.hosts.is_some()) {
                                a href=(link(path)) aria-current=[(path == self.path).then_some("page")] { (words) }
                            }
                        }
                    }
                    main id="main" tabindex="-1" { (self.body) }
                    footer { (foot(site)) }
                }
            }
        };
        page.into_string().into_bytes()
    }
}

fn foot(site: &Site<'_>) -> Markup {
    let record = site.record;
    html! {
        p {
            @if is_stale(&record.started, site.input.today) { strong.stale { "These results are more than two weeks old." } " " }
            "Run of " (begun(&record.started))
            " · mcp-compat " (neutralised(&record.tool_version))
            " · scenarios " code { (clipped(&neutralised(&record.corpus), CORPUS)) }
            @if !record.complete { " · " strong { "incomplete" } }
        }
    }
}
