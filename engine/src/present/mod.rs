//! Rows for people: times, columns, safe text. The same rules serve the list, the details and text exports.
//!
//! | module | what is in it |
//! |---|---|
//! | [`mod@sanitise`] | target bytes as text that no terminal obeys |
//! | [`clock`] | ticks as numbers and as time |
//! | [`legend`] | what a decoder calls its kinds and groups, found out once |
//! | [`mod@line`] | the columns of one row |
//! | [`word`] | words for keys, kinds and groups |

pub mod clock;
pub mod legend;
pub mod line;
pub mod sanitise;
pub mod word;

pub use clock::Clock;
pub use legend::Legend;
pub use line::{Cells, Line, Role, Widths};
pub use sanitise::{sanitise, sanitise_into, sanitise_text};
