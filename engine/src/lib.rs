//! The engine of spytui: everything between the wire and the screen, without terminal types.
//!
//! | module | what is in it |
//! |---|---|
//! | [`io`] | links, raw logs and recordings, format files |
//! | [`open`] | finds and loads decoders |
//! | [`decode`] | chooses a decoder; turns bytes of a log into rows |
//! | [`store`] | rows in columns, dictionary with history, counters |
//! | [`trace`] | rows in order, stored or streamed |
//! | [`row`] | rendered rows, and filters of them |
//! | [`query`] | filter language for showing, finding and writing rows |
//! | [`present`] | rows for display: times, columns, safe text |
//! | [`replay`] | interprets rows: losses, resets, epochs, states |
//! | [`analysis`] | states, messages, levels, statistics and findings from activities |
//! | [`export`] | rows as text for other programs and for people |
//! | [`device`] | commands to a target, state of its filter, advice |
//! | [`mod@nearest`] | the word most similar to a mistyped one |

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
pub use io::sys::{distrust, identity};
pub use spytui_plugin_api::nearest;
