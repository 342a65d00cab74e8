//! How much of a list a client reads: a server may go on without an end.

/// How much of a list of tools a client reads before it asks for no further page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLimits {
    /// How many pages.
    pub pages: usize,
    /// How many tools.
    pub tools: usize,
    /// How many bytes its pages may have together.
    pub bytes: usize,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self { pages: 1_000, tools: 100_000, bytes: 256 << 20 }
    }
}

impl ListLimits {
    /// Which limit is reached by a list of so many pages, tools and bytes, in words.
    #[must_use]
    pub fn reached(&self, pages: usize, tools: usize, bytes: usize) -> Option<String> {
        const MEGABYTE: usize = 1 << 20;
        match self {
            _ if tools >= self.tools => Some(format!("{tools} tools")),
            _ if pages >= self.pages => Some(format!("{pages} pages")),
            _ if bytes >= self.bytes => Some(format!("{} MB", bytes / MEGABYTE)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_that_is_reached_is_named() {
        let limits = ListLimits { pages: 3, tools: 10, bytes: 2 << 20 };
        let reached = |pages, tools, bytes| limits.reached(pages, tools, bytes);
        assert_eq!(reached(2, 9, (2 << 20) - 1), None);
        assert_eq!(reached(2, 12, 0).as_deref(), Some("12 tools"));
        assert_eq!(reached(3, 0, 0).as_deref(), Some("3 pages"));
        assert_eq!(reached(1, 1, 2 << 20).as_deref(), Some("2 MB"));
    }
}
