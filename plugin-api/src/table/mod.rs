//! The function tables that cross the library boundary: implementation and callers.
//!
//! | module | what is in it |
//! |---|---|
//! | `decoder` | the table of a `Decoder` type, and its instances |
//! | `encoder` | the table of an `Encoder` type |
//! | `formatter` | the table of a `Formatter` type |
//!
//! The fields of the tables are private, so that only [`decoder()`], [`decoder_and_encoder()`] and [`formatter()`] can
//! make a table, and every entry is guarded. Signatures are written out because the derive macro reads lifetimes from
//! the syntax.

mod decoder;
mod encoder;
mod formatter;

pub use decoder::{DecoderRef, DecoderTable, Instance, decoder, decoder_and_encoder};
pub use encoder::{EncodeError, EncoderInstance, EncoderTable};
pub use formatter::{FormatterInstance, FormatterRef, FormatterTable, formatter};

use abi_stable::std_types::RResult;

use crate::{
    guard::{Fault, guard},
    render::Rendered,
};

type Guarded<T> = RResult<T, Fault>;

/// `Debug` prints only the name of a table or its owner.
macro_rules! debug_by_name {
    ($($name:ident),*) => {
        $(impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        })*
    };
}

debug_by_name!(DecoderTable, EncoderInstance, FormatterInstance, FormatterTable, Instance);

/// The state behind an instance pointer.
struct State<T> {
    value: T,
    dead: Option<Fault>,
}

impl<T> State<T> {
    fn raw(value: T) -> *mut () {
        Box::into_raw(Box::new(State { value, dead: None })).cast()
    }

    /// Runs `f` unless the instance has panicked; remembers a panic.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nothing else accesses it meanwhile.
    unsafe fn run<R>(state: *mut (), f: impl FnOnce(&mut T) -> Result<R, Fault>) -> Guarded<R> {
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

    /// A clone of the state, unless the instance has panicked.
    ///
    /// # Safety
    /// `state` was made by `State::<T>::raw`, and nothing modifies it meanwhile.
    unsafe extern "C" fn fork(state: *const ()) -> Guarded<*mut ()>
    where
        T: Clone,
    {
        // SAFETY: as the caller says.
        let State { value, dead } = unsafe { &*state.cast::<State<T>>() };
        match dead {
            Some(fault) => RResult::RErr(fault.clone()),
            None => guard(|| Ok(State::raw(value.clone()))),
        }
    }
}

/// Drops the state of an instance.
unsafe extern "C" fn drop_boxed<T>(state: *mut ()) -> Guarded<()> {
    // SAFETY: it was boxed by the constructor of the same table and is dropped once, by the owner's `Drop`.
    let boxed = unsafe { Box::from_raw(state.cast::<T>()) };
    // If its `drop` panics, only what was not yet freed leaks.
    guard(|| {
        drop(boxed);
        Ok(())
    })
}

/// Lengths of an output, for removing incomplete rows.
#[derive(Clone, Copy)]
struct Lengths {
    text: usize,
    rows: usize,
    fields: usize,
    payload: usize,
    blob: usize,
}

impl Lengths {
    fn of(out: &Rendered) -> Lengths {
        let (text, rows) = (out.text.len(), out.rows.len());
        Lengths { text, rows, fields: out.fields.len(), payload: out.payload.len(), blob: out.blob.len() }
    }

    fn restore(self, out: &mut Rendered) {
        out.text.truncate(self.text);
        out.rows.truncate(self.rows);
        out.fields.truncate(self.fields);
        out.payload.truncate(self.payload);
        out.blob.truncate(self.blob);
    }

    /// Whether exactly this many rows were completed since.
    fn plus_rows(self, rows: usize, out: &Rendered) -> bool {
        let ends = [out.text.len(), out.fields.len(), out.payload.len()];
        out.rows.len() == self.rows + rows
            && match out.rows.last().filter(|_| rows > 0) {
                Some(last) => [last.text, last.fields, last.payload].map(|end| end as usize) == ends,
                None => [self.text, self.fields, self.payload] == ends,
            }
    }
}
