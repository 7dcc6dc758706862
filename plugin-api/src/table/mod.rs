//! The function tables that cross the library boundary, and both sides of them.
//!
//! | module | what is in it |
//! |---|---|
//! | `decoder` | the table of a type with the trait `Decoder`, and both sides of it |
//! | `instance` | the table of its instances, and both sides of it; the state behind the pointer of any instance |
//! | `encoder` | the table of a type with the trait `Encoder`, and both sides of it |
//! | `formatter` | the table of a type with the trait `Formatter`, and both sides of it |
//!
//! The fields of the tables are private, so that [`decoder()`], [`decoder_and_encoder()`] and [`formatter()`] are the only ways to
//! make a table, and every entry is guarded.

mod decoder;
mod encoder;
mod formatter;
mod instance;

pub use decoder::{DecoderRef, DecoderTable, decoder, decoder_and_encoder};
pub use encoder::{EncodeError, EncoderInstance, EncoderTable};
pub use formatter::{FormatterInstance, FormatterInstanceTable, FormatterRef, FormatterTable, formatter};
pub use instance::{Instance, InstanceTable};

use abi_stable::std_types::RResult;

use crate::guard::Fault;

type Guarded<T> = RResult<T, Fault>;

/// What is printed of a table, or of what has one: its name.
macro_rules! debug_by_name {
    ($($name:ident),*) => {
        $(impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        })*
    };
}

debug_by_name!(DecoderRef, EncoderInstance, FormatterInstance, FormatterRef, Instance);
