//! The engine of spytui: everything between the wire and the screen, without terminal types.
//!
//! | module | what is in it |
//! |---|---|
//! | [`io`] | links, raw logs and recordings, format files |
//! | [`open`] | finds, loads and chooses decoders |
//! | [`decode`] | turns bytes of a log into rows |
//! | [`store`] | rows in columns, dictionary with history, counters |
//! | [`trace`] | rows in order: stored as a list, or as they come |
//! | [`row`] | rendered rows, and filters of them |
//! | [`query`] | filter language: which rows to show, find or write |
//! | [`present`] | rows for display: times, columns, safe text |
//! | [`replay`] | what rows mean for a target: losses, resets, epochs, states |
//! | [`analysis`] | states, messages and fill levels, rebuilt from activities |
//! | [`export`] | rows as text for other programs and for people |
//! | [`device`] | commands to a target, what is known of its filter, advice |
//! | [`mod@nearest`] | the nearest word to a mistyped one |

#![deny(unsafe_code)]

pub mod analysis;
pub mod decode;
pub mod device;
pub mod export;
pub mod io;
pub mod open;
pub mod present;
pub mod query;
pub mod replay;
pub mod row;
pub mod store;
pub mod trace;

pub use io::file_error::{is_a_folder, unreadable, unwritable};
pub use io::sys::distrust;
pub use spytui_plugin_api::nearest;
