//! Rows: the ordered output of a decoder. Every line of the list is a row: records, damaged frames, gaps, resyncs,
//! banners.

use abi_stable::StableAbi;

use crate::number::{named_flags, named_numbers};

/// "No space": operand or key absent.
pub const NONE: u16 = 0xFFFF;

/// "No group": the row is a note.
pub const NO_GROUP: u8 = 0xFF;

/// A row, 48 bytes, passed unchanged to `render`.
///
/// `pos` and `len` are the **last contiguous fragment** of the row's raw bytes, including separators before a frame and its
/// end mark. Earlier fragments are attachments [`crate::AttachmentId::FRAGMENT`]. `pos` never decreases from row to
/// row; rows are ordered by completion and never amended.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Row {
    /// Absolute offset of the last fragment in the stream, in bytes.
    pub pos: u64,
    /// Ticks of the row's clock, extended to 64 bits; inherited from the core if [`RowFlags::TIME_OWN`] is clear.
    pub time: u64,
    /// Key of the row's object; its space is [`crate::info::KindInfo::obj_space`].
    pub obj: u64,
    /// Second *key* (signal, call number, application code), never a measurement. If the kind is named at run time
    /// instead of declared in [`crate::Info`], its number on the target.
    pub item: u64,
    /// Length of the last fragment; 0 = a synthetic row.
    pub len: u32,
    /// Flags.
    pub flags: RowFlags,
    /// 0x0000–0xFEFF records of the decoder, 0xFF00–0xFF7F notes, 0xFF80–0xFFFF rows of the host.
    pub kind: RowKind,
    /// Id of the current configuration blob.
    pub cfg: u16,
    /// CPU, core or channel; 0xFFFF = all.
    pub core: u16,
    /// Severity; [`crate::info::KindInfo::severity`] is the usual one of its kind.
    pub severity: Severity,
    /// Id of its kind's group; [`NO_GROUP`] = none. Duplicated here because lists read it for each row.
    pub group: u8,
}

impl Row {
    /// A note with the usual severity of its kind. The caller fills in time, core and configuration.
    pub const fn note(kind: RowKind, pos: u64, len: usize) -> Row {
        Row {
            pos,
            time: 0,
            obj: 0,
            item: 0,
            len: if len > u32::MAX as usize { u32::MAX } else { len as u32 },
            flags: RowFlags::empty(),
            kind,
            cfg: 0,
            core: 0,
            severity: kind.usual_severity(),
            group: NO_GROUP,
        }
    }

    /// A note about skipped bytes, such as a damaged frame or noise.
    pub const fn skipped(kind: RowKind, pos: u64, len: usize) -> Row {
        Row { flags: RowFlags::SKIPPED, ..Row::note(kind, pos, len) }
    }

    /// A sequence gap before the record at `pos`; attachments hold the number of lost records.
    pub const fn gap(pos: u64) -> Row {
        Row::note(RowKind::GAP, pos, 0)
    }

    /// Whether all bits of `flags` are set.
    pub const fn has(&self, flags: RowFlags) -> bool {
        self.flags.contains(flags)
    }

    /// Whether `time` is valid, either the row's own or inherited.
    pub const fn has_time(&self) -> bool {
        self.flags.intersects(RowFlags::TIME_OWN.union(RowFlags::TIME_INHERITED))
    }

    /// Whether records may be missing here, so that open spans are uncertain and times across it are unknown: at each
    /// note of lost records, and where [`RowFlags::HIDES_RECORDS`] is set.
    #[inline]
    pub fn may_hide_records(&self) -> bool {
        self.has(RowFlags::HIDES_RECORDS) || self.kind.is_note() && self.kind.loss() == Loss::Records
    }

    /// Whether this row is a record of the target, not a note of the decoder or a row of the host.
    pub const fn is_record(&self) -> bool {
        !self.kind.is_note()
    }
}

