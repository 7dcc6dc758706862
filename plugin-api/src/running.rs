//! Tracks which plugin entry each thread is running, so that a crash or hang can be attributed to a plugin. The host's
//! side of the tables notes each call, with a few stores to memory owned by the thread.
//!
//! Reading the current thread's note takes no lock and allocates nothing, so signal handlers may do it.

use std::{
    cell::Cell,
    fmt,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering},
    },
};

/// An entry of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // named as in the traits
pub enum Entry {
    None,
    Load,
    Info,
    Probe,
    Open,
    Feed,
    Fork,
    Drop,
    Render,
    Label,
    Format,
    Encoder,
    OpenFormatter,
}

impl Entry {
    const ALL: [(Entry, &'static str); 13] = [
        (Entry::None, "no entry"),
        (Entry::Load, "its start"),
        (Entry::Info, "info"),
        (Entry::Probe, "probe"),
        (Entry::Open, "open"),
        (Entry::Feed, "feed of bytes"),
        (Entry::Fork, "clone"),
        (Entry::Drop, "drop"),
        (Entry::Render, "render of rows"),
        (Entry::Label, "label of a row"),
        (Entry::Format, "format of a row"),
        (Entry::Encoder, "its encoder"),
        (Entry::OpenFormatter, "open"),
    ];

    fn of(number: u8) -> Entry {
        Entry::ALL.get(usize::from(number)).map_or(Entry::None, |named| named.0)
    }

    /// The name of the entry in messages.
    pub fn name(self) -> &'static str {
        Entry::ALL.get(self as usize).map_or("", |named| named.1)
    }

    /// Whether it is called for rows being decoded or shown; others are called rarely.
    pub fn is_of_rows(self) -> bool {
        !matches!(self, Entry::None | Entry::Load | Entry::Info | Entry::Probe | Entry::Open)
    }
}

/// A function table, by its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table(usize);

impl Table {
    /// The table at this address.
    pub(crate) fn of<T>(table: &'static T) -> Table {
        Table(std::ptr::from_ref(table).addr())
    }

    /// Name and origin of its plugin, if the host has set one.
    pub fn name(self) -> Option<&'static str> {
        self.named().map(|named| named.1.as_str())
    }

    fn named(self) -> Option<&'static Named> {
        NAMES.iter().map_while(OnceLock::get).filter(|named| named.0 == self).last()
    }

    /// Whether its entries come from a library file.
    pub fn is_of_file(self) -> bool {
        self.named().is_some_and(|named| named.2)
    }

    /// Sets its name for messages, such as `motor (/home/me/libmotor.so)`. Keeps a few hundred names.
    pub fn set_name(self, name: &str, is_of_file: bool) {
        if self.name() != Some(name) {
            let _ = NAMES.iter().find(|place| place.set((self, name.to_owned(), is_of_file)).is_ok());
        }
    }
}

/// A table, its name, and whether it comes from a file.
type Named = (Table, String, bool);

/// Names of tables. They are never removed, because libraries are never unloaded.
static NAMES: [OnceLock<Named>; 512] = [const { OnceLock::new() }; 512];

/// Whether any table comes from a library file.
pub fn has_files() -> bool {
    NAMES.iter().map_while(OnceLock::get).any(|named| named.2)
}

/// The call running on a thread.
#[derive(Debug)]
struct Slot {
    /// Its index among all slots.
    number: usize,
    table: AtomicUsize,
    entry: AtomicU8,
    pos: AtomicU64,
    /// Changes with each call.
    calls: AtomicU64,
}

/// All slots, and the slots of finished threads, which new threads reuse.
static SLOTS: Mutex<(Vec<&'static Slot>, Vec<&'static Slot>)> = Mutex::new((Vec::new(), Vec::new()));

fn slots() -> MutexGuard<'static, (Vec<&'static Slot>, Vec<&'static Slot>)> {
    SLOTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Releases the slot of a thread when it ends.
struct Claim(&'static Slot);

impl Drop for Claim {
    fn drop(&mut self) {
        // A plugin that ends the thread or calls `exit` stays noted.
        if Call::of(self.0).is_none() {
            OWN.set(None);
            slots().1.push(self.0);
        }
    }
}

thread_local! {
    static OWN: Cell<Option<&'static Slot>> = const { Cell::new(None) };
    static CLAIM: Cell<Option<Claim>> = const { Cell::new(None) };
}

/// The slot of this thread; `None` if the thread is exiting.
#[cold]
fn claim() -> Option<&'static Slot> {
    let (all, free) = &mut *slots();
    let slot = free.pop().unwrap_or_else(|| {
        let (table, entry, pos, calls) = Default::default();
        let slot = Box::leak(Box::new(Slot { number: all.len(), table, entry, pos, calls }));
        all.push(slot);
        slot
    });
    if CLAIM.try_with(|claim| claim.set(Some(Claim(slot)))).is_err() {
        free.push(slot);
        return None;
    }
    OWN.set(Some(slot));
    Some(slot)
}

