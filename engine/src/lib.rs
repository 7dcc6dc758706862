//! The engine of spytui: everything between the wire and the screen, without a terminal type in it.
//!
//! | module | what is in it |
//! |---|---|
//! | [`link`] | where the bytes come from: serial, tcp, udp, files, pipes |
//! | [`log`] | the raw log of a source, its stream events, recording and reading back |
//! | [`plugin`] | the plugin host: load, registry, options |
//! | [`order`] | the order of several sources of one target |
//! | [`decode`] | bytes of a log through a decoder into rows |
//! | [`store`] | rows in columns, dictionary with history, counters |
//! | [`list`] | stored rows as one list: order, render, filter, find |
//! | [`render`] | rendered rows with all that may be asked of them |
//! | [`session`] | one source, from its log through a decoder into rows |
//! | [`query`] | the display language: which rows to show, find or write |
//! | [`present`] | rows for people: times, columns, safe text |
//! | [`analysis`] | what activities mean: states, messages, levels, rebuilt from verbs |
//! | [`stream`] | decode and render without a store |
//! | [`export`] | rows as text for other programs and for people |
//! | [`service`] | what other programs may fetch from this one |
//! | [`mod@nearest`] | the nearest word to a mistyped one |

#![deny(unsafe_code)]

pub mod analysis;
pub mod decode;
pub mod export;
mod file_error;
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

pub use file_error::{is_a_folder, unreadable, unwritable};
pub use spytui_plugin_api::nearest;
