//! Output of a decoder for a chunk. All items are plain data of fixed size; variable-length parts are in the arena
//! [`Batch::bytes`].

use abi_stable::{StableAbi, std_types::RVec};

use crate::{
    Activity, Row, RowFlags, RowKind,
    number::{named_flags, named_numbers},
};

/// A range of bytes in an arena.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// Offset in bytes.
    pub off: u32,
    /// Length in bytes.
    pub len: u32,
}

impl ByteRange {
    /// The bytes in `arena`; empty if out of range.
    pub fn of<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        let start = self.off as usize;
        arena.get(start..start.saturating_add(self.len as usize)).unwrap_or(&[])
    }
}

/// Additional data for a row; pushed before the row.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attachment {
    /// Index of the row in the batch.
    pub at: u32,
    /// Kind of data; ids from 64 up are declared in [`crate::info::Info::attachments`].
    pub id: AttachmentId,
    /// `a` and `b` are the offset and length of bytes in the arena.
    pub is_bytes: bool,
    /// First value, or the offset in the arena.
    pub a: u64,
    /// Second value, or the length.
    pub b: u64,
}

impl Attachment {
    /// The bytes of the attachment; empty if it has none or they are out of range.
    pub fn bytes<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        if !self.is_bytes {
            return &[];
        }
        let (Ok(off), Ok(len)) = (usize::try_from(self.a), usize::try_from(self.b)) else { return &[] };
        arena.get(off..off.saturating_add(len)).unwrap_or(&[])
    }
}

named_numbers! {
    /// Kind of an [`Attachment`]; ids from 64 up are declared in [`crate::info::Info::attachments`].
    pub struct AttachmentId(u16) {
        /// An earlier piece of the row: position, length.
        FRAGMENT = 1,
        /// The dictionary entry that the reference host would use: space, scope.
        NAME_HINT = 2,
        /// Text, as bytes.
        TEXT = 3,
        /// Lost records: number; b is one of [`lost`]. Exact only if it comes from a total or a number that can't have
        /// wrapped: with 8-bit sequence numbers, 3 may really be 259.
        LOST = 4,
        /// Sequence number: expected, received.
        EXPECTED = 5,
        /// Options learned, as `k=v` lines; valid from the start of the epoch.
        OPTIONS = 7,
        /// Cause of a loss: a [`LossCause`].
        CAUSE = 9,
        /// Number of damaged frames in the row, if more than one.
        FRAMES = 11,
        /// Damaged frames within a gap.
        DAMAGED = 12,
        /// Time in ticks before and after the reported event.
        SPAN = 13,
        /// Total number of records the target has dropped; b = nanoseconds per tick of [`AttachmentId::SPAN`], 0 =
        /// unknown.
        TOTAL = 14,
        /// The record reports how many records the target has dropped since it started; the host adds rows for any
        /// increase, see its `DropTracker`. b = nanoseconds per tick, 0 = unknown.
        DROP_TOTAL = 15,
        /// The total of dropped records fell: from, to.
        TOTAL_FELL = 16,
        /// Why the row starts an epoch, in words, as bytes: `new trace run`. Without it the host reports a target
        /// reset.
        NEW_EPOCH = 18,
        /// The record answers a command: token of its frame, [`crate::info::AnswerStage`].
        ANSWER = 19,
        /// Like [`AttachmentId::ANSWER`], without a token: answers the oldest pending command.
        ANSWER_TO_ANY = 20,
        /// A value in the answer, for the encoder: id (defined by the decoder), value.
        ANSWER_DATA = 21,
        /// A later record settles an earlier gap: 8 × the change in records + one of [`lost`]; position of the gap. The
        /// host updates the gap, see [`crate::Growth`].
        SETTLED = 22,
        /// The record reports how many records the target dropped since the previous total; they are among those lost
        /// in earlier gaps.
        DROPPED = 23,
        /// The record fills an earlier gap: position of the gap, how many are still missing.
        FILLS = 24,
    }
}

named_numbers! {
    /// Where records or bytes were lost.
    pub struct LossCause(u64) {
        /// No loss, or cause unknown.
        NONE = 0,
        /// The target: its buffer was full.
        TARGET = 1,
        /// The line between target and host.
        LINE = 2,
        /// The host.
        HOST = 3,
    }
}