named_flags! {
    /// Flags of [`Row::flags`]. Bits 25–27 are reserved and 0; bits 28–31 are the decoder's own, see [`RowFlags::own`].
    pub struct RowFlags(u32) {
        /// The row has its own time stamp.
        TIME_OWN = 1,
        /// Set by the host: `time` is copied from an earlier row of the epoch.
        TIME_INHERITED = 1 << 1,
        /// `obj` is valid (0 is a legal key).
        HAS_OBJECT = 1 << 4,
        /// `item` is valid.
        HAS_ITEM = 1 << 5,
        /// Some of the attachments are earlier fragments.
        FRAGMENTED = 1 << 7,
        /// The bytes belong to an earlier row, because a frame has several rows.
        SHARED = 1 << 8,
        /// The bytes count as skipped.
        SKIPPED = 1 << 9,
        /// First row of a new target epoch.
        EPOCH = 1 << 11,
        /// The frame is valid, but its payload is not.
        MALFORMED = 1 << 13,
        /// An application record.
        APPLICATION = 1 << 14,
        /// Contains only names or configuration.
        NAMING = 1 << 15,
        /// A record that a decoder option disables. Lists and exports leave it out by default; counters still count it.
        MASKED = 1 << 16,
        /// A record without news, such as an unchanged count. Lists hide it by default; everything else treats it as
        /// usual.
        UNCHANGED = 1 << 17,
        /// A record of unknown kind.
        UNKNOWN = 1 << 19,
        /// A preceding note already reports the content of this record, such as a loss revealed by a count.
        REPORTED = 1 << 18,
        /// Set by the host: the row is about the next record, and is kept with it.
        OF_NEXT = 1 << 20,
        /// The integers of its application bytes are big-endian, see [`crate::Want::PAYLOAD`].
        BIG_ENDIAN = 1 << 21,
        /// The record is late, from another sender, or its number is undecided: its place in the list says nothing
        /// about when it was made. The host ignores its activities.
        OUT_OF_ORDER = 1 << 22,
        /// Records may be missing here without a sequence number to show it. Where sequence numbers are turned off,
        /// decoders set it on notes of damage, on the first record after a link was down, and on unreadable records. If
        /// [`crate::Info::sequence_bits`] is 0, the host sets it on notes of damage and of that link.
        HIDES_RECORDS = 1 << 23,
        /// Set by the host on a row whose fields need no rendering: it has a plan of them.
        HAS_PLAN = 1 << 24,
        /// Unchanged or reported.
        REDUNDANT = 1 << 17 | 1 << 18,
    }
}

impl RowFlags {
    /// The `n`-th of four flags private to the decoder.
    pub const fn own(n: u32) -> RowFlags {
        RowFlags(1 << (28 + (n & 3)))
    }
}

named_numbers! {
    /// Severity of a row.
    pub struct Severity(u8) {
        /// Ordinary.
        NORMAL = 0,
        /// Worth knowing: something was ignored, a command was answered.
        INFO = 1,
        /// Something was lost, refused or is uncertain.
        WARNING = 2,
        /// Something is broken: an assertion, a damaged frame.
        ERROR = 3,
    }
}

