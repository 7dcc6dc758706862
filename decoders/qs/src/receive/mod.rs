//! Receiving: bytes to rows. This file has the state shared by both receivers: current configuration, clock, counters; it
//! builds the row and activities of a valid frame. `native` is spytui's own receiver, `validate` classifies segments,
//! `target_info` tracks the target's configuration.

mod native;
mod target_info;
mod validate;

pub(crate) use native::{Native, begin};
pub(crate) use target_info::TargetConfig;

use std::sync::Arc;

use spytui_decoder_kit::{ConfigRegistry, PlanTable, RowBuilder, size_properties};
use spytui_plugin_api::{
    Activity, Output, Row, Verb,
    info::{prop, space::KINDS},
    row::{RowFlags, Severity},
};
use spytui_plugin_layer::Clock;

use crate::{
    config::{BLOB, Config, Sizes, Style, dotted},
    frame::FrameLocation,
    layout::{self, id, private_flag},
    record::{self, Plan, Record, TargetInfo, plans},
};

#[derive(Clone, Debug)]
pub(crate) struct Base {
    core: u16,
    pub(crate) config: Config,
    cfg: u16,
    configs: ConfigRegistry<BLOB>,
    pub(crate) plans: Arc<PlanTable<Plan>>,
    pub(crate) clock: Clock,
}

impl RowBuilder for Base {
    #[inline]
    fn note(&self, note: Row) -> Row {
        Row { time: self.clock.now(), cfg: self.cfg, core: self.core, ..note }
    }
}

impl Base {
    pub(crate) fn new(config: Config, core: u16, clock: Clock) -> Base {
        Base { core, config, cfg: 0, configs: ConfigRegistry::default(), plans: Arc::new(plans(&config)), clock }
    }

    pub(crate) fn configure(&mut self, out: &mut Output<'_>, config: Config) {
        let Some(cfg) = self.configs.id(config.blob(), out) else { return };
        self.cfg = cfg;
        if config != self.config {
            self.plans = Arc::new(plans(&config));
            self.config = config;
        }
        out.clock(self.clock.event());
    }

    /// Builds the row of a record from its plan, flags, object and signal.
    #[inline(always)]
    fn planned(&self, plan: &Plan, at: FrameLocation, (flags, obj, item): (RowFlags, u64, u64)) -> Row {
        Row {
            pos: at.pos,
            time: self.clock.now(),
            obj,
            item,
            len: at.len as u32,
            flags: flags | if at.escaped { private_flag::ESCAPED } else { RowFlags::empty() },
            kind: plan.kind,
            cfg: self.cfg,
            core: self.core,
            severity: plan.severity,
            group: plan.group,
        }
    }

    /// Builds the row of a valid frame with any payload; takes its time stamp.
    pub(crate) fn record(&mut self, frame: &[u8], at: FrameLocation) -> Row {
        let &[_, id, ref payload @ .., _] = frame else { return self.row(at.pos, at.len) };
        let plan = self.plans.of(id);
        if plan.fixed.fits(frame) {
            return self.plain(id, frame, at);
        }
        let mut flags = plan.flags;
        match self.stamp_of(id, payload) {
            Some(stamp) => self.clock.stamp(stamp, self.config.sizes.time),
            None => flags -= RowFlags::TIME_OWN,
        }
        let row = self.planned(self.plans.of(id), at, (flags, 0, 0));
        self.variable(id, payload, row, (Record::parse(&self.config, id, payload), at.fits))
    }

    /// The time stamp at the start of a payload, if records with this id have one.
    pub(super) fn stamp_of(&self, id: u8, payload: &[u8]) -> Option<u64> {
        let stamp = record::uint(payload, self.config.sizes.time).ok();
        let is_stamped = self.plans.of(id).flags.intersects(RowFlags::TIME_OWN);
        stamp.filter(|_| is_stamped).map(|(_, stamp)| stamp)
    }

    /// Builds the row of a frame that fits its plan. The row is not modified afterwards, so it is built in registers
    /// and stored once.
    #[inline(always)]
    pub(crate) fn plain(&mut self, id: u8, frame: &[u8], at: FrameLocation) -> Row {
        self.stamp(id, frame);
        self.stamped(id, frame, at)
    }

