//! Converts rows and their activities to packets: the sink of the second pass. State changes become slices and counters.

use std::io::{self, Write};

use spytui_plugin_api::{
    Activity, ActivityFlags as F, AttachmentId, NONE, Row, Verb as V,
    info::{Class, space},
    render::Want,
    row::{RowFlags, RowKind},
};

use super::{
    packets::{Arrow, Packets},
    slice_labels::SliceLabels,
    tracks::{Of, TrackPart, Tracks},
};
use crate::{
    analysis::time_axis::{AxisPosition, TimeAxis, begins_epoch},
    export::{capture::TICKS, words::EntityNames},
    present::{Clock, sanitise::text_of},
    replay::{Change, Doing, Holder, Id, Operands, Replay, Section, TaskState},
    row::RowView,
    store::Dictionary,
    trace::stream::Sink,
};

/// Maximum number of cores tracked; noise may name any of 65 536.
const MOST_CORES: usize = 64;

#[derive(Debug)]
pub(super) struct Exporter<'a, W> {
    replay: Replay,
    tracks: Tracks<'a, W>,
    labels: SliceLabels,
    /// Name of the event being written.
    text: String,
    time: Timeline,
    /// Time of each core's last record with activities in this epoch.
    cores: Vec<(u16, u64)>,
    /// Records before the first time stamp.
    timeless: u64,
    late: LateOnes,
}

#[derive(Clone, Copy)]
struct ShownActivity<'i> {
    item: &'i RowView<'i>,
    activity: &'i Activity,
    who: Operands,
    ns: u64,
}

impl ShownActivity<'_> {
    /// Whether its record has a time stamp of its own; otherwise `ns` is that of an earlier row.
    fn is_timed(&self) -> bool {
        self.item.row.has(RowFlags::TIME_OWN)
    }
}

