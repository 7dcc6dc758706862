//! State that both receivers share: current configuration, clock, counters. Makes the row of a valid frame.

use std::sync::Arc;

use spytui_decoder_kit::{Clock, ConfigRegistry, RowBuilder, RowContext, Tally};
use spytui_plugin_api::{
    Output, Row,
    batch::{ClockEvent, ClockFlags},
    info::prop,
    row::{RowFlags, Severity},
};

use crate::{
    config::{BLOB, Config, Key, Settings, Style, Tcfg, dotted},
    fast::Plans,
    frame::FrameLocation,
    layout::{Era, Role, UNIT_TEST, USER, Values},
    record::{self, Fit, FrameParts, ITEM_TYPES, Items, Record},
};

/// State that both receivers share.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    core: u16,
    style: Style,
    pub(crate) settings: Settings,
    pub(crate) config: Config,
    cfg: u16,
    configs: ConfigRegistry<BLOB>,
    pub(crate) plans: Arc<Plans>,
    pub(crate) clock: Clock,
    pub(crate) tally: Tally,
}

impl RowBuilder for Base {
    #[inline]
    fn context(&self) -> RowContext<'_> {
        RowContext { clock: &self.clock, cfg: self.cfg, core: self.core }
    }
}

impl Base {
    pub(crate) fn new(settings: Settings, style: Style, core: u16, ticks_per_second: u64) -> Base {
        let config = settings.config(style);
        Base {
            core,
            style,
            settings,
            config,
            cfg: 0,
            configs: ConfigRegistry::default(),
            plans: Arc::new(Plans::new(&config)),
            clock: Clock::new(ticks_per_second),
            tally: Tally::default(),
        }
    }

    /// Applies settings from the next row on.
    pub(crate) fn configure(&mut self, out: &mut Output<'_>, settings: Settings) {
        let config = settings.config(self.style);
        let Some(cfg) = self.configs.id(config.blob(), out) else { return };
        self.settings = settings;
        self.cfg = cfg;
        if config != self.config {
            self.plans = Arc::new(Plans::new(&config));
            self.config = config;
        }
        self.report_clock(out);
    }

    /// Reports the clock: its width, and its rate if known.
    fn report_clock(&self, out: &mut Output<'_>) {
        // TCFG has 16 bits for the rate: a target with 1 MHz reports 16 960.
        let flags = if self.clock.is_reported() { ClockFlags::DOUBTFUL } else { ClockFlags::empty() };
        out.clock(ClockEvent { flags, ..self.clock.event() });
    }

    /// Reports the properties of the settings; the version only if it is known.
    pub(crate) fn properties(&self, version_known: bool, out: &mut Output<'_>) {
        for (key, val) in [
            (prop::OBJ_PTR, self.settings.pointer()),
            (prop::FUN_PTR, self.settings.function()),
            (prop::SIGNAL, self.settings.get(Key::Signal)),
            (prop::EVENT_SIZE, self.settings.get(Key::Esize)),
            (prop::STAMP, self.config.stamp.into()),
        ] {
            out.prop(key, val.into(), b"");
        }
        if version_known {
            out.prop(prop::VERSION, self.config.version.into(), dotted(self.config.version).as_bytes());
        }
    }

    /// Takes the time stamp of a valid frame; returns the flags of its row.
    #[inline]
    pub(crate) fn stamp(&mut self, frame: &[u8]) -> RowFlags {
        match self.config.stamp {
            0 => RowFlags::empty(),
            bytes => {
                self.clock.stamp(self.plans.header.stamp(frame), bytes);
                RowFlags::TIME_OWN
            }
        }
    }

    /// The row of a valid frame; takes its time stamp. The header is complete, the arguments may be anything.
    #[inline]
    pub(crate) fn record(&mut self, frame: &[u8], at: FrameLocation) -> Row {
        let id = frame.first().copied().unwrap_or(0);
        let plan = self.plans.of(id);
        let fits = plan.fits(frame);
        let flags = plan.flags | at.flags;
        if flags.intersects(RowFlags::TIME_OWN) {
            self.clock.stamp(plan.header.stamp(frame), self.config.stamp);
        }
        self.tally.record(at.len as u32);
        let row = Row {
            pos: at.pos,
            time: self.clock.now(),
            obj: plan.obj.read(frame),
            item: plan.sig.read(frame),
            len: at.len as u32,
            flags,
            kind: plan.kind,
            cfg: self.cfg,
            core: self.core,
            severity: plan.severity,
            group: plan.group,
        };
        if fits { row } else { self.variable(id, frame, row) }
    }

