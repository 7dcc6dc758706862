//! Checks decoder descriptions, and rows against them: in order, in range, declared.

use std::collections::HashSet;

use spytui_plugin_api::{
    AttachmentId, ByteRange, DecoderRef, Info, NO_GROUP, NONE, Row, RowFlags, RowKind,
    batch::{AttrId, DictOp},
    info::{DropTotals, space},
    render::{FieldFlags, Rendered, RowIn, Tag},
};

use super::{
    host::{Host, Sample},
    random::Random,
};

/// Names are unique and typeable.
pub(super) fn info_is_sound(info: &Info) {
    assert!(Info::is_id(&info.id), "the id {:?} is none: {}", info.id, Info::ID_GRAMMAR);
    unique("group", info.groups.iter().map(|group| group.id));
    unique("space", info.spaces.iter().map(|space| space.id));
    unique("option", info.options.iter().map(|option| option.key.as_str()));
    // A range may contain kinds declared before it.
    unique("kind", info.kinds.iter().map(|kind| (kind.first, kind.last)));
    for kind in info.kinds.iter().filter(|kind| !kind.first.is_note()) {
        let group = kind.group == NO_GROUP || info.group(kind.group).is_some();
        assert!(group, "kind {}: group {} is not declared", kind.name, kind.group);
        for space in [kind.obj_space, kind.item_space] {
            let known = space == NONE || space < spytui_plugin_api::info::space::OWN || info.space(space).is_some();
            assert!(known, "kind {}: space {space} is not declared", kind.name);
        }
    }
}

fn unique<T: std::hash::Hash + Eq + std::fmt::Debug>(what: &str, all: impl Iterator<Item = T>) {
    let mut seen = HashSet::new();
    for one in all {
        let text = format!("{one:?}");
        assert!(seen.insert(one), "{what} {text} is declared twice");
    }
}

/// A guess explains no more bytes than there are.
pub(super) fn guesses_are_sound(decoder: DecoderRef, sample: &Sample<'_>) {
    let noise = Random::new(5).bytes(5_000);
    for bytes in [sample.bytes, &noise, b""] {
        let guesses = decoder.probe(bytes, &super::opt_vals(&sample.opts));
        let guesses = guesses.unwrap_or_else(|fault| panic!("{}: probe: {fault}", sample.name));
        let most = guesses.iter().map(|guess| guess.explained).max().unwrap_or(0);
        assert!(most <= 1000, "{}: a guess explains {most} of 1000", sample.name);
    }
}

/// Rows match the description, and notes have the attachments that their text needs.
pub(super) fn rows_are_sound(sample: &Sample<'_>, host: &Host) {
    for (i, row) in host.run.rows.iter().enumerate() {
        if let Err(what) = row_is_sound(host, i, row) {
            panic!("{}: row {i} at {}: {what}: {row:?}", sample.name, row.pos);
        }
    }
    let has_times = host.run.rows.iter().any(|row| row.has(RowFlags::TIME_OWN));
    assert!(!has_times || !host.run.clocks.is_empty(), "{}: rows have times, and there is no clock", sample.name);
    for activity in &host.run.activities {
        let known = !format!("{:?}", activity.verb).starts_with("Verb(");
        assert!(known, "{}: row {}: verb {:?} is not known", sample.name, activity.at, activity.verb);
    }
}

fn row_is_sound(host: &Host, i: usize, row: &Row) -> Result<(), String> {
    let (info, attachments) = (&host.info, host.run.attachments_of(i));
    let attachment = |id| attachments.iter().find(|attachment| attachment.id == id);
    let rule = |holds: bool, what: String| if holds { Ok(()) } else { Err(what) };
    let has_group = !row.is_record() || row.group == NO_GROUP || info.group(row.group).is_some();
    rule(has_group, format!("group {} is not declared", row.group))?;
    if let Some(kind) = info.kind(row.kind).filter(|kind| row.is_record() && kind.first == kind.last) {
        rule(row.group == kind.group, format!("group {}, and that of its kind is {}", row.group, kind.group))?;
    }
    rule(info.has_cores || matches!(row.core, 0 | NONE), format!("core {}, and there are none", row.core))?;
    if let Some(kind) = info.kind(row.kind).filter(|_| row.is_record() && !host.renderer.is_reference()) {
        let is_of_space = !row.has(RowFlags::HAS_OBJECT) || kind.obj_space != NONE;
        rule(is_of_space, "an object, and its kind has none".to_owned())?;
    }
    let has_lost = row.kind != RowKind::GAP || attachment(AttachmentId::LOST).is_some();
    rule(has_lost, "a gap that does not say how many are lost".to_owned())?;
    if let Some(expected) = attachment(AttachmentId::EXPECTED) {
        let greatest = u64::MAX.checked_shr(64 - u32::from(info.sequence_bits.min(64))).unwrap_or(0);
        let fits = expected.a.max(expected.b) <= greatest;
        rule(fits, format!("numbers {} and {} beyond {} bits", expected.a, expected.b, info.sequence_bits))?;
    }
    let reports = attachment(AttachmentId::DROP_TOTAL).is_none() || info.drop_totals != DropTotals::NONE;
    rule(reports, "a total of drops, and it reports none".to_owned())
}

