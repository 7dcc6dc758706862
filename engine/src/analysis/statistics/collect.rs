//! The statistics, updated row by row in merged order.

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Row, RowFlags, RowKind, Verb as V};

use super::{
    events::Events,
    measure::Measure as M,
    moments::{Book, Counts, Here},
    processor::Processor,
    sections::Sections,
    tally::{Subject, Sum},
    tasks::Tasks,
};
use crate::analysis::{
    change::Change,
    entity::{Entities, Key, Operands},
    objects::{FedRow, Moment},
    reducer::Reducer,
};

/// Things followed at most, so that noise does not exhaust memory.
const MOST: usize = 1 << 14;
/// Spaces of the object and the second key of a kind, and whether the second is scoped by the first.
type Spaces = (u16, u16, bool);
/// Figures of all rows that were taken.
#[derive(Debug)]
pub struct Statistics {
    reducer: Reducer,
    changes: Vec<Change>,
    events: Events,
    tasks: Tasks,
    sections: Sections,
    processor: Processor,
    book: Book,
    spaces: Vec<Spaces>,
    losses: u32,
    span: Span,
    epoch: u32,
    rows: u64,
}

/// The time that passed.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    first: Option<u64>,
    last: u64,
    /// Of the epochs before.
    before: u64,
}

impl Span {
    fn ticks(&self) -> u64 {
        self.before + self.first.map_or(0, |first| self.last.saturating_sub(first))
    }
}

impl Statistics {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(info: &Info) -> Statistics {
        let mut reducer = Reducer::new(info);
        reducer.entities = Entities::limited(info, MOST);
        Statistics {
            reducer,
            changes: Vec::new(),
            events: Events::new(info),
            tasks: Tasks::default(),
            sections: Sections::default(),
            processor: Processor::default(),
            book: Book::default(),
            spaces: spaces(info),
            losses: 0,
            span: Span::default(),
            epoch: 0,
            rows: 0,
        }
    }

    /// The same, where the rows before this one are gone.
    #[must_use]
    pub fn begin_at(self, row: u64) -> Statistics {
        Statistics { rows: row, ..self }
    }