    /// Takes the time stamp, if any, of a frame that fits its plan.
    #[inline(always)]
    pub(crate) fn stamp(&mut self, id: u8, frame: &[u8]) {
        let plan = self.plans.of(id);
        if plan.flags.intersects(RowFlags::TIME_OWN) {
            self.clock.stamp(plan.stamp.read(frame), self.config.sizes.time);
        }
    }

    /// Builds the row of a frame whose time stamp was already taken.
    #[inline(always)]
    pub(crate) fn stamped(&self, id: u8, frame: &[u8], at: FrameLocation) -> Row {
        let plan = self.plans.of(id);
        self.planned(plan, at, (plan.flags, plan.obj.read(frame), plan.sig.read(frame)))
    }

    /// Completes the row of a record that does not have its id's fixed length.
    fn variable(&self, id: u8, payload: &[u8], mut row: Row, (record, fits): (Record<'_>, Option<bool>)) -> Row {
        match record {
            Record::Unknown if id != id::QUERY => {
                row.flags |= RowFlags::UNKNOWN;
                return row;
            }
            Record::Application => {
                row.item = (id - layout::user_base(self.config.version, self.config.style)).into();
            }
            // An answer of a different length may be about anything.
            Record::Predefined(layout, values) if id == id::QUERY => {
                row.obj = values.number(layout.obj);
                row.flags.set(RowFlags::HAS_OBJECT, values.has(layout.obj));
            }
            Record::Predefined(layout, values) | Record::Misfit { layout, values, .. } if id != id::QUERY => {
                (row.obj, row.item) = (values.number(layout.obj), values.number(layout.sig));
                row.flags.set(RowFlags::HAS_OBJECT, values.has(layout.obj));
                row.flags.set(RowFlags::HAS_ITEM, values.has(layout.sig));
            }
            _ => {}
        }
        if !fits.unwrap_or_else(|| self.is_whole(id, payload, &record)) {
            row.flags |= RowFlags::MALFORMED;
            row.severity = row.severity.max(Severity::WARNING);
        }
        row
    }

    pub(crate) fn fits(&self, id: u8, payload: &[u8]) -> bool {
        let by_plan = self.plans.of(id).fits_payload(payload);
        by_plan.unwrap_or_else(|| self.is_whole(id, payload, &Record::parse(&self.config, id, payload)))
    }

    fn is_whole(&self, id: u8, payload: &[u8], record: &Record<'_>) -> bool {
        match record {
            Record::Predefined(..) => true,
            Record::Misfit { .. } => id == id::EMPTY && self.config.style != Style::Native,
            Record::Info(found) => found.is_some(),
            Record::Application => record::whole(payload, &self.config),
            Record::Unknown => id != id::QUERY,
        }
    }

    /// Reports properties of the configuration; the version only if the target reported it.
    pub(crate) fn properties(&self, out: &mut Output<'_>, info: Option<&TargetInfo>) {
        let Sizes { obj, fun, sig, evt, time, .. } = self.config.sizes;
        size_properties([obj, fun, sig, evt, time], out);
        if let Some(id) = info.map(TargetInfo::build_id) {
            let version = self.config.version;
            out.prop(prop::VERSION, version.into(), dotted(version).as_bytes());
            out.prop(prop::BUILD_ID, 0, id.as_bytes());
        }
    }
}

/// Adds the activities of a valid frame, before its row.
#[inline(never)]
pub(crate) fn add_activities(config: &Config, plan: &Plan, row: Row, frame: &[u8], out: &mut Output<'_>) {
    if row.flags.intersects(RowFlags::MALFORMED) {
        return;
    }
    let &[_, id, ref payload @ .., _] = frame else { return };
    if row.flags.intersects(RowFlags::APPLICATION) {
        let marker = Activity::new(Verb::INSTANT).sub(KINDS, row.kind.0.into());
        return out.activity(Activity { core: row.core, ..marker });
    }
    if id == id::INFO && row.flags.intersects(RowFlags::EPOCH) {
        return out.activity(Activity { core: row.core, ..Activity::new(Verb::RESET) });
    }
    if let Record::Predefined(layout, values) = Record::read(config, Some(plan), frame, (id, payload)) {
        for meaning in layout.meanings.iter().flatten() {
            out.activity(meaning.activity(row.core, |field| values.number(field)));
        }
    }
}
