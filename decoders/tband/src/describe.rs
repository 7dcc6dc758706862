//! The decoder's description, from the tables: kinds, groups, spaces, attachments, options.

use spytui_plugin_api::{
    Info, KeyFormat, NONE, RString, RVec, RowKind,
    clock::COUNTER_BITS,
    info::{Class, DropTotals, GroupInfo, KindInfo, Matching, SpaceInfo, space as host_space},
};

use crate::{
    command,
    config::{MAX_FRAME, MODE, MOST_FRAME, REFERENCE, RESOLUTION},
    layout::{Group, Layout, Second, Subject, TABLE, space},
};

/// The decoder's description.
pub(crate) fn info() -> Info {
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
        ..Info::default()
    }
}

fn kind(layout: &Layout) -> KindInfo {
    // The key in the first field may be its object, or its item.
    let is_own = layout.subject == Subject::First || layout.second == Second::First && !layout.is_local();
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
            .map(|field| field.space)
            .filter(|space| *space != NONE)
            .collect(),
        tag: layout.tag.into(),
        ..KindInfo::new(RowKind(layout.id.into()), layout.name, layout.group as u8)
    }
}

/// A frame without an event.
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
    [
        space(space::ISRS, "isr", "interrupts by core", Class::ISR, host_space::CORES),
        space(space::MARKERS, "marker", "event markers", Class::MARKER, NONE),
        space(space::VALUES, "value", "value markers", Class::VALUE, NONE),
        space(space::TASKS, "task", "tasks", Class::TASK, NONE),
        space(space::QUEUES, "queue", "queues, semaphores, mutexes", Class::QUEUE, NONE),
        space(space::TASK_MARKERS, "task-marker", "event markers of a task", Class::MARKER, space::TASKS),
        space(space::TASK_VALUES, "task-value", "value markers of a task", Class::VALUE, space::TASKS),
        space(space::REASONS, "reason", "what a task waits for", Class::ENUM, NONE),
        space(space::QUEUE_KINDS, "queue-kind", "kinds of queues", Class::ENUM, NONE),
    ]
    .into_iter()
    .collect()
}
