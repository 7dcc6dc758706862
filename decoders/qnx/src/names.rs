//! Dictionary: processes, threads and channels, as their events report them.

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

/// The entry of a kernel call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) call: u16,
    pub(crate) time: u64,
    pub(crate) moment: Moment,
}

#[derive(Clone, Debug, Default)]
struct Process {
    /// Last part of its path; empty = unknown.
    name: Box<[u8]>,
    /// Keys of its threads.
    threads: Vec<u64>,
    channels: Vec<u32>,
}

/// What is kept of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    /// The kernel call that it is in.
    call: Option<Entry>,
    /// As reported last.
    priority: Option<u8>,
}

/// The processes and threads seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    processes: FxHashMap<u32, Process>,
    /// By key.
    threads: FxHashMap<u64, Thread>,
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
    /// The key of a thread, which is named at first sight. `None` if there are too many.
    #[inline]
    pub(crate) fn thread(&mut self, pid: u32, tid: u32, out: &mut Output<'_>) -> Option<u64> {
        let key = space::thread(pid, tid);
        if self.threads.contains_key(&key) { Some(key) } else { self.new_thread(pid, tid, out) }
    }

    #[cold]
    fn new_thread(&mut self, pid: u32, tid: u32, out: &mut Output<'_>) -> Option<u64> {
        let (key, is_full) = (space::thread(pid, tid), self.threads.len() >= MOST_THREADS);
        // Before the thread is kept: one without its process would never be removed.
        let process = self.process(pid).filter(|_| !is_full)?;
        if process.threads.len() < MOST_OF_ONE {
            process.threads.push(key);
        }
        let name = match &*process.name {
            [] => thread_name(pid.to_string().as_bytes(), tid),
            name => thread_name(name, tid),
        };
        out.name(space::THREADS, key, 0, &name);
        let event =
            DictEvent { op: DictOp::SET, attr: AttrId::PARENT, space: space::THREADS, key, ..DictEvent::default() };
        out.dict(DictEvent { val: pid.into(), val_space: space::PROCESSES, ..event }, b"");
        self.threads.insert(key, Thread::default());
        Some(key)
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
        for &key in &process.threads {
            out.name(space::THREADS, key, 0, &thread_name(&process.name, key as u32));
        }
    }

    /// A thread makes a channel or receives from it.
    #[inline]
    pub(crate) fn channel(&mut self, thread: u64, chid: u32, out: &mut Output<'_>) {
        let pid = (thread >> 32) as u32;
        let Some(process) = self.processes.get_mut(&pid) else { return };
        if process.channels.contains(&chid) || process.channels.len() >= MOST_CHANNELS {
            return;
        }
        process.channels.push(chid);
        name_channel(&process.name, pid, chid, out);
    }

    /// A process is gone: its id may come again for another one. `gone` is called with each of its threads.
    pub(crate) fn destroy(&mut self, pid: u32, mut gone: impl FnMut(u64)) {
        let Some(process) = self.processes.remove(&pid) else { return };
        for thread in process.threads {
            self.threads.remove(&thread);
            gone(thread);
        }
    }

    /// A record reports the priority of a thread; returns whether it is another one than the last.
    #[inline]
    pub(crate) fn has_priority(&mut self, thread: u64, priority: u8) -> bool {
        let known = self.threads.get_mut(&thread);
        known.is_some_and(|thread| thread.priority.replace(priority) != Some(priority))
    }

    /// A thread enters a kernel call.
    #[inline]
    pub(crate) fn enter(&mut self, thread: u64, entry: Entry) {
        if let Some(thread) = self.threads.get_mut(&thread) {
            thread.call = Some(entry);
        }
    }

    /// A thread leaves a kernel call; returns its entry, if that was seen.
    #[inline]
    pub(crate) fn leave(&mut self, thread: u64, call: u16) -> Option<Entry> {
        let entry = self.threads.get_mut(&thread)?.call.take()?;
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

/// When something happens, to know whether a loss lies before something later of the same thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Number of losses before it.
    pub(crate) losses: u32,
    pub(crate) cpu: u8,
    /// Number of switches between threads, and of losses, on this CPU before it.
    pub(crate) switches: u32,
    /// It is known who runs on each CPU.
    pub(crate) all_known: bool,
}

impl Moment {
    /// Whether nothing of a thread can be lost between this and a later moment: nothing is lost at all, or the thread
    /// ran on its CPU all the time.
    pub(crate) fn is_joined_to(self, later: Moment) -> bool {
        (self.all_known && self.losses == later.losses) || (self.cpu, self.switches) == (later.cpu, later.switches)
    }
}
