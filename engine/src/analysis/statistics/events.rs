//! Events from their post to the end of their step, messages from sending to reply.

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Verb as V};

use super::{
    measure::Measure as M,
    moments::{Book, Here, OpenInterval},
};
use crate::{
    decode::span::StepEnd,
    replay::{Change, Entities, Id, Key, Post, Seen, Slots, Stamp, got},
};

#[derive(Debug, Clone, Copy)]
struct Step {
    signal: Option<Key>,
    begin: Stamp,
    post: Option<Stamp>,
    is_handled: bool,
}

/// Events and messages in flight.
#[derive(Debug, Clone)]
pub(super) struct Events {
    /// Events taken and not yet dispatched, by machine, with their signal.
    taken: Slots<Option<((u16, u64), Stamp)>>,
    /// By machine.
    steps: Slots<Option<Step>>,
    end: StepEnd,
}

impl Events {
    pub(super) fn new(info: &Info) -> Events {
        Events { taken: Slots::default(), steps: Slots::default(), end: StepEnd::new(info) }
    }

    /// After a reset nothing is in flight.
    pub(super) fn forget(&mut self) {
        (self.taken, self.steps) = (Slots::default(), Slots::default());
    }

    pub(super) fn activity(&mut self, seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
        let of = Of { activity: seen.activity, here, entities };
        match (of.activity.verb, seen.who.sub, seen.who.obj) {
            (V::POST, ..) => {
                let posted = u64::from(!of.activity.flags.contains(F::FAILED));
                for measure in [M::Wait, M::Latency, M::Response] {
                    book.count(measure).begun += posted;
                }
            }
            (V::SEND | V::PULSE | V::SIGNAL, from, _) => sent(&of, from, seen.changes, book),
            (V::GET, by, queue) => self.taken(&of, by, queue, got(seen.changes), book),
            (V::RECEIVE, Some(by), _) => received(&of, by, got(seen.changes), book),
            (V::DISPATCH, Some(machine), _) => self.dispatched(&of, machine, got(seen.changes), book),
            (V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE, Some(machine), _) => {
                self.handled(&of, machine, book);
            }
            _ => {}
        }
    }

    pub(super) fn open(&self) -> impl Iterator<Item = OpenInterval> {
        let open = |(id, step): (Id, &Option<Step>)| {
            let Step { signal, begin, .. } = (*step)?;
            Some(OpenInterval { measure: M::Step, object: Some(id), signal, core: None, begin })
        };
        self.steps.iter().filter_map(open)
    }

    fn taken(&mut self, of: &Of<'_>, by: Option<Id>, queue: Option<Id>, found: Option<Post>, book: &mut Book) {
        let post = found.filter(|post| of.is_known(post)).map(|post| post.at);
        book.count(M::Wait).unsure += u64::from(found.is_some() && post.is_none());
        let Some(by) = by.or(queue) else { return };
        *self.steps.of(by) = None;
        *self.taken.of(by) = post.map(|post| ((of.activity.item_space, of.activity.item), post));
        if let Some(post) = post {
            of.ends(M::Wait, post, by, of.signal(), book);
        }
    }

    fn dispatched(&mut self, of: &Of<'_>, machine: Id, found: Option<Post>, book: &mut Book) {
        let open = self.steps.of(machine);
        if open.is_some_and(|step| step.is_handled && !step.begin.is_cut(&of.here.stamp)) {
            self.end.is_missing();
        }
        let signal = (of.activity.item_space, of.activity.item);
        let post = match self.taken.of(machine).take() {
            Some((taken, post)) => Some(post).filter(|_| taken == signal),
            None => found.filter(|post| of.is_known(post)).map(|post| post.at),
        };
        if let Some(post) = post {
            of.ends(M::Latency, post, machine, of.signal(), book);
        }
        book.count(M::Step).begun += 1;
        let step = Step { signal: of.signal(), begin: of.here.stamp, post, is_handled: false };
        *self.steps.of(machine) = Some(step);
    }

    /// An event was handled. This ends the step unless the target reports the end itself.
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

fn sent(of: &Of<'_>, from: Option<Id>, changes: &[Change], book: &mut Book) {
    match (changes.first(), from) {
        (Some(Change::Replied { call }), Some(from)) => of.ends(M::Reply, *call, from, None, book),
        _ => book.count(M::Receive).begun += u64::from(of.activity.second != 0),
    }
}

fn received(of: &Of<'_>, by: Id, post: Option<Post>, book: &mut Book) {
    let Some(post) = post else { return };
    if !of.is_known(&post) {
        book.count(M::Receive).unsure += 1;
        return;
    }
    of.ends(M::Receive, post.at, by, None, book);
    book.count(M::Reply).begun += u64::from(post.caller.is_some());
}

/// An activity with its context.
struct Of<'a> {
    activity: &'a Activity,
    here: &'a Here,
    entities: &'a Entities,
}

impl Of<'_> {
    /// Whether the received message is known. A message from before a loss is cut in any case.
    fn is_known(&self, post: &Post) -> bool {
        post.is_sure || post.at.is_cut(&self.here.stamp)
    }

    fn signal(&self) -> Option<Key> {
        let Activity { item_space, item, .. } = *self.activity;
        (item_space != NONE).then(|| self.entities.named(self.activity, item_space, item))
    }

    fn ends(&self, measure: M, begin: Stamp, object: Id, signal: Option<Key>, book: &mut Book) {
        let subject = self.here.subject(Some(self.entities.key(object)), signal, self.activity.core);
        book.ends(measure, begin, self.here, &subject);
    }
}
