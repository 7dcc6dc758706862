//! What is made of a replay of rows: causes, sequences, objects, statistics, findings, a timeline. From the verbs of the
//! plugin contract alone, so that it is the same for any protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | [`causes`] | from which earlier row a row follows |
//! | [`lifelines`] | the lifelines of such a diagram |
//! | [`sequence`] | messages between lifelines, for sequence diagrams |
//! | [`objects`] | what every object was doing at a row |
//! | [`statistics`] | rates, times, shares of the processor and levels of a whole trace |
//! | [`findings`] | what an expert would spot in a capture |
//! | [`time_axis`] | one axis for the times of all epochs |
//! | [`timeline`] | what every object did over time, in columns |
//! | [`kinds`] | rows and bytes of each kind |
//! | [`distribution`] | count, min, median, 95th percentile and max of measured values |
//! | [`histogram`] | the same as a histogram |

pub mod causes;
pub mod distribution;
pub mod findings;
pub mod histogram;
pub mod kinds;
pub mod lifelines;
pub mod objects;
pub mod sequence;
pub mod statistics;
pub mod time_axis;
pub mod timeline;

pub use crate::replay::{Doing, Entities, Id, Key, Operands};
pub use causes::{Cause, CauseFinder, Causes, Why};
