//! The plugin host: finds, checks and loads plugin libraries, and holds the registry of decoders.
//!
//! | module | what is in it |
//! |---|---|
//! | [`listed`] | what libraries bring, as lists of plugins show it |
//! | [`load`] | loads a library: stamp, layout check, root module |
//! | `whole` | checks that a library file is complete |
//! | [`registry`] | decoders by name, built-in and loaded |
//! | [`guess`] | guesses options and decoder from a sample |
//! | [`opener`] | which decoder, with which options |
//! | [`options`] | checks `key=value` against a decoder's specification |

pub mod guess;
pub mod listed;
pub mod load;
pub mod opener;
pub mod options;
pub mod registry;
mod whole;

pub use load::LoadError;
pub use opener::{Chosen, Opener};
pub use options::{OptionError, Options};
pub use registry::{Decoder, Origin, Registry, UnknownProtocol};
