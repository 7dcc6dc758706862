//! Handles crashes: signals for the program's own faults, and `exit`.

#![allow(unsafe_code)] // there is no other way to handle these signals

use std::{
    ffi::{c_int, c_void},
    io,
    mem::MaybeUninit,
    sync::OnceLock,
    thread::sleep,
    time::{Duration, Instant},
};

/// How long the thread waits for another one to end the program.
const PATIENCE: Duration = Duration::from_secs(4);
const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGABRT, "it aborted (SIGABRT)"),
    (libc::SIGSEGV, "it accessed memory that is not its own, or overflowed its stack (SIGSEGV)"),
    (libc::SIGBUS, "it accessed memory that does not exist (SIGBUS)"),
    (libc::SIGILL, "it executed an illegal instruction (SIGILL)"),
    (libc::SIGFPE, "it divided by zero (SIGFPE)"),
];

/// Called on the crashing thread with the cause; returns whether another thread will end the program. Must be
/// async-signal-safe.
type Ask = fn(how: &'static str) -> bool;

/// Also contains the exit code to use if no other thread ends the program.
static ASK: OnceLock<(Ask, c_int)> = OnceLock::new();
static BEFORE: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

/// Calls `ask` when the program is about to crash or exit. If it returns true, the thread waits; otherwise the usual
/// handling follows. Works once.
pub(crate) fn on_crash(ask: Ask, code: c_int) -> io::Result<()> {
    if ASK.set((ask, code)).is_err() {
        return Ok(());
    }
    // SAFETY: the function lives as long as the program, and takes and returns nothing.
    if unsafe { libc::atexit(at_exit) } != 0 {
        return Err(io::Error::other("atexit"));
    }
    SIGNALS.iter().zip(&BEFORE).try_for_each(|((signal, _), before)| take(*signal, before))
}

fn take(signal: c_int, before: &OnceLock<libc::sigaction>) -> io::Result<()> {
    let handler: extern "C" fn(c_int, *const libc::siginfo_t, *const c_void) = on_signal;
    let mut old = MaybeUninit::uninit();
    // SAFETY: all zeros are a valid `sigaction`: no flags, no signals blocked.
    let mut new: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    new.sa_sigaction = handler as *const () as libc::sighandler_t;
    // The stack may be used up.
    new.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
    // SAFETY: both point to a `sigaction`; the handler does only what a signal handler may.
    if unsafe { libc::sigaction(signal, &raw const new, old.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above filled it in.
    let _ = before.set(unsafe { old.assume_init() });
    Ok(())
}

extern "C" fn on_signal(signal: c_int, info: *const libc::siginfo_t, _context: *const c_void) {
    let known = SIGNALS.iter().zip(&BEFORE).find(|((number, _), _)| *number == signal);
    let Some(((_, how), before)) = known else { return };
    // A signal sent by another process hits a plugin only by chance.
    if is_own(info) {
        ask(how);
    }
    let Some(before) = before.get() else { return };
    // SAFETY: what the system gave; as it was before.
    unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
    // The other signals recur when the handler returns.
    if signal == libc::SIGABRT {
        // SAFETY: has no requirements.
        unsafe { libc::raise(signal) };
    }
}

/// Whether this process caused the signal: by `abort`, or by a fault that the system reports.
fn is_own(info: *const libc::siginfo_t) -> bool {
    // SAFETY: the system passes a valid `siginfo_t`; signals sent by a process, and only these, have its id.
    unsafe { (*info).si_code > 0 || (*info).si_pid() == libc::getpid() }
}

extern "C" fn at_exit() {
    ask("it called exit");
}

/// Returns if no plugin is concerned.
fn ask(how: &'static str) {
    let Some((_, code)) = ASK.get().filter(|(ask, _)| ask(how)) else { return };
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        sleep(Duration::from_millis(50));
    }
    // SAFETY: has no requirements.
    unsafe { libc::_exit(*code) };
}
