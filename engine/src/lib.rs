//! The engine of spytui: everything between the wire and the screen, without a terminal type in it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`log`] | the raw log of a source, its marks, recording and reading back |
//! | [`plugin`] | the plugin host: load, registry, options |
//! | [`nearest`] | the nearest word to a mistyped one |
//! | [`store`] | rows in columns, dictionary with history, counters |
//! | [`session`] | one source, from its log through a decoder into rows |

#![deny(unsafe_code)]

pub mod log;
pub mod nearest;
pub mod plugin;
pub mod session;
pub mod store;
