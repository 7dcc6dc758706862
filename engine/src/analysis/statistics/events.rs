//! Events from their post to the end of their step, messages from their sending to the reply.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Verb as V};

use super::{
    measure::Measure as M,
    moments::{Begin, Book, Here},
};
use crate::{
    decode::step_end::StepEnd,
    replay::{Entities, Id, Key, Queues, Seen, Slots},
};

/// Calls without a reply that are kept.
const MOST: usize = 1 << 14;

/// A post, or a message that was sent.
#[derive(Debug, Clone, Copy)]
struct Post {
    begin: Begin,
    /// Who waits for a reply.
    caller: Option<Id>,
}

/// A run-to-completion step that is open.
#[derive(Debug, Clone, Copy)]
struct Step {
    signal: Option<Key>,
    begin: Begin,
    post: Option<Begin>,
    is_handled: bool,
}

/// Events and messages on their way.
#[derive(Debug, Clone)]
pub(super) struct Events {
    queues: Queues<Post>,
    /// Events that were taken and are not dispatched yet, by machine, with their signal.
    taken: Slots<Option<((u16, u64), Begin)>>,
    /// By machine.
    steps: Slots<Option<Step>>,
    /// The records of this target show when an event is taken from its queue.
    shows_taking: bool,
    /// Who called whom.
    calls: FxHashMap<(Id, Id), Begin>,
    end: StepEnd,
}

impl Events {
    pub(super) fn new(info: &Info) -> Events {
        Events {
            queues: Queues::default(),
            taken: Slots::default(),
            steps: Slots::default(),
            shows_taking: false,
            calls: FxHashMap::default(),
            end: StepEnd::new(info),
        }
    }

    /// Records may be missing here.
    pub(super) fn lost(&mut self) {
        self.queues.lost();
    }

    /// After a reset of the target nothing is on its way.
    pub(super) fn forget(&mut self) {
        self.queues = Queues::default();
        (self.taken, self.steps) = (Slots::default(), Slots::default());
        self.calls.clear();
    }

    pub(super) fn activity(&mut self, seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
        let Seen { activity, who, .. } = *seen;
        let of = Of { activity, here, entities };
        match (activity.verb, who.sub, who.obj) {
            (V::POST, _, to) => {
                self.queues.sent(activity, to, Post { begin: here.begin(), caller: None });
                let posted = u64::from(!activity.flags.contains(F::FAILED));
                for measure in [M::Wait, M::Latency, M::Response] {
                    book.count(measure).begun += posted;
                }
            }
            (V::SEND | V::PULSE | V::SIGNAL, from, to) => self.sent(&of, from, to, book),
            (V::GET, by, queue) => self.taken(&of, by, queue, book),
            (V::RECEIVE, by, _) => self.received(&of, by, book),
            (V::LEVEL | V::EMPTY | V::CLEARED, _, Some(queue)) => self.queues.level(activity, queue),
            (V::DISPATCH, Some(machine), _) => self.dispatched(&of, machine, book),
            (V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE, Some(machine), _) => {
                self.handled(&of, machine, book);
            }
            _ => {}
        }
    }

    fn sent(&mut self, of: &Of<'_>, from: Option<Id>, to: Option<Id>, book: &mut Book) {
        let Activity { verb, second, .. } = *of.activity;
        if let (Some(from), Some(to), 0) = (from, to, second) {
            if let Some(begin) = self.calls.remove(&(to, from)) {
                of.ends(M::Reply, begin, from, None, book);
            }
            return;
        }
        if second != 0 {
            let caller = from.filter(|_| verb == V::SEND);
            self.queues.sent(of.activity, None, Post { begin: of.here.begin(), caller });
            book.count(M::Receive).begun += 1;
        }
    }

    fn received(&mut self, of: &Of<'_>, by: Option<Id>, book: &mut Book) {
        let Some((post, is_sure)) = self.queues.taken(of.activity, by) else { return };
        let Some(by) = by else { return };
        if !is_sure {
            book.count(M::Receive).unsure += 1;
            return;
        }
        of.ends(M::Receive, post.begin, by, None, book);
        if let Some(caller) = post.caller {
            if self.calls.len() >= MOST {
                self.calls.clear();
            }
            self.calls.insert((caller, by), post.begin);
            book.count(M::Reply).begun += 1;
        }
    }

    fn taken(&mut self, of: &Of<'_>, by: Option<Id>, queue: Option<Id>, book: &mut Book) {
        self.shows_taking = true;
        let found = self.queues.taken(of.activity, queue.or(by));
        let post = found.filter(|(_, is_sure)| *is_sure).map(|(post, _)| post.begin);
        book.count(M::Wait).unsure += u64::from(found.is_some() && post.is_none());
        let Some(by) = by.or(queue) else { return };
        *self.steps.of(by) = None;
        *self.taken.of(by) = post.map(|post| ((of.activity.item_space, of.activity.item), post));
        if let Some(post) = post {
            of.ends(M::Wait, post, by, of.signal(), book);
        }
    }

    fn dispatched(&mut self, of: &Of<'_>, machine: Id, book: &mut Book) {
        let open = self.steps.of(machine);
        if open.is_some_and(|step| step.is_handled && !step.begin.is_cut(of.here)) {
            self.end.is_missing();
        }
        let signal = (of.activity.item_space, of.activity.item);
        let post = match self.taken.of(machine).take() {
            Some((taken, post)) => Some(post).filter(|_| taken == signal),
            None if self.shows_taking => None,
            None => self.queues.taken(of.activity, Some(machine)).filter(|found| found.1).map(|found| found.0.begin),
        };
        if let Some(post) = post {
            of.ends(M::Latency, post, machine, of.signal(), book);
        }
        book.count(M::Step).begun += 1;
        let step = Step { signal: of.signal(), begin: of.here.begin(), post, is_handled: false };
        *self.steps.of(machine) = Some(step);
    }

    /// An event was handled, which is the end of the step unless the target reports the end itself.
    fn handled(&mut self, of: &Of<'_>, machine: Id, book: &mut Book) {
        let verb = of.activity.verb;
        if verb == V::DONE {
            self.end.came();
        }
        let slot = self.steps.of(machine);
        let Some(step) = slot else { return };
        step.is_handled |= matches!(verb, V::TRAN | V::INTERNAL);
        let rejected = verb == V::UNHANDLED || of.activity.flags.contains(F::FAILED);
        let is_end = if self.end.is_apart() { verb == V::DONE || rejected } else { verb != V::UNHANDLED };
        if !is_end {
            return;
        }
        let Some(step) = slot.take() else { return };
        of.ends(M::Step, step.begin, machine, step.signal, book);
        if let Some(post) = step.post {
            of.ends(M::Response, post, machine, step.signal, book);
        }
    }
}

/// An activity with its surroundings.
struct Of<'a> {
    activity: &'a Activity,
    here: &'a Here,
    entities: &'a Entities,
}

impl Of<'_> {
    fn signal(&self) -> Option<Key> {
        let Activity { item_space, item, .. } = *self.activity;
        (item_space != NONE).then(|| self.entities.named(self.activity, item_space, item))
    }

    fn ends(&self, measure: M, begin: Begin, object: Id, signal: Option<Key>, book: &mut Book) {
        let subject = self.here.subject(Some(self.entities.key(object)), signal, self.activity.core);
        book.ends(measure, begin, self.here, subject);
    }
}
