//! Rows as text, for other programs and for people.
//!
//! | module | what is in it |
//! |---|---|
//! | [`text`] | `reference` and `native` |
//! | [`jsonl`] | a line with the version, then one JSON object per row, the same keys for every protocol |
//! | [`csv`] | a header and one line per row |
//! | [`lines`] | rows as lines, on several threads |
//! | [`live_file`] | a file that is written while a source is received |
//! | [`perfetto`] | a trace for the Perfetto viewer |
//! | [`sequence`] | a sequence diagram, as Mermaid or PlantUML |
//! | [`ctf`] | a trace in the Common Trace Format, for babeltrace2 and Trace Compass |
//! | [`vcd`] | value changes, for viewers of waveforms |
//! | [`capture`] | runs an export over a whole capture, into a new file |
//! | [`check`] | judges expectations on a stream; verdicts as text, JSON and JUnit XML |
//! | [`compare`] | two captures, and where they differ |
//! | [`cut`] | a part of a capture that decodes alone to the same rows |
//! | `words` | names and classes of what exports show |
//! | [`service`] | offers a trace to the web page of the viewer |
//! | [`json`] | JSON writer |
//! | [`starting_lines`] | a first version of a format file |
//! | [`stats`] | counters as JSON or text |
//! | [`objects`] | what every object was doing |
//! | [`statistics`] | rates, times and levels by any column |
//! | [`findings`] | what an expert would spot |
//! | [`incident`] | what led to a failure |
//! | [`replay_sink`] | feeds the rows of a stream to analyses |
//! | [`tables`] | tables for databases, as Parquet files |
//! | [`table`] | tables: text, JSON, CSV, and the bodies of panes |

pub mod capture;
pub mod check;
pub mod compare;
pub mod csv;
pub mod ctf;
pub mod cut;
pub mod findings;
pub mod incident;
pub mod json;
pub mod jsonl;
pub mod lines;
pub mod live_file;
pub mod objects;
pub mod perfetto;
pub mod replay_sink;
pub mod sequence;
pub mod service;
pub mod starting_lines;
pub mod statistics;
pub mod stats;
pub mod table;
pub mod tables;
pub mod text;
pub mod vcd;
mod words;

pub use csv::CsvRows;
pub use jsonl::Jsonl;
pub use starting_lines::StartingLines;
pub use text::{Escape, NativeRows, ReferenceRows};