/// How certain the number in [`AttachmentId::LOST`] is.
pub mod lost {
    /// A lower bound.
    pub const AT_LEAST: u64 = 0;
    /// Exact. In [`super::AttachmentId::SETTLED`]: nothing was ever missing, because the number after the gap was
    /// wrong, came from another sender, or arrived early.
    pub const EXACT: u64 = 1;
    /// Counted by the target. This and the following values are set by the host, see [`super::AttachmentId::SETTLED`].
    pub const BY_TARGET: u64 = 2;
    /// Counted by the target, but only as a sum: some records may be missing elsewhere since the previous total.
    pub const IN_SUM: u64 = 3;
    /// A lower bound of what the target dropped; the rest, which may belong here, is in the sum of a later gap.
    pub const PART_OF_SUM: u64 = 4;
    /// In [`super::AttachmentId::SETTLED`] only: a settled gap is larger; it is [`IN_SUM`] from now on.
    pub const GREATER: u64 = 5;
    /// In [`super::AttachmentId::SETTLED`] only: this many of the missing records arrived.
    pub const FEWER: u64 = 6;
    /// Like [`FEWER`], and none are missing now; the host also sets it in [`super::AttachmentId::LOST`].
    pub const NONE: u64 = 7;

    /// Whether no more records can be missing there.
    pub const fn is_exact(how: u64) -> bool {
        matches!(how, EXACT | BY_TARGET | NONE)
    }

    /// Whether the target itself reported dropping them.
    pub const fn is_of_target(how: u64) -> bool {
        matches!(how, BY_TARGET | IN_SUM | PART_OF_SUM | GREATER)
    }
}

impl AttachmentId {
    /// Whether the decoder declares it, not the plugin API.
    pub const fn is_own(self) -> bool {
        self.0 >= 64
    }
}

/// A change of the dictionary, valid from row `at` on.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DictEvent {
    /// Number of rows in the batch when it was pushed.
    pub at: u32,
    /// What it changes.
    pub op: DictOp,
    /// The attribute.
    pub attr: AttrId,
    /// Space of the key.
    pub space: u16,
    /// Key of the entry.
    pub key: u64,
    /// Scope of the entry; 0 if the space has no scopes.
    pub scope: u64,
    /// Number, for numeric attributes.
    pub val: u64,
    /// Text in [`Batch::bytes`]; target bytes, any encoding.
    pub text: ByteRange,
    /// Space of `val` if it is a key.
    pub val_space: u16,
    /// It comes from the decoder's own tables, not from the target.
    pub is_built_in: bool,
}

named_numbers! {
    /// What a [`DictEvent`] does.
    pub struct DictOp(u8) {
        /// Set the attribute.
        SET = 1,
        /// Remove the entry.
        REMOVE = 2,
        /// Clear a space.
        CLEAR = 3,
    }
}

named_numbers! {
    /// An attribute of a dictionary entry; other numbers are up to the decoder.
    pub struct AttrId(u8) {
        /// Name, in `text`.
        NAME = 0,
        /// Kind: `val` is a class that overrides the class of the space (a queue that is a lock); the text is its name.
        KIND = 1,
        /// Parent: `val`, `val_space`.
        PARENT = 2,
        /// Value.
        VALUE = 3,
        /// The entry is an idle task.
        IDLE = 4,
        /// Capacity.
        CAPACITY = 5,
        /// Priority; lower numbers run first.
        PRIORITY = 6,
        /// Size in bytes.
        SIZE = 7,
    }
}

/// A configuration blob (sizes, byte order, version), referred to by [`Row::cfg`] from row `at` on.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CfgEvent {
    /// Number of rows in the batch when it was pushed.
    pub at: u32,
    /// The id that rows refer to.
    pub id: u16,
    /// The blob; opaque to the host.
    pub blob: ByteRange,
}

