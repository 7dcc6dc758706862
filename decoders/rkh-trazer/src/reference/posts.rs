//! Pairs posts and gets the way the reference host does.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Maximum number of posts kept by queue.
const MOST_POSTS: usize = 4096;
/// Maximum number of queues.
const MOST_QUEUES: usize = 65_536;

/// The posts of an object, as kept by the reference host.
#[derive(Clone, Debug, Default)]
struct HostQueue {
    last: u64,
    /// Number, signal, time stamp.
    posts: VecDeque<(u64, u64, u64)>,
}

/// The tables of the reference host: numbers of posts, and response times of gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostPosts {
    queues: FxHashMap<u64, HostQueue>,
    /// Between a configuration record and the first loss.
    tracking: bool,
}

impl HostPosts {
    /// Starts pairing, at a configuration record.
    pub(crate) fn start(&mut self) {
        self.queues.clear();
        self.tracking = true;
    }

    /// Stops pairing, at a loss.
    pub(crate) fn stop(&mut self) {
        self.tracking = false;
        for queue in self.queues.values_mut() {
            queue.posts = VecDeque::new();
        }
    }

    /// Takes a post; returns its number.
    pub(crate) fn post(&mut self, object: u64, signal: u64, stamp: u64) -> u64 {
        if self.queues.len() >= MOST_QUEUES && !self.queues.contains_key(&object) {
            return 1;
        }
        let queue = self.queues.entry(object).or_default();
        queue.last += 1;
        if self.tracking {
            queue.posts.truncate(MOST_POSTS);
            queue.posts.push_back((queue.last, signal, stamp));
        }
        queue.last
    }

    /// Takes a get; returns the response time, regardless of wraps, and the number of the post; −1 and 0 if there is
    /// none.
    pub(crate) fn get(&mut self, object: u64, signal: u64, stamp: u64) -> (i64, u64) {
        let oldest = self.queues.get_mut(&object).filter(|_| self.tracking).and_then(|q| q.posts.pop_front());
        match oldest {
            Some((number, posted, time)) if posted == signal => (stamp as i64 - time as i64, number),
            _ => (-1, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u64 = 1;

    #[test]
    fn the_reference_host_takes_the_oldest_and_knows_no_wrap() {
        let mut posts = HostPosts::default();
        assert_eq!((posts.post(A, 7, 250), posts.get(A, 7, 255)), (1, (-1, 0)));
        posts.start();
        assert_eq!((posts.post(A, 7, 250), posts.post(A, 8, 251)), (1, 2));
        assert_eq!(posts.get(A, 7, 1), (-249, 1));
        assert_eq!(posts.get(A, 9, 2), (-1, 0));
        assert_eq!(posts.get(A, 8, 2), (-1, 0), "used up");
        posts.stop();
        assert_eq!(posts.post(A, 7, 9), 3);
    }
}
