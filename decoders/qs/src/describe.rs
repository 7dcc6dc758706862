//! What the decoder tells about itself: kinds, groups, spaces, extras, options. All of it from the tables.

use spytui_plugin_api::{
    Act, Info, NONE, RString, RVec, Text, Verb,
    info::{
        ExtraInfo, GroupInfo, KindInfo, More, OptSpec, RefInfo, SpaceInfo, class, matching, opt_type, pairs,
        space as host_space,
    },
    render::label,
    row::severity,
};

use crate::{
    config::SIZES,
    layout::{Group, Layout, Subject, TABLE},
    names::space,
    receive::{own_extra, own_kind, severity_of},
    text::names::{Context, Names},
};

/// The decoder's description.
pub(crate) fn info() -> Info {
    Info {
        id: "qs".into(),
        title: "QS (QP/Spy)".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        aliases: ["qspy".into()].into_iter().collect(),
        kinds: kinds(),
        groups: groups(),
        spaces: spaces(),
        extras: extras(),
        options: options(),
        references: references(),
        max_pending: 128 * 1024,
        more: pairs(&[("check", "checksum"), ("sizes-from", "target info")]),
        ..Info::default()
    }
}

fn kinds() -> RVec<KindInfo> {
    let mut kinds: RVec<KindInfo> = TABLE.iter().map(kind).collect();
    kinds.push(KindInfo { last: 44, severity: severity::INFO, ..KindInfo::new(43, "QS_RESERVED", 0) });
    kinds.push(KindInfo { last: 99, severity: severity::INFO, ..KindInfo::new(82, "QS_RESERVED", 0) });
    for (first, last, group) in [(100, 104, 0), (105, 109, 1), (110, 114, 2), (115, 119, 3), (120, 255, 4)] {
        let user = KindInfo::new(first, "USER", Group::User as u8 + group);
        kinds.push(KindInfo { last, aux_space: NONE, ..user });
    }
    kinds.push(KindInfo::new(own_kind::IDLE, "idle flags", 0));
    kinds.push(KindInfo { severity: severity::WARNING, ..KindInfo::new(own_kind::LATE, "late frame", 0) });
    kinds
}

fn kind(layout: &Layout) -> KindInfo {
    let fields = layout.fields.iter().map(|f| RString::from(f.name)).filter(|n| n != "t");
    KindInfo {
        severity: severity_of(layout.id),
        obj_space: match layout.subject {
            Subject::None => NONE,
            Subject::Object => space::OBJECTS,
            Subject::Task => space::TASKS,
            Subject::Isr => space::ISRS,
        },
        aux_space: if layout.fields.iter().any(|f| f.name == "sig") { space::SIGNALS } else { NONE },
        fields: fields.collect(),
        more: kind_pairs(layout.tag),
        ..KindInfo::new(layout.id.into(), layout.name, layout.group as u8)
    }
}

fn groups() -> RVec<GroupInfo> {
    let named = [
        (Group::Other as u8, "--", "other"),
        (Group::Sm as u8, "SM", "state machines"),
        (Group::Ao as u8, "AO", "active objects"),
        (Group::Eq as u8, "EQ", "raw queues"),
        (Group::Mp as u8, "MP", "memory pools"),
        (Group::Qf as u8, "QF", "framework"),
        (Group::Te as u8, "TE", "time events"),
        (Group::Sc as u8, "SC", "scheduler"),
        (Group::Sem as u8, "SEM", "semaphores"),
        (Group::Mtx as u8, "MTX", "mutexes"),
        (Group::Info as u8, "TI", "target info"),
        (Group::Dict as u8, "DI", "dictionaries"),
        (Group::Answer as u8, "RX", "answers to commands"),
        (Group::Test as u8, "UT", "unit test"),
    ];
    let users = ["U0", "U1", "U2", "U3", "U4"];
    let user = |(i, name): (u8, &&str)| group(Group::User as u8 + i, name, "application records");
    let named = named.iter().map(|(id, name, title)| group(*id, name, title));
    named.chain((0..).zip(&users).map(user)).collect()
}

fn group(id: u8, name: &str, title: &str) -> GroupInfo {
    GroupInfo { id, name: name.into(), title: title.into(), more: RVec::new() }
}

