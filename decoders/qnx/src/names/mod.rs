//! Dictionary: processes, threads and channels, as their events report them.

mod moment;

pub(crate) use moment::Moment;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    Output,
    batch::{AttrId, DictEvent, DictOp},
};

use crate::layout::space;

/// Maximum number of processes and threads kept, and of threads that are renamed with their process. Damaged events may
/// have any numbers.
const MOST_PROCESSES: usize = 1 << 14;
const MOST_THREADS: usize = 1 << 16;
const MOST_OF_ONE: usize = 1024;
/// Maximum number of channels of a process that are named.
const MOST_CHANNELS: usize = 64;
/// Maximum length of a name.
const LONGEST: usize = 127;

/// Index of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread(u32);

#[derive(Clone, Debug, Default)]
struct ThreadState {
    key: u64,
    /// The kernel call it is in.
    entry: Option<Entry>,
}

/// The entry of a kernel call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Number of the call.
    pub(crate) call: u16,
    pub(crate) time: u64,
    pub(crate) moment: Moment,
}

#[derive(Clone, Debug, Default)]
struct Process {
    /// Last part of its path; empty = unknown.
    name: Box<[u8]>,
    threads: Vec<Thread>,
    channels: Vec<u32>,
}

/// The processes and threads seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    processes: FxHashMap<u32, Process>,
    numbers: FxHashMap<u64, Thread>,
    threads: Vec<ThreadState>,
    free: Vec<Thread>,
}

/// The text of a name: up to its NUL, not longer than the kernel sends.
fn text(payload: &[u8]) -> &[u8] {
    let text = payload.split(|&b| b == 0).next().unwrap_or_default();
    text.get(..LONGEST).unwrap_or(text)
}

/// The last part of a path.
fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

/// Writes `NAME:TID`.
fn thread_name(name: &[u8], tid: u32) -> Vec<u8> {
    [name, format!(":{tid}").as_bytes()].concat()
}

/// Names a channel by its process.
fn name_channel(name: &[u8], pid: u32, chid: u32, out: &mut Output<'_>) {
    let process = if name.is_empty() { pid.to_string().into_bytes() } else { name.to_vec() };
    let name = [&process, format!(" channel {chid}").as_bytes()].concat();
    out.name(space::CHANNELS, chid.into(), pid.into(), &name);
}

impl Known {
    /// A thread, named at first sight. `None` if there are too many.
    #[inline]
    pub(crate) fn thread(&mut self, pid: u32, tid: u32, out: &mut Output<'_>) -> Option<Thread> {
        match self.numbers.get(&space::thread(pid, tid)) {
            Some(&thread) => Some(thread),
            None => self.new_thread(pid, tid, out),
        }
    }

    #[cold]
    fn new_thread(&mut self, pid: u32, tid: u32, out: &mut Output<'_>) -> Option<Thread> {
        // Before the thread is kept: one without its process would never be removed.
        self.process(pid)?;
        let key = space::thread(pid, tid);
        let state = ThreadState { key, entry: None };
        let thread = match self.free.pop() {
            Some(thread) => {
                *self.threads.get_mut(thread.0 as usize)? = state;
                thread
            }
            None if self.threads.len() < MOST_THREADS => {
                self.threads.push(state);
                Thread(self.threads.len() as u32 - 1)
            }
            None => return None,
        };
        self.numbers.insert(key, thread);
        let process = self.process(pid)?;
        if process.threads.len() < MOST_OF_ONE {
            process.threads.push(thread);
        }
        let name = match &*process.name {
            [] => thread_name(pid.to_string().as_bytes(), tid),
            name => thread_name(name, tid),
        };
        out.name(space::THREADS, key, 0, &name);
        let event =
            DictEvent { op: DictOp::SET, attr: AttrId::PARENT, space: space::THREADS, key, ..DictEvent::default() };
        out.dict(DictEvent { val: pid.into(), val_space: space::PROCESSES, ..event }, b"");
        Some(thread)
    }

    fn process(&mut self, pid: u32) -> Option<&mut Process> {
        if self.processes.len() >= MOST_PROCESSES && !self.processes.contains_key(&pid) {
            return None;
        }
        Some(self.processes.entry(pid).or_default())
    }

    /// A thread got a name of its own.
    pub(crate) fn name_thread(&mut self, pid: u32, tid: u32, payload: &[u8], out: &mut Output<'_>) {
        self.thread(pid, tid, out);
        out.name(space::THREADS, space::thread(pid, tid), 0, &thread_name(text(payload), tid));
    }

    /// A process was created; its name follows its parent and its id in the payload, if it has one.
    pub(crate) fn create(&mut self, pid: u32, payload: &[u8], out: &mut Output<'_>) {
        let path = text(payload);
        if path.is_empty() {
            return;
        }
        out.name(space::PROCESSES, pid.into(), 0, base(path));
        let Some(process) = self.process(pid) else { return };
        process.name = base(path).into();
        for &chid in &process.channels {
            name_channel(&process.name, pid, chid, out);
        }
        let (name, threads) = (process.name.clone(), process.threads.clone());
        for key in threads.iter().filter_map(|&thread| self.key(thread)) {
            out.name(space::THREADS, key, 0, &thread_name(&name, key as u32));
        }
    }

    /// A thread makes a channel or receives from it.
    #[inline]
    pub(crate) fn channel(&mut self, thread: Thread, chid: u32, out: &mut Output<'_>) {
        let Some(pid) = self.key(thread).map(|key| (key >> 32) as u32) else { return };
        let Some(process) = self.processes.get_mut(&pid) else { return };
        if process.channels.contains(&chid) || process.channels.len() >= MOST_CHANNELS {
            return;
        }
        process.channels.push(chid);
        name_channel(&process.name, pid, chid, out);
    }

    /// A process is gone: its id may come again for another one. `gone` is called with each of its threads.
    pub(crate) fn destroy(&mut self, pid: u32, mut gone: impl FnMut(Thread)) {
        let Some(process) = self.processes.remove(&pid) else { return };
        for thread in process.threads {
            if let Some(key) = self.key(thread) {
                self.numbers.remove(&key);
            }
            self.free.push(thread);
            gone(thread);
        }
    }

    /// The dictionary key of a thread.
    #[inline]
    pub(crate) fn key(&self, thread: Thread) -> Option<u64> {
        self.threads.get(thread.0 as usize).map(|state| state.key)
    }

    /// A thread enters a kernel call.
    #[inline]
    pub(crate) fn enter(&mut self, thread: Thread, entry: Entry) {
        if let Some(state) = self.threads.get_mut(thread.0 as usize) {
            state.entry = Some(entry);
        }
    }

    /// A thread leaves a kernel call; returns its entry, if that was seen.
    #[inline]
    pub(crate) fn leave(&mut self, thread: Thread, call: u16) -> Option<Entry> {
        let entry = self.threads.get_mut(thread.0 as usize)?.entry.take()?;
        (entry.call == call).then_some(entry)
    }

    /// Forgets everything, and so does the host.
    pub(crate) fn clear(&mut self, out: &mut Output<'_>) {
        *self = Known::default();
        out.clear(space::PROCESSES);
        out.clear(space::THREADS);
        out.clear(space::CHANNELS);
    }
}