/// Converts ticks to time: `ns = ticks * num / den`. The last one of an epoch applies to the whole epoch.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockEvent {
    /// Number of rows in the batch when it was pushed.
    pub at: u32,
    /// Which fields are valid.
    pub flags: ClockFlags,
    /// Numerator; 0 = rate unknown.
    pub num: u64,
    /// Denominator.
    pub den: u64,
    /// Unix time of tick 0 in ns.
    pub zero: i64,
    /// Resolution in ns.
    pub res_ns: u32,
    /// The tick that lists show as 0.
    pub first: u64,
}

named_flags! {
    /// Flags of [`ClockEvent::flags`].
    pub struct ClockFlags(u16) {
        /// `zero` is valid.
        ZERO = 1,
        /// The clock belongs to the source, not to the target.
        OWN = 2,
        /// The target may have reported the rate only partly: lists show ticks.
        DOUBTFUL = 4,
        /// `first` is valid: the clock started long before the records, for example at power-up. Exports keep the times
        /// of the clock.
        FIRST = 8,
    }
}

/// A counter since open; sent when it changes.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Which counter.
    pub id: CounterId,
    /// The value.
    pub val: u64,
}

named_numbers! {
    /// Id of a decoder's own counter, declared in [`crate::info::Info::counters`]. The host derives other counters from
    /// rows, see its `RowCounters`.
    pub struct CounterId(u16) {
    }
}

/// The output for a chunk. Owned and cleared by the host.
#[repr(C)]
#[derive(StableAbi, Debug, Default)]
pub struct Batch {
    /// Rows in order.
    pub rows: RVec<Row>,
    /// Attachments, sorted by `at`.
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
    /// Lengths of all lists in their order, for [`Batch::truncate`].
    pub fn lengths(&self) -> [usize; 8] {
        let Batch { rows, attachments, dict, cfgs, clocks, activities, counts, bytes } = self;
        let (rows, attachments, bytes) = (rows.len(), attachments.len(), bytes.len());
        [rows, attachments, dict.len(), cfgs.len(), clocks.len(), activities.len(), counts.len(), bytes]
    }

    /// Cuts all lists to these lengths, but keeps their memory.
    pub fn truncate(&mut self, [rows, attachments, dict, cfgs, clocks, activities, counts, bytes]: [usize; 8]) {
        self.rows.truncate(rows);
        self.attachments.truncate(attachments);
        self.dict.truncate(dict);
        self.cfgs.truncate(cfgs);
        self.clocks.truncate(clocks);
        self.activities.truncate(activities);
        self.counts.truncate(counts);
        self.bytes.truncate(bytes);
    }

    /// Clears all lists, but keeps their memory.
    pub fn clear(&mut self) {
        self.truncate([0; 8]);
    }

    /// Bytes of a row on the wire, fragments included; 0 if they belong to an earlier row or the row does not exist.
    #[inline]
    pub fn len_of(&self, at: usize) -> u64 {
        let Some(row) = self.rows.get(at) else { return 0 };
        if !row.flags.intersects(RowFlags::FRAGMENTED.union(RowFlags::SHARED)) {
            return row.len.into();
        }
        wire_len(row, attachments_of(&self.attachments, at))
    }
}

/// The attachments of the row with this index, among those of all rows, in order.
pub fn attachments_of(all: &[Attachment], at: usize) -> &[Attachment] {
    let from = &all[all.partition_point(|one| (one.at as usize) < at)..];
    &from[..from.iter().take_while(|one| one.at as usize == at).count()]
}

/// Bytes of a row on the wire, framing and fragments included; 0 if they belong to an earlier row. `attachments` are
/// the row's.
pub fn wire_len<'a>(row: &Row, attachments: impl IntoIterator<Item = &'a Attachment>) -> u64 {
    if row.has(RowFlags::SHARED) {
        return 0;
    }
    let fragments = attachments.into_iter().filter(|one| one.id == AttachmentId::FRAGMENT);
    u64::from(row.len) + fragments.map(|fragment| fragment.b).sum::<u64>()
}

/// An update of an earlier gap by a later row: 8-bit sequence numbers hide multiples of 256 and who lost the records,
/// until the target reports how many it dropped; and records that seemed lost may arrive late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Position of the gap.
    pub pos: u64,
    /// Number of records lost beyond those that the gap shows; if [`Growth::is_less`], the number to subtract.
    pub more: u64,
    /// How certain the new number is, one of [`lost`].
    pub how: u64,
}

