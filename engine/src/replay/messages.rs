//! Messages in flight, each with its sending row: matched by number if the protocol has one, otherwise by queue order.
//! Reported queue lengths prove which messages are still queued.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F};

use super::{
    entity::{Id, Slots},
    row::Stamp,
};

/// Messages kept per queue; the oldest are dropped if none is ever taken.
const MOST: usize = 1024;
/// Maximum number of numbered messages and of unanswered calls.
const MOST_NUMBERED: usize = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Post {
    /// Number assigned here, from 1.
    pub(crate) flow: u64,
    pub(crate) at: Stamp,
    /// The sender, if it waits for a reply.
    pub(crate) caller: Option<Id>,
    /// Its number or the queue order identifies it. Otherwise earlier messages were taken unseen, or after a loss the
    /// target has not reported the queue length.
    pub(crate) is_sure: bool,
}

impl Post {
    /// Whether it is known to be the one received there. A message from before a loss is cut in any case.
    pub(crate) fn is_known_at(&self, received: &Stamp) -> bool {
        self.is_sure || self.at.is_cut(received)
    }
}

#[derive(Debug, Clone, Copy)]
struct QueuedPost {
    place: i64,
    signal: (u16, u64),
    flow: u64,
    at: Stamp,
}

#[derive(Debug, Clone, Default)]
struct Queue {
    posts: VecDeque<QueuedPost>,
    /// Place of the next message to be taken. Places without a post are of messages whose posts were not seen.
    front: i64,
    /// Place of the next message to be posted.
    back: i64,
    /// Losses before the last reported queue length.
    said: Option<u32>,
}

