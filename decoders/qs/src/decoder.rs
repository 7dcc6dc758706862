//! Implements `Decoder`: description, options, instances, rendering.

use std::sync::Arc;

use spytui_decoder_kit::{DROPS, DropField};
use spytui_hdlc::{IDLE, frame};
use spytui_plugin_api::{
    Activity, Decoder, DecoderOptions, Dict, Info, KeyFormat, NONE, Output, RString, RVec, RowIn, RowKind, Source,
    StreamEvent, TextWriter, Verb,
    guard::Fault,
    info::{AttachmentInfo, Class, GroupInfo, Guess, KindInfo, Matching, OptSpec, SpaceInfo, space as host_space},
    render::Want,
    row::Severity,
};
use spytui_plugin_layer::{Clock, clock::COUNTER_BITS};

use crate::{
    command::{RECORD_GROUPS, commands, filters},
    config::{Config, FORM, INFO_FORM, KeyWidths, OBJECTS, RATE, REFERENCE, ReferenceForm, SIZES, Style, VERSION},
    layout::{
        self, Group, Layout, NO_FIELD, OLD, OLD_KIND, OLD_USER, QUERY, QUERY_810, RecordSubject, TABLE, USER_BASE, id,
        private_attachment, private_flag, space,
    },
    names::{DIC, DictionaryFile},
    probe,
    receive::{self, Base, Native, TargetConfig},
    record::{BlockPlans, Plan},
    reference::{self, Reference},
    text::{self, Context},
};

/// The QS decoder. An instance either receives natively or reproduces the reference host.
#[derive(Clone, Debug)]
pub struct Qs(Reading);

#[derive(Clone, Debug)]
enum Reading {
    Native(Box<Native>),
    Reference(Box<Reference>),
}

pub(crate) struct QsOptions {
    pub(crate) config: Config,
    target: TargetConfig,
    clock: Clock,
    pub(crate) dic: Option<DictionaryFile>,
    pub(crate) objects: Vec<String>,
    drops: DropField,
}

impl QsOptions {
    pub(crate) fn read(opts: &DecoderOptions<'_>) -> Result<QsOptions, Fault> {
        let mut config = Config::of_style(REFERENCE.get(opts)?);
        config.form = FORM.get(opts)?;
        let objects = OBJECTS.get(opts)?;
        if config.form != ReferenceForm::Text && config.style == Style::Native {
            return Err(Fault::new(format!("{} needs {}, as reference=qspy-7.3.4", FORM.key, REFERENCE.key)));
        }
        if config.form == ReferenceForm::Sequence && objects.is_empty() {
            return Err(Fault::new(format!("a sequence file needs its objects, as {}=a,b,?", OBJECTS.key)));
        }
        let dic = DIC.given(opts)?;
        if let Some(dic) = dic.as_ref().filter(|_| config.style == Style::Native) {
            if dic.is_empty() {
                return Err(Fault::new(format!("{}: the file has neither names nor sizes", DIC.key)));
            }
            config.sizes = dic.sizes(config.sizes);
            config.version = dic.version.unwrap_or(config.version);
            config.is_version_known = dic.version.is_some();
        }
        let version = VERSION.given(opts)?;
        config.version = version.unwrap_or(config.version);
        config.is_version_known |= version.is_some();
        let mut set = Vec::new();
        for (place, spec) in SIZES.iter().enumerate() {
            if let Some(bytes) = spec.option.given(opts)? {
                *(spec.field)(&mut config.sizes) = bytes;
                set.push(place);
            }
        }
        let sizes = config.sizes;
        config.key_widths = KeyWidths { obj: sizes.obj, fun: sizes.fun, sig: sizes.obj };
        let target = TargetConfig::new(set, version.is_some());
        Ok(QsOptions {
            config,
            target,
            clock: Clock::new(RATE.get(opts)?).with_counter(COUNTER_BITS.given(opts)?),
            dic,
            objects,
            drops: DROPS.get(opts)?,
        })
    }
}

