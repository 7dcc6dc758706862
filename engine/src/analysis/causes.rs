//! Cause and effect: for each row, the earlier row that caused it. A taken event is caused by its post, work in a
//! run-to-completion step by the step, an expiry by arming the timer, a running task by whatever made it ready, an end
//! by its beginning.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, Batch, Info, NONE, TaskState, Verb as V, row::RowFlags};

use crate::{
    decode::span::StepEnd,
    replay::{FedRow, Id, Moment, Operands, Replay, Stamp, got},
};

/// Why one row caused another.
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

/// A run-to-completion step.
#[derive(Debug, Clone, Copy)]
struct Step {
    machine: Id,
    begin: Stamp,
    /// The post of the event being handled.
    post: Option<Cause>,
    /// The event was handled.
    is_handled: bool,
}

/// A section or span that has been entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Section {
    Of(Id, u16),
    Critical(u16),
    Locked(u16),
    /// Current state of a machine.
    State(Id, u16, u64),
    Lock(Id),
}

/// Causes and effects of a range of rows.
#[derive(Debug, Default)]
pub struct Causes {
    causes: Vec<Option<Cause>>,
    /// Activities of all rows; `at` is the row index.
    activities: Vec<Activity>,
}

impl Causes {
    pub fn len(&self) -> usize {
        self.causes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    pub fn cause(&self, row: usize) -> Option<Cause> {
        self.causes.get(row).copied().flatten()
    }

    pub fn meaning(&self, row: usize) -> Option<&Activity> {
        let first = self.activities.partition_point(|activity| (activity.at as usize) < row);
        self.activities.get(first).filter(|activity| activity.at as usize == row)
    }

    pub fn activities(&self, row: usize) -> &[Activity] {
        let first = self.activities.partition_point(|activity| (activity.at as usize) < row);
        let own = self.activities.get(first..).unwrap_or_default();
        &own[..own.partition_point(|activity| activity.at as usize == row)]
    }

    /// Rows directly caused by a row, in order.
    pub fn effects(&self, row: usize) -> impl Iterator<Item = usize> {
        let later = (row + 1..).zip(self.causes.get(row + 1..).unwrap_or(&[]));
        later.filter(move |(_, cause)| cause.is_some_and(|cause| cause.row as usize == row)).map(|(at, _)| at)
    }

    /// The main effects of a row: for a step, its posts and its end; otherwise all effects. A row without effects of
    /// its own gets the other effects of its post.
    pub fn main_effects(&self, row: usize) -> impl Iterator<Item = usize> {
        let is = |row: usize, verb: V| self.meaning(row).is_some_and(|meaning| meaning.verb == verb);
        let begins_step = is(row, V::DISPATCH);
        let post = self.cause(row).filter(|cause| cause.why == Why::Posted).map(|cause| cause.row as usize);
        let has_own = self.effects(row).any(|effect| !begins_step || is(effect, V::POST));
        let later = (row + 1..).zip(self.causes.get(row + 1..).unwrap_or(&[]));
        let fits = move |at: usize, cause: &Cause| {
            let of = cause.row as usize;
            let own = of == row && (!begins_step || is(at, V::POST));
            own || (begins_step || !has_own) && Some(of) == post
        };
        later.filter(move |(at, cause)| cause.is_some_and(|cause| fits(*at, &cause))).map(|(at, _)| at)
    }
}

/// Finds causes, batch by batch.
#[derive(Debug)]
pub struct CauseFinder {
    found: Causes,
    replay: Replay,
    epoch: u32,
    known: Known,
}

/// Earlier events that may still cause something.
#[derive(Debug, Default)]
struct Known {
    /// Open steps; the last is the innermost.
    steps: Vec<Step>,
    /// Events taken and not yet dispatched, by machine.
    taken: FxHashMap<Id, Cause>,
    /// The last expiry whose event has not been posted yet: receiver and signal.
    expired: Option<(Option<Id>, u64, Stamp)>,
    armed: FxHashMap<Id, Stamp>,
    ready: FxHashMap<Id, Stamp>,
    begun: FxHashMap<Section, Stamp>,
    /// If the target reports the end of steps, everything before that end belongs to the step.
    end: StepEnd,
}

impl CauseFinder {
    pub fn new(info: &Info) -> CauseFinder {
        let known = Known { end: StepEnd::new(info), ..Known::default() };
        CauseFinder { found: Causes::default(), replay: Replay::new(info), epoch: 0, known }
    }

