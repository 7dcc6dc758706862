//! What a time stamp reveals besides the time, and the note about it.

use spytui_plugin_api::text::grouped;
use spytui_plugin_api::{
    batch::AttachmentId,
    output::Output,
    row::{Row, RowKind, Severity},
};

/// What a time stamp reveals besides the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockNews {
    /// Time went back.
    Back {
        /// Time of the previous stamp.
        from: u64,
        /// Time of this stamp.
        to: u64,
    },
    /// The counter wrapped for the first time.
    Wrapped {
        /// Bits of the counter.
        bits: u32,
        /// The width is inferred from the wrap.
        is_guess: bool,
    },
    /// The stamp was read before software had counted a wrap. Its time is corrected.
    Behind {
        /// The stamp as received.
        stamp: u64,
        /// Bits of the hardware counter.
        bits: u32,
        /// The previous stamp had the same fault.
        again: bool,
    },
    /// The stamp seems to include a wrap that had not happened yet. Its time is unknown.
    Ahead {
        /// The stamp as received.
        stamp: u64,
        /// Bits of the hardware counter.
        bits: u32,
        /// The previous stamp had the same fault.
        again: bool,
    },
    /// The apparent wrap was a late carry in software.
    Carried {
        /// Bits of the hardware counter.
        bits: u32,
    },
    /// The apparent wrap was not a wrap.
    Refuted {
        /// Bits that the counter appeared to have.
        bits: u32,
        /// Time of the previous stamp, including the assumed wraps.
        from: u64,
        /// Time of this stamp.
        to: u64,
    },
}

impl ClockNews {
    /// Whether the time of the record is unknown.
    pub const fn hides_time(&self) -> bool {
        matches!(self, ClockNews::Ahead { .. })
    }

    /// The note before the record at `pos`; adds its attachments. The caller fills in time, core and configuration.
    /// `None` = already reported.
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