    /// Number of the next row.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Time that passed from the first row to the last one, that of all epochs together, in ticks.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.span.ticks()
    }

    /// What is known of a measure beyond its values.
    #[must_use]
    pub fn counts(&self, measure: M) -> Counts {
        self.book.counts(measure)
    }

    /// The sums of a measure.
    pub fn sums(&self, measure: M) -> impl Iterator<Item = (&Subject, &Sum)> {
        self.book.tally.of(measure)
    }

    /// Number of values that are summed up without object and signal, because there are too many of them.
    #[must_use]
    pub fn rest(&self) -> u64 {
        self.book.tally.rest()
    }

    /// Ticks of which it is known what each core did, and of which it is not.
    pub fn cores(&self) -> impl Iterator<Item = (u16, u64, u64)> {
        let cores = self.processor.cores().map(|(number, core)| (number, core.known, core.unknown));
        cores.filter(|(_, known, unknown)| known + unknown > 0)
    }

    /// Takes the next row.
    pub fn row(&mut self, row: &Row, fed: &FedRow, activities: &[Activity]) {
        if fed.epoch != self.epoch {
            self.epoch = fed.epoch;
            self.forget();
        }
        if fed.loses {
            self.losses += 1;
            self.reducer.lost(&mut self.changes);
            self.events.lost();
            self.processor.lost();
        }
        self.rows = fed.at.row + 1;
        let own = fed.at.time.filter(|_| row.has(RowFlags::TIME_OWN));
        if let Some(time) = own {
            self.span.first.get_or_insert(time);
            self.span.last = self.span.last.max(time);
        }
        let at = Moment { time: own, ..fed.at };
        let item = self.second_key(row, activities);
        if row.is_record() {
            self.rate(row, item, fed.bytes, at);
        }
        if !activities.is_empty() {
            let here = Here { at, kind: row.kind, group: row.group, losses: self.losses, item };
            activities.iter().for_each(|activity| self.activity(*activity, &here));
        }
    }

    /// The target was reset: nothing that is under way goes on.
    fn forget(&mut self) {
        self.reducer.forget(&mut self.changes);
        self.changes.clear();
        self.events.forget();
        self.tasks = Tasks::default();
        self.sections.forget();
        self.processor.forget();
        self.span = Span { before: self.span.ticks(), ..Span::default() };
    }

    fn activity(&mut self, mut activity: Activity, here: &Here) {
        if activity.verb == V::RESET {
            return self.forget();
        }
        if !self.reducer.resolve(&mut activity) {
            return;
        }
        let who = self.reducer.entities.operands(&activity);
        let entities = &self.reducer.entities;
        match activity.verb {
            V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK => self.schedules(&activity, who, here),
            V::ISR_IN | V::ISR_OUT => {
                self.sections.activity(&activity, who, here, entities, &mut self.book);
                self.processor.activity((&activity, &[]), who, here, entities, &mut self.book);
            }
            V::CRIT_IN | V::CRIT_OUT | V::SCHED_LOCK | V::SCHED_UNLOCK | V::TAKE | V::GIVE | V::BEGIN | V::END => {
                self.sections.activity(&activity, who, here, entities, &mut self.book);
            }
            _ => {
                self.events.activity(&activity, who, here, entities, &mut self.book);
                self.level(&activity, who, here);
            }
        }
    }

    fn schedules(&mut self, activity: &Activity, who: Operands, here: &Here) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        self.reducer.apply(activity, who, here.at.time.unwrap_or(0), false, &mut changes);
        let entities = &self.reducer.entities;
        self.tasks.changed(activity, &changes, here, entities, &mut self.book);
        self.processor.activity((activity, &changes), who, here, entities, &mut self.book);
        self.changes = changes;
    }

    fn level(&mut self, activity: &Activity, who: Operands, here: &Here) {
        let Some(of) = who.obj else { return };
        let subject = here.subject(Some(self.reducer.entities.key(of)), None, activity.core);
        let tally = &mut self.book.tally;
        match activity.verb {
            V::FULL => tally.add(M::Free, subject, 0, here.at),
            V::LEVEL => {
                let is_free = activity.flags.contains(F::FREE);
                tally.add(if is_free { M::Free } else { M::Used }, subject, activity.val, here.at);
                // Of a refused request the second value is its margin; without a low-water mark it is 0.
                if activity.second > 0 && !activity.flags.contains(F::FAILED) {
                    tally.reported_least(M::Free, subject, activity.second, here.at);
                }
            }
            _ => {}
        }
    }

    fn rate(&mut self, row: &Row, signal: Option<Key>, bytes: u64, at: Moment) {
        let (space, ..) = self.spaces_of(row.kind);
        let has_object = row.has(RowFlags::HAS_OBJECT) && space != NONE;
        let object = has_object.then_some(Key { space, key: row.obj, scope: 0 });
        let subject = Subject { kind: row.kind, group: row.group, core: row.core, object, signal };
        self.book.tally.add(M::Rate, subject, bytes, at);
    }

    fn spaces_of(&self, kind: RowKind) -> Spaces {
        self.spaces.get(usize::from(kind.0)).copied().unwrap_or((NONE, NONE, false))
    }

    /// The second key of a row. What scopes it is the object of the row, unless an activity says whose it is: the signal
    /// of a timer is one of its receiver.
    fn second_key(&self, row: &Row, activities: &[Activity]) -> Option<Key> {
        let (_, space, is_scoped) = self.spaces_of(row.kind);
        if !row.has(RowFlags::HAS_ITEM) || space == NONE {
            return None;
        }
        if !is_scoped {
            return Some(Key { space, key: row.item, scope: 0 });
        }
        let is_said = |activity: &&Activity| (activity.item_space, activity.item) == (space, row.item);
        let said = activities.iter().find(is_said);
        let named = said.map(|activity| self.reducer.entities.named(activity, space, row.item));
        Some(named.unwrap_or(Key { space, key: row.item, scope: row.obj }))
    }
}

/// The spaces of each kind, by its number.
fn spaces(info: &Info) -> Vec<Spaces> {
    let most = info.kinds.iter().map(|kind| usize::from(kind.last.0) + 1).max().unwrap_or(0);
    let mut spaces = vec![(NONE, NONE, false); most];
    // Of kinds that overlap the first one counts.
    for kind in info.kinds.iter().rev().filter(|kind| kind.first <= kind.last) {
        let is_scoped = info.space(kind.item_space).is_some_and(|space| space.scope_space != NONE);
        spaces[usize::from(kind.first.0)..=usize::from(kind.last.0)].fill((kind.obj_space, kind.item_space, is_scoped));
    }
    spaces
}
