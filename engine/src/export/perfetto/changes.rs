//! State changes as slices and counters, and activities without state: markers, values, priorities, ticks, and machine
//! events outside steps.

use std::io::Write;

use spytui_plugin_api::{Activity, ActivityFlags, ActivityFlags as F, NONE, Verb as V, info::space};

use super::{
    exporter::{Exporter, Late, ShownActivity},
    packets::Arrow,
    tracks::{Of, TrackPart},
};
use crate::replay::{Change, Doing, Holder, Id, Key, MachineState, Section, TaskState};

impl<W: Write> Exporter<'_, W> {
    pub(super) fn change(&mut self, change: Change, doing: &ShownActivity<'_>) {
        let ns = doing.ns;
        match change {
            Change::Task { task, state, late } => {
                self.task_state(task, state, late, doing);
                let of = Of::Entity(task, TrackPart::State);
                // A running task may be made ready, too.
                let is_implied = late || state.cause.is_none() || state.doing == Doing::READY;
                if is_implied { self.next_implied(of, ns) } else { self.next(of, ns) }
            }
            Change::Runs { task, core } => self.runs(task, core, ns),
            Change::Stops { task, core } => {
                self.end(Of::Entity(task, TrackPart::Running), ns);
                self.end(Of::Entity(task, TrackPart::OnCore(core)), ns);
            }
            Change::Forgotten => self.tracks.close_all(ns),
            Change::Rests { machine, state } => self.rests(machine, state, ns),
            Change::StepBegins { machine, .. } => {
                self.name_of_item(doing, "");
                self.begin(Of::Entity(machine, TrackPart::Steps), ns);
            }
            Change::StepEnds { machine, at, .. } => self.end(Of::Entity(machine, TrackPart::Steps), at),
            Change::Sent { flow } => self.sent(flow, doing),
            Change::Replied { .. } => self.sent(None, doing),
            Change::Got { post } => {
                self.name_of_item(doing, got_word(doing.activity.verb));
                let post = post.filter(|post| post.is_sure && !post.at.is_cut(&self.replay.stamp));
                self.message(post.map_or(Arrow::None, |post| Arrow::To(post.flow)), doing);
            }
            Change::Level { of, level, free } => {
                let part = if free { TrackPart::Free } else { TrackPart::Level };
                self.counter(Of::Entity(of, part), ns, level);
            }
            Change::Lock { lock, holder } => self.lock(lock, holder, ns),
            Change::Enters { section, core, is_nested: false } => self.enters(section, core, ns),
            Change::Leaves { section, core, is_nested: false, .. } => {
                if let Some(of) = section_of(section, core) {
                    self.end(of, ns);
                }
            }
            Change::Enters { .. } | Change::Leaves { .. } => {}
            Change::Armed { timer } => {
                self.armed(doing.activity);
                self.begin(Of::Entity(timer, TrackPart::Timer), ns);
            }
            Change::Disarmed { timer } if doing.is_timed() => self.end(Of::Entity(timer, TrackPart::Timer), ns),
            Change::Disarmed { timer } => self.wait(Late::Disarmed(timer)),
        }
    }

    fn rests(&mut self, machine: Id, state: MachineState, ns: u64) {
        self.text.clear();
        let key = Key { space: state.space, key: state.key, scope: 0 };
        self.tracks.words.push_name(&mut self.text, key);
        self.next(Of::Entity(machine, TrackPart::State), ns);
    }

    fn runs(&mut self, task: Id, core: u16, ns: u64) {
        self.tracks.core(core, &self.replay.entities);
        self.text.clear();
        self.text.push_str("Running (core ");
        self.push_number(core.into());
        self.text.push(')');
        self.begin(Of::Entity(task, TrackPart::Running), ns);
        let known = self.tracks.known(task, &self.replay.entities);
        if !known.idle {
            self.text.clear();
            self.text.push_str(&known.title);
            self.begin(Of::Entity(task, TrackPart::OnCore(core)), ns);
        }
    }

    /// Puts the name of a task state into `text`: the decoder's, or a generic one.
    fn task_state(&mut self, task: Id, state: TaskState, late: bool, doing: &ShownActivity<'_>) {
        let own = match state.doing {
            Doing::RUNNING | Doing::READY => false,
            _ if late => self.announced(task),
            _ if state.cause.is_some() => {
                self.labels.ask(doing.item, doing.activity, &self.tracks.words, &mut self.text)
            }
            _ => false,
        };
        if !own {
            self.general_state(state);
        }
    }

    /// Puts the name of a state reported in advance into `text`; `false` if the decoder gave none.
    fn announced(&mut self, task: Id) -> bool {
        let name = &self.tracks.known(task, &self.replay.entities).announced;
        self.text.clear();
        self.text.push_str(name);
        !name.is_empty()
    }

    fn general_state(&mut self, state: TaskState) {
        self.text.clear();
        self.text.push_str(match state.doing {
            Doing::RUNNING => "Running (core ",
            Doing::READY => "Ready",
            Doing::BLOCKED => "Blocked",
            Doing::SUSPENDED => "Suspended",
            Doing::STOPPED => "Stopped",
            Doing::DEAD => "Deleted",
            Doing(_) => "State ",
        });
        match (state.doing, state.cause) {
            (Doing::RUNNING, Some(activity)) => {
                self.push_number(activity.core.into());
                self.text.push(')');
            }
            (Doing::BLOCKED, Some(activity)) => self.push_object(&activity, " (on "),
            (Doing::SUSPENDED | Doing::DEAD, Some(activity)) => self.push_object(&activity, " (by "),
            (Doing::RUNNING | Doing::READY | Doing::BLOCKED | Doing::SUSPENDED | Doing::STOPPED | Doing::DEAD, _) => {}
            (Doing(number), _) => self.push_number(number),
        }
    }

    fn push_object(&mut self, activity: &Activity, word: &str) {
        let key = self.replay.entities.named(activity, activity.obj_space, activity.obj);
        if activity.obj_space == NONE {
            return;
        }
        if let Some(id) = self.replay.entities.id(key) {
            self.text.push_str(word);
            self.push_title(id);
            self.text.push(')');
        }
    }

    fn sent(&mut self, flow: Option<u64>, doing: &ShownActivity<'_>) {
        self.name_of_item(doing, sent_word(doing.activity.verb));
        if let Some(to) = doing.who.obj {
            self.text.push_str(" to ");
            self.push_title(to);
        }
        if doing.activity.flags.contains(ActivityFlags::FAILED) {
            self.text.push_str(" failed");
        }
        self.message(flow.map_or(Arrow::None, Arrow::From), doing);
    }

    /// Writes a message to the track of its subject, or of its core if the subject is unknown.
    pub(super) fn message(&mut self, flow: Arrow, doing: &ShownActivity<'_>) {
        let of = match doing.who.sub {
            Some(sub) => Of::Entity(sub, TrackPart::Steps),
            None => Of::Posts(if doing.activity.core == NONE { 0 } else { doing.activity.core }),
        };
        self.instant_of(of, doing.ns, flow);
    }

    fn lock(&mut self, lock: Id, holder: Holder, ns: u64) {
        self.text.clear();
        match holder {
            Holder::NoLock => return self.end(Of::Entity(lock, TrackPart::Lock), ns),
            Holder::Nobody => self.text.push_str("Available"),
            Holder::Taken(None) => self.text.push_str("Taken"),
            Holder::Taken(Some(who)) => {
                self.text.push_str("Taken by ");
                self.push_title(who);
            }
        }
        self.next(Of::Entity(lock, TrackPart::Lock), ns);
    }

    fn enters(&mut self, section: Section, core: u16, ns: u64) {
        let Some(of) = section_of(section, core) else { return };
        self.text.clear();
        match section {
            Section::Isr(isr) => self.push_title(isr),
            Section::Critical => self.text.push_str("Critical Section"),
            _ => self.text.push_str("Locked"),
        }
        self.tracks.core(core, &self.replay.entities);
        self.begin(of, ns);
    }

    fn armed(&mut self, activity: &Activity) {
        self.text.clear();
        self.text.push_str("armed: ");
        self.push_number(activity.val);
        if activity.second != 0 {
            self.text.push_str(", then every ");
            self.push_number(activity.second);
        }
    }

    /// Puts the name of the activity's signal into `text`: the decoder's, or from the dictionary.
    pub(super) fn name_of_item(&mut self, doing: &ShownActivity<'_>, word: &str) {
        let own = self.labels.ask(doing.item, doing.activity, &self.tracks.words, &mut self.text);
        if !own && doing.activity.item_space != NONE {
            let key = self.replay.entities.named(doing.activity, doing.activity.item_space, doing.activity.item);
            self.tracks.words.push_name(&mut self.text, key);
        }
        if !(word.is_empty() || self.text.is_empty()) {
            self.text.insert(0, ' ');
        }
        self.text.insert_str(0, word);
    }

    pub(super) fn push_title(&mut self, id: Id) {
        self.text.push_str(&self.tracks.known(id, &self.replay.entities).title);
    }

    pub(super) fn push_number(&mut self, number: u64) {
        self.text.push_str(itoa::Buffer::new().format(number));
    }
}

