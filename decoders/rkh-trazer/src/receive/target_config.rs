//! Where the settings in force come from: options, the target's configuration record, single records.

use spytui_decoder_kit::RowBuilder;
use spytui_plugin_api::{
    Output,
    row::{RowKind, Severity},
};

use crate::{
    config::{Key, Settings, bit},
    record::Base,
};

/// Records that must not fit before the sizes are called wrong.
const MISFITS: u32 = 16;

/// Where the settings in force come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct TargetConfig {
    /// Bits of the settings that options gave.
    pub(super) given: u16,
    /// Those of the target's last configuration record.
    pub(super) tcfg: Option<Settings>,
    /// A configuration record was the last right frame.
    pub(super) tcfg_came: bool,
    /// Ticks per second as an option gives them.
    pub(super) rate: bool,
    /// Records since the epoch began, and those that did not fit.
    pub(super) records: u32,
    pub(super) misfits: u32,
    /// It was said that the sizes must be wrong.
    said: bool,
}

impl TargetConfig {
    /// Options gave these settings, and the rate of the stamps.
    pub(crate) fn new(given: u16, rate: bool) -> TargetConfig {
        TargetConfig { given, rate, ..TargetConfig::default() }
    }

    /// Whether the settings were told, by the target or by options: only then do arguments that don't fit speak
    /// against their record.
    pub(super) fn told(&self) -> bool {
        self.tcfg.is_some() || self.given & !bit(Key::Version) != 0
    }

    /// The target's version, where it told it.
    pub(super) fn version(&self) -> Option<u16> {
        self.tcfg.map(|t| t.get(Key::Version))
    }

    pub(super) fn misfit(&mut self) {
        self.misfits = self.misfits.saturating_add(1);
    }

    /// A valid frame came.
    #[inline]
    pub(super) fn took(&mut self) {
        self.tcfg_came = false;
        self.records = self.records.saturating_add(1);
    }

    /// Reports once that the settings cannot be right.
    #[inline]
    pub(super) fn settled(&mut self, base: &Base, pos: u64, out: &mut Output<'_>) {
        if self.misfits >= MISFITS && !self.said && self.tcfg.is_none() && self.misfits > self.records / 4 {
            self.said = true;
            let text = format!(
                "{} of {} records don't fit the sizes in use, and the target did not tell its own: give a configuration (-o cfg=FILE) or single sizes",
                self.misfits, self.records
            );
            base.say(out, RowKind::HINT, pos, Severity::WARNING, &text);
        }
    }
}
