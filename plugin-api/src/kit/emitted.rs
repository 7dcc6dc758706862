//! Checks of a decoder's output: in order, in range, declared.

use std::collections::HashSet;

use super::{host::Host, sample::Sample};
use crate::{
    batch::{AttachmentId, AttrId, ByteRange, DictOp},
    info::{Info, space},
    render::{FieldFlags, Rendered, Tag},
    row::{NONE, Row, RowFlags},
};

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

/// Kinds, spaces, attachments, counters and attributes belong to the plugin API or are declared.
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
        assert!(event.op == DictOp::CLEAR_ALL || spaces.contains(&event.space), "{name}: space {}", event.space);
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

/// Fields of a rendered row: names and texts in the arena, keys of declared spaces.
pub(super) fn fields_are_in_range(sample: &Sample<'_>, info: &Info, row: usize, out: &Rendered) {
    let spaces = spaces(info);
    for field in &out.fields {
        let good = inside(field.name, &out.blob) && inside(field.text, &out.blob);
        assert!(good, "{}: a field of row {row} outside of the arena", sample.name);
        let key = [Tag::KEY, Tag::ENUM].contains(&field.tag);
        assert!(!key || spaces.contains(&field.space), "{}: field of row {row} has space {}", sample.name, field.space);
    }
}

/// Well-formed native records have no fields that their kind does not declare: filters rely on it.
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
