//! The function tables that cross the library boundary, and both sides of them.
//!
//! | module | what is in it |
//! |---|---|
//! | `layout` | the tables |
//! | `handle` | the host's side: instances and calls |
//! | `make` | tables from the authors' trait: the only way to make one |
//! | `entry` | the entries of decoders, each behind the panic guard |
//! | `boxed` | what is behind a handle's pointer |
//!
//! The fields of the tables are private to this crate, so that [`decoder`] stays the only way to make a
//! table, and no entry is without its guard.

mod boxed;
mod entry;
mod handle;
mod layout;
mod make;

pub use handle::Instance;
pub use layout::{DecoderRef, DecoderTable, InstanceRef, InstanceTable};
pub use make::decoder;

use abi_stable::std_types::RResult;

use crate::guard::Fault;

type Answer<T> = RResult<T, Fault>;