    pub fn add(&mut self, batch: &Batch) {
        let mut activities = batch.activities.iter().peekable();
        for (i, row) in batch.rows.iter().enumerate() {
            self.epoch += u32::from(row.has(RowFlags::EPOCH));
            let at = Moment { row: self.found.causes.len() as u64, ..Moment::default() };
            if self.replay.row(&FedRow::new(row, at, self.epoch)).is_some() {
                self.known = Known { end: self.known.end, ..Known::default() };
            }
            let mut cause = None;
            while let Some(activity) = activities.next_if(|a| a.at as usize <= i) {
                let next = activities.peek().copied().filter(|next| next.at == activity.at);
                cause = cause.or(self.activity(*activity, next));
            }
            self.found.causes.push(cause.filter(|_| row.is_record()));
        }
    }

    pub fn finish(self) -> Causes {
        self.found
    }

    fn activity(&mut self, mut activity: Activity, next: Option<&Activity>) -> Option<Cause> {
        let (resolved, here) = (self.replay.resolve(&mut activity), self.replay.stamp);
        let who = self.replay.entities.operands(&activity);
        self.replay.changes.clear();
        if resolved && needs(activity.verb) {
            self.replay.apply(&activity, next, who, 0, false);
        }
        let got = got(&self.replay.changes);
        let got = got.map(|post| leads_to(post.at, here, Why::Posted).only_if(post.is_sure));
        self.found.activities.push(Activity { at: here.row as u32, ..activity });
        self.known.apply(&activity, who, got, here)
    }
}

fn needs(verb: V) -> bool {
    matches!(verb, V::RUN | V::POST | V::SEND | V::PULSE | V::SIGNAL | V::GET | V::RECEIVE | V::DISPATCH)
        || matches!(verb, V::LEVEL | V::EMPTY | V::CLEARED)
}

fn leads_to(from: Stamp, later: Stamp, why: Why) -> Cause {
    Cause { row: from.row as u32, why, sure: !from.is_cut(&later) }
}

impl Known {
    /// Applies an activity and returns the cause of its row.
    fn apply(&mut self, activity: &Activity, who: Operands, got: Option<Cause>, here: Stamp) -> Option<Cause> {
        match (activity.verb, who.sub, who.obj) {
            (V::POST, sender, to) => self.cause_of_post(activity, sender, to, here),
            (V::SEND | V::PULSE | V::SIGNAL, sender, _) => self.within(sender, here),
            (V::GET, by, queue) => {
                if let Some(machine) = by.or(queue) {
                    self.taken(machine, got, here);
                }
                got
            }
            (V::RECEIVE, ..) => got,
            (V::DISPATCH, Some(machine), _) => self.dispatched(machine, got, here),
            (V::TRAN | V::INTERNAL | V::IGNORED | V::UNHANDLED | V::DONE, Some(machine), _) => {
                self.handled(activity, machine, here)
            }
            (V::ENTER, Some(machine), _) => {
                self.begun.insert(Section::State(machine, activity.item_space, activity.item), here);
                self.within(Some(machine), here)
            }
            (V::EXIT, Some(machine), _) => {
                let entered = self.ended(Section::State(machine, activity.item_space, activity.item), here);
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
            _ => self.section(activity, who, here),
        }
    }

    /// Ends of sections, spans and locks are caused by their beginning; everything else by the step.
    fn section(&mut self, activity: &Activity, who: Operands, here: Stamp) -> Option<Cause> {
        // A thread may leave a section on another core than it entered on.
        let core = if activity.flags.contains(F::APART) { NONE } else { activity.core };
        let section = match (activity.verb, who.sub, who.obj) {
            (V::ISR_IN | V::ISR_OUT | V::BEGIN | V::END, Some(of), _) => Section::Of(of, core),
            (V::CRIT_IN | V::CRIT_OUT, ..) => Section::Critical(core),
            (V::SCHED_LOCK | V::SCHED_UNLOCK, ..) => Section::Locked(core),
            (V::TAKE | V::GIVE, _, Some(lock)) => Section::Lock(lock),
            _ => return self.within(None, here),
        };
        match activity.verb {
            V::TAKE if activity.flags.contains(F::FAILED) => None,
            V::ISR_IN | V::CRIT_IN | V::SCHED_LOCK | V::BEGIN | V::TAKE => {
                self.begun.insert(section, here);
                self.within(None, here)
            }
            _ => self.ended(section, here).or_else(|| self.within(None, here)),
        }
    }

    fn ended(&mut self, section: Section, here: Stamp) -> Option<Cause> {
        self.begun.remove(&section).map(|begin| leads_to(begin, here, Why::Began))
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

    fn taken(&mut self, machine: Id, cause: Option<Cause>, here: Stamp) {
        self.end_steps(machine, here);
        match cause {
            Some(cause) => self.taken.insert(machine, cause),
            None => self.taken.remove(&machine),
        };
    }

    fn dispatched(&mut self, machine: Id, got: Option<Cause>, here: Stamp) -> Option<Cause> {
        let is_open = |step: &Step| step.machine == machine && step.is_handled && step.begin.losses == here.losses;
        if self.steps.iter().any(is_open) {
            self.end.is_missing();
        }
        self.end_steps(machine, here);
        let outer = self.within(None, here);
        let post = self.taken.remove(&machine).or(got);
        self.steps.push(Step { machine, begin: here, post, is_handled: false });
        post.or(outer)
    }

    /// A machine takes its next event: ends its step, and the steps of machines whose end may be lost.
    fn end_steps(&mut self, machine: Id, here: Stamp) {
        self.steps.retain(|step| step.machine != machine && step.begin.losses == here.losses);
    }

    /// An event was handled. This ends the step unless the target reports the end itself; an unhandled event has no
    /// other end.
    fn handled(&mut self, activity: &Activity, machine: Id, here: Stamp) -> Option<Cause> {
        let verb = activity.verb;
        if verb == V::DONE {
            self.end.came();
        }
        let Some(step) = self.steps.iter_mut().rev().find(|step| step.machine == machine) else {
            // The event was rejected before the step began.
            return self.taken.get(&machine).copied();
        };
        step.is_handled |= matches!(verb, V::TRAN | V::INTERNAL);
        let step = *step;
        let rejected = verb == V::UNHANDLED || activity.flags.contains(F::FAILED);
        let last = if self.end.is_apart() { verb == V::DONE || rejected } else { verb != V::UNHANDLED };
        if last {
            self.steps.retain(|step| step.machine != machine);
        }
        let lost = step.begin.losses != here.losses;
        let post = step.post.map(|post| post.only_if(!lost));
        post.filter(|_| verb != V::DONE).or(Some(leads_to(step.begin, here, Why::Step)))
    }

    /// The open step of a machine; the innermost step if the machine is unknown.
    fn within(&self, machine: Option<Id>, here: Stamp) -> Option<Cause> {
        let is_it = |step: &&Step| machine.is_none_or(|machine| step.machine == machine);
        self.steps.iter().rev().find(is_it).map(|step| leads_to(step.begin, here, Why::Step))
    }
}

impl Cause {
    fn only_if(self, sure: bool) -> Cause {
        Cause { sure: self.sure && sure, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let mut batch = Batch::default();
        for row in rows {
            let at = batch.rows.len() as u32;
            batch.activities.extend(row.map(|activity| Activity { at, ..activity }));
            let kind = if row.is_some() { RowKind(1) } else { RowKind::GAP };
            batch.rows.push(Row { kind, ..Row::default() });
        }
        batch.rows[0].flags |= RowFlags::EPOCH;
        let mut finder = CauseFinder::new(info);
        finder.add(&batch);
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
