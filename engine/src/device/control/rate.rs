//! How fast the link of a target is, and whether the target drops records: how long an answer may take.

use std::time::{Duration, Instant};

use crate::store::Counters;

/// Over this time the rate of a link is measured.
const RATE_TIME: Duration = Duration::from_secs(1);

/// After so long without a byte a target has nothing more to send that stands before an answer.
const QUIET_TIME: Duration = Duration::from_millis(900);

/// The greatest rate at which bytes came since the link is up.
#[derive(Debug, Default)]
pub(super) struct Rate {
    /// Bytes per second; 0 = unknown.
    pub(super) most: u64,
    since: Option<(Instant, u64)>,
    /// For how many measurements it has come at nearly this rate.
    steady: u32,
    /// End of the log, and when that was first seen.
    end: Option<(u64, Instant)>,
}

/// After so many measurements at nearly the same rate, the link is taken as busy all the time.
const STEADY: u32 = 4;

impl Rate {
    /// Whether bytes come as fast as they can.
    pub(super) fn is_busy(&self) -> bool {
        self.steady >= STEADY
    }

    /// Whether nothing came for some time.
    pub(super) fn is_quiet(&self, now: Instant) -> bool {
        self.end.is_none_or(|(_, since)| now.saturating_duration_since(since) >= QUIET_TIME)
    }

    pub(super) fn look(&mut self, len: u64, now: Instant) {
        if self.end.is_none_or(|(end, _)| end != len) {
            self.end = Some((len, now));
        }
        let (since, before) = *self.since.get_or_insert((now, len));
        let time = now.saturating_duration_since(since);
        if time >= RATE_TIME {
            let rate = len.saturating_sub(before) as u128 * 1000 / time.as_millis().max(1);
            let rate = u64::try_from(rate).unwrap_or(u64::MAX);
            self.most = self.most.max(rate);
            let is_near = rate > 0 && rate >= self.most - self.most / 10;
            self.steady = if is_near { self.steady + 1 } else { 0 };
            self.since = Some((now, len));
        }
    }
}

/// Drops are reported when there is room again.
const RECENT: Duration = Duration::from_secs(30);

/// Whether records are lost.
#[derive(Debug, Default)]
pub(super) struct Drops {
    reported: u64,
    last: Option<Instant>,
}

impl Drops {
    pub(super) fn look(&mut self, counters: &Counters, now: Instant) {
        let reported = counters.rows.lost + counters.rows.dropped;
        if reported > self.reported {
            self.last = Some(now);
        }
        self.reported = reported;
    }

    pub(super) fn are_recent(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) < RECENT)
    }
}
