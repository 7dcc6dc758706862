//! The engine of spytui: everything between the wire and the screen, without terminal types.
//!
//! | module | what is in it |
//! |---|---|
//! | [`link`] | transports: serial, tcp, udp, files, pipes |
//! | [`log`] | raw log of a source with its stream events; recording and reading back |
//! | [`plugin`] | plugin host: load, registry, options |
//! | [`target`] | commands to a target, what is known of its filter, advice |
//! | [`order`] | merge order of several sources of a target |
//! | [`decode`] | turns bytes of a log into rows |
//! | [`store`] | rows in columns, dictionary with history, counters |
//! | [`list`] | stored rows as one list: merge, render, filter, find |
//! | [`format_files`] | files with texts of records: found, read, watched |
//! | [`formatting`] | texts of application records by format files and plugins |
//! | [`render`] | rendered rows |
//! | [`session`] | decodes a source into a store |
//! | [`query`] | filter language: which rows to show, find or write |
//! | [`present`] | rows for display: times, columns, safe text |
//! | [`analysis`] | states, messages and fill levels, rebuilt from activities |
//! | [`stream`] | decodes and renders without a store |
//! | [`export`] | rows as text for other programs and for people |
//! | [`service`] | services for other programs on this machine |
//! | [`mod@nearest`] | the nearest word to a mistyped one |

#![deny(unsafe_code)]

pub mod analysis;
pub mod decode;
pub mod export;
mod file_error;
pub mod format_files;
pub mod formatting;
pub mod link;
pub mod list;
pub mod log;
pub mod order;
pub mod plugin;
pub mod present;
pub mod query;
pub mod render;
pub mod service;
pub mod session;
pub mod store;
pub mod stream;
mod sys;
pub mod target;

pub use file_error::{is_a_folder, unreadable, unwritable};
pub use spytui_plugin_api::nearest;
pub use sys::distrust;
