//! The state behind an instance's pointer: the value of the decoder or encoder, or the panic that ended it.

use abi_stable::std_types::RResult;

use super::Guarded;
use crate::guard::{Fault, guard};

/// The state of an instance.
pub(super) struct State<T> {
    value: T,
    dead: Option<Fault>,
}

impl<T> State<T> {
    pub(super) fn raw(value: T) -> *mut () {
        Box::into_raw(Box::new(State { value, dead: None })).cast()
    }

    /// Runs `f` unless the instance has panicked; a panic is kept.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nobody else reaches it meanwhile.
    pub(super) unsafe fn run<R>(state: *mut (), f: impl FnOnce(&mut T) -> Result<R, Fault>) -> Guarded<R> {
        // SAFETY: as the caller says.
        let State { value, dead } = unsafe { &mut *state.cast::<State<T>>() };
        if let Some(fault) = dead {
            return RResult::RErr(fault.clone());
        }
        let answer = guard(|| f(value));
        if let RResult::RErr(fault) = &answer
            && fault.panicked
        {
            *dead = Some(fault.clone());
        }
        answer
    }

    /// Makes an instance of a copy, unless this one has panicked.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nobody changes it meanwhile.
    pub(super) unsafe fn fork<R>(state: *const (), instance_of: fn(T) -> R) -> Guarded<R>
    where
        T: Clone,
    {
        // SAFETY: as the caller says.
        let State { value, dead } = unsafe { &*state.cast::<State<T>>() };
        match dead {
            Some(fault) => RResult::RErr(fault.clone()),
            None => guard(|| Ok(instance_of(value.clone()))),
        }
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
