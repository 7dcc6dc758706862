//! The host's side of the companion: a command receiver for targets whose trace protocol has none. Commands are frames
//! with a checksum; answers are ordinary trace records. Shared by all decoders that support it;
//! `firmware/include/spytui/cmd_rx.h` is the target's side.
//!
//! | module | what is in it |
//! |---|---|
//! | `wire` | numbers of commands and states, command frames, marks and text of answers |
//! | `encoder` | turns a filter into commands, tracks the target's switches, encodes commands, numbers their frames, and interprets answers |

mod encoder;
mod wire;

pub use encoder::{
    CompanionEncoder, FAULTS, Filters, Group, Known, Plan, Switch, Switches, commands, event_filters, report,
    single_filters, table,
};
pub use wire::{Ack, OPS, Op, state};
