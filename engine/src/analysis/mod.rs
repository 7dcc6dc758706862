//! What a replay of rows yields: causes, sequences, objects, statistics, findings, a timeline. Only the verbs of the
//! plugin contract are used, so it works for every protocol.
//!
//! | module | what is in it |
//! |---|---|
//! | [`causes`] | which earlier row caused a row |
//! | [`lifelines`] | lifelines of a sequence diagram |
//! | [`sequence`] | messages between lifelines, for sequence diagrams |
//! | [`objects`] | what every object was doing at a row |
//! | [`statistics`] | rates, times, shares of the processor and levels of a whole trace |
//! | [`findings`] | what an expert would spot in a capture |
//! | [`incident`] | what led to a failure |
//! | [`check`] | expectations over a trace |
//! | [`compare`] | two runs side by side |
//! | [`time_axis`] | one axis for the times of all epochs |
//! | [`timeline`] | what every object did over time, in columns |
//! | [`kinds`] | rows and bytes of each kind |
//! | [`distribution`] | distributions of measured values, also as a histogram |

pub mod causes;
pub mod check;
pub mod compare;
pub mod distribution;
pub mod findings;
pub mod incident;
pub mod kinds;
pub mod lifelines;
pub mod objects;
pub mod sequence;
pub mod statistics;
pub mod time_axis;
pub mod timeline;

pub use crate::replay::{Doing, Entities, Id, Key, Operands, Reader};
pub use causes::{Cause, CauseFinder, Causes, Why};
