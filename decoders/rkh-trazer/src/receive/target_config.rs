//! The origin of the current settings: options, the target's configuration record, single records.

use spytui_decoder_kit::RowBuilder;
use spytui_plugin_api::{Output, Row, RowKind};

use super::Base;
use crate::config::{Key, Settings, Tcfg, bit};

/// Minimum number of misfits for the sizes to be called wrong.
const MISFITS: u32 = 16;

/// The origin of the current settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct TargetConfig {
    /// Settings given by options, as bits.
    pub(super) given: u16,
    /// Settings of the target's last configuration record.
    pub(super) tcfg: Option<Settings>,
    /// The last valid frame was a configuration record.
    pub(super) tcfg_came: bool,
    /// The last configuration record.
    pub(super) record: Option<Tcfg>,
    /// An option gives the ticks per second.
    pub(super) rate: bool,
    /// Number of records in this epoch, and of those that did not fit.
    pub(super) records: u32,
    pub(super) misfits: u32,
    /// Wrong sizes were reported.
    reported: bool,
}

impl TargetConfig {
    /// Nothing but the options is known.
    pub(crate) fn new(given: u16, rate: bool) -> TargetConfig {
        TargetConfig { given, rate, ..TargetConfig::default() }
    }

    /// Whether the settings come from the target or from options: only then is a record invalid if its arguments don't
    /// fit.
    pub(super) fn is_configured(&self) -> bool {
        self.tcfg.is_some() || self.given & !bit(Key::Version) != 0
    }

    /// The version reported by the target.
    pub(super) fn version(&self) -> Option<u16> {
        self.tcfg.map(|t| t.get(Key::Version))
    }

    pub(super) fn count_misfit(&mut self) {
        self.misfits = self.misfits.saturating_add(1);
    }

    /// Counts a valid frame.
    #[inline]
    pub(super) fn count_record(&mut self) {
        self.tcfg_came = false;
        self.records = self.records.saturating_add(1);
    }

    /// Reports once that the settings must be wrong.
    #[inline]
    pub(super) fn check_sizes(&mut self, base: &Base, pos: u64, out: &mut Output<'_>) {
        if self.misfits >= MISFITS && !self.reported && self.tcfg.is_none() && self.misfits > self.records / 4 {
            self.reported = true;
            let text = format!(
                "{} of {} records don't fit the sizes in use, and the target did not report its own: give those that differ (-o signal=2), and sender, queue-lwm and pool-lwm, or a configuration (-o cfg=FILE)",
                self.misfits, self.records
            );
            base.say(out, Row::note(RowKind::HINT, pos, 0), &text);
        }
    }
}
