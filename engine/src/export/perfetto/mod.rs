//! A trace for the Perfetto viewer, from activities and names alone, the same for every protocol.
//!
//! Two passes over the logs: names and clocks that come late hold for the whole trace. Memory grows with tracks and
//! names, not with the length of the trace.
//!
//! | module | what is in it |
//! |---|---|
//! | [`run`] | both passes, from logs to a file |
//! | `exporter` | rows with their activities to packets |
//! | `changes` | states, levels, messages, interrupts as slices and counters |
//! | `marks` | markers, values, and what shows by itself |
//! | `tracks` | which tracks there are |
//! | `known` | what is known of each entity |
//! | `words` | names of tracks and slices |
//! | `label` | names that the decoder gives to slices |
//! | `row_text` | the text of a row |
//! | `time` | all epochs on one line of nanoseconds |
//! | [`packets`] | writes packets |
//! | `frame` | the usual packets, put together from parts |
//! | [`proto`] | the messages |

mod changes;
mod exporter;
mod frame;
mod known;
mod label;
mod marks;
pub mod packets;
pub mod proto;
mod row_text;
pub mod run;
mod time;
mod tracks;
mod words;

pub use run::{ExportError, Exported, export, export_file};
