//! Cause and effect: for each row, the earlier row that caused it. A taken event is caused by its post, work in a
//! run-to-completion step by the step, an expiry by arming the timer, a running task by whatever made it ready, an end
//! by its beginning.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, Info, TaskState, Verb as V};

use crate::replay::{
    Change, Entities, FedRow, Id, Moment, Observed, Observer, Post, Replay, Seen, Stamp, got, is_of_interval,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The earlier row posted the event.
    Posted,
    /// The earlier row began the run-to-completion step that this row is part of.
    Step,
    /// The earlier row is the timer's expiry.
    Expired,
    /// The earlier row armed the timer.
    Armed,
    /// The earlier row made the task ready.
    Ready,
    /// The earlier row began what ends here.
    Began,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Index of the causing row.
    pub row: u32,
    pub why: Why,
    /// Certain: no loss and no guess between the two rows.
    pub sure: bool,
}

/// Causes and effects of a range of rows.
#[derive(Debug, Default)]
pub struct Causes {
    causes: Vec<Option<Cause>>,
    /// Activities of all rows; `at` is the row index.
    activities: Vec<Activity>,
}

impl Causes {
    pub fn rows(&self) -> usize {
        self.causes.len()
    }

    pub fn cause(&self, row: usize) -> Option<Cause> {
        self.causes.get(row).copied().flatten()
    }

    pub fn meaning(&self, row: usize) -> Option<&Activity> {
        self.activities(row).first()
    }

    pub fn activities(&self, row: usize) -> &[Activity] {
        let first = self.activities.partition_point(|activity| (activity.at as usize) < row);
        let own = self.activities.get(first..).unwrap_or_default();
        &own[..own.partition_point(|activity| activity.at as usize == row)]
    }

    /// Later rows with a cause, in order.
    fn later(&self, row: usize) -> impl Iterator<Item = (usize, Cause)> {
        let later = (row + 1..).zip(self.causes.get(row + 1..).unwrap_or(&[]));
        later.filter_map(|(at, cause)| Some((at, (*cause)?)))
    }

    /// Rows directly caused by a row, in order.
    pub fn effects(&self, row: usize) -> impl Iterator<Item = usize> {
        self.later(row).filter(move |(_, cause)| cause.row as usize == row).map(|(at, _)| at)
    }

    /// The main effects of a row: for a step, its posts and its end; otherwise all effects. A row without effects of
    /// its own gets the other effects of its post.
    pub fn main_effects(&self, row: usize) -> impl Iterator<Item = usize> {
        let is = |row: usize, verb: V| self.meaning(row).is_some_and(|meaning| meaning.verb == verb);
        let begins_step = is(row, V::DISPATCH);
        let post = self.cause(row).filter(|cause| cause.why == Why::Posted).map(|cause| cause.row as usize);
        let has_own = self.effects(row).any(|effect| !begins_step || is(effect, V::POST));
        let fits = move |(at, cause): &(usize, Cause)| {
            let of = cause.row as usize;
            let own = of == row && (!begins_step || is(*at, V::POST));
            own || (begins_step || !has_own) && Some(of) == post
        };
        self.later(row).filter(fits).map(|(at, _)| at)
    }
}

pub type CauseFinder = Observed<Finder>;

#[derive(Debug, Default)]
pub struct Finder {
    found: Causes,
    is_record: bool,
    known: Known,
}

/// Earlier events that may still cause something.
#[derive(Debug, Default)]
struct Known {
    /// Open steps with their beginnings; the last is the innermost.
    steps: Vec<(Id, Stamp)>,
    /// The last expiry whose event has not been posted yet: receiver and signal.
    expired: Option<(Option<Id>, u64, Stamp)>,
    armed: FxHashMap<Id, Stamp>,
    ready: FxHashMap<Id, Stamp>,
    /// Machines with the state that each entered.
    entered: FxHashMap<(Id, u16, u64), Stamp>,
}

impl CauseFinder {
    pub fn finish(self) -> Causes {
        self.observer.found
    }
}

impl Observer for Finder {
    fn new(_: &Info) -> Finder {
        Finder::default()
    }

    fn needs(verb: V) -> bool {
        verb == V::RUN || is_of_interval(verb)
    }

    fn reset(&mut self, _: Option<Moment>, _: bool) {
        self.known = Known::default();
    }

    fn row(&mut self, row: &FedRow, _: &[Activity], _: &mut Replay) {
        self.found.causes.push(None);
        self.is_record = row.row.is_record();
    }

