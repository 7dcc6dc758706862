//! Links: transports to a target. Each has a reader thread that appends bytes to raw logs, reconnects by itself, and
//! never waits for a decoder or the screen. Commands are sent by the thread that waits for their answers.

mod file;
mod handle;
mod ports;
mod reader;
mod readers;
mod serial;
mod shared;
mod socket;
mod spec;

pub use file::OpenedFile;
pub use handle::{InProcessTarget, Link, LinkSender, STEP};
pub use ports::{Port, PortOwner, port_owners, port_rights, ports};
pub use reader::Restorer;
pub use readers::Readers;
pub use shared::{LineCommand, LinkCounters, LinkEvent, LinkFacts, LinkSource, LinkState, QUIET_AFTER, WriteError};
pub use spec::{
    Address, DEFAULT_BAUD, Flow, FrameTest, LinkKind, LinkOptions, LinkSpec, Parity, SerialSpec, Undo, line_rate,
};
