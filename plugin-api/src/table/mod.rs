//! The function tables that cross the library boundary: implementation and callers.
//!
//! | module | what is in it |
//! |---|---|
//! | `decoder` | the table of a `Decoder` type |
//! | `instance` | the table of its instances, and the state behind an instance pointer |
//! | `encoder` | the table of an `Encoder` type |
//! | `formatter` | the table of a `Formatter` type |
//!
//! The fields of the tables are private, so that only [`decoder()`], [`decoder_and_encoder()`] and [`formatter()`] can
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

debug_by_name!(DecoderRef, EncoderInstance, FormatterInstance, FormatterRef, Instance);