    fn activity(&mut self, seen: &Seen<'_>, _: &mut Entities) {
        let here = *seen.stamp;
        self.found.activities.push(Activity { at: here.row as u32, ..*seen.activity });
        let cause = self.known.apply(seen, here);
        if let Some(of_row) = self.found.causes.last_mut().filter(|_| self.is_record) {
            *of_row = of_row.or(cause);
        }
    }
}

fn leads_to(from: Stamp, later: Stamp, why: Why) -> Cause {
    Cause { row: from.row as u32, why, sure: !from.is_cut(&later) }
}

/// A post as the cause of what handles its event.
fn posted(post: Post, here: Stamp) -> Cause {
    let cause = leads_to(post.at, here, Why::Posted);
    Cause { sure: cause.sure && post.is_sure, ..cause }
}

impl Known {
    /// Applies an activity and returns the cause of its row.
    fn apply(&mut self, seen: &Seen<'_>, here: Stamp) -> Option<Cause> {
        let Seen { activity, who, .. } = *seen;
        let got = got(seen.changes).map(|post| posted(post, here));
        match (activity.verb, who.sub, who.obj) {
            (V::POST, sender, to) => self.cause_of_post(activity, sender, to, here),
            (V::SEND | V::PULSE | V::SIGNAL, sender, _) => self.within(sender, here),
            (V::GET, by, queue) => {
                if let Some(machine) = by.or(queue) {
                    self.end_steps(machine, here);
                }
                got
            }
            (V::RECEIVE, ..) => got,
            (V::DISPATCH, Some(machine), _) => self.dispatched(seen, machine, here),
            (V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE, Some(machine), _) => {
                self.handled(seen, machine, here)
            }
            (V::ENTER, Some(machine), _) => {
                self.entered.insert((machine, activity.item_space, activity.item), here);
                self.within(Some(machine), here)
            }
            (V::EXIT, Some(machine), _) => {
                let entered = self.entered.remove(&(machine, activity.item_space, activity.item));
                let entered = entered.map(|entered| leads_to(entered, here, Why::Began));
                entered.or_else(|| self.within(Some(machine), here))
            }
            (V::ARM, Some(timer), _) => {
                self.armed.insert(timer, here);
                self.within(None, here)
            }
            (V::DISARM, Some(timer), _) => {
                let armed = self.armed.remove(&timer).map(|armed| leads_to(armed, here, Why::Armed));
                self.within(None, here).or(armed)
            }
            (V::FIRE, Some(timer), to) => {
                self.expired = Some((to, activity.item, here));
                self.armed.get(&timer).map(|armed| leads_to(*armed, here, Why::Armed))
            }
            // An actor named by the record need not be the machine whose step is open.
            (V::ALLOC | V::UNREF | V::COLLECT, actor, _) => self.within(actor, here),
            (V::STATE, Some(task), _) => {
                if TaskState(activity.val) == TaskState::READY {
                    self.ready.insert(task, here);
                }
                None
            }
            (V::RUN, Some(task), _) => self.ready.remove(&task).map(|ready| leads_to(ready, here, Why::Ready)),
            (V::TAKE, ..) if activity.flags.contains(F::FAILED) => None,
            (V::ISR_OUT | V::CRIT_OUT | V::SCHED_UNLOCK | V::GIVE | V::END, ..) => {
                let begin = seen.changes.iter().find_map(|change| match change {
                    Change::Leaves { begin, .. } => Some(leads_to(*begin, here, Why::Began)),
                    _ => None,
                });
                begin.or_else(|| self.within(None, here))
            }
            _ => self.within(None, here),
        }
    }

    /// A post is caused by a timer's expiry or by the sender's step.
    fn cause_of_post(&mut self, activity: &Activity, sender: Option<Id>, to: Option<Id>, here: Stamp) -> Option<Cause> {
        match self.expired.take() {
            Some((receiver, signal, fired)) if receiver == to && signal == activity.item => {
                Some(leads_to(fired, here, Why::Expired))
            }
            _ => self.within(sender, here),
        }
    }

    fn dispatched(&mut self, seen: &Seen<'_>, machine: Id, here: Stamp) -> Option<Cause> {
        self.end_steps(machine, here);
        let outer = self.within(None, here);
        self.steps.push((machine, here));
        let post = seen.machines.step(machine).and_then(|step| step.post);
        post.map(|post| posted(post, here)).or(outer)
    }

    /// A machine takes its next event: ends its step, and the steps of machines whose end may be lost.
    fn end_steps(&mut self, machine: Id, here: Stamp) {
        self.steps.retain(|(of, begin)| *of != machine && !begin.is_cut(&here));
    }

