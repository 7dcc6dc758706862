//! Rows to text and fields, our own wording: `native` for events, `notes` for other rows, `label` for names of slices,
//! `fields` for values, `words` for parts of all texts.

pub(crate) mod errno;
pub(crate) mod fields;
pub(crate) mod label;
pub(crate) mod native;
pub(crate) mod notes;
pub(crate) mod words;

pub(crate) use spytui_decoder_kit::number;

use spytui_plugin_api::{Dict, RowIn};

use crate::{
    config::Config,
    layout::{BIT64, Kind, Layout},
    record::{Event, Words, event},
};

/// Everything that the text of an event depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a, 'd> {
    pub(crate) names: &'a Dict<'d>,
    pub(crate) row: &'a RowIn<'a>,
    pub(crate) kind: Kind,
    pub(crate) layout: &'static Layout,
    pub(crate) event: Event,
    pub(crate) words: Words<'a>,
}

impl<'a, 'd> Context<'a, 'd> {
    /// The event of a row, unless its bytes are none.
    #[inline]
    pub(crate) fn of(config: Config, row: &'a RowIn<'a>, names: &'a Dict<'d>) -> Option<Context<'a, 'd>> {
        let kind = Kind::of(row.row.kind)?;
        let raw = row.raw.as_slice();
        let (_, event) = event(raw, config.big).ok()?;
        Some(Context { names, row, kind, layout: kind.layout(), event, words: Words::new(raw, config.big) })
    }

    /// Number of the event in its class.
    pub(crate) fn number(&self) -> u16 {
        self.event.header as u16 & 0x3FF
    }

    /// Number of the kernel call.
    pub(crate) fn call(&self) -> u16 {
        self.number() & !BIT64 & 0x7F
    }

    /// Whether the call failed.
    pub(crate) fn is_failure(&self) -> bool {
        self.words.is_failure(self.layout.group)
    }
}