/// The track of a section; locks and spans have states and marks instead.
fn section_of(section: Section, core: u16) -> Option<Of> {
    match section {
        Section::Isr(isr) => Some(Of::Entity(isr, TrackPart::Isr(core))),
        Section::Critical => Some(Of::Critical(core)),
        Section::Locked => Some(Of::Locked(core)),
        Section::Held(_) | Section::Span(_) => None,
    }
}

fn sent_word(verb: V) -> &'static str {
    match verb {
        V::POST => "post",
        V::PULSE => "pulse",
        V::SIGNAL => "signal",
        _ => "send",
    }
}

fn got_word(verb: V) -> &'static str {
    if verb == V::GET { "get" } else { "receive" }
}

impl<W: Write> Exporter<'_, W> {
    pub(super) fn mark(&mut self, doing: &ShownActivity<'_>) {
        let (activity, ns) = (doing.activity, doing.ns);
        match (activity.verb, doing.who.sub) {
            (V::BEGIN | V::END | V::INSTANT, Some(sub)) => self.marker(sub, doing),
            (V::VALUE, Some(sub)) => self.value(sub, doing),
            (V::PRIO, Some(task)) => self.counter(Of::Entity(task, TrackPart::Priority), ns, activity.val),
            (V::PUBLISH, _) => self.note("publish", doing),
            (V::DEFER, _) => self.note("defer", doing),
            (V::RECALL, _) => self.note("recall", doing),
            (V::SUBSCRIBE, _) => self.note("subscribe", doing),
            (V::UNSUBSCRIBE, _) => self.note("unsubscribe", doing),
            (V::UNHANDLED, Some(_)) => self.note("unhandled", doing),
            (V::IGNORED, Some(_)) => self.note("ignored", doing),
            (V::FIRE, Some(timer)) => {
                self.name_of_item(doing, "");
                self.instant(Of::Entity(timer, TrackPart::Timer), ns);
            }
            (V::BLOCK, Some(task)) => self.waits(task, doing),
            (V::TICK, _) if activity.item_space != NONE => {
                let key = self.replay.entities.named(activity, activity.item_space, activity.item);
                match self.replay.entities.id(key) {
                    Some(rate) if doing.is_timed() => self.counter(Of::Entity(rate, TrackPart::Tick), ns, activity.val),
                    Some(rate) => self.wait(Late::Tick(rate, activity.val)),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Writes an instant on the track of a machine's steps.
    fn note(&mut self, word: &str, doing: &ShownActivity<'_>) {
        self.name_of_item(doing, word);
        if doing.activity.flags.contains(F::FAILED) {
            self.text.push_str(" failed");
        }
        self.message(Arrow::None, doing);
    }

    fn marker(&mut self, sub: Id, doing: &ShownActivity<'_>) {
        let of = Of::Entity(sub, TrackPart::Mark(doing.who.obj));
        let (verb, ns) = (doing.activity.verb, doing.ns);
        if verb != V::INSTANT && doing.activity.flags.contains(F::APART) {
            // Calls do not nest: a return from a call before the trace ends nothing, and a call whose return was lost
            // ends with the next one.
            self.end(of, ns);
            if verb == V::END {
                return;
            }
        }
        if verb == V::END {
            if !self.tracks.close(of, ns) {
                let uuid = self.tracks.uuid(of, &self.replay.entities);
                self.tracks.packets.end(ns, uuid);
            }
            return;
        }
        if doing.activity.sub_space == space::KINDS {
            // The record itself is the marker.
            self.rows.put(doing.item, &self.tracks.words, "", &mut self.text);
        } else if !self.labels.given(doing.item, &self.tracks.words, &mut self.text)
            && !self.labels.ask(doing.item, doing.activity, &self.tracks.words, &mut self.text)
            && doing.activity.item_space != NONE
        {
            let key = self.replay.entities.named(doing.activity, doing.activity.item_space, doing.activity.item);
            self.tracks.words.push_name(&mut self.text, key);
        }
        if verb == V::BEGIN { self.begin(of, ns) } else { self.instant(of, ns) }
    }

    fn value(&mut self, sub: Id, doing: &ShownActivity<'_>) {
        let of = Of::Entity(sub, TrackPart::Value(doing.who.obj));
        let uuid = self.tracks.uuid(of, &self.replay.entities);
        let (val, ns, packets) = (doing.activity.val, doing.ns, &mut self.tracks.packets);
        if doing.activity.flags.contains(F::FLOAT) {
            return packets.float_counter(ns, uuid, f64::from_bits(val));
        }
        let is_signed = doing.activity.flags.contains(F::SIGNED);
        packets.counter(ns, uuid, if is_signed { val as i64 } else { i64::try_from(val).unwrap_or(i64::MAX) });
    }

    fn waits(&mut self, task: Id, doing: &ShownActivity<'_>) {
        let Some(lock) = doing.who.obj else { return };
        self.text.clear();
        self.push_title(task);
        self.text.push_str(if !doing.activity.flags.contains(F::FAILED) { " waits" } else { " did not get it" });
        self.instant(Of::Entity(lock, TrackPart::Lock), doing.ns);
    }
}
