//! Links: transports to a target. Each has a reader thread that appends bytes to raw logs, reconnects by itself, and
//! never waits for a decoder or the screen. Commands are sent by the thread that waits for their answers.

mod file;
mod handle;
mod options;
mod pipe;
mod ports;
mod reconnect;
mod serial;
mod shared;
mod spec;
mod state;
mod stream_socket;
mod udp;

pub use file::OpenedFile;
pub use handle::{InProcessTarget, Link, LinkSender};
pub use options::{FrameTest, LinkOptions, Restorer, SerialDefaults, Undo};

pub use ports::{Port, PortOwner, port_owners, port_rights, ports};
pub use shared::LineCommand;
pub use spec::{Address, DEFAULT_BAUD, Flow, LinkKind, LinkSpec, Parity, SerialSpec, SpecError, line_rate};
pub use state::{LinkCounters, LinkError, LinkEvent, LinkFacts, LinkSource, LinkState, QUIET_AFTER, WriteError};