    /// Completes the row of a record that does not have the fixed length of its id.
    #[inline(never)]
    fn variable(&mut self, id: u8, frame: &[u8], mut row: Row) -> Row {
        let plan = *self.plans.of(id);
        if (USER..UNIT_TEST).contains(&id) {
            row.item = u64::from(id - USER);
        } else if plan.layout.is_none() {
            row.flags |= RowFlags::UNKNOWN;
            return row;
        }
        if self.fit(frame) != Fit::Exact {
            row.flags |= RowFlags::MALFORMED;
            row.severity = row.severity.max(Severity::WARNING);
            let end = frame.len().saturating_sub(self.config.trailer());
            let lacks = |yes: bool, flags: RowFlags| if yes { RowFlags::empty() } else { flags };
            let user = plan.layout.is_none();
            row.flags &= !lacks(user || plan.obj.within(end), RowFlags::HAS_OBJECT);
            row.flags &= !lacks(user || plan.sig.within(end), RowFlags::HAS_ITEM);
        }
        row
    }

    /// The record in a frame; `None` if it is shorter than a header.
    #[inline]
    pub(crate) fn read<'f>(&self, frame: &'f [u8]) -> Option<Record<'f>> {
        Record::read(self.plans.of(frame.first().copied().unwrap_or(0)), &self.config, frame)
    }

    /// The values of an event, as far as they are complete.
    #[inline]
    pub(crate) fn values<'f>(&self, frame: &'f [u8]) -> Values<'f> {
        self.read(frame).map(Record::values).unwrap_or_default()
    }

    /// How well the arguments of a frame fit its id. An unknown id fits anything.
    pub(crate) fn fit(&self, frame: &[u8]) -> Fit {
        match self.read(frame) {
            Some(Record::Event(..) | Record::Unknown(_)) => Fit::Exact,
            Some(Record::Misfit { layout, values, .. }) if values.are_short(layout) => Fit::Short,
            Some(Record::Misfit { rest, .. }) => Fit::Surplus(rest.len()),
            Some(Record::Tcfg(_)) => self.fit_tcfg(frame),
            Some(Record::User(args)) => self.fit_items(args),
            None => Fit::Short,
        }
    }

    /// What is wrong with a configuration record that could not be read.
    fn fit_tcfg(&self, frame: &[u8]) -> Fit {
        match Tcfg::surplus(frame) {
            _ if self.config.era < Era::R244 => Fit::Wrong,
            0 => Fit::Wrong,
            surplus => usize::try_from(surplus).map_or(Fit::Short, Fit::Surplus),
        }
    }

    fn fit_items(&self, args: &[u8]) -> Fit {
        let mut items = Items::new(args, &self.config);
        items.by_ref().for_each(drop);
        match items.rest {
            [] => Fit::Exact,
            [format, ..] if format & 15 < ITEM_TYPES => Fit::Short,
            rest => Fit::Surplus(rest.len()),
        }
    }

    /// Settings with another size of function pointers that make this record fit.
    #[cold]
    pub(crate) fn other_function(&self, frame: &[u8]) -> Option<Settings> {
        let plan = self.plans.of(frame.first().copied().unwrap_or(0));
        let layout = plan.layout.filter(|l| l.role == Role::Function)?;
        [2, 4, 8].map(|bytes| self.settings.with(Key::Function, bytes)).into_iter().find(|settings| {
            let config = settings.config(self.style);
            FrameParts::of(frame, &config).is_some_and(|parts| record::exact(layout, &config, parts.args).is_some())
        })
    }

    /// Whether an id exists in this era.
    pub(crate) fn knows(&self, id: u8) -> bool {
        self.plans.of(id).layout.is_some() || (USER..UNIT_TEST).contains(&id)
    }
}
