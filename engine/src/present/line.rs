//! The columns of one row, as the list and the native text show them.

use spytui_plugin_api::{
    NONE, Row,
    info::{Info, more, space as host_space},
    render::Lookup,
    row::{flag, note, severity},
};

use super::{
    clock::Clock,
    sanitise::sanitise,
    word::{group_name, key_word, kind_tag, object_space},
};
use crate::store::Span;

/// What a row is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A record.
    Record,
    /// Something is missing or damaged.
    Loss,
    /// Reset, link, command.
    Event,
    /// Printed by the target between frames.
    Console,
    /// Any other note.
    Note,
}

impl Role {
    /// The role of a row.
    #[must_use]
    pub fn of(row: &Row) -> Role {
        match row.kind {
            note::CONSOLE => Role::Console,
            kind if note::is_loss(kind) => Role::Loss,
            note::LINK | note::COMMAND | note::ANSWER | note::RESET | note::RESTART => Role::Event,
            _ if row.has(flag::EPOCH) => Role::Event,
            kind if kind >= note::FIRST => Role::Note,
            _ => Role::Record,
        }
    }
}

/// One row in columns; all text is safe for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What the row is.
    pub role: Role,
    /// Its severity.
    pub severity: u8,
    /// Target time; empty where the row has no stamp of its own.
    pub time: String,
    /// Distance to the stamped row before.
    pub delta: String,
    /// Lane, where the protocol has lanes.
    pub lane: String,
    /// Group.
    pub group: String,
    /// Place in a span.
    pub span: Span,
    /// Uncertain since a loss.
    pub unsure: bool,
    /// Kind word.
    pub kind: String,
    /// Object.
    pub object: String,
    /// The rest.
    pub what: String,
}

/// What a line is made from, beside the row.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The decoder.
    pub info: &'a Info,
    /// The clock.
    pub clock: Clock,
    /// Time of the stamped row before.
    pub before: Option<u64>,
    /// Place in a span, and whether that is uncertain.
    pub span: (Span, bool),
    /// Rows are of different lanes.
    pub lanes: bool,
}

/// Whether the protocol has lanes.
#[must_use]
pub fn has_lanes(info: &Info) -> bool {
    more(&info.more, "lanes").is_some()
}

impl Line {
    /// The line of a row whose rendered native text is `text`; `at` = its index in the block that `names` looks up.
    #[must_use]
    pub fn new(around: &Around<'_>, row: &Row, text: &[u8], names: &impl Lookup, at: u32) -> Line {
        let info = around.info;
        let role = Role::of(row);
        let (word, what) = split_word(text);
        let stamped = row.has(flag::TIME_OWN | flag::TIME_KNOWN);
        let kind = match word {
            Some(word) => sanitise(word),
            None => kind_tag(info, row, names, at),
        };
        Line {
            role,
            severity: row.severity,
            time: if stamped { around.clock.time_text(row.time) } else { String::new() },
            delta: match around.before {
                Some(before) if stamped => around.clock.delta_text(before, row.time),
                _ => String::new(),
            },
            lane: if around.lanes && row.lane != NONE { row.lane.to_string() } else { String::new() },
            group: group_name(info, row.group).to_owned(),
            span: around.span.0,
            unsure: around.span.1,
            kind,
            object: object_of(info, row, names, at),
            what: sanitise(what),
        }
    }

    /// Kind, object and the rest in one text, without time: what a search looks at.
    #[must_use]
    pub fn text(&self) -> String {
        let parts = [self.group.as_str(), &self.kind, &self.object, &self.what];
        let parts: Vec<&str> = match self.role {
            Role::Record => parts.into_iter().filter(|p| !p.is_empty()).collect(),
            _ => vec![self.what.as_str()],
        };
        parts.join(" ")
    }

    /// Whether the first column warns.
    #[must_use]
    pub fn warns(&self) -> bool {
        self.severity >= severity::WARNING
    }
}

fn split_word(text: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match memchr::memchr(b'\t', text) {
        Some(tab) => (Some(&text[..tab]), &text[tab + 1..]),
        None => (None, text),
    }
}

/// Name of a row's object, or its key; empty where the row has none.
#[must_use]
pub fn object_of(info: &Info, row: &Row, names: &impl Lookup, at: u32) -> String {
    let space = object_space(info, row);
    if space == NONE || !row.has(flag::HAS_OBJ) {
        return String::new();
    }
    let spec = info.space(space);
    let of_lane = spec.is_some_and(|s| s.scope_space == host_space::LANES);
    match names.get(at, space, row.obj, if of_lane { row.lane.into() } else { 0 }) {
        Some(name) => sanitise(name),
        None => key_word(spec, row.obj),
    }
}

