//! Dictionary: processes, threads and channels, as reported by their events.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    Output,
    batch::{AttrId, DictEvent, DictOp},
};

use crate::layout::space;

/// Maximum numbers of processes and threads kept, and of threads renamed with their process. Damaged events may contain
/// any number.
const MOST_PROCESSES: usize = 1 << 14;
const MOST_THREADS: usize = 1 << 16;
const MOST_OF_ONE: usize = 1024;
const MOST_CHANNELS: usize = 64;
const LONGEST: usize = 127;

#[derive(Clone, Copy, Debug)]
pub(crate) struct CallEntry {
    pub(crate) call: u16,
    pub(crate) time: u64,
    pub(crate) moment: CpuMoment,
}

#[derive(Clone, Debug, Default)]
struct Process {
    /// Last component of its path; empty = unknown.
    name: Box<[u8]>,
    threads: Vec<u64>,
    channels: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    call: Option<CallEntry>,
    priority: Option<u8>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct KnownThreads {
    processes: FxHashMap<u32, Process>,
    /// By key.
    threads: FxHashMap<u64, Thread>,
}

/// A name: up to its NUL, and no longer than the kernel sends.
fn text(payload: &[u8]) -> &[u8] {
    let text = payload.split(|&b| b == 0).next().unwrap_or_default();
    text.get(..LONGEST).unwrap_or(text)
}

fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

/// Writes `NAME:TID`.
fn thread_name(name: &[u8], tid: u32) -> Vec<u8> {
    [name, format!(":{tid}").as_bytes()].concat()
}

fn name_channel(name: &[u8], pid: u32, chid: u32, out: &mut Output<'_>) {
    let process = if name.is_empty() { pid.to_string().into_bytes() } else { name.to_vec() };
    let name = [&process, format!(" channel {chid}").as_bytes()].concat();
    out.name(space::CHANNELS, chid.into(), pid.into(), &name);
}

impl KnownThreads {
    /// The key of a thread, which is named on first sight. `None` if there are too many.
    #[inline]
    pub(crate) fn thread(&mut self, pid: u32, tid: u32, out: &mut Output<'_>) -> Option<u64> {
        let key = space::thread(pid, tid);
        if self.threads.contains_key(&key) { Some(key) } else { self.new_thread(pid, tid, out) }
    }

    #[cold]
    fn new_thread(&mut self, pid: u32, tid: u32, out: &mut Output<'_>) -> Option<u64> {
        let (key, is_full) = (space::thread(pid, tid), self.threads.len() >= MOST_THREADS);
        // Checked before keeping the thread: without its process, it would never be removed.
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

    pub(crate) fn name_thread(&mut self, pid: u32, tid: u32, payload: &[u8], out: &mut Output<'_>) {
        self.thread(pid, tid, out);
        out.name(space::THREADS, space::thread(pid, tid), 0, &thread_name(text(payload), tid));
    }

    /// Adds a process; its name, if any, follows its parent and its id in the payload.
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

    /// Names a channel that a thread creates or receives from.
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

    /// Removes a process, because its id may be reused. Calls `gone` for each of its threads.
    pub(crate) fn destroy(&mut self, pid: u32, mut gone: impl FnMut(u64)) {
        let Some(process) = self.processes.remove(&pid) else { return };
        for thread in process.threads {
            self.threads.remove(&thread);
            gone(thread);
        }
    }

    /// Takes a thread's reported priority; returns whether it has changed.
    #[inline]
    pub(crate) fn has_priority(&mut self, thread: u64, priority: u8) -> bool {
        let known = self.threads.get_mut(&thread);
        known.is_some_and(|thread| thread.priority.replace(priority) != Some(priority))
    }

    #[inline]
    pub(crate) fn enter(&mut self, thread: u64, entry: CallEntry) {
        if let Some(thread) = self.threads.get_mut(&thread) {
            thread.call = Some(entry);
        }
    }

    /// Notes that a thread leaves a kernel call; returns its entry, if seen.
    #[inline]
    pub(crate) fn leave(&mut self, thread: u64, call: u16) -> Option<CallEntry> {
        let entry = self.threads.get_mut(&thread)?.call.take()?;
        (entry.call == call).then_some(entry)
    }

    /// Forgets everything, and makes the host forget it, too.
    pub(crate) fn clear(&mut self, out: &mut Output<'_>) {
        *self = KnownThreads::default();
        out.clear(space::PROCESSES);
        out.clear(space::THREADS);
        out.clear(space::CHANNELS);
    }
}

/// A moment on a CPU, for checking whether a thread's events may have been lost between two moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuMoment {
    pub(crate) losses: u32,
    pub(crate) cpu: u8,
    /// Number of thread switches and losses on this CPU before.
    pub(crate) switches: u32,
    pub(crate) all_known: bool,
}

impl CpuMoment {
    /// Whether no event of a thread can be lost between this and a later moment: either nothing was lost, or the thread
    /// ran on its CPU all the time.
    pub(crate) fn is_joined_to(self, later: CpuMoment) -> bool {
        (self.all_known && self.losses == later.losses) || (self.cpu, self.switches) == (later.cpu, later.switches)
    }
}
