//! How long events waited in the queues of active objects. Posts and gets report the free entries of the queue; an empty
//! one has as many as before, less one, when the next event is posted.

use rustc_hash::FxHashMap;
use spytui_decoder_kit::Posts;
use spytui_plugin_api::{Output, Row, row::RowFlags};

use super::native::NativeReceiver;
use crate::{
    fast::Plan,
    layout::{id, private_attachment},
};

/// Maximum number of queues.
const MOST_QUEUES: usize = 65_536;

/// Events that a queue takes in all.
#[derive(Clone, Copy, Debug)]
enum Room {
    /// Not known; the queue is empty.
    Empty,
    Of(u64),
}

/// The queues of all active objects, as far as known.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    posts: Posts,
    rooms: FxHashMap<u64, Room>,
    /// Queues that are not in the table yet are empty.
    is_new: bool,
}

impl Waiting {
    /// The target started: all queues are empty.
    pub(super) fn start(&mut self) {
        self.posts.start();
        self.rooms.clear();
        self.is_new = true;
    }

    /// Records were lost: nothing is certain any more but how much queues take.
    pub(super) fn records_lost(&mut self) {
        self.posts.records_lost();
        self.rooms.retain(|_, room| matches!(room, Room::Of(_)));
        self.is_new = false;
    }

    /// The length of a queue with so many free entries, after a post.
    fn length(&mut self, object: u64, free: u64) -> Option<u64> {
        let known = self.rooms.get(&object).copied().or(self.is_new.then_some(Room::Empty))?;
        let room = match known {
            Room::Of(room) => room,
            Room::Empty if self.rooms.len() < MOST_QUEUES => {
                self.rooms.insert(object, Room::Of(free + 1));
                free + 1
            }
            Room::Empty => return None,
        };
        room.checked_sub(free)
    }

    fn posted(&mut self, (object, signal): (u64, u64), free: u64, time: u64, is_in_front: bool) {
        let length = self.length(object, free);
        self.posts.post(object, signal, time, length, is_in_front);
    }

    /// An event was taken, with so many free entries after it; none are reported when the queue is empty. Returns when
    /// it was posted, if that is certain.
    fn taken(&mut self, (object, signal): (u64, u64), free: Option<u64>) -> Option<u64> {
        let length = match (free, self.rooms.get(&object)) {
            (None, room) => {
                if room.is_none() && self.rooms.len() < MOST_QUEUES {
                    self.rooms.insert(object, Room::Empty);
                }
                Some(0)
            }
            (Some(free), Some(Room::Of(room))) => room.checked_sub(free),
            (Some(_), _) => None,
        };
        self.posts.get(object, signal, length)
    }
}

/// Whether this is a record of a post or get of an active object.
#[inline]
pub(super) fn is_concerned(id: u8) -> bool {
    (id::POST..=id::GET_LAST).contains(&id)
}

impl NativeReceiver {
    /// Pairs posts and gets; the response time becomes an attachment of the get.
    #[inline(never)]
    pub(super) fn post_or_get(&mut self, id: u8, frame: &[u8], row: &Row, out: &mut Output<'_>) {
        if self.late || !row.flags.contains(RowFlags::TIME_OWN) || row.flags.contains(RowFlags::MALFORMED) {
            return self.waiting.records_lost();
        }
        let plan: &Plan = self.base.plans.of(id);
        let event = (plan.object(frame), plan.signal(frame));
        let posted = match id {
            id::GET => self.waiting.taken(event, Some(plan.free(frame))),
            id::GET_LAST => self.waiting.taken(event, None),
            _ => return self.waiting.posted(event, plan.free(frame), row.time, id == id::POST_LIFO),
        };
        if let Some(waited) = posted.and_then(|posted| row.time.checked_sub(posted)) {
            out.attachment(private_attachment::RT, waited, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u64 = 1;

    #[test]
    fn the_room_of_a_queue_is_learned_when_it_is_empty() {
        let mut waiting = Waiting::default();
        // Joined late: the queue may hold anything.
        waiting.posted((A, 7), 3, 100, false);
        assert_eq!(waiting.taken((A, 7), Some(4)), None);
        assert_eq!(waiting.taken((A, 7), None), None);
        waiting.posted((A, 7), 5, 200, false);
        assert_eq!(waiting.taken((A, 7), None), Some(200));
        // With its room known, free entries are its length, also after a loss.
        waiting.records_lost();
        waiting.posted((A, 7), 4, 300, false);
        assert_eq!(waiting.taken((A, 7), Some(5)), None, "posted before the loss");
        assert_eq!(waiting.taken((A, 7), None), Some(300));
    }

    #[test]
    fn a_target_that_starts_has_empty_queues() {
        let mut waiting = Waiting::default();
        waiting.start();
        waiting.posted((A, 7), 5, 100, false);
        waiting.posted((A, 8), 4, 110, true);
        assert_eq!(waiting.taken((A, 8), Some(5)), Some(110));
        assert_eq!(waiting.taken((A, 7), None), Some(100));
    }

    #[test]
    fn a_post_that_was_not_sent_makes_nothing_certain() {
        let mut waiting = Waiting::default();
        waiting.start();
        waiting.posted((A, 7), 5, 100, false);
        // Another one of the same signal, put in front, did not come.
        assert_eq!(waiting.taken((A, 7), Some(5)), None);
        waiting.posted((A, 9), 5, 200, false);
        assert_eq!(waiting.taken((A, 8), None), None);
    }
}
