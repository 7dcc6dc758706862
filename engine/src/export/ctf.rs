//! Common Trace Format 1.8, for babeltrace2 and Trace Compass: a folder with a stream for each core. Each record and each
//! loss is an event, and so is each change of a state; tasks that run are `sched_switch`, as of Linux. Times are in ns,
//! because rates need not be whole numbers; ticks are a field.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Write},
    mem,
    path::Path,
    sync::atomic::AtomicBool,
};

use indexmap::{IndexMap, IndexSet, map::Entry};
use spytui_plugin_api::{
    AttachmentId, Field, NONE, RowFlags, Want,
    info::space,
    render::{FieldFlags, Tag},
};

use super::{
    capture::{ExportError, Exported, Inputs, TICKS, can_create},
    csv,
    json::KindNames,
    replay_sink::{ReplaySink, in_words},
};
use crate::{
    analysis::{
        objects::{ObjectState, Wording},
        timeline::{LaneChange, LaneValue, TimelineRecorder},
    },
    io::file_error::folder_of,
    present::Clock,
    replay::{Doing, Key},
    row::RowView,
    trace::stream::Sink,
};

/// Size of a packet; a longer event has one of its own.
const PACKET: usize = 1 << 16;
/// Most streams and classes, as noise may name any core and have any fields.
const MOST_STREAMS: usize = 64;
const MOST_CLASSES: usize = 1 << 14;

/// Writes a new folder that appears only when complete. What is there is never replaced: it may hold more than a trace.
pub fn export_folder(inputs: &Inputs<'_>, path: &Path, _: bool, stop: &AtomicBool) -> Result<Exported, ExportError> {
    can_create(path, false)?;
    let first = inputs.first_pass()?;
    let mut lanes = ReplaySink::<TimelineRecorder>::new(&inputs.decoder.info);
    inputs.second_pass(&first, &mut lanes, stop)?;
    let failed = |source| ExportError::Write { path: path.to_owned(), source };
    let hidden = tempfile::Builder::new().prefix(".spytui-").tempdir_in(folder_of(path)).map_err(failed)?;
    // The hidden one is for its owner only.
    let folder = hidden.path().join("trace");
    fs::create_dir(&folder).map_err(failed)?;
    in_words(inputs.decoder, &first.found.names, |wording| {
        let mut trace = Trace::new(wording, &folder, lanes.replay.span().0, lanes.clock());
        let fault = inputs.second_pass(&first, &mut trace, stop)?;
        trace.finish().and_then(|()| fs::rename(&folder, path)).map_err(failed)?;
        let mut notes: Vec<String> = (!trace.clock.known()).then(|| TICKS.to_owned()).into_iter().collect();
        if trace.reduced > 0 {
            notes.push(format!("{} events have no fields: they are of too many classes", trace.reduced));
        }
        Ok(Exported { tracks: trace.streams.len() as u64, events: trace.events, notes, fault })
    })
}

/// An event: its class, as metadata declare it, and the bytes of its fields.
struct Event {
    class: String,
    bytes: Vec<u8>,
}

impl Event {
    fn new(name: &str) -> Event {
        Event { class: format!("name = {name:?}; stream_id = 0; fields := struct {{"), bytes: Vec::new() }
    }

