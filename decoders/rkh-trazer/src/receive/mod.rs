//! Receiving: bytes to rows. This file has the state shared by both receivers: current configuration, clock, counters; it
//! builds the row and activities of a valid frame, and reads the names of another stream. `native` is spytui's own
//! receiver, `validate` classifies frames, `target_info` tracks the target's configuration, `posts` pairs posts and gets.

mod native;
mod posts;
mod target_info;
mod validate;

pub(crate) use native::{Native, TargetSettings, begin};

use std::sync::Arc;

use spytui_decoder_kit::{ConfigRegistry, DropField, Elements, PlanTable, RowBuilder, size_properties};
use spytui_plugin_api::{
    Activity, Batch, Output, Row, RowFlags, StreamEvent, Verb,
    batch::{AttrId, ClockEvent, ClockFlags, DictOp},
    chunk::{MAX_CHUNK, StreamEventKind},
    info::{prop, space::KINDS},
    row::{RowKind, Severity},
};
use spytui_plugin_layer::Clock;

use crate::{
    config::{BLOB, Config, Key, Settings, Tcfg, TextStyle, dotted},
    frame::FrameLocation,
    layout::{Era, Layout, Role, Ty, UNIT_TEST, USER, Values},
    names::{Naming, Symbols},
    record::{ELEMENT_TYPES, Fit, Plan, Record, RecordFrame},
};

pub(crate) fn read_symbols(stream: &[u8], settings: Settings, given: u16) -> Symbols {
    let base = ReceiverBase::new(settings, TextStyle::Native, 0, Clock::new(0));
    let mut native = begin(base, TargetSettings::new(given, true), None, DropField::default());
    let (mut batch, mut pos, mut symbols) = (Batch::default(), 0u64, Vec::new());
    for chunk in stream.chunks(MAX_CHUNK) {
        native.bytes(pos, chunk, &mut Output::new(&mut batch, false));
        pos += chunk.len() as u64;
        collect(&batch, &mut symbols);
        batch.clear();
    }
    let end = StreamEvent { kind: StreamEventKind::END, pos, ..StreamEvent::default() };
    native.event(&end, b"", &mut Output::new(&mut batch, false));
    collect(&batch, &mut symbols);
    Symbols(symbols)
}

fn collect(batch: &Batch, symbols: &mut Vec<Naming<'static>>) {
    let named = batch.dict.iter().filter(|e| e.op == DictOp::SET && e.attr == AttrId::NAME);
    symbols.extend(named.map(|e| Naming {
        space: e.space,
        key: e.key,
        scope: e.scope,
        name: e.text.of(&batch.bytes).to_vec().into(),
    }));
}

#[derive(Clone, Debug)]
pub(crate) struct ReceiverBase {
    core: u16,
    style: TextStyle,
    pub(crate) settings: Settings,
    pub(crate) config: Config,
    cfg: u16,
    configs: ConfigRegistry<BLOB>,
    plans: Arc<PlanTable<Plan>>,
    pub(crate) clock: Clock,
    /// A valid record has arrived.
    pub(crate) started: bool,
    /// The link has been down since the last record.
    pub(super) is_cut: bool,
}

impl RowBuilder for ReceiverBase {
    #[inline]
    fn note(&self, note: Row) -> Row {
        Row { time: self.clock.now(), cfg: self.cfg, core: self.core, ..note }
    }
}

impl ReceiverBase {
    pub(crate) fn new(settings: Settings, style: TextStyle, core: u16, clock: Clock) -> ReceiverBase {
        let config = settings.config(style);
        ReceiverBase {
            core,
            style,
            settings,
            config,
            cfg: 0,
            configs: ConfigRegistry::default(),
            plans: Arc::new(PlanTable::new(|id| Plan::new(id, &config))),
            clock,
            started: false,
            is_cut: false,
        }
    }

    pub(crate) fn configure(&mut self, out: &mut Output<'_>, settings: Settings) {
        let config = settings.config(self.style);
        let Some(cfg) = self.configs.id(config.blob(), out) else { return };
        self.settings = settings;
        self.cfg = cfg;
        if config != self.config {
            self.plans = Arc::new(PlanTable::new(|id| Plan::new(id, &config)));
            self.config = config;
        }
        // TCFG has 16 bits for the rate: a 1 MHz target reports 16 960.
        let flags = if self.clock.is_reported() { ClockFlags::DOUBTFUL } else { ClockFlags::empty() };
        out.clock(ClockEvent { flags, ..self.clock.event() });
    }

    /// Reports properties of the settings; the version only if known.
    pub(crate) fn properties(&self, version_known: bool, out: &mut Output<'_>) {
        let [obj, fun, sig] = [Ty::Sym, Ty::Fun, Ty::Sig].map(|ty| self.config.size(ty));
        size_properties([obj, fun, sig, self.config.size(Ty::Es), self.config.stamp], out);
        if version_known {
            out.prop(prop::VERSION, self.config.version.into(), dotted(self.config.version).as_bytes());
        }
    }

    /// Takes the time stamp of a valid frame; returns the flags of its row.
    #[inline(always)]
    pub(crate) fn stamp(&mut self, frame: &RecordFrame<'_>) -> RowFlags {
        match frame.stamp(&self.config) {
            None => RowFlags::empty(),
            Some(stamp) => {
                self.clock.stamp(stamp, self.config.stamp);
                RowFlags::TIME_OWN
            }
        }
    }

