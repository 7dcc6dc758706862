//! Messages between lifelines: what a sequence diagram shows, from activities alone.
//!
//! A message without a receiver waits until somebody takes it. All later steps wait too, so that their order is kept.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Row, Verb as V, row::Severity};

use crate::replay::{Change, Id, Key, Operands, Replay, got};

/// Maximum number of steps waiting for the receiver of a message.
const MOST_HELD: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<T> {
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
    Message { from: Option<Id>, to: Option<Id>, how: How },
    /// An event on one lifeline.
    Mark {
        /// The lifeline; `None` if unknown.
        on: Option<Id>,
        mark: Mark,
    },
    /// Records may be missing here.
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

/// Events on one lifeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The object entered another state.
    State,
    Taken,
    Ignored,
    /// The object published an event; the deliveries are separate messages.
    Published,
    /// The object deferred an event.
    Deferred,
    /// The object recalled a deferred event, or found none.
    Recalled,
}

/// Finds the steps, row by row.
#[derive(Debug)]
pub struct Sequencer<T> {
    replay: Replay,
    /// Steps not handed out yet.
    held: VecDeque<Step<T>>,
    handed_out: u64,
    /// Numbers of the steps without a known receiver, by the flow of their message.
    open: FxHashMap<u64, u64>,
    /// Number of the latest step in `open`.
    waiting: Option<u64>,
    levels: FxHashMap<Id, u64>,
    /// Active interrupts by core, innermost last.
    interrupts: Vec<(u16, Id)>,
}

impl<T: Clone> Sequencer<T> {
    pub fn new(info: &Info) -> Sequencer<T> {
        Sequencer {
            replay: Replay::new(info),
            held: VecDeque::new(),
            handed_out: 0,
            open: FxHashMap::default(),
            waiting: None,
            levels: FxHashMap::default(),
            interrupts: Vec::new(),
        }
    }

    pub fn key(&self, id: Id) -> Key {
        self.replay.entities.key(id)
    }

    /// Number of activities ignored because of too many objects.
    pub fn refused(&self) -> u64 {
        self.replay.entities.refused()
    }

    /// Adds a row with its activities; each of its steps carries a copy of `of`.
    pub fn row(&mut self, row: &Row, epoch: u32, activities: &[Activity], of: &T) {
        let loses = row.may_hide_records();
        if self.replay.next(row, epoch, loses).is_some() {
            self.forget();
            self.interrupts.clear();
            self.hold(Step::new(of, Happening::Reset));
        } else if loses {
            self.forget();
            self.hold(Step::new(of, Happening::Loss));
        }
        let has_message = activities.iter().any(|activity| matches!(activity.verb, V::POST | V::GET));
        for (i, activity) in activities.iter().enumerate() {
            if has_message && activity.verb == V::LEVEL {
                continue;
            }
            self.activity(activity, activities.get(i + 1), row.severity, of);
        }
    }

    /// The next step in row order; `None` if there is none, or if it waits for its receiver.
    pub fn ready(&mut self) -> Option<Step<T>> {
        let is_complete = self.held.front().is_some_and(|step| !step.waits);
        if is_complete || self.held.len() > MOST_HELD { self.hand_out() } else { None }
    }

    /// The next step at the end of the input, even if it waits.
    pub fn hand_out(&mut self) -> Option<Step<T>> {
        let step = self.held.pop_front()?;
        self.handed_out += 1;
        Some(step)
    }

    /// Forgets everything that a loss makes uncertain.
    fn forget(&mut self) {
        if !self.open.is_empty() {
            self.open.clear();
            self.held.iter_mut().for_each(|step| step.waits = false);
        }
        self.levels.clear();
    }

    fn hold(&mut self, step: Step<T>) {
        self.held.push_back(step);
    }

    fn activity(&mut self, activity: &Activity, next: Option<&Activity>, severity: Severity, of: &T) {
        let mut activity = *activity;
        self.replay.resolve(&mut activity);
        let who = self.replay.entities.operands(&activity);
        self.replay.apply(&activity, next, who, 0, false);
        if let Some(what) = self.happening(&activity, who, severity) {
            let step = self.step(&activity, what, of);
            self.hold(step);
        }
        self.states(&activity, of);
    }

