//! The host's side of the companion: a receiver for commands in targets whose trace protocol has none. Its commands are
//! checked frames, its answers are ordinary records of the trace. What the decoders with a companion share;
//! `firmware/include/spytui/cmd_rx.h` is the other side.
//!
//! | module | what is in it |
//! |---|---|
//! | `wire` | numbers of commands and states, the frame of a command, marks and text of answers |
//! | `plan` | a filter to commands, what is known of the target's switches |
//! | `encoder` | the commands of the command line, their frames, numbers, answers |

mod encoder;
mod plan;
mod wire;

pub use encoder::{CompanionEncoder, FAULTS, Group, commands, event_filters, single_filters};
pub use plan::{Filters, Known, Plan, Switch, Switches, report, table};
pub use wire::{Ack, OPS, Op, state};
