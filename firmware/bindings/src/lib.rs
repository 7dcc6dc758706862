//! The demo target of `firmware/` inside a program: the C code of a simulated boiler that traces itself in one of four
//! formats, optionally with faults on its link to the host.
//!
//! | module | what is in it |
//! |---|---|
//! | `faults` | fault switches |
//! | `fault_text` | fault switches as text |
//! | `target` | a running target, bindings of the C functions |
//!
//! The C code has no global state: each [`Target`] is an instance, and there may be any number of them. Time in a
//! target only advances with its steps, so the same seed gives the same bytes.
//!
//! Without a working C compiler there is no target: [`AVAILABLE`] is `false` and [`Target::new`] returns `None`.

use std::time::Duration;

mod fault_text;
mod faults;
#[cfg_attr(not(has_target), path = "no_target.rs")]
mod target;

pub use fault_text::FaultError;
pub use faults::Faults;
pub use target::Target;

pub const AVAILABLE: bool = cfg!(has_target);

pub const STEP: Duration = Duration::from_millis(10);

/// Format file that names the user events of the target's QNX trace.
pub const QNX_FORMATS: &str = include_str!("../../demo/boiler.fmt");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proto {
    Qs,
    Rkh,
    Tband,
    /// QNX, in the format of `kev` files.
    Qnx,
    /// QNX, in the format of the first Neutrino; only for tests.
    Nto1,
}

impl Proto {
    /// The formats that a demo can be started with.
    pub const ALL: [Proto; 4] = [Proto::Qs, Proto::Rkh, Proto::Tband, Proto::Qnx];

    pub fn named(name: &str) -> Option<Proto> {
        Proto::ALL.into_iter().find(|proto| proto.name() == name)
    }

    /// Name of the format, which is also its decoder's.
    pub fn name(self) -> &'static str {
        match self {
            Proto::Qs => "qs",
            Proto::Rkh => "rkh",
            Proto::Tband => "tband",
            Proto::Qnx => "qnx",
            Proto::Nto1 => "nto1",
        }
    }
}

/// What the fault injector has done since the start, and what the target dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Totals {
    /// Bytes that the target sent.
    pub bytes_in: u64,
    /// Bytes that left the injector.
    pub bytes_out: u64,
    /// Inverted bits.
    pub flips: u64,
    /// Dropped bytes.
    pub losses: u64,
    /// Inserted random bytes.
    pub noises: u64,
    /// Bytes sent twice.
    pub dups: u64,
    /// Random bytes at the start.
    pub garbage: u64,
    /// Resets of the target.
    pub resets: u64,
    /// Complete frames that the target sent. QNX has no frames.
    pub frames: u64,
    /// Pieces between two frame delimiters that left the injector.
    pub pieces: u64,
    /// Pieces that differ from any frame that the target sent.
    pub damaged: u64,
    /// Damaged pieces whose 8-bit sum is still valid.
    pub beyond: u64,
    /// Records that did not fit in the ring.
    pub dropped: u64,
}
