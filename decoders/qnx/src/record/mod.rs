//! The parsers of what a stream consists of, which define the formats: `event` of the instrumented kernel's events,
//! `whole` of a whole one with its fields, `header` of the header of a `.kev` file, `classic` of the records of the classic
//! trace logs.

mod classic;
mod event;
mod header;
mod whole;

pub(crate) use classic::{Classic, Read, What};
pub(crate) use event::{EVENT, Event, Structure, event};
pub(crate) use header::{ATTRIBUTES, Attributes, BEGIN, END, attributes};
pub(crate) use whole::{Content, FieldValue, Value, WORDS, Whole, text_of_message};

use spytui_plugin_api::RowIn;

use crate::{
    config::{Config, Format},
    layout::Kind,
};

/// What a row says.
#[derive(Clone, Debug)]
pub(crate) enum Record<'a> {
    /// An event of the instrumented kernel.
    Event(Whole<'a>),
    /// A record of a classic trace log.
    Classic(Format, Classic<'a>),
    /// Neither: a note, or bytes that are no record.
    None,
}

/// Reads the bytes of a row; `room` takes the words of an event with several parts. Inlined, as records are too large to
/// be returned fast.
#[inline(always)]
pub(crate) fn read<'a>(config: &Config, row: &'a RowIn<'a>, room: &'a mut Vec<u8>) -> Record<'a> {
    if !row.row.is_record() {
        return Record::None;
    }
    let raw = row.raw.as_slice();
    match config.classic() {
        Some(format) => match format.read(raw) {
            Read::Record(record) => Record::Classic(format, record),
            _ => Record::None,
        },
        None => {
            let whole = Kind::of(row.row.kind).and_then(|kind| Whole::read(kind, raw, config.big, room));
            whole.map_or(Record::None, Record::Event)
        }
    }
}
