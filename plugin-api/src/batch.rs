//! What a feed adds to the host's lists. All items are plain old data of fixed size; whatever is variable lies in
//! one byte arena, [`Batch::bytes`].

use abi_stable::{StableAbi, std_types::RVec};

use crate::{activity::Activity, number::named_numbers, row::Row};

/// A piece of an arena.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// Offset in bytes.
    pub off: u32,
    /// Length in bytes.
    pub len: u32,
}

impl ByteRange {
    /// The bytes in `arena`; empty where the cut lies outside of it.
    #[must_use]
    pub fn of<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        let start = self.off as usize;
        arena.get(start..start.saturating_add(self.len as usize)).unwrap_or(&[])
    }
}

/// A sparse addition to a row. `at` = index of its row in the batch; pushed before the row.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// Index of the row in the batch.
    pub at: u32,
    /// What it is; 64 and up: declared in [`crate::info::Info::attachments`].
    pub id: AttachmentId,
    /// `a` and `b` are offset and length of bytes in the arena.
    pub is_bytes: bool,
    /// First value, or the offset in the arena.
    pub a: u64,
    /// Second value, or the length.
    pub b: u64,
}

impl Attachment {
    /// The bytes of an attachment that has some; empty without them or outside of the arena.
    #[must_use]
    pub fn bytes<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        if !self.is_bytes {
            return &[];
        }
        let (Ok(off), Ok(len)) = (usize::try_from(self.a), usize::try_from(self.b)) else { return &[] };
        arena.get(off..off.saturating_add(len)).unwrap_or(&[])
    }
}

named_numbers! {
    /// What an [`Attachment`] is; 64 and up are declared in [`crate::info::Info::attachments`].
    pub struct AttachmentId(u16) {
        /// An earlier stretch of the row: position, length.
        FRAGMENT = 1,
        /// The dictionary entry that the reference host would pick: space, scope.
        NAME_HINT = 2,
        /// Text, as bytes.
        TEXT = 3,
        /// Lost records: number; b = 1 exact, 0 at least.
        LOST = 4,
        /// Sequence number expected, got.
        EXPECTED = 5,
        /// Options learnt, `k=v` lines; they hold since the epoch began.
        OPTIONS = 7,
        /// What the reference host's buffer still held, as bytes.
        STALE = 8,
        /// Cause of a loss: 1 target, 2 line, 3 host.
        CAUSE = 9,
        /// Frames that a row of a damaged frame stands for, where it is not one.
        FRAMES = 11,
        /// Damaged frames within a gap.
        DAMAGED = 12,
        /// Ticks before and after what a note reports.
        SPAN = 13,
        /// Records that the target says it dropped so far; b = nanoseconds per tick of [`AttachmentId::SPAN`], 0 = unknown.
        TOTAL = 14,
        /// The record tells how many records the target dropped since it started; the host makes rows of what is new in
        /// it, see [`crate::host::DropTracker`]. b = nanoseconds per tick, 0 = unknown.
        DROP_TOTAL = 15,
        /// The total of dropped records fell: from, to.
        TOTAL_FELL = 16,
    }
}

impl AttachmentId {
    /// Whether the decoder declares it, not the contract.
    #[must_use]
    pub const fn is_own(self) -> bool {
        self.0 >= 64
    }
}

/// A change of the dictionary, which the host owns. Holds from row `at` on.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DictEvent {
    /// Number of rows in the batch at the time of the push.
    pub at: u32,
    /// One of [`dict_op`].
    pub op: u8,
    /// One of [`attr`], or 64 and up: declared in [`crate::info::Info::attrs`].
    pub attr: u8,
    /// Space of the key.
    pub space: u16,
    /// Key of the entry.
    pub key: u64,
    /// Scope of the entry; 0 where the space has none.
    pub scope: u64,
    /// Number, for attributes that are one.
    pub val: u64,
    /// Text in [`Batch::bytes`]; target bytes, any encoding.
    pub text: ByteRange,
    /// Space of `val` where it is a key.
    pub val_space: u16,
    /// Reserved, 0.
    pub flags: u16,
    /// Reserved, 0.
    pub reserved: u32,
}

/// Operations of [`DictEvent`].
pub mod dict_op {
    /// Set the attribute.
    pub const SET: u8 = 1;
    /// Remove the entry.
    pub const REMOVE: u8 = 2;
    /// Clear a space.
    pub const CLEAR: u8 = 3;
    /// Clear everything.
    pub const CLEAR_ALL: u8 = 4;
}