impl Queue {
    /// Drops the first messages of a queue that is longer than `most`.
    fn shorten(&mut self, most: usize) {
        self.front = self.front.max(self.back - most as i64);
        while self.posts.front().is_some_and(|post| post.place < self.front) {
            self.posts.pop_front();
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Messages {
    queues: Slots<Queue>,
    /// Losses when nothing was in flight; `None` if the start of the target was not seen.
    began: Option<u32>,
    /// Messages that carry a number.
    numbered: FxHashMap<u64, Post>,
    /// Calls by caller and callee.
    calls: FxHashMap<(Id, Id), Stamp>,
    sent: u64,
}

impl Messages {
    /// After a reset nothing is in flight.
    pub(super) fn reset(&mut self, losses: u32) {
        *self = Messages { sent: self.sent, began: Some(losses), ..Messages::default() };
    }

    /// The stream includes the start of the target.
    #[inline]
    pub(super) fn start(&mut self, losses: u32) {
        self.began = self.began.or(Some(losses));
    }

    /// A message was sent to a receiver (`None`: matched by number only). Returns the message number, or `None` if not
    /// delivered or not matchable.
    pub(super) fn sent(&mut self, activity: &Activity, to: Option<Id>, caller: Option<Id>, at: Stamp) -> Option<u64> {
        if activity.flags.contains(F::FAILED) || activity.second == 0 && to.is_none() {
            return None;
        }
        self.sent += 1;
        let flow = self.sent;
        if activity.second != 0 {
            if self.numbered.len() >= MOST_NUMBERED {
                self.numbered.clear();
            }
            self.numbered.insert(activity.second, Post { flow, at, caller, is_sure: true });
            return Some(flow);
        }
        let queue = self.queues.of(to?);
        let post = QueuedPost { place: queue.back, signal: (activity.item_space, activity.item), flow, at };
        if activity.flags.contains(F::LIFO) {
            queue.front -= 1;
            queue.posts.push_front(QueuedPost { place: queue.front, ..post });
        } else {
            queue.posts.push_back(post);
            queue.back += 1;
        }
        queue.shorten(MOST);
        Some(flow)
    }

    /// A thread received a message and will answer if the sender waits; returns the post.
    pub(super) fn received(&mut self, activity: &Activity, by: Option<Id>, losses: u32) -> Option<Post> {
        let post = self.taken(activity, by, losses)?;
        if let (Some(caller), Some(by)) = (post.caller, by) {
            if self.calls.len() >= MOST_NUMBERED {
                self.calls.clear();
            }
            self.calls.insert((caller, by), post.at);
        }
        Some(post)
    }

    /// Where the call answered by this message was made.
    pub(super) fn replied(&mut self, activity: &Activity, from: Option<Id>, to: Option<Id>) -> Option<Stamp> {
        if activity.second != 0 { None } else { self.calls.remove(&(to?, from?)) }
    }

    /// A message was taken from a queue; returns the post.
    pub(super) fn taken(&mut self, activity: &Activity, queue: Option<Id>, losses: u32) -> Option<Post> {
        if activity.second != 0 {
            return self.numbered.remove(&activity.second);
        }
        let queue = self.queues.of(queue?);
        let first = queue.posts.front().map_or(queue.back, |post| post.place);
        if first > queue.front {
            queue.front += 1;
            return None;
        }
        let signal = (activity.item_space, activity.item);
        let at = queue.posts.iter().position(|post| post.signal == signal)?;
        let is_sure = at == 0 && queue.said.or(self.began) == Some(losses);
        // Earlier ones were taken unseen.
        let post = queue.posts.drain(..=at).next_back()?;
        queue.front = post.place + 1;
        Some(Post { flow: post.flow, at: post.at, caller: None, is_sure })
    }

    /// The target reported the length of a queue.
    #[inline]
    pub(super) fn wait(&mut self, of: Id, used: u64, losses: u32) {
        let Some(used) = usize::try_from(used).ok().filter(|used| *used <= MOST) else { return };
        let queue = self.queues.of(of);
        queue.said = Some(losses);
        queue.shorten(used);
        queue.front = queue.back - used as i64;
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Verb as V;

    use super::*;

    fn post(signal: u64) -> Activity {
        Activity::new(V::POST).item(20, signal)
    }

    fn started() -> Messages {
        let mut messages = Messages::default();
        messages.start(0);
        messages
    }

    fn sent(messages: &mut Messages, activity: Activity) -> Option<u64> {
        messages.sent(&activity, Some(Id(1)), None, Stamp::default())
    }

    fn get(messages: &mut Messages, signal: u64) -> Option<(u64, bool)> {
        let post = messages.taken(&Activity::new(V::GET).item(20, signal), Some(Id(1)), 0);
        post.map(|post| (post.flow, post.is_sure))
    }

    #[test]
    fn messages_come_in_the_order_of_their_queue() {
        let mut messages = started();
        let posts = [post(5), post(6), post(7).with(F::LIFO), post(8).with(F::FAILED)];
        assert_eq!(posts.map(|post| sent(&mut messages, post)), [Some(1), Some(2), Some(3), None]);
        let expected = [(7, Some((3, true))), (5, Some((1, true))), (6, Some((2, true))), (6, None)];
        expected.into_iter().for_each(|(signal, flow)| assert_eq!(get(&mut messages, signal), flow));
    }

    #[test]
    fn the_signal_must_agree_and_those_before_it_are_gone() {
        let mut messages = started();
        [5, 6, 5].iter().for_each(|&signal| assert!(sent(&mut messages, post(signal)).is_some()));
        assert_eq!([get(&mut messages, 6), get(&mut messages, 9)], [Some((2, false)), None]);
        assert_eq!([get(&mut messages, 5), get(&mut messages, 5)], [Some((3, true)), None]);
    }

    #[test]
    fn the_order_is_not_sure_where_the_target_was_not_seen_to_start() {
        let mut messages = Messages::default();
        sent(&mut messages, post(5));
        assert_eq!(get(&mut messages, 5), Some((1, false)));
    }

    #[test]
    fn a_reported_length_counts_messages_whose_posts_were_not_seen() {
        let mut messages = started();
        messages.wait(Id(1), 2, 0);
        assert_eq!(get(&mut messages, 5), None);
        let posts = [post(5), post(6).with(F::LIFO)];
        assert_eq!(posts.map(|post| sent(&mut messages, post)), [Some(1), Some(2)]);
        let expected = [(6, Some((2, true))), (7, None), (5, Some((1, true))), (5, None)];
        expected.into_iter().for_each(|(signal, flow)| assert_eq!(get(&mut messages, signal), flow));
    }

    #[test]
    fn behind_a_loss_the_order_is_not_sure_until_a_length_is_reported() {
        let get = |messages: &mut Messages, losses| {
            let post = messages.taken(&Activity::new(V::GET).item(20, 5), Some(Id(1)), losses);
            post.map(|post| (post.flow, post.is_sure))
        };
        let mut messages = Messages::default();
        // The first was taken unseen: each get takes the post before its own.
        [0, 1, 1].iter().for_each(|&losses| {
            let at = Stamp { losses, ..Stamp::default() };
            messages.sent(&post(5), Some(Id(1)), None, at);
        });
        assert_eq!([1, 1].map(|losses| get(&mut messages, losses)), [Some((1, false)), Some((2, false))]);
        messages.wait(Id(1), 1, 1);
        assert_eq!(get(&mut messages, 1), Some((3, true)));
        // The same after a reset, unless records are lost with it.
        for (losses, is_sure) in [(2, true), (3, false)] {
            messages.reset(2);
            messages.sent(&post(5), Some(Id(1)), None, Stamp::default());
            assert_eq!(get(&mut messages, losses).map(|post| post.1), Some(is_sure));
        }
    }

    #[test]
    fn a_number_of_its_own_counts_most() {
        let mut messages = Messages::default();
        assert_eq!(messages.sent(&post(5).second(77), None, None, Stamp::default()), Some(1));
        let received = Activity::new(V::RECEIVE).second(77);
        assert_eq!([1, 2].map(|_| messages.received(&received, None, 0).map(|post| post.flow)), [Some(1), None]);
    }

    #[test]
    fn a_queue_that_nobody_empties_stays_small() {
        let mut messages = Messages::default();
        (0..5_000).for_each(|signal| assert!(sent(&mut messages, post(signal)).is_some()));
        assert_eq!(messages.queues.get(Id(1)).map(|queue| queue.posts.len()), Some(MOST));
    }
}
