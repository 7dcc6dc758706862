//! Collects statistics row by row in merged order: rates and levels, events from post to end of step, messages from
//! sending to reply, interrupts, critical sections, locks and spans.

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Row, RowFlags, RowKind, Verb as V};

use super::{
    measure::{Measure as M, SubjectColumn, SubjectColumns},
    tally::{OpenInterval, StillOpen, Subject, TalliedActivity, Tally, key_of_number},
    tasks::{MachineStates, Processor, Tasks},
};
use crate::{
    analysis::objects::ObjectState,
    replay::{
        Change, Entities, FedRow, Id, Key, Moment, Observed, Observer, Post, Replay, Section, Seen, Stamp, got,
        is_of_interval, is_of_section,
    },
};

/// Spaces of a kind's object and second key, and whether the object scopes the second key.
type Spaces = (u16, u16, bool);
pub type Statistics = Observed<Collector>;

#[derive(Debug, Clone, Default)]
pub struct Collector {
    tasks: Tasks,
    states: MachineStates,
    processor: Processor,
    pub tally: Tally,
    spaces: Vec<Spaces>,
    span: Span,
    /// The second key of the current row.
    item: Option<Key>,
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

    /// Ticks in which each core's activity is known, and in which it is not.
    pub fn cores(&self) -> impl Iterator<Item = (u16, u64, u64)> {
        self.processor.cores()
    }

