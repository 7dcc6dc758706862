//! When each piece of a capture is due, by the time stamps of the target.

use std::{io, ops::Range, sync::Arc, time::Duration};

use spytui_engine::{
    open::{Decoder, Options},
    row::RowView,
    trace::stream::{Pipeline, Sink},
};
use spytui_plugin_api::{chunk::MAX_CHUNK, row::RowFlags};

/// Time of a tick if the capture does not define it: the bundled targets count microseconds.
const TICK_NS: u64 = 1_000;
/// Nothing waits longer than this: what is silent for minutes is no demo.
const LONGEST: Duration = Duration::from_millis(700);
/// Rest between two rounds.
const REST: Duration = Duration::from_secs(1);

/// When each piece of a capture is due.
#[derive(Debug)]
pub(super) struct Schedule {
    /// End of each piece in the capture, and when it is due.
    ends: Vec<(usize, Duration)>,
}

impl Schedule {
    /// From the time stamps that a decoder finds, in pieces of this length.
    pub(super) fn of(capture: &[u8], decoder: &Arc<Decoder>, piece: Duration) -> Schedule {
        let mut times = Times::default();
        if let Ok(mut pipeline) = Pipeline::single(decoder, &Options::default()) {
            // Writing to memory does not fail.
            let _ = pipeline.feed_all(capture, MAX_CHUNK, &mut times);
        }
        Schedule { ends: times.ends(capture.len(), piece) }
    }

    /// Where a piece is in the capture, and when it is due.
    pub(super) fn piece(&self, index: usize) -> Option<(Range<usize>, Duration)> {
        let &(end, due) = self.ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |before| before.0);
        Some((start..end, due))
    }

    /// Length of a round.
    pub(super) fn length(&self) -> Duration {
        self.ends.last().map_or(REST, |e| e.1 + REST)
    }
}

/// End and time of each stamped row.
#[derive(Default)]
struct Times(Vec<(usize, u64)>);

impl Sink for Times {
    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        if item.row.has(RowFlags::TIME_OWN) {
            let ns = item.ns().unwrap_or(item.row.time.saturating_mul(TICK_NS));
            self.0.push(((item.row.pos + u64::from(item.row.len)) as usize, ns));
        }
        Ok(())
    }
}

impl Times {
    fn ends(&self, len: usize, piece: Duration) -> Vec<(usize, Duration)> {
        let (mut due, mut ends) = (Duration::ZERO, Vec::new());
        for pair in self.0.windows(2) {
            let step = Duration::from_nanos(pair[1].1.saturating_sub(pair[0].1)).min(LONGEST);
            if ends.last().is_none_or(|e: &(usize, Duration)| due + step >= e.1 + piece) {
                ends.push((pair[0].0, due));
            }
            due += step;
        }
        ends.push((len, due));
        ends
    }
}
