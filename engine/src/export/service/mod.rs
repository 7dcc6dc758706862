//! Services for other programs on this machine.
//!
//! | module | what is in it |
//! |---|---|
//! | [`offer`] | serves a trace to the Perfetto web page |
//! | `answer` | one request and its response |

mod answer;
pub mod offer;

pub use offer::{Offer, OfferError};
