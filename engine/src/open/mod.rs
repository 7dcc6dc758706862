//! The plugin host: finds, checks and loads plugin libraries, and holds the registry of decoders.
//!
//! | module | what is in it |
//! |---|---|
//! | [`listed`] | what libraries bring, as lists of plugins show it |
//! | [`load`] | loads a library: stamp, layout check, root module |
//! | [`loading`] | which libraries are being loaded, and which ended a program so |
//! | `within` | calls that may never return |
//! | `whole` | checks that a library file is complete |
//! | [`registry`] | decoders by name, built-in and loaded |
//! | [`decoder`] | one of them with its formatters |
//! | [`origin`] | where it comes from |
//! | `enabling` | decoders and formatters that the user enables and disables |
//! | [`mod@contain`] | looks after plugins: what ends the program, and what does not return |
//! | [`guess`] | guesses options and decoder from a sample |
//! | [`pattern`] | damage with a pattern, and what can be taken back |
//! | [`opener`] | which decoder, with which options |
//! | [`options`] | checks `key=value` against a decoder's specification |

pub mod contain;
pub mod decoder;
mod enabling;
pub mod guess;
pub mod listed;
pub mod load;
pub mod loading;
pub mod opener;
pub mod options;
pub mod origin;
pub mod pattern;
pub mod registry;
mod whole;
mod within;

pub use contain::{Reactions, contain, has_left, overdue, survive};
pub use decoder::Decoder;
pub use load::LoadError;
pub use loading::LoadNotes;
pub use opener::{Chosen, Opener};
pub use options::{OptionError, Options};
pub use origin::Origin;
pub use pattern::Pattern;
pub use registry::{Registry, UnknownProtocol};
