//! Implements `Decoder`: description, options, instances, rendering.

use std::collections::BTreeSet;

use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Info, KeyFormat, NONE, Output, RString, RVec, RowIn, RowKind, Source,
    StreamEvent, TextWriter,
    guard::Fault,
    info::{AttachmentInfo, Class, CounterInfo, GroupInfo, Guess, KindInfo, Order, SpaceInfo},
    render::Want,
};

use crate::{
    command,
    config::{CPUS, Config, ENDIAN, EXCEPTION, FORMATS, Format, MASK, PROFILE, QnxOptions, RATE, REFERENCE, RELEASE},
    layout::{Declared, Group, KernelKind, Layout, Role, Ty, attached, classic_rest, counter, declared, note, space},
    probe,
    receive::Stream,
    record::{self, ATTRIBUTES, Classic, Record},
    reference,
    text::{self, Context},
};

#[derive(Clone, Debug)]
pub struct Qnx(Stream);

impl Decoder for Qnx {
    fn info() -> Info {
        Info {
            id: "qnx".into(),
            title: "QNX".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            kinds: declared().into_iter().map(kind).chain(classic_kinds()).chain(note_kinds()).collect(),
            groups: groups(),
            spaces: spaces(),
            attachments: attachments(),
            counters: counters(),
            loss_unit: "buffer".into(),
            sequence: "number".into(),
            sequence_bits: 32,
            options: RVec::from(vec![
                PROFILE.spec(),
                ENDIAN.spec(),
                RELEASE.spec(),
                CPUS.spec(),
                RATE.spec(),
                EXCEPTION.spec(),
                MASK.spec(),
                FORMATS.spec(),
                REFERENCE.spec(),
            ]),
            commands: command::commands(),
            filters: command::filters(),
            order: Order::WITHIN_CORE,
            has_cores: true,
            kind_width: 11,
            object_width: 12,
            meanings: include_str!("../meanings.txt").lines().map(Into::into).collect(),
            ..Info::default()
        }
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if let Ok(options) = QnxOptions::read(opts) {
            probe::guess(sample, &options, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, _: &Source) -> Result<Qnx, Fault> {
        Ok(Qnx(Stream::new(QnxOptions::read(opts)?)))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.0.bytes(pos, bytes, out);
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.0.event(event, text, out);
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        any(Config::from_blob(cfg), row, dict, want, &mut Vec::new(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let (config, mut room) = (Config::from_blob(cfg), Vec::new());
        for (i, row) in (0..).zip(rows) {
            any(config, row, &dict.at(i), want, &mut room, out);
            out.end_row();
        }
    }

    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        if let Record::Event(whole) = record::read(&Config::from_blob(cfg), row, &mut Vec::new()) {
            text::label(&Context { names: dict, row, whole }, activity, out);
        }
    }
}

/// Renders the wanted parts of a row; `room` is a buffer.
#[inline]
fn any(config: Config, row: &RowIn<'_>, names: &Dict<'_>, want: Want, room: &mut Vec<u8>, out: &mut TextWriter<'_>) {
    match record::read(&config, row, room) {
        Record::Event(whole) => event(config, &Context { names, row, whole }, want, out),
        Record::Classic(format, record) => classic(config, format, &record, row, want, out),
        Record::None if row.row.is_record() => {}
        Record::None => note(config, row, want, out),
    }
}

fn event(config: Config, ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match config.reference {
            true => reference::record(ctx, out),
            false => text::record(ctx, out),
        }
    }
    if want.contains(Want::FIELDS) {
        text::record_fields(ctx, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(ctx.whole.payload);
    }
}

/// Renders a record of a classic trace log, whose text is attached.
fn classic(
    config: Config,
    format: Format,
    record: &Classic<'_>,
    row: &RowIn<'_>,
    want: Want,
    out: &mut TextWriter<'_>,
) {
    if want.contains(Want::TEXT) {
        out.put(row.attachment_bytes(attached::TEXT).unwrap_or_default());
        out.put(if config.reference { b"\n" } else { b"" });
    }
    if want.contains(Want::FIELDS) {
        text::classic_fields(format, record, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(&record.data());
    }
}

fn note(config: Config, row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match config.reference {
            true => reference::note(row, out),
            false => text::note(row, out),
        }
    }
    if want.contains(Want::FIELDS) {
        text::note_fields(row, out);
    }
}

fn kind(declared: Declared) -> KindInfo {
    let Declared { first, last, name, layout, wire } = declared;
    KindInfo {
        last: RowKind(last),
        obj_space: object_space(layout),
        item_space: match layout.role {
            Role::User => space::USER_EVENTS,
            Role::Enter | Role::Leave => space::CALLS,
            _ => NONE,
        },
        wire_id: wire,
        tag: if first < last { RString::new() } else { tag(layout, &name).into() },
        fields: field_names(KernelKind(first)).into_iter().map(RString::from).collect(),
        spaces: key_spaces(KernelKind(first)),
        ..KindInfo::new(RowKind(first), &name, layout.group as u8)
    }
}

/// The word in lists; same for calls with and without 64-bit types.
fn tag(layout: &Layout, name: &str) -> String {
    let tag = layout.tag();
    match name.split_once('|') {
        Some((plain, _)) if tag.is_empty() => plain.to_owned(),
        _ => tag,
    }
}

/// The unique names of all values in records of this kind; some cover several words.
fn field_names(kind: KernelKind) -> BTreeSet<&'static str> {
    let shown = kind.fields().iter().filter(|field| field.is_shown()).map(|field| field.name);
    let group = kind.layout().group;
    let words = (kind.fields().is_empty()).then_some("w");
    let text = (group == Group::User).then_some("text");
    let owner = if group.is_of_running() { &["pid", "tid"][..] } else { &[] };
    let failure = if group == Group::Exit { &["ret_val", "errno"][..] } else { &[] };
    shown.chain(words).chain(text).chain(failure.iter().chain(owner).copied()).collect()
}

/// Spaces of the keys among the fields of a kind.
fn key_spaces(kind: KernelKind) -> RVec<u16> {
    let group = kind.layout().group;
    let shown = kind.fields().iter().filter(|field| field.is_shown());
    let of_fields = shown.flat_map(|field| match (field.ty, field.name) {
        (Ty::Pid, _) => &[space::PROCESSES][..],
        (_, "intr") => &[space::INTERRUPTS],
        (_, "chid") if matches!(group, Group::Call | Group::Exit) => &[space::CHANNELS, space::PROCESSES],
        _ => &[],
    });
    of_fields.copied().chain(group.is_of_running().then_some(space::PROCESSES)).collect()
}

fn object_space(layout: &Layout) -> u16 {
    match layout.group {
        Group::Control => NONE,
        group if group.is_interrupt() || group == Group::Int => space::INTERRUPTS,
        Group::Process if layout.role != Role::ThreadName => space::PROCESSES,
        _ => space::THREADS,
    }
}

fn classic_kinds() -> impl Iterator<Item = KindInfo> {
    let fields = ["code", "major", "minor", "level", "opcode", "dat20", "data"].map(RString::from);
    [(Group::Exception, "exc"), (Group::Profile, "prof")].into_iter().map(move |(group, name)| KindInfo {
        fields: fields.iter().cloned().collect(),
        ..KindInfo::new(classic_rest(group), name, group as u8)
    })
}

fn note_kinds() -> impl Iterator<Item = KindInfo> {
    let header = KindInfo { tag: "prolog".into(), ..note_kind(RowKind::PROLOG, "", &ATTRIBUTES) };
    let own = [
        note_kind(note::SHORT_BUFFER, "short buffer", &["missing", "buffer"]),
        note_kind(note::SYSTEM_PAGE, "system page", &[]),
        note_kind(note::SKIPPED, "skipped", &[]),
        note_kind(note::NULL, "null events", &[]),
    ];
    own.into_iter().chain([header])
}

fn note_kind(kind: RowKind, name: &str, fields: &[&str]) -> KindInfo {
    KindInfo { fields: fields.iter().copied().map(RString::from).collect(), ..KindInfo::new(kind, name, 0) }
}

fn groups() -> RVec<GroupInfo> {
    let group = |(group, tag, name, title): (Group, &str, &str, &str)| GroupInfo {
        tag: tag.into(),
        ..GroupInfo::new(group as u8, name, title)
    };
    Group::ALL.into_iter().map(group).collect()
}

fn spaces() -> RVec<SpaceInfo> {
    RVec::from(vec![
        SpaceInfo::new(space::PROCESSES, "pid", "processes", Class::PROCESS, KeyFormat::DECIMAL),
        SpaceInfo::new(space::THREADS, "thread", "threads", Class::TASK, KeyFormat::HEX),
        SpaceInfo::new(space::INTERRUPTS, "irq", "interrupts", Class::ISR, KeyFormat::LARGE_HEX),
        SpaceInfo::new(space::CALLS, "call", "kernel calls", Class::CALL, KeyFormat::DECIMAL),
        SpaceInfo {
            scope_space: space::PROCESSES,
            ..SpaceInfo::new(space::CHANNELS, "chan", "channels", Class::CHANNEL, KeyFormat::LARGE_HEX)
        },
        SpaceInfo::new(space::USER_EVENTS, "user-event", "user events", Class::MARKER, KeyFormat::DECIMAL),
    ])
}

fn attachments() -> RVec<AttachmentInfo> {
    RVec::from(vec![
        AttachmentInfo {
            distribution: "Duration of kernel calls".into(),
            ..AttachmentInfo::new(attached::TOOK, "took", "ns")
        },
        AttachmentInfo::new(attached::MISSING, "missing", "events"),
        AttachmentInfo::new(attached::TEXT, "text", ""),
        AttachmentInfo { is_bound: true, ..AttachmentInfo::new(attached::AT_MOST, "at most", "events") },
        AttachmentInfo::new(attached::DROPPED, "dropped", ""),
    ])
}

fn counters() -> RVec<CounterInfo> {
    let plain = CounterInfo::new;
    let dropped = |id, name, unit| CounterInfo { counts_drops: true, ..plain(id, name, unit) };
    let unbalanced = |id, name, unit| CounterInfo { header: "unbalanced".into(), ..plain(id, name, unit) };
    RVec::from(vec![
        plain(counter::BUFFERS, "buffers", "buffers"),
        plain(counter::LOST_BUFFERS, "lost_buffers", "buffers"),
        CounterInfo { header: "short".into(), ..plain(counter::SHORT_BUFFERS, "short_buffers", "buffers") },
        plain(counter::MISSING_EVENTS, "missing_events", "events"),
        unbalanced(counter::UNBALANCED_CONT, "unbalanced_cont", "parts"),
        unbalanced(counter::UNBALANCED_END, "unbalanced_end", "parts"),
        unbalanced(counter::UNTERMINATED_BEGIN, "unterminated_begin", "events"),
        dropped(counter::DROP_EVENTS, "drop_events", "events"),
        plain(counter::TAIL_BYTES, "tail_bytes", "bytes"),
        plain(counter::NULL_EVENTS, "null_events", "events"),
        plain(counter::MASKED, "masked", "records"),
        dropped(counter::OVERRUN_EVENTS, "overrun_events", "events"),
        dropped(counter::OVERRUN_BYTES, "overrun_bytes", "bytes"),
    ])
}
