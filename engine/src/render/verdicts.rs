//! What tests of entities say of each of them, so that its names are compared once and not in every row.

use std::cell::{Cell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};
use spytui_plugin_api::{DictEvent, Info, NONE, RowFlags, RowKind, Severity, batch::dict_op, render::Lookup};

use super::{
    Item, asked,
    subject::{Entity, find_name},
};
use crate::{
    query::{Expr, Fact, Name, Quantity, Subject, Test},
    store::{Dictionary, Names},
};

/// Verdicts kept: noise may bring millions of keys.
const MOST: usize = 1 << 16;

/// A test, by its address, and an entity in an epoch.
type Question = (usize, u32, Entity);

/// The verdicts of the tests of one expression, which must not move, by the names of one dictionary.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    known: RefCell<FxHashMap<Question, bool>>,
    /// Whether rows of a kind lack all fields that a test is about.
    lacking: RefCell<FxHashMap<(usize, RowKind), bool>>,
    /// By source.
    in_flux: Vec<(usize, InFlux)>,
    /// A verdict was given that does not last.
    passing: Cell<bool>,
    /// Some verdict was given, but is not kept.
    incomplete: Cell<bool>,
}

/// What gets names while rows are judged: what is said of it may hold for some of these rows only.
#[derive(Debug, Default)]
struct InFlux {
    keys: FxHashSet<(u16, u64)>,
    /// Names that another thing has, too: whether it is called by its short name may change.
    shared: FxHashSet<Box<[u8]>>,
    /// Whole spaces change.
    all: bool,
}

/// A change of names.
#[derive(Debug)]
pub(super) enum Renaming<'a> {
    /// A key gets a name.
    Key(u16, u64),
    /// The same, a full or short name that something has already.
    Shared(u16, u64, [Option<&'a [u8]>; 2]),
    /// All keys of a space lose their names.
    All,
}

impl<'a> Renaming<'a> {
    /// What an event of the dictionary changes, which `before` does not have yet.
    pub(super) fn of(event: &DictEvent, name: &'a [u8], before: &Dictionary) -> Renaming<'a> {
        let DictEvent { op, space, key, .. } = *event;
        let forms = [Some(name), before.short_form(space, name)];
        match op {
            dict_op::SET | dict_op::REMOVE if forms.iter().flatten().any(|form| before.is_used(space, form)) => {
                Renaming::Shared(space, key, forms)
            }
            dict_op::SET | dict_op::REMOVE => Renaming::Key(space, key),
            _ => Renaming::All,
        }
    }
}

fn id(test: &Test) -> usize {
    std::ptr::from_ref(test).addr()
}

impl Verdicts {
    /// Forgets all of them: names or tests are others.
    pub(super) fn clear(&mut self) {
        *self = Verdicts { in_flux: std::mem::take(&mut self.in_flux), ..Verdicts::default() };
    }

    /// The next rows of a source change names.
    pub(super) fn rename<'a>(&mut self, source: usize, changes: impl Iterator<Item = Renaming<'a>>) {
        let mut in_flux = InFlux::default();
        for change in changes {
            match change {
                Renaming::Key(space, key) => {
                    in_flux.keys.insert((space, key));
                }
                Renaming::Shared(space, key, forms) => {
                    in_flux.keys.insert((space, key));
                    in_flux.shared.extend(forms.into_iter().flatten().map(Box::from));
                }
                Renaming::All => in_flux.all = true,
            }
        }
        let known = self.known.get_mut();
        if in_flux.all || !in_flux.shared.is_empty() {
            known.clear();
        } else if !in_flux.keys.is_empty() {
            known.retain(|(.., entity), _| !in_flux.keys.contains(&(entity.space, entity.key)));
        }
        match self.in_flux.iter_mut().find(|(of, _)| *of == source) {
            Some((_, own)) => *own = in_flux,
            None => self.in_flux.push((source, in_flux)),
        }
    }

    /// Whether [`Verdicts::rename`] was called for a source.
    pub(super) fn know(&self, source: usize) -> bool {
        self.in_flux.iter().any(|(of, _)| *of == source)
    }

    fn is_in_flux(&self, names: &Names<'_>, Entity { space, key, scope }: Entity) -> bool {
        let full = Names { short: false, ..*names };
        self.in_flux.iter().any(|(_, in_flux)| {
            in_flux.all || in_flux.keys.contains(&(space, key)) || {
                let is_shared = |name: &[u8]| {
                    let short = names.dictionary.short_form(space, name);
                    [Some(name), short].into_iter().flatten().any(|form| in_flux.shared.contains(form))
                };
                !in_flux.shared.is_empty() && full.get(0, space, key, scope).is_some_and(is_shared)
            }
        })
    }

    /// Whether all verdicts since the last call last as long as no names change.
    pub(super) fn last(&self) -> bool {
        !self.passing.replace(false)
    }

    /// Whether another name in `names`, as seen in an epoch, changes a verdict that was given.
    pub(super) fn are_outdated<'n>(&self, expr: &Expr, info: &Info, names: impl Fn(u32) -> Names<'n>) -> bool {
        let tests: FxHashMap<usize, &Test> = expr.tests().into_iter().map(|test| (id(test), test)).collect();
        let is_outdated = |(&(test, epoch, entity), &verdict): (&Question, &bool)| {
            let names = names(epoch);
            let Some(test) = tests.get(&test).filter(|_| is_steady(&names, epoch, entity)) else { return true };
            find_name(info, &names, entity, &mut |fact| test.is_about(fact)) != verdict
        };
        self.incomplete.get() || self.known.borrow().iter().any(is_outdated)
    }

    fn of(&self, test: &Test, item: &Item<'_>, entity: Entity) -> bool {
        let question = (id(test), item.epoch, entity);
        if let Some(&verdict) = self.known.borrow().get(&question) {
            return verdict;
        }
        let verdict = find_name(item.info, item.names, entity, &mut |fact| test.is_about(fact));
        let mut known = self.known.borrow_mut();
        if known.len() == MOST {
            known.clear();
            self.incomplete.set(true);
        }
        let names = item.names.plain();
        if !self.is_in_flux(names, entity) && is_steady(names, item.epoch, entity) {
            known.insert(question, verdict);
        } else {
            self.incomplete.set(true);
            self.passing.set(true);
        }
        verdict
    }

    fn lacks(&self, kind: RowKind, test: &Test, info: &Info) -> bool {
        *self
            .lacking
            .borrow_mut()
            .entry((id(test), kind))
            .or_insert_with(|| info.kind(kind).is_some_and(|kind| asked::lacks(kind, test, info)))
    }
}

