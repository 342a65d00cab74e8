//! The pages of the tool list. A page is what the script says, or else made from the tools.

use crate::wire::object::{Object, read_string};

use crate::server::tool_behavior::RenderedReply;

/// The answers to `tools/list`.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    pages: Vec<Page>,
    /// The answer to an unknown cursor.
    any_cursor: Option<RenderedReply>,
}

#[derive(Clone, Debug)]
struct Page {
    /// The cursors of this page. The first page has none.
    cursors: Vec<String>,
    answer: RenderedReply,
}

impl Pages {
    /// Builds the pages from their answers and the server's own cursors.
    ///
    /// A scripted page may have any `nextCursor`, so the next page is found by that cursor too.
    pub(crate) fn new(
        answers: impl Iterator<Item = (String, RenderedReply)>,
        any_cursor: Option<RenderedReply>,
    ) -> Self {
        let mut pages = Vec::<Page>::new();
        for (cursor, answer) in answers {
            let cursors = pages.last().map_or_else(Vec::new, |before| {
                let named = before.next_cursor().filter(|named| *named != cursor);
                [cursor].into_iter().chain(named).collect()
            });
            pages.push(Page { cursors, answer });
        }
        // A last page that names a next one leads to itself.
        if let Some(last) = pages.last_mut()
            && let Some(named) = last.next_cursor()
        {
            last.cursors.push(named);
        }
        Self { pages, any_cursor }
    }

    /// The answer for the page of a cursor, or for the first page without one. `None` if the cursor is unknown.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Option<&RenderedReply> {
        let page = match cursor {
            None => self.pages.first(),
            Some(cursor) => self.pages.iter().find(|page| page.cursors.iter().any(|known| known == cursor)),
        };
        page.map(|page| &page.answer).or(self.any_cursor.as_ref())
    }
}

impl Page {
    fn next_cursor(&self) -> Option<String> {
        let RenderedReply::Result(result) = &self.answer else { return None };
        let result = Object::read(result)?;
        result.get("nextCursor").and_then(read_string).map(std::borrow::Cow::into_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(answers: &[&str]) -> Pages {
        let answers = answers.iter().enumerate();
        let answers = answers.map(|(number, text)| (number.to_string(), RenderedReply::Result((*text).to_owned())));
        Pages::new(answers, None)
    }

    fn text<'p>(pages: &'p Pages, cursor: Option<&str>) -> Option<&'p str> {
        pages.page(cursor).map(|answer| {
            let RenderedReply::Result(text) = answer else { unreachable!("{answer:?}") };
            text.as_str()
        })
    }

    #[test]
    fn a_page_is_found_by_the_servers_cursor_and_by_the_name_that_the_page_before_gives_it() {
        let pages = pages(&[r#"{"nextCursor":"two"}"#, "{}"]);
        assert_eq!(text(&pages, None), Some(r#"{"nextCursor":"two"}"#));
        assert_eq!((text(&pages, Some("1")), text(&pages, Some("two"))), (Some("{}"), Some("{}")));
        assert_eq!((text(&pages, Some("0")), text(&pages, Some("three"))), (None, None));
    }

    #[test]
    fn an_answer_to_every_page_is_one_to_every_cursor() {
        let pages = Pages { any_cursor: Some(RenderedReply::Result("[]".to_owned())), ..pages(&["{}"]) };
        assert_eq!((text(&pages, None), text(&pages, Some("x"))), (Some("{}"), Some("[]")));
    }
}
