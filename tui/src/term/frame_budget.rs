//! The byte budget: when the next frame may be drawn.
//!
//! Every frame costs its bytes at the rate of the line, and the next one waits until that time has passed. The answer
//! to a key is drawn at once, but its cost counts, too.

use std::time::{Duration, Instant};

/// Longest wait, so that a burst of answers does not stop the display for long.
const LONGEST_DEBT: Duration = Duration::from_secs(2);

/// Bytes a second over SSH.
pub const SSH_BUDGET: u32 = 40_000;
/// Bytes a second with `--slow`.
pub const SLOW_BUDGET: u32 = 10_000;
/// Bytes a second on a local terminal.
pub const LOCAL_BUDGET: u32 = 400_000;

/// The budget of one terminal.
#[derive(Debug, Clone)]
pub struct FrameBudget {
    budget: u32,
    interval: Duration,
    /// Until then the line is busy with what was sent.
    paid: Option<Instant>,
    last: Option<Instant>,
}

impl FrameBudget {
    /// `budget` in bytes a second and at most `fps` frames a second; zeros count as one.
    pub fn new(budget: u32, fps: u32) -> FrameBudget {
        FrameBudget { budget: budget.max(1), interval: Duration::from_secs(1) / fps.max(1), paid: None, last: None }
    }

    /// Time until an ordinary frame may be drawn, at least so long after the last one; zero if it may be drawn now.
    pub fn wait(&self, now: Instant, least: Duration) -> Duration {
        let paid = self.paid.map_or(Duration::ZERO, |paid| paid.saturating_duration_since(now));
        let due = self.last.map_or(now, |last| last + self.interval.max(least));
        paid.max(due.saturating_duration_since(now))
    }

    /// Records that a frame of `bytes` was written at `now`.
    pub fn spent(&mut self, now: Instant, bytes: usize) {
        let cost = Duration::from_secs_f64(bytes as f64 / f64::from(self.budget));
        let from = self.paid.map_or(now, |paid| paid.max(now));
        self.paid = Some((from + cost.min(LONGEST_DEBT)).min(now + LONGEST_DEBT));
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Duration = Duration::ZERO;

    #[test]
    fn a_frame_waits_until_the_last_is_paid() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(10_000, 30);
        assert_eq!(pace.wait(start, ANY), Duration::ZERO);
        pace.spent(start, 5_000);
        assert_eq!(pace.wait(start, ANY), Duration::from_millis(500));
        assert_eq!(pace.wait(start + Duration::from_millis(200), ANY), Duration::from_millis(300));
        assert_eq!(pace.wait(start + Duration::from_millis(500), ANY), Duration::ZERO);
    }

    #[test]
    fn small_frames_keep_the_frame_cap() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(400_000, 20);
        pace.spent(start, 10);
        assert_eq!(pace.wait(start, ANY), Duration::from_millis(50));
    }

    #[test]
    fn frames_that_are_wanted_less_often_wait_longer() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(400_000, 20);
        assert_eq!(pace.wait(start, Duration::from_millis(80)), Duration::ZERO);
        pace.spent(start, 10);
        assert_eq!(pace.wait(start, Duration::from_millis(80)), Duration::from_millis(80));
        assert_eq!(pace.wait(start, Duration::from_millis(20)), Duration::from_millis(50));
    }

    #[test]
    fn debts_add_up_to_a_limit() {
        let start = Instant::now();
        let mut pace = FrameBudget::new(10_000, 30);
        pace.spent(start, 5_000);
        pace.spent(start, 5_000);
        assert_eq!(pace.wait(start, ANY), Duration::from_secs(1));
        (0..100).for_each(|_| pace.spent(start, 50_000));
        assert_eq!(pace.wait(start, ANY), LONGEST_DEBT);
    }
}
