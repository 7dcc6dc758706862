//! Implements `Decoder`: description, options, instances, rendering.

use std::{collections::HashSet, sync::Arc};

use spytui_decoder_kit::{DROPS, DropField};
use spytui_hdlc::{IDLE, body, frame};
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
    command,
    config::{CFG, CfgFile, Config, RATE, REFERENCE, SPECS, SYMBOLS, Settings, TextStyle, bit},
    layout::{
        Group, Layout, NO_FIELD, OLD, Role, TABLE, UNIT_TEST, USER, private_attachment, private_flag, private_kind,
        space,
    },
    names::Symbols,
    probe,
    receive::{self, Native, ReceiverBase, TargetSettings, read_symbols},
    record::{BlockPlans, Plan, RecordFrame},
    reference::{self, Reference},
    text::{self, Context},
};

/// The RKH decoder. An instance either receives natively or reproduces the reference host.
#[derive(Clone, Debug)]
pub struct Rkh(Reading);

#[derive(Clone, Debug)]
enum Reading {
    Native(Box<Native>),
    Reference(Box<Reference>),
}

struct Options {
    style: TextStyle,
    settings: Settings,
    /// Settings from options or the configuration file, as bits.
    given: u16,
    rate: Option<u64>,
    symbols: Option<Arc<Symbols>>,
    counter_bits: Option<u32>,
    drops: DropField,
}

impl Options {
    fn read(opts: &DecoderOptions<'_>) -> Result<Options, Fault> {
        let style = REFERENCE.get(opts)?;
        let CfgFile { mut settings, mut given } = CFG.get(opts)?;
        for spec in &SPECS {
            if let Some(value) = spec.option.given(opts)? {
                settings.set(spec.key, value);
                given |= bit(spec.key);
            }
        }
        let rate = RATE.given(opts)?.filter(|rate| *rate > 0);
        let symbols = SYMBOLS.given(opts)?.map(|stream| Arc::new(read_symbols(&stream, settings, given)));
        let counter_bits = COUNTER_BITS.given(opts)?;
        Ok(Options { style, settings, given, rate, symbols, counter_bits, drops: DROPS.get(opts)? })
    }
}

impl Decoder for Rkh {
    fn info() -> Info {
        Info {
            id: "rkh".into(),
            title: "RKH (Trazer)".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            aliases: ["trazer".into()].into_iter().collect(),
            kinds: kinds(),
            groups: groups(),
            spaces: spaces(),
            attachments: attachments(),
            options: options(),
            max_pending: 128 * 1024,
            has_checksum: true,
            sequence: "nseq".into(),
            sequence_bits: 8,
            sizes_from: "TCFG".into(),
            kind_width: 10,
            element_types: ELEMENT_TYPES.map(Into::into).into_iter().collect(),
            commands: command::commands(),
            filters: command::filters(),
            reports_step_end: true,
            meanings: include_str!("../meanings.txt").lines().map(Into::into).collect(),
            ..Info::default()
        }
    }

