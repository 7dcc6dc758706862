//! Messages between lifelines: what a sequence diagram shows, from activities alone.
//!
//! A message without a receiver waits until somebody takes it. All later steps wait too, so that their order is kept.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Row, Verb as V, row::Severity};

use crate::replay::{
    Change, Entities, FedRow, Id, Key, Moment, Observed, Observer, Operands, Reader, Replay, Seen, got,
};

/// Maximum number of steps waiting for the receiver of a message.
const MOST_HELD: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceStep<T> {
    /// The caller's value for its row.
    pub of: T,
    pub what: Happening,
    /// The signal, state or function concerned.
    pub item: Option<Key>,
    /// The state in which it happens.
    pub within: Option<Key>,
    pub failed: bool,
    /// The message's receiver may still become known.
    waits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// A message between parties; `None` = unknown.
    Message {
        from: Option<Id>,
        to: Option<Id>,
        how: How,
    },
    /// An event on one lifeline: the object enters a state (`REST`), takes or ignores an event, publishes one whose
    /// deliveries are separate messages, defers one, or recalls a deferred one, if there is one.
    Mark {
        /// The lifeline; `None` if unknown.
        on: Option<Id>,
        verb: V,
    },
    Loss,
    /// The target was reset: nothing later relates to what came before.
    Reset,
}

/// How a message is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// To the back of a queue.
    Posted,
    /// To the front of a queue.
    PostedInFront,
    /// The receiver acts on it while the sender waits.
    Called,
    Replied,
    /// A message without a reply and without a known queue.
    Sent,
    /// A task puts an element into a queue or takes one; with the resulting number of elements.
    Element(u64),
}

pub type Sequencer<T> = Observed<Sequence<T>>;

#[derive(Debug, Default)]
pub struct Sequence<T> {
    /// The caller's value for the current row.
    of: T,
    /// The current row posts or takes an event; its levels say nothing more.
    has_message: bool,
    is_reset: bool,
    held: VecDeque<SequenceStep<T>>,
    handed_out: u64,
    /// Numbers of the steps without a known receiver, by the flow of their message.
    open: FxHashMap<u64, u64>,
    waiting: Option<u64>,
    levels: FxHashMap<Id, u64>,
}

impl<T: Clone + Default> Sequencer<T> {
    /// Adds a row with its activities; each of its steps carries a copy of `of`.
    pub fn add(&mut self, row: &Row, epoch: u32, activities: &[Activity], of: &T) {
        self.observer.of.clone_from(of);
        self.row(&FedRow::new(row, Moment::default(), epoch), activities);
    }

    /// The next step in row order; `None` if there is none, or if it waits for its receiver.
    pub fn ready(&mut self) -> Option<SequenceStep<T>> {
        let held = &self.observer.held;
        let is_complete = held.front().is_some_and(|step| !step.waits);
        if is_complete || held.len() > MOST_HELD { self.hand_out() } else { None }
    }

    /// The next step at the end of the input, even if it waits.
    pub fn hand_out(&mut self) -> Option<SequenceStep<T>> {
        let step = self.observer.held.pop_front()?;
        self.observer.handed_out += 1;
        Some(step)
    }
}

impl<T: Clone + Default> Observer for Sequence<T> {
    const KEEPS_IDS: bool = true;

    fn new(_: &Info) -> Sequence<T> {
        Sequence::default()
    }

    fn needs(_: V) -> bool {
        true
    }

    fn begin(&mut self) {
        self.is_reset = false;
    }

    fn reset(&mut self, epoch: Option<Moment>, _: bool) {
        self.forget();
        self.is_reset = epoch.is_some();
        if self.is_reset {
            self.held.push_back(SequenceStep::new(&self.of, Happening::Reset));
        }
    }

    fn lost(&mut self) {
        self.forget();
        if !self.is_reset {
            self.held.push_back(SequenceStep::new(&self.of, Happening::Loss));
        }
    }

    fn row(&mut self, _: &FedRow, activities: &[Activity], _: &mut Replay) {
        self.has_message = activities.iter().any(|activity| matches!(activity.verb, V::POST | V::GET));
    }

