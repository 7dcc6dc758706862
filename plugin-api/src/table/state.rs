//! The state behind an instance's pointer: the decoder's value, or the panic that ended it.

use abi_stable::std_types::RResult;

use super::Guarded;
use crate::guard::{Fault, guard};

/// The state of an instance.
pub(super) struct State<T> {
    pub(super) value: T,
    pub(super) dead: Option<Fault>,
}

impl<T> State<T> {
    pub(super) fn raw(value: T) -> *mut () {
        Box::into_raw(Box::new(State { value, dead: None })).cast()
    }

    /// Runs `f` unless the instance has panicked; a panic is kept.
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
    // After a panic in the decoder's `drop`, only what it had not freed yet is leaked.
    guard(|| {
        drop(boxed);
        Ok(())
    })
}