    /// Adds a field. Readers remove the `_` that keeps its name from being a keyword.
    fn field(&mut self, name: &str, of: &'static str, bytes: &[u8]) {
        let name = format!(" _{}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        let numbered = (2_u64..).map(|number| format!("{name}_{number};"));
        let mut names = std::iter::once(format!("{name};")).chain(numbered);
        let free = names.find(|name| !self.class.contains(name)).unwrap_or_default();
        self.class.extend([" ", of, &free]);
        self.bytes.extend_from_slice(bytes);
    }

    fn number(&mut self, name: &str, number: impl Into<Option<u64>>) {
        number.into().into_iter().for_each(|number| self.field(name, "u64", &number.to_le_bytes()));
    }

    fn text(&mut self, name: &str, text: &[u8]) {
        let text = String::from_utf8_lossy(text).replace('\0', "\u{FFFD}") + "\0";
        self.field(name, "string", text.as_bytes());
    }

    /// Adds a field of a record. The name of a key is a field of its own.
    fn of_record(&mut self, item: &RowView<'_>, name: &[u8], field: &Field) {
        let (blob, mut hex) = (item.rendered.blob, Vec::new());
        let behind = if field.flags.contains(FieldFlags::VALUE) { "_value" } else { "" };
        let name = String::from_utf8_lossy(name) + behind;
        match field.tag {
            Tag::TEXT => self.text(&name, field.text.of(blob)),
            Tag::SIGNED => self.field(&name, "i64", &field.num.to_le_bytes()),
            Tag::F64 => self.field(&name, "f64", &field.num.to_le_bytes()),
            Tag::BYTES => {
                csv::plain(&mut hex, field, blob);
                self.text(&name, &hex);
            }
            _ => self.number(&name, field.num),
        }
        if matches!(field.tag, Tag::KEY | Tag::ENUM | Tag::POINTER) && field.space != NONE {
            let known = item.names.get(0, field.space, field.num, field.scope);
            known.into_iter().for_each(|known| self.text(&format!("{name}_name"), known));
        }
    }
}

struct Stream {
    file: File,
    core: u16,
    packet: Vec<u8>,
    begin: u64,
    end: u64,
    /// Records lost so far.
    lost: u64,
}

impl Stream {
    fn write(&mut self) -> io::Result<()> {
        let mut head = [0xC1FC_1FC1_u32, 0].map(u32::to_le_bytes).concat();
        let bits = 8 * (52 + self.packet.len() as u64);
        head.extend([self.begin, self.end, bits, bits, self.lost].iter().flat_map(|number| number.to_le_bytes()));
        head.extend(u32::from(self.core).to_le_bytes());
        self.file.write_all(&head)?;
        self.file.write_all(&mem::take(&mut self.packet))
    }
}

struct Trace<'a> {
    lanes: ReplaySink<TimelineRecorder>,
    wording: &'a Wording<'a>,
    folder: &'a Path,
    /// Position of the first time, where rows before it stand.
    first: u64,
    clock: Clock,
    /// Unix ns of time 0, by when the host received a record.
    offset: Option<u64>,
    streams: IndexMap<u16, Stream>,
    classes: IndexSet<String>,
    events: u64,
    /// Number of events without fields, because there are too many classes.
    reduced: u64,
    /// By number of the lane.
    states: Vec<ObjectState>,
    /// Tasks in the order in which they run first, which numbers them.
    tasks: IndexSet<Key>,
}

impl<'a> Trace<'a> {
    fn new(wording: &'a Wording<'a>, folder: &'a Path, first: u64, clock: Clock) -> Trace<'a> {
        let mut lanes = ReplaySink::<TimelineRecorder>::new(wording.info);
        lanes.replay.kept = Some(Vec::new());
        let (streams, classes, states, tasks) = Default::default();
        let (offset, events, reduced) = (None, 0, 0);
        Trace { lanes, wording, folder, first, clock, offset, streams, classes, events, reduced, states, tasks }
    }

    fn add(&mut self, core: u16, at: u64, mut event: Event, lost: u64) -> io::Result<()> {
        let at = self.clock.ns(at).unwrap_or(at);
        if self.classes.len() >= MOST_CLASSES && !self.classes.contains(&event.class) {
            self.reduced += 1;
            event = Event::new("reduced");
        }
        let id = self.classes.insert_full(event.class).0 as u32;
        let is_known = self.streams.len() < MOST_STREAMS || self.streams.contains_key(&core);
        let core = if is_known { core } else { NONE };
        let stream = match self.streams.entry(core) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let file = File::create_new(self.folder.join(format!("stream_{core}")))?;
                let stream = new.insert(Stream { file, core, packet: Vec::new(), begin: at, end: at, lost: 0 });
                // Readers count what is lost from one packet to the next.
                stream.write()?;
                stream
            }
        };
        if stream.packet.len() + event.bytes.len() > PACKET {
            stream.write()?;
        }
        if stream.packet.is_empty() {
            stream.begin = at;
        }
        (stream.end, stream.lost) = (at, stream.lost.saturating_add(lost));
        stream.packet.extend(id.to_le_bytes());
        stream.packet.extend(at.to_le_bytes());
        stream.packet.extend(event.bytes);
        self.events += 1;
        Ok(())
    }

    fn changed(&mut self, core: u16, LaneChange { at, lane, shown }: LaneChange) -> io::Result<()> {
        let recorder = &self.lanes.replay;
        let now = match shown {
            LaneValue::State(state) => recorder.state(state).copied().unwrap_or_default(),
            LaneValue::Unknown => ObjectState::Unknown,
            LaneValue::Number(_) => return Ok(()),
        };
        let lane = lane as usize;
        self.states.resize(self.states.len().max(lane + 1), ObjectState::Unknown);
        let before = mem::replace(&mut self.states[lane], now);
        let Some(key) = recorder.lanes().nth(lane).filter(|_| before != now) else { return Ok(()) };
        if key.object.space == space::CORES {
            return self.switched(key.object.key as u16, at, before, now);
        }
        let mut event = Event::new("state");
        event.text("object", self.wording.name(key.object).as_bytes());
        for (name, state) in [("state", now), ("previous", before)] {
            let is_known = state != ObjectState::Unknown;
            event.text(name, if is_known { self.wording.state_word(&state) } else { "unknown".to_owned() }.as_bytes());
        }
        self.add(core, at, event, 0)
    }

    /// A core runs another task. The fields are those of Linux; priorities are not known.
    fn switched(&mut self, core: u16, at: u64, before: ObjectState, now: ObjectState) -> io::Result<()> {
        let table = &self.lanes.replay.table;
        let is_ready = |task| match table.object(task).map(|object| object.state) {
            Some(ObjectState::Task(task)) => task.doing == Doing::READY,
            _ => false,
        };
        let mut event = Event::new("sched_switch");
        event.number("prev_state", u64::from(!matches!(before, ObjectState::Runs(task) if is_ready(task))));
        for (side, state) in [("prev", before), ("next", now)] {
            let (name, number) = match state {
                ObjectState::Runs(task) => (self.wording.name(task), self.tasks.insert_full(task).0 as i64 + 1),
                ObjectState::Idle => ("idle".to_owned(), 0),
                _ => ("unknown".to_owned(), -1),
            };
            event.text(&format!("{side}_comm"), name.as_bytes());
            event.field(&format!("{side}_tid"), "i64", &number.to_le_bytes());
            event.number(&format!("{side}_prio"), 0);
        }
        self.add(core, at, event, 0)
    }

    /// Writes the last packets and the metadata.
    fn finish(&mut self) -> io::Result<()> {
        self.streams.values_mut().try_for_each(Stream::write)?;
        let tick = if self.clock.known() { self.clock.tick_text().unwrap_or_default() } else { TICKS.to_owned() };
        let text = include_str!("ctf.tsdl").replace("PROTOCOL", &self.wording.info.id).replace("CLOCK", &tick);
        let mut text = text.replace("OFFSET", &self.offset.unwrap_or(0).to_string());
        for (id, class) in self.classes.iter().enumerate() {
            // Writing to a string never fails.
            let _ = writeln!(text, "\nevent {{ id = {id}; {class} }}; }};");
        }
        fs::write(self.folder.join("metadata"), text)
    }
}