    /// Makes a step from an activity.
    fn step(&self, activity: &Activity, what: Happening, of: &T) -> Step<T> {
        let named = |space, key| {
            let is_named = space != NONE;
            is_named.then(|| self.replay.entities.named(activity, space, key))
        };
        let item = named(activity.item_space, activity.item);
        let is_ignored = matches!(what, Happening::Mark { mark: Mark::Ignored, .. });
        let within = named(activity.obj_space, activity.obj).filter(|_| is_ignored);
        // This message waits for its receiver if its number was stored.
        let waits = self.waiting == Some(self.handed_out + self.held.len() as u64);
        Step { of: of.clone(), what, item, within, failed: activity.flags.contains(F::FAILED), waits }
    }

    /// The messages and marks that an activity shows, apart from states.
    fn happening(&mut self, activity: &Activity, who: Operands, severity: Severity) -> Option<Happening> {
        let mark = |on: Option<Id>, mark| Some(Happening::Mark { on, mark });
        match activity.verb {
            V::POST => {
                let is_in_front = activity.flags.contains(F::LIFO);
                message(who.sub, who.obj, if is_in_front { How::PostedInFront } else { How::Posted })
            }
            V::SEND | V::PULSE | V::SIGNAL => self.sent(activity, who),
            V::RECEIVE => self.received(who),
            V::GET => mark(who.sub.or(who.obj), Mark::Taken),
            V::PUBLISH => mark(who.sub, Mark::Published),
            V::IGNORED => mark(who.sub, Mark::Ignored),
            // A state passing an event on to its superstate is not worth showing.
            V::UNHANDLED if severity >= Severity::WARNING => mark(who.sub, Mark::Ignored),
            V::DEFER => mark(who.sub.or(who.obj), Mark::Deferred),
            V::RECALL => mark(who.sub.or(who.obj), Mark::Recalled),
            V::LEVEL | V::CLEARED | V::EMPTY => self.element(activity, who),
            V::ISR_IN | V::ISR_OUT => {
                self.interrupt(activity, who.sub?);
                None
            }
            _ => None,
        }
    }

    /// A message that bypasses queues.
    fn sent(&mut self, activity: &Activity, who: Operands) -> Option<Happening> {
        let flow = match self.replay.changes.first() {
            Some(Change::Replied { call }) if !call.is_cut(&self.replay.stamp) => {
                return message(who.sub, who.obj, How::Replied);
            }
            Some(Change::Sent { flow }) => *flow,
            _ => None,
        };
        let how = if activity.verb == V::SEND { How::Called } else { How::Sent };
        if let (None, Some(flow)) = (who.obj, flow) {
            if self.open.len() >= MOST_HELD {
                self.open.retain(|_, step| *step >= self.handed_out);
            }
            let step = self.handed_out + self.held.len() as u64;
            self.open.insert(flow, step);
            self.waiting = Some(step);
        }
        message(who.sub, who.obj, how)
    }

    /// Receipt of a message that bypasses queues: its receiver is now known. If its sending was not seen, only a mark
    /// is made.
    fn received(&mut self, who: Operands) -> Option<Happening> {
        let Some(sent) = got(&self.replay.changes).and_then(|post| self.open.remove(&post.flow)) else {
            return message(None, who.sub, How::Sent);
        };
        let at = usize::try_from(sent.checked_sub(self.handed_out)?).ok()?;
        let step = self.held.get_mut(at)?;
        step.waits = false;
        if let Happening::Message { to, .. } = &mut step.what {
            *to = who.sub;
        }
        None
    }

    /// A task or the active interrupt changed the number of elements in a queue.
    fn element(&mut self, activity: &Activity, who: Operands) -> Option<Happening> {
        let queue = who.obj.filter(|_| !activity.flags.contains(F::FREE))?;
        let level = if activity.verb == V::LEVEL { activity.val } else { 0 };
        let before = self.levels.insert(queue, level)?;
        let interrupt = || self.interrupts.iter().rev().find(|(core, _)| *core == activity.core).map(|(_, isr)| *isr);
        let actor = who.sub.filter(|sub| *sub != queue).or_else(interrupt)?;
        match level.cmp(&before) {
            std::cmp::Ordering::Greater => message(Some(actor), Some(queue), How::Element(level)),
            std::cmp::Ordering::Less => message(Some(queue), Some(actor), How::Element(level)),
            std::cmp::Ordering::Equal => None,
        }
    }

