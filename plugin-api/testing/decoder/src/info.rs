//! The decoder's description.

use spytui_plugin_api::{
    AttachmentId, CounterId, Info, KeyFormat, NONE, RVec, RowKind,
    info::{AttachmentInfo, Class, CounterInfo, GroupInfo, KindInfo, Opt, Order, SpaceInfo, space},
};

use crate::counts::{LINE_ERRORS, PARTS};

/// Space of the objects.
pub const OBJECTS: u16 = space::OWN;
/// Space of the tracks.
pub const TRACKS: u16 = space::OWN + 1;
/// Attachment: ticks since the last time stamp of the core.
pub const SINCE: AttachmentId = AttachmentId(64);

/// Option: number of digits in a key.
pub const WIDTH: Opt<u8> = Opt::int("width", 1..=16, "digits of a key");
/// Option: a file of names.
pub const NAMES: Opt<Vec<u8>> = Opt::file("names", |file| Ok(file.to_vec()), "file of lines `key name`");
/// Option: write the text of the reference tool.
pub const REFERENCE: Opt<bool> = Opt::choice("reference", &[("toy-1", true)], "text as the reference tool writes it");

/// Kinds of records.
pub mod kind {
    use spytui_plugin_api::RowKind;

    /// Level of an object.
    pub const STATE: RowKind = RowKind(1);
    /// A name.
    pub const NAME: RowKind = RowKind(2);
    /// Removes a name.
    pub const FORGET: RowKind = RowKind(3);
    /// A record in pieces.
    pub const BLOB: RowKind = RowKind(4);
    /// Several objects in one frame.
    pub const SEVERAL: RowKind = RowKind(5);
    /// Answer to a command.
    pub const ANSWER: RowKind = RowKind(6);
    /// Application record.
    pub const LOG: RowKind = RowKind(7);
    /// Resolution of the clock.
    pub const CLOCK: RowKind = RowKind(8);
    /// A span begins or ends.
    pub const SPAN: RowKind = RowKind(9);
    /// The target starts.
    pub const RESET: RowKind = RowKind(10);
    /// Unknown records, plus their letter.
    pub const UNKNOWN: RowKind = RowKind(0x100);
}

/// Id, tag, name.
const GROUPS: [(u8, &str, &str); 4] =
    [(1, "levels", "levels"), (2, "names", "names"), (3, "DAT", "data"), (4, "target", "target")];

/// The group of a kind.
pub fn group_of(of: RowKind) -> u8 {
    match of {
        kind::STATE | kind::SEVERAL | kind::SPAN => 1,
        kind::NAME | kind::FORGET | kind::CLOCK => 2,
        kind::BLOB | kind::LOG => 3,
        _ => 4,
    }
}

/// The description.
pub fn info() -> Info {
    Info {
        id: "toy".into(),
        title: "Test protocol".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        aliases: ["toy-lines".into()].into_iter().collect(),
        kinds: kinds(),
        groups: GROUPS.iter().map(group).collect(),
        spaces: [in_space(OBJECTS, "object", Class::OBJECT), in_space(TRACKS, "track", Class::MARKER)]
            .into_iter()
            .collect(),
        attachments: [AttachmentInfo::new(SINCE, "since", "ticks")].into_iter().collect(),
        counters: [(PARTS, "parts"), (LINE_ERRORS, "line-errors")].into_iter().map(counter).collect(),
        options: [WIDTH.spec(), NAMES.spec(), REFERENCE.spec()].into_iter().collect(),
        order: Order::WITHIN_CORE,
        max_pending: 4096,
        has_cores: true,
        has_checksum: true,
        sequence: "seq".into(),
        sequence_bits: 4,
        ..Info::default()
    }
}

fn group(&(id, tag, name): &(u8, &str, &str)) -> GroupInfo {
    GroupInfo { tag: tag.into(), ..GroupInfo::new(id, name, name) }
}

fn kinds() -> RVec<KindInfo> {
    let one = |k, name: &str, tag: &str, obj_space, item_space, fields: &[&str]| KindInfo {
        obj_space,
        item_space,
        // Every kind may have an object.
        fields: fields.iter().chain(&["object"]).map(|f| (*f).into()).collect(),
        spaces: [OBJECTS, TRACKS].into_iter().collect(),
        tag: tag.into(),
        ..KindInfo::new(k, name, group_of(k))
    };
    let mut kinds = vec![
        one(kind::STATE, "STATE", "state", OBJECTS, NONE, &["ticks", "level", "since"]),
        one(kind::NAME, "NAME", "name", OBJECTS, NONE, &["key", "name"]),
        one(kind::FORGET, "FORGET", "forget", NONE, NONE, &[]),
        one(kind::BLOB, "BLOB", "blob", NONE, NONE, &["size", "data", "parts"]),
        one(kind::SEVERAL, "SEVERAL", "several", OBJECTS, NONE, &[]),
        one(kind::ANSWER, "ANSWER", "answer", NONE, NONE, &["stage", "token", "status"]),
        one(kind::LOG, "LOG", "log", NONE, NONE, &["code", "data"]),
        one(kind::CLOCK, "CLOCK", "clock", NONE, NONE, &["num", "den"]),
        one(kind::SPAN, "SPAN", "span", NONE, TRACKS, &["track"]),
        one(kind::RESET, "RESET", "reset", NONE, NONE, &[]),
    ];
    kinds
        .push(KindInfo { last: RowKind(kind::UNKNOWN.0 + 255), ..one(kind::UNKNOWN, "UNKNOWN", "?", NONE, NONE, &[]) });
    kinds.into()
}

fn in_space(id: u16, name: &str, class: Class) -> SpaceInfo {
    SpaceInfo::new(id, name, name, class, KeyFormat::HEX)
}

fn counter((id, name): (CounterId, &str)) -> CounterInfo {
    CounterInfo::new(id, name, "")
}
