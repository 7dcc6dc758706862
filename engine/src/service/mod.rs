//! What other programs may fetch from this one, on this machine only.
//!
//! | module | what is in it |
//! |---|---|
//! | [`offer`] | one file for the Perfetto web page |

pub mod offer;

pub use offer::{Offer, OfferError};