    fn rate(&mut self, row: &Row, bytes: u64, at: &Moment) {
        let (space, ..) = self.spaces_of(row.kind);
        let has_object = row.has(RowFlags::HAS_OBJECT) && space != NONE;
        let object = has_object.then_some(Key { space, key: row.obj, scope: 0 });
        let subject = Subject { kind: row.kind, group: row.group, core: row.core, object, signal: self.item };
        self.tally.add(M::Rate, &subject, bytes, at);
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
    /// The last row as the end of an interval.
    pub fn here(&self) -> Stamp {
        self.replay.stamp
    }

    /// All intervals still open, including those that a loss makes uncertain.
    pub fn open_intervals(&self) -> impl Iterator<Item = OpenInterval> {
        let Collector { tasks, states, .. } = &**self;
        let steps = self.replay.machines.steps().map(|(machine, step)| OpenInterval {
            measure: M::Step,
            object: Some(machine),
            signal: step.signal,
            core: None,
            begin: step.begin,
        });
        let sections = self.replay.sections.open().map(|(section, core, begin)| {
            let (measure, object) = measured(section);
            OpenInterval { measure, object, signal: None, core, begin }
        });
        tasks.open().chain(states.open()).chain(sections).chain(steps)
    }

    /// Intervals still open, if the columns can identify them. After a loss they may have ended unseen, as may all if
    /// ends are never recorded.
    pub fn open(&self, measure: M, by: SubjectColumns) -> impl Iterator<Item = (Subject, StillOpen)> {
        let here = Stamp { time: self.last().time, ..self.replay.stamp };
        let all = self.open_intervals();
        // Kind, and signal of a span, are only known from the record at the end.
        let at_end = by.has(SubjectColumn::Kind)
            || by.has(SubjectColumn::Group)
            || measure == M::Span && by.has(SubjectColumn::Signal);
        let ends = self.tally.sums(measure).next().is_some() && !at_end;
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
        Collector { spaces: spaces(info), ..Collector::default() }
    }

    fn needs(verb: V) -> bool {
        matches!(verb, V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK | V::REST | V::VALUE) || is_of_interval(verb)
    }

    fn row(&mut self, fed: &FedRow, activities: &[Activity], replay: &mut Replay) {
        let row = &fed.row;
        let own = fed.at.time.filter(|_| row.has(RowFlags::TIME_OWN));
        if let Some(time) = own {
            self.span.first.get_or_insert(time);
            self.span.last = self.span.last.max(time);
        }
        self.item = self.second_key(row, activities, &replay.entities);
        if row.is_record() {
            self.rate(row, fed.bytes, &Moment { time: own, ..fed.at });
        }
    }

    fn activity(&mut self, seen: &Seen<'_>, entities: &mut Entities) {
        let mut of = TalliedActivity { seen, entities, tally: &mut self.tally };
        match seen.activity.verb {
            V::RUN | V::STATE | V::DELETE | V::IDLE | V::BLOCK => {
                self.tasks.changed(&mut of);
                self.processor.activity(&mut of);
            }
            V::ISR_IN | V::ISR_OUT => {
                of.sections(self.item);
                self.processor.activity(&mut of);
            }
            verb if is_of_section(verb) => of.sections(self.item),
            V::LEVEL | V::FULL => of.level(),
            V::VALUE => of.value(),
            _ => {
                of.events();
                self.states.changed(&mut of);
            }
        }
    }

    fn lost(&mut self) {
        self.processor.lost();
    }

    fn reset(&mut self, _: Option<Moment>, _: bool) {
        self.tasks = Tasks::default();
        self.states = MachineStates::default();
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

impl TalliedActivity<'_> {
    fn events(&mut self) {
        let Seen { activity, who, changes, .. } = *self.seen;
        match (activity.verb, who.sub, who.obj) {
            (V::POST, ..) => {
                let posted = u64::from(!activity.flags.contains(F::FAILED));
                for measure in [M::Wait, M::Latency, M::Response] {
                    self.tally.count(measure).begun += posted;
                }
            }
            (V::SEND | V::PULSE | V::SIGNAL, from, _) => match (changes.first(), from) {
                (Some(Change::Replied { call }), Some(from)) => self.ends(M::Reply, *call, from, None),
                _ => self.tally.count(M::Receive).begun += u64::from(activity.second != 0),
            },
            (V::GET, by, queue) => {
                let post = self.known_post(M::Wait);
                if let (Some(by), Some(post)) = (by.or(queue), post) {
                    self.ends(M::Wait, post.at, by, self.entities.item(activity));
                }
            }
            (V::RECEIVE, Some(by), _) => {
                if let Some(post) = self.known_post(M::Receive) {
                    self.ends(M::Receive, post.at, by, None);
                    self.tally.count(M::Reply).begun += u64::from(post.caller.is_some());
                }
            }
            (V::DISPATCH | V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE, ..) => {
                changes.iter().for_each(|change| self.step(*change));
            }
            _ => {}
        }
    }

    /// The post of the message received or taken; one that is not certain is counted.
    fn known_post(&mut self, measure: M) -> Option<Post> {
        let post = got(self.seen.changes)?;
        let is_known = post.is_known_at(self.seen.stamp);
        self.tally.count(measure).unsure += u64::from(!is_known);
        is_known.then_some(post)
    }

    fn step(&mut self, change: Change) {
        match change {
            Change::StepBegins { machine, step } => {
                if let Some(post) = step.known_post() {
                    self.ends(M::Latency, post.at, machine, step.signal);
                }
                self.tally.count(M::Step).begun += 1;
            }
            // What only a next event ends was not seen to end.
            Change::StepEnds { machine, step, .. } if self.seen.activity.verb != V::DISPATCH => {
                self.ends(M::Step, step.begin, machine, step.signal);
                if let Some(post) = step.known_post() {
                    self.ends(M::Response, post.at, machine, step.signal);
                }
            }
            _ => {}
        }
    }

    fn level(&mut self) {
        let Seen { activity, who, .. } = *self.seen;
        let Some(of) = who.obj else { return };
        let subject = self.subject(Some(self.entities.key(of)), None);
        if activity.verb == V::FULL {
            return self.number(M::Free, &subject, 0);
        }
        let measure = if activity.flags.contains(F::FREE) { M::Free } else { M::Used };
        self.number(measure, &subject, activity.val);
        // In a refused request the second value is the margin; 0 means no low-water mark.
        if activity.second > 0 && !activity.flags.contains(F::FAILED) {
            self.tally.reported_least(M::Free, &subject, activity.second, self.at());
        }
    }

    fn value(&mut self) {
        let Seen { activity, who, .. } = *self.seen;
        let value = ObjectState::number(activity.val, activity.flags);
        if let Some(of) = who.sub.filter(|_| !value.is_nan()) {
            let subject = self.subject(Some(self.entities.key(of)), None);
            self.number(M::Value, &subject, key_of_number(value));
        }
    }

    /// Sections entered and left; `item` = the second key of the row.
    fn sections(&mut self, item: Option<Key>) {
        for change in self.seen.changes {
            match *change {
                Change::Enters { section, is_nested, .. } => {
                    let (measure, _) = measured(section);
                    self.tally.count(measure).begun += u64::from(!is_nested || counts_each(measure));
                }
                Change::Leaves { section, begin, is_nested, .. } => {
                    let (measure, object) = measured(section);
                    if !is_nested || counts_each(measure) {
                        let activity = self.seen.activity;
                        // The signal of an end record, or its second key.
                        let signal = self.entities.item(activity).or(item.filter(|_| activity.verb == V::END));
                        let object = object.map(|object| self.entities.key(object));
                        self.ends_of(measure, begin, &self.subject(object, signal));
                    }
                }
                _ => {}
            }
        }
    }
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