/// Before a record earlier than the previous one of its core, there must be a note. Reference hosts write none.
pub(super) fn times_go_on(sample: &Sample<'_>, host: &Host) {
    if host.renderer.is_reference() {
        return;
    }
    let elsewhere = RowFlags::FRAGMENTED | RowFlags::OUT_OF_ORDER;
    let mut last: Vec<(u16, u64)> = Vec::new();
    for (i, row) in host.run.rows.iter().enumerate() {
        if !row.is_record() || row.has(RowFlags::EPOCH) {
            last.clear();
        }
        // A fragmented record is placed at its end, but has the time of its start.
        if !row.is_record() || !row.has(RowFlags::TIME_OWN) || row.flags.intersects(elsewhere) {
            continue;
        }
        let before = last.iter().find(|last| last.0 == row.core).map(|last| last.1);
        let goes_on = before.is_none_or(|before| before <= row.time);
        let (name, time, before) = (sample.name, row.time, before.unwrap_or_default());
        assert!(goes_on, "{name}: row {i} at {}: time {time} after {before}, and no note between: {row:?}", row.pos);
        last.retain(|last| last.0 != row.core);
        last.push((row.core, row.time));
    }
}

/// Between records with non-consecutive sequence numbers, there must be a note. Cores may have separate numbers.
pub(super) struct Numbers<'a> {
    sample: &'a Sample<'a>,
    host: &'a Host,
    /// Core and sequence number of the last record of each core since the last note, newest last.
    last: Vec<(u16, u64)>,
    /// `last` as of that note: the record that it announces may be late.
    before: Vec<(u16, u64)>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(sample: &'a Sample<'a>, host: &'a Host) -> Self {
        Numbers { sample, host, last: Vec::new(), before: Vec::new() }
    }

    /// Checks the next row.
    pub(super) fn row(&mut self, i: usize, out: &Rendered) {
        let (info, row) = (&self.host.info, &self.host.run.rows[i]);
        let bits = u32::from(info.sequence_bits);
        if row.has(RowFlags::OUT_OF_ORDER) {
            return;
        }
        if !row.is_record() || row.has(RowFlags::EPOCH) || bits == 0 {
            self.before = std::mem::take(&mut self.last);
            return;
        }
        let name = if info.sequence.is_empty() { "seq" } else { &info.sequence };
        let own = out.fields.iter().find(|field| field.name.of(&out.blob) == name.as_bytes());
        let Some(number) = own.map(|field| field.num) else { return };
        let mask = u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0);
        let follows = |last: u64| number & mask == last.wrapping_add(1) & mask;
        let of_core = self.last.iter().find(|last| last.0 == row.core);
        let of_any = self.last.last().into_iter().chain(&self.before);
        let is_fine = of_core.is_none() || of_core.into_iter().chain(of_any).any(|last| follows(last.1));
        let (name, last) = (self.sample.name, of_core.map_or(0, |last| last.1));
        assert!(is_fine, "{name}: row {i} at {}: number {number} after {last}, and no note between", row.pos);
        self.last.retain(|last| last.0 != row.core);
        self.last.push((row.core, number));
    }
}

/// Fields lie within the frame.
pub(super) fn rendered_is_sound(sample: &Sample<'_>, i: usize, input: &RowIn<'_>, out: &Rendered) {
    let outside = |field: &&spytui_plugin_api::Field| {
        u64::from(field.byte_off) + u64::from(field.byte_len) > input.raw.len() as u64
    };
    let field = out.fields.iter().find(outside);
    let (pos, raw) = (input.row.pos, input.raw.as_slice());
    assert!(field.is_none(), "{}: row {i} at {pos}: a field outside of {raw:02x?}: {field:?}", sample.name);
}

/// Indices refer to rows and do not decrease; byte ranges are within the arena.
pub(super) fn everything_is_in_range(sample: &Sample<'_>, host: &Host) {
    let (run, name) = (&host.run, sample.name);
    let rows = run.rows.len() as u32;
    let in_order = |list: &str, ats: Vec<u32>, end: u32| {
        assert!(ats.is_sorted(), "{name}: {list} go back");
        assert!(ats.last().is_none_or(|&at| at < end), "{name}: {list} without a row");
    };
    in_order("extras", run.attachments.iter().map(|e| e.at).collect(), rows);
    in_order("activities", run.activities.iter().map(|a| a.at).collect(), rows);
    in_order("names", run.dict.iter().map(|e| e.at).collect(), rows + 1);
    in_order("clocks", run.clocks.iter().map(|c| c.at).collect(), rows + 1);
    for event in &run.dict {
        assert!(inside(event.text, &run.bytes), "{name}: a name outside of the arena");
    }
    for e in run.attachments.iter().filter(|e| e.is_bytes) {
        let end = e.a.checked_add(e.b);
        assert!(end.is_some_and(|end| end <= run.bytes.len() as u64), "{name}: an attachment outside of the arena");
    }
    for row in &run.rows {
        assert!(run.cfgs.contains_key(&row.cfg) || row.cfg == 0, "{name}: no configuration {}", row.cfg);
    }
}

