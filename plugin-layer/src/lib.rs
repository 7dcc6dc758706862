//! Decoders on a page: one pure function reads a frame, and the rest follows. [`clock`] and [`sequence`] serve any decoder.
//!
//! Decoding and rendering both call [`Protocol::read`]. Each call on its [`Record`] reads one field and defines its
//! number, place in the frame, key, text, column and activity. The layer handles chunks, false starts, pending and
//! skipped bytes, sequence gaps, time stamps that wrap or go back, drop totals, unknown kinds, the description, the
//! guess, text and details.
//!
//! ```
//! use spytui_plugin_layer::*;
//! use spytui_plugin_api::Class;
//!
//! struct Pump;
//! const MOTOR: usize = 0;
//! const STATE: usize = 1;
//! const TEMPERATURE: Named = named("temp").scale(0.1).unit("°C");
//!
//! impl Protocol for Pump {
//!     const ID: &'static str = "pump";
//!     const TITLE: &'static str = "Pump";
//!     const FRAMING: Framing = Framing::cobs(Check::CRC16);
//!     const CLOCK: Clock = Clock::millis(32);
//!     const SPACES: &'static [Space] = &[Space::objects("motor"), Space::of("state", Class::STATE)];
//!     const KINDS: &'static [Kind] = &[
//!         Kind::new(1, "TEMP", "VA", Means::Value),
//!         Kind::new(2, "STATE", "SM", Means::State),
//!         Kind::new(3, "NAME", "DI", Means::Name),
//!     ];
//!
//!     fn read(frame: &[u8], r: &mut Record<'_>) -> Option<()> {
//!         let kind = r.get::<u8>()?;
//!         r.kind(kind.into());
//!         r.time::<u32>()?;
//!         match kind {
//!             1 => { r.object::<u8>("motor", MOTOR)?; r.number::<i16>(TEMPERATURE) }
//!             2 => { r.object::<u8>("motor", MOTOR)?; r.key::<u8>("state", STATE) }
//!             3 => { let space = r.get::<u8>()?; (space < 2).then_some(())?; r.names::<u8>(space.into()) }
//!             _ => None,
//!         }
//!     }
//! }
//!
//! // A library is `spytui_plugin_layer::plugin!(decoders: [Pump]);` in a crate of type `cdylib`.
//! assert_eq!(decoder::<Pump>().info().unwrap().id, "pump");
//! ```
//!
//! A frame that does not fit (`None`) becomes a row flagged as malformed; one of an undeclared kind is shown as bytes.
//! The kind number should be among the first sixteen bytes of a frame: the names of fields, which filters know, are
//! found by reading frames of zeros; declare the rest with [`Kind::fields`].
//!
//! The same calls write the text of other protocols' application records:
//!
//! ```
//! use spytui_plugin_layer::*;
//!
//! struct Motor;
//!
//! impl RecordText for Motor {
//!     const OF: (&'static str, &'static str) = ("qs", "USER+5");
//!
//!     fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
//!         r.number::<u16>(named("rpm").scale(0.1).unit("rpm"))?;
//!         r.number::<u8>(named("mode").words(&[(0, "off"), (1, "run"), (7, "fault")]))
//!     }
//! }
//! assert_eq!(formatter::<Motor>().info().unwrap().fields[1].name, "mode");
//! ```

pub mod clock;
mod describe;
mod framing;
mod number;
mod protocol;
mod readable;
mod receive;
mod record;
mod render;
pub mod sequence;
mod stream;

pub use clock::{Clock, ClockNews, Order};
pub use framing::{Check, Framing, Length, Split};
pub use number::{FieldName, Named, Number, Value, named};
pub use protocol::{Kind, Means, Protocol, Space};
pub use readable::scaled;
pub use receive::decoder;
pub use record::Record;
pub use render::{RecordText, formatter, show_record};
pub use sequence::Sequence;
#[doc(hidden)]
pub use spytui_plugin_api as api;

/// Turns a crate of type `cdylib` into a plugin library with these protocols and record texts, named after the crate.
#[macro_export]
macro_rules! plugin {
    (decoders: [$($protocol:ty),* $(,)?] $(,)?) => {
        $crate::plugin!(decoders: [$($protocol),*], formatters: []);
    };
    (formatters: [$($text:ty),* $(,)?] $(,)?) => {
        $crate::plugin!(decoders: [], formatters: [$($text),*]);
    };
    (decoders: [$($protocol:ty),* $(,)?], formatters: [$($text:ty),* $(,)?] $(,)?) => {
        fn plugin() -> $crate::api::LibraryRef {
            $crate::api::library!(
                env!("CARGO_PKG_NAME"),
                decoders: [$($crate::decoder::<$protocol>()),*],
                formatters: [$($crate::formatter::<$text>()),*],
            )
        }
        $crate::api::export_plugin!(plugin);
    };
}

/// The guide, whose code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/plugins.md")]
struct Guide;
