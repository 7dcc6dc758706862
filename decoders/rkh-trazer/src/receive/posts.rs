//! Pairs posts and gets of active objects. The queue length is in the record itself, or in a record of the queue, which
//! is identified by its own address.

use rustc_hash::FxHashMap;
use spytui_decoder_kit::{Fill, Posts};

const MOST_QUEUES: usize = 65_536;

/// Number of consecutive record pairs that establish a queue's owner.
const EVIDENT: u8 = 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    posts: Posts,
    owners: FxHashMap<u64, u64>,
    /// Possible owner of each queue, and how often the order of records confirmed it.
    guessed: FxHashMap<u64, (u64, u8)>,
    /// Queue and length in the last record, if the owner is unknown.
    unowned: Option<(u64, u64)>,
}

impl Queues {
    /// Marks all queues as empty, because the target started.
    pub(crate) fn start(&mut self) {
        self.posts.start();
    }

    /// After a loss, nothing is certain any more.
    pub(crate) fn records_lost(&mut self) {
        self.posts.records_lost();
        self.unowned = None;
    }

    pub(crate) fn owner(&mut self, queue: u64, object: u64) {
        if object != 0 && self.owners.len() < MOST_QUEUES {
            self.owners.insert(queue, object);
        }
    }

    /// Notes a record that does not concern queues.
    #[inline]
    pub(crate) fn other_record(&mut self) {
        self.unowned = None;
    }

    /// Notes the queue length in a queue record: the length after the post or get that is recorded next.
    pub(crate) fn level(&mut self, queue: u64, length: u64) {
        match self.owners.get(&queue) {
            Some(object) => self.posts.level(*object, length),
            None => self.unowned = Some((queue, length)),
        }
    }

    /// The length in the queue record just before this post or get. If no record has named the queue's owner, repeated
    /// pairs of such records establish it.
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

    pub(crate) fn cleared(&mut self, queue: u64) {
        if let Some(object) = self.owners.get(&queue) {
            self.posts.cleared(*object);
        }
    }

    /// Notes a post; `length` = length of the queue including it.
    pub(crate) fn post(&mut self, object: u64, signal: u64, time: u64, length: Option<u64>, in_front: bool) {
        let learned = self.learn_owner(object);
        self.posts.post(object, signal, time, fill(length.or(learned)), in_front);
    }

    /// Notes a get; returns the time of the post if certain. `length` = remaining length.
    pub(crate) fn get(&mut self, object: u64, signal: u64, length: Option<u64>) -> Option<u64> {
        let learned = self.learn_owner(object);
        self.posts.get(object, signal, fill(length.or(learned)))
    }
}

fn fill(length: Option<u64>) -> Fill {
    length.map_or(Fill::Unknown, Fill::Length)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u64 = 1;

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
    fn the_order_of_records_shows_whose_queue_it_is() {
        let mut queues = Queues::default();
        for time in [100, 200, 300] {
            queues.level(50, 1);
            queues.post(A, 7, time, None, false);
            assert_eq!(queues.owners.contains_key(&50), time > 100, "one pair may be chance");
            queues.level(50, 0);
            assert_eq!(queues.get(A, 7, None), Some(time));
        }
        // Another record in between: not a pair.
        let mut queues = Queues::default();
        for time in [100, 200, 300] {
            queues.level(50, 1);
            queues.other_record();
            queues.post(A, 7, time, None, false);
            queues.other_record();
            assert_eq!(queues.get(A, 7, None), None);
        }
    }
}