    fn activity(&mut self, seen: &Seen<'_>, entities: &mut Entities) {
        if let Some(what) = self.happening(seen) {
            let step = self.step(seen.activity, what, entities);
            self.held.push_back(step);
        }
        for change in seen.changes {
            let Change::Rests { machine, state } = *change else { continue };
            let item = entities.named(seen.activity, state.space, state.key);
            let what = Happening::Mark { on: Some(machine), verb: V::REST };
            self.held.push_back(SequenceStep { item: Some(item), ..SequenceStep::new(&self.of, what) });
        }
    }
}

impl<T: Clone> Sequence<T> {
    /// Forgets everything that a loss makes uncertain.
    fn forget(&mut self) {
        if !self.open.is_empty() {
            self.open.clear();
            self.held.iter_mut().for_each(|step| step.waits = false);
        }
        self.levels.clear();
    }

    fn step(&self, activity: &Activity, what: Happening, entities: &Entities) -> SequenceStep<T> {
        let is_ignored = matches!(what, Happening::Mark { verb: V::IGNORED, .. });
        let has_state = is_ignored && activity.obj_space != NONE;
        SequenceStep {
            item: entities.item(activity),
            within: has_state.then(|| entities.named(activity, activity.obj_space, activity.obj)),
            failed: activity.flags.contains(F::FAILED),
            // This message waits for its receiver if its number was stored.
            waits: self.waiting == Some(self.handed_out + self.held.len() as u64),
            ..SequenceStep::new(&self.of, what)
        }
    }

    /// The message or mark that an activity shows, apart from states.
    fn happening(&mut self, seen: &Seen<'_>) -> Option<Happening> {
        let Seen { activity, who, .. } = *seen;
        match activity.verb {
            V::POST => {
                let is_in_front = activity.flags.contains(F::LIFO);
                message(who.sub, who.obj, if is_in_front { How::PostedInFront } else { How::Posted })
            }
            V::SEND | V::PULSE | V::SIGNAL => self.sent(seen),
            V::RECEIVE => self.received(seen),
            verb @ (V::GET | V::DEFER | V::RECALL) => Some(Happening::Mark { on: who.sub.or(who.obj), verb }),
            verb @ (V::PUBLISH | V::IGNORED) => Some(Happening::Mark { on: who.sub, verb }),
            // A state passing an event on to its superstate is not worth showing.
            V::UNHANDLED if seen.row.row.severity >= Severity::WARNING => {
                Some(Happening::Mark { on: who.sub, verb: V::IGNORED })
            }
            V::LEVEL if self.has_message => None,
            V::LEVEL | V::CLEARED | V::EMPTY => self.element(seen),
            _ => None,
        }
    }

    /// A message that bypasses queues.
    fn sent(&mut self, seen: &Seen<'_>) -> Option<Happening> {
        let Operands { sub, obj } = seen.who;
        let flow = match seen.changes.first() {
            Some(Change::Replied { call }) if !call.is_cut(seen.stamp) => return message(sub, obj, How::Replied),
            Some(Change::Sent { flow }) => *flow,
            _ => None,
        };
        if let (None, Some(flow)) = (obj, flow) {
            if self.open.len() >= MOST_HELD {
                self.open.retain(|_, step| *step >= self.handed_out);
            }
            let step = self.handed_out + self.held.len() as u64;
            self.open.insert(flow, step);
            self.waiting = Some(step);
        }
        message(sub, obj, if seen.activity.verb == V::SEND { How::Called } else { How::Sent })
    }

    /// Receipt of a message that bypasses queues: its receiver is now known. If its sending was not seen, only a mark
    /// is made.
    fn received(&mut self, seen: &Seen<'_>) -> Option<Happening> {
        let receiver = seen.who.sub;
        let Some(sent) = got(seen.changes).and_then(|post| self.open.remove(&post.flow)) else {
            return message(None, receiver, How::Sent);
        };
        let at = usize::try_from(sent.checked_sub(self.handed_out)?).ok()?;
        let step = self.held.get_mut(at)?;
        step.waits = false;
        if let Happening::Message { to, .. } = &mut step.what {
            *to = receiver;
        }
        None
    }

    /// A task or the active interrupt changed the number of elements in a queue.
    fn element(&mut self, seen: &Seen<'_>) -> Option<Happening> {
        let Seen { activity, who, .. } = *seen;
        let queue = who.obj.filter(|_| !activity.flags.contains(F::FREE))?;
        let level = if activity.verb == V::LEVEL { activity.val } else { 0 };
        let before = self.levels.insert(queue, level)?;
        let interrupt = || seen.sections.interrupt(activity.core);
        let actor = who.sub.filter(|sub| *sub != queue).or_else(interrupt)?;
        match level.cmp(&before) {
            std::cmp::Ordering::Greater => message(Some(actor), Some(queue), How::Element(level)),
            std::cmp::Ordering::Less => message(Some(queue), Some(actor), How::Element(level)),
            std::cmp::Ordering::Equal => None,
        }
    }
}

