//! An instance of a decoder with what the host does to its output: it checks the contract, drops what a fault left
//! behind, and adds what follows from rows.

use crate::{Batch, Chunk, Fault, Growth, Info, Instance, Row, info::DropTotals};

use super::{Coverage, DropTracker, TimeInheritance};

/// An instance of a decoder under the rules of the contract.
#[derive(Debug)]
pub struct HostedInstance {
    instance: Instance,
    inheritance: TimeInheritance,
    /// Makes rows of the totals of dropped records; `None` = the target reports none.
    drops: Option<DropTracker>,
    cover: Coverage,
}

impl HostedInstance {
    /// Wraps an instance; `pos` = start of its stream.
    #[must_use]
    pub fn new(instance: Instance, info: &Info, pos: u64) -> HostedInstance {
        let drops = (info.drop_totals != DropTotals::NONE).then(DropTracker::default);
        HostedInstance { instance, inheritance: TimeInheritance::default(), drops, cover: Coverage::new(pos) }
    }

    /// A copy that continues independently.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn fork(&self) -> Result<HostedInstance, Fault> {
        let (drops, cover) = (self.drops.clone(), self.cover.clone());
        Ok(HostedInstance { instance: self.instance.fork()?, inheritance: self.inheritance, drops, cover })
    }

    /// Which bytes are in rows.
    #[must_use]
    pub fn cover(&self) -> &Coverage {
        &self.cover
    }

    /// Decodes a chunk and appends to `batch`.
    ///
    /// # Errors
    /// The decoder failed, or broke the contract: then nothing is appended.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        self.pass(chunk.pos, chunk.bytes.len());
        let before = Lengths::of(batch);
        let answer = self.instance.feed(chunk, batch);
        if answer.is_err() {
            drop_what_has_no_row(batch);
        }
        let kept = self.cover.add(batch, before.rows, chunk.events.len());
        let kept = kept.map_err(|rule| Fault::new(format!("it broke the contract: {rule}")));
        if kept.is_err() {
            before.restore(batch);
        }
        if let Some(drops) = &mut self.drops {
            drops.add_rows(batch, before.rows, chunk.wants_activities);
        }
        Growth::apply(batch, before.attachments());
        self.inherit_times(batch.rows.get_mut(before.rows..).unwrap_or_default());
        answer.and(kept)
    }

    /// Bytes came that are not decoded.
    pub fn pass(&mut self, pos: u64, len: usize) {
        self.cover.feed(pos, pos + len as u64);
    }

    /// Marks rows of the host, which follow those that came last.
    pub fn inherit_times(&mut self, rows: &mut [Row]) {
        self.inheritance.mark(rows);
    }

    /// Returns all bytes that are in no row (the holes and the last range), which are in one from now on.
    pub fn give_up(&mut self) -> (Vec<(u64, u64)>, (u64, u64)) {
        self.cover.give_up()
    }
}

/// Lengths of a batch's lists, for rollback.
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

    /// Truncates the batch to these lengths.
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