impl<'a, W: Write> Exporter<'a, W> {
    pub(super) fn new(out: W, words: EntityNames<'a>, labels: SliceLabels) -> Exporter<'a, W> {
        let mut replay = Replay::new(words.info);
        let mut tracks = Tracks::new(Packets::new(out), words);
        tracks.of_names(&mut replay.entities);
        Exporter {
            replay,
            tracks,
            labels,
            text: String::new(),
            time: Timeline::default(),
            cores: Vec::new(),
            timeless: 0,
            late: LateOnes::default(),
        }
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.late_ones(self.time.last());
        self.replay.changes.clear();
        self.replay.finish();
        self.ends_of_steps();
        self.tracks.packets.flush()
    }

    pub(super) fn written(&self) -> (u64, u64) {
        (self.tracks.packets.tracks(), self.tracks.packets.events)
    }

    /// Notes on the trace for the user; `rate` = its clock rate is known.
    pub(super) fn notes(&self, rate: bool) -> Vec<String> {
        let mut notes = Vec::new();
        // Without times there is no trace.
        if self.timeless > 0 && self.written().1 == 0 {
            notes.push(format!("no record of {} has a time: the trace is empty", self.timeless));
        } else if !rate {
            notes.push(TICKS.to_owned());
        }
        let mut counted = |count: u64, text: &str| notes.extend((count > 0).then(|| format!("{count} {text}")));
        let beyond = "times are too large for the trace; their rows are placed at the latest time before";
        counted(self.time.beyond, beyond);
        counted(self.replay.entities.refused, "too many objects: some activities are not shown");
        let together = "ticks have no time stamp: several between two stamps are placed together at the second";
        counted(self.late.together, together);
        notes
    }

    /// Defers the activity of a record without a time stamp to the next stamp.
    fn wait(&mut self, late: Late) {
        if self.late.add(late) {
            self.late_ones(self.time.last());
        }
    }

    fn late_ones(&mut self, ns: u64) {
        for late in self.late.take() {
            match late {
                Late::Disarmed(timer) => self.end(Of::Entity(timer, TrackPart::Timer), ns),
                Late::Tick(rate, value) => self.counter(Of::Entity(rate, TrackPart::Tick), ns, value),
            }
        }
    }

    /// Handles an epoch that begins with a row, and records missing before it.
    fn breaks(&mut self, item: &RowView<'_>) {
        let loses = item.row.may_hide_records();
        let is_reset = self.replay.next(item.row, item.epoch, loses).is_some();
        if !is_reset && !loses {
            return;
        }
        if is_reset {
            self.late_ones(self.time.last());
            self.cores.clear();
        }
        self.ends_of_steps();
        if is_reset {
            self.tracks.close_all(self.time.last());
        }
        if loses {
            self.tracks.doubt_all(self.since(item));
        }
    }

    /// When the open slices became uncertain, at a row where records may be missing: at the last record of the core or
    /// sender silent for longest.
    fn since(&self, item: &RowView<'_>) -> u64 {
        let (row, last) = (item.row, self.time.last());
        let mut attachments = item.attachments.iter();
        let span = attachments.find(|attachment| attachment.id == AttachmentId::SPAN && row.kind != RowKind::DROP);
        let ticks = span.map_or(0, |span| row.time.saturating_sub(span.a));
        let behind = if item.clock.known() { item.clock.ns(ticks).unwrap_or(0) } else { ticks };
        let of_cores = self.cores.iter().map(|(_, ns)| *ns).min().filter(|_| self.cores.len() > 1);
        of_cores.unwrap_or(last).min(last.saturating_sub(behind))
    }

    fn reaches(&mut self, core: u16, ns: u64) {
        if let Some(of) = self.cores.iter_mut().find(|of| of.0 == core) {
            of.1 = ns;
        } else if self.cores.len() < MOST_CORES {
            self.cores.push((core, ns));
        }
    }

    fn ends_of_steps(&mut self) {
        for change in &self.replay.changes {
            if let Change::StepEnds { machine, at, .. } = *change {
                self.tracks.close(Of::Entity(machine, TrackPart::Steps), at);
            }
        }
    }

    #[inline]
    fn activity(&mut self, item: &RowView<'_>, activity: &Activity, next: Option<&Activity>, ns: u64) {
        let mut own = None;
        let Some(activity) = self.replay.resolved(activity, &mut own) else {
            self.words_of(item, "current task unknown: ");
            return self.instant(Of::Errors, ns);
        };
        let who = self.replay.entities.operands(activity);
        for id in [who.sub, who.obj].into_iter().flatten() {
            self.tracks.meet(id, &self.replay.entities);
        }
        let doing = ShownActivity { item, activity, who, ns };
        if let (F::WHEN_OUT, Some(task)) = (activity.flags & F::WHEN_OUT, who.sub) {
            self.labels.ask(doing.item, doing.activity, &self.tracks.words, &mut self.text);
            std::mem::swap(&mut self.tracks.known(task, &self.replay.entities).announced, &mut self.text);
        }
        let levels = matches!(activity.verb, V::LEVEL | V::EMPTY | V::CLEARED);
        let lock = levels && who.obj.is_some_and(|obj| self.is_lock(obj));
        self.replay.apply(activity, next, who, ns, lock);
        let changes = std::mem::take(&mut self.replay.changes);
        changes.iter().for_each(|change| self.change(*change, &doing));
        self.replay.changes = changes;
        self.mark(&doing);
    }

    fn is_lock(&mut self, id: Id) -> bool {
        self.tracks.known(id, &self.replay.entities).class == Class::LOCK
    }

    /// Writes the row itself: an event on its core's track, and on the error track if it is a loss.
    fn row_itself(&mut self, item: &RowView<'_>, ns: u64) {
        let row = item.row;
        let reported = broken_frames(item);
        let damage = row.kind.is_loss() && row.kind != RowKind::DROP;
        let lost = item.activities.iter().any(|a| matches!(a.verb, V::LOST | V::ASSERT));
        let wrong = reported.max((damage || lost).into());
        let record = row.is_record() && row.has(RowFlags::TIME_OWN) && !row.has(RowFlags::NAMING);
        let events = if record { 1 } else { reported.max((row.kind == RowKind::BAD_FRAME).into()) };
        if events + wrong == 0 {
            return;
        }
        self.words_of(item, "");
        (0..wrong).for_each(|_| self.instant(Of::Errors, ns));
        if row.core != NONE {
            (0..events).for_each(|_| self.instant(Of::Events(row.core), ns));
        }
    }

    /// Puts `prefix` and a row as in the list into `text`, but with the final names of the trace.
    fn words_of(&mut self, item: &RowView<'_>, prefix: &str) {
        self.text.clear();
        self.text.push_str(prefix);
        let mut words = std::mem::take(&mut self.text).into_bytes();
        RowView { names: &self.tracks.words.names(), ..*item }.push_words(&mut words);
        self.text = text_of(words);
    }

    /// Writes an instant named `text`.
    fn instant(&mut self, of: Of, ns: u64) {
        self.instant_of(of, ns, Arrow::None);
    }

    fn instant_of(&mut self, of: Of, ns: u64, flow: Arrow) {
        let uuid = self.tracks.uuid(of, &self.replay.entities);
        self.tracks.packets.instant(ns, uuid, &self.text, flow);
    }

    /// Begins a slice named `text`.
    fn begin(&mut self, of: Of, ns: u64) {
        self.tracks.open(of, ns, &self.text, &self.replay.entities);
    }

    /// Ends the innermost slice, if one is open.
    fn end(&mut self, of: Of, ns: u64) {
        self.tracks.close(of, ns);
    }

    /// [`Exporter::next`] for a change implied by another record: as certain as the open slice.
    fn next_implied(&mut self, of: Of, ns: u64) {
        let is_doubtful = self.tracks.is_doubtful(of);
        if is_doubtful {
            self.text.insert(0, '~');
        }
        self.next(of, ns);
        self.tracks.set_doubtful(of, is_doubtful);
    }

    /// Ends the open slice and begins the next one.
    fn next(&mut self, of: Of, ns: u64) {
        self.end(of, ns);
        self.begin(of, ns);
    }

    fn counter(&mut self, of: Of, ns: u64, value: u64) {
        let uuid = self.tracks.uuid(of, &self.replay.entities);
        self.tracks.packets.counter(ns, uuid, i64::try_from(value).unwrap_or(i64::MAX));
    }
}

/// State changes as slices and counters, and activities without state: markers, values, priorities, ticks, and machine
/// events outside steps.
impl<W: Write> Exporter<'_, W> {
    fn change(&mut self, change: Change, doing: &ShownActivity<'_>) {
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
            Change::Rests { machine, state } => {
                self.text.clear();
                self.tracks.words.push_name(&mut self.text, state);
                self.next(Of::Entity(machine, TrackPart::State), ns);
            }
            Change::StepBegins { machine, .. } => {
                self.name_of_item(doing, "");
                self.begin(Of::Entity(machine, TrackPart::Steps), ns);
            }
            Change::StepEnds { machine, at, .. } => self.end(Of::Entity(machine, TrackPart::Steps), at),
            Change::Sent { flow } => self.sent(flow, doing),
            Change::Replied { .. } => self.sent(None, doing),
            Change::Got { post } => {
                self.name_of_item(doing, if doing.activity.verb == V::GET { "get" } else { "receive" });
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
        if doing.activity.flags.contains(F::FAILED) {
            self.text.push_str(" failed");
        }
        self.message(flow.map_or(Arrow::None, Arrow::From), doing);
    }

    /// Writes a message to the track of its subject, or of its core if the subject is unknown.
    fn message(&mut self, flow: Arrow, doing: &ShownActivity<'_>) {
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
    fn name_of_item(&mut self, doing: &ShownActivity<'_>, word: &str) {
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

    fn push_title(&mut self, id: Id) {
        self.text.push_str(&self.tracks.known(id, &self.replay.entities).title);
    }

    fn push_number(&mut self, number: u64) {
        self.text.push_str(itoa::Buffer::new().format(number));
    }

    fn mark(&mut self, doing: &ShownActivity<'_>) {
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
            self.words_of(doing.item, "");
        } else if !self.labels.given(doing.item, &self.tracks.words, &mut self.text) {
            self.name_of_item(doing, "");
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

impl<W: Write> Sink for Exporter<'_, W> {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn dictionary(&self) -> Option<&Dictionary> {
        Some(self.tracks.words.dictionary)
    }

    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        let row = item.row;
        self.breaks(item);
        // Rows before the first time stamp can't be placed.
        let Some(ns) = self.time.at(row, item.epoch, &item.clock) else {
            self.timeless += u64::from(row.is_record());
            if item.activities.iter().any(|activity| activity.verb == V::RESET) {
                self.replay.start();
            }
            return Ok(());
        };
        if row.core != NONE && row.has(RowFlags::TIME_OWN) {
            self.tracks.core(row.core, &self.replay.entities);
            if !item.activities.is_empty() {
                self.reaches(row.core, ns);
            }
        }
        if row.has(RowFlags::TIME_OWN) && !self.late.is_empty() {
            self.late_ones(ns);
        }
        for (i, activity) in item.activities.iter().enumerate() {
            self.activity(item, activity, item.activities.get(i + 1), ns);
        }
        self.row_itself(item, ns);
        self.tracks.packets.relieve()
    }
}

/// Number of damaged frames that a row represents; several may be folded into one.
fn broken_frames(item: &RowView<'_>) -> u64 {
    const MOST: u64 = 1 << 16;
    let reported = item.activities.iter().filter(|a| a.verb == V::INFO && a.flags.contains(F::FAILED)).map(|a| a.val);
    reported.fold(0, u64::saturating_add).min(MOST)
}

/// Maximum number of deferred activities; only streams without time stamps exceed it.
const MOST_LATE: usize = 4096;

/// An activity waiting for the next time stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Late {
    Disarmed(Id),
    Tick(Id, u64),
}

#[derive(Debug, Default)]
struct LateOnes {
    waiting: Vec<Late>,
    /// Number of ticks that share the time of another one, because no stamp is between them.
    together: u64,
}

impl LateOnes {
    /// Adds an activity; `true` if too many are waiting.
    fn add(&mut self, late: Late) -> bool {
        self.waiting.push(late);
        self.waiting.len() >= MOST_LATE
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn take(&mut self) -> Vec<Late> {
        let mut counts: Vec<(Id, u64)> = Vec::new();
        for late in &self.waiting {
            let Late::Tick(rate, _) = *late else { continue };
            match counts.iter_mut().find(|(of, _)| *of == rate) {
                Some((_, count)) => *count += 1,
                None => counts.push((rate, 1)),
            }
        }
        self.together += counts.iter().map(|(_, count)| *count).filter(|count| *count > 1).sum::<u64>();
        std::mem::take(&mut self.waiting)
    }
}

#[derive(Debug, Default)]
struct Timeline {
    axis: TimeAxis,
    /// Number of rows whose time does not fit; they count as the latest earlier time.
    beyond: u64,
}

impl Timeline {
    /// Time of a row in ns; `None` before the first time stamp. Without a clock rate one tick counts as 1 ns.
    #[inline]
    fn at(&mut self, row: &Row, epoch: u32, clock: &Clock) -> Option<u64> {
        let ns = |time| if clock.known() { clock.ns(time) } else { Some(time) };
        match self.axis.at(epoch, row.has_time().then(|| ns(row.time)), begins_epoch(row)) {
            AxisPosition::At(at) => Some(at),
            AxisPosition::Nowhere => None,
            AxisPosition::Beyond => {
                self.beyond += 1;
                Some(self.axis.last)
            }
        }
    }

