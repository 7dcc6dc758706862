//! Links: transports to a target. Each has a reader thread that appends bytes to raw logs, reconnects by itself, and
//! never waits for a decoder or the screen. Commands are sent by the thread that waits for their answers.

mod byte_sink;
mod device_identity;
mod file;
mod file_sample;
mod handle;
mod hint;
mod in_process;
mod inbox;
mod line;
mod listen;
mod opened_file;
mod options;
mod parse;
mod pipe;
mod port_owners;
mod ports;
mod read_loop;
mod reconnect;
mod sender;
mod serial;
mod shared;
mod spec;
mod state;
mod strangers;
mod tcp;
mod udp;
mod undo;
mod unix;
mod wake;

pub use handle::Link;
pub use in_process::InProcessTarget;
pub use opened_file::OpenedFile;
pub use options::{LinkOptions, SerialDefaults};
pub use parse::{SpecError, line_rate};
pub use port_owners::{PortOwner, port_owners, port_rights};
pub use ports::{Port, ports};
pub use sender::LinkSender;
pub use spec::{Address, DEFAULT_BAUD, Flow, LinkKind, LinkSpec, Parity, SerialSpec};
pub use state::{LinkCounters, LinkError, LinkEvent, LinkFacts, LinkSource, LinkState, QUIET_AFTER, WriteError};
pub use strangers::FrameTest;
pub use undo::{Restorer, Undo};
