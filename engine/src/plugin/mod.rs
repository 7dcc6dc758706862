//! The plugin host: finds, checks and loads plugin libraries, and knows every decoder there is.
//!
//! | module | what is in it |
//! |---|---|
//! | [`load`] | one library file: stamp, layout check, root module |
//! | `whole` | whether a library file is all there |
//! | [`registry`] | all decoders, built in and loaded, by name |
//! | [`guess`] | options that nobody gave, from a sample |
//! | [`options`] | `key=value` against a decoder's specification |

pub mod guess;
pub mod load;
pub mod options;
pub mod registry;
mod whole;

pub use load::LoadError;
pub use options::{OptionError, Options};
pub use registry::{Decoder, Origin, Registry, UnknownProtocol};
