//! Receives like the reference host: its framing, its dictionary limits, its reaction to target info and dictionary
//! files. Every byte gets a row; rows that the host does not report have no text.

use std::sync::Arc;

use spytui_decoder_kit::{RowBuilder, Value};
use spytui_hdlc::{ESCAPE, FLAG, FLIP, Runs, StuffedRun, sum};
use spytui_plugin_api::{
    Output, Row, StreamEvent,
    batch::AttachmentId,
    chunk::StreamEventKind,
    row::{RowFlags, RowKind, Severity},
    text::copy_short,
};

use super::{
    DICTIONARY, dictionary,
    names::{HostNames, pin},
    sequence::Diagram,
};
use crate::{
    config::{Config, ReferenceForm, Sizes, Style},
    frame::{FrameLocation, GOOD_SUM, SHORTEST},
    layout::{self, id, private_attachment, space},
    names::{DictionaryFile, NamingRecord},
    receive::{Base, add_activities},
    record::{self, Record, TargetInfo},
};

#[derive(Clone, Debug)]
pub(crate) struct Reference {
    framer: Framer,
    reader: ReferenceReceiver,
}

impl Reference {
    /// `objects` = those of a sequence file.
    pub(crate) fn new(base: Base, dic: Option<Arc<DictionaryFile>>, objects: Vec<String>) -> Reference {
        Reference { framer: Framer::default(), reader: ReferenceReceiver::new(base, dic, objects) }
    }

    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        let Reference { framer, reader } = self;
        reader.open(pos, out);
        let mut runs = Runs::new(bytes);
        loop {
            let start = runs.at();
            let (Some(run), Some(rest)) = (runs.next(), bytes.get(start..)) else { break };
            let (event, taken) = framer.feed(rest, run);
            reader.len += taken;
            if let Some(event) = event {
                reader.event(event, framer, pos + (start + taken) as u64 - reader.len as u64, out);
                framer.restart();
                reader.len = 0;
            }
            runs.seek(start + taken);
        }
    }

    pub(crate) fn event(&mut self, event: &StreamEvent, out: &mut Output<'_>) {
        let Reference { framer, reader } = self;
        reader.open(event.pos, out);
        match event.kind {
            StreamEventKind::TIME => reader.base.clock.host_time(event),
            StreamEventKind::LINK_UP => {
                framer.restart();
                reader.give_up(RowKind::CUT_OFF, event.pos, out);
                reader.last_seq = 0;
            }
            StreamEventKind::END => {
                framer.restart();
                reader.give_up(RowKind::TAIL, event.pos, out);
                if reader.start.form == ReferenceForm::Dictionary {
                    out.attachment_bytes(AttachmentId::TEXT, &reader.dictionary());
                    out.row(reader.base.note(Row::note(DICTIONARY, event.pos, 0)));
                }
            }
            _ => {}
        }
    }
}

#[derive(Clone, Debug)]
struct ReferenceReceiver {
    base: Base,
    start: Config,
    names: Arc<HostNames>,
    /// Bytes since the last event.
    len: usize,
    opened: bool,
    just_started: bool,
    last_seq: u8,
    /// Build time of the last info; zeros before the first.
    build: [u8; 6],
    /// Type and date of the framework in the last info.
    framework: (u8, u32),
    /// Sizes as reported, legal or not.
    sizes: Sizes,
    /// Dictionary file with which the host was started.
    dic: Option<Arc<DictionaryFile>>,
    /// `None` except in the form of a sequence file.
    diagram: Option<Diagram>,
}

impl ReferenceReceiver {
    fn new(base: Base, dic: Option<Arc<DictionaryFile>>, objects: Vec<String>) -> ReferenceReceiver {
        let start = base.config;
        ReferenceReceiver {
            base,
            start,
            names: Arc::new(HostNames::new(start.style, start.form)),
            len: 0,
            opened: false,
            just_started: true,
            last_seq: 0,
            build: [0; 6],
            framework: (0, 0),
            sizes: start.sizes,
            dic,
            diagram: (start.form == ReferenceForm::Sequence).then(|| Diagram::new(objects)),
        }
    }

    fn open(&mut self, pos: u64, out: &mut Output<'_>) {
        if std::mem::replace(&mut self.opened, true) {
            return;
        }
        self.base.configure(out, self.start);
        self.base.properties(out, None);
        let text = match &self.diagram {
            Some(diagram) => diagram.prolog(),
            None if self.dic.is_some() => "   <QSPY-> No Target info yet to read dictionaries\n".to_owned(),
            None => return,
        };
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        out.row(self.base.note(Row::note(RowKind::PROLOG, pos, 0)));
    }

