//! Pairs posts and gets of active objects, if the pairing is certain: how long an event waited.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Maximum number of posts kept by queue.
const MOST_POSTS: usize = 4096;
/// Maximum number of queues.
const MOST_QUEUES: usize = 65_536;

/// Signal and time of a post that waits for its get; `None` for an unknown element.
type Post = Option<(u64, u64)>;

/// What a record reports of its queue, after what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Number of events in it.
    Length(u64),
    /// Number of events that it still takes.
    Free(u64),
    /// Nothing.
    Unknown,
}

/// How many events a queue takes in all.
#[derive(Clone, Copy, Debug, Default)]
enum Room {
    #[default]
    Unknown,
    /// Not known either, but the queue is empty: with the next post it is.
    Empty,
    Of(u64),
}

/// The queue of an object, as far as known.
#[derive(Clone, Debug, Default)]
struct Queue {
    posts: VecDeque<Post>,
    /// The length is known; otherwise it is a lower bound.
    sure: bool,
    /// Length reported by a queue record, valid for the next post or get.
    reported: Option<u64>,
    room: Room,
    /// [`Posts::losses`] when it was used last.
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

    /// Sets the length as reported by the target. Unseen posts become unknown elements, in front of the known ones,
    /// where they do no harm.
    fn set_length(&mut self, length: u64) {
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(MOST_POSTS);
        if self.posts.len() > length {
            // Unseen gets took some elements, and which ones is unknown.
            self.posts.clear();
        }
        while self.posts.len() < length {
            self.posts.push_front(None);
        }
        self.sure = true;
    }

    /// Records were lost since it was used: only how much it takes is known.
    fn follow(&mut self, losses: u32) {
        self.forget();
        self.reported = None;
        if !matches!(self.room, Room::Of(_)) {
            self.room = Room::Unknown;
        }
        self.losses = losses;
    }

    /// The content is not as assumed.
    fn forget(&mut self) {
        self.posts.clear();
        self.sure = false;
    }
}

/// The queues of all objects, as far as known.
#[derive(Clone, Debug, Default)]
pub struct Posts {
    queues: FxHashMap<u64, Queue>,
    /// Queues that are not in the table yet were empty at the start.
    empty: bool,
    /// How often records were lost: queues follow when they are used, as there may be many.
    losses: u32,
}

impl Posts {
    /// The target started: all queues are empty.
    pub fn start(&mut self) {
        *self = Posts { empty: true, ..Posts::default() };
    }

    /// Records were lost: nothing is certain any more but how much queues take.
    pub fn records_lost(&mut self) {
        self.empty = false;
        self.losses = self.losses.wrapping_add(1);
    }

    /// The queue of an object; `None` if there are too many.
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

    /// A record reported the length of an object's queue after the post or get that follows.
    pub fn level(&mut self, object: u64, length: u64) {
        if let Some(queue) = self.queue(object) {
            queue.reported = Some(length);
        }
    }

    /// The queue of an object was emptied.
    pub fn cleared(&mut self, object: u64) {
        if let Some(queue) = self.queue(object) {
            queue.set_length(0);
        }
    }

    /// An event was posted; `fill` = that of the queue with it.
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

    /// An object took an event; returns the time of the post if it is certain. `fill` = that of the queue without it.
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
            // Another signal than the one posted, or none was posted.
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
        // Joined late: the queue may hold anything.
        posts.post(A, 7, 100, Free(3), false);
        assert_eq!(posts.get(A, 7, Free(4)), None);
        assert_eq!(posts.get(A, 7, Length(0)), None);
        posts.post(A, 7, 200, Free(5), false);
        assert_eq!(posts.get(A, 7, Length(0)), Some(200));
        // With its room known, free entries are its length, also after a loss.
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
        // Another one of the same signal, put in front, did not come.
        assert_eq!(posts.get(A, 7, Free(5)), None);
        posts.post(A, 9, 200, Free(5), false);
        assert_eq!(posts.get(A, 8, Length(0)), None);
    }
}
