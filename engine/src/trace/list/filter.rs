//! Filters a list by an expression and caches one bit per row. Losses, resets and link rows pass every filter.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use spytui_plugin_api::Row;

use super::{
    Direction, RowList,
    row_list::Presence,
    row_renderer::{Locked, NEAR, RowRenderer},
};
use crate::{
    present::RowRole,
    query::{Expr, Needs},
    row::RowFilter,
    store::{BlockNames, View},
};

#[derive(Debug, Default)]
pub struct Filter {
    expr: Expr,
    /// One for each target of the list, which have different names.
    filters: Vec<RowFilter>,
    /// Results per block of [`STRETCH`] rows.
    bits: HashMap<u64, Bits>,
    /// Name changes included in the results, if names were looked at, and when.
    names: Option<u64>,
    named: Option<Instant>,
    /// Formatter changes included in the results.
    formatters: u64,
    /// Gap changes of each source included in the results.
    grown: Vec<usize>,
    renderer: RowRenderer,
    pub hidden: u64,
    /// Number of rows that the expression matches so far; excludes rows that pass every filter.
    pub matched: u64,
    /// Losses, resets and link rows always pass.
    exempts: bool,
}

#[derive(Debug, Default, Clone)]
struct Bits {
    words: Vec<u64>,
    /// Number of rows decided.
    len: u64,
}

/// Minimum interval between evaluations caused by new names.
const PATIENCE: Duration = Duration::from_millis(500);
/// Rows decided together.
const STRETCH: u64 = NEAR;

impl Filter {
    pub fn new(expr: Expr) -> Filter {
        Filter { exempts: true, ..Filter::strict(expr) }
    }

    /// A filter that passes only matching rows, as a search does.
    pub fn strict(expr: Expr) -> Filter {
        Filter { expr, ..Filter::default() }
    }

    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    pub fn is_everything(&self) -> bool {
        self.expr().is_everything()
    }

    /// Clears the results, as another decoding is shown.
    pub fn reset(&mut self) {
        self.bits.clear();
        self.names = None;
        self.hidden = 0;
        self.matched = 0;
    }

    /// Number of rows decided so far.
    pub fn looked_at(&self) -> u64 {
        if self.is_everything() { u64::MAX } else { self.bits.values().map(|b| b.len).sum() }
    }

    /// Whether [`Filter::shows`] can answer without reading rows.
    pub fn is_decided(&self, row: u64) -> bool {
        self.is_everything() || self.bits.get(&(row / STRETCH)).is_some_and(|b| b.len > row % STRETCH)
    }

    pub fn shows(&mut self, list: &RowList, row: u64) -> bool {
        if list.is_left_out(row) {
            return false;
        }
        if self.is_everything() {
            return true;
        }
        // It replaced a row that was decided before.
        if list.presence(row) == Presence::Marker {
            return self.exempts;
        }
        let (stretch, at) = (row / STRETCH, row % STRETCH);
        if !self.is_decided(row) {
            self.decide(list, stretch);
        }
        self.bits.get(&stretch).is_some_and(|b| b.len > at && b.words[(at / 64) as usize] >> (at % 64) & 1 == 1)
    }

    /// The nearest row from `row` on, inclusive, that passes or is not decided yet.
    pub fn next_candidate(&self, list: &RowList, row: u64, forward: bool) -> Option<u64> {
        let (start, len) = (list.first_kept(), list.len());
        if !(start..len).contains(&row) || self.is_everything() {
            return (start..len).contains(&row).then_some(row);
        }
        let found = self.next_open(row, len, forward);
        // Marker rows replaced rows that were decided.
        let markers = (0..list.sources()).filter_map(|source| {
            let last = list.source(source).gone().checked_sub(1)?;
            list.place(source, last)
        });
        if forward {
            markers.filter(|marker| *marker >= row).chain(found).min()
        } else {
            markers.filter(|marker| *marker <= row).chain(found).max()
        }
    }

    /// The nearest row from `row` on that passes or is undecided.
    fn next_open(&self, row: u64, len: u64, forward: bool) -> Option<u64> {
        let mut at = row;
        loop {
            let (block, first) = (at / STRETCH, at - at % STRETCH);
            let Some(bits) = self.bits.get(&block) else { return Some(at) };
            if let Some(found) = bits.next(at - first, forward) {
                return Some(first + found).filter(|found| *found < len);
            }
            at = if forward { first + STRETCH } else { first.checked_sub(1)? };
            if at >= len {
                return None;
            }
        }
    }

    /// Decides up to `stretches` blocks of rows, newest first; returns `false` once all are decided.
    pub fn work(&mut self, list: &RowList, stretches: usize, now: Instant) -> bool {
        self.work_until(list, list.len(), stretches, now)
    }

