//! The style sheet and the script, written by hand.

pub(crate) const CSS: &str = include_str!("../assets/site.css");

pub(crate) const JS: &str = concat!(
    include_str!("../assets/query.js"),
    include_str!("../assets/data.js"),
    include_str!("../assets/view.js"),
    include_str!("../assets/site.js")
);