named_numbers! {
    /// Kind of a row: 0x0000–0xFEFF records, 0xFF00–0xFF3F notes, 0xFF40–0xFF5F decoder-specific notes, 0xFF60–0xFF7F
    /// decoder-specific notes of losses, 0xFF80–0xFFFF rows of the host.
    pub struct RowKind(u16) {
        /// Sequence gap: lost records. Precedes the row that revealed it.
        GAP = 0xFF00,
        /// A frame with a bad checksum.
        BAD_CHECK = 0xFF01,
        /// A frame that is too short.
        TOO_SHORT = 0xFF02,
        /// A frame longer than the decoder's limit.
        TOO_LONG = 0xFF03,
        /// A frame that violates the framing rules.
        BAD_FRAME = 0xFF04,
        /// Bytes skipped in search of the next frame.
        RESYNC = 0xFF05,
        /// The stream begins in the middle of a frame.
        PARTIAL = 0xFF06,
        /// The stream ends in the middle of a frame.
        TAIL = 0xFF07,
        /// The sequence numbers restarted.
        RESTART = 0xFF08,
        /// A repeated frame.
        DUPLICATE = 0xFF09,
        /// The target was reset without sending a record.
        RESET = 0xFF0A,
        /// Configuration learned from the stream.
        CONFIG = 0xFF0B,
        /// Learned configuration contradicts options or earlier knowledge.
        CONFLICT = 0xFF0C,
        /// The target dropped records. Created by the host from reported totals.
        DROP = 0xFF0D,
        /// Target time went back.
        TIME_BACK = 0xFF0E,
        /// Parts of a record whose begin or end is missing.
        ORPHANS = 0xFF0F,
        /// Printable text between frames.
        CONSOLE = 0xFF10,
        /// A banner or file header before the first row.
        PROLOG = 0xFF11,
        /// A frame cut off when the link went down.
        CUT_OFF = 0xFF12,
        /// A hint from the decoder to the user.
        HINT = 0xFF13,
        /// A record arrived after its successors.
        LATE = 0xFF14,
        /// Host: link up or down.
        LINK = 0xFF80,
        /// Host: a command to the target.
        COMMAND = 0xFF81,
        /// Host: how a command ended.
        RESULT = 0xFF82,
        /// Host: a note of a front end, or about it.
        FRONT_END = 0xFF83,
        /// Host: the decoder failed.
        FAULT = 0xFF84,
        /// Host: the host lost bytes.
        HOST_LOSS = 0xFF85,
    }
}

impl RowKind {
    /// The first decoder-specific kind of notes.
    pub const FIRST_OWN_NOTE: RowKind = RowKind(0xFF40);

    /// The first decoder-specific kind of notes that report lost records; hosts treat them like gaps.
    pub const FIRST_OWN_LOSS: RowKind = RowKind(0xFF60);

    const fn is_own_loss(self) -> bool {
        self.0 >= RowKind::FIRST_OWN_LOSS.0 && !self.is_of_host()
    }

    /// Whether this is a note or a row of the host, not a record.
    pub const fn is_note(self) -> bool {
        self.0 >= 0xFF00
    }

    /// Whether only the host creates rows of this kind.
    pub const fn is_of_host(self) -> bool {
        self.0 >= 0xFF80
    }

    /// The word for a kind of notes, used in jsonl; `None` for records and unknown kinds.
    pub fn word(self) -> Option<&'static str> {
        self.known_note().map(|note| note.1)
    }

    /// Severity of notes of this kind unless the decoder sets another.
    pub const fn usual_severity(self) -> Severity {
        match self.known_note() {
            Some(note) => note.2,
            None if self.is_own_loss() => Severity::ERROR,
            None => Severity::NORMAL,
        }
    }

    /// Whether rows of this kind report loss or damage (they pass every filter).
    #[inline]
    pub fn is_loss(self) -> bool {
        self.is_note() && self.loss() != Loss::None
    }

    /// Whether rows of this kind report bytes that no record could be read from.
    pub fn is_damage(self) -> bool {
        self.is_note() && self.loss() == Loss::Bytes
    }

    fn loss(self) -> Loss {
        self.known_note().map_or(if self.is_own_loss() { Loss::Records } else { Loss::None }, |note| note.3)
    }

    const fn known_note(self) -> Option<&'static KnownNote> {
        let mut at = 0;
        while at < NOTES.len() {
            if NOTES[at].0.0 == self.0 {
                return Some(&NOTES[at]);
            }
            at += 1;
        }
        None
    }
}

/// What may be lost at a note.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loss {
    None,
    /// Bytes, or exactly what the note reports.
    Bytes,
    /// Records may be missing.
    Records,
}

