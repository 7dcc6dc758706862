//! Rows for people: times, columns, safe text. The same rules serve the list, the details and text exports.
//!
//! | module | what is in it |
//! |---|---|
//! | [`mod@sanitise`] | target bytes as text that no terminal obeys |
//! | [`clock`] | ticks as numbers and as time |
//! | [`labels`] | what a decoder calls its kinds and groups, found out once |
//! | [`mod@line`] | the columns of one row |
//! | [`words`] | words for keys, kinds and groups |

pub mod clock;
pub mod labels;
pub mod line;
pub mod sanitise;
pub mod words;

pub use clock::Clock;
pub use labels::{Labels, has_lanes};
pub use line::{Line, LineColumns, Role, Widths};
pub use sanitise::{sanitise, sanitise_into, sanitise_text};