/// Factor of the number in an attachment; the remainder is one of [`lost`].
const HOW: u64 = 8;

impl Growth {
    /// Reads the growth in an attachment.
    pub fn of(attachment: &Attachment) -> Option<Growth> {
        let growth = Growth { pos: attachment.b, more: attachment.a / HOW, how: attachment.a % HOW };
        (attachment.id == AttachmentId::SETTLED).then_some(growth)
    }

    /// Both numbers of its attachment.
    pub fn numbers(self) -> (u64, u64) {
        (self.more.saturating_mul(HOW).saturating_add(self.how % HOW), self.pos)
    }

    /// Index of its gap in consecutive rows.
    pub fn gap_in(self, rows: &[Row]) -> Option<usize> {
        let first = rows.partition_point(|row| row.pos < self.pos);
        let at_pos = rows.iter().enumerate().skip(first).take_while(|(_, row)| row.pos == self.pos);
        at_pos.filter(|(_, row)| row.kind == RowKind::GAP).map(|(i, _)| i).last()
    }

    /// Whether it is the first update of its gap.
    pub fn is_first(&self) -> bool {
        lost::is_of_target(self.how) && self.how != lost::GREATER
    }

    /// Whether no more records can be missing in the gap.
    pub fn is_certain(&self) -> bool {
        self.is_first() || self.is_all()
    }

    /// Whether it reduces the number of lost records.
    pub fn is_less(&self) -> bool {
        self.how == lost::FEWER || self.is_all()
    }

    /// Whether nothing is missing in the gap after all.
    pub fn is_all(&self) -> bool {
        matches!(self.how, lost::NONE | lost::EXACT)
    }

    /// Applies the change to a number of lost records.
    pub fn changed(&self, lost: u64) -> u64 {
        if self.is_less() { lost.saturating_sub(self.more) } else { lost.saturating_add(self.more) }
    }

    /// Applies it to the attachments of the gap, unless already done.
    fn add_to(self, attachments: &mut [Attachment]) {
        let Some(shown) = attachments.iter_mut().find(|a| a.id == AttachmentId::LOST) else { return };
        if self.is_less() || self.how == lost::AT_LEAST {
            shown.a = self.changed(shown.a);
            if self.is_all() {
                shown.b = self.how;
            }
        } else if self.is_first() && !lost::is_of_target(shown.b) {
            (shown.a, shown.b) = (shown.a.saturating_add(self.more), self.how);
        } else if self.how == lost::GREATER && shown.b != lost::IN_SUM {
            (shown.a, shown.b) = (shown.a.saturating_add(self.more), lost::IN_SUM);
        }
    }

    /// Settles gaps of a batch according to its attachments from index `first` on. Updates of gaps in earlier batches
    /// remain.
    pub fn apply(batch: &mut Batch, first: usize) {
        let Batch { rows, attachments, .. } = batch;
        let with_gap =
            |attachment: &Attachment| Growth::of(attachment).and_then(|growth| Some((growth, growth.gap_in(rows)?)));
        let found: Vec<(Growth, usize)> = attachments.iter().skip(first).filter_map(with_gap).collect();
        if found.is_empty() {
            return;
        }
        for (growth, gap) in found {
            growth.add_to_row(gap, attachments);
        }
        attachments.retain(|attachment| with_gap(attachment).is_none());
    }

    /// Applies it to the attachments of a row, found in `attachments`.
    pub fn add_to_row(self, row: usize, attachments: &mut [Attachment]) {
        let begin = attachments.partition_point(|a| (a.at as usize) < row);
        let end = attachments.partition_point(|a| a.at as usize <= row);
        self.add_to(&mut attachments[begin..end]);
    }

    /// The updates in a batch.
    pub fn in_batch(batch: &Batch) -> impl Iterator<Item = Growth> + '_ {
        batch.attachments.iter().filter_map(Growth::of)
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
        assert_eq!(size_of::<ClockEvent>(), 48);
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