impl Decoder for Qs {
    fn info() -> Info {
        Info {
            id: "qs".into(),
            title: "QS (QP/Spy)".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            aliases: ["qspy".into()].into_iter().collect(),
            kinds: kinds(),
            groups: groups(),
            spaces: spaces(),
            attachments: attachments(),
            options: options(),
            max_pending: 128 * 1024,
            has_checksum: true,
            sequence: "seq".into(),
            sequence_bits: 8,
            sizes_from: "target info".into(),
            commands: commands(),
            filters: filters(),
            meanings: include_str!("../meanings.txt").lines().map(Into::into).collect(),
            ..Info::default()
        }
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if let Ok(options) = QsOptions::read(opts) {
            probe::guess(sample, options.config, &options.target.sizes, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Qs, Fault> {
        let options = QsOptions::read(opts)?;
        let core = if source.core == NONE { 0 } else { source.core };
        let base = Base::new(options.config, core, options.clock);
        let dic = options.dic.map(Arc::new);
        Ok(Qs(match options.config.style {
            Style::Native => Reading::Native(Box::new(receive::begin(base, options.target, dic, options.drops))),
            _ => Reading::Reference(Box::new(Reference::new(base, dic, options.objects))),
        }))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.bytes(pos, bytes, out),
            Reading::Reference(reference) => reference.bytes(pos, bytes, out),
        }
    }

    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        match &mut self.0 {
            Reading::Native(native) => native.event(event, text, out),
            Reading::Reference(reference) => reference.event(event, out),
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: *dict };
        let mut plans = BlockPlans::new(&ctx.config, None);
        limit_lines(&ctx.config, out);
        any(&ctx, want, &mut plans, &mut Vec::new(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let config = Config::from_blob(cfg);
        limit_lines(&config, out);
        let (mut plans, mut room) = (BlockPlans::new(&config, Some(Plan::new)), Vec::new());
        let Some(first) = rows.first() else { return };
        let mut ctx = Context { config, row: first, names: *dict };
        for (i, row) in (0..).zip(rows) {
            ctx.row = row;
            ctx.names = dict.at(i);
            any(&ctx, want, &mut plans, &mut room, out);
            out.end_row();
        }
    }

    /// Names a slice: a run-to-completion step by its signal, an application record by its name.
    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: *dict };
        let name = match activity.verb {
            Verb::DISPATCH | Verb::INTERNAL | Verb::TRAN | Verb::IGNORED | Verb::GET => {
                ctx.names.name(space::SIGNALS, activity.item, activity.sub)
            }
            Verb::POST | Verb::FIRE => ctx.names.name(space::SIGNALS, activity.item, activity.obj),
            Verb::ENTER | Verb::EXIT | Verb::REST => ctx.names.name(space::FUNCTIONS, activity.item, 0),
            Verb::INSTANT => ctx.record_name(activity.sub as u8),
            _ => None,
        };
        if let Some(name) = name {
            out.put(name);
        }
    }
}

/// The host limits its lines before it colours them, and only those.
fn limit_lines(config: &Config, out: &mut TextWriter<'_>) {
    out.limit_lines(if config.form == ReferenceForm::Text { config.style.line_limit() } else { usize::MAX });
}

#[inline(always)]
fn any(ctx: &Context<'_, '_>, want: Want, plans: &mut BlockPlans, room: &mut Vec<u8>, out: &mut TextWriter<'_>) {
    let want = ctx.row.wanted(want);
    if want.contains(Want::TEXT) {
        text(ctx, plans, room, out);
    }
    if want != Want::TEXT {
        details(ctx, want, plans, room, out);
    }
}

fn text(ctx: &Context<'_, '_>, plans: &mut BlockPlans, room: &mut Vec<u8>, line: &mut TextWriter<'_>) {
    let row = ctx.row;
    match (!row.row.is_record(), ctx.native()) {
        (true, true) => text::note(row, line),
        (false, true) => text::record(ctx, plans, frame_of(row, room), line),
        (_, false) => reference::row(ctx, plans, frame_of(row, room), line),
    }
}

fn frame_of<'a>(row: &'a RowIn<'_>, room: &'a mut Vec<u8>) -> &'a [u8] {
    frame(row.raw.as_slice(), row.row.flags.intersects(private_flag::ESCAPED), room)
}

/// Renders the wanted parts of a row except for its text.
#[inline(never)]
fn details(ctx: &Context<'_, '_>, want: Want, plans: &mut BlockPlans, room: &mut Vec<u8>, out: &mut TextWriter<'_>) {
    if !ctx.row.row.is_record() {
        return;
    }
    let frame = frame_of(ctx.row, room);
    if want.contains(Want::FIELDS) {
        text::record_fields(ctx, plans, frame, out);
    }
    if want.contains(Want::PAYLOAD) {
        let end = frame.len().saturating_sub(1);
        out.payload(frame.get(2 + usize::from(ctx.config.sizes.time)..end).unwrap_or(&[]));
    }
}

