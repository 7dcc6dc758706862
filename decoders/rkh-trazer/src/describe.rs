//! The decoder's description, from the tables: kinds, groups, spaces, attachments, options.

use std::collections::HashSet;

use spytui_decoder_kit::DROPS;
use spytui_plugin_api::{
    Activity, Info, KeyFormat, NONE, RString, RVec, RowKind, TextWriter, Verb,
    clock::COUNTER_BITS,
    info::{AttachmentInfo, Class, GroupInfo, KindInfo, Matching, OptSpec, SpaceInfo, space as host_space},
    row::Severity,
};

use crate::{
    command,
    config::{CFG, RATE, REFERENCE, SPECS, SYMBOLS},
    layout::{Group, Layout, NO_FIELD, OLD, Role, TABLE, UNIT_TEST, USER, private_attachment, private_kind, space},
    text::{Context, fields},
};

/// The decoder's description.
pub(crate) fn info() -> Info {
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
        ..Info::default()
    }
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
    kinds.push(KindInfo::new(private_kind::IDLE, "idle flags", Group::Fwk as u8));
    kinds.push(KindInfo::new(private_kind::JOINED, "attached late", Group::Fwk as u8));
    kinds
}

fn kind(layout: &Layout) -> KindInfo {
    let of_config: &[&str] = if layout.role == Role::Tcfg { &fields::CONFIG } else { &[] };
    // What is missing or too much has names of its own.
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

/// Spaces of the keys among the fields of an event besides its object.
fn key_spaces(layout: &Layout) -> RVec<u16> {
    let fields = (0..layout.fields.len() as u8).filter(|field| *field != layout.obj);
    let spaces = fields.map(|field| layout.key_space(field)).filter(|space| *space != NONE);
    // What is named may belong to an object.
    spaces.chain(matches!(layout.role, Role::Name(_)).then_some(space::OBJECTS)).collect()
}

/// Types of the items of user events.
const ELEMENT_TYPES: [&str; 12] =
    ["I8", "UI8", "I16", "UI16", "I32", "UI32", "X32", "STR", "MEM", "OBJ", "FUN", "ESIG"];

/// Name of a group in the list. The reference tool prints the queues and timers by their older names.
fn group_word(group: Group) -> &'static str {
    match group {
        Group::Rq => "QUE",
        Group::Tim => "TMR",
        group => group.name(),
    }
}

fn groups() -> RVec<GroupInfo> {
    [
        (Group::Mp, "memory pools"),
        (Group::Rq, "queues"),
        (Group::Sma, "active objects"),
        (Group::Sm, "state machines"),
        (Group::Tim, "timers"),
        (Group::Fwk, "framework"),
        (Group::Usr, "user events"),
        (Group::Ut, "unit test"),
    ]
    .into_iter()
    .map(|(group, title)| GroupInfo::new(group as u8, group_word(group), title))
    .collect()
}

fn spaces() -> RVec<SpaceInfo> {
    let space = SpaceInfo::new;
    [
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
    ]
    .into_iter()
    .collect()
}

fn attachments() -> RVec<AttachmentInfo> {
    let attachment = AttachmentInfo::new;
    [
        AttachmentInfo {
            distribution: "response time, post to get".into(),
            ..attachment(private_attachment::RT, "rt", "ticks")
        },
        attachment(private_attachment::POST, "post", ""),
        attachment(private_attachment::HOST_RT, "rt", "ticks"),
    ]
    .into_iter()
    .collect()
}

fn options() -> RVec<OptSpec> {
    let settings = SPECS.iter().map(|spec| spec.option.spec());
    settings
        .chain([CFG.spec(), SYMBOLS.spec(), REFERENCE.spec(), RATE.spec(), COUNTER_BITS.spec(), DROPS.spec()])
        .collect()
}

/// Names a slice: a run-to-completion step by its signal, a user event by its own name.
pub(crate) fn label(ctx: &Context<'_, '_>, activity: &Activity, out: &mut TextWriter<'_>) {
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
