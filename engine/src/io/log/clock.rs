//! Host time of stream events: Unix nanoseconds that never go back.
//!
//! The wall clock may be stepped during a capture, but positions in the log only grow, so their times must, too.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

/// Difference of wall clock and monotonic clock above which a forward step (suspend, clock set) is followed.
const STEP: u64 = 1_000_000_000;

struct Anchor {
    unix_ns: u64,
    at: Instant,
}

static ANCHOR: Mutex<Option<Anchor>> = Mutex::new(None);

/// Host time in Unix nanoseconds; never decreases within one run of the program.
///
/// Follows the monotonic clock, and jumps forward with the wall clock if that is ahead by more than a second (the
/// machine was suspended, or its clock was set). A wall clock set back is not followed.
pub fn host_now() -> u64 {
    let wall = nanos(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let now = Instant::now();
    let mut slot = ANCHOR.lock();
    let anchor = slot.get_or_insert(Anchor { unix_ns: wall, at: now });
    let steady = anchor.unix_ns.saturating_add(nanos(now.saturating_duration_since(anchor.at)));
    if wall > steady.saturating_add(STEP) {
        *anchor = Anchor { unix_ns: wall, at: now };
        return wall;
    }
    steady
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_runs_backwards() {
        let mut last = 0;
        for _ in 0..1000 {
            let now = host_now();
            assert!(now >= last);
            last = now;
        }
    }
}