    /// The host's dictionary file with what it knows now.
    fn dictionary(&self) -> Vec<u8> {
        dictionary::file(&Config { sizes: self.sizes, ..self.base.config }, self.build, self.framework, &self.names)
    }

    fn give_up(&mut self, kind: RowKind, pos: u64, out: &mut Output<'_>) {
        let len = std::mem::take(&mut self.len);
        if len > 0 {
            let row = self.base.note(Row::skipped(kind, pos - len as u64, len));
            out.row(Row { severity: Severity::WARNING, ..row });
        }
    }

    #[inline]
    fn event(&mut self, event: Event, framer: &Framer, pos: u64, out: &mut Output<'_>) {
        let (kind, escaped) = match event {
            Event::Good => return self.good(framer, pos, out),
            Event::BadSum if self.just_started => (RowKind::PARTIAL, false),
            Event::BadSum => (RowKind::BAD_CHECK, false),
            Event::TooShort => (RowKind::TOO_SHORT, false),
            Event::TooLong { escaped } => (RowKind::TOO_LONG, escaped),
        };
        let last = u64::from(self.last_seq) | u64::from(escaped) << 8;
        out.attachment(private_attachment::SHOWN, last, framer.id().into());
        let row = self.base.note(Row::skipped(kind, pos, self.len));
        out.row(Row { severity: Severity::ERROR, ..row });
    }

    #[inline]
    fn sequence(&mut self, seq: u8, id: u8, pos: u64, out: &mut Output<'_>) {
        let expected = self.last_seq.wrapping_add(1);
        if !self.just_started && seq != expected && id != id::EMPTY {
            self.base.gap(expected, seq, pos, out);
        }
        self.last_seq = seq;
        self.just_started = false;
    }

    #[inline]
    fn good(&mut self, framer: &Framer, pos: u64, out: &mut Output<'_>) {
        let frame = framer.frame();
        let &[seq, id, _, ..] = frame else { return };
        self.sequence(seq, id, pos, out);
        let at = FrameLocation { pos, len: self.len, escaped: framer.escaped, fits: None };
        let plan = self.base.plans.of(id);
        let is_plain = plan.is_plain(frame) && !out.wants_activities() && self.diagram.is_none();
        if is_plain && !self.names.may_pin_signal(plan.sig.read(frame)) {
            let row = self.base.plain(id, frame, at);
            return out.row(row);
        }
        self.special(id, framer, at, out);
    }

    /// Takes a record with other effects than a row.
    #[inline(never)]
    fn special(&mut self, id: u8, framer: &Framer, at: FrameLocation, out: &mut Output<'_>) {
        let frame = framer.frame();
        let [_, _, payload @ .., _] = frame else { return };
        if self.names.may_pin() {
            self.pins(id, payload, out);
        }
        self.draw(id, frame, out);
        let row = self.base.record(frame, at);
        if out.wants_activities() {
            add_activities(&self.base.config, self.base.plans.of(id), row, frame, out);
        }
        if id < self.user_base() && (id == id::EMPTY || id >= id::ENUM_DICT) {
            self.effect(id, payload, framer.stale(), row, out);
        } else {
            out.row(row);
        }
    }

    fn user_base(&self) -> u8 {
        layout::user_base(self.base.config.version, self.base.config.style)
    }

    /// Chooses the lanes on which a row is drawn in a sequence file.
    fn draw(&mut self, id: u8, frame: &[u8], out: &mut Output<'_>) {
        if let Some(diagram) = &mut self.diagram
            && let Some(layout) = self.base.plans.of(id).fixed(frame)
        {
            let values = self.base.plans.of(id).fixed.values(frame);
            diagram.line(layout, &values, &self.names, out);
        }
    }

    /// Pins a signal, by index in its record, if its entry is not the obvious one.
    fn pin(&self, nth: u16, sig: u64, obj: u64, out: &mut Output<'_>) {
        if let Some(scope) = self.names.pin(sig, obj) {
            out.attachment(AttachmentId::NAME_HINT, pin(nth), scope);
        }
    }

    /// Pins the signals of any record.
    fn pins(&self, id: u8, payload: &[u8], out: &mut Output<'_>) {
        match Record::parse(&self.base.config, id, payload) {
            Record::Application => self.pin_elements(payload, out),
            Record::Misfit { .. } if id == id::QUERY => {}
            Record::Predefined(layout, values) | Record::Misfit { layout, values, .. }
                if id != id::SIG_DICT && layout.sig != layout::NO_FIELD =>
            {
                self.pin(0, values.number(layout.sig), values.number(layout.scope), out);
            }
            _ => {}
        }
    }