    /// [`Filter::work`] for the rows before `len`.
    pub fn work_until(&mut self, list: &RowList, len: u64, stretches: usize, now: Instant) -> bool {
        if self.is_everything() {
            return false;
        }
        let late = self.follow_names(list, now);
        let len = len.min(list.len());
        let open = |f: &Filter, s: u64| f.bits.get(&s).is_none_or(|b| b.len < STRETCH.min(len - s * STRETCH));
        let todo: Vec<u64> = (0..len.div_ceil(STRETCH)).rev().filter(|&s| open(self, s)).take(stretches).collect();
        todo.iter().for_each(|&s| self.decide(list, s));
        late || !todo.is_empty()
    }

    /// Re-evaluates if the names that the expression uses have changed; call before building a page. Returns `true` if
    /// postponed because names change faster than rows can be evaluated.
    pub fn follow_names(&mut self, list: &RowList, now: Instant) -> bool {
        self.follow_targets(list);
        self.follow_grown(list);
        let names = list.name_changes();
        if self.names == Some(names) {
            return false;
        }
        if self.depends_on_names() && self.named.is_some_and(|at| now.saturating_duration_since(at) < PATIENCE) {
            return true;
        }
        let formatters = list.formatter_changes();
        let are_others = std::mem::replace(&mut self.formatters, formatters) != formatters;
        if self.learn_names(list) || are_others || self.are_outdated(list) {
            self.filters.iter_mut().for_each(RowFilter::forget_names);
            self.reset();
        }
        self.named = self.depends_on_names().then_some(now);
        self.names = Some(names);
        false
    }

    /// Whether new names may change results, apart from names that meet a test for the first time.
    fn depends_on_names(&self) -> bool {
        let needs = self.rest_needs();
        !(Needs::COLUMNS | Needs::DELTA).contains(needs) || needs.contains(Needs::KIND)
    }

    fn rest_needs(&self) -> Needs {
        self.filters.iter().fold(Needs::empty(), |needs, filter| needs | filter.rest.needs())
    }

    /// Makes a filter for each target of the list.
    fn follow_targets(&mut self, list: &RowList) {
        let targets = if list.is_joint { list.sources() } else { 1 };
        self.filters.resize_with(targets, || RowFilter::new(self.expr.clone()));
    }

    /// Whether changed names outdate some results.
    fn are_outdated(&self, list: &RowList) -> bool {
        let by_keys = Needs::COLUMNS | Needs::DELTA | Needs::ROLES;
        let needs = self.rest_needs();
        if !self.depends_on_names() {
            return false;
        }
        if list.sources() > 1 || !by_keys.contains(needs) || needs.contains(Needs::KIND) {
            return true;
        }
        let locked = Locked::new(list, &[]);
        let others = locked.others(0);
        let dictionary = &locked.states[0].dictionary;
        self.filters.iter().any(|filter| {
            filter.is_outdated(&locked.sources[0].decoder.info, |epoch, row| {
                let row = dictionary.epoch_start(epoch).max(row);
                BlockNames { dictionary, others: &others, row, rows: &[], view: View::Effective, short: true }
            })
        })
    }

    /// Tests that no name of the list meets are false for every row. Returns `true` if one is met for the first time.
    fn learn_names(&mut self, list: &RowList) -> bool {
        let states = list.read_all();
        let related: Vec<_> = list.related.iter().map(|related| related.read()).collect();
        let dictionaries: Vec<_> = states.iter().chain(&related).map(|state| &*state.dictionary).collect();
        let mut is_new = false;
        for (target, filter) in self.filters.iter_mut().enumerate() {
            let decoder = &list.source(target).decoder;
            let own = if list.is_joint { &dictionaries[target..=target] } else { &dictionaries };
            is_new |= filter.learn_all(&decoder.info, &decoder.formatting, own);
        }
        is_new
    }

    /// Re-evaluates changed gaps, unless they pass anyway.
    fn follow_grown(&mut self, list: &RowList) {
        if self.exempts {
            return;
        }
        let grown = list.grown();
        let before = std::mem::replace(&mut self.grown, grown);
        for (source, count) in self.grown.clone().into_iter().enumerate() {
            let known = before.get(source).copied().unwrap_or(0);
            if count > known {
                let rows: Vec<u64> = list.source(source).read().grown(known).collect();
                let places = rows.into_iter().filter_map(|row| list.place(source, row));
                places.for_each(|row| self.forget(row / STRETCH));
            }
        }
    }

    /// Forgets the results of a block without exempt rows.
    fn forget(&mut self, stretch: u64) {
        if let Some(bits) = self.bits.remove(&stretch) {
            let matched = bits.words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            self.matched -= matched;
            self.hidden -= bits.len - matched;
        }
    }

