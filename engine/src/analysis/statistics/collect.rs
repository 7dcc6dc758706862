//! Collects statistics row by row in merged order: rates and levels, events from post to end of step, messages from
//! sending to reply, interrupts, critical sections, locks and spans.

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Row, RowFlags, RowKind, Verb as V};

use super::{
    measure::{Measure as M, SubjectColumn, SubjectColumns},
    tally::{Book, Here, MeasureCounts, OpenInterval, StillOpen, Subject, Sum},
    tasks::{Processor, Tasks},
};
use crate::replay::{
    Change, Entities, FedRow, Id, Key, Moment, Observed, Observer, Post, Replay, Section, Seen, Stamp, got,
    is_of_section,
};

/// Spaces of a kind's object and second key, and whether the object scopes the second key.
type Spaces = (u16, u16, bool);
pub type Statistics = Observed<Collector>;

#[derive(Debug, Clone)]
pub struct Collector {
    tasks: Tasks,
    processor: Processor,
    book: Book,
    spaces: Vec<Spaces>,
    span: Span,
    here: Here,
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    first: Option<u64>,
    last: u64,
    /// Ticks of earlier epochs.
    before: u64,
}

impl Span {
    fn ticks(&self) -> u64 {
        self.before.saturating_add(self.first.map_or(0, |first| self.last.saturating_sub(first)))
    }
}

impl Collector {
    /// Time from first to last row, summed over all epochs, in ticks.
    pub fn ticks(&self) -> u64 {
        self.span.ticks()
    }

    /// Beginnings of a measure, and those that could not be measured.
    pub fn counts(&self, measure: M) -> MeasureCounts {
        self.book.counts(measure)
    }

    pub fn sums(&self, measure: M) -> impl Iterator<Item = (&Subject, &Sum)> {
        self.book.tally.of(measure)
    }

    /// Number of values summed up without object and signal, because there are too many subjects.
    pub fn rest(&self) -> u64 {
        self.book.tally.rest()
    }

    /// Ticks in which each core's activity is known, and in which it is not.
    pub fn cores(&self) -> impl Iterator<Item = (u16, u64, u64)> {
        let cores = self.processor.cores().map(|(number, core)| (number, core.known, core.unknown));
        cores.filter(|(_, known, unknown)| known + unknown > 0)
    }

    fn level(&mut self, seen: &Seen<'_>, entities: &Entities) {
        let (activity, here) = (seen.activity, &self.here);
        let Some(of) = seen.who.obj else { return };
        let subject = here.subject(Some(entities.key(of)), None, activity.core);
        let tally = &mut self.book.tally;
        match activity.verb {
            V::FULL => tally.add(M::Free, &subject, 0, &here.at),
            V::LEVEL => {
                let is_free = activity.flags.contains(F::FREE);
                tally.add(if is_free { M::Free } else { M::Used }, &subject, activity.val, &here.at);
                // In a refused request the second value is the margin; 0 means no low-water mark.
                if activity.second > 0 && !activity.flags.contains(F::FAILED) {
                    tally.reported_least(M::Free, &subject, activity.second, here.at);
                }
            }
            _ => {}
        }
    }

    fn rate(&mut self, row: &Row, signal: Option<Key>, bytes: u64, at: &Moment) {
        let (space, ..) = self.spaces_of(row.kind);
        let has_object = row.has(RowFlags::HAS_OBJECT) && space != NONE;
        let object = has_object.then_some(Key { space, key: row.obj, scope: 0 });
        let subject = Subject { kind: row.kind, group: row.group, core: row.core, object, signal };
        self.book.tally.add(M::Rate, &subject, bytes, at);
    }

    fn spaces_of(&self, kind: RowKind) -> Spaces {
        self.spaces.get(usize::from(kind.0)).copied().unwrap_or((NONE, NONE, false))
    }

    /// The second key of a row, scoped by the row's object unless an activity names the owner: a timer's signal belongs
    /// to its receiver.
    fn second_key(&self, row: &Row, activities: &[Activity], entities: &Entities) -> Option<Key> {
        let (_, space, is_scoped) = self.spaces_of(row.kind);
        if !row.has(RowFlags::HAS_ITEM) || space == NONE {
            return None;
        }
        if !is_scoped {
            return Some(Key { space, key: row.item, scope: 0 });
        }
        let is_said = |activity: &&Activity| (activity.item_space, activity.item) == (space, row.item);
        let said = activities.iter().find(is_said);
        let named = said.map(|activity| entities.named(activity, space, row.item));
        Some(named.unwrap_or(Key { space, key: row.item, scope: row.obj }))
    }
}