    /// A row for bytes outside of records. Without sequence numbers, nothing shows which records are missing there.
    pub(crate) fn damage(&self, kind: RowKind, pos: u64, len: usize) -> Row {
        let mut row = self.note(Row::skipped(kind, pos, len));
        let may_hide = kind.is_loss() || kind == RowKind::PARTIAL && self.started;
        row.flags.set(RowFlags::HIDES_RECORDS, may_hide && !self.config.nseq);
        row
    }

    /// Builds the row of a valid frame with any arguments; takes its time stamp.
    #[inline(always)]
    pub(crate) fn record(&mut self, frame: &RecordFrame<'_>, at: FrameLocation) -> Row {
        let mut flags = at.flags | self.stamp(frame);
        let mut row = Row { kind: RowKind(frame.id().into()), group: frame.id() >> 5, ..self.row(at.pos, at.len) };
        row.severity = Severity::WARNING;
        self.started = true;
        match (frame.layout(), frame.values()) {
            (Some(layout), values) => {
                (row.kind, row.severity) = (layout.kind, layout.severity);
                if let Some(values) = values {
                    (row.obj, row.item) = (values.number(layout.obj), values.number(layout.sig));
                    flags.set(RowFlags::HAS_OBJECT, values.has(layout.obj) && self.config.sends(layout, layout.obj));
                    flags.set(RowFlags::HAS_ITEM, values.has(layout.sig));
                }
                flags.set(RowFlags::NAMING, matches!(layout.role, Role::Name(_) | Role::Tcfg));
            }
            _ if matches!(frame.record, Record::User) => {
                (row.item, row.severity) = (u64::from(frame.id() - USER), Severity::NORMAL);
                flags |= RowFlags::APPLICATION | RowFlags::HAS_ITEM;
            }
            _ => flags |= RowFlags::UNKNOWN,
        }
        let is_whole = self.fit(Some(frame)) == Fit::Exact;
        // No number confirms that this is the next record.
        let may_hide = !is_whole | std::mem::take(&mut self.is_cut);
        flags.set(RowFlags::HIDES_RECORDS, may_hide && !self.config.nseq);
        if !is_whole {
            flags |= RowFlags::MALFORMED;
            row.severity = row.severity.max(Severity::WARNING);
        }
        Row { flags, ..row }
    }

    /// Reads a frame; `None` if it is shorter than a header.
    #[inline]
    pub(crate) fn read<'f>(&self, frame: &'f [u8]) -> Option<RecordFrame<'f>> {
        let plan = frame.first().map(|id| self.plans.of(*id));
        RecordFrame::read(&self.config, plan, frame)
    }

    /// How well a frame's arguments fit its id. Anything fits an unknown id.
    #[inline]
    pub(crate) fn fit(&self, frame: Option<&RecordFrame<'_>>) -> Fit {
        let Some(frame) = frame else { return Fit::Short };
        match &frame.record {
            Record::Event(..) | Record::Unknown => Fit::Exact,
            Record::Misfit { layout, values, .. } if values.are_short(layout.fields.len()) => Fit::Short,
            Record::Misfit { rest, .. } => Fit::Surplus(rest.len()),
            Record::Tcfg(_) => self.fit_tcfg(frame.bytes),
            Record::User => self.fit_elements(frame.args(&self.config)),
        }
    }

    fn fit_tcfg(&self, frame: &[u8]) -> Fit {
        match Tcfg::surplus(frame) {
            _ if self.config.era < Era::R244 => Fit::Wrong,
            0 => Fit::Wrong,
            surplus => usize::try_from(surplus).map_or(Fit::Short, Fit::Surplus),
        }
    }

    fn fit_elements(&self, args: &[u8]) -> Fit {
        let mut elements = Elements::new(args, &self.config);
        elements.by_ref().for_each(drop);
        match elements.rest {
            [] => Fit::Exact,
            [format, ..] if format & 15 < ELEMENT_TYPES => Fit::Short,
            rest => Fit::Surplus(rest.len()),
        }
    }

    /// Settings with another function pointer size that make this record fit.
    #[cold]
    pub(crate) fn other_function(&self, frame: &[u8]) -> Option<Settings> {
        let fits = |settings: &Settings| {
            RecordFrame::read(&settings.config(self.style), None, frame)
                .is_some_and(|frame| matches!(frame.record, Record::Event(Layout { role: Role::Function, .. }, _)))
        };
        [2, 4, 8].map(|bytes| self.settings.with(Key::Function, bytes)).into_iter().find(fits)
    }

    pub(crate) fn knows(&self, id: u8) -> bool {
        self.plans.of(id).layout.is_some() || (USER..UNIT_TEST).contains(&id)
    }
}

/// Adds the activity of a user event, before its row.
pub(crate) fn add_user_activity(row: Row, out: &mut Output<'_>) {
    if out.wants_activities() && row.flags.contains(RowFlags::APPLICATION) {
        out.activity(Activity { core: row.core, ..Activity::new(Verb::INSTANT).sub(KINDS, row.kind.0.into()) });
    }
}

/// Adds the activities of a valid event, before its row.
#[inline(never)]
pub(crate) fn add_activities(layout: &Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
    for meaning in layout.meanings.iter().flatten() {
        out.activity(meaning.activity(row.core, |field| values.number(field)));
    }
}
