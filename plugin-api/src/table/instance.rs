//! The table of an instance of a decoder, and both sides of it.
//!
//! Signatures in tables are written out because the derive macro reads lifetimes from the syntax.

use abi_stable::{StableAbi, std_types::RResult};

use super::{
    Guarded,
    state::{State, drop_state},
};
use crate::{
    batch::Batch,
    chunk::Chunk,
    decoder::Decoder,
    guard::{Fault, keep_late},
    output::Output,
    running::{Entry, Table, enter},
};

/// Entries of an instance.
#[repr(C)]
#[derive(StableAbi)]
pub struct InstanceTable {
    feed: unsafe extern "C" fn(*mut (), &Chunk<'_>, &mut Batch) -> RResult<(), Fault>,
    fork: unsafe extern "C" fn(*const ()) -> RResult<Instance, Fault>,
    drop: unsafe extern "C" fn(*mut ()) -> RResult<(), Fault>,
}

/// An instance of a decoder, for one stream. After a panic, it always returns that fault; copies made before are not
/// affected.
#[repr(C)]
#[derive(StableAbi)]
pub struct Instance {
    state: *mut (),
    table: &'static InstanceTable,
}

pub(super) fn instance_of<D: Decoder>(decoder: D) -> Instance {
    let table = const { &InstanceTable { feed: feed::<D>, fork: fork::<D>, drop: drop_state::<D> } };
    Instance { state: State::raw(decoder), table }
}

unsafe extern "C" fn feed<D: Decoder>(state: *mut (), chunk: &Chunk<'_>, batch: &mut Batch) -> Guarded<()> {
    // SAFETY: the table is only ever paired with a pointer made by `State::<D>::raw`.
    unsafe {
        State::run(state, |decoder: &mut D| {
            feed_parts(decoder, chunk, batch);
            Ok(())
        })
    }
}

/// Splits a chunk at its stream events.
fn feed_parts<D: Decoder>(decoder: &mut D, chunk: &Chunk<'_>, batch: &mut Batch) {
    let bytes = chunk.bytes.as_slice();
    let mut done = 0_usize;
    let mut out = Output::for_feed(batch, chunk.wants_activities, bytes.len() + chunk.events.len());
    for event in chunk.events.as_slice() {
        let upto = usize::try_from(event.pos.saturating_sub(chunk.pos)).unwrap_or(usize::MAX).clamp(done, bytes.len());
        if upto > done {
            decoder.bytes(chunk.pos + done as u64, &bytes[done..upto], &mut out);
            done = upto;
        }
        decoder.event(event, event.text.of(chunk.texts.as_slice()), &mut out);
    }
    if done < bytes.len() {
        decoder.bytes(chunk.pos + done as u64, &bytes[done..], &mut out);
    }
}

unsafe extern "C" fn fork<D: Decoder>(state: *const ()) -> Guarded<Instance> {
    // SAFETY: as in `feed`; only read.
    unsafe { State::<D>::fork(state, instance_of) }
}

// SAFETY: the state is a `State<D>` with `D: Send`, reached by one thread at a time through `&mut self`; `fork`
// clones through `&self`, which `Instance` (not `Sync`) cannot share.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        let _running = enter(self.table(), Entry::Drop, 0);
        // SAFETY: `state` came from the same table's constructor and is dropped once, here.
        if let RResult::RErr(fault) = unsafe { (self.table.drop)(self.state) } {
            keep_late(fault);
        }
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Instance")
    }
}

impl Instance {
    /// Its function table, for messages.
    pub(super) fn table(&self) -> Table {
        Table::of(self.table)
    }

    /// Decodes a chunk of at most [`crate::chunk::MAX_CHUNK`] bytes and adds to `batch`.
    ///
    /// # Errors
    /// The plugin's fault; after a panic, every call returns it again.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        let _running = enter(self.table(), Entry::Feed, chunk.pos);
        // SAFETY: `state` belongs to this table, and access is exclusive.
        unsafe { (self.table.feed)(self.state, chunk, batch) }.into_result()
    }

    /// A copy of the state, taken between feeds.
    ///
    /// # Errors
    /// The plugin's fault.
    pub fn fork(&self) -> Result<Instance, Fault> {
        let _running = enter(self.table(), Entry::Fork, 0);
        // SAFETY: as in `feed`; the entry only reads.
        unsafe { (self.table.fork)(self.state) }.into_result()
    }
}
