//! A decoder instance under the host's control: checks the contract, discards what a fault left behind, and derives
//! data from rows, such as inherited times.

use spytui_plugin_api::{
    Attachment, AttachmentId, Batch, Chunk, Fault, Growth, Info, Instance, Row, RowFlags, RowKind, StreamEventKind,
    info::DropTotals,
};

use super::{Coverage, DropTracker};

/// Bytes that may be pending if a decoder declares no limit.
const MOST_PENDING: u64 = 1 << 20;

/// Text at the end of a stream that ends in damage.
const DAMAGED_END: &str = "no record follows the damage, so it is not known whether records are missing";

fn breach(rule: &str) -> Fault {
    Fault::new(format!("it broke the contract: {rule}"))
}

/// A decoder instance whose output is checked against the contract.
#[derive(Debug)]
pub struct HostedInstance {
    instance: Instance,
    /// Later rows inherit a time.
    has_time: bool,
    /// Creates drop rows from totals; `None` = the target reports none.
    drops: Option<DropTracker>,
    cover: Coverage,
    most_pending: u64,
    /// Sequence numbers reveal missing records.
    has_sequence: bool,
    /// The last damage note without a following record, whose sequence number would reveal losses.
    open_damage: Option<Row>,
}

impl HostedInstance {
    /// Wraps an instance; `pos` = start of its stream.
    pub fn new(instance: Instance, info: &Info, pos: u64) -> HostedInstance {
        let drops = (info.drop_totals != DropTotals::NONE).then(DropTracker::default);
        let most_pending = if info.max_pending == 0 { MOST_PENDING } else { info.max_pending };
        HostedInstance {
            instance,
            has_time: false,
            drops,
            cover: Coverage::new(pos),
            most_pending,
            has_sequence: info.has_sequence(),
            open_damage: None,
        }
    }

    pub fn fork(&self) -> Result<HostedInstance, Fault> {
        let (instance, drops, cover) = (self.instance.fork()?, self.drops.clone(), self.cover.clone());
        Ok(HostedInstance { instance, drops, cover, ..*self })
    }

    pub fn cover(&self) -> &Coverage {
        &self.cover
    }

    /// Decodes a chunk and appends to `batch`; nothing if the decoder breaks the contract.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        self.pass(chunk.pos, chunk.bytes.len());
        let before = Lengths::of(batch);
        let answer = self.instance.feed(chunk, batch);
        if answer.is_err() {
            drop_what_has_no_row(batch);
        }
        let kept = self.cover.add(batch, before.rows, chunk.events.len()).map_err(|rule| breach(&rule));
        if kept.is_err() {
            before.restore(batch);
        }
        let has_ended = chunk.events.iter().any(|event| event.kind == StreamEventKind::END);
        let is_kept = kept.is_ok() && answer.is_ok();
        let pending = if is_kept { self.check_pending(has_ended) } else { Ok(()) };
        if let Some(drops) = &mut self.drops {
            drops.add_rows(batch, before.rows, chunk.wants_activities);
        }
        Growth::apply(batch, before.attachments());
        self.follow_damage(batch.rows.get(before.rows..).unwrap_or_default());
        if let Some(damage) = self.open_damage.take_if(|_| has_ended) {
            note_damaged_end(&damage, chunk.pos + chunk.bytes.len() as u64, batch);
        }
        if self.mark(batch.rows.get_mut(before.rows..).unwrap_or_default()).contains(RowFlags::OUT_OF_ORDER) {
            drop_what_is_out_of_order(batch);
        }
        answer.and(kept).and(pending)
    }

    /// Checks that every byte is in a row at the end, and that not too many are pending before. The rows themselves are
    /// valid.
    fn check_pending(&self, has_ended: bool) -> Result<(), Fault> {
        let (pending, first) = (self.cover.pending(), self.cover.oldest_pending());
        match (has_ended, self.most_pending) {
            (true, _) if pending > 0 => {
                Err(breach(&format!("{pending} bytes pending after END, from @{first:#x} on, are in no row")))
            }
            (_, most) if pending > most => {
                Err(breach(&format!("{pending} bytes pending from @{first:#x} on, where it said at most {most}")))
            }
            _ => Ok(()),
        }
    }

    fn follow_damage(&mut self, rows: &[Row]) {
        let decides = |row: &&Row| row.is_record() && !row.has(RowFlags::OUT_OF_ORDER);
        let is_damaged = |row: &&Row| is_damage(row.kind) && row.kind != RowKind::CUT_OFF;
        if let Some(last) = rows.iter().rfind(|row| decides(row) || is_damaged(row)) {
            self.open_damage =
                Some(*last).filter(|row| self.has_sequence && !row.is_record() && !row.may_hide_records());
        }
    }

    /// Skips bytes that are not decoded.
    pub fn pass(&mut self, pos: u64, len: usize) {
        self.cover.feed(pos, pos + len as u64);
    }

    /// Sets the host's flags on the next rows: whether they inherit a time, and whether they may hide lost records.
    /// Returns the flags of all of them together.
    ///
    /// An epoch begins without a time, unless its first row reports that time went back.
    pub fn mark(&mut self, rows: &mut [Row]) -> RowFlags {
        let mut flags = RowFlags::empty();
        for row in rows {
            if row.has(RowFlags::TIME_OWN) {
                self.has_time = true;
            } else {
                self.has_time = row.kind == RowKind::TIME_BACK || self.has_time && !row.has(RowFlags::EPOCH);
                row.flags.set(RowFlags::TIME_INHERITED, self.has_time);
            }
            if !self.has_sequence && is_damage(row.kind) {
                row.flags |= RowFlags::HIDES_RECORDS;
            }
            flags |= row.flags;
        }
        flags
    }

    /// Returns all bytes that are in no row (the holes and the last range), and counts them as covered from now on.
    pub fn give_up(&mut self) -> (Vec<(u64, u64)>, (u64, u64)) {
        self.cover.give_up()
    }
}

