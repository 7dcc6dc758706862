//! The plugin host: finds, checks and loads plugin libraries, and keeps the registry of decoders.
//!
//! | module | what is in it |
//! |---|---|
//! | [`load`] | loads a library: stamp, layout check, root module |
//! | [`registry`] | decoders by name, built-in and loaded; enabled and disabled |
//! | [`decoder`] | a decoder with its formatters and origin |
//! | [`mod@contain`] | supervises plugins: crashes, and calls that don't return |
//! | [`guess`] | guesses options and decoder from a sample |
//! | [`opener`] | chooses a decoder and its options |
//! | [`options`] | checks `key=value` against a decoder's specification |

pub mod contain;
pub mod decoder;
pub mod guess;
pub mod load;
pub mod opener;
pub mod options;
pub mod registry;

pub use contain::{Reactions, contain, has_left, overdue, survive};
pub use decoder::{Decoder, Origin};
pub use guess::Pattern;
pub use load::LoadError;
pub use opener::{Chosen, Opener};
pub use options::{OptionError, Options};
pub use registry::{LoadNotes, Registry, UnknownProtocol};
