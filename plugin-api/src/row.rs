//! Rows: the one ordered list that a decoder produces. Everything that can be a line is a row: records, damaged
//! frames, gaps, resyncs, banners.

use abi_stable::StableAbi;

/// "No space": the operand or key does not exist.
pub const NONE: u16 = 0xFFFF;

/// One row, 48 bytes, given back unchanged to `render`.
///
/// `pos` and `len` name the **last contiguous stretch** of framed bytes of the row: separators in front of a frame
/// belong to it, its end mark too. Earlier stretches are extras [`crate::batch::extra::PIECE`]. `pos` never
/// decreases from row to row; rows are ordered by completion and never amended.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Absolute offset of the last stretch in the stream, in bytes.
    pub pos: u64,
    /// Ticks of the row's clock, extended to 64 bits; inherited from the lane when [`flag::TIME_OWN`] is clear.
    pub time: u64,
    /// Key of the entity that the row is about; its space is [`crate::info::KindInfo::obj_space`].
    pub obj: u64,
    /// Second *key* (signal, call number, application code), never a measurement.
    pub aux: u64,
    /// Bytes of the last stretch; 0 = a synthetic row.
    pub len: u32,
    /// [`flag`] bits.
    pub flags: u32,
    /// 0x0000–0xFEFF the decoder's own, 0xFF00–0xFF7F [`note`], 0xFF80–0xFFFF the host's.
    pub kind: u16,
    /// Id of the configuration blob in force.
    pub cfg: u16,
    /// CPU, core or channel; 0xFFFF = concerns all.
    pub lane: u16,
    /// [`severity`].
    pub severity: u8,
    /// Index into [`crate::info::Info::groups`] by id.
    pub group: u8,
}

impl Row {
    /// Whether all bits of `flags` are set.
    #[must_use]
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }

    /// Whether this row is a record of the target: not a note of the decoder and not a row of the host.
    #[must_use]
    pub const fn is_record(&self) -> bool {
        self.flags & flag::NOTE == 0 && self.kind < note::FIRST
    }
}

/// Bits of [`Row::flags`]. Bits 19–23 are reserved and 0; 28–31 are the decoder's own.
pub mod flag {
    /// The row carries a time stamp of its own.
    pub const TIME_OWN: u32 = 1;
    /// `time` means something; clear before the first stamp.
    pub const TIME_KNOWN: u32 = 1 << 1;
    /// `time` is below that of the row before it in the same lane.
    pub const TIME_BACK: u32 = 1 << 2;
    /// Wraps of the target's counter may be missing.
    pub const TIME_UNSURE: u32 = 1 << 3;
    /// `obj` is valid (0 is a legal key).
    pub const HAS_OBJ: u32 = 1 << 4;
    /// `aux` is valid.
    pub const HAS_AUX: u32 = 1 << 5;
    /// The row has extras.
    pub const EXTRAS: u32 = 1 << 6;
    /// Some of the extras are earlier stretches.
    pub const PIECES: u32 = 1 << 7;
    /// The bytes belong to an earlier row: several rows from one frame.
    pub const SHARED: u32 = 1 << 8;
    /// The bytes count as skipped.
    pub const SKIPPED: u32 = 1 << 9;
    /// Not a record and not counted as one.
    pub const NOTE: u32 = 1 << 10;
    /// First row of a new target epoch.
    pub const EPOCH: u32 = 1 << 11;
    /// Something may be missing before this row in its lane: derived states become unsure.
    pub const LOSS_BEFORE: u32 = 1 << 12;
    /// The frame is good, its payload is not.
    pub const MALFORMED: u32 = 1 << 13;
    /// An application record: the host asks the formatters.
    pub const APP: u32 = 1 << 14;
    /// Only names or configuration.
    pub const NAMING: u32 = 1 << 15;
    /// A record that is no news: it says again what is known, as a count that has not changed. Lists leave it out until
    /// they are asked for it; it is counted, and written, as any other.
    pub const REPEAT: u32 = 1 << 17;
    /// All that this record says is said by a note before it, as the loss that a count reveals.
    pub const TOLD: u32 = 1 << 18;
    /// No news, for the one reason or the other.
    pub const NO_NEWS: u32 = REPEAT | TOLD;
    /// Shift of the clock index, bits 24–27.
    pub const CLOCK_SHIFT: u32 = 24;
}

/// Values of [`Row::severity`].
pub mod severity {
    /// Ordinary.
    pub const NORMAL: u8 = 0;
    /// Worth a look: something was ignored, a command was answered.
    pub const INFO: u8 = 1;
    /// Something is lost, refused or uncertain.
    pub const WARNING: u8 = 2;
    /// Something is broken: an assertion, a damaged frame.
    pub const ERROR: u8 = 3;
}