    fn handled(&mut self, seen: &Seen<'_>, machine: Id, here: Stamp) -> Option<Cause> {
        if !self.steps.iter().any(|(of, _)| *of == machine) {
            // The event was rejected before the step began.
            return seen.machines.taken(machine).map(|post| posted(post, here));
        }
        let ended = seen.changes.iter().find_map(|change| match change {
            Change::StepEnds { step, .. } => Some(*step),
            _ => None,
        });
        if ended.is_some() {
            self.steps.retain(|(of, _)| *of != machine);
        }
        let step = ended.or_else(|| seen.machines.step(machine))?;
        let post = step.post.filter(|_| seen.activity.verb != V::DONE);
        Some(post.map_or_else(|| leads_to(step.begin, here, Why::Step), |post| posted(post, here)))
    }

    /// The open step of a machine; the innermost step if the machine is unknown.
    fn within(&self, machine: Option<Id>, here: Stamp) -> Option<Cause> {
        let mut steps = self.steps.iter().rev();
        let step = steps.find(|(of, _)| machine.is_none_or(|machine| *of == machine));
        step.map(|(_, begin)| leads_to(*begin, here, Why::Step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Reader;
    use spytui_plugin_api::{Row, RowFlags, RowKind};

    const OBJECTS: u16 = 20;
    const SIGNALS: u16 = 21;
    const STATES: u16 = 22;

    fn of(verb: V, sub: u64) -> Activity {
        Activity::new(verb).sub(OBJECTS, sub)
    }

    fn post(from: u64, to: u64, signal: u64) -> Activity {
        of(V::POST, from).obj(OBJECTS, to).item(SIGNALS, signal)
    }

    fn get(by: u64, signal: u64) -> Activity {
        of(V::GET, by).obj(OBJECTS, by).item(SIGNALS, signal)
    }

    /// Each activity is a row; `None` is a gap.
    fn causes(rows: &[Option<Activity>]) -> Causes {
        causes_of(&Info::default(), rows)
    }

    fn causes_of(info: &Info, rows: &[Option<Activity>]) -> Causes {
        let mut finder = CauseFinder::new(info);
        for (number, activity) in (0..).zip(rows) {
            let kind = if activity.is_some() { RowKind(1) } else { RowKind::GAP };
            let flags = if number == 0 { RowFlags::EPOCH } else { RowFlags::default() };
            let row =
                FedRow::new(&Row { kind, flags, ..Row::default() }, Moment { row: number, ..Moment::default() }, 0);
            finder.row(&row, activity.as_slice());
        }
        finder.finish()
    }

    fn cause(causes: &Causes, row: usize) -> Option<(u32, Why, bool)> {
        causes.cause(row).map(|cause| (cause.row, cause.why, cause.sure))
    }

    #[test]
    fn an_event_follows_from_its_post_and_a_post_from_the_step_of_its_sender() {
        let found = causes(&[
            Some(of(V::DISPATCH, 1)),
            Some(post(1, 2, 8)),
            Some(of(V::TRAN, 1)),
            Some(post(9, 2, 7)),
            Some(get(2, 8)),
            Some(of(V::DISPATCH, 2)),
            Some(of(V::IGNORED, 2)),
        ]);
        assert_eq!(cause(&found, 1), Some((0, Why::Step, true)));
        assert_eq!(cause(&found, 2), Some((0, Why::Step, true)));
        assert_eq!(cause(&found, 3), None, "nobody's step");
        assert_eq!([4, 5, 6].map(|row| cause(&found, row)), [Some((1, Why::Posted, true)); 3]);
        assert_eq!(found.main_effects(1).collect::<Vec<_>>(), [4, 5, 6]);
        assert_eq!(found.main_effects(0).collect::<Vec<_>>(), [1]);
        assert_eq!(found.main_effects(4).collect::<Vec<_>>(), [5, 6]);
    }

    #[test]
    fn across_a_loss_the_order_of_a_queue_is_uncertain_until_its_length_proves_it() {
        let length = |val| Some(Activity::new(V::LEVEL).obj(OBJECTS, 2).val(val));
        let found = causes(&[Some(post(1, 2, 8)), None, Some(get(2, 8)), Some(post(1, 2, 8)), Some(get(2, 8))]);
        assert_eq!(cause(&found, 2), Some((0, Why::Posted, false)));
        assert_eq!(cause(&found, 4), Some((3, Why::Posted, false)));
        // Only one of three elements was seen: the first two gets took what was posted in the gap.
        let found = causes(&[None, Some(post(1, 2, 8)), length(3), Some(get(2, 8)), Some(get(2, 8)), Some(get(2, 8))]);
        assert_eq!([3, 4, 5].map(|row| cause(&found, row)), [None, None, Some((1, Why::Posted, true))]);
    }

    #[test]
    fn a_step_whose_end_was_lost_causes_nothing_later() {
        let alloc = |actor| Some(of(V::ALLOC, actor));
        let found = causes(&[Some(of(V::DISPATCH, 1)), None, Some(get(2, 8)), Some(of(V::DISPATCH, 2)), alloc(1)]);
        assert_eq!([2, 3, 4].map(|row| cause(&found, row)), [None; 3]);
        // An open step of one machine is no cause for another machine.
        let found = causes(&[Some(of(V::DISPATCH, 1)), alloc(2), alloc(1)]);
        assert_eq!([1, 2].map(|row| cause(&found, row)), [None, Some((0, Why::Step, true))]);
    }

    #[test]
    fn an_event_that_nothing_takes_ends_its_step() {
        let found = causes(&[
            Some(of(V::DISPATCH, 1)),
            Some(of(V::DONE, 1)),
            Some(of(V::DISPATCH, 1)),
            Some(of(V::UNHANDLED, 1)),
            Some(of(V::ARM, 5)),
            Some(of(V::DISPATCH, 1)),
            Some(of(V::IGNORED, 1).with(F::FAILED)),
            Some(of(V::ARM, 5)),
        ]);
        assert_eq!(cause(&found, 3), Some((2, Why::Step, true)));
        assert_eq!((cause(&found, 4), cause(&found, 7)), (None, None));
    }

    #[test]
    fn a_target_that_reports_ends_is_known_by_the_first_one() {
        let found = causes(&[
            Some(of(V::DISPATCH, 1)),
            Some(of(V::TRAN, 1)),
            Some(of(V::DONE, 1)),
            Some(of(V::DISPATCH, 1)),
            Some(of(V::TRAN, 1)),
            Some(of(V::ARM, 5)),
            Some(of(V::DONE, 1)),
            Some(of(V::DISPATCH, 2)),
            Some(of(V::UNHANDLED, 2)),
            Some(of(V::ARM, 5)),
        ]);
        assert_eq!([4, 5, 6].map(|row| cause(&found, row)), [Some((3, Why::Step, true)); 3]);
        assert_eq!([8, 9].map(|row| cause(&found, row)), [Some((7, Why::Step, true)), None]);
    }

    #[test]
    fn the_first_step_ends_as_the_decoder_says_unless_its_end_is_left_out() {
        let info = Info { reports_step_end: true, ..Info::default() };
        let step = [Some(of(V::DISPATCH, 1)), Some(of(V::TRAN, 1)), Some(of(V::ARM, 5))];
        let found = causes_of(&info, &[&step[..], &[Some(of(V::DONE, 1)), Some(of(V::ARM, 5))]].concat());
        assert_eq!([2, 3].map(|row| cause(&found, row)), [Some((0, Why::Step, true)); 2]);
        assert_eq!(cause(&found, 4), None);
        let found = causes_of(&info, &[step, step].concat());
        assert_eq!(cause(&found, 5), None, "the target leaves out the ends of steps");
    }

    #[test]
    fn a_call_ends_where_its_thread_is_by_then() {
        let on = |core, verb| Some(Activity { core, ..of(verb, 3).with(F::APART) });
        let found = causes(&[on(1, V::BEGIN), on(0, V::END)]);
        assert_eq!(cause(&found, 1), Some((0, Why::Began, true)));
        // Interrupts with the same number on different cores are distinct.
        let isr = |core, verb| Some(Activity { core, ..of(verb, 4) });
        assert_eq!(cause(&causes(&[isr(1, V::ISR_IN), isr(0, V::ISR_OUT)]), 1), None);
    }

    #[test]
    fn timers_tasks_and_sections() {
        let fire = of(V::FIRE, 5).obj(OBJECTS, 2).item(SIGNALS, 4);
        let state = |verb, state| of(verb, 2).item(STATES, state);
        let found = causes(&[
            Some(of(V::ARM, 5)),
            Some(fire),
            Some(post(6, 2, 4)),
            Some(of(V::STATE, 3).val(TaskState::READY.0)),
            Some(of(V::RUN, 3)),
            Some(of(V::ISR_IN, 4)),
            Some(of(V::ISR_OUT, 4)),
            Some(state(V::ENTER, 1)),
            Some(state(V::EXIT, 1)),
            Some(state(V::EXIT, 1)),
        ]);
        let expected = [
            None,
            Some((0, Why::Armed, true)),
            Some((1, Why::Expired, true)),
            None,
            Some((3, Why::Ready, true)),
            None,
            Some((5, Why::Began, true)),
            None,
            Some((7, Why::Began, true)),
            None,
        ];
        assert_eq!(std::array::from_fn(|row| cause(&found, row)), expected);
    }
}
