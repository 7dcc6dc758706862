//! A filter that decides as much as possible before rows are rendered.

use std::{
    cell::{Cell, RefCell},
    ops::RangeInclusive,
};

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    Batch, Info, KeyFormat, NONE, Request, Row, RowFlags, RowKind, Want,
    batch::{AttrId, DictOp},
    info::{SpaceInfo, space},
};

use super::{
    RowTraits, RowView,
    in_force::Formatting,
    subject::{self, AskedFields, Entity, find_name},
};
use crate::{
    present::{
        sanitise,
        words::{short_form, source_form},
    },
    query::{Expr, Fact, Name, Needs, QueryProperty, QuerySubject, Test, TextPattern},
    store::{
        BlockNames, Dictionary, NameChange,
        columns::{ShapeKey, Shapes, Span},
    },
};

#[derive(Debug, Default)]
pub struct RowFilter {
    pub expr: Expr,
    /// Id of the decoder whose names were tested.
    decoder: String,
    /// Tests of entities that are false, because no known name matches.
    names: Vec<Test>,
    /// The expression without these tests.
    pub rest: Expr,
    pub(crate) needs: Needs,
    /// `rest` depends on more of an unrendered row than its class.
    asks_row: bool,
    /// Words are compared with the names of a kind once; a matching name decides.
    words_decide: bool,
    classes: Classes,
    verdicts: Verdicts,
    seen: Seen,
    fields: AskedFields,
    /// Number of rows that matched, as far as counted.
    pub matched: u64,
}

/// Decoder id of a filter that did not see the beginning of its stream.
const ANY_DECODER: &str = "*";

/// What results depend on besides the expression and the row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    /// The dictionary's address.
    names: usize,
    epoch: u32,
    rows: RowTraits,
}

impl RowFilter {
    pub fn new(expr: Expr) -> RowFilter {
        let (rest, needs, fields) = (expr.clone(), expr.needs(), AskedFields::all());
        RowFilter { expr, rest, needs, asks_row: true, fields, ..RowFilter::default() }
    }

    /// For a stream that has begun: names of its decoder may already be known, so none is assumed absent.
    pub fn midway(expr: Expr) -> RowFilter {
        RowFilter { decoder: ANY_DECODER.to_owned(), ..RowFilter::new(expr) }
    }

    /// `None` if every row passes.
    pub fn active(&mut self) -> Option<&mut RowFilter> {
        if self.expr.is_everything() { None } else { Some(self) }
    }

    /// Tests the names of a batch. Must be called with all names that rows are rendered with.
    pub fn learn(&mut self, info: &Info, formatting: &Formatting, batch: &Batch) {
        self.learn_decoder(info, formatting);
        let names = batch.dict.iter().filter(|event| event.op == DictOp::SET && event.attr == AttrId::NAME);
        self.meet_names(names.map(|event| (info.space(event.space), event.text.of(&batch.bytes))));
    }

    pub fn rename(&mut self, names: &mut Dictionary) {
        for change in names.take_changes() {
            if self.fields.depend_on(change.space()) {
                self.verdicts.rename(change);
                match change {
                    NameChange::Key(space, key) if space >= space::OWN => self.classes.forget(key),
                    _ => self.classes.clear(),
                }
            }
        }
    }

    /// Tests all names of a list; `true` if one meets a test for the first time, so that rows must be decided again.
    pub fn learn_all(&mut self, info: &Info, formatting: &Formatting, dictionaries: &[&Dictionary]) -> bool {
        let of_tracks = self.learn_decoder(info, formatting);
        let names = dictionaries.iter().flat_map(|dictionary| dictionary.iter());
        let of_names = self.meet_names(names.flat_map(|(space, .., names)| {
            let texts = names.iter().filter_map(|named| named.text.as_deref());
            texts.map(move |text| (info.space(space), text))
        }));
        of_tracks || of_names
    }

    /// Finds the tests that may match names of tracks and their states; `true` if there is one.
    fn learn_decoder(&mut self, info: &Info, formatting: &Formatting) -> bool {
        if self.decoder != info.id.as_str() {
            self.of_decoder(info);
        }
        let is_open = !self.names.is_empty();
        let Some(formatters) = is_open.then(|| formatting.get()).flatten() else { return false };
        self.meet(|pattern| formatters.may_be_called(|called| pattern.matches(called)))
    }

