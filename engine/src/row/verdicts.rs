//! What tests of entities say of each of them, so that its names are compared once and not in every row.

use std::{
    cell::{Cell, RefCell},
    ops::RangeInclusive,
};

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Info, NONE, RowFlags, RowKind, Severity};

use super::{
    RowView, asked,
    subject::{Entity, find_name},
};
use crate::{
    query::{Expr, Fact, Name, Property, Quantity, Subject, Test},
    row::RowTraits,
    store::{NameChange, Names},
};

/// Keys with verdicts: noise may bring millions of them.
const MOST: usize = 1 << 16;
/// Verdicts on a key: each reset of a target begins an epoch.
const MOST_OF_KEY: usize = 64;

const ALL_ROWS: (u64, u64) = (0, u64::MAX);

/// A verdict on a key.
#[derive(Debug, Clone, Copy)]
struct Verdict {
    /// The test, by its address.
    test: usize,
    epoch: u32,
    scope: u64,
    /// The first and the last row that it holds for.
    from: u64,
    to: u64,
    passes: bool,
}

/// The verdicts of the tests of one expression, which must not move, by the names of one dictionary.
#[derive(Debug)]
pub(super) struct Verdicts {
    /// By space and key.
    known: RefCell<FxHashMap<(u16, u64), Vec<Verdict>>>,
    /// Whether rows of a kind lack all fields that a test is about.
    lacking: RefCell<FxHashMap<(usize, RowKind), bool>>,
    /// The first and the last of the rows that all verdicts since the last call hold for.
    rows: Cell<(u64, u64)>,
    /// Some verdict was given, but is no longer kept.
    incomplete: Cell<bool>,
}

fn id(test: &Test) -> usize {
    std::ptr::from_ref(test).addr()
}

impl Default for Verdicts {
    fn default() -> Verdicts {
        let (known, lacking, incomplete) = Default::default();
        Verdicts { known, lacking, rows: Cell::new(ALL_ROWS), incomplete }
    }
}

impl Verdicts {
    /// Forgets all of them: names or tests are others.
    pub(super) fn clear(&mut self) {
        *self = Verdicts::default();
    }

    pub(super) fn rename(&mut self, change: NameChange) {
        let known = self.known.get_mut();
        match change {
            NameChange::Key(space, key) => drop(known.remove(&(space, key))),
            NameChange::Space(_) => known.clear(),
        }
    }

    /// The rows that all verdicts since the last call hold for, as long as no names change.
    pub(super) fn rows(&self) -> RangeInclusive<u64> {
        let (from, to) = self.rows.replace(ALL_ROWS);
        from..=to
    }

    /// Whether another name in `names`, as seen by a row or a later one of an epoch, changes a verdict that was given.
    pub(super) fn are_outdated<'n>(&self, expr: &Expr, info: &Info, names: impl Fn(u32, u64) -> Names<'n>) -> bool {
        let tests: FxHashMap<usize, &Test> = expr.tests().into_iter().map(|test| (id(test), test)).collect();
        let is_outdated = |(space, key): (u16, u64), verdict: &Verdict| {
            let Verdict { test, epoch, scope, from, to, passes } = *verdict;
            let (names, entity) = (names(epoch, from), Entity { space, key, scope });
            let Some(test) = tests.get(&test).filter(|_| rows_alike(&names, epoch, entity) == (from..=to)) else {
                return true;
            };
            find_name(info, &names, entity, &mut |fact| test.is_about(fact)) != passes
        };
        let known = self.known.borrow();
        self.incomplete.get()
            || known.iter().any(|(&key, verdicts)| verdicts.iter().any(|verdict| is_outdated(key, verdict)))
    }

    fn of(&self, test: &Test, view: &RowView<'_>, entity: Entity) -> bool {
        let (epoch, Entity { space, key, scope }) = (view.epoch, entity);
        let row = view.names.plain().row;
        let is_asked = |verdict: &&Verdict| {
            (verdict.test, verdict.epoch, verdict.scope) == (id(test), epoch, scope)
                && (verdict.from..=verdict.to).contains(&row)
        };
        let known = self.known.borrow();
        // Most questions are about the newest epoch, and about the rows of the last verdict.
        if let Some(verdict) = known.get(&(space, key)).and_then(|known| known.iter().rev().find(is_asked)) {
            return self.note(verdict);
        }
        drop(known);
        let passes = find_name(view.info, view.names, entity, &mut |fact| test.is_about(fact));
        let (from, to) = rows_alike(view.names.plain(), epoch, entity).into_inner();
        let verdict = Verdict { test: id(test), epoch, scope, from, to, passes };
        self.keep((space, key), verdict);
        self.note(&verdict)
    }

    fn note(&self, verdict: &Verdict) -> bool {
        let (from, to) = self.rows.get();
        self.rows.set((from.max(verdict.from), to.min(verdict.to)));
        verdict.passes
    }

    fn keep(&self, key: (u16, u64), verdict: Verdict) {
        let mut known = self.known.borrow_mut();
        if known.len() == MOST {
            known.clear();
            self.incomplete.set(true);
        }
        let of_key = known.entry(key).or_default();
        if of_key.len() == MOST_OF_KEY {
            of_key.drain(..MOST_OF_KEY / 2);
            self.incomplete.set(true);
        }
        of_key.push(verdict);
    }

    fn lacks(&self, kind: RowKind, test: &Test, info: &Info) -> bool {
        *self
            .lacking
            .borrow_mut()
            .entry((id(test), kind))
            .or_insert_with(|| info.kind(kind).is_some_and(|kind| asked::lacks(kind, test, info)))
    }
}

