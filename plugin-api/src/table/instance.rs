//! The function table of a decoder instance, implementation and callers; the state behind an instance pointer, and
//! lengths of rendered output.
//!
//! Signatures in tables are written out because the derive macro reads lifetimes from the syntax.

use abi_stable::{StableAbi, std_types::RResult};

use super::Guarded;
use crate::{
    batch::Batch,
    chunk::Chunk,
    decoder::Decoder,
    guard::{Fault, guard, keep_late},
    output::Output,
    render::Rendered,
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

/// A decoder instance for one stream. After a panic, every call returns the same fault; copies made before still work.
#[repr(C)]
#[derive(StableAbi)]
pub struct Instance {
    state: *mut (),
    table: &'static InstanceTable,
}

pub(super) fn instance_of<D: Decoder>(decoder: D) -> Instance {
    let table = const { &InstanceTable { feed: feed::<D>, fork: fork::<D>, drop: drop_boxed::<State<D>> } };
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

impl Instance {
    /// Its function table, for messages.
    pub(super) fn table(&self) -> Table {
        Table::of(self.table)
    }

    /// Decodes a chunk of at most [`crate::chunk::MAX_CHUNK`] bytes and appends to `batch`.
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

/// The state behind an instance pointer.
pub(super) struct State<T> {
    value: T,
    dead: Option<Fault>,
}

impl<T> State<T> {
    pub(super) fn raw(value: T) -> *mut () {
        Box::into_raw(Box::new(State { value, dead: None })).cast()
    }

    /// Runs `f` unless the instance has panicked; remembers a panic.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nothing else accesses it meanwhile.
    pub(super) unsafe fn run<R>(state: *mut (), f: impl FnOnce(&mut T) -> Result<R, Fault>) -> Guarded<R> {
        // SAFETY: as the caller says.
        let State { value, dead } = unsafe { &mut *state.cast::<State<T>>() };
        if let Some(fault) = dead {
            return RResult::RErr(fault.clone());
        }
        let answer = guard(|| f(value));
        if let RResult::RErr(fault) = &answer
            && fault.panicked
        {
            *dead = Some(fault.clone());
        }
        answer
    }

    /// Creates an instance from a clone of the state, unless it has panicked.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nothing modifies it meanwhile.
    pub(super) unsafe fn fork<R>(state: *const (), instance_of: fn(T) -> R) -> Guarded<R>
    where
        T: Clone,
    {
        // SAFETY: as the caller says.
        let State { value, dead } = unsafe { &*state.cast::<State<T>>() };
        match dead {
            Some(fault) => RResult::RErr(fault.clone()),
            None => guard(|| Ok(instance_of(value.clone()))),
        }
    }
}

/// Drops the state of an instance.
pub(super) unsafe extern "C" fn drop_boxed<T>(state: *mut ()) -> Guarded<()> {
    // SAFETY: it was boxed by the constructor of the same table and is dropped once, by the owner's `Drop`.
    let boxed = unsafe { Box::from_raw(state.cast::<T>()) };
    // If its `drop` panics, only what was not yet freed leaks.
    guard(|| {
        drop(boxed);
        Ok(())
    })
}

/// Lengths of an output, for removing incomplete rows.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    text: usize,
    rows: usize,
    fields: usize,
    payload: usize,
    blob: usize,
}

impl Lengths {
    pub(super) fn of(out: &Rendered) -> Lengths {
        let (text, rows) = (out.text.len(), out.rows.len());
        Lengths { text, rows, fields: out.fields.len(), payload: out.payload.len(), blob: out.blob.len() }
    }

    pub(super) fn restore(self, out: &mut Rendered) {
        out.text.truncate(self.text);
        out.rows.truncate(self.rows);
        out.fields.truncate(self.fields);
        out.payload.truncate(self.payload);
        out.blob.truncate(self.blob);
    }

    /// Whether exactly this many rows were completed since.
    pub(super) fn plus_rows(self, rows: usize, out: &Rendered) -> bool {
        let ends = [out.text.len(), out.fields.len(), out.payload.len()];
        out.rows.len() == self.rows + rows
            && match out.rows.last().filter(|_| rows > 0) {
                Some(last) => [last.text, last.fields, last.payload].map(|end| end as usize) == ends,
                None => [self.text, self.fields, self.payload] == ends,
            }
    }
}
