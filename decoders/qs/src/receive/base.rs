//! State that both receivers share: current configuration, clock, counters. Makes the row of a valid frame.

use std::sync::Arc;

use spytui_decoder_kit::{Clock, ConfigRegistry, RowBuilder, RowContext, Tally};
use spytui_plugin_api::{
    Output, Row,
    info::prop,
    row::{RowFlags, Severity},
};

use crate::{
    config::{BLOB, Config, Style},
    fast::{Plan, Plans, Shape},
    frame::FrameLocation,
    layout::{self, NO_FIELD, Values, id, private_flag},
    record::{self, Record, TargetInfo},
};

/// State that both receivers share.
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

/// The row of a record, from its plan and its own flags, object and signal.
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

    /// Applies a configuration from the next row on.
    pub(crate) fn configure(&mut self, out: &mut Output<'_>, config: Config) {
        let Some(cfg) = self.configs.id(config.blob(), out) else { return };
        self.cfg = cfg;
        if config != self.config {
            self.plans = Arc::new(Plans::new(&config));
            self.config = config;
        }
        out.clock(self.clock.event());
    }

    /// The row of a valid frame; takes its time stamp. The payload may be anything.
    pub(crate) fn record(&mut self, frame: &[u8], at: FrameLocation) -> Row {
        let &[_, id, ref payload @ .., _] = frame else { return self.row(at.pos, at.len) };
        let plan = self.plans.of(id);
        if plan.fits(frame) {
            return self.plain(id, frame, plan.signal(frame), at);
        }
        let (values, whole) = match plan.layout {
            Some(layout) => {
                let (rest, values) = record::fields(layout, &self.config.sizes, payload);
                let whole = rest.is_empty() && usize::from(values.count) == layout.fields.len();
                (values, (!layout.fixed()).then_some(whole))
            }
            None => (record::stamp(payload, &self.config.sizes), None),
        };
        let mut flags = plan.flags;
        if flags.intersects(RowFlags::TIME_OWN) && values.has(0) {
            self.clock.stamp(values.number(0), self.config.sizes.time);
        } else {
            flags &= !RowFlags::TIME_OWN;
        }
        self.tally.record(at.len as u32);
        let plan = self.plans.of(id);
        let (obj, item) = plan.layout.map_or((0, 0), |l| (values.number(l.obj), values.number(l.sig)));
        let row = row(plan, self.context(), at, (flags, obj, item));
        self.variable(id, payload, row, (&values, at.fits.or(whole)))
    }

    /// The row of a frame that fits its plan. The row is not modified afterwards, so that it is built in registers and
    /// stored once.
    #[inline(always)]
    pub(crate) fn plain(&mut self, id: u8, frame: &[u8], item: u64, at: FrameLocation) -> Row {
        let Base { plans, clock, tally, config, .. } = self;
        let plan = plans.of(id);
        let obj = plan.object(frame);
        let flags = plan.flags;
        if flags.intersects(RowFlags::TIME_OWN) {
            clock.stamp(plan.stamp(frame), config.sizes.time);
        }
        tally.record(at.len as u32);
        row(plan, RowContext { clock, cfg: self.cfg, core: self.core }, at, (flags, obj, item))
    }

    /// Completes the row of a record without the fixed length of its id.
    fn variable(&self, id: u8, payload: &[u8], mut row: Row, (values, fits): (&Values<'_>, Option<bool>)) -> Row {
        let plan = self.plans.of(id);
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
            let lacks = |field: u8| field != NO_FIELD && !values.has(field);
            if plan.layout.is_some_and(|l| lacks(l.obj)) {
                row.flags &= !RowFlags::HAS_OBJECT;
            }
            if plan.layout.is_some_and(|l| lacks(l.sig)) {
                row.flags &= !RowFlags::HAS_ITEM;
            }
        }
        row
    }

    fn query_object(&self, payload: &[u8], row: &mut Row) {
        if let Record::Predefined(layout, values) = Record::parse(&self.config, id::QUERY, payload)
            && layout.subject == layout::Subject::Object
        {
            row.obj = values.number(layout.obj);
            row.flags |= RowFlags::HAS_OBJECT;
        }
    }

    /// Whether a payload fits its record exactly.
    pub(crate) fn fits(&self, id: u8, payload: &[u8]) -> bool {
        let plan = self.plans.of(id);
        if plan.shape == Shape::Fixed {
            return plan.fits_payload(payload);
        }
        match Record::parse(&self.config, id, payload) {
            Record::Predefined(..) => true,
            Record::Misfit { .. } => id == id::EMPTY && self.config.style != Style::Native,
            Record::Info(found) => found.is_some(),
            Record::Application => record::whole(payload, &self.config.sizes),
            Record::Unknown => id != id::QUERY,
        }
    }

    /// Reports the properties of the configuration; the version only if reported by the target.
    pub(crate) fn properties(&self, out: &mut Output<'_>, info: Option<&TargetInfo>) {
        let s = &self.config.sizes;
        for (key, val) in [
            (prop::OBJ_PTR, s.obj.into()),
            (prop::FUN_PTR, s.fun.into()),
            (prop::SIGNAL, s.sig.into()),
            (prop::EVENT_SIZE, s.evt.into()),
            (prop::STAMP, s.time.into()),
        ] {
            out.prop(key, val, b"");
        }
        if let Some(id) = info.map(TargetInfo::build_id) {
            let version = self.config.version;
            let dotted = format!("{}.{}.{}", version / 100, version / 10 % 10, version % 10);
            out.prop(prop::VERSION, version.into(), dotted.as_bytes());
            out.prop(prop::BUILD_ID, 0, id.as_bytes());
        }
    }
}
