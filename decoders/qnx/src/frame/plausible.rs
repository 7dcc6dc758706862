//! Events have no marks and no checksum: what may be an event is plausible by its class and number, CPU and time.

use crate::{
    layout::Codes,
    record::{EVENT, Event, event},
};

/// Number of plausible events in a row that make a place the start of one.
pub(crate) const CHAIN: usize = 4;

/// Maximum number at the start of a stream, where there is no event before them.
pub(crate) const FIRST_CHAIN: usize = 64;

/// Greatest distance in time from one event to the next.
const FAR: u32 = 1 << 30;

/// Bits of the header that are 0.
const ZERO: u32 = 0x00FF_C000;
/// In release 8, one of them says that a process injected the event.
const INJECTED: u32 = 0x0001_0000;

/// The release from which on a buffer has an end, marked by its words.
pub(crate) const WITH_COOKIE: u8 = 8;

/// What events of a target may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    codes: &'static Codes,
    zero: u32,
    cpus: u8,
    pub(crate) big: bool,
    pub(crate) release: u8,
}

/// Whether two stamps are close to each other.
#[inline(always)]
pub(crate) fn near(stamp: u32, other: u32) -> bool {
    (stamp.wrapping_sub(other) as i32).unsigned_abs() <= FAR
}

impl Rules {
    pub(crate) fn new(release: u8, big: bool, cpus: u8) -> Rules {
        let zero = if release >= 8 { ZERO & !INJECTED } else { ZERO };
        Rules { codes: Codes::of(release), zero, cpus, big, release }
    }

    /// The kind of an event; 0 = it is none.
    #[inline(always)]
    pub(crate) fn kind(&self, event: &Event) -> u16 {
        if event.header & self.zero != 0 || event.cpu() >= self.cpus {
            return 0;
        }
        self.codes.kind(event.header)
    }

    /// The events at the start of some bytes that follow each other, as long as they are plausible: by themselves, and
    /// by `follows`, which is asked with the event before.
    pub(crate) fn chain(&self, bytes: &[u8], most: usize, follows: impl Fn(Option<&Event>, &Event) -> bool) -> usize {
        let mut before: Option<Event> = None;
        for (i, raw) in bytes.chunks_exact(EVENT).take(most).enumerate() {
            let Ok((_, event)) = event(raw, self.big) else { return i };
            if self.kind(&event) == 0 || !follows(before.as_ref(), &event) {
                return i;
            }
            before = Some(event);
        }
        (bytes.len() / EVENT).min(most)
    }
}