/// Whether a row of this kind reports damage without a number of lost records.
fn is_damage(kind: RowKind) -> bool {
    kind.is_loss() && !matches!(kind, RowKind::GAP | RowKind::DROP)
}

/// Adds a note that records may be missing at the damaged end of a stream.
fn note_damaged_end(damage: &Row, pos: u64, batch: &mut Batch) {
    let (at, off) = (batch.rows.len() as u32, batch.bytes.len() as u64);
    batch.bytes.extend_from_slice(DAMAGED_END.as_bytes());
    let len = DAMAGED_END.len() as u64;
    batch.attachments.push(Attachment { at, id: AttachmentId::TEXT, is_bytes: true, a: off, b: len });
    let note = Row { flags: RowFlags::HIDES_RECORDS, ..Row::note(RowKind::HINT, pos, 0) };
    batch.rows.push(Row { time: damage.time, cfg: damage.cfg, core: damage.core, ..note });
}

#[derive(Clone, Copy)]
struct Lengths {
    rows: usize,
    lists: [usize; 6],
    bytes: usize,
}

impl Lengths {
    fn of(b: &Batch) -> Lengths {
        let (attachments, dict, cfgs, clocks) = (b.attachments.len(), b.dict.len(), b.cfgs.len(), b.clocks.len());
        let lists = [attachments, dict, cfgs, clocks, b.activities.len(), b.counts.len()];
        Lengths { rows: b.rows.len(), lists, bytes: b.bytes.len() }
    }

    fn attachments(self) -> usize {
        self.lists[0]
    }

    fn restore(self, b: &mut Batch) {
        let [attachments, dict, cfgs, clocks, activities, counts] = self.lists;
        b.rows.truncate(self.rows);
        b.attachments.truncate(attachments);
        b.dict.truncate(dict);
        b.cfgs.truncate(cfgs);
        b.clocks.truncate(clocks);
        b.activities.truncate(activities);
        b.counts.truncate(counts);
        b.bytes.truncate(self.bytes);
    }
}

/// Drops the activities of out-of-order records, which would be wrong at this place.
fn drop_what_is_out_of_order(batch: &mut Batch) {
    let rows = &batch.rows;
    let is_aside = |at: u32| rows.get(at as usize).is_some_and(|row| row.has(RowFlags::OUT_OF_ORDER));
    batch.activities.retain(|activity| !is_aside(activity.at));
}

/// Drops attachments and activities without a row, left by a panic.
fn drop_what_has_no_row(batch: &mut Batch) {
    let rows = batch.rows.len() as u32;
    while batch.attachments.last().is_some_and(|e| e.at >= rows) {
        batch.attachments.pop();
    }
    while batch.activities.last().is_some_and(|a| a.at >= rows) {
        batch.activities.pop();
    }
}
