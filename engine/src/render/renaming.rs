//! What the names in a batch change, at the time when they come into force.

use rustc_hash::FxHashSet;
use spytui_plugin_api::{
    Batch, DictEvent,
    batch::{attr, dict_op},
};

use crate::store::Dictionary;

/// A change of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Renaming {
    /// This key of this space gets another name.
    Key(u16, u64),
    /// More than that: keys of a space lose their names, or another thing has this name already, and may be called by
    /// its short name no longer.
    Many,
}

/// The changes in a batch of a source that are still to come.
#[derive(Debug)]
pub(super) struct Renamings {
    /// The source, by the address of its batch.
    source: usize,
    /// Of each event of the dictionary.
    changes: Vec<Option<Renaming>>,
    /// Number of events that are in force.
    done: usize,
}

fn id(batch: &Batch) -> usize {
    std::ptr::from_ref(batch).addr()
}

impl Renamings {
    /// Those of a batch, which `before` does not have yet.
    pub(super) fn of(batch: &Batch, before: &Dictionary) -> Renamings {
        let (mut seen, mut touched) = (FxHashSet::default(), FxHashSet::default());
        let change = |event: &DictEvent| {
            let (DictEvent { op, space, key, scope, .. }, name) = (*event, event.text.of(&batch.bytes));
            // Targets send the same names again and again.
            let is_same = op == dict_op::SET && before.is_named(space, key, scope, name);
            if event.attr != attr::NAME || is_same && !touched.contains(&(space, key)) {
                return None;
            }
            touched.insert((space, key));
            let forms = [Some(name), before.short_form(space, name)];
            let is_shared = forms.iter().flatten().any(|form| before.is_used(space, form) || !seen.insert(*form));
            Some(if op > dict_op::REMOVE || is_shared { Renaming::Many } else { Renaming::Key(space, key) })
        };
        Renamings { source: id(batch), changes: batch.dict.iter().map(change).collect(), done: 0 }
    }

    /// Whether they are of this batch, or of one before it.
    pub(super) fn are_of(&self, batch: &Batch) -> bool {
        self.source == id(batch)
    }

    /// Those that come into force until `applied` events of the batch are.
    pub(super) fn next(&mut self, applied: usize) -> impl Iterator<Item = Renaming> + '_ {
        let first = self.done.min(self.changes.len());
        let end = applied.clamp(first, self.changes.len());
        self.done = end;
        self.changes[first..end].iter().copied().flatten()
    }
}
