//! The function tables that cross the library boundary, and both sides of them.
//!
//! | module | what is in it |
//! |---|---|
//! | `layout` | the tables |
//! | `handle` | the host's side: instances and calls |
//! | `vtable` | the table of a type with the trait `Decoder` |
//! | `entry` | the entries of decoders, each behind the panic guard |
//! | `encoder` | the table of a type with the trait `Encoder`, and both sides of it |
//! | `state` | the state behind an instance's pointer |
//! | `formatter` | the table of a type with the trait `Formatter`, and both sides of it |
//!
//! The fields of the tables are private to this crate, so that [`decoder()`], [`decoder_and_encoder()`] and [`formatter()`] are the only ways to
//! make a table, and every entry is guarded.

mod encoder;
mod entry;
mod formatter;
mod handle;
mod layout;
mod state;
mod vtable;

pub use encoder::{EncodeError, EncoderInstance, EncoderTable};
pub use formatter::{FormatterRef, FormatterTable, formatter};
pub use layout::{DecoderRef, DecoderTable, Instance, InstanceTable};
pub use vtable::{decoder, decoder_and_encoder};

use abi_stable::std_types::RResult;

use crate::guard::Fault;

type Guarded<T> = RResult<T, Fault>;
