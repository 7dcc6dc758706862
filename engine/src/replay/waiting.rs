//! Events that wait in queues, with the row of their post, as far as known. Lengths that the target reports prove
//! which ones are still there.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, Verb as V};

use super::entity::{Id, Slots};

/// Events kept per queue; the oldest are dropped if nothing is ever taken.
const MOST: usize = 1024;

/// A post that waits: its signal and where it came from; `None` = a post that was not seen.
type Waiting<O> = Option<((u16, u64), O)>;

#[derive(Debug, Clone)]
struct Queue<O> {
    posts: VecDeque<Waiting<O>>,
    /// Known to be empty, so the next post reveals the capacity.
    empty: bool,
    /// Free elements when empty.
    capacity: Option<u64>,
    /// Losses before the target reported its length.
    said: u32,
}

impl<O> Default for Queue<O> {
    fn default() -> Self {
        Queue { posts: VecDeque::new(), empty: false, capacity: None, said: 0 }
    }
}

/// The queues of all receivers; `O` = what is kept of the row of a post.
#[derive(Debug, Clone)]
pub(crate) struct Queues<O> {
    queues: Slots<Queue<O>>,
    /// Messages with a number of their own.
    numbered: FxHashMap<u64, O>,
    losses: u32,
}

impl<O> Default for Queues<O> {
    fn default() -> Self {
        Queues { queues: Slots::default(), numbered: FxHashMap::default(), losses: 0 }
    }
}

impl<O: Copy> Queues<O> {
    /// Records may be missing here.
    pub(crate) fn lost(&mut self) {
        self.losses += 1;
    }

    /// A message was sent.
    pub(crate) fn sent(&mut self, activity: &Activity, to: Option<Id>, origin: O) {
        if activity.flags.contains(F::FAILED) {
            return;
        }
        if activity.second != 0 {
            if self.numbered.len() >= MOST {
                self.numbered.clear();
            }
            self.numbered.insert(activity.second, origin);
            return;
        }
        let Some(to) = to else { return };
        let posts = &mut self.queues.of(to).posts;
        let post = Some(((activity.item_space, activity.item), origin));
        if activity.flags.contains(F::LIFO) {
            posts.push_front(post);
        } else {
            posts.push_back(post);
        }
        if posts.len() > MOST {
            posts.pop_front();
        }
    }

    /// A message was taken; returns its post, and whether only the order of the queue says so.
    pub(crate) fn taken(&mut self, activity: &Activity, by: Option<Id>) -> Option<(O, bool)> {
        if activity.second != 0 {
            return self.numbered.remove(&activity.second).map(|origin| (origin, true));
        }
        let posts = &mut self.queues.of(by?).posts;
        let signal = (activity.item_space, activity.item);
        match posts.front()? {
            None => {
                posts.pop_front();
                None
            }
            Some((first, origin)) if *first == signal => {
                let origin = *origin;
                posts.pop_front();
                Some((origin, true))
            }
            // Those before it were taken unseen.
            Some(_) => {
                let at = posts.iter().position(|post| post.is_some_and(|(posted, _)| posted == signal))?;
                let found = posts.get(at).copied().flatten();
                posts.drain(..=at);
                found.map(|(_, origin)| (origin, false))
            }
        }
    }

    /// The target reported a level.
    pub(crate) fn level(&mut self, activity: &Activity, of: Id) {
        let queue = self.queues.of(of);
        let used = match activity.verb {
            V::EMPTY | V::CLEARED => Some(0),
            V::LEVEL if !activity.flags.contains(F::FREE) => Some(activity.val),
            V::LEVEL if activity.flags.contains(F::FAILED) => None,
            V::LEVEL => {
                if queue.empty && queue.said == self.losses {
                    // Exactly one element is queued now.
                    queue.capacity = activity.val.checked_add(1);
                }
                queue.capacity.and_then(|capacity| capacity.checked_sub(activity.val))
            }
            _ => return,
        };
        queue.empty = used == Some(0);
        let Some(used) = used.and_then(|used| usize::try_from(used).ok()).filter(|used| *used <= MOST) else { return };
        queue.said = self.losses;
        while queue.posts.len() > used {
            queue.posts.pop_front();
        }
        while queue.posts.len() < used {
            queue.posts.push_front(None);
        }
    }
}
