//! Threads that call plugins; a thread is left behind if its plugin does not return.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crossbeam_channel::{RecvTimeoutError, bounded};
use spytui_plugin_api::{
    Fault,
    running::{self, Call},
};

use crate::{
    io::sys::{AsHandle as _, OwnedHandle, PollFlags, on_crash, wait_any},
    present::sanitise::TOO_LONG,
};

/// How the program reacts to a failed plugin.
#[derive(Debug, Clone, Copy)]
pub struct Reactions {
    /// Reports one line; the program continues.
    pub say: fn(&str),
    /// Ends the program with this exit code, after one line about why; from any thread.
    pub end: fn(code: u8, why: &str) -> !,
    /// Restores the terminal and reports why: the screen's thread has not returned from a plugin.
    pub leave_screen: fn(&str),
}

const FAILED: u8 = 4;

static REACTIONS: OnceLock<Reactions> = OnceLock::new();
/// The cause of a crash, and the call during which it happened.
static CRASH: OnceLock<(&'static str, Call)> = OnceLock::new();
/// Wakes the thread.
static BELL: OnceLock<OwnedHandle> = OnceLock::new();
/// The program survives the loss of a thread that calls a plugin.
static SURVIVES: AtomicBool = AtomicBool::new(false);
/// Number of the screen's thread; above all valid numbers if there is none.
static SCREEN: AtomicUsize = AtomicUsize::new(usize::MAX);
/// A call has not returned.
static LEFT: AtomicBool = AtomicBool::new(false);
/// Calls that have not returned, by thread, with their numbers.
static OVERDUE: Mutex<Vec<(usize, u64, Call)>> = Mutex::new(Vec::new());

/// Starts supervising plugins. Works once.
///
/// # Errors
/// The supervision can't be set up; a crash then ends the program as usual.
pub fn contain(reactions: Reactions) -> io::Result<()> {
    if REACTIONS.set(reactions).is_err() {
        return Ok(());
    }
    let (listener, bell) = io::pipe()?;
    let listener = listener.into();
    let _ = BELL.set(bell.into());
    thread::Builder::new().name("plugins".into()).spawn(move || look_after(&listener, reactions))?;
    on_crash(is_of_plugin, FAILED.into())
}

/// From now on, a call that does not return no longer ends the program: its waiter checks [`overdue`]. Call on the
/// screen's thread.
pub fn survive() {
    SCREEN.store(running::thread_number().unwrap_or(usize::MAX), Ordering::Relaxed);
    SURVIVES.store(true, Ordering::Relaxed);
}

/// Whether the program must end with exit code 4 because a call has not returned.
pub fn has_left() -> bool {
    LEFT.load(Ordering::Relaxed) && !SURVIVES.load(Ordering::Relaxed)
}

/// The plugin call on a thread, by [`running::thread_number`], if it is overdue.
pub fn overdue(thread: usize) -> Option<String> {
    let overdue = overdue_calls();
    overdue.iter().find(|call| call.0 == thread).map(|(.., call)| format!("{call} {TOO_LONG}"))
}

/// Whether the program survives the loss of a thread that calls a plugin.
pub fn survives() -> bool {
    SURVIVES.load(Ordering::Relaxed)
}

/// Supervises what is loaded now.
pub(super) fn look() {
    if let Some(bell) = BELL.get() {
        let _ = rustix::io::write(bell, b"+");
    }
}

/// Remembers that a call has not returned, which is reported elsewhere.
pub(super) fn note_if_left(fault: &Fault) {
    LEFT.fetch_or(is_left(fault), Ordering::Relaxed);
}

/// Reports a fault if a call has not returned.
pub(super) fn report_if_left(fault: &Fault) {
    note_if_left(fault);
    if let Some(reactions) = REACTIONS.get().filter(|_| is_left(fault)) {
        (reactions.say)(&fault.text);
    }
}

fn overdue_calls() -> MutexGuard<'static, Vec<(usize, u64, Call)>> {
    OVERDUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a plugin runs on this thread; if so, remembers it. Called by signal handlers: takes no lock that another
/// thread may hold for long, and allocates nothing.
fn is_of_plugin(how: &'static str) -> bool {
    let Some(call) = running::current() else { return false };
    let _ = CRASH.set((how, call));
    BELL.get().is_some_and(|bell| rustix::io::write(bell, b"!").is_ok())
}

fn look_after(listener: &OwnedHandle, reactions: Reactions) {
    // How often each call was seen, by thread.
    let mut seen = HashMap::new();
    // The call for which the screen was left.
    let mut left = 0;
    loop {
        // Checks are counted instead of time, because a suspended program does not check.
        let pause = running::has_files().then_some(LOOK);
        if wait_any(&[(listener.as_fd(), PollFlags::IN)], pause).is_ok_and(|ready| ready.contains(&true)) {
            let _ = rustix::io::read(listener, &mut [0; 1]);
        }
        if let Some((how, call)) = CRASH.get() {
            (reactions.end)(FAILED, &format!("{call} ended the program: {how}"));
        }
        let late = late_calls(&mut seen);
        if let Some((.., call)) = late.first().filter(|_| !SURVIVES.load(Ordering::Relaxed)) {
            (reactions.end)(FAILED, &format!("{call} {TOO_LONG}"));
        }
        let of_screen = late.iter().find(|call| call.0 == SCREEN.load(Ordering::Relaxed));
        if let Some((_, number, call)) = of_screen.filter(|call| call.1 != left) {
            left = *number;
            (reactions.leave_screen)(&format!("{call} {TOO_LONG}"));
        }
        *overdue_calls() = late;
    }
}

/// Row calls into plugin files seen by too many checks; other calls have a waiter here. `seen` = for each thread, the
/// number of its call, and of the checks that saw it.
fn late_calls(seen: &mut HashMap<usize, (u64, u32)>) -> Vec<(usize, u64, Call)> {
    let calls = running::under_way();
    seen.retain(|thread, _| calls.iter().any(|call| call.0 == *thread));
    let mut late = Vec::new();
    let is_watched = |call: &Call| call.entry.is_of_rows() && call.table.is_of_file();
    for (thread, number, call) in calls.into_iter().filter(|(.., call)| is_watched(call)) {
        let (of, looks) = seen.entry(thread).or_insert((number, 0));
        if *of != number {
            (*of, *looks) = (number, 0);
        }
        *looks += 1;
        if *looks > LOOKS {
            late.push((thread, number, call));
        }
    }
    late
}

/// How long a call may take, in checks and their interval: a suspended program does not check.
const LOOKS: u32 = 8;
pub(super) const LOOK: Duration = Duration::from_millis(250);

pub struct NoResult {
    /// The call that has not returned; `None` if its thread has ended or did not start.
    pub call: Option<Call>,
    pub fault: Fault,
}

/// Runs `call`, which calls plugins, on a thread and waits for the result as long as a call may take, then leaves the
/// thread behind. `what` names it in the fault.
pub fn within<T: Send + 'static>(what: &str, call: impl FnOnce() -> T + Send + 'static) -> Result<T, NoResult> {
    let (send, answer) = bounded(1);
    let number = Arc::new(OnceLock::new());
    let own = Arc::clone(&number);
    let run = move || {
        let _ = own.set(running::thread_number());
        drop(send.send(call()));
    };
    if let Err(error) = thread::Builder::new().name("plugin".into()).spawn(run) {
        return Err(NoResult { call: None, fault: Fault::new(format!("can't start a thread for {what}: {error}")) });
    }
    for _ in 0..LOOKS {
        match answer.recv_timeout(LOOK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let number = number.get().copied().flatten();
    let under = running::under_way().into_iter().find(|under| Some(under.0) == number);
    let fault = Fault { panicked: true, text: format!("{what} {TOO_LONG}").into(), ..Fault::default() };
    Err(NoResult { call: under.map(|(.., call)| call), fault })
}

/// Whether a fault means that a call has not returned.
pub(super) fn is_left(fault: &Fault) -> bool {
    fault.panicked && fault.text.ends_with(TOO_LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_returns_is_passed_on_and_what_ends_its_thread_is_not_waited_for() {
        assert_eq!(within("it", || 7).ok(), Some(7));
        spytui_plugin_api::guard::install_hook();
        let lost = within("probe", || -> () { std::panic::resume_unwind(Box::new(())) });
        assert!(lost.is_err_and(|lost| is_left(&lost.fault)));
    }
}