impl Statistics {
    /// Intervals still open, if the columns can identify them. After a loss they may have ended unseen, as may all if
    /// ends are never recorded.
    pub fn open(&self, measure: M, by: SubjectColumns) -> impl Iterator<Item = (Subject, StillOpen)> {
        let Collector { tasks, .. } = &**self;
        let here = Stamp { time: self.last().time, ..self.replay.stamp };
        let steps = self.replay.machines.steps().map(|(machine, step)| OpenInterval {
            measure: M::Step,
            object: Some(machine),
            signal: step.signal,
            core: None,
            begin: step.begin,
        });
        let sections = self.replay.sections.open().map(open_section);
        let all = tasks.open().chain(sections).chain(steps);
        // Kind, and signal of a span, are only known from the record at the end.
        let at_end = by.has(SubjectColumn::Kind)
            || by.has(SubjectColumn::Group)
            || measure == M::Span && by.has(SubjectColumn::Signal);
        let ends = self.sums(measure).next().is_some() && !at_end;
        all.filter(move |open| ends && open.measure == measure && (open.core.is_some() || !by.has(SubjectColumn::Core)))
            .filter_map(move |OpenInterval { object, signal, core, begin, .. }| {
                let ticks = begin.until(&here).filter(|ticks| *ticks > 0 && !begin.is_cut(&here))?;
                let object = object.map(|object| self.replay.entities.key(object));
                let subject = Subject { kind: RowKind::default(), group: 0, core: core.unwrap_or(0), object, signal };
                Some((by.only(&subject), StillOpen { value: ticks, row: begin.row }))
            })
    }
}

impl Observer for Collector {
    fn new(info: &Info) -> Collector {
        Collector {
            tasks: Tasks::default(),
            processor: Processor::default(),
            book: Book::default(),
            spaces: spaces(info),
            span: Span::default(),
            here: Here::default(),
        }
    }

    fn needs(verb: V) -> bool {
        matches!(verb, V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK)
            || matches!(verb, V::POST | V::SEND | V::PULSE | V::SIGNAL | V::GET | V::RECEIVE | V::DISPATCH)
            || matches!(verb, V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE)
            || matches!(verb, V::LEVEL | V::EMPTY | V::CLEARED)
            || is_of_section(verb)
    }

    fn row(&mut self, fed: &FedRow, activities: &[Activity], replay: &mut Replay) {
        let row = &fed.row;
        let own = fed.at.time.filter(|_| row.has(RowFlags::TIME_OWN));
        if let Some(time) = own {
            self.span.first.get_or_insert(time);
            self.span.last = self.span.last.max(time);
        }
        let at = Moment { time: own, ..fed.at };
        let item = self.second_key(row, activities, &replay.entities);
        if row.is_record() {
            self.rate(row, item, fed.bytes, &at);
        }
        self.here = Here { at, kind: row.kind, group: row.group, stamp: replay.stamp, item };
    }

    fn activity(&mut self, seen: &Seen<'_>, entities: &mut Entities) {
        let (here, book) = (&self.here, &mut self.book);
        match seen.activity.verb {
            V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK => {
                self.tasks.changed(seen, here, entities, book);
                self.processor.activity(seen, here, entities, book);
            }
            V::ISR_IN | V::ISR_OUT => {
                sections(seen, here, entities, book);
                self.processor.activity(seen, here, entities, book);
            }
            verb if is_of_section(verb) => sections(seen, here, entities, book),
            _ => {
                events(seen, here, entities, book);
                self.level(seen, entities);
            }
        }
    }

    fn lost(&mut self) {
        self.processor.lost();
    }

    fn reset(&mut self, _: Option<Moment>, _: bool) {
        self.tasks = Tasks::default();
        self.processor.forget();
        self.span = Span { before: self.span.ticks(), ..Span::default() };
    }
}

/// The spaces of each kind, by its number.
fn spaces(info: &Info) -> Vec<Spaces> {
    let most = info.kinds.iter().map(|kind| usize::from(kind.last.0) + 1).max().unwrap_or(0);
    let mut spaces = vec![(NONE, NONE, false); most];
    // Of overlapping kinds the first one counts.
    for kind in info.kinds.iter().rev().filter(|kind| kind.first <= kind.last) {
        let is_scoped = info.space(kind.item_space).is_some_and(|space| space.scope_space != NONE);
        spaces[usize::from(kind.first.0)..=usize::from(kind.last.0)].fill((kind.obj_space, kind.item_space, is_scoped));
    }
    spaces
}

