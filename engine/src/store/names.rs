//! A block of rows' view of the dictionary: what `render` asks.

use spytui_plugin_api::{
    Answer, Ask,
    render::{Lookup, ask},
};

use super::dictionary::{Dictionary, Named};

/// Which names a block is rendered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// As of each row: what a reference tool knew then.
    AsOf,
    /// As shown: late names included.
    Effective,
}

/// Look-ups for a block of rows.
#[derive(Debug)]
pub struct Names<'a> {
    /// The names.
    pub dictionary: &'a Dictionary,
    /// Number of the block's first row; the others follow, or all are seen as of this one when `fixed`.
    pub first: u64,
    /// All rows of the block see the same names.
    pub fixed: bool,
    /// Which names.
    pub view: View,
    /// Short forms where unique.
    pub short: bool,
}

impl<'a> Names<'a> {
    fn named(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&'a Named> {
        let row = if self.fixed { self.first } else { self.first + u64::from(row) };
        match self.view {
            View::AsOf => self.dictionary.as_of(row, space, key, scope),
            View::Effective => self.dictionary.effective(row, space, key, scope),
        }
    }
}

impl Lookup for Names<'_> {
    #[inline]
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        let named = self.named(row, space, key, scope)?;
        if self.short { Some(self.dictionary.short(space, named)) } else { named.text.as_deref() }
    }

    fn ask(&self, _: u32, question: &Ask<'_>) -> Option<Answer<'_>> {
        match question.op {
            ask::ATTR => {
                let attr = u8::try_from(question.attr).ok()?;
                let attr = self.dictionary.attr(question.space, question.key, question.scope, attr)?;
                Some(Answer {
                    key: question.key,
                    scope: question.scope,
                    val: attr.val,
                    val_space: attr.val_space,
                    text: (*attr.text).into(),
                })
            }
            ask::FIND => {
                let (key, scope) = self.dictionary.find(question.space, question.name.as_slice())?;
                Some(Answer { key, scope, ..Answer::default() })
            }
            _ => None,
        }
    }
}