impl<T> SequenceStep<T> {
    /// The text of a step from the names of `item` and of the state `within` which it happens; an empty `item` falls
    /// back to the record's kind.
    pub fn text(&self, item: &str, within: Option<&str>) -> String {
        match self.what {
            Happening::Message { how: How::PostedInFront, .. } => format!("{item} (in front)"),
            Happening::Message { how: How::Element(level), .. } => format!("{item} ({level})"),
            Happening::Message { .. } => item.to_owned(),
            Happening::Mark { verb, .. } => self.mark_text(verb, item, within),
            Happening::Loss => "records lost".to_owned(),
            Happening::Reset => "target reset".to_owned(),
        }
    }

    fn mark_text(&self, verb: V, item: &str, within: Option<&str>) -> String {
        match (verb, self.failed, within) {
            (V::IGNORED, false, Some(state)) => format!("{item} ignored in {state}"),
            (V::IGNORED, false, None) => format!("{item} ignored"),
            (V::GET, ..) => format!("{item} taken"),
            (V::PUBLISH, ..) => format!("{item} published"),
            (V::DEFER, false, _) => format!("{item} deferred"),
            (V::DEFER, true, _) => format!("{item} not deferred"),
            (V::RECALL, false, _) => format!("{item} recalled"),
            (V::RECALL, true, _) => "nothing to recall".to_owned(),
            _ => item.to_owned(),
        }
    }
}

impl<T: Clone> SequenceStep<T> {
    fn new(of: &T, what: Happening) -> SequenceStep<T> {
        SequenceStep { of: of.clone(), what, item: None, within: None, failed: false, waits: false }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "what an activity shows may be nothing")]