    /// Pins the signals of an application record, up to and including the first incomplete element, whose signal the
    /// host looks up with object 0.
    fn pin_elements(&self, payload: &[u8], out: &mut Output<'_>) {
        let Some((_, mut elements)) = record::elements(payload, &self.base.config) else { return };
        let mut nth = 0;
        for element in elements.by_ref() {
            if let Value::Signal { sig, obj } = element.value {
                self.pin(nth, sig, obj, out);
                nth += 1;
            }
        }
        if let [format, data @ ..] = elements.rest
            && format & 15 == 10
            && let Ok((_, sig)) = record::uint(data, self.base.config.sizes.sig)
        {
            self.pin(nth, sig, 0, out);
        }
    }

    /// Takes a record that changes the host's state, and adds the lines that the host prints. For a peek of zero items,
    /// the host prints one anyway, from stale bytes in its buffer.
    fn effect(&mut self, id: u8, payload: &[u8], stale: &[u8], row: Row, out: &mut Output<'_>) {
        let fits = !row.flags.intersects(RowFlags::MALFORMED);
        match id {
            id::INFO if fits => {
                if let Some(info) = TargetInfo::parse(payload, self.base.config.style) {
                    return self.info(&info, row, out);
                }
            }
            id::PEEK => out.attachment_bytes(private_attachment::STALE, stale.get(..3).unwrap_or(stale)),
            id::RUN if fits => self.saved(out),
            _ => {}
        }
        out.row(row);
        if id == id::EMPTY && self.base.config.version < 550 && self.base.config.style == Style::Qspy734 {
            if !payload.is_empty() {
                return;
            }
            Arc::make_mut(&mut self.names).clear(out);
        } else if fits {
            self.name(id, payload, out);
        }
    }

    fn saved(&self, out: &mut Output<'_>) {
        if self.start.form == ReferenceForm::Dictionary {
            out.attachment_bytes(AttachmentId::TEXT, &self.dictionary());
        } else if self.dic.is_some() && self.build != [0; 6] && self.start.form.is_lines() {
            let text = format!("   <QSPY-> Dictionaries saved to File=qspy{}.dic\n", record::build_id(self.build));
            out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        }
    }

    fn name(&mut self, id: u8, payload: &[u8], out: &mut Output<'_>) {
        let Some(naming) = NamingRecord::of(&self.base.config, id, payload) else { return };
        Arc::make_mut(&mut self.names).enter_record(naming, self.base.config.version, out);
    }

    fn info(&mut self, info: &TargetInfo, mut row: Row, out: &mut Output<'_>) {
        let config = self.base.config;
        let differs = (self.sizes, config.version, self.build) != (info.sizes, info.version, info.build);
        let known = self.build.last() != Some(&0);
        let framework = (info.framework, info.date);
        let other_framework = std::mem::replace(&mut self.framework, framework) != framework;
        let start: &str = match config.style {
            Style::Qspy813 if !info.reset && (differs || other_framework) && info.framework != 0 => {
                "   <QSPY-> Target info changed (dictionaries discarded)\n"
            }
            Style::Qspy734 if differs && known => "   <QSPY-> Target info mismatch (dictionaries discarded)\n",
            _ => "",
        };
        self.build = info.build;
        let file = self.dic.clone();
        let fitting = file.as_ref().filter(|dic| !dic.is_empty() && dic.other_build(info).is_none());
        let mismatch = fitting.is_some_and(|dic| {
            (dic.sizes(info.sizes), dic.version.unwrap_or(info.version)) != (info.sizes, info.version)
        });
        self.report_reaction(start, file.is_some(), fitting.is_some(), mismatch, out);
        row.flags |= if info.reset { RowFlags::EPOCH } else { RowFlags::empty() };
        if info.reset {
            self.base.clock.restart();
        }
        out.row(row);
        let sizes = fitting.map_or(info.sizes, |dic| dic.sizes(info.sizes));
        let version = fitting.and_then(|dic| dic.version).unwrap_or(info.version);
        self.sizes = sizes;
        // With an illegal size, the host would exit.
        let sizes = sizes.legal(config.sizes);
        let mut config = Config { version, big_endian: info.big_endian, sizes, ..config };
        let names = Arc::make_mut(&mut self.names);
        if info.reset || !start.is_empty() {
            names.clear(out);
        }
        match fitting {
            Some(_) if mismatch => names.clear(out),
            Some(dic) => read_file(names, dic, &mut config, out),
            None => {}
        }
        self.base.configure(out, config);
        self.base.properties(out, Some(info));
    }

