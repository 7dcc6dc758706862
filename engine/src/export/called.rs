//! What exports call the kind of a row: the same in each.

use std::borrow::Cow;

use crate::{present::words::given_name, row::RowView};

/// The kind of a row.
#[derive(Debug)]
pub(super) struct Called<'a> {
    /// The target's number of it.
    pub(super) id: u64,
    /// Its name in the protocol; one word for notes.
    pub(super) name: Cow<'a, [u8]>,
}

impl<'a> Called<'a> {
    #[inline]
    pub(super) fn of(item: &'a RowView<'_>) -> Called<'a> {
        let kind = item.kind;
        let id = kind.id_of(item.row);
        if !item.row.is_record() {
            return Called { id, name: kind.name.replace(' ', "_").into_bytes().into() };
        }
        // Kinds that have no name in the decoder are called as their rows say.
        let given = if kind.nameless { given_name(item.row, item.names, 0) } else { None };
        let name = given.unwrap_or(kind.name.as_bytes()).into();
        Called { id, name }
    }
}
