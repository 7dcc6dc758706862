//! What the records of a stream mean together.
//!
//! | module | what is in it |
//! |---|---|
//! | [`spread`] | count, least, median, 95th percentile and greatest of what a decoder measured |

pub mod spread;
