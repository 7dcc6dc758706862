//! What a feed adds to the host's lists. All items are plain old data of fixed size; whatever is variable lies in
//! one byte arena, [`Batch::bytes`].

use abi_stable::{StableAbi, std_types::RVec};

use crate::{act::Act, row::Row};

/// A piece of an arena.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Offset in bytes.
    pub off: u32,
    /// Length in bytes.
    pub len: u32,
}

impl Cut {
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
pub struct Extra {
    /// Index of the row in the batch.
    pub at: u32,
    /// One of [`extra`], or 64 and up: declared in [`crate::info::Info::extras`].
    pub id: u16,
    /// [`extra::BYTES`].
    pub flags: u16,
    /// First value; with `BYTES` the offset in the arena.
    pub a: u64,
    /// Second value; with `BYTES` the length.
    pub b: u64,
}

impl Extra {
    /// The bytes of an extra with [`extra::BYTES`]; empty without the flag or outside of the arena.
    #[must_use]
    pub fn bytes<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        if self.flags & extra::BYTES == 0 {
            return &[];
        }
        let (Ok(off), Ok(len)) = (usize::try_from(self.a), usize::try_from(self.b)) else { return &[] };
        arena.get(off..off.saturating_add(len)).unwrap_or(&[])
    }
}

/// Ids and flags of [`Extra`].
pub mod extra {
    /// Flag: `a` = offset in the arena, `b` = length.
    pub const BYTES: u16 = 1;
    /// An earlier stretch of the row: position, length.
    pub const PIECE: u16 = 1;
    /// The dictionary entry that the reference host would pick: space, scope.
    pub const PIN: u16 = 2;
    /// Text, as bytes.
    pub const TEXT: u16 = 3;
    /// Lost records: number; b = 1 exact, 0 at least.
    pub const LOST: u16 = 4;
    /// Sequence number expected, got.
    pub const EXPECTED: u16 = 5;
    /// Who did it: space, key.
    pub const OWNER: u16 = 6;
    /// Options learnt, `k=v` lines; they hold since the epoch began.
    pub const OPTIONS: u16 = 7;
    /// What the reference host's buffer still held, as bytes.
    pub const STALE: u16 = 8;
    /// Cause of a loss: 1 target, 2 line, 3 host.
    pub const CAUSE: u16 = 9;
    /// Id of a flow.
    pub const FLOW: u16 = 10;
    /// First id of the decoder's own.
    pub const OWN: u16 = 64;
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
    pub text: Cut,
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
    pub blob: Cut,
}

/// How ticks become time: `ns = ticks * num / den`. The last of an epoch holds for the whole epoch.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockEvent {
    /// Number of rows in the batch at the time of the push.
    pub at: u32,
    /// Clock index.
    pub clock: u16,
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
    /// One of [`count`], or 64 and up: declared in [`crate::info::Info::counters`].
    pub id: u16,
    /// Reserved, 0.
    pub reserved: u16,
    /// Reserved, 0.
    pub reserved2: u32,
    /// The value.
    pub val: u64,
}

/// Ids of [`Count`].
pub mod count {
    /// Bytes fed.
    pub const BYTES: u16 = 0;
    /// Records.
    pub const RECORDS: u16 = 1;
    /// Bytes of records.
    pub const RECORD_BYTES: u16 = 2;
    /// Bytes skipped.
    pub const SKIPPED_BYTES: u16 = 3;
    /// Frames with a wrong check value.
    pub const BAD_CHECK: u16 = 4;
    /// Frames that break the framing rules.
    pub const BAD_FRAME: u16 = 5;
    /// Frames too short.
    pub const SHORT: u16 = 6;
    /// Frames too long.
    pub const LONG: u16 = 7;
    /// Sequence gaps.
    pub const GAPS: u16 = 8;
    /// Records lost, a lower bound.
    pub const LOST: u16 = 9;
    /// Records that the target says it dropped.
    pub const DROPPED: u16 = 10;
    /// Records of unknown kind.
    pub const UNKNOWN: u16 = 11;
    /// Records with a broken payload.
    pub const PAYLOAD: u16 = 12;
    /// Searches for sync.
    pub const RESYNCS: u16 = 13;
    /// Frames that came twice.
    pub const DUPLICATES: u16 = 14;
    /// Target epochs.
    pub const EPOCHS: u16 = 15;
    /// Lost buffers.
    pub const LOST_BUFFERS: u16 = 16;
    /// Short buffers.
    pub const SHORT_BUFFERS: u16 = 17;
    /// Missing events.
    pub const MISSING: u16 = 18;
    /// Parts without begin or end.
    pub const ORPHANS: u16 = 19;
    /// Counts that were stale and ignored.
    pub const STALE: u16 = 20;
    /// First id of the decoder's own.
    pub const OWN: u16 = 64;
}

/// What one feed adds. Owned and cleared by the host.
#[repr(C)]
#[derive(StableAbi, Debug, Default)]
pub struct Batch {
    /// Rows in order.
    pub rows: RVec<Row>,
    /// Extras, sorted by `at`.
    pub extras: RVec<Extra>,
    /// Dictionary events in order.
    pub dict: RVec<DictEvent>,
    /// Configuration blobs.
    pub cfgs: RVec<CfgEvent>,
    /// Clocks.
    pub clocks: RVec<ClockEvent>,
    /// Activities, in order of their rows.
    pub acts: RVec<Act>,
    /// Counters that changed.
    pub counts: RVec<Count>,
    /// The arena.
    pub bytes: RVec<u8>,
    /// Bytes fed that are in no row yet.
    pub pending: u64,
}

impl Batch {
    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.extras.clear();
        self.dict.clear();
        self.cfgs.clear();
        self.clocks.clear();
        self.acts.clear();
        self.counts.clear();
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_contract() {
        assert_eq!(size_of::<Extra>(), 24);
        assert_eq!(size_of::<DictEvent>(), 48);
        assert_eq!(size_of::<CfgEvent>(), 16);
        assert_eq!(size_of::<ClockEvent>(), 40);
        assert_eq!(size_of::<Count>(), 16);
        assert_eq!(size_of::<Batch>(), 264);
    }

    #[test]
    fn cuts_outside_of_the_arena_are_empty() {
        assert_eq!(Cut { off: 1, len: 2 }.of(b"abc"), b"bc");
        assert_eq!(Cut { off: 2, len: 9 }.of(b"abc"), b"");
        assert_eq!(Extra { flags: extra::BYTES, a: u64::MAX, b: 4, ..Extra::default() }.bytes(b"abc"), b"");
    }
}
