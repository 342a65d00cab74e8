//! The pages: each is HTML that is read without script.

mod cause;
mod index;
mod lists;
mod local;
mod matrix;
mod pair;
mod parts;
mod shell;

use crate::site::{Files, Site};

/// How many pages of causes there are at most; the others are on the page of all causes.
pub(crate) const CAUSE_PAGES: usize = 400;

/// Writes all pages.
pub(crate) fn write(site: &Site<'_>, files: &mut Files) {
    files.insert("index.html".to_owned(), index::page(site));
    files.insert("matrix.html".to_owned(), matrix::page(site));
    files.insert("pair.html".to_owned(), pair::page(site));
    files.insert("causes.html".to_owned(), lists::causes(site));
    files.insert("local.html".to_owned(), local::page(site));
    for (number, ranked) in site.causes.iter().take(CAUSE_PAGES).enumerate() {
        files.insert(format!("cause/{}.html", ranked.slug), cause::page(site, number, ranked));
    }
}
