//! The panic guard around every plugin entry.
//!
//! A panic must not leave an `extern "C"` function, and a plugin has its own copy of the standard library, whose
//! default hook would write over the screen. So each entry runs inside [`guard`], and [`install_hook`] keeps the
//! message of a guarded panic for the host instead of printing it.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::{Mutex, Once},
};

use abi_stable::{
    StableAbi,
    std_types::{RResult, RString},
};

/// Why an entry failed.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// It panicked; the instance is unusable.
    pub panicked: bool,
    /// Index of the row in the block.
    pub row: u32,
    /// What happened and what to do, in one line.
    pub text: RString,
}

impl Fault {
    /// A fault with this text.
    pub fn new(text: impl Into<String>) -> Fault {
        Fault { text: text.into().into(), ..Fault::default() }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps messages of guarded panics off stderr; others go to the previous hook. Called by the export macro in a plugin,
/// and by the host for built-in decoders.
pub fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if GUARDED.get() {
                // The panic may have occurred while the message was being taken; then the older text stays. The storage
                // of an exiting thread may be gone.
                let _ = LAST.try_with(|last| {
                    if let Ok(mut last) = last.try_borrow_mut() {
                        *last = one_line(&info.to_string());
                    }
                });
            } else {
                before(info);
            }
        }));
    });
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs `f`; a panic becomes a [`Fault`] with its message and location.
pub fn guard<T>(f: impl FnOnce() -> Result<T, Fault>) -> RResult<T, Fault> {
    let was = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    GUARDED.set(was);
    match result {
        Ok(result) => result.into(),
        Err(payload) => {
            let text = message(payload.as_ref());
            // Dropping an unknown payload could panic again.
            std::mem::forget(payload);
            RResult::RErr(Fault { panicked: true, text: text.into(), ..Fault::default() })
        }
    }
}

/// The message kept by the hook, or the panic's payload if the hook was not called.
fn message(payload: &(dyn Any + Send)) -> String {
    let kept = LAST.try_with(|last| last.try_borrow_mut().map(|mut l| std::mem::take(&mut *l)).unwrap_or_default());
    let kept = kept.unwrap_or_default();
    if !kept.is_empty() {
        return kept;
    }
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    one_line(text.unwrap_or("it panicked without a message"))
}

/// Faults of entries without a result (dropping an instance), oldest first; bounded.
static LATE: Mutex<Vec<Fault>> = Mutex::new(Vec::new());
const LATE_MAX: usize = 16;

/// Keeps a fault that can't be returned.
pub(crate) fn keep_late(fault: Fault) {
    let mut late = LATE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if late.len() < LATE_MAX {
        late.push(fault);
    }
}

/// Takes the faults of entries without a result, for the host to show.
pub fn late_faults() -> Vec<Fault> {
    std::mem::take(&mut *LATE.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_fault_with_its_message() {
        install_hook();
        let result = guard(|| -> Result<(), Fault> { panic!("index {} out of bounds", 7) });
        let RResult::RErr(fault) = result else { panic!("no fault") };
        assert!(fault.panicked);
        assert!(fault.text.contains("index 7 out of bounds"), "{fault}");
        assert!(!fault.text.contains('\n'));
    }

    #[test]
    fn an_unwinding_without_the_hook_still_has_a_text() {
        let text = |payload: Box<dyn Any + Send>| {
            let result = guard(|| -> Result<(), Fault> { std::panic::resume_unwind(payload) });
            result.into_result().expect_err("a fault").text.to_string()
        };
        assert_eq!(text(Box::new("two\nlines")), "two lines");
        assert_eq!(text(Box::new(7)), "it panicked without a message");
    }

    #[test]
    fn an_error_stays_an_error() {
        let result = guard(|| -> Result<(), Fault> { Err(Fault::new("no such option")) });
        assert_eq!(result.into_result(), Err(Fault::new("no such option")));
    }
}
