//! `spytui export`: captures in the formats of other tools.
//!
//! | module | what is in it |
//! |---|---|
//! | `capture` | the inputs, read to their end, and their decoder |
//! | `place` | where the export goes |
//! | `perfetto` | `export perfetto` |
//! | `sequence` | `export sequence` |

mod capture;
mod perfetto;
mod place;
mod sequence;

pub use perfetto::perfetto;
pub use sequence::sequence;
