//! The plugin host: finds, checks and loads plugin libraries, and keeps the registry of decoders.
//!
//! | module | what is in it |
//! |---|---|
//! | [`load`] | loads a library: stamp, layout check, root module |
//! | [`registry`] | decoders by name, built-in and loaded; enabled and disabled |
//! | [`decoder`] | a decoder with its formatters, origin and options |
//! | [`mod@contain`] | supervises plugins: crashes, and calls that don't return |

pub mod contain;
pub mod decoder;
pub mod load;
pub mod registry;

pub use contain::{Reactions, contain, has_left, overdue, survive};
pub use decoder::{Decoder, OptionError, Options, Origin, REFERENCE_TEXT};
pub use load::LoadError;
pub use registry::{LoadNotes, Registry};