    fn interrupt(&mut self, activity: &Activity, isr: Id) {
        let here = (activity.core, isr);
        let known = self.interrupts.iter().rposition(|known| *known == here);
        match (known, activity.verb == V::ISR_IN) {
            (None, true) if self.interrupts.len() < MOST_HELD => self.interrupts.push(here),
            (Some(at), false) => {
                // Nested interrupts have ended too, unseen.
                let inner = self.interrupts.split_off(at);
                self.interrupts.extend(inner.into_iter().filter(|(core, _)| *core != activity.core));
            }
            _ => {}
        }
    }

    /// Adds the state changes caused by an activity.
    fn states(&mut self, activity: &Activity, of: &T) {
        for at in 0..self.replay.changes.len() {
            let Some(Change::Rests { machine, state }) = self.replay.changes.get(at).copied() else { continue };
            let item = self.replay.entities.named(activity, state.space, state.key);
            let what = Happening::Mark { on: Some(machine), mark: Mark::State };
            self.hold(Step { item: Some(item), ..Step::new(of, what) });
        }
    }
}

impl<T> Step<T> {
    /// The text of a step from the names of `item` and of the state `within` which it happens; an empty `item` falls
    /// back to the record's kind.
    pub fn text(&self, item: &str, within: Option<&str>) -> String {
        match self.what {
            Happening::Message { how: How::PostedInFront, .. } => format!("{item} (in front)"),
            Happening::Message { how: How::Element(level), .. } => format!("{item} ({level})"),
            Happening::Message { .. } | Happening::Mark { mark: Mark::State, .. } => item.to_owned(),
            Happening::Mark { mark, .. } => self.mark_text(mark, item, within),
            Happening::Loss => "records lost".to_owned(),
            Happening::Reset => "target reset".to_owned(),
        }
    }

    fn mark_text(&self, mark: Mark, item: &str, within: Option<&str>) -> String {
        match (mark, self.failed, within) {
            (Mark::Ignored, true, _) => item.to_owned(),
            (Mark::Ignored, false, Some(state)) => format!("{item} ignored in {state}"),
            (Mark::Ignored, false, None) => format!("{item} ignored"),
            (Mark::Taken, ..) => format!("{item} taken"),
            (Mark::Published, ..) => format!("{item} published"),
            (Mark::Deferred, false, _) => format!("{item} deferred"),
            (Mark::Deferred, true, _) => format!("{item} not deferred"),
            (Mark::Recalled, false, _) => format!("{item} recalled"),
            (Mark::Recalled, true, _) => "nothing to recall".to_owned(),
            (Mark::State, ..) => item.to_owned(),
        }
    }
}

impl<T: Clone> Step<T> {
    fn new(of: &T, what: Happening) -> Step<T> {
        Step { of: of.clone(), what, item: None, within: None, failed: false, waits: false }
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
            sequencer.row(&row, epoch, std::slice::from_ref(activity), &n);
            while let Some(step) = sequencer.ready() {
                out.push(word(&sequencer, &step));
            }
        }
        while let Some(step) = sequencer.hand_out() {
            out.push(word(&sequencer, &step));
        }
        out
    }

    fn word(sequencer: &Sequencer<usize>, step: &Step<usize>) -> (String, usize) {
        let name = |id: Option<Id>| id.map_or("?".to_owned(), |id| sequencer.key(id).key.to_string());
        let item = step.item.map_or("-".to_owned(), |item| item.key.to_string());
        let text = match step.what {
            Happening::Message { from, to, how } => format!("{}>{} {how:?} {item}", name(from), name(to)),
            Happening::Mark { on, mark } => format!("{} {mark:?} {item}", name(on)),
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
            ["1>2 Posted 7", "1>2 PostedInFront 8", "2 Taken 7", "2 Ignored 7", "2 State 7", "2 Published 7"]
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
        sequencer.row(&row, 0, &[send], &0);
        for n in 1..3 * MOST_HELD {
            sequencer.row(&row, 0, &[post(2, 7)], &n);
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
            sequencer.row(&Row { kind: RowKind(1), ..Row::default() }, 0, &[activity.sub(TASKS, 1)], &());
            sequencer.hand_out().unwrap().text("SIG", Some("Idle"))
        };
        assert_eq!(text(Activity::new(V::IGNORED)), "SIG ignored in Idle");
        assert_eq!(text(Activity::new(V::IGNORED).with(F::FAILED)), "SIG");
        assert_eq!(text(Activity::new(V::RECALL).with(F::FAILED)), "nothing to recall");
        assert_eq!(text(Activity::new(V::DEFER)), "SIG deferred");
        assert_eq!(text(Activity::new(V::POST).with(F::LIFO)), "SIG (in front)");
    }
}
