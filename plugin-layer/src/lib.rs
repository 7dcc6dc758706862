//! Decoders on a page: one pure function reads a frame, and the rest follows. [`clock`] and [`sequence`] serve any decoder,
//! [`front_end`] those that are linked into the program.
//!
//! Decoding and rendering both call [`Protocol::read`]. Each call on its [`Record`] reads one field and defines its
//! number, place in the frame, key, text, column and activity. The layer handles chunks, false starts, pending and
//! skipped bytes, sequence gaps, time stamps that wrap or go back, drop totals, unknown kinds, the description, the
//! guess, text and details. The examples at [`Protocol`] and [`RecordText`] are whole plugins; `docs/plugins.md` is the guide.
//!
//! A frame that does not fit (`None`) becomes a row flagged as malformed; one of an undeclared kind is shown as bytes.
//! The kind number should be among the first sixteen bytes of a frame: the names of fields, which filters know, are
//! found by reading frames of zeros; declare the rest with [`Kind::fields`].
//!
//! The same calls write the text of other protocols' application records, see [`RecordText`].

pub mod clock;
mod decode;
mod describe;
mod framing;
pub mod front_end;
mod number;
pub mod plan;
mod protocol;
mod record;
mod render;
pub mod sequence;

pub use clock::{Clock, ClockNews, Order};
pub use decode::decoder;
pub use framing::{Check, Framing, Length, Split};
pub use front_end::{FrontEnd, FrontEndOutput, OpenFrontEnd};
pub use number::{FieldName, Named, Number, Value, named, scaled};
pub use plan::{PlannedField, PlannedScope, PlansOf, RowPlan};
pub use protocol::{Kind, Means, Protocol, Space};
pub use record::Record;
pub use render::{RecordText, formatter, show_record};
pub use sequence::Sequence;
#[doc(hidden)]
pub use spytui_plugin_api as api;

/// Turns a crate of type `cdylib` into a plugin library with these protocols and record texts, named after the crate.
#[macro_export]
macro_rules! plugin {
    ($(decoders: [$($protocol:ty),* $(,)?])? $(,)? $(formatters: [$($text:ty),* $(,)?])? $(,)?) => {
        fn plugin() -> $crate::api::LibraryRef {
            $crate::api::library!(
                env!("CARGO_PKG_NAME"),
                decoders: [$($($crate::decoder::<$protocol>()),*)?],
                formatters: [$($($crate::formatter::<$text>()),*)?],
            )
        }
        $crate::api::export_plugin!(plugin);
    };
}

/// The guide, whose code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/plugins.md")]
struct Guide;