fn message(from: Option<Id>, to: Option<Id>, how: How) -> Option<Happening> {
    Some(Happening::Message { from, to, how })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::row::RowKind;

    const TASKS: u16 = 20;
    const QUEUES: u16 = 21;
    const SIGNALS: u16 = 22;

    /// The steps of activities that each form a row: who, to whom, what, and the row number.
    fn steps(activities: &[Activity]) -> Vec<(String, usize)> {
        let mut sequencer = Sequencer::new(&Info::default());
        let (mut out, mut epoch) = (Vec::new(), 0);
        for (n, activity) in activities.iter().enumerate() {
            epoch += u32::from(activity.verb == V::RESET);
            let is_gap = activity.verb == V::LOST;
            let row = if is_gap { Row::gap(0) } else { Row { kind: RowKind(1), ..Row::default() } };
            sequencer.add(&row, epoch, std::slice::from_ref(activity), &n);
            while let Some(step) = sequencer.ready() {
                out.push(word(&sequencer, &step));
            }
        }
        while let Some(step) = sequencer.hand_out() {
            out.push(word(&sequencer, &step));
        }
        out
    }

    fn word(sequencer: &Sequencer<usize>, step: &SequenceStep<usize>) -> (String, usize) {
        let name = |id: Option<Id>| id.map_or("?".to_owned(), |id| sequencer.key(id).key.to_string());
        let item = step.item.map_or("-".to_owned(), |item| item.key.to_string());
        let text = match step.what {
            Happening::Message { from, to, how } => format!("{}>{} {how:?} {item}", name(from), name(to)),
            Happening::Mark { on, verb } => format!("{} {verb:?} {item}", name(on)),
            other => format!("{other:?}"),
        };
        (text, step.of)
    }

    fn words(activities: &[Activity]) -> Vec<String> {
        steps(activities).into_iter().map(|(word, _)| word).collect()
    }

    fn post(to: u64, signal: u64) -> Activity {
        Activity::new(V::POST).sub(TASKS, 1).obj(TASKS, to).item(SIGNALS, signal)
    }

    #[test]
    fn posts_are_messages_and_what_becomes_of_them_are_marks() {
        let by = |verb| Activity::new(verb).sub(TASKS, 2).item(SIGNALS, 7);
        assert_eq!(
            words(&[
                post(2, 7),
                post(2, 8).with(F::LIFO),
                by(V::GET),
                by(V::DISPATCH),
                by(V::IGNORED),
                by(V::UNHANDLED),
                by(V::REST),
                by(V::REST),
                by(V::PUBLISH),
            ]),
            ["1>2 Posted 7", "1>2 PostedInFront 8", "2 GET 7", "2 IGNORED 7", "2 REST 7", "2 PUBLISH 7"]
        );
    }

    #[test]
    fn a_message_waits_for_whoever_takes_it() {
        let send = |by, number| Activity::new(V::SEND).sub(TASKS, by).second(number);
        let receive = |by, number| Activity::new(V::RECEIVE).sub(TASKS, by).second(number);
        let reply = |by, to| Activity::new(V::SEND).sub(TASKS, by).obj(TASKS, to);
        assert_eq!(
            steps(&[send(1, 77), post(5, 9), receive(2, 77), reply(2, 1), reply(2, 1), receive(3, 78)]),
            [
                ("1>2 Called -".to_owned(), 0),
                ("1>5 Posted 9".to_owned(), 1),
                ("2>1 Replied -".to_owned(), 3),
                ("2>1 Called -".to_owned(), 4),
                ("?>3 Sent -".to_owned(), 5),
            ]
        );
    }

    #[test]
    fn after_a_loss_or_a_reset_nobody_takes_what_was_sent_before() {
        let send = |number| Activity::new(V::SEND).sub(TASKS, 1).second(number);
        let receive = Activity::new(V::RECEIVE).sub(TASKS, 2).second(77);
        let lost = Activity::new(V::LOST);
        assert_eq!(words(&[send(77), lost, receive]), ["1>? Called -", "Loss", "?>2 Sent -"]);
        assert_eq!(words(&[send(77), Activity::new(V::RESET), receive]), ["1>? Called -", "Reset", "?>2 Sent -"]);
    }

    #[test]
    fn steps_wait_only_so_long() {
        let send = Activity::new(V::SEND).sub(TASKS, 1).second(77);
        let mut sequencer = Sequencer::new(&Info::default());
        let row = Row { kind: RowKind(1), ..Row::default() };
        sequencer.add(&row, 0, &[send], &0);
        for n in 1..3 * MOST_HELD {
            sequencer.add(&row, 0, &[post(2, 7)], &n);
            let step = sequencer.ready().map(|step| step.of);
            assert_eq!(step, n.checked_sub(MOST_HELD), "{n}");
            if step == Some(0) {
                return;
            }
        }
        unreachable!("the first step waits on");
    }

    #[test]
    fn levels_say_who_put_into_a_queue_and_who_took() {
        let level = |task, level| Activity::new(V::LEVEL).sub(TASKS, task).obj(QUEUES, 9).val(level);
        let isr = |verb| Activity::new(verb).sub(TASKS, 30);
        let unknown = Activity::new(V::LEVEL).obj(QUEUES, 9).val(3);
        assert_eq!(
            words(&[
                level(1, 0),
                level(1, 1),
                level(1, 1),
                level(2, 0),
                isr(V::ISR_IN),
                unknown,
                isr(V::ISR_OUT),
                Activity { val: 4, ..unknown },
                Activity::new(V::LOST),
                level(1, 9),
                level(2, 8),
            ]),
            ["1>9 Element(1) -", "9>2 Element(0) -", "30>9 Element(3) -", "Loss", "9>2 Element(8) -"]
        );
        // Free elements of a queue don't say who changed them.
        assert!(words(&[level(1, 0).with(F::FREE), level(1, 1).with(F::FREE)]).is_empty());
    }

    #[test]
    fn texts_say_what_happened() {
        let text = |activity: Activity| {
            let mut sequencer = Sequencer::new(&Info::default());
            sequencer.add(&Row { kind: RowKind(1), ..Row::default() }, 0, &[activity.sub(TASKS, 1)], &());
            sequencer.hand_out().unwrap().text("SIG", Some("Idle"))
        };
        assert_eq!(text(Activity::new(V::IGNORED)), "SIG ignored in Idle");
        assert_eq!(text(Activity::new(V::IGNORED).with(F::FAILED)), "SIG");
        assert_eq!(text(Activity::new(V::RECALL).with(F::FAILED)), "nothing to recall");
        assert_eq!(text(Activity::new(V::DEFER)), "SIG deferred");
        assert_eq!(text(Activity::new(V::POST).with(F::LIFO)), "SIG (in front)");
    }
}
