//! Perfetto trace export, from activities and names alone, for any protocol.
//!
//! Reads the logs twice, because names and clocks reported late apply to the whole trace. Memory use grows with the
//! number of tracks and names, not with the length of the trace.
//!
//! | module | what is in it |
//! |---|---|
//! | [`run`] | both passes, from logs to a file |
//! | `exporter` | converts rows and activities to packets |
//! | `changes` | state changes as slices and counters |
//! | `marks` | markers, values and other activities without state |
//! | `tracks` | creates tracks on first use |
//! | `known` | class, title and tracks of each entity |
//! | `label` | slice names given by the decoder |
//! | `row_text` | the text of a row |
//! | `late` | activities of records without a time stamp |
//! | `time` | puts all epochs on one time line |
//! | [`packets`] | packet writer |
//! | `frame` | fast encoding of common packets |
//! | [`proto`] | protobuf messages |

mod changes;
mod exporter;
mod frame;
mod known;
mod label;
mod late;
mod marks;
pub mod packets;
pub mod proto;
mod row_text;
pub mod run;
mod time;
mod tracks;

pub use run::{Exported, export, export_file};