    /// Finds the tests that match these names; `true` if there is one.
    fn meet_names<'a>(&mut self, texts: impl Iterator<Item = (Option<&'a SpaceInfo>, &'a [u8])>) -> bool {
        let mut is_news = false;
        for (space, text) in texts {
            if self.names.is_empty() {
                break;
            }
            let short = space.and_then(|space| short_form(space, text));
            let source = space.and_then(|space| source_form(space, text));
            let forms: Vec<String> = [Some(text), short, source].into_iter().flatten().map(sanitise).collect();
            is_news |= self.meet(|pattern| forms.iter().any(|form| pattern.matches(form)));
        }
        is_news
    }

    /// Removes the tests with a pattern that is met; `true` if there is one.
    fn meet(&mut self, is_met: impl Fn(&TextPattern) -> bool) -> bool {
        let before = self.names.len();
        self.names.retain(|test| !test.name_patterns().unwrap_or_default().into_iter().any(&is_met));
        let is_news = self.names.len() < before;
        if is_news {
            self.reduce();
        }
        is_news
    }

    /// Finds the tests that names alone decide; none with several decoders, as their names are not kept apart.
    fn of_decoder(&mut self, info: &Info) {
        let is_first = self.decoder.is_empty();
        self.decoder = info.id.to_string();
        let by_names = |test: &&Test| {
            let patterns = test.name_patterns();
            patterns.is_some_and(|patterns| {
                info.spaces.iter().all(|space| !patterns.iter().any(|p| may_be_key(space, |s, f| p.may_match(s, f))))
            })
        };
        self.names = self.expr.tests().into_iter().filter(|_| is_first).filter(by_names).cloned().collect();
        self.fields = if is_first { AskedFields::of(&self.expr, info) } else { AskedFields::all() };
        self.reduce();
    }

    /// Whether a renamed entity changes a result. `names` = those of an epoch, as seen by its first row from a row on.
    pub fn is_outdated<'n>(&self, info: &Info, names: impl Fn(u32, u64) -> BlockNames<'n>) -> bool {
        self.verdicts.are_outdated(&self.rest, info, names)
    }

    pub fn forget_names(&mut self) {
        self.verdicts.clear();
        self.classes.clear();
    }

    fn reduce(&mut self) {
        self.rest = self.expr.without(&|test| self.names.contains(test));
        self.needs = self.rest.needs();
        self.words_decide = self.rest.is_decided_by_words();
        self.asks_row = self.needs.intersects(Needs::OF_ROW) || self.fields.are_measured;
        self.verdicts.clear();
        self.classes.clear();
    }

    /// What to render of an undecided row.
    pub fn request(&self) -> Request<'_> {
        let mut want = Want::empty();
        want.set(Want::TEXT, self.needs.intersects(Needs::TEXT | Needs::KIND));
        want.set(Want::FIELDS, self.needs.intersects(Needs::ROLES | Needs::FIELDS));
        self.fields.request(want)
    }

    pub fn asks(&self, needs: Needs) -> bool {
        self.needs.intersects(needs)
    }

    /// Starts a block, whose rows may see other names.
    pub fn begin_block(&mut self, names: &BlockNames<'_>, epoch: u32, rows: RowTraits) {
        let names = std::ptr::from_ref(names.dictionary).addr();
        let before = std::mem::replace(&mut self.seen, Seen { names, epoch, rows });
        if self.seen.names != before.names {
            self.verdicts.clear();
        }
        if self.seen != before {
            self.classes.clear();
        }
    }

    /// Whether a row matches, if that can be decided without rendering. `number` = the row's number; `view` returns the
    /// row without rendered parts.
    #[inline]
    pub fn decide<'i>(&mut self, (row, number): (&Row, u64), view: impl Fn() -> RowView<'i>) -> Option<bool> {
        let RowFilter { classes, rest, verdicts, seen: Seen { rows, .. }, needs, .. } = self;
        let of_class = classes.verdict((row, number), needs.intersects(Needs::ROLES), || {
            let view = view();
            let known = Needs::SHAPE.intersection(unrendered(has_own_word(&view, *rows)));
            let verdict = rest.decide(&Judged { view: &view, verdicts, is_class: true, rows: *rows }, known);
            (verdict, verdicts.rows())
        });
        if of_class.is_some() || !self.asks_row {
            return of_class;
        }
        let view = view();
        let own_word = has_own_word(&view, self.seen.rows);
        let known = unrendered(own_word) | self.words_of_kind(own_word);
        self.rest.decide(&self.judged(&view), known)
    }

    /// Whether a rendered row matches that was undecided before.
    pub fn matches(&self, view: &RowView<'_>) -> bool {
        let known = Needs::ALL | self.words_of_kind(has_own_word(view, self.seen.rows));
        self.rest.decide(&self.judged(view), known).unwrap_or(false)
    }

    /// Judges rendered rows that were undecided before, on any thread; `None` if verdicts on entities must be kept.
    pub fn of_rendered(&self) -> Option<impl Fn(&RowView<'_>) -> bool + Sync + use<'_>> {
        let RowFilter { rest, words_decide, seen: Seen { rows, .. }, .. } = self;
        let judge = |view: &RowView<'_>| {
            let is_no_word = !has_own_word(view, *rows) && *words_decide;
            let known = if is_no_word { Needs::ALL | Needs::KIND_IS_NO_WORD } else { Needs::ALL };
            rest.decide(view, known).unwrap_or(false)
        };
        (!self.needs.intersects(Needs::ROLES)).then_some(judge)
    }

    fn judged<'a>(&'a self, view: &'a RowView<'a>) -> Judged<'a> {
        Judged { view, verdicts: &self.verdicts, is_class: false, rows: self.seen.rows }
    }

    /// The words of an undecided row were compared with the names of its kind, unless the row has its own word.
    fn words_of_kind(&self, own_word: bool) -> Needs {
        if own_word || !self.words_decide { Needs::empty() } else { Needs::KIND_IS_NO_WORD }
    }
}

