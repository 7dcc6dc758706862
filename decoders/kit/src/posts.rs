//! Pairs posts and gets of active objects, where certain, to measure how long events waited.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

const MOST_POSTS: usize = 4096;
const MOST_QUEUES: usize = 65_536;

/// Signal and time of a pending post; `None` for an unknown event.
type Post = Option<(u64, u64)>;

/// What a record reports about its queue, after the post or get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    Length(u64),
    Free(u64),
    Unknown,
}

#[derive(Clone, Copy, Debug, Default)]
enum Room {
    #[default]
    Unknown,
    /// Unknown, but the queue is empty, so the next post reveals it.
    Empty,
    Of(u64),
}

/// The known state of an object's queue.
#[derive(Clone, Debug, Default)]
struct Queue {
    posts: VecDeque<Post>,
    /// The length is known; otherwise it is a lower bound.
    sure: bool,
    /// Length reported by a queue record, which applies to the next post or get.
    reported: Option<u64>,
    room: Room,
    /// [`Posts::losses`] when last used.
    losses: u32,
}

impl Queue {
    /// The length after a post or get.
    fn length(&mut self, fill: Fill, is_post: bool) -> Option<u64> {
        match (fill, self.room) {
            (Fill::Length(length), _) => Some(length),
            (Fill::Unknown, _) => self.reported.take(),
            (Fill::Free(free), Room::Of(room)) => room.checked_sub(free),
            (Fill::Free(free), Room::Empty) if is_post => {
                self.room = Room::Of(free.saturating_add(1));
                Some(1)
            }
            (Fill::Free(_), _) => None,
        }
    }

    /// Sets the length reported by the target. Unseen posts become unknown events in front of the known ones, where
    /// they do no harm.
    fn set_length(&mut self, length: u64) {
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(MOST_POSTS);
        if self.posts.len() > length {
            // Unseen gets took some events; it is unknown which.
            self.posts.clear();
        }
        while self.posts.len() < length {
            self.posts.push_front(None);
        }
        self.sure = true;
    }

    /// Records were lost since the last use: only the capacity is still known.
    fn follow(&mut self, losses: u32) {
        self.forget();
        self.reported = None;
        if !matches!(self.room, Room::Of(_)) {
            self.room = Room::Unknown;
        }
        self.losses = losses;
    }

    /// Forgets the content, which is not as assumed.
    fn forget(&mut self) {
        self.posts.clear();
        self.sure = false;
    }
}

/// The known queues of all objects.
#[derive(Clone, Debug, Default)]
pub struct Posts {
    queues: FxHashMap<u64, Queue>,
    /// New queues in the table were empty at the start.
    empty: bool,
    /// Number of losses so far. Each queue catches up on its next use, because there may be many.
    losses: u32,
}

impl Posts {
    /// Marks all queues as empty, because the target started.
    pub fn start(&mut self) {
        *self = Posts { empty: true, ..Posts::default() };
    }

    /// After a loss, only capacities are still certain.
    pub fn records_lost(&mut self) {
        self.empty = false;
        self.losses = self.losses.wrapping_add(1);
    }

    /// The queue of an object; `None` if there are too many queues.
    fn queue(&mut self, object: u64) -> Option<&mut Queue> {
        if self.queues.len() >= MOST_QUEUES && !self.queues.contains_key(&object) {
            return None;
        }
        let (sure, losses) = (self.empty, self.losses);
        let room = if sure { Room::Empty } else { Room::Unknown };
        let new = || Queue { sure, room, losses, ..Queue::default() };
        let queue = self.queues.entry(object).or_insert_with(new);
        if queue.losses != losses {
            queue.follow(losses);
        }
        Some(queue)
    }

    /// Notes a reported length of an object's queue, after the post or get that follows.
    pub fn level(&mut self, object: u64, length: u64) {
        if let Some(queue) = self.queue(object) {
            queue.reported = Some(length);
        }
    }

    pub fn cleared(&mut self, object: u64) {
        if let Some(queue) = self.queue(object) {
            queue.set_length(0);
        }
    }

    /// Notes a post; `fill` = state of the queue afterwards.
    pub fn post(&mut self, object: u64, signal: u64, time: u64, fill: Fill, in_front: bool) {
        let Some(queue) = self.queue(object) else { return };
        if let Some(before) = queue.length(fill, true).and_then(|length| length.checked_sub(1)) {
            queue.set_length(before);
        }
        if queue.posts.len() >= MOST_POSTS {
            queue.forget();
        }
        if in_front {
            queue.posts.push_front(Some((signal, time)));
        } else {
            queue.posts.push_back(Some((signal, time)));
        }
    }

