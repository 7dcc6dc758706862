//! Matches received messages to sent ones: by number if the protocol has one, otherwise by queue order.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F};

use super::entity::Id;

/// Messages kept per receiver; the oldest are dropped if nothing is ever received.
const MOST_WAITING: usize = 1024;
/// Numbered messages kept.
const MOST_NUMBERED: usize = 1 << 16;

/// A message in flight.
#[derive(Debug, Clone, Copy)]
struct Message {
    signal: (u16, u64),
    flow: u64,
}

/// Messages in flight.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairing {
    queues: FxHashMap<Id, VecDeque<Message>>,
    /// Messages with a number of their own.
    numbered: FxHashMap<u64, u64>,
    sent: u64,
}

impl Pairing {
    /// A message was sent to a receiver (`None`: matched by number only). Returns its flow number, `None` if it was not
    /// delivered or can't be matched.
    pub(super) fn sent(&mut self, activity: &Activity, to: Option<Id>) -> Option<u64> {
        if activity.flags.contains(F::FAILED) {
            return None;
        }
        if activity.second == 0 && to.is_none() {
            return None;
        }
        self.sent += 1;
        let flow = self.sent;
        if activity.second != 0 {
            if self.numbered.len() >= MOST_NUMBERED {
                self.numbered.clear();
            }
            self.numbered.insert(activity.second, flow);
            return Some(flow);
        }
        let queue = self.queues.entry(to?).or_default();
        let message = Message { signal: (activity.item_space, activity.item), flow };
        if !activity.flags.contains(F::LIFO) {
            queue.push_back(message)
        } else {
            queue.push_front(message)
        }
        if queue.len() > MOST_WAITING {
            queue.pop_front();
        }
        Some(flow)
    }

    /// A message was received. Returns its flow number, `None` if the sender is unknown.
    pub(super) fn got(&mut self, activity: &Activity, by: Option<Id>) -> Option<u64> {
        if activity.second != 0 {
            return self.numbered.remove(&activity.second);
        }
        let queue = self.queues.get_mut(&by?)?;
        let signal = (activity.item_space, activity.item);
        // The oldest one with this signal; older messages were lost.
        let at = queue.iter().position(|m| m.signal == signal)?;
        queue.remove(at).map(|m| m.flow)
    }

    /// After a loss no match is certain.
    pub(super) fn lost(&mut self) {
        self.queues.values_mut().for_each(VecDeque::clear);
        self.numbered.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::Verb as V;

    fn post(signal: u64) -> Activity {
        Activity::new(V::POST).item(20, signal)
    }

    fn get(pairing: &mut Pairing, signal: u64) -> Option<u64> {
        pairing.got(&Activity::new(V::GET).item(20, signal), Some(Id(1)))
    }

    #[test]
    fn messages_come_in_the_order_of_their_queue() {
        let mut pairing = Pairing::default();
        let to = Some(Id(1));
        assert_eq!(pairing.sent(&post(5), to), Some(1));
        assert_eq!(pairing.sent(&post(6), to), Some(2));
        assert_eq!(pairing.sent(&post(7).with(F::LIFO), to), Some(3));
        assert_eq!(pairing.sent(&post(8).with(F::FAILED), to), None);
        assert_eq!([get(&mut pairing, 7), get(&mut pairing, 5), get(&mut pairing, 6)], [Some(3), Some(1), Some(2)]);
        assert_eq!(get(&mut pairing, 6), None);
    }

    #[test]
    fn the_signal_must_agree_and_a_loss_empties() {
        let mut pairing = Pairing::default();
        [5, 6, 5].iter().for_each(|&s| assert!(pairing.sent(&post(s), Some(Id(1))).is_some()));
        assert_eq!(get(&mut pairing, 6), Some(2));
        assert_eq!(get(&mut pairing, 9), None);
        pairing.lost();
        assert_eq!(get(&mut pairing, 5), None);
    }

    #[test]
    fn a_number_of_its_own_counts_most() {
        let mut pairing = Pairing::default();
        assert_eq!(pairing.sent(&post(5).second(77), None), Some(1));
        assert_eq!(pairing.got(&Activity::new(V::RECEIVE).second(77), None), Some(1));
        assert_eq!(pairing.got(&Activity::new(V::RECEIVE).second(77), None), None);
    }

    #[test]
    fn a_queue_that_nobody_empties_stays_small() {
        let mut pairing = Pairing::default();
        (0..5_000).for_each(|s| assert!(pairing.sent(&post(s), Some(Id(1))).is_some()));
        assert_eq!(pairing.queues[&Id(1)].len(), MOST_WAITING);
    }
}
