//! Pairs posts and gets of active objects, if the pairing is certain.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Maximum number of posts kept by queue.
const MOST_POSTS: usize = 4096;
/// Maximum number of queues.
const MOST_QUEUES: usize = 65_536;

/// Number of pairs of records that make out the object of a queue.
const EVIDENT: u8 = 2;

/// Signal and time of a post that waits for its get; `None` for an unknown element.
type Post = Option<(u64, u64)>;

/// The queue of an object, as far as known.
#[derive(Clone, Debug, Default)]
struct Queue {
    posts: VecDeque<Post>,
    /// The length is known; otherwise it is a lower bound.
    sure: bool,
    /// Length reported by a queue record, valid for the next post or get.
    reported: Option<u64>,
}

impl Queue {
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

    /// The content is not as assumed.
    fn forget(&mut self) {
        self.posts.clear();
        self.sure = false;
    }
}

/// The queues of all objects, as far as known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    queues: FxHashMap<u64, Queue>,
    /// Object of a queue.
    owners: FxHashMap<u64, u64>,
    /// Object that may own a queue, and how often the order of records said so.
    guessed: FxHashMap<u64, (u64, u8)>,
    /// Queue and length of the last record, if its object is unknown.
    unowned: Option<(u64, u64)>,
    /// Queues that are not in the table yet were empty at the start.
    empty: bool,
}

impl Queues {
    /// The target started: all queues are empty.
    pub(crate) fn start(&mut self) {
        self.queues.clear();
        self.empty = true;
    }

    /// Records were lost: nothing is certain any more.
    pub(crate) fn records_lost(&mut self) {
        self.queues.clear();
        self.empty = false;
        self.unowned = None;
    }

    /// Sets the object that owns a queue.
    pub(crate) fn owner(&mut self, queue: u64, object: u64) {
        if object != 0 && self.owners.len() < MOST_QUEUES {
            self.owners.insert(queue, object);
        }
    }

    /// A record without meaning for queues.
    #[inline]
    pub(crate) fn other_record(&mut self) {
        self.unowned = None;
    }

    /// A queue record reported the length after the post or get that follows.
    pub(crate) fn level(&mut self, queue: u64, length: u64) {
        let Some(object) = self.owners.get(&queue) else {
            self.unowned = Some((queue, length));
            return;
        };
        if let Some(queue) = of(&mut self.queues, self.empty, *object) {
            queue.reported = Some(length);
        }
    }

    /// The length that the record of a queue just before this post or get reported. Where the records that say whose
    /// queue it is are missing, that order tells it, if it does so again and again.
    fn learn_owner(&mut self, object: u64) -> Option<u64> {
        let (queue, length) = self.unowned.take()?;
        if self.guessed.len() >= MOST_QUEUES && !self.guessed.contains_key(&queue) {
            return None;
        }
        let (guess, times) = self.guessed.entry(queue).or_insert((object, 0));
        (*guess, *times) = if *guess == object { (object, *times + 1) } else { (object, 1) };
        if *times < EVIDENT {
            return None;
        }
        self.owner(queue, object);
        Some(length)
    }

    /// A queue was emptied.
    pub(crate) fn cleared(&mut self, queue: u64) {
        let Some(object) = self.owners.get(&queue) else { return };
        if let Some(queue) = of(&mut self.queues, self.empty, *object) {
            queue.set_length(0);
        }
    }

    /// An event was posted; `length` = length of the queue including it.
    pub(crate) fn post(&mut self, object: u64, signal: u64, time: u64, length: Option<u64>, in_front: bool) {
        let learned = self.learn_owner(object);
        let Some(queue) = of(&mut self.queues, self.empty, object) else { return };
        let length = length.or(queue.reported.take()).or(learned);
        if let Some(before) = length.and_then(|l| l.checked_sub(1)) {
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

    /// An object took an event; returns the time of the post if it is certain. `length` = remaining length.
    pub(crate) fn get(&mut self, object: u64, signal: u64, length: Option<u64>) -> Option<u64> {
        let learned = self.learn_owner(object);
        let queue = of(&mut self.queues, self.empty, object)?;
        let length = length.or(queue.reported.take()).or(learned);
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

fn of(queues: &mut FxHashMap<u64, Queue>, empty: bool, object: u64) -> Option<&mut Queue> {
    if queues.len() >= MOST_QUEUES && !queues.contains_key(&object) {
        return None;
    }
    Some(queues.entry(object).or_insert_with(|| Queue { sure: empty, ..Queue::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u64 = 1;

    fn started() -> Queues {
        let mut queues = Queues::default();
        queues.start();
        queues
    }

    #[test]
    fn posts_in_front_are_taken_first() {
        let mut queues = started();
        queues.post(A, 7, 100, Some(1), false);
        queues.post(A, 8, 110, Some(2), true);
        assert_eq!(queues.get(A, 8, Some(1)), Some(110));
        assert_eq!(queues.get(A, 7, Some(0)), Some(100));
    }

    #[test]
    fn nothing_is_certain_after_a_loss_until_lengths_say_so() {
        let mut queues = started();
        queues.post(A, 7, 100, Some(1), false);
        queues.records_lost();
        queues.post(A, 7, 120, Some(2), false);
        assert_eq!(queues.get(A, 7, Some(1)), None, "which of the two?");
        assert_eq!(queues.get(A, 7, Some(0)), Some(120));
    }

    #[test]
    fn without_lengths_nothing_is_certain_after_a_loss() {
        let mut queues = started();
        queues.post(A, 7, 100, None, false);
        assert_eq!(queues.get(A, 7, None), Some(100));
        queues.records_lost();
        queues.post(A, 7, 120, None, false);
        assert_eq!(queues.get(A, 7, None), None);
    }

    #[test]
    fn lengths_may_come_from_queue_records() {
        let mut queues = Queues::default();
        queues.owner(50, A);
        queues.level(50, 1);
        queues.post(A, 7, 100, None, false);
        queues.level(50, 0);
        assert_eq!(queues.get(A, 7, None), Some(100));
        queues.cleared(50);
        queues.post(A, 7, 130, None, false);
        assert_eq!(queues.get(A, 7, None), Some(130));
    }

    #[test]
    fn the_order_of_records_tells_whose_queue_it_is() {
        let mut queues = Queues::default();
        for time in [100, 200, 300] {
            queues.level(50, 1);
            queues.post(A, 7, time, None, false);
            assert_eq!(queues.owners.contains_key(&50), time > 100, "one pair may be chance");
            queues.level(50, 0);
            assert_eq!(queues.get(A, 7, None), Some(time));
        }
        // Another record in between: no pair.
        let mut queues = Queues::default();
        for time in [100, 200, 300] {
            queues.level(50, 1);
            queues.other_record();
            queues.post(A, 7, time, None, false);
            queues.other_record();
            assert_eq!(queues.get(A, 7, None), None);
        }
    }

    #[test]
    fn a_hidden_get_makes_its_queue_uncertain() {
        let mut queues = started();
        queues.post(A, 7, 100, Some(1), false);
        queues.post(A, 7, 105, Some(1), false);
        assert_eq!(queues.get(A, 7, Some(0)), Some(105));
        queues.post(A, 7, 110, None, false);
        assert_eq!(queues.get(A, 9, None), None);
        queues.post(A, 7, 120, None, false);
        assert_eq!(queues.get(A, 7, None), None);
    }
}