/// A kind of notes, its word, its usual severity, and what it reports as lost.
type KnownNote = (RowKind, &'static str, Severity, Loss);

/// All kinds of notes except decoder-specific ones.
static NOTES: [KnownNote; 27] = [
    (RowKind::GAP, "gap", Severity::ERROR, Loss::Records),
    (RowKind::BAD_CHECK, "bad_checksum", Severity::ERROR, Loss::Bytes),
    (RowKind::TOO_SHORT, "too_short", Severity::ERROR, Loss::Bytes),
    (RowKind::TOO_LONG, "too_long", Severity::ERROR, Loss::Bytes),
    (RowKind::BAD_FRAME, "bad_frame", Severity::ERROR, Loss::Bytes),
    (RowKind::RESYNC, "resync", Severity::ERROR, Loss::Bytes),
    (RowKind::PARTIAL, "partial", Severity::NORMAL, Loss::None),
    (RowKind::TAIL, "tail", Severity::WARNING, Loss::None),
    (RowKind::RESTART, "restart", Severity::INFO, Loss::None),
    (RowKind::DUPLICATE, "duplicate", Severity::WARNING, Loss::None),
    (RowKind::RESET, "reset", Severity::WARNING, Loss::None),
    (RowKind::CONFIG, "config", Severity::INFO, Loss::None),
    (RowKind::CONFLICT, "conflict", Severity::WARNING, Loss::None),
    (RowKind::DROP, "drop", Severity::WARNING, Loss::Records),
    (RowKind::TIME_BACK, "time_back", Severity::WARNING, Loss::None),
    (RowKind::ORPHANS, "parts", Severity::WARNING, Loss::Records),
    (RowKind::CONSOLE, "console", Severity::NORMAL, Loss::None),
    (RowKind::PROLOG, "prolog", Severity::NORMAL, Loss::None),
    (RowKind::CUT_OFF, "cut_off", Severity::WARNING, Loss::Bytes),
    (RowKind::HINT, "hint", Severity::WARNING, Loss::None),
    (RowKind::LATE, "late_frame", Severity::WARNING, Loss::None),
    (RowKind::LINK, "link", Severity::INFO, Loss::None),
    (RowKind::COMMAND, "command", Severity::INFO, Loss::None),
    (RowKind::RESULT, "result", Severity::INFO, Loss::None),
    (RowKind::FRONT_END, "front_end", Severity::INFO, Loss::None),
    (RowKind::FAULT, "fault", Severity::ERROR, Loss::Records),
    (RowKind::HOST_LOSS, "host_loss", Severity::ERROR, Loss::Records),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_is_48_bytes() {
        assert_eq!(size_of::<Row>(), 48);
    }

    #[test]
    fn a_decoder_has_losses_of_its_own() {
        let is_loss = |kind: RowKind| (kind.is_loss(), Row::note(kind, 0, 0).may_hide_records());
        assert_eq!([RowKind::FIRST_OWN_LOSS, RowKind(0xFF7F)].map(is_loss), [(true, true); 2]);
        assert_eq!([RowKind::FIRST_OWN_NOTE, RowKind(0xFF5F), RowKind::LINK].map(is_loss), [(false, false); 3]);
    }

    #[test]
    fn damage_may_hide_records_where_no_number_shows_that() {
        let damage = Row::skipped(RowKind::BAD_CHECK, 0, 7);
        let flagged = Row { flags: RowFlags::SKIPPED | RowFlags::HIDES_RECORDS, ..damage };
        let unread = Row { flags: RowFlags::MALFORMED | RowFlags::HIDES_RECORDS, ..Row::default() };
        let all = [Row::gap(0), damage, flagged, unread, Row::default()];
        assert_eq!(all.map(|row| row.may_hide_records()), [true, false, true, true, false]);
    }

    #[test]
    fn notes_are_no_records() {
        let gap = Row { kind: RowKind::GAP, ..Row::default() };
        assert!(!gap.is_record());
        assert!(Row::default().is_record());
        assert_eq!(RowKind::GAP.word(), Some("gap"));
        assert_eq!(RowKind(6).word(), None);
    }
}