fn rows_alike(names: &Names<'_>, epoch: u32, Entity { space, key, scope }: Entity) -> RangeInclusive<u64> {
    names.rows_alike(epoch, space, key, scope)
}

/// A row whose entities are judged by what is known of them.
pub(super) struct Judged<'a> {
    pub(super) view: &'a RowView<'a>,
    pub(super) verdicts: &'a Verdicts,
    /// It stands for any row with the same shape, object and item.
    pub(super) is_class: bool,
    pub(super) rows: RowTraits,
}

impl Judged<'_> {
    /// Whether rendering adds no field that a test is about.
    fn lacks_fields_of(&self, test: &Test) -> bool {
        let row = self.view.row;
        let undeclared = if self.rows.is_formatted { RowFlags::APPLICATION } else { RowFlags::empty() };
        let declared = row.is_record() && !row.flags.intersects(undeclared | RowFlags::MALFORMED);
        let kind = self.view.kind;
        let has_own = (row.has(RowFlags::HAS_OBJECT) || kind.object == NONE)
            && (row.has(RowFlags::HAS_ITEM) || kind.item == NONE);
        self.rows.is_native && declared && has_own && self.verdicts.lacks(row.kind, test, self.view.info)
    }

    /// Whether there is an entity in a role, and whether a test is about one of them.
    fn find(&self, name: Name, test: &Test) -> (bool, bool) {
        let mut any = false;
        let found = self.view.find_in_role(name, &mut |entity| {
            any = true;
            self.verdicts.of(test, self.view, entity)
        });
        // Only formatters put rows on tracks.
        let tracks = self.rows.is_formatted.then(|| self.view.track_names(name));
        let mut tracks = tracks.into_iter().flatten().peekable();
        any |= tracks.peek().is_some();
        (any, found || tracks.any(|(text, key)| test.is_about(Fact::key(&text, key))))
    }
}

impl Subject for Judged<'_> {
    fn foresee(&self, test: &Test) -> Option<bool> {
        match test {
            Test::Compare(Property::Name(name), ..) if name.is_role() => {
                let (any, found) = self.find(*name, test);
                // A field that comes later changes nothing of what was found.
                (found || self.lacks_fields_of(test)).then(|| test.outcome(any, found))
            }
            Test::Compare(Property::Field(field), ..) => {
                let is_open = self.is_class && asked::is_measured(field, self.view.info);
                let is_known = !is_open && self.lacks_fields_of(test);
                is_known.then(|| test.of_each(|ask| self.view.field(field, ask)))
            }
            _ => None,
        }
    }

    fn role(&self, name: Name, test: &Test) -> bool {
        let (any, found) = self.find(name, test);
        test.outcome(any, found)
    }

    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        self.view.names(name, test)
    }

    fn number(&self, name: Name) -> Quantity {
        self.view.number(name)
    }

    fn severity(&self) -> Severity {
        self.view.severity()
    }

    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        self.view.field(field, test)
    }

    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        self.view.text(test)
    }
}
