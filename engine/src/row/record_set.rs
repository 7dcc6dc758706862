//! Which records formatters are for.

use rustc_hash::FxHashSet;
use spytui_plugin_api::{
    Info, RowKind,
    info::{KindInfo, space},
};

use crate::present::{Labels, labels::Kind};

/// Names or ids of these records.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordSet {
    records: FxHashSet<String>,
    /// A formatter is for all records.
    all: bool,
}

impl RecordSet {
    pub(super) fn add(&mut self, record: &str) {
        self.records.insert(record.to_owned());
    }

    /// Adds all.
    pub(super) fn add_all(&mut self) {
        self.all = true;
    }

    /// Whether all are among them.
    pub(super) fn has_all(&self) -> bool {
        self.all
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        !self.all && self.records.is_empty()
    }

    /// Whether a record of this id or name is among them by that.
    pub(super) fn has(&self, id: &str) -> bool {
        self.records.contains(id)
    }

    /// Whether a record of a kind may be among them, where these keys have their names: otherwise it need not be read.
    pub(super) fn may_have(&self, kind: RowKind, named: &[(u16, u64)], info: &Info, labels: &Labels) -> bool {
        let label = labels.kind(info, kind);
        let Some(spec) = info.kind(kind) else { return true };
        if self.all || self.has(&label.tag) || self.has(&label.name) {
            return true;
        }
        let is_named = |(space, key): &(u16, u64)| {
            is_of_kind(label, spec, *space) || (*space, *key) == (space::KINDS, kind.0.into())
        };
        let is_called = |id: &String| match id.split_once(':') {
            Some((name, _)) => info.spaces.iter().any(|space| space.name == name && is_of_kind(label, spec, space.id)),
            // The number of an item.
            None => id.bytes().all(|byte| byte.is_ascii_digit()),
        };
        named.iter().any(is_named) || self.records.iter().any(is_called)
    }
}

/// Whether records of a kind have keys of a space.
fn is_of_kind(label: &Kind, spec: &KindInfo, space: u16) -> bool {
    space == label.object || spec.spaces.contains(&space)
}
