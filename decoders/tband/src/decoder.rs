//! Implements `Decoder`: description, options, instances, rendering.

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Info, KeyFormat, NONE, Output, RString, RVec, RowIn, RowKind, Source,
    StreamEvent, TextWriter,
    guard::Fault,
    info::{Class, DropTotals, GroupInfo, Guess, KindInfo, Matching, SpaceInfo, space as host_space},
    render::Want,
};
use spytui_plugin_layer::clock::COUNTER_BITS;

use crate::{
    command,
    config::{Config, MAX_FRAME, MODE, MOST_FRAME, REFERENCE, RESOLUTION, TbandOptions},
    layout::{EventSubject, Group, Layout, Second, TABLE, Ty, space},
    probe,
    receive::{self, Native},
    record::Record,
    reference::{self, Reference},
    text::{self, Context},
};

/// The Tonbandgerät decoder. An instance either receives natively or reproduces the reference tool.
#[derive(Clone, Debug)]
pub struct Tband(Reading);

#[derive(Clone, Debug)]
enum Reading {
    Native(Box<Native>),
    Reference(Box<Reference>),
}

impl Decoder for Tband {
    fn info() -> Info {
        Info {
            id: "tband".into(),
            title: "Tonbandgerät".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            aliases: ["tonbandgeraet".into()].into_iter().collect(),
            kinds: TABLE.iter().map(kind).chain([damaged()]).collect(),
            groups: groups(),
            spaces: spaces(),
            loss_unit: "event".into(),
            options: [MODE.spec(), MAX_FRAME.spec(), RESOLUTION.spec(), COUNTER_BITS.spec(), REFERENCE.spec()]
                .into_iter()
                .collect(),
            max_pending: 2 * MOST_FRAME as u64,
            has_cores: true,
            drop_totals: DropTotals::PER_TARGET,
            object_width: 11,
            commands: command::commands(),
            filters: command::filters(),
            meanings: include_str!("../meanings.txt").lines().map(Into::into).collect(),
            ..Info::default()
        }
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if TbandOptions::read(opts).is_ok() {
            probe::guess(sample, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Tband, Fault> {
        let options = TbandOptions::read(opts)?;
        let core = if source.core == NONE { 0 } else { source.core };
        Ok(Tband(if options.config.reference {
            Reading::Reference(Box::new(reference::begin(&options, core)))
        } else {
            Reading::Native(Box::new(receive::begin(&options, core)))
        }))
    }

    #[inline]
    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.bytes(pos, bytes, out),
            Reading::Reference(reference) => reference.bytes(pos, bytes, out),
        }
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.event(event, out),
            Reading::Reference(reference) => reference.event(event, out),
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        any(&Context { config: Config::from_blob(cfg), row, names: dict }, want, &mut Vec::new(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let (config, mut room) = (Config::from_blob(cfg), Vec::new());
        for (i, row) in (0..).zip(rows) {
            any(&Context { config, row, names: &dict.at(i) }, want, &mut room, out);
            out.end_row();
        }
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        text::label(&ctx, activity, out);
    }
}

/// Renders the wanted parts of a row; `room` is a buffer for its event.
#[inline]
fn any(ctx: &Context<'_, '_>, want: Want, room: &mut Vec<u8>, out: &mut TextWriter<'_>) {
    if !ctx.row.row.is_record() {
        note(ctx, want, out);
    } else if let Ok(record) = ctx.read(room) {
        event(ctx, &record, want, out);
    }
}

#[inline]
fn event(ctx: &Context<'_, '_>, record: &Record<'_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match ctx.config.reference {
            true => reference::record(record, out),
            false => text::record_text(ctx, record, out),
        }
    }
    if want.contains(Want::FIELDS) {
        text::record_fields(ctx, record, out);
    }
    if want.contains(Want::PAYLOAD) && record.layout.is_application() {
        payload(record, out);
    }
}

/// Writes a marker's text or value as application bytes.
fn payload(record: &Record<'_>, out: &mut TextWriter<'_>) {
    if record.layout.fields.last().is_some_and(|f| f.ty == Ty::S64) {
        out.payload(&record.numbers[1].to_le_bytes());
    } else {
        out.payload(record.text);
    }
}

#[inline(never)]
fn note(ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match ctx.config.reference {
            true => reference::note(ctx, out),
            false => text::note_text(ctx, out),
        }
    }
    if want.contains(Want::FIELDS) {
        text::note_fields(ctx, reference::cause, out);
    }
}

fn kind(layout: &Layout) -> KindInfo {
    // The key in the first field may be the row's object or item.
    let is_own = layout.subject == EventSubject::First || layout.second == Second::First && !layout.is_local();
    KindInfo {
        obj_space: layout.subject_space(),
        item_space: match layout.second {
            Second::First => layout.first_space(),
            Second::Nothing | Second::Code => NONE,
        },
        fields: layout.fields.iter().map(|f| RString::from(f.name)).collect(),
        spaces: layout
            .fields
            .iter()
            .skip(is_own.into())
            .map(|field| field.ty.space())
            .filter(|space| *space != NONE)
            .collect(),
        tag: layout.tag.into(),
        ..KindInfo::new(RowKind(layout.id.into()), layout.name, layout.group as u8)
    }
}

fn damaged() -> KindInfo {
    let fields = ["cause", "frames", "raw"].map(RString::from).into_iter().collect();
    let kind = RowKind::BAD_FRAME;
    KindInfo { tag: kind.word().unwrap_or_default().into(), fields, ..KindInfo::new(kind, "", 0) }
}

fn groups() -> RVec<GroupInfo> {
    [
        (Group::Stream, "TRC", "the trace itself"),
        (Group::Isr, "ISR", "interrupts"),
        (Group::Marker, "MRK", "event markers"),
        (Group::Value, "VAL", "value markers"),
        (Group::Task, "TSK", "tasks"),
        (Group::Queue, "QUE", "queues"),
        (Group::TaskMarker, "TMK", "markers of tasks"),
    ]
    .map(|(id, name, title)| GroupInfo::new(id as u8, name, title))
    .into_iter()
    .collect()
}

fn spaces() -> RVec<SpaceInfo> {
    let space = |id, name: &str, title: &str, class, scope_space| SpaceInfo {
        scope_space,
        matching: if scope_space == space::TASKS { Matching::OR_GLOBAL } else { Matching::EXACT },
        ..SpaceInfo::new(id, name, title, class, KeyFormat::DECIMAL)
    };
    RVec::from(vec![
        space(space::ISRS, "isr", "interrupts by core", Class::ISR, host_space::CORES),
        space(space::MARKERS, "marker", "event markers", Class::MARKER, NONE),
        space(space::VALUES, "value", "value markers", Class::VALUE, NONE),
        space(space::TASKS, "task", "tasks", Class::TASK, NONE),
        space(space::QUEUES, "queue", "queues, semaphores, mutexes", Class::QUEUE, NONE),
        space(space::TASK_MARKERS, "task-marker", "event markers of a task", Class::MARKER, space::TASKS),
        space(space::TASK_VALUES, "task-value", "value markers of a task", Class::VALUE, space::TASKS),
        space(space::REASONS, "reason", "what a task waits for", Class::ENUM, NONE),
        space(space::QUEUE_KINDS, "queue-kind", "kinds of queues", Class::ENUM, NONE),
    ])
}
