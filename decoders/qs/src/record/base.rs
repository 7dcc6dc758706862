//! What both ways of reading share: configuration in force, clock, counters, and the row of a good frame.

use std::sync::Arc;

use spytui_decoder_kit::{Clock, ConfigRegistry, RowBuilder, RowContext, Tally};
use spytui_plugin_api::{
    Output, Row,
    batch::ClockEvent,
    info::prop,
    row::{RowFlags, Severity},
};

use super::{self as record, TargetInfo};
use crate::{
    config::{BLOB, Config, Style},
    fast::{Plan, Plans, Shape},
    frame::FrameLocation,
    layout::{self, id, private_flag},
};

/// State that both ways of reading share.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    core: u16,
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

/// The row of a record: what its kind tells, and its own flags, object and signal.
#[inline(always)]
fn row(plan: &Plan, head: RowContext<'_>, at: FrameLocation, (flags, obj, item): (RowFlags, u64, u64)) -> Row {
    let RowContext { clock, cfg, core } = head;
    Row {
        pos: at.pos,
        time: clock.now(),
        obj,
        item,
        len: at.len as u32,
        flags: flags | if at.escaped { private_flag::ESCAPED } else { RowFlags::empty() },
        kind: plan.kind,
        cfg,
        core,
        severity: plan.severity,
        group: plan.group,
    }
}

impl Base {
    pub(crate) fn new(config: Config, core: u16, ticks_per_second: u64) -> Base {
        Base {
            core,
            config,
            cfg: 0,
            configs: ConfigRegistry::default(),
            plans: Arc::new(Plans::new(&config)),
            clock: Clock::new(ticks_per_second),
            tally: Tally::default(),
        }
    }

    /// Puts a configuration in force from the next row on.
    pub(crate) fn configure(&mut self, out: &mut Output<'_>, config: Config) {
        let Some(cfg) = self.configs.id(config.blob(), out) else { return };
        self.cfg = cfg;
        if config != self.config {
            self.plans = Arc::new(Plans::new(&config));
            self.config = config;
        }
        self.tell_clock(out);
    }

    /// Tells the clock: its width, and its rate where an option gives it.
    fn tell_clock(&self, out: &mut Output<'_>) {
        let (rate, bits) = (self.clock.rate(), u32::from(self.config.sizes.time) * 8);
        let num = if rate == 0 { 0 } else { 1_000_000_000 };
        out.clock(ClockEvent { num, den: rate.max(1), bits, ..ClockEvent::default() });
    }

    /// Whether a record only makes a row, with the payload that its id asks for.
    #[inline]
    pub(crate) fn is_plain(&self, id: u8, payload: &[u8]) -> bool {
        usize::from(self.plans.of(id).plain) == payload.len()
    }

    /// The row of a good frame; takes its time stamp. Its payload may be anything.
    pub(crate) fn record(&mut self, id: u8, payload: &[u8], at: FrameLocation) -> Row {
        let plan = self.plans.of(id);
        let mut flags = plan.flags;
        if flags.intersects(RowFlags::TIME_OWN) && plan.stamp.within(payload) {
            flags |= self.clock.stamp(plan.stamp.read(payload), plan.stamp.size());
        } else {
            flags &= !RowFlags::TIME_OWN;
        }
        let (obj, item) = (plan.obj.read(payload), plan.sig.read(payload));
        self.tally.record(at.len as u32);
        let row = row(self.plans.of(id), self.context(), at, (flags, obj, item));
        match self.plans.of(id).shape == Shape::Fixed(payload.len() as u16) {
            true => row,
            false => self.variable(id, payload, row, at.fits),
        }
    }

    /// The same for a plain record. Nothing is done to the row afterwards, so that it is put together in registers
    /// and stored once.
    #[inline(always)]
    pub(crate) fn plain(&mut self, id: u8, frame: &[u8], item: u64, at: FrameLocation) -> Row {
        let Base { plans, clock, tally, .. } = self;
        let plan = plans.of(id);
        let obj = plan.words.obj.read(frame);
        let mut flags = plan.flags;
        if flags.intersects(RowFlags::TIME_OWN) {
            flags |= clock.stamp(plan.words.stamp.read(frame), plan.stamp.size());
        }
        tally.record(at.len as u32);
        row(plan, RowContext { clock, cfg: self.cfg, core: self.core }, at, (flags, obj, item))
    }

