//! Rows to text and fields, our own wording: `native` for events, `classic` for records of the classic trace logs, `notes`
//! for other rows, `label` for names of slices, `fields` for values, `words` for parts of all texts.

pub(crate) mod classic;
pub(crate) mod errno;
pub(crate) mod fields;
pub(crate) mod label;
pub(crate) mod native;
pub(crate) mod notes;
pub(crate) mod words;

pub(crate) use spytui_decoder_kit::number;

use spytui_plugin_api::{Dict, RowIn};

use crate::record::Whole;

/// Everything that the text of an event depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a, 'd> {
    pub(crate) names: &'a Dict<'d>,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) whole: Whole<'a>,
}
