//! Events from their post to the end of their step, messages from sending to reply.

use spytui_plugin_api::{Activity, ActivityFlags as F, Verb as V};

use super::{
    measure::Measure as M,
    moments::{Book, Here},
};
use crate::replay::{Change, Entities, Id, Key, Post, Seen, Stamp, got};

pub(super) fn activity(seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
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

/// An activity with its context.
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
