//! The way back: commands to frames of the QS receive channel. `PROTOCOL.md` §8 describes the channel.
//!
//! | module | what is in it |
//! |---|---|
//! | `table` | the commands, their arguments and the frames that they become |
//! | `filters` | the filter tables and their groups |
//! | `mask` | the global and the local filter as bit masks, and what is known of them |
//! | `objects` | what is known of active objects that were switched by address |
//! | `encode` | commands to frames |

mod encode;
mod filters;
mod mask;
mod objects;
mod table;

pub use encode::QsEncoder;
pub(crate) use filters::filters;
pub(crate) use table::{commands, rx};
