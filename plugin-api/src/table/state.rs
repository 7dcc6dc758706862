//! What is behind a handle's pointer: the author's value, and the panic that ended it.

use abi_stable::std_types::RResult;

use super::Guarded;
use crate::guard::{Fault, guard};

/// What is behind an instance's pointer.
pub(super) struct State<T> {
    pub(super) value: T,
    pub(super) dead: Option<Fault>,
}

impl<T> State<T> {
    pub(super) fn raw(value: T) -> *mut () {
        Box::into_raw(Box::new(State { value, dead: None })).cast()
    }

    /// Runs `f` unless dead; a panic is remembered.
    pub(super) fn run<R>(&mut self, f: impl FnOnce(&mut T) -> Result<R, Fault>) -> Guarded<R> {
        if let Some(fault) = &self.dead {
            return RResult::RErr(fault.clone());
        }
        let value = &mut self.value;
        let answer = guard(|| f(value));
        if let RResult::RErr(fault) = &answer
            && fault.panicked
        {
            self.dead = Some(fault.clone());
        }
        answer
    }
}

pub(super) unsafe extern "C" fn drop_state<T>(state: *mut ()) -> Guarded<()> {
    // SAFETY: made by `State::<T>::raw` and dropped once, by the owner's `Drop`.
    let boxed = unsafe { Box::from_raw(state.cast::<State<T>>()) };
    // A panic in the author's `drop` costs what it had not yet freed, nothing more.
    guard(|| {
        drop(boxed);
        Ok(())
    })
}