fn kinds() -> RVec<KindInfo> {
    let mut kinds: RVec<KindInfo> = TABLE.iter().map(kind).collect();
    let other = [43, 44].into_iter().chain(82..u16::from(USER_BASE));
    kinds.extend(other.map(|id| reserved(RowKind(id), layout::name(id as u8, Style::Native))));
    kinds.push(on_post(crate::names::ON_POST.into(), 100));
    kinds.extend((0..5).map(|group| users(100 + group * 5, if group < 4 { 4 } else { 135 }, group, 100)));
    kinds.extend(old_kinds());
    kinds.push(KindInfo::new(IDLE, "idle flags", 0));
    kinds.push(KindInfo::new(reference::DICTIONARY, "dictionary file", 0));
    kinds
}

fn reserved(kind: RowKind, name: &str) -> KindInfo {
    KindInfo { severity: Severity::INFO, ..KindInfo::new(kind, name, 0) }
}

/// Kinds in a group of application records: `first` and the next `more`, numbered from kind `base`.
fn users(first: u16, more: u16, group: u16, base: u16) -> KindInfo {
    let kind = KindInfo::new(RowKind(first), "USER", Group::User as u8 + group as u8);
    KindInfo {
        last: RowKind(first + more),
        item_space: NONE,
        base: RowKind(base),
        // Bytes that are not an element.
        fields: ["rest".into()].into_iter().collect(),
        spaces: [space::OBJECTS, space::FUNCTIONS, space::SIGNALS, space::ENUMS].into_iter().collect(),
        ..kind
    }
}

/// The kind of an application record that has a fixed name unless the target names it.
fn on_post(kind: u16, base: u16) -> KindInfo {
    let name = format!("USER+{}", kind - base);
    KindInfo { name: name.as_str().into(), own_word: true, ..users(kind, 0, 4, base) }
}

/// Kinds of old records whose ids are reused or unused in newer versions.
fn old_kinds() -> Vec<KindInfo> {
    let wire = |kind: KindInfo| KindInfo { wire_id: kind.first.0 & 0xFF, ..kind };
    let native = OLD.iter().filter(|v| v.styles & Style::Native.bit() != 0);
    let kinds = native.filter_map(|v| {
        let own = RowKind(OLD_KIND + u16::from(v.id));
        (layout::kind_of(v.id, v.below - 1, Style::Native) == own.0).then(|| match &v.layout {
            Some(layout) => KindInfo { first: own, last: own, ..kind(layout) },
            None => reserved(own, "QS_RESERVED"),
        })
    });
    let first = OLD_USER + 70;
    let users = (0..5).map(|group| users(first + group * 10, if group < 4 { 9 } else { 145 }, group, first));
    [on_post(OLD_USER + u16::from(crate::names::ON_POST), first)]
        .into_iter()
        .chain(users)
        .chain(kinds)
        .map(wire)
        .collect()
}

/// The layouts of a record: QS_QUERY_DATA has one per kind of object.
fn layouts(layout: &Layout) -> Vec<&Layout> {
    if layout.id == id::QUERY { QUERY.iter().chain(&QUERY_810).collect() } else { vec![layout] }
}

