//! Rows for display: times, columns, safe text. Shared by list, details and text exports.
//!
//! | module | what is in it |
//! |---|---|
//! | [`mod@sanitise`] | makes target text safe for a terminal |
//! | [`clock`] | formats ticks as numbers or times |
//! | [`date`] | dates of records, in UTC |
//! | [`failure`] | marks in the text of rows that could not be rendered or formatted |
//! | [`labels`] | labels of a decoder's kinds and groups |
//! | [`mod@line`] | the columns of a row |
//! | [`local_time`] | times of this host in its zone |
//! | [`words`] | words for keys, kinds and groups |

pub mod clock;
pub mod date;
pub mod failure;
pub mod labels;
pub mod line;
pub mod local_time;
pub mod sanitise;
pub mod words;

pub use clock::Clock;
pub use labels::Labels;
pub use line::{Line, Role, Widths};
pub use sanitise::{sanitise, sanitise_into, sanitise_text};
