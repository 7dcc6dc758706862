//! State changes as slices and counters.

use std::io::Write;

use spytui_plugin_api::{Activity, ActivityFlags, NONE, Verb as V};

use super::{
    exporter::{Exporter, ShownActivity},
    frame::Arrow,
    known::Part,
    late::Late,
    tracks::Of,
};
use crate::replay::{Change, Doing, Holder, Id, Key, MachineState, Section, TaskState};

impl<W: Write> Exporter<'_, W> {
    pub(super) fn change(&mut self, change: Change, doing: &ShownActivity<'_>) {
        let ns = doing.ns;
        match change {
            Change::Task { task, state, late } => {
                self.task_state(task, state, late, doing);
                let of = Of::Entity(task, Part::State);
                // A running task may be made ready, too.
                let is_implied = late || state.cause.is_none() || state.doing == Doing::Ready;
                if is_implied { self.next_implied(of, ns) } else { self.next(of, ns) }
            }
            Change::Runs { task, core } => self.runs(task, core, ns),
            Change::Stops { task, core } => {
                self.end(Of::Entity(task, Part::Running), ns);
                self.end(Of::Entity(task, Part::OnCore(core)), ns);
            }
            Change::Forgotten => self.tracks.close_all(ns),
            Change::Rests { machine, state } => self.rests(machine, state, ns),
            Change::StepBegins { machine, .. } => {
                self.name_of_item(doing, "");
                self.begin(Of::Entity(machine, Part::Steps), ns);
            }
            Change::StepEnds { machine, at, .. } => self.end(Of::Entity(machine, Part::Steps), at),
            Change::Sent { flow } => self.sent(flow, doing),
            Change::Replied { .. } => self.sent(None, doing),
            Change::Got { post } => {
                self.name_of_item(doing, got_word(doing.activity.verb));
                let post = post.filter(|post| post.is_sure && !post.at.is_cut(&self.replay.stamp));
                self.message(post.map_or(Arrow::None, |post| Arrow::To(post.flow)), doing);
            }
            Change::Level { of, level, free } => {
                let part = if free { Part::Free } else { Part::Level };
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
                self.begin(Of::Entity(timer, Part::Timer), ns);
            }
            Change::Disarmed { timer } if doing.is_timed() => self.end(Of::Entity(timer, Part::Timer), ns),
            Change::Disarmed { timer } => self.wait(Late::Disarmed(timer)),
        }
    }

    fn rests(&mut self, machine: Id, state: MachineState, ns: u64) {
        self.text.clear();
        let key = Key { space: state.space, key: state.key, scope: 0 };
        self.tracks.words.push_name(&mut self.text, key);
        self.next(Of::Entity(machine, Part::State), ns);
    }

    fn runs(&mut self, task: Id, core: u16, ns: u64) {
        self.tracks.core(core, &self.replay.entities);
        self.text.clear();
        self.text.push_str("Running (core ");
        self.push_number(core.into());
        self.text.push(')');
        self.begin(Of::Entity(task, Part::Running), ns);
        let known = self.tracks.known(task, &self.replay.entities);
        if !known.idle {
            self.text.clear();
            self.text.push_str(&known.title);
            self.begin(Of::Entity(task, Part::OnCore(core)), ns);
        }
    }

    /// Puts the name of a task state into `text`: the decoder's, or a generic one.
    fn task_state(&mut self, task: Id, state: TaskState, late: bool, doing: &ShownActivity<'_>) {
        let own = match state.doing {
            Doing::Running | Doing::Ready => false,
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
            Doing::Running => "Running (core ",
            Doing::Ready => "Ready",
            Doing::Blocked => "Blocked",
            Doing::Suspended => "Suspended",
            Doing::Stopped => "Stopped",
            Doing::Dead => "Deleted",
            Doing::Other(_) => "State ",
        });
        match (state.doing, state.cause) {
            (Doing::Running, Some(activity)) => {
                self.push_number(activity.core.into());
                self.text.push(')');
            }
            (Doing::Other(number), _) => self.push_number(number),
            (Doing::Blocked, Some(activity)) => self.push_object(&activity, " (on "),
            (Doing::Suspended | Doing::Dead, Some(activity)) => self.push_object(&activity, " (by "),
            _ => {}
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
            Some(sub) => Of::Entity(sub, Part::Steps),
            None => Of::Posts(if doing.activity.core == NONE { 0 } else { doing.activity.core }),
        };
        self.instant_of(of, doing.ns, flow);
    }

    fn lock(&mut self, lock: Id, holder: Holder, ns: u64) {
        self.text.clear();
        match holder {
            Holder::NoLock => return self.end(Of::Entity(lock, Part::Lock), ns),
            Holder::Nobody => self.text.push_str("Available"),
            Holder::Taken(None) => self.text.push_str("Taken"),
            Holder::Taken(Some(who)) => {
                self.text.push_str("Taken by ");
                self.push_title(who);
            }
        }
        self.next(Of::Entity(lock, Part::Lock), ns);
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
        Section::Isr(isr) => Some(Of::Entity(isr, Part::Isr(core))),
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
