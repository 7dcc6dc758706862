//! Rows for people: times, columns, safe text. The same rules serve the list, the details and text exports.
//!
//! | module | what is in it |
//! |---|---|
//! | [`mod@sanitise`] | target bytes as text that no terminal obeys |
//! | [`clock`] | ticks as numbers and as time |
//! | [`mod@line`] | the columns of one row |
//! | [`word`] | words for keys, kinds and groups |

pub mod clock;
pub mod line;
pub mod sanitise;
pub mod word;

pub use clock::Clock;
pub use line::{Line, Role, Widths};
pub use sanitise::{sanitise, sanitise_into, sanitise_text};