    /// What is left to say about a record that has not the fixed length of its id.
    fn variable(&mut self, id: u8, payload: &[u8], mut row: Row, fits: Option<bool>) -> Row {
        let plan = *self.plans.of(id);
        if plan.shape == Shape::Unknown {
            row.flags |= RowFlags::UNKNOWN;
            return row;
        }
        if plan.shape == Shape::Application {
            row.item = (id - layout::user_base(self.config.version, self.config.style)).into();
        }
        if plan.shape == Shape::Special && id == id::QUERY {
            self.query_object(payload, &mut row);
        }
        if !fits.unwrap_or_else(|| self.fits(id, payload)) {
            row.flags |= RowFlags::MALFORMED;
            row.severity = row.severity.max(Severity::WARNING);
            let lacks = |yes: bool, flags: RowFlags| if yes { RowFlags::empty() } else { flags };
            row.flags &= !lacks(plan.obj.within(payload), RowFlags::HAS_OBJECT);
            row.flags &= !lacks(plan.sig.within(payload), RowFlags::HAS_ITEM);
        }
        row
    }

    fn query_object(&self, payload: &[u8], row: &mut Row) {
        let sizes = &self.config.sizes;
        let Some(layout) = self.query_layout(payload) else { return };
        if let (Some(values), layout::Subject::Object) = (record::exact(layout, sizes, payload), layout.subject) {
            (row.obj, row.flags) = (values.number(layout.obj), row.flags | RowFlags::HAS_OBJECT);
        }
    }

    fn query_layout(&self, payload: &[u8]) -> Option<&'static layout::Layout> {
        let kind = *payload.get(usize::from(self.config.sizes.time))?;
        layout::query(kind, self.config.version, self.config.style)
    }

    /// Whether a payload has exactly the bytes that its record needs.
    pub(crate) fn fits(&self, id: u8, payload: &[u8]) -> bool {
        let (config, sizes) = (&self.config, &self.config.sizes);
        match (self.plans.of(id).shape, id) {
            (Shape::Fixed(len), _) => usize::from(len) == payload.len(),
            (Shape::Application, _) => record::whole(payload, sizes),
            (Shape::Unknown, _) => true,
            (Shape::Special, id::EMPTY) => config.style != Style::Native || payload.is_empty(),
            (Shape::Special, id::INFO) => TargetInfo::parse(payload, config.style).is_some(),
            (Shape::Special, id::QUERY) => {
                self.query_layout(payload).is_some_and(|l| record::exact(l, sizes, payload).is_some())
            }
            (Shape::Special, id) => layout::layout(id, config.version, config.style)
                .is_some_and(|l| record::exact(l, sizes, payload).is_some()),
        }
    }

    /// Tells the properties that the configuration stands for; the version only where the target told it.
    pub(crate) fn properties(&self, out: &mut Output<'_>, info: Option<&TargetInfo>) {
        let s = &self.config.sizes;
        for (key, val) in [
            (prop::BYTE_ORDER, u64::from(self.config.big_endian)),
            (prop::OBJ_PTR, s.obj.into()),
            (prop::FUN_PTR, s.fun.into()),
            (prop::SIGNAL, s.sig.into()),
            (prop::EVENT_SIZE, s.evt.into()),
            (prop::STAMP, s.time.into()),
        ] {
            out.prop(key, val, b"");
        }
        if let Some(id) = info.map(TargetInfo::build_id) {
            out.prop(prop::VERSION, self.config.version.into(), b"");
            out.prop(prop::BUILD_ID, 0, id.as_bytes());
            out.prop(prop::BUILD_TIME, 0, id.as_bytes());
        }
    }
}