impl Sink for Trace<'_> {
    fn want(&self) -> Want {
        Want::TEXT | Want::FIELDS
    }

    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        self.lanes.row(item)?;
        let core = item.core().unwrap_or(if item.cores() { NONE } else { 0 });
        for change in self.lanes.replay.kept.replace(Vec::new()).unwrap_or_default() {
            self.changed(core, change)?;
        }
        let at = self.lanes.replay.span().1.max(self.first);
        let is_timed = item.row.has(RowFlags::TIME_OWN);
        if let (Some(host), Some(ns), true) = (item.host_ns, self.clock.ns(at), is_timed) {
            self.offset = self.offset.or(host.checked_sub(ns));
        }
        let (kind, is_record, hides) = (KindNames::of(item).name, item.row.is_record(), item.row.may_hide_records());
        let note = if hides { "loss" } else { "note" };
        let mut event = Event::new(&if is_record { String::from_utf8_lossy(&kind) } else { note.into() });
        event.number("source", item.source.map(u64::from));
        event.number("n", item.n.filter(|_| is_record));
        event.number("pos", item.pos());
        event.number("len", item.wire_len());
        event.number("seq", item.seq());
        event.number("time", is_timed.then_some(item.row.time));
        let mut text = Vec::new();
        if item.object_place().is_some() {
            item.push_object(&mut text);
            event.text("object", &mem::take(&mut text));
        }
        if is_record {
            item.push_text(&mut text)
        } else {
            item.push_what(&mut text)
        }
        event.text("text", &text);
        let mut lost = u64::from(hides);
        if !is_record {
            let known = item.attachments.iter().find(|attachment| attachment.id == AttachmentId::LOST);
            lost = known.map_or(lost, |known| known.a);
            event.text("kind", &kind);
            event.number("lost", known.map(|known| known.a));
        }
        item.fields().for_each(|(name, field)| event.of_record(item, name, field));
        for spec in item.info.attachments.iter().filter(|spec| spec.id.is_own()) {
            let found = item.attachments.iter().find(|found| found.id == spec.id && !found.is_bytes);
            event.number(&spec.name, found.map(|found| found.a));
        }
        self.add(core, at, event, lost)
    }
}
