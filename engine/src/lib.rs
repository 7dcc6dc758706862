//! The engine of spytui: everything between the wire and the screen, without a terminal type in it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`log`] | the raw log of a source, its marks, recording and reading back |
//! | [`plugin`] | the plugin host: load, registry, options |
//! | [`nearest`] | the nearest word to a mistyped one |

#![deny(unsafe_code)]

pub mod log;
pub mod nearest;
pub mod plugin;