/// Attributes of a dictionary entry.
pub mod attr {
    /// Name, in `text`.
    pub const NAME: u8 = 0;
    /// Kind: `val` is a class that may override that of the space (a queue that is a lock); the text names it.
    pub const KIND: u8 = 1;
    /// Parent: `val`, `val_space`.
    pub const PARENT: u8 = 2;
    /// Value.
    pub const VALUE: u8 = 3;
    /// Is an idle task.
    pub const IDLE: u8 = 4;
    /// Capacity.
    pub const CAPACITY: u8 = 5;
    /// Priority.
    pub const PRIORITY: u8 = 6;
    /// Unit, in `text`.
    pub const UNIT: u8 = 7;
    /// Size in bytes.
    pub const SIZE: u8 = 8;
}

/// A configuration blob (sizes, byte order, version), named by [`Row::cfg`] from row `at` on.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CfgEvent {
    /// Number of rows in the batch at the time of the push.
    pub at: u32,
    /// The id that rows carry.
    pub id: u16,
    /// Reserved, 0.
    pub flags: u16,
    /// The blob; opaque to the host.
    pub blob: ByteRange,
}

/// How ticks become time: `ns = ticks * num / den`. The last of an epoch holds for the whole epoch.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockEvent {
    /// Number of rows in the batch at the time of the push.
    pub at: u32,
    /// Of [`clock_flag`].
    pub flags: u16,
    /// Numerator; 0 = rate unknown.
    pub num: u64,
    /// Denominator.
    pub den: u64,
    /// Unix time of tick 0 in ns.
    pub zero: i64,
    /// Width on the wire in bits.
    pub bits: u32,
    /// Resolution in ns.
    pub res_ns: u32,
}

/// Flags of [`ClockEvent`].
pub mod clock_flag {
    /// `zero` is valid.
    pub const ZERO: u16 = 1;
    /// A clock of the source's own, not the target's.
    pub const OWN: u16 = 2;
    /// The target may have told only a part of its rate: lists show ticks.
    pub const DOUBTFUL: u16 = 4;
}

/// A counter, absolute since open; sent when it changed.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Which counter.
    pub id: CounterId,
    /// Reserved, 0.
    pub reserved: u16,
    /// Reserved, 0.
    pub reserved2: u32,
    /// The value.
    pub val: u64,
}

named_numbers! {
    /// Number of a decoder's own counter, declared in [`crate::info::Info::counters`]. What follows from rows is counted
    /// by the host, see [`crate::host::RowCounters`].
    pub struct CounterId(u16) {
    }
}

/// What one feed adds. Owned and cleared by the host.
#[repr(C)]
#[derive(StableAbi, Debug, Default)]
pub struct Batch {
    /// Rows in order.
    pub rows: RVec<Row>,
    /// Extras, sorted by `at`.
    pub attachments: RVec<Attachment>,
    /// Dictionary events in order.
    pub dict: RVec<DictEvent>,
    /// Configuration blobs.
    pub cfgs: RVec<CfgEvent>,
    /// Clocks.
    pub clocks: RVec<ClockEvent>,
    /// Activities, in order of their rows.
    pub activities: RVec<Activity>,
    /// Counters that changed.
    pub counts: RVec<Count>,
    /// The arena.
    pub bytes: RVec<u8>,
}

impl Batch {
    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.attachments.clear();
        self.dict.clear();
        self.cfgs.clear();
        self.clocks.clear();
        self.activities.clear();
        self.counts.clear();
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_contract() {
        assert_eq!(size_of::<Attachment>(), 24);
        assert_eq!(size_of::<DictEvent>(), 48);
        assert_eq!(size_of::<CfgEvent>(), 16);
        assert_eq!(size_of::<ClockEvent>(), 40);
        assert_eq!(size_of::<Count>(), 16);
        assert_eq!(size_of::<Batch>(), 256);
    }

    #[test]
    fn cuts_outside_of_the_arena_are_empty() {
        assert_eq!(ByteRange { off: 1, len: 2 }.of(b"abc"), b"bc");
        assert_eq!(ByteRange { off: 2, len: 9 }.of(b"abc"), b"");
        assert_eq!(Attachment { is_bytes: true, a: u64::MAX, b: 4, ..Attachment::default() }.bytes(b"abc"), b"");
    }
}