/// Widths of the columns; they never change while scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widths {
    /// Time; 0 = the column is not shown, as for the others.
    pub time: usize,
    /// Distance.
    pub delta: usize,
    /// Lane.
    pub lane: usize,
    /// Group.
    pub group: usize,
    /// Gutter of spans, 0 or 1.
    pub gutter: usize,
    /// Kind.
    pub kind: usize,
    /// Object.
    pub object: usize,
}

impl Widths {
    /// For a list `columns` wide, with a column for lanes or without; a decoder's own widths are in its `more`
    /// (`kind-width`, `object-width`).
    #[must_use]
    pub fn new(info: &Info, clock: Clock, columns: usize, lanes: bool) -> Widths {
        let own = |key: &str, usual: usize| more(&info.more, key).and_then(|v| v.parse().ok()).unwrap_or(usual);
        let widest = info.groups.iter().map(|g| g.name.chars().count()).max().unwrap_or(2);
        let object = own("object-width", 9);
        let shown = |from: usize, width: usize| if columns >= from { width } else { 0 };
        Widths {
            time: clock.width(),
            delta: shown(72, 7),
            lane: if lanes { shown(50, 2) } else { 0 },
            group: shown(64, widest.clamp(2, 4)),
            gutter: shown(56, 1),
            kind: own("kind-width", 8),
            object: if columns >= 120 { object + 8 } else { object + columns.saturating_sub(100).min(8) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{
        info::{KindInfo, SpaceInfo, pairs},
        render::NoNames,
    };

    fn info() -> Info {
        let mut tran = KindInfo::new(6, "QS_QEP_TRAN", 1);
        tran.more = pairs(&[("tag", "Tran")]);
        Info { kinds: vec![tran].into(), ..Info::default() }
    }

    fn line(row: &Row, text: &[u8], before: Option<u64>) -> Line {
        let info = info();
        let around = Around { info: &info, clock: Clock::default(), before, span: (Span::None, false), lanes: false };
        Line::new(&around, row, text, &NoNames, 0)
    }

    #[test]
    fn a_record_without_a_stamp_has_a_blank_time() {
        let line = line(&Row { kind: 6, time: 77, flags: flag::TIME_KNOWN, ..Row::default() }, b"A \x1b B", Some(7));
        assert_eq!((line.time.as_str(), line.delta.as_str(), line.kind.as_str()), ("", "", "Tran"));
        assert_eq!(line.what, "A \\x1b B");
    }

    #[test]
    fn the_record_may_choose_its_kind_word() {
        let row = Row { kind: 6, time: 77, flags: flag::TIME_KNOWN | flag::TIME_OWN, ..Row::default() };
        let line = line(&row, b"TE0-Arm\tdoor in 3", Some(70));
        assert_eq!((line.kind.as_str(), line.what.as_str(), line.delta.as_str()), ("TE0-Arm", "door in 3", "+7"));
    }

    #[test]
    fn an_object_of_a_lane_has_the_name_of_its_lane() {
        struct OfLanes;
        impl Lookup for OfLanes {
            fn get(&self, _: u32, _: u16, _: u64, scope: u64) -> Option<&[u8]> {
                [&b"adc of core 0"[..], b"adc of core 1"].get(scope as usize).copied()
            }
        }
        let mut irq = KindInfo::new(4, "isr_enter", 0);
        irq.obj_space = 16;
        let space = |scope_space: u16| SpaceInfo {
            id: 16,
            name: "isr".into(),
            title: "".into(),
            class: 0,
            key_format: 1,
            key_bytes: 0,
            scope_space,
            matching: 0,
            more: vec![].into(),
        };
        let row = Row { kind: 4, obj: 7, lane: 1, flags: flag::HAS_OBJ, ..Row::default() };
        for (scope_space, name) in [(host_space::LANES, "adc of core 1"), (NONE, "adc of core 0")] {
            let info =
                Info { kinds: vec![irq.clone()].into(), spaces: vec![space(scope_space)].into(), ..Info::default() };
            assert_eq!(object_of(&info, &row, &OfLanes, 0), name);
        }
    }

    #[test]
    fn losses_are_no_records() {
        assert_eq!(Role::of(&Row { kind: note::GAP, ..Row::default() }), Role::Loss);
        assert_eq!(Role::of(&Row { kind: 64, flags: flag::EPOCH, ..Row::default() }), Role::Event);
    }
}