fn has_own_word(view: &RowView<'_>, rows: RowTraits) -> bool {
    rows.is_formatted && view.row.has(RowFlags::APPLICATION) || view.kind().own_word
}

fn unrendered(own_word: bool) -> Needs {
    if own_word { Needs::UNRENDERED } else { Needs::UNRENDERED | Needs::KIND }
}

/// Whether the text of a key without a name may match, see [`crate::present::words::key_word`].
fn may_be_key(space: &SpaceInfo, may_match: impl Fn(&str, fn(char) -> bool) -> bool) -> bool {
    match space.key_format {
        KeyFormat::HEX => may_match("0x", |c| c.is_ascii_hexdigit()),
        KeyFormat::LARGE_HEX => may_match(&format!("{} ", space.name), |c| c.is_ascii_hexdigit() || c == 'x'),
        _ => may_match(&format!("{} ", space.name), |c| c.is_ascii_digit()),
    }
}

/// Size of the cache; a power of two.
const SLOTS: usize = 2048;
/// Number of hash values of renamed keys; a power of two.
const KEYS: usize = 256;

/// A cache of verdicts. Besides the row, they depend on state whose changes are numbered.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// Indexed by a hash of the relevant fields; empty before the first use.
    slots: Vec<ClassSlot>,
    now: u64,
    /// The last change that affects all verdicts.
    cleared: u64,
    /// The last change that affects rows with a key, by a hash of the key; empty if there was none.
    renamed: Vec<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ClassSlot {
    shape: ShapeKey,
    obj: u64,
    item: u64,
    /// The last change before this verdict; `None` = empty slot.
    since: Option<u64>,
    verdict: Option<bool>,
    /// First row of the range where it applies.
    from: u64,
    to: u64,
}

/// A hash below `size`.
#[inline]
fn hash(mixed: u64, size: usize) -> usize {
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - size.trailing_zeros())) as usize
}

impl Classes {
    pub(super) fn clear(&mut self) {
        self.now += 1;
        self.cleared = self.now;
    }

    /// Forgets the verdicts on rows with this object or item.
    pub(super) fn forget(&mut self, key: u64) {
        self.now += 1;
        self.renamed.resize(KEYS, 0);
        self.renamed[hash(key, KEYS)] = self.now;
    }

    /// The last change that affects rows with this key.
    #[inline]
    fn renamed(&self, key: u64) -> u64 {
        self.renamed.get(hash(key, KEYS)).copied().unwrap_or(0)
    }

    /// The verdict on row `number`; if unknown, `judge` returns it and the rows where it applies. `keyed` = object and
    /// item matter.
    #[inline]
    pub(super) fn verdict(
        &mut self,
        (row, number): (&Row, u64),
        keyed: bool,
        judge: impl FnOnce() -> (Option<bool>, RangeInclusive<u64>),
    ) -> Option<bool> {
        let shape = Shapes::key(row, Span::None, false);
        let (obj, item) = if keyed { (row.obj, row.item) } else { (0, 0) };
        let place = hash(shape.0 ^ shape.1.rotate_left(24) ^ obj.rotate_left(37) ^ item.rotate_left(11), SLOTS);
        let is_it = |slot: &&ClassSlot| {
            (slot.shape, slot.obj, slot.item) == (shape, obj, item)
                && slot.since >= Some(self.cleared.max(self.renamed(obj)).max(self.renamed(item)))
                && (slot.from..=slot.to).contains(&number)
        };
        if let Some(slot) = self.slots.get(place).filter(is_it) {
            return slot.verdict;
        }
        let (verdict, rows) = judge();
        let (from, to) = rows.into_inner();
        self.slots.resize(SLOTS, ClassSlot::default());
        self.slots[place] = ClassSlot { shape, obj, item, since: Some(self.now), verdict, from, to };
        verdict
    }
}