fn is_steady(names: &Names<'_>, epoch: u32, Entity { space, key, scope }: Entity) -> bool {
    names.is_steady(epoch, space, key, scope)
}

/// A row whose entities are judged by what is known of them.
pub(super) struct Judged<'a> {
    item: &'a Item<'a>,
    verdicts: &'a Verdicts,
    stage: Stage,
    /// It has the fields that its kind declares.
    is_native: bool,
}

/// How much of a row is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Shape, object and item.
    Class,
    /// All that is not rendered.
    Unrendered,
    Rendered,
}

impl<'a> Judged<'a> {
    /// Any row with the shape, object and item of this one.
    pub(super) fn class(item: &'a Item<'a>, verdicts: &'a Verdicts, is_native: bool) -> Judged<'a> {
        Judged { item, verdicts, stage: Stage::Class, is_native }
    }

    /// A row that is not rendered yet.
    pub(super) fn unrendered(item: &'a Item<'a>, verdicts: &'a Verdicts, is_native: bool) -> Judged<'a> {
        Judged { item, verdicts, stage: Stage::Unrendered, is_native }
    }

    /// A rendered row.
    pub(super) fn rendered(item: &'a Item<'a>, verdicts: &'a Verdicts) -> Judged<'a> {
        Judged { item, verdicts, stage: Stage::Rendered, is_native: false }
    }

    /// Whether rendering adds no field that a test is about.
    fn lacks_fields_of(&self, test: &Test) -> bool {
        let row = self.item.row;
        // Formatters may add fields to application records.
        let declared = row.is_record() && !row.flags.intersects(RowFlags::MALFORMED | RowFlags::APPLICATION);
        let has_object =
            row.has(RowFlags::HAS_OBJECT) || self.item.labels.kind(self.item.info, row.kind).object == NONE;
        self.is_native && declared && has_object && self.verdicts.lacks(row.kind, test, self.item.info)
    }

    /// Whether there is an entity in a role, and whether a test is about one of them.
    fn find(&self, name: Name, test: &Test) -> (bool, bool) {
        let mut any = false;
        let found = self.item.find_in_role(name, &mut |entity| {
            any = true;
            self.verdicts.of(test, self.item, entity)
        });
        (any, found)
    }
}

impl Subject for Judged<'_> {
    fn foresee(&self, test: &Test) -> Option<bool> {
        match test {
            Test::Name { name, .. } if name.is_role() => {
                let (any, found) = self.find(*name, test);
                // A field that comes later changes nothing of what was found.
                (found || self.lacks_fields_of(test)).then(|| test.outcome(any, found))
            }
            Test::Field { field, .. } => {
                let is_open = self.stage == Stage::Class && asked::is_measured(field, self.item.info);
                let is_known = !is_open && self.lacks_fields_of(test);
                is_known.then(|| test.of_each(|ask| self.item.field(field, ask)))
            }
            _ => None,
        }
    }

    fn role(&self, name: Name, test: &Test) -> bool {
        let (any, found) = self.find(name, test);
        test.outcome(any, found)
    }

    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        self.item.names(name, test)
    }

    fn number(&self, name: Name) -> Quantity {
        self.item.number(name)
    }

    fn severity(&self) -> Severity {
        self.item.severity()
    }

    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        self.item.field(field, test)
    }

    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        self.item.text(test)
    }
}