fn events(seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
    let of = Of { activity: seen.activity, here, entities };
    match (of.activity.verb, seen.who.sub, seen.who.obj) {
        (V::POST, ..) => {
            let posted = u64::from(!of.activity.flags.contains(F::FAILED));
            for measure in [M::Wait, M::Latency, M::Response] {
                book.count(measure).begun += posted;
            }
        }
        (V::SEND | V::PULSE | V::SIGNAL, from, _) => sent(&of, from, seen.changes, book),
        (V::GET, by, queue) => taken(&of, by.or(queue), got(seen.changes), book),
        (V::RECEIVE, Some(by), _) => received(&of, by, got(seen.changes), book),
        (V::DISPATCH | V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE, ..) => {
            seen.changes.iter().for_each(|change| step(&of, *change, book));
        }
        _ => {}
    }
}

fn taken(of: &Of<'_>, by: Option<Id>, found: Option<Post>, book: &mut Book) {
    let post = found.filter(|post| post.is_known_at(&of.here.stamp));
    book.count(M::Wait).unsure += u64::from(found.is_some() && post.is_none());
    if let (Some(by), Some(post)) = (by, post) {
        of.ends(M::Wait, post.at, by, of.entities.item(of.activity), book);
    }
}

fn step(of: &Of<'_>, change: Change, book: &mut Book) {
    match change {
        Change::StepBegins { machine, step } => {
            if let Some(post) = step.known_post() {
                of.ends(M::Latency, post.at, machine, step.signal, book);
            }
            book.count(M::Step).begun += 1;
        }
        // What only a next event ends was not seen to end.
        Change::StepEnds { machine, step, .. } if of.activity.verb != V::DISPATCH => {
            of.ends(M::Step, step.begin, machine, step.signal, book);
            if let Some(post) = step.known_post() {
                of.ends(M::Response, post.at, machine, step.signal, book);
            }
        }
        _ => {}
    }
}

fn sent(of: &Of<'_>, from: Option<Id>, changes: &[Change], book: &mut Book) {
    match (changes.first(), from) {
        (Some(Change::Replied { call }), Some(from)) => of.ends(M::Reply, *call, from, None, book),
        _ => book.count(M::Receive).begun += u64::from(of.activity.second != 0),
    }
}

fn received(of: &Of<'_>, by: Id, post: Option<Post>, book: &mut Book) {
    let Some(post) = post else { return };
    if !post.is_known_at(&of.here.stamp) {
        book.count(M::Receive).unsure += 1;
        return;
    }
    of.ends(M::Receive, post.at, by, None, book);
    book.count(M::Reply).begun += u64::from(post.caller.is_some());
}

struct Of<'a> {
    activity: &'a Activity,
    here: &'a Here,
    entities: &'a Entities,
}

impl Of<'_> {
    fn ends(&self, measure: M, begin: Stamp, object: Id, signal: Option<Key>, book: &mut Book) {
        let subject = self.here.subject(Some(self.entities.key(object)), signal, self.activity.core);
        book.ends(measure, begin, self.here, &subject);
    }
}

fn sections(seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
    for change in seen.changes {
        match *change {
            Change::Enters { section, is_nested, .. } => {
                let (measure, _) = measured(section);
                book.count(measure).begun += u64::from(!is_nested || counts_each(measure));
            }
            Change::Leaves { section, begin, is_nested, .. } => {
                let (measure, object) = measured(section);
                if !is_nested || counts_each(measure) {
                    let object = object.map(|object| entities.key(object));
                    let subject = here.subject(object, signal(seen.activity, here, entities), seen.activity.core);
                    book.ends(measure, begin, here, &subject);
                }
            }
            _ => {}
        }
    }
}

fn open_section((section, core, begin): (Section, Option<u16>, Stamp)) -> OpenInterval {
    let (measure, object) = measured(section);
    OpenInterval { measure, object, signal: None, core, begin }
}

fn measured(section: Section) -> (M, Option<Id>) {
    match section {
        Section::Isr(isr) => (M::Interrupt, Some(isr)),
        Section::Critical => (M::Critical, None),
        Section::Locked => (M::Locked, None),
        Section::Held(lock) => (M::Held, Some(lock)),
        Section::Span(of) => (M::Span, Some(of)),
    }
}

/// Of nested critical sections and locks, only the outermost one counts.
fn counts_each(measure: M) -> bool {
    matches!(measure, M::Interrupt | M::Span)
}

/// The signal of an end record, or its second key.
fn signal(activity: &Activity, here: &Here, entities: &Entities) -> Option<Key> {
    let named = activity.item_space != NONE;
    let own = named.then(|| entities.named(activity, activity.item_space, activity.item));
    own.or(here.item.filter(|_| activity.verb == V::END))
}
