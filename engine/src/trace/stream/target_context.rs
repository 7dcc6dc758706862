//! Context shared by the sources of a target.

use crate::{
    open::Decoder,
    present::Clock,
    store::{Dictionary, Names, View},
};

/// Context of the rows of a target.
#[derive(Debug)]
pub(super) struct TargetContext {
    /// Current names.
    pub(super) dictionary: Dictionary,
    /// There are several sources.
    pub(super) several: bool,
    /// There are other targets.
    pub(super) apart: bool,
    /// Clock for sources that reported none.
    pub(super) clock: Clock,
    pub(super) before: TimeBefore,
}

impl TargetContext {
    pub(super) fn new(decoder: &Decoder, several: bool) -> TargetContext {
        TargetContext {
            dictionary: Dictionary::new(&decoder.info, false),
            several,
            apart: false,
            clock: Clock::default(),
            before: TimeBefore::default(),
        }
    }

    /// Names as they are now.
    pub(super) fn names(&self) -> Names<'_> {
        let (dictionary, view) = (&self.dictionary, View::Effective);
        Names { dictionary, others: &[], row: u64::MAX, rows: &[], view, short: true }
    }

    /// The clock of a source, or that of the target where the source has reported none.
    pub(super) fn clock_or(&self, clock: Clock) -> Clock {
        if clock.known() { clock } else { self.clock }
    }
}

/// Time of the previous row with a time stamp, with its clock and epoch.
#[derive(Debug, Default)]
pub(super) struct TimeBefore(Option<(u64, Clock, u32)>);

impl TimeBefore {
    pub(super) fn set(&mut self, time: u64, clock: Clock, epoch: u32) {
        self.0 = Some((time, clock, epoch));
    }

    /// The time in ticks of this clock in this epoch.
    pub(super) fn time(&self, clock: Clock, epoch: u32) -> Option<u64> {
        self.0.filter(|before| (before.1, before.2) == (clock, epoch)).map(|before| before.0)
    }
}