    fn probe(sample: &[u8], opts: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        if let Ok(options) = Options::read(opts) {
            probe::guess(sample, options.settings, options.given, out);
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Rkh, Fault> {
        let options = Options::read(opts)?;
        let core = if source.core == NONE { 0 } else { source.core };
        let clock = Clock::new(options.rate.unwrap_or(0)).with_counter(options.counter_bits);
        let base = ReceiverBase::new(options.settings, options.style, core, clock);
        let rate = options.rate.is_some();
        Ok(Rkh(match options.style {
            TextStyle::Native => {
                let target = TargetSettings::new(options.given, rate);
                Reading::Native(Box::new(receive::begin(base, target, options.symbols, options.drops)))
            }
            TextStyle::Trazer32 => {
                Reading::Reference(Box::new(reference::begin(base, options.given, rate, options.symbols)))
            }
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
            Reading::Reference(reference) => reference.event(event, text, out),
        }
    }

    fn render(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        any(&ctx, &mut BlockPlans::new(&ctx.config, None), want, &mut Vec::new(), out);
    }

    fn render_rows(cfg: &[u8], rows: &[RowIn<'_>], dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let (config, mut room) = (Config::from_blob(cfg), Vec::new());
        let mut plans = BlockPlans::new(&config, (rows.len() > 1).then_some(Plan::new));
        for (i, row) in (0..).zip(rows) {
            any(&Context { config, row, names: &dict.at(i) }, &mut plans, want, &mut room, out);
            out.end_row();
        }
    }

    /// Names a slice: a run-to-completion step by its signal, a user event by its name.
    fn label(cfg: &[u8], row: &RowIn<'_>, activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
        let ctx = Context { config: Config::from_blob(cfg), row, names: dict };
        let name = match activity.verb {
            Verb::DISPATCH | Verb::UNHANDLED | Verb::POST | Verb::GET | Verb::FIRE | Verb::DEFER | Verb::RECALL => {
                ctx.names.name(space::SIGNALS, activity.item, 0)
            }
            Verb::ENTER | Verb::EXIT | Verb::REST | Verb::INIT => {
                ctx.names.name(space::STATES, activity.item, activity.sub)
            }
            Verb::TRAN => ctx.names.name(space::STATES, activity.second, activity.sub),
            Verb::ACTION => ctx.names.name(space::FUNCTIONS, activity.item, 0),
            Verb::INSTANT => u8::try_from(activity.sub).ok().and_then(|id| ctx.user(id)),
            _ => None,
        };
        if let Some(name) = name {
            out.put(name);
        }
    }
}

#[inline]
fn any(ctx: &Context<'_, '_>, plans: &mut BlockPlans, want: Want, room: &mut Vec<u8>, out: &mut TextWriter<'_>) {
    if !ctx.row.row.is_record() {
        return note(ctx, want, out);
    }
    let want = ctx.row.wanted(want);
    let bytes = frame_of(ctx.row, room);
    let plan = bytes.first().and_then(|id| plans.of(*id));
    let frame = RecordFrame::read(&ctx.config, plan, bytes);
    if let Some(frame) = frame.as_ref().filter(|_| want.contains(Want::TEXT)) {
        match ctx.native() {
            true => text::record(ctx, frame, out),
            false => reference::record(ctx, frame, out),
        }
    }
    if want != Want::TEXT {
        details(ctx, frame.as_ref(), want, out);
    }
}

fn note(ctx: &Context<'_, '_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::TEXT) {
        match ctx.native() {
            true => text::note(ctx.row, out),
            false => reference::note(ctx.row, out),
        }
    }
}

/// Renders the wanted parts of a record except for its text.
#[inline(never)]
fn details(ctx: &Context<'_, '_>, frame: Option<&RecordFrame<'_>>, want: Want, out: &mut TextWriter<'_>) {
    if let Some(frame) = frame.filter(|_| want.contains(Want::FIELDS)) {
        text::record_fields(ctx, frame, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(frame.map_or(&[], |frame| frame.args(&ctx.config)));
    }
}

#[inline]
fn frame_of<'a>(row: &'a RowIn<'_>, room: &'a mut Vec<u8>) -> &'a [u8] {
    let flags = row.row.flags;
    let mut raw = row.raw.as_slice();
    if flags.intersects(private_flag::FUSED) {
        // Its flag arrived as 0.
        raw = raw.strip_suffix(&[0]).unwrap_or(raw);
    }
    if flags.intersects(private_flag::ESCAPED) { frame(raw, true, room) } else { body(raw) }
}

fn kinds() -> RVec<KindInfo> {
    let old = OLD.iter().filter_map(|o| o.layout.as_ref()).filter(|l| l.kind.0 != u16::from(l.id));
    let mut kinds: RVec<KindInfo> = TABLE.iter().chain(old).map(kind).collect();
    let known: HashSet<RowKind> = kinds.iter().map(|k| k.first).collect();
    for id in 0..=u8::MAX {
        let kind = RowKind(id.into());
        if (USER..UNIT_TEST).contains(&id) {
            let user = KindInfo::new(kind, &format!("USR.{}", id - USER), Group::Usr as u8);
            let fields = ["rest".into()].into_iter().collect();
            let spaces = [space::OBJECTS, space::FUNCTIONS, space::SIGNALS].into_iter().collect();
            kinds.push(KindInfo { tag: format!("USR+{}", id - USER).into(), fields, spaces, ..user });
        } else if !known.contains(&kind) {
            let unknown = KindInfo::new(kind, "unknown", id >> 5);
            let fields = ["args".into()].into_iter().collect();
            kinds.push(KindInfo { severity: Severity::WARNING, fields, ..unknown });
        }
    }
    kinds.push(KindInfo::new(IDLE, "idle flags", Group::Fwk as u8));
    kinds.push(KindInfo::new(private_kind::JOINED, "attached late", Group::Fwk as u8));
    kinds
}

fn kind(layout: &Layout) -> KindInfo {
    let of_config: &[&str] = if layout.role == Role::Tcfg { &text::CONFIG } else { &[] };
    // Missing or surplus bytes are separate fields.
    let names = layout.fields.iter().map(|f| f.name).chain(["rest", "extra"]).chain(of_config.iter().copied());
    KindInfo {
        severity: layout.severity,
        obj_space: if layout.obj == NO_FIELD { NONE } else { space::OBJECTS },
        item_space: if layout.sig == NO_FIELD { NONE } else { space::SIGNALS },
        fields: names.map(RString::from).collect(),
        spaces: key_spaces(layout),
        tag: layout.name.into(),
        wire_id: layout.id.into(),
        ..KindInfo::new(layout.kind, &layout.full_name(), layout.group as u8)
    }
}

/// Spaces of the keys among an event's fields, except for its object.
fn key_spaces(layout: &Layout) -> RVec<u16> {
    let fields = (0..layout.fields.len() as u8).filter(|field| *field != layout.obj);
    let spaces = fields.map(|field| layout.key_space(field)).filter(|space| *space != NONE);
    // The named entity may belong to an object.
    spaces.chain(matches!(layout.role, Role::Name(_)).then_some(space::OBJECTS)).collect()
}

const ELEMENT_TYPES: [&str; 12] =
    ["I8", "UI8", "I16", "UI16", "I32", "UI32", "X32", "STR", "MEM", "OBJ", "FUN", "ESIG"];

fn groups() -> RVec<GroupInfo> {
    let named = (Group::Mp as u8..=Group::Ut as u8).zip(command::GROUPS);
    named.map(|(group, (name, title, ..))| GroupInfo::new(group, name, title)).collect()
}

fn spaces() -> RVec<SpaceInfo> {
    let space = SpaceInfo::new;
    RVec::from(vec![
        space(space::OBJECTS, "obj", "objects", Class::OBJECT, KeyFormat::HEX),
        SpaceInfo {
            scope_space: space::OBJECTS,
            matching: Matching::OR_ANY,
            ..space(space::STATES, "state", "states", Class::STATE, KeyFormat::HEX)
        },
        space(space::FUNCTIONS, "fun", "functions", Class::FUNCTION, KeyFormat::HEX),
        space(space::SIGNALS, "sig", "signals", Class::SIGNAL, KeyFormat::DECIMAL),
        space(space::POOLS, "pool", "event pools by number", Class::POOL, KeyFormat::DECIMAL),
        space(host_space::KINDS, "usr", "user events", Class::MARKER, KeyFormat::DECIMAL),
    ])
}

fn attachments() -> RVec<AttachmentInfo> {
    let attachment = AttachmentInfo::new;
    RVec::from(vec![
        AttachmentInfo {
            distribution: "waited, post to get".into(),
            ..attachment(private_attachment::RT, "rt", "ticks")
        },
        attachment(private_attachment::POST, "post", ""),
        attachment(private_attachment::HOST_RT, "rt", "ticks"),
    ])
}

fn options() -> RVec<OptSpec> {
    let settings = SPECS.iter().map(|spec| spec.option.spec());
    settings
        .chain([CFG.spec(), SYMBOLS.spec(), REFERENCE.spec(), RATE.spec(), COUNTER_BITS.spec(), DROPS.spec()])
        .collect()
}
