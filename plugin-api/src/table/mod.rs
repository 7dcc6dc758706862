//! The function tables that cross the library boundary, and both sides of them.
//!
//! | module | what is in it |
//! |---|---|
//! | `layout` | the tables |
//! | `handle` | the host's side: instances, ways back, calls |
//! | `make` | tables from the authors' traits: the only way to make one |
//! | `entry` | the entries of decoders and formatters, each behind the panic guard |
//! | `back` | the entries of the way back |
//! | `boxed` | what is behind a handle's pointer |
//!
//! The fields of the tables are private to this crate, so that [`decoder`] and [`formatter`] stay the only way to
//! make a table, and no entry is without its guard.

mod back;
mod boxed;
mod entry;
mod handle;
mod layout;
mod make;

pub use handle::{Instance, Tx};
pub use layout::{DecoderRef, DecoderTable, FormatterRef, FormatterTable, InstanceRef, InstanceTable, TxRef, TxTable};
pub use make::{decoder, formatter};

use abi_stable::std_types::RResult;

use crate::guard::Fault;

type Answer<T> = RResult<T, Fault>;
