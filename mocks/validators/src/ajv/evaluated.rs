//! What a schema has evaluated of a value, as the code that Ajv writes keeps track of it.

use std::collections::BTreeSet;

/// The properties that are evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Props {
    #[default]
    None,
    Names(BTreeSet<String>),
    All,
}

/// The items that are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Items {
    #[default]
    None,
    First(usize),
    All,
    /// A variable that no branch has set. No length is greater than `undefined`, so nothing counts as unevaluated.
    Unset,
}

/// What is evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Evaluated {
    pub(super) props: Props,
    pub(super) items: Items,
}

impl Props {
    pub(super) fn add(&mut self, more: Self) {
        *self = match (std::mem::take(self), more) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::None, props) | (props, Self::None) => props,
            (Self::Names(mut names), Self::Names(more)) => {
                names.extend(more);
                Self::Names(names)
            }
        };
    }

    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::Names(names) => names.contains(name),
            Self::All => true,
        }
    }
}

impl Items {
    pub(super) fn add(&mut self, more: Self) {
        *self = match (*self, more) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::First(one), Self::First(other)) => Self::First(one.max(other)),
            (items, Self::None) | (Self::None | Self::Unset, items) | (items, Self::Unset) => items,
        };
    }
}

impl Evaluated {
    pub(super) fn add(&mut self, more: Self) {
        self.props.add(more.props);
        self.items.add(more.items);
    }

    /// Adds what a branch evaluates, if it is valid: `mergeValidEvaluated`.
    pub(super) fn add_if(&mut self, valid: bool, more: Self) {
        if valid {
            self.add(more);
        } else if self.items == Items::None && more.items != Items::None {
            self.items = Items::Unset;
        }
    }
}
