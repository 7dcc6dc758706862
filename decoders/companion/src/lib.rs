//! The host's side of the companion: a receiver for commands in targets whose trace protocol has none. Its commands are
//! checked frames, its answers are ordinary records of the trace. What the decoders with a companion share;
//! `firmware/include/spytui/cmd_rx.h` is the other side.
//!
//! | module | what is in it |
//! |---|---|
//! | `op` | numbers of commands and states, status of an answer |
//! | `frame` | bytes of a command |
//! | `commands` | the commands of the command line |
//! | `switch` | what is known of the target's switches |
//! | `plan` | a filter to commands |
//! | `answer` | answers: their marks in rows, their text |
//! | `encoder` | commands to frames, numbers, answers |

mod answer;
mod commands;
mod encoder;
mod frame;
mod op;
mod plan;
mod switch;

pub use answer::Ack;
pub use commands::{FAULTS, Group, commands, filter_command};
pub use encoder::CompanionEncoder;
pub use op::{OPS, Op, state};
pub use plan::{Filters, Plan, table};
pub use switch::{Known, Switch, Switches, report};
