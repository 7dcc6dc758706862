//! Calls of a plugin that may never return, on a thread of their own, which is left behind then.

use std::{
    io,
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

use crossbeam_channel::{RecvTimeoutError, bounded};
use spytui_plugin_api::{
    Fault,
    running::{self, Call},
};

use crate::present::failure::TOO_LONG;

/// How long a call may take, in looks and their distance: a program that was stopped meanwhile has not looked.
pub(super) const LOOKS: u32 = 8;
pub(super) const LOOK: Duration = Duration::from_millis(250);

/// The result of a call, waited for as long as a call may take.
///
/// # Errors
/// It has not returned, or there is no thread.
pub(super) fn within<T: Send + 'static>(what: &str, call: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    let too_long = || Fault { panicked: true, text: format!("{what} {TOO_LONG}").into(), ..Fault::default() };
    match wait_for(call) {
        Ok(result) => Ok(result),
        Err(Left::NoThread(error)) => Err(Fault::new(format!("no thread for {what}: {error}"))),
        Err(Left::Behind(_)) => Err(too_long()),
    }
}

/// Why there is no result.
pub(super) enum Left {
    NoThread(io::Error),
    /// It has not returned from this call, or its thread has ended.
    Behind(Option<Call>),
}

/// The result of what calls plugins, waited for as long as a call may take.
pub(super) fn wait_for<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T, Left> {
    let (send, answer) = bounded(1);
    let number = Arc::new(OnceLock::new());
    let own = Arc::clone(&number);
    let run = move || {
        let _ = own.set(running::thread_number());
        drop(send.send(call()));
    };
    thread::Builder::new().name("plugin".into()).spawn(run).map_err(Left::NoThread)?;
    for _ in 0..LOOKS {
        match answer.recv_timeout(LOOK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let number = number.get().copied().flatten();
    let under = running::under_way().into_iter().find(|under| Some(under.0) == number);
    Err(Left::Behind(under.map(|(.., call)| call)))
}

/// Whether a fault is that a call has not returned.
pub(super) fn is_left(fault: &Fault) -> bool {
    fault.panicked && fault.text.ends_with(TOO_LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_returns_is_passed_on_and_what_ends_its_thread_is_not_waited_for() {
        assert_eq!(within("it", || 7), Ok(7));
        spytui_plugin_api::guard::install_hook();
        let lost = within("probe", || std::panic::resume_unwind(Box::new(())));
        let lost: Result<(), Fault> = lost;
        assert!(is_left(&lost.expect_err("a fault")));
    }
}