/// A call of a plugin entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The table that the entry is in.
    pub table: Table,
    /// The entry.
    pub entry: Entry,
    /// Position of the bytes, or of the first row, passed to the entry.
    pub pos: u64,
}

impl Call {
    fn of(slot: &Slot) -> Option<Call> {
        let entry = Entry::of(slot.entry.load(Ordering::Acquire));
        let call =
            Call { table: Table(slot.table.load(Ordering::Relaxed)), entry, pos: slot.pos.load(Ordering::Relaxed) };
        (entry != Entry::None).then_some(call)
    }
}

impl fmt::Display for Call {
    /// Formats as `motor (libmotor.so) in feed of bytes from @0x40`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.table.name().unwrap_or("a plugin"), self.entry.name())?;
        let is_for_bytes = matches!(self.entry, Entry::Feed | Entry::Render | Entry::Label | Entry::Format);
        if is_for_bytes { write!(f, " from @{:#x}", self.pos) } else { Ok(()) }
    }
}

/// The call running on this thread. Takes no lock and allocates nothing.
pub fn current() -> Option<Call> {
    Call::of(OWN.try_with(Cell::get).ok().flatten()?)
}

/// Number of this thread among those that call plugins; `None` if the thread is exiting.
pub fn thread_number() -> Option<usize> {
    OWN.try_with(Cell::get).ok().flatten().or_else(claim).map(|slot| slot.number)
}

/// A running call: thread number, call number, call. Call numbers are unique while the call runs.
pub type Under = (usize, u64, Call);

/// The calls running on all threads.
pub fn under_way() -> Vec<Under> {
    let slots = slots();
    let call = |slot: &&Slot| Some((slot.number, slot.calls.load(Ordering::Acquire), Call::of(slot)?));
    slots.0.iter().filter_map(call).collect()
}

/// Notes a call until dropped.
pub(crate) struct Running {
    slot: Option<&'static Slot>,
    /// The call from which this one was made.
    before: (usize, u8, u64),
}

/// Notes a call of an entry on this thread.
#[inline]
pub(crate) fn enter(table: Table, entry: Entry, pos: u64) -> Running {
    let slot = OWN.try_with(Cell::get).ok().flatten().or_else(claim);
    let before = slot.map(|slot| {
        let before =
            (slot.table.load(Ordering::Relaxed), slot.entry.load(Ordering::Relaxed), slot.pos.load(Ordering::Relaxed));
        note(slot, (table.0, entry as u8, pos));
        before
    });
    Running { slot, before: before.unwrap_or_default() }
}

/// Runs `load` and notes meanwhile that this library is being loaded, whose tables are not known yet.
pub fn loading<R>(library: &str, load: impl FnOnce() -> R) -> R {
    // A separate byte, for a unique address.
    let table = Table::of(Box::leak(Box::new(0_u8)));
    table.set_name(library, true);
    let _running = enter(table, Entry::Load, 0);
    load()
}

/// Only the owning thread writes to a slot.
#[inline]
fn note(slot: &Slot, (table, entry, pos): (usize, u8, u64)) {
    slot.table.store(table, Ordering::Relaxed);
    slot.pos.store(pos, Ordering::Relaxed);
    slot.calls.store(slot.calls.load(Ordering::Relaxed) + 1, Ordering::Release);
    slot.entry.store(entry, Ordering::Release);
}

impl Drop for Running {
    #[inline]
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            note(slot, self.before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_noted_while_it_runs() {
        static PLACE: u8 = 0;
        let table = Table::of(&PLACE);
        assert_eq!(current(), None);
        let outer = enter(table, Entry::Feed, 64);
        assert_eq!(current().map(|call| call.to_string()).as_deref(), Some("a plugin in feed of bytes from @0x40"));
        table.set_name("libtoy.so", true);
        table.set_name("toy (libtoy.so)", true);
        let inner = enter(table, Entry::Open, 0);
        assert_eq!(current().map(|call| call.to_string()).as_deref(), Some("toy (libtoy.so) in open"));
        drop(inner);
        assert_eq!(current().map(|call| call.entry), Some(Entry::Feed));
        let seen = std::thread::spawn(under_way).join().unwrap_or_default();
        assert!(seen.iter().any(|(.., call)| call.table == table && call.pos == 64));
        drop(outer);
        assert_eq!(current(), None);
    }

    #[test]
    fn entries_have_their_names() {
        for (number, (entry, _)) in (0..).zip(Entry::ALL) {
            assert_eq!((Entry::of(number), entry as u8), (entry, number));
        }
        assert_eq!(Entry::of(200), Entry::None);
    }
}
