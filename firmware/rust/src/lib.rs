//! Traces a firmware in the format of QS, for spytui: user records, states, names. No heap, no `unsafe`, and no dependency
//! but the lock of [`critical_section`].
//!
//! | module | what is in it |
//! |---|---|
//! | `tracer` | [`Tracer`]: start, names, user records, the way to the link |
//! | `records` | its predefined records: states, queues, tasks, interrupts, locks |
//! | `element` | [`Element`]: what user records consist of |
//! | `group` | [`Group`]: records that are switched together |
//! | `target` | [`Target`]: what the host learns at the start |
//! | `port` | [`Clock`] and [`Output`]: what the program provides |
//! | `ring` | the ring of whole frames, and the count of those that did not fit |
//! | `frame` | one frame: stuffing and checksum |
//! | `rtt` | the control block that debug probes look for |
//!
//! ```
//! use spytui_target::{Obj, Ring, Target, Tracer, UserRecord, record};
//!
//! static RING: Ring<2048> = Ring::new();
//! static TRACER: Tracer = Tracer::new(&RING, Target::QP7, now, 1_000_000);
//! const SPEED: UserRecord = UserRecord::new(0);
//! static MOTOR: u8 = 0; // any object
//!
//! fn now() -> u32 {
//!     0 // microseconds of a timer
//! }
//!
//! TRACER.start();
//! TRACER.name_object(Obj::of(&MOTOR), "motor");
//! TRACER.name_record(SPEED, "SPEED");
//! record!(TRACER, SPEED, Obj::of(&MOTOR), 1500u16, "rpm");
//! TRACER.serve(&mut |bytes: &[u8]| bytes.len()); // to the link, in the idle loop
//! ```

#![no_std]
#![forbid(unsafe_code)]

mod element;
mod frame;
mod group;
mod port;
mod records;
mod ring;
mod rtt;
mod target;
mod tracer;

pub use element::{Element, Enum, Fun, Hex, Hex32, Obj, Shown, Sig, UserRecord};
pub use frame::Frame;
pub use group::Group;
pub use port::{Clock, Output};
pub use ring::Ring;
pub use target::Target;
pub use tracer::Tracer;

/// Sends a user record of a [`Tracer`]: `record!(TRACER, SPEED, 1500u16, "rpm")`. What follows the record are its elements,
/// up to twelve; they are only evaluated if the record is on, and before the lock is taken.
#[macro_export]
macro_rules! record {
    ($tracer:expr, $record:expr $(, $element:expr)* $(,)?) => {{
        let (tracer, record) = (&$tracer, $record);
        if tracer.is_on(record) {
            tracer.record(record, &($($element,)*));
        }
    }};
}

/// The pages with code for users, which is compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Pages;
