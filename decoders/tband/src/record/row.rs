//! Rows as both receivers make them.

use spytui_plugin_api::{
    AttachmentId, Output, Row,
    row::{RowFlags, RowKind, Severity},
};

use super::Record;
use crate::layout::{Layout, Role, Second, private_flag};

/// Core and time of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowContext {
    pub(crate) core: u16,
    /// Time of the last stamp.
    pub(crate) time: u64,
}

impl RowContext {
    /// The row of an event, without an object.
    #[inline(always)]
    pub(crate) fn record(&self, record: &Record<'_>, pos: u64, len: usize) -> Row {
        let layout = record.layout;
        let item = match layout.second {
            Second::Nothing => 0,
            Second::First => record.numbers[0],
            Second::Code => record.numbers[0] | u64::from(layout.is_local()) << 32,
        };
        Row {
            pos,
            time: self.time,
            obj: 0,
            item,
            len: len as u32,
            flags: flags_of(layout),
            kind: RowKind(layout.id.into()),
            cfg: 0,
            core: self.core,
            severity: Severity::NORMAL,
            group: layout.group as u8,
        }
    }

    /// A note with what every row has from its stream.
    pub(crate) fn note(&self, note: Row) -> Row {
        Row { time: self.time, core: self.core, ..note }
    }

    /// The row of frames without a record, whose attachments it adds; the reason follows from its bytes. `first` = no frame
    /// before them.
    pub(crate) fn bad_frames(&self, bad: BadFrames, first: bool, out: &mut Output<'_>) -> Row {
        if bad.frames != 1 {
            out.attachment(AttachmentId::FRAMES, bad.frames, 0);
        }
        let mut row = self.note(Row::skipped(RowKind::BAD_FRAME, bad.pos, bad.len));
        if bad.are_empty {
            row.severity = Severity::WARNING;
        }
        row.flags |= RowFlags::MALFORMED;
        if first {
            row.flags |= private_flag::FIRST;
        }
        row
    }
}

/// Frames without a valid record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BadFrames {
    pub(crate) pos: u64,
    pub(crate) len: usize,
    pub(crate) frames: u64,
    pub(crate) are_empty: bool,
}

impl BadFrames {
    pub(crate) fn one(pos: u64, len: usize) -> BadFrames {
        BadFrames { pos, len, frames: 1, are_empty: false }
    }

    pub(crate) fn empty(pos: u64, count: usize) -> BadFrames {
        BadFrames { pos, len: count, frames: count as u64, are_empty: true }
    }
}

/// Row flags that follow from the layout.
#[inline]
fn flags_of(layout: &Layout) -> RowFlags {
    let mut flags = RowFlags::empty();
    match layout.second {
        Second::Nothing => {}
        Second::First => flags |= RowFlags::HAS_ITEM,
        Second::Code => flags |= RowFlags::HAS_ITEM | RowFlags::APPLICATION,
    }
    // The core of later events is configuration, not an event of the core.
    if layout.role.is_naming() || layout.role == Role::Core {
        flags |= RowFlags::NAMING;
    }
    flags
}
