//! Services for other programs on this machine.
//!
//! | module | what is in it |
//! |---|---|
//! | [`offer`] | serves a trace to the Perfetto web page |

pub mod offer;

pub use offer::{Offer, OfferError};