fn inside(cut: ByteRange, arena: &[u8]) -> bool {
    cut.off as usize + cut.len as usize <= arena.len()
}

/// Kinds, spaces, attachments, counters and attributes are declared, or part of the plugin API.
pub(super) fn everything_is_declared(sample: &Sample<'_>, host: &Host) {
    let (info, name) = (&host.info, sample.name);
    let spaces = spaces(info);
    let named = host.run.dict.iter().filter(|e| e.op == DictOp::SET && e.space == space::KINDS);
    let named: HashSet<u64> = named.map(|e| e.key).collect();
    for row in &host.run.rows {
        let known = row.kind.is_note() || info.kind(row.kind).is_some() || named.contains(&row.kind.0.into());
        assert!(known, "{name}: kind {} is neither declared nor named", row.kind.0);
    }
    for event in &host.run.dict {
        assert!(spaces.contains(&event.space), "{name}: space {}", event.space);
        let known = event.attr <= AttrId::SIZE;
        assert!(known, "{name}: attribute {:?} is not declared", event.attr);
    }
    for activity in &host.run.activities {
        for space in [activity.sub_space, activity.obj_space, activity.item_space, activity.second_space] {
            assert!(space == NONE || spaces.contains(&space), "{name}: space {space} is not declared");
        }
    }
    for e in &host.run.attachments {
        let known = !e.id.is_own() || info.attachments.iter().any(|spec| spec.id == e.id);
        assert!(known, "{name}: attachment {} is not declared", e.id.0);
        let space = if e.id == AttachmentId::NAME_HINT { e.a as u16 } else { NONE };
        assert!(space == NONE || spaces.contains(&space), "{name}: space {space} is not declared");
    }
    for &id in host.run.counts.keys() {
        let known = info.counters.iter().any(|spec| spec.id == id);
        assert!(known, "{name}: counter {} is not declared", id.0);
    }
}

fn spaces(info: &Info) -> HashSet<u16> {
    info.spaces.iter().map(|s| s.id).chain(0..space::OWN).collect()
}

/// Fields of a rendered row have names and texts in the arena, and keys of declared spaces.
pub(super) fn fields_are_in_range(sample: &Sample<'_>, info: &Info, row: usize, out: &Rendered) {
    let spaces = spaces(info);
    for field in &out.fields {
        let good = inside(field.name, &out.blob) && inside(field.text, &out.blob);
        assert!(good, "{}: a field of row {row} outside of the arena", sample.name);
        let key = [Tag::KEY, Tag::ENUM].contains(&field.tag);
        assert!(!key || spaces.contains(&field.space), "{}: field of row {row} has space {}", sample.name, field.space);
    }
}

/// Well-formed native records only have fields declared by their kind: filters rely on it.
pub(super) fn fields_are_declared(sample: &Sample<'_>, info: &Info, row: &Row, out: &Rendered) {
    let Some(kind) = info.kind(row.kind).filter(|_| row.is_record() && !row.has(RowFlags::MALFORMED)) else { return };
    for field in &out.fields {
        let name = String::from_utf8_lossy(field.name.of(&out.blob));
        let known =
            field.flags.contains(FieldFlags::ELEMENT) || name == "seq" || kind.fields.iter().any(|own| *own == *name);
        assert!(known, "{}: {} does not declare its field {name}", sample.name, kind.name);
        let is_object = row.has(RowFlags::HAS_OBJECT) && (field.space, field.num) == (kind.obj_space, row.obj);
        let is_item =
            row.has(RowFlags::HAS_ITEM) && (field.space, field.num, field.scope) == (kind.item_space, row.item, 0);
        let known = field.space == NONE || is_object || is_item || kind.spaces.contains(&field.space);
        let space = info.space(field.space).map_or_else(|| field.space.to_string(), |own| own.name.to_string());
        let next = "add it with Kind::spaces, or to KindInfo::spaces";
        assert!(known, "{}: {} does not declare space {space} of its field {name}: {next}", sample.name, kind.name);
        let scope = info.space(field.space).map_or(NONE, |own| own.scope_space);
        let is_own = scope == space::CORES || matches!(field.scope, 0) || field.scope == row.obj;
        let known = scope == NONE || is_own || kind.spaces.contains(&scope);
        assert!(known, "{}: {} does not declare space {scope}, to which {name} belongs", sample.name, kind.name);
    }
}