/// Kinds of notes, 0xFF00–0xFF7F by decoders, 0xFF80 up by the host.
pub mod note {
    /// First kind that is no record.
    pub const FIRST: u16 = 0xFF00;
    /// Lost records: a jump of the sequence number. Stands before the row that revealed it.
    pub const GAP: u16 = 0xFF00;
    /// A frame with a wrong check value.
    pub const BAD_CHECK: u16 = 0xFF01;
    /// A frame too short to be one.
    pub const TOO_SHORT: u16 = 0xFF02;
    /// A frame longer than the decoder's limit.
    pub const TOO_LONG: u16 = 0xFF03;
    /// A frame that breaks the framing rules.
    pub const BAD_FRAME: u16 = 0xFF04;
    /// Bytes skipped in search of the next frame.
    pub const RESYNC: u16 = 0xFF05;
    /// The stream begins in the middle of a frame.
    pub const PARTIAL: u16 = 0xFF06;
    /// The stream ends in the middle of a frame.
    pub const TAIL: u16 = 0xFF07;
    /// The sequence numbering started again.
    pub const RESTART: u16 = 0xFF08;
    /// A frame that came twice.
    pub const DUPLICATE: u16 = 0xFF09;
    /// The target was reset, where no record says it.
    pub const RESET: u16 = 0xFF0A;
    /// Configuration learnt from the stream.
    pub const CONFIG: u16 = 0xFF0B;
    /// What was learnt contradicts what was set or known.
    pub const CONFLICT: u16 = 0xFF0C;
    /// The target says how many records it dropped.
    pub const DROP: u16 = 0xFF0D;
    /// Target time went back.
    pub const TIME_BACK: u16 = 0xFF0E;
    /// Parts of a record without begin or end.
    pub const ORPHANS: u16 = 0xFF0F;
    /// Printable text between frames.
    pub const CONSOLE: u16 = 0xFF10;
    /// Before the first row: a banner or file header.
    pub const PROLOG: u16 = 0xFF11;
    /// After the last row.
    pub const EPILOG: u16 = 0xFF12;
    /// A hint of the decoder to the user.
    pub const HINT: u16 = 0xFF13;
    /// A name that changed.
    pub const RENAMED: u16 = 0xFF14;
    /// A message of the plugin.
    pub const MESSAGE: u16 = 0xFF15;
    /// Host: link up or down.
    pub const LINK: u16 = 0xFF80;
    /// Host: command sent.
    pub const COMMAND: u16 = 0xFF81;
    /// Host: answer or time-out of a command.
    pub const ANSWER: u16 = 0xFF82;
    /// Host: mark of the user.
    pub const MARK: u16 = 0xFF83;
    /// Host: fault of the decoder.
    pub const FAULT: u16 = 0xFF84;
    /// Host: bytes lost on this side.
    pub const HOST_LOSS: u16 = 0xFF85;

    /// The word for a note's kind, as in the `jsonl` format; `None` for record kinds and unknown numbers.
    #[must_use]
    pub const fn word(kind: u16) -> Option<&'static str> {
        Some(match kind {
            GAP => "gap",
            BAD_CHECK => "bad_checksum",
            TOO_SHORT => "too_short",
            TOO_LONG => "too_long",
            BAD_FRAME => "bad_frame",
            RESYNC => "resync",
            PARTIAL => "partial",
            TAIL => "tail",
            RESTART => "restart",
            DUPLICATE => "duplicate",
            RESET => "reset",
            CONFIG => "config",
            CONFLICT => "conflict",
            DROP => "drop",
            TIME_BACK => "time_back",
            ORPHANS => "orphans",
            CONSOLE => "console",
            PROLOG => "prolog",
            EPILOG => "epilog",
            HINT => "hint",
            RENAMED => "renamed",
            MESSAGE => "message",
            LINK => "link",
            COMMAND => "command",
            ANSWER => "answer",
            MARK => "mark",
            FAULT => "fault",
            HOST_LOSS => "host_loss",
            _ => return None,
        })
    }

    /// Whether rows of this kind say that something is missing or damaged (they pass every filter).
    #[must_use]
    pub const fn is_loss(kind: u16) -> bool {
        matches!(kind, GAP | BAD_CHECK | TOO_SHORT | TOO_LONG | BAD_FRAME | RESYNC | DROP | ORPHANS | FAULT | HOST_LOSS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_is_48_bytes() {
        assert_eq!(size_of::<Row>(), 48);
    }

    #[test]
    fn notes_are_no_records() {
        let gap = Row { kind: note::GAP, flags: flag::NOTE, ..Row::default() };
        assert!(!gap.is_record());
        assert!(Row::default().is_record());
        assert_eq!(note::word(note::GAP), Some("gap"));
        assert_eq!(note::word(6), None);
    }
}
