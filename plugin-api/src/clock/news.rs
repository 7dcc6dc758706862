//! What a time stamp shows besides the time, and the note that says it.

use crate::{
    batch::AttachmentId,
    host::grouped,
    output::Output,
    row::{Row, RowKind, Severity},
};

/// What a time stamp shows besides the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockNews {
    /// Time went back.
    Back {
        /// Time of the stamp before.
        from: u64,
        /// Time of this one.
        to: u64,
    },
    /// The counter wrapped for the first time.
    Wrapped {
        /// Bits of the counter.
        bits: u32,
        /// Only the wrap shows how many bits it has.
        is_guess: bool,
    },
    /// Software had not yet counted a wrap when the stamp was read. Its time is corrected.
    Behind {
        /// The stamp as it came.
        stamp: u64,
        /// Bits of the counter without software.
        bits: u32,
        /// So was the stamp before.
        again: bool,
    },
    /// The stamp seems to have counted a wrap before it came. Its time is not known.
    Ahead {
        /// The stamp as it came.
        stamp: u64,
        /// Bits of the counter without software.
        bits: u32,
        /// So was the stamp before.
        again: bool,
    },
    /// What seemed to be a wrap was one that software counts, later than it should.
    Carried {
        /// Bits of the counter without software.
        bits: u32,
    },
    /// What seemed to be a wrap was none.
    Refuted {
        /// Bits that the counter seemed to have.
        bits: u32,
        /// Time of the stamp before, with the wraps.
        from: u64,
        /// Time of this one.
        to: u64,
    },
}

impl ClockNews {
    /// Whether the stamp does not say when its record was made.
    pub const fn hides_time(&self) -> bool {
        matches!(self, ClockNews::Ahead { .. })
    }

    /// The note before the record at `pos`, whose attachments it adds; time, core and configuration are yet to be filled
    /// in. `None` = it was said already.
    pub fn note(&self, pos: u64, out: &mut Output<'_>) -> Option<Row> {
        let hint = Row::note(RowKind::HINT, pos, 0);
        let row = match *self {
            ClockNews::Behind { again: true, .. } | ClockNews::Ahead { again: true, .. } => return None,
            ClockNews::Back { .. } => Row::note(RowKind::TIME_BACK, pos, 0),
            ClockNews::Refuted { from, to, .. } if to < from => Row::note(RowKind::TIME_BACK, pos, 0),
            ClockNews::Wrapped { is_guess: false, .. } => Row { severity: Severity::INFO, ..hint },
            _ => hint,
        };
        match (*self, self.text()) {
            (ClockNews::Back { from, to }, _) => out.attachment(AttachmentId::SPAN, from, to),
            (_, text) => out.attachment_bytes(AttachmentId::TEXT, text.as_bytes()),
        }
        Some(row)
    }

    fn text(&self) -> String {
        match *self {
            ClockNews::Back { .. } => String::new(),
            ClockNews::Wrapped { bits, is_guess: false } => format!("{bits}-bit counter wrapped; time continues"),
            ClockNews::Wrapped { bits, .. } => format!(
                "counter wrapped close to 2^{bits}; time continues: a guess, \
                 -o counter-bits={bits} confirms it, counter-bits=64 denies it"
            ),
            ClockNews::Behind { stamp, bits, .. } => format!(
                "time stamp {} lacks 2^{bits}, read before the carry of its counter: corrected{}",
                grouped(stamp),
                remedy(bits)
            ),
            ClockNews::Ahead { stamp, bits, .. } => format!(
                "time stamp {} may be 2^{bits} too far, read at a wrap of its counter: not used{}",
                grouped(stamp),
                remedy(bits)
            ),
            ClockNews::Carried { bits } => format!(
                "time stamps have more than {bits} bits, those since the wrap lacked the carry of their counter{}",
                remedy(bits)
            ),
            ClockNews::Refuted { bits, .. } => format!(
                "time stamps have more than {bits} bits: the counter did not wrap, time went back there, as by a reset; \
                 -o counter-bits=64 shows it"
            ),
        }
    }
}

fn remedy(bits: u32) -> String {
    format!("; -o counter-bits={bits} reads the counter alone")
}