/// Maximum number of keys with verdicts; noise may bring millions.
const MOST: usize = 1 << 16;
/// Maximum number of verdicts per key, as each reset of a target begins an epoch.
const MOST_OF_KEY: usize = 64;

const ALL_ROWS: (u64, u64) = (0, u64::MAX);

#[derive(Debug, Clone, Copy)]
struct Verdict {
    /// Address of the test.
    test: usize,
    epoch: u32,
    scope: u64,
    /// First row of the range where it applies.
    from: u64,
    to: u64,
    passes: bool,
}

/// The verdicts of the tests of one expression, which must not move, with the names of one dictionary.
#[derive(Debug, Default)]
struct Verdicts {
    known: RefCell<FxHashMap<(u16, u64), Vec<Verdict>>>,
    /// Whether rows of a kind lack all fields of a test.
    lacking: RefCell<FxHashMap<(usize, RowKind), bool>>,
    /// Range of rows where all verdicts since the last call apply, if there are some.
    rows: Cell<Option<(u64, u64)>>,
    /// A verdict was returned but not kept.
    incomplete: Cell<bool>,
}

fn id(test: &Test) -> usize {
    std::ptr::from_ref(test).addr()
}

impl Verdicts {
    /// Forgets all verdicts, because names or tests changed.
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

    /// Range of rows where all verdicts since the last call apply, as long as no names change.
    pub(super) fn rows(&self) -> RangeInclusive<u64> {
        let (from, to) = self.rows.take().unwrap_or(ALL_ROWS);
        from..=to
    }

    /// Whether a changed name, seen by a row or a later one of its epoch, changes a verdict given before.
    pub(super) fn are_outdated<'n>(
        &self,
        expr: &Expr,
        info: &Info,
        names: impl Fn(u32, u64) -> BlockNames<'n>,
    ) -> bool {
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
        // Most questions concern the newest epoch, and the rows of the last verdict.
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
        let (from, to) = self.rows.get().unwrap_or(ALL_ROWS);
        self.rows.set(Some((from.max(verdict.from), to.min(verdict.to))));
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
            .or_insert_with(|| info.kind(kind).is_some_and(|kind| subject::lacks(kind, test, info)))
    }
}

/// The rows of this epoch around that of `names` that see the same name. Names from other sources don't depend on rows.
fn rows_alike(names: &BlockNames<'_>, epoch: u32, Entity { space, key, scope }: Entity) -> RangeInclusive<u64> {
    names.dictionary.rows_alike(names.row, epoch, space, key, scope)
}

/// A row whose entities are judged by cached verdicts.
pub(super) struct Judged<'a> {
    pub(super) view: &'a RowView<'a>,
    verdicts: &'a Verdicts,
    /// It stands for any row with the same shape, object and item.
    is_class: bool,
    pub(super) rows: RowTraits,
}

impl Judged<'_> {
    /// Whether rendering adds no field of the test.
    fn lacks_fields_of(&self, test: &Test) -> bool {
        let row = self.view.row;
        let undeclared = if self.rows.is_formatted { RowFlags::APPLICATION } else { RowFlags::empty() };
        let declared = row.is_record() && !row.flags.intersects(undeclared | RowFlags::MALFORMED);
        let kind = self.view.kind();
        let has_own = (row.has(RowFlags::HAS_OBJECT) || kind.object == NONE)
            && (row.has(RowFlags::HAS_ITEM) || kind.item == NONE);
        self.rows.is_native && declared && has_own && self.verdicts.lacks(row.kind, test, self.view.info)
    }

    /// Whether an entity has the role, and whether one of them passes the test.
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

impl QuerySubject for Judged<'_> {
    fn foresee(&self, test: &Test) -> Option<bool> {
        match test {
            Test::Compare(QueryProperty::Name(name), ..) if name.is_role() => {
                let (any, found) = self.find(*name, test);
                // Fields rendered later don't change what was found.
                (found || self.lacks_fields_of(test)).then(|| test.outcome(any, found))
            }
            Test::Compare(QueryProperty::Field(field), ..) => {
                let is_open = self.is_class && subject::is_measured(field, self.view.info);
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

    fn number(&self, name: Name) -> Fact<'_> {
        self.view.number(name)
    }

    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool {
        self.view.field(field, test)
    }

    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        self.view.text(test)
    }
}