    /// Notes a get; returns the time of the post if certain. `fill` = state of the queue afterwards.
    pub fn get(&mut self, object: u64, signal: u64, fill: Fill) -> Option<u64> {
        let queue = self.queue(object)?;
        let length = queue.length(fill, false);
        if (length, matches!(queue.room, Room::Unknown)) == (Some(0), true) {
            queue.room = Room::Empty;
        }
        if let Some(left) = length {
            queue.set_length(left.saturating_add(1));
        }
        let posted = match queue.posts.pop_front() {
            Some(Some((posted, time))) if posted == signal => Some(time).filter(|_| queue.sure),
            Some(None) => None,
            // Another signal than the posted one, or nothing was posted.
            _ => {
                queue.forget();
                None
            }
        };
        if let Some(left) = length {
            queue.set_length(left);
        }
        posted
    }
}

#[cfg(test)]
mod tests {
    use super::{Fill::*, *};

    const A: u64 = 1;

    fn started() -> Posts {
        let mut posts = Posts::default();
        posts.start();
        posts
    }

    #[test]
    fn posts_in_front_are_taken_first() {
        let mut posts = started();
        posts.post(A, 7, 100, Length(1), false);
        posts.post(A, 8, 110, Length(2), true);
        assert_eq!(posts.get(A, 8, Length(1)), Some(110));
        assert_eq!(posts.get(A, 7, Length(0)), Some(100));
    }

    #[test]
    fn nothing_is_certain_after_a_loss_until_lengths_say_so() {
        let mut posts = started();
        posts.post(A, 7, 100, Length(1), false);
        posts.records_lost();
        posts.post(A, 7, 120, Length(2), false);
        assert_eq!(posts.get(A, 7, Length(1)), None, "which of the two?");
        assert_eq!(posts.get(A, 7, Length(0)), Some(120));
    }

    #[test]
    fn without_lengths_nothing_is_certain_after_a_loss() {
        let mut posts = started();
        posts.post(A, 7, 100, Unknown, false);
        assert_eq!(posts.get(A, 7, Unknown), Some(100));
        posts.records_lost();
        posts.post(A, 7, 120, Unknown, false);
        assert_eq!(posts.get(A, 7, Unknown), None);
    }

    #[test]
    fn a_hidden_get_makes_its_queue_uncertain() {
        let mut posts = started();
        posts.post(A, 7, 100, Length(1), false);
        posts.post(A, 7, 105, Length(1), false);
        assert_eq!(posts.get(A, 7, Length(0)), Some(105));
        posts.post(A, 7, 110, Unknown, false);
        assert_eq!(posts.get(A, 9, Unknown), None);
        posts.post(A, 7, 120, Unknown, false);
        assert_eq!(posts.get(A, 7, Unknown), None);
    }

    #[test]
    fn the_room_of_a_queue_is_learned_when_it_is_empty() {
        let mut posts = Posts::default();
        // The trace starts late: the queue may contain anything.
        posts.post(A, 7, 100, Free(3), false);
        assert_eq!(posts.get(A, 7, Free(4)), None);
        assert_eq!(posts.get(A, 7, Length(0)), None);
        posts.post(A, 7, 200, Free(5), false);
        assert_eq!(posts.get(A, 7, Length(0)), Some(200));
        // With a known capacity, free entries give the length, even after a loss.
        posts.records_lost();
        posts.post(A, 7, 300, Free(4), false);
        assert_eq!(posts.get(A, 7, Free(5)), None, "posted before the loss");
        assert_eq!(posts.get(A, 7, Length(0)), Some(300));
    }

    #[test]
    fn a_target_that_starts_has_empty_queues() {
        let mut posts = started();
        posts.post(A, 7, 100, Free(5), false);
        posts.post(A, 8, 110, Free(4), true);
        assert_eq!(posts.get(A, 8, Free(5)), Some(110));
        assert_eq!(posts.get(A, 7, Length(0)), Some(100));
    }

    #[test]
    fn a_post_that_was_not_sent_makes_nothing_certain() {
        let mut posts = started();
        posts.post(A, 7, 100, Free(5), false);
        // A post of the same signal in front of it got lost.
        assert_eq!(posts.get(A, 7, Free(5)), None);
        posts.post(A, 9, 200, Free(5), false);
        assert_eq!(posts.get(A, 8, Length(0)), None);
    }
}
