//! The host's side of the companion: a command receiver for targets whose trace protocol has none. Commands are frames
//! with a checksum; answers are ordinary trace records. Shared by all decoders that support it;
//! `firmware/include/spytui/cmd_rx.h` is the target's side.
//!
//! | module | what is in it |
//! |---|---|
//! | `wire` | numbers of commands and states, command frames, marks and text of answers |
//! | `plan` | turns a filter into commands, and tracks the target's switches |
//! | `encoder` | encodes commands, numbers their frames, and interprets answers |

mod encoder;
mod plan;
mod wire;

pub use encoder::{CompanionEncoder, FAULTS, Group, commands, event_filters, single_filters};
pub use plan::{Filters, Known, Plan, Switch, Switches, report, table};
pub use wire::{Ack, OPS, Op, state};