fn field_names(layout: &Layout) -> RVec<RString> {
    let mut names: Vec<&str> = Vec::new();
    let fields = layouts(layout).into_iter().flat_map(|layout| layout.fields);
    for name in fields.map(|f| f.name).filter(|name| *name != "t") {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if layout.id == id::QUERY {
        // Bytes after the fields.
        names.push("rest");
    }
    if layout.id == id::INFO {
        names.extend(text::INFO);
        names.extend(SIZES.iter().map(|spec| spec.option.key));
        // Bytes of a record whose values don't fit.
        names.push("payload");
    }
    names.into_iter().map(RString::from).collect()
}

/// Spaces of the keys among a record's fields, except for its object.
fn key_spaces(layout: &Layout) -> RVec<u16> {
    if layout.id == id::QUERY {
        return [space::OBJECTS, space::FUNCTIONS, space::SIGNALS].into_iter().collect();
    }
    let others = (0..).zip(layout.fields).filter(|(i, _)| *i != layout.obj || layout.subject != RecordSubject::Object);
    let foreign = layout.sig != NO_FIELD && layout.scope != layout.obj;
    others.filter_map(|(_, field)| field.ty.space()).chain(foreign.then_some(space::OBJECTS)).collect()
}

fn kind(layout: &Layout) -> KindInfo {
    let query = (layout.id == id::QUERY).then_some(RecordSubject::Object);
    KindInfo {
        severity: layout.severity,
        obj_space: match query.unwrap_or(layout.subject) {
            RecordSubject::None => NONE,
            RecordSubject::Object => space::OBJECTS,
            RecordSubject::Task => space::TASKS,
            RecordSubject::Isr => space::ISRS,
        },
        item_space: if layout.fields.iter().any(|f| f.name == "sig") { space::SIGNALS } else { NONE },
        fields: field_names(layout),
        spaces: key_spaces(layout),
        tag: layout.tag.into(),
        // The kind word of time events contains the tick rate, which varies by record.
        own_word: layout.tag.starts_with("TE-"),
        ..KindInfo::new(RowKind(layout.id.into()), layout.name, layout.group as u8)
    }
}

fn groups() -> RVec<GroupInfo> {
    let filtered = (Group::Sm as u8..=Group::Mtx as u8).zip(RECORD_GROUPS);
    let rest = [
        (Group::Info, "TI", "target info"),
        (Group::Dict, "DI", "dictionaries"),
        (Group::Answer, "RX", "answers to commands"),
        (Group::Test, "UT", "unit test"),
    ];
    let users = (Group::User as u8..).zip(["U0", "U1", "U2", "U3", "U4"]);
    std::iter::once(GroupInfo::new(Group::Other as u8, "--", "other"))
        .chain(filtered.map(|(id, (name, title, ..))| GroupInfo::new(id, name, title)))
        .chain(rest.map(|(group, name, title)| GroupInfo::new(group as u8, name, title)))
        .chain(users.map(|(id, name)| GroupInfo::new(id, name, "application records")))
        .collect()
}

fn spaces() -> RVec<SpaceInfo> {
    let space = SpaceInfo::new;
    RVec::from(vec![
        SpaceInfo { short: "AO(l_*)".into(), ..space(space::OBJECTS, "obj", "objects", Class::OBJECT, KeyFormat::HEX) },
        space(space::FUNCTIONS, "fun", "states and functions", Class::STATE, KeyFormat::HEX),
        SpaceInfo {
            scope_space: space::OBJECTS,
            matching: Matching::OR_ANY,
            ..space(space::SIGNALS, "sig", "signals", Class::SIGNAL, KeyFormat::DECIMAL)
        },
        space(space::ENUMS, "enum", "enumerations", Class::ENUM, KeyFormat::DECIMAL),
        space(space::TASKS, "task", "tasks by priority", Class::TASK, KeyFormat::PRIORITY),
        space(space::ISRS, "isr", "interrupts by priority", Class::ISR, KeyFormat::DECIMAL),
        space(space::POOLS, "pool", "event pools by number", Class::POOL, KeyFormat::DECIMAL),
        space(space::RATES, "rate", "clock rates", Class::TIMER, KeyFormat::DECIMAL),
        space(host_space::KINDS, "rec", "application records", Class::MARKER, KeyFormat::DECIMAL),
    ])
}

fn attachments() -> RVec<AttachmentInfo> {
    let attachment = AttachmentInfo::new;
    let waited = AttachmentInfo {
        distribution: "waited, post to get".into(),
        ..attachment(private_attachment::RT, "rt", "ticks")
    };
    let [shown, stale, lanes] = [
        (private_attachment::SHOWN, "shown"),
        (private_attachment::STALE, "stale"),
        (private_attachment::LANES, "lanes"),
    ]
    .map(|(id, name)| attachment(id, name, ""));
    [shown, waited, stale, lanes].into_iter().collect()
}

fn options() -> RVec<OptSpec> {
    let sizes = SIZES.iter().map(|spec| spec.option.spec());
    std::iter::once(VERSION.spec())
        .chain(sizes)
        .chain([
            REFERENCE.spec(),
            FORM.spec(),
            OBJECTS.spec(),
            DIC.spec(),
            RATE.spec(),
            COUNTER_BITS.spec(),
            DROPS.spec(),
            INFO_FORM.spec(),
        ])
        .collect()
}