    fn last(&self) -> u64 {
        self.axis.last
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{ClockEvent, row::RowFlags};

    use super::*;

    #[test]
    fn ticks_between_two_stamps_are_counted() {
        let mut late = LateOnes::default();
        for (ticks, together) in [(1, 0), (3, 3), (1, 3), (2, 5)] {
            assert!((0..ticks).all(|tick| !late.add(Late::Tick(Id(7), tick))));
            late.add(Late::Disarmed(Id(1)));
            late.add(Late::Tick(Id(8), 0));
            assert_eq!((late.take().len() as u64, late.together), (ticks + 2, together));
        }
        assert!(late.is_empty() && !late.add(Late::Disarmed(Id(1))));
    }

    fn row(time: u64) -> Row {
        Row { time, flags: RowFlags::TIME_OWN, ..Row::default() }
    }

    #[test]
    fn each_epoch_continues_after_the_one_before() {
        let clock = Clock::new(&ClockEvent { num: 10, den: 1, ..ClockEvent::default() });
        let mut line = Timeline::default();
        let none = Row::default();
        assert_eq!(line.at(&none, 0, &clock), None);
        assert_eq!([line.at(&row(100), 0, &clock), line.at(&row(130), 0, &clock)], [Some(1000), Some(1300)]);
        assert_eq!(line.at(&none, 1, &clock), Some(1300));
        assert_eq!([line.at(&row(5), 1, &clock), line.at(&row(9), 1, &clock)], [Some(1300), Some(1340)]);
        assert_eq!(line.at(&row(2), 2, &clock), Some(1340));
    }

    #[test]
    fn an_epoch_whose_clock_goes_on_keeps_its_times() {
        let clock = Clock::new(&ClockEvent { num: 10, den: 1, ..ClockEvent::default() });
        let mut line = Timeline::default();
        assert_eq!([line.at(&row(100), 0, &clock), line.at(&row(130), 0, &clock)], [Some(1000), Some(1300)]);
        assert_eq!([line.at(&row(500), 1, &clock), line.at(&row(510), 1, &clock)], [Some(5000), Some(5100)]);
        // Its time restarts and continues from there.
        assert_eq!([line.at(&row(3), 2, &clock), line.at(&row(4), 2, &clock)], [Some(5100), Some(5110)]);
        assert_eq!([line.at(&row(9), 3, &clock), line.at(&row(2), 4, &clock)], [Some(5160), Some(5160)]);
    }

    #[test]
    fn what_a_start_of_recording_says_is_no_time() {
        let clock = Clock::new(&ClockEvent { num: 10, den: 1, ..ClockEvent::default() });
        let core = Row { flags: row(0).flags | RowFlags::NAMING, ..row(0) };
        let mut line = Timeline::default();
        assert_eq!([line.at(&core, 0, &clock), line.at(&row(100), 0, &clock)], [Some(0), Some(1000)]);
        // The target kept running, and so do its times.
        assert_eq!([line.at(&core, 1, &clock), line.at(&row(150), 1, &clock)], [Some(1000), Some(1500)]);
        // It restarted.
        assert_eq!([line.at(&core, 2, &clock), line.at(&row(90), 2, &clock)], [Some(1500), Some(1500)]);
        assert_eq!(line.at(&row(95), 2, &clock), Some(1550));
    }

    #[test]
    fn what_does_not_fit_stands_where_the_row_before_does() {
        let clock = Clock::new(&ClockEvent { num: 1 << 40, den: 1, ..ClockEvent::default() });
        let mut line = Timeline::default();
        assert_eq!(line.at(&row(1), 0, &clock), Some(1 << 40));
        assert_eq!(line.at(&row(u64::MAX), 0, &clock), Some(1 << 40));
        assert_eq!((line.beyond, line.last()), (1, 1 << 40));
        assert_eq!(line.at(&row(7), 0, &Clock::default()), Some(7));
    }
}