fn spaces() -> RVec<SpaceInfo> {
    let space = |id, name: &str, title: &str, class, key_format| SpaceInfo {
        id,
        name: name.into(),
        title: title.into(),
        class,
        key_format,
        key_bytes: 0,
        scope_space: NONE,
        matching: matching::EXACT,
        more: RVec::new(),
    };
    [
        SpaceInfo { more: pairs(&[("short", "AO(l_*)")]), ..space(space::OBJECTS, "obj", "objects", class::OBJECT, 0) },
        space(space::FUNCTIONS, "fun", "states and functions", class::STATE, 0),
        SpaceInfo {
            scope_space: space::OBJECTS,
            matching: matching::OR_ANY,
            ..space(space::SIGNALS, "sig", "signals", class::SIGNAL, 1)
        },
        space(space::ENUMS, "enum", "enumerations", class::ENUM, 1),
        space(space::TASKS, "task", "tasks by priority", class::TASK, 1),
        space(space::ISRS, "isr", "interrupts by priority", class::ISR, 1),
        space(space::POOLS, "pool", "event pools by number", class::POOL, 1),
        space(space::RATES, "rate", "clock rates", class::TIMER, 1),
        space(host_space::KINDS, "rec", "application records", class::MARKER, 1),
    ]
    .into_iter()
    .collect()
}

fn extras() -> RVec<ExtraInfo> {
    let extra = |id, name: &str, unit: &str| ExtraInfo {
        id,
        name: name.into(),
        unit: unit.into(),
        space: NONE,
        more: RVec::<More>::new(),
    };
    [
        extra(own_extra::DAMAGED, "damaged", "frames"),
        extra(own_extra::SPAN, "span", "ticks"),
        extra(own_extra::SHOWN, "shown", ""),
    ]
    .into_iter()
    .collect()
}

fn options() -> RVec<OptSpec> {
    let option = |key: &str, help: &str, ty| OptSpec {
        key: key.into(),
        help: help.into(),
        ty,
        min: 0,
        max: 0,
        choices: RVec::new(),
        default: RString::new(),
        more: RVec::new(),
    };
    let version = option("version", "QP version until the target tells it, as 7.3 or 734; unset: 7.3", opt_type::TEXT);
    let sizes = SIZES.iter().map(|spec| {
        let legal = [1u8, 2, 4, 8].into_iter().filter(|b| spec.legal(*b));
        OptSpec {
            max: if spec.pointer { 8 } else { 4 },
            min: 1,
            choices: legal.map(|b| b.to_string().into()).collect(),
            default: spec.get(crate::config::Sizes::default()).to_string().into(),
            ..option(spec.key, spec.help, opt_type::INT)
        }
    });
    let reference = OptSpec {
        choices: references().iter().map(|r| r.id.clone()).collect(),
        ..option("reference", "read and write exactly as this host does; unset: our own way", opt_type::CHOICE)
    };
    let dic = option("dic", "dictionary file of the reference host with names and sizes", opt_type::FILE);
    let rate = OptSpec {
        max: i64::MAX,
        default: "0".into(),
        ..option("ticks-per-second", "rate of the time stamps; QS does not send it, 0 = unknown", opt_type::INT)
    };
    std::iter::once(version).chain(sizes).chain([reference, dic, rate]).collect()
}

fn references() -> RVec<RefInfo> {
    [("qspy-7.3.4", "reference host 7.3.4"), ("qspy-8.1.3", "parser of the 8.1.3 host")]
        .map(|(id, title)| RefInfo { id: id.into(), title: title.into(), more: RVec::new() })
        .into_iter()
        .collect()
}

/// Names a slice: a run-to-completion step by its signal, an application record by its own name.
pub(crate) fn label<N: Names>(ctx: &Context<'_, N>, act: &Act, what: u16, out: &mut Text<'_>) {
    if what != label::SLICE {
        return;
    }
    let name = match act.verb {
        Verb::DISPATCH | Verb::INTERNAL | Verb::TRAN | Verb::IGNORED | Verb::POST | Verb::GET | Verb::FIRE => {
            let scope = if act.verb == Verb::POST || act.verb == Verb::FIRE { act.obj } else { act.sub };
            ctx.names.name(space::SIGNALS, act.item, scope)
        }
        Verb::ENTER | Verb::EXIT | Verb::REST => ctx.names.name(space::FUNCTIONS, act.item, 0),
        Verb::INSTANT => u8::try_from(act.sub).ok().and_then(|id| ctx.record_name(id)),
        _ => None,
    };
    if let Some(name) = name {
        out.push(name);
    }
}

/// The kind word of time events holds the tick rate, which only the record knows.
fn kind_pairs(tag: &str) -> RVec<More> {
    if tag.starts_with("TE-") { pairs(&[("tag", tag), ("word", "own")]) } else { pairs(&[("tag", tag)]) }
}