    /// Attaches the lines that the host prints after the info's; `start` = the first ones.
    fn report_reaction(&self, start: &str, in_use: bool, found: bool, mismatch: bool, out: &mut Output<'_>) {
        let mut text = start.to_owned();
        if in_use {
            let what = if found { "Reading dictionaries from" } else { "Dictionaries not found" };
            text += &format!("   <QSPY-> {what} File=qspy{}.dic\n", record::build_id(self.build));
        }
        if mismatch {
            text += "   <QSPY-> Dictionaries mismatch the Target (discarded)\n";
        }
        if !text.is_empty() && self.start.form.is_lines() {
            out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        }
    }
}

/// Replaces the dictionaries by a file's; its key sizes become the widths of missing names.
fn read_file(names: &mut HostNames, dic: &DictionaryFile, config: &mut Config, out: &mut Output<'_>) {
    for (space, size) in dic.key_sizes() {
        names.clear_one(out, space);
        match space {
            space::OBJECTS => config.key_widths.obj = size,
            space::FUNCTIONS => config.key_widths.fun = size,
            space::SIGNALS => config.key_widths.sig = size,
            _ => {}
        }
    }
    dic.names().for_each(|naming| names.enter(&naming, out));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Good,
    BadSum,
    TooShort,
    /// The byte that did not fit, and whether it was escaped.
    TooLong {
        escaped: bool,
    },
}

const HOST_ROOM: usize = 512;

/// The reference host's framing: collects unstuffed bytes in a buffer that is never cleared.
#[derive(Clone, Debug)]
struct Framer {
    buffer: [u8; HOST_ROOM],
    len: usize,
    escape: bool,
    escaped: bool,
}

impl Default for Framer {
    fn default() -> Self {
        Framer { buffer: [0; HOST_ROOM], len: 0, escape: false, escaped: false }
    }
}

impl Framer {
    /// Discards the current frame, as on a new connection.
    fn restart(&mut self) {
        (self.len, self.escape, self.escaped) = (0, false, false);
    }

    /// Consumes bytes, which begin with `run`, up to the next event; returns the event and the number of bytes
    /// consumed. After `Good` and `TooShort`, the frame is `buffer[..len]` until `restart` is called, which must follow
    /// every event.
    #[inline]
    fn feed(&mut self, bytes: &[u8], run: StuffedRun) -> (Option<Event>, usize) {
        let place = self.buffer.get_mut(self.len..self.len + run.len);
        let (Some(place), Some(plain), false) = (place, bytes.get(..run.len), run.escaped || self.escape) else {
            return self.feed_slowly(bytes);
        };
        copy_short(place, plain);
        self.len += run.len;
        if run.ended { (Some(self.flag()), run.len + 1) } else { (None, run.len) }
    }

    /// Like `feed`, byte by byte, for escapes and overlong frames.
    fn feed_slowly(&mut self, bytes: &[u8]) -> (Option<Event>, usize) {
        for (&byte, taken) in bytes.iter().zip(1..) {
            let event = match byte {
                _ if std::mem::take(&mut self.escape) => self.append(byte ^ FLIP, true),
                FLAG => Some(self.flag()),
                ESCAPE => {
                    (self.escape, self.escaped) = (true, true);
                    None
                }
                _ => self.append(byte, false),
            };
            if event.is_some() {
                return (event, taken);
            }
        }
        (None, bytes.len())
    }

    fn flag(&self) -> Event {
        match sum(self.frame()) {
            GOOD_SUM if self.len < SHORTEST => Event::TooShort,
            GOOD_SUM => Event::Good,
            _ => Event::BadSum,
        }
    }

    #[inline]
    fn append(&mut self, byte: u8, escaped: bool) -> Option<Event> {
        let Some(place) = self.buffer.get_mut(self.len) else { return Some(Event::TooLong { escaped }) };
        *place = byte;
        self.len += 1;
        None
    }

    fn frame(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or(&[])
    }

    /// Stale bytes in the buffer after the current frame.
    fn stale(&self) -> &[u8] {
        self.buffer.get(self.len..).unwrap_or(&[])
    }

    /// The byte in place of the record id, of this frame or an earlier one.
    fn id(&self) -> u8 {
        self.buffer.get(1).copied().unwrap_or(0)
    }
}