    /// The nearest row from `row` on, inclusive, that passes here and in `shown`. Decides at most `stretches` blocks of
    /// rows; if that is not enough, the error is the row to continue from. Call [`Filter::follow_names`] before.
    pub fn seek(
        &mut self,
        list: &RowList,
        row: u64,
        direction: Direction,
        shown: &mut Filter,
        mut stretches: usize,
    ) -> Result<Option<u64>, u64> {
        let len = list.len();
        let mut next = Some(row);
        while let Some(row) = next.filter(|&row| row < len) {
            let undecided = !self.is_decided(row) || !shown.is_decided(row);
            if undecided && stretches == 0 {
                return Err(row);
            }
            stretches -= usize::from(undecided);
            let first = row - row % STRETCH;
            let passes = |row: &u64| self.shows(list, *row) && shown.shows(list, *row);
            let found = match direction {
                Direction::Forward => (row..len.min(first + STRETCH)).find(passes),
                Direction::Backward => (first..=row).rfind(passes),
            };
            if found.is_some() {
                return Ok(found);
            }
            next = match direction {
                Direction::Forward => Some(first + STRETCH),
                Direction::Backward => first.checked_sub(1),
            };
        }
        Ok(None)
    }

    /// The rows before `len` that pass here and in `shown`: those up to `row`, and all. `None` until all are decided.
    pub fn rank_among(&self, shown: &Filter, row: u64, len: u64) -> Option<(u64, u64)> {
        let (mut rank, mut total) = (0, 0);
        for stretch in 0..len.div_ceil(STRETCH) {
            let first = stretch * STRETCH;
            let last = len.min(first + STRETCH) - 1;
            if !self.is_decided(last) || !shown.is_decided(last) {
                return None;
            }
            for word in 0..(STRETCH / 64) {
                let bits = self.word(stretch, word) & shown.word(stretch, word);
                total += u64::from(bits.count_ones());
                let start = first + word * 64;
                let upto = match row.checked_sub(start) {
                    None => 0,
                    Some(63..) => bits,
                    Some(at) => bits & ((2 << at) - 1),
                };
                rank += u64::from(upto.count_ones());
            }
        }
        Some((rank, total))
    }

    /// 64 results; all ones if every row passes.
    fn word(&self, stretch: u64, word: u64) -> u64 {
        if self.is_everything() {
            return u64::MAX;
        }
        let words = self.bits.get(&stretch).map(|bits| &bits.words);
        words.and_then(|words| words.get(word as usize)).copied().unwrap_or(0)
    }

    fn decide(&mut self, list: &RowList, stretch: u64) {
        self.follow_targets(list);
        let first = stretch * STRETCH;
        let end = (first + STRETCH).min(list.len());
        let mut bits = self.bits.remove(&stretch).unwrap_or_default();
        bits.words.resize((STRETCH / 64) as usize, 0);
        let Filter { renderer, filters, hidden, matched, exempts, .. } = self;
        let is_exempt = |row: &Row| *exempts && matches!(RowRole::of(row), RowRole::Loss | RowRole::Event);
        renderer.select(list, first + bits.len..end, filters, is_exempt, |row, matches| {
            if matches != Some(false) {
                set(&mut bits, row - first);
            }
            *matched += u64::from(matches == Some(true));
            *hidden += u64::from(matches == Some(false));
        });
        bits.len = end - first;
        self.bits.insert(stretch, bits);
    }
}

impl Bits {
    /// The nearest row of the block from `at` on that passes or is undecided.
    fn next(&self, at: u64, forward: bool) -> Option<u64> {
        let word = |index: u64| self.words.get(index as usize).copied().unwrap_or(0);
        let open = (self.len < STRETCH).then_some(self.len);
        if forward {
            let set = (at / 64..STRETCH / 64).find_map(|index| {
                let from = if index == at / 64 { u64::MAX << (at % 64) } else { u64::MAX };
                let bits = word(index) & from;
                (bits != 0).then(|| index * 64 + u64::from(bits.trailing_zeros()))
            });
            return set.into_iter().chain(open.map(|open| open.max(at))).min();
        }
        if open.is_some_and(|open| open <= at) {
            return Some(at);
        }
        (0..=at / 64).rev().find_map(|index| {
            let upto = if index == at / 64 { u64::MAX >> (63 - at % 64) } else { u64::MAX };
            let bits = word(index) & upto;
            (bits != 0).then(|| index * 64 + 63 - u64::from(bits.leading_zeros()))
        })
    }
}

fn set(bits: &mut Bits, at: u64) {
    bits.words[(at / 64) as usize] |= 1 << (at % 64);
}
