//! Rows for display: times, columns, safe text. Shared by list, details and text exports.
//!
//! | module | what is in it |
//! |---|---|
//! | [`mod@sanitise`] | makes target text safe for a terminal; texts for failures |
//! | [`clock`] | formats ticks as numbers or times; dates |
//! | [`words`] | words and labels for keys, kinds and groups; the columns of a row |

pub mod clock;
pub mod sanitise;
pub mod words;

pub use clock::Clock;
pub use sanitise::{sanitise, sanitise_into, sanitise_text};
pub use words::{Labels, RowLine, RowRole, Widths};
