//! A protocol's decoder: splits bytes into frames, handles what lies between them, and turns frames into rows: sequence
//! numbers, times, losses, names, activities.

use std::{collections::HashSet, marker::PhantomData};

use spytui_plugin_api::{
    Activity, ActivityFlags, AttachmentId, Batch, Decoder, DecoderOptions, DecoderRef, Dict, Fault, Info, NONE, Output,
    Row, RowFlags, RowIn, RowKind, Skipped, Source, StreamEvent, StreamEventKind, TextWriter, Verb, Want,
    info::{Guess, space},
};

use crate::{
    Clock, ClockNews, Kind, Means, Order, Protocol, Split, Value,
    clock::COUNTER_BITS,
    describe::{self, UNKNOWN, space_id},
    protocol::MAX_JUNK,
    record::{Found, Key, Record},
    render, scaled,
    sequence::{Decision, FramePlace, Numbered, Sequence, Step},
};

/// The function table of a protocol's decoder.
pub const fn decoder<P: Protocol>() -> DecoderRef {
    spytui_plugin_api::decoder::<Receiver<P>>()
}

/// Evidence of a frame without a checksum, in bits.
const UNCHECKED_BITS: u32 = 1;

struct Receiver<P> {
    /// Bytes that are in no row yet.
    held: Vec<u8>,
    /// How many of them, from the start, don't begin a frame.
    junk: usize,
    /// No frame yet since the stream began, or since damage that may hide the next start.
    is_lost: bool,
    is_first: bool,
    stream: Stream,
    protocol: PhantomData<fn() -> P>,
}

impl<P> Clone for Receiver<P> {
    fn clone(&self) -> Self {
        Receiver { held: self.held.clone(), stream: self.stream.clone(), ..*self }
    }
}

struct Progress {
    /// End of the bytes in rows.
    done: usize,
    /// End of the bytes that don't begin a frame.
    at: usize,
}

impl<P: Protocol> Decoder for Receiver<P> {
    fn info() -> Info {
        describe::info::<P>()
    }

    /// Counts frames of known kinds whose fields fit.
    fn probe(sample: &[u8], _: &DecoderOptions<'_>, out: &mut Vec<Guess>) {
        let mut batch = Batch::default();
        let mut receiver = Receiver::<P>::new(&Source::default(), None);
        receiver.bytes(0, sample, &mut Output::new(&mut batch, false));
        let is_bad = |flags: RowFlags| flags.intersects(RowFlags::UNKNOWN | RowFlags::MALFORMED);
        let good = batch.rows.iter().filter(|row| row.is_record() && !is_bad(row.flags));
        let (count, bytes) = good.fold((0_u32, 0_u64), |(n, sum), row| (n.saturating_add(1), sum + u64::from(row.len)));
        if count > 0 {
            out.push(Guess {
                evidence_bits: count.saturating_mul(P::CHECK_BITS.max(UNCHECKED_BITS)),
                explained: u16::try_from(bytes * 1000 / sample.len().max(1) as u64).unwrap_or(1000),
                options: "".into(),
                why: format!("{count} good frames").into(),
            });
        }
    }

    fn open(opts: &DecoderOptions<'_>, source: &Source) -> Result<Self, Fault> {
        Ok(Receiver::new(source, COUNTER_BITS.given(opts)?))
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if self.held.is_empty() {
            let used = self.scan(pos, bytes, out);
            self.held.extend_from_slice(&bytes[used..]);
            return;
        }
        let start = pos.saturating_sub(self.held.len() as u64);
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let used = self.scan(start, &held, out);
        held.drain(..used);
        self.held = held;
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        if let Some(kind) = event.kind.left_over() {
            self.give_up(event.pos, kind, out);
            self.is_lost = true;
        }
        self.stream.event(event);
    }

    fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        render::row::<P>(row, dict, want, out);
    }
}

impl<P: Protocol> Receiver<P> {
    fn new(source: &Source, counter_bits: Option<u32>) -> Receiver<P> {
        let stream = Stream::new::<P>(source, counter_bits);
        Receiver { held: Vec::new(), junk: 0, is_lost: true, is_first: true, stream, protocol: PhantomData }
    }

    /// Adds rows for all complete frames in the bytes at `pos`; returns the number of bytes in rows.
    fn scan(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) -> usize {
        let mut place = Progress { done: 0, at: self.junk };
        while let Some(rest) = bytes.get(place.at..).filter(|rest| !rest.is_empty()) {
            match split::<P>(rest) {
                Split::More if rest.len() < P::MAX_FRAME => break,
                split => self.step(pos, bytes, split, &mut place, out),
            }
        }
        self.junk = place.at - place.done;
        place.done
    }

    fn step(&mut self, pos: u64, bytes: &[u8], split: Split, place: &mut Progress, out: &mut Output<'_>) {
        let start = place.at;
        match split {
            Split::Frame(len) => {
                self.skip(pos, &bytes[..start], place.done, out);
                (self.is_lost, self.is_first) = (false, false);
                self.stream.frame::<P>(pos + start as u64, &bytes[start..start + len], out);
                (place.at, place.done) = (start + len, start + len);
                return;
            }
            Split::Skip(len, kind) if !self.is_lost => {
                return self.damaged(pos, &bytes[..start + len], kind, place, out);
            }
            Split::BadChecksum(len) if !self.is_lost => {
                let begins = |at: &usize| P::split(&bytes[start + at..start + len]) != Split::Junk;
                let len = (1..len).find(begins).unwrap_or(len);
                self.damaged(pos, &bytes[..start + len], RowKind::BAD_CHECK, place, out);
                self.is_lost = true;
                return;
            }
            Split::Skip(len, _) => place.at += len,
            // Too long: another frame may begin at the next byte, unless a delimiter marks it.
            Split::More if P::FRAMING.delimiter().is_some() => place.at += P::MAX_FRAME,
            Split::More | Split::Junk | Split::BadChecksum(_) => place.at += 1,
        }
        self.is_lost = true;
        while place.at - place.done >= MAX_JUNK {
            self.skip(pos, &bytes[..place.done + MAX_JUNK], place.done, out);
            place.done += MAX_JUNK;
        }
    }

    /// Adds rows for the damaged frame at the end of `bytes`.
    fn damaged(&mut self, pos: u64, bytes: &[u8], kind: RowKind, place: &mut Progress, out: &mut Output<'_>) {
        self.stream.damaged::<P>((pos + place.at as u64, &bytes[place.at..]), kind, true, out);
        (place.at, place.done) = (bytes.len(), bytes.len());
    }

    /// Adds rows for the bytes from `start` on, which don't begin a frame.
    fn skip(&mut self, pos: u64, bytes: &[u8], start: usize, out: &mut Output<'_>) {
        if start < bytes.len() {
            let kind = if std::mem::take(&mut self.is_first) { RowKind::PARTIAL } else { RowKind::RESYNC };
            self.stream.damaged::<P>((pos + start as u64, &bytes[start..]), kind, false, out);
        }
    }

    /// Adds rows for held bytes at an event at position `end`.
    fn give_up(&mut self, end: u64, kind: RowKind, out: &mut Output<'_>) {
        let mut held = std::mem::take(&mut self.held);
        let mut start = end.saturating_sub(held.len() as u64);
        // An apparent frame start may have hidden other frames.
        while !held.is_empty() && P::FRAMING.delimiter().is_none() && self.hides_a_frame(&held) {
            self.junk += 1;
            self.is_lost = true;
            let used = self.scan(start, &held, out);
            held.drain(..used);
            start += used as u64;
        }
        let junk = std::mem::take(&mut self.junk);
        self.skip(start, &held[..junk], 0, out);
        if held.len() > junk {
            self.is_first = false;
            self.stream.damaged::<P>((start + junk as u64, &held[junk..]), kind, false, out);
        }
    }

    /// Whether a frame follows the first byte after the junk.
    fn hides_a_frame(&self, held: &[u8]) -> bool {
        (self.junk + 1..held.len()).any(|at| matches!(split::<P>(&held[at..]), Split::Frame(_)))
    }
}

/// Splits at most the longest frame, and validates what the protocol returns.
fn split<P: Protocol>(bytes: &[u8]) -> Split {
    let window = &bytes[..bytes.len().min(P::MAX_FRAME)];
    match P::split(window) {
        Split::Frame(n) | Split::BadChecksum(n) | Split::Skip(n, _) if n == 0 || n > window.len() => Split::Junk,
        Split::Skip(n, kind) if !kind.is_note() || kind.is_of_host() => Split::BadChecksum(n),
        split => split,
    }
}

/// Maximum number of keys whose names are remembered: noise may contain millions.
const MOST_NAMED: usize = 1 << 16;
/// Maximum number of senders whose sequence numbers are tracked.
const MOST_SENDERS: usize = 64;

#[derive(Clone)]
struct Stream {
    clock: Clock,
    core: u16,
    has_begun: bool,
    senders: Vec<(u64, Sequence)>,
    /// Kinds with their groups' ids.
    kinds: Vec<(&'static Kind, u8)>,
    /// Total of dropped records, and the number last reported for it.
    dropped: (u64, u64),
    /// Keys named by a record or by a word.
    named: HashSet<Key>,
    /// Buffer for unstuffing.
    room: Vec<u8>,
}

impl Stream {
    fn new<P: Protocol>(source: &Source, counter_bits: Option<u32>) -> Stream {
        Stream {
            clock: P::CLOCK.with_counter(counter_bits),
            core: if source.core == NONE { 0 } else { source.core },
            has_begun: false,
            senders: Vec::new(),
            kinds: P::KINDS.iter().filter_map(|kind| describe::kind::<P>(kind.id)).collect(),
            dropped: (0, 0),
            named: HashSet::new(),
            room: Vec::new(),
        }
    }

    fn event(&mut self, event: &StreamEvent) {
        match event.kind {
            StreamEventKind::TIME => self.clock.host_time(event),
            kind => self.senders.iter_mut().for_each(|(_, sequence)| sequence.event(kind)),
        }
    }

    /// Adds a row for bytes that are not a frame.
    fn note(&mut self, row: Row, out: &mut Output<'_>) {
        self.add(Row { time: self.clock.now(), core: self.core, ..row }, out);
    }

    fn add(&mut self, row: Row, out: &mut Output<'_>) {
        self.begin(out);
        out.row(row);
    }

    fn begin(&mut self, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            out.clock(self.clock.event());
        }
    }

    /// Adds rows for bytes without a valid frame, and for lines of text in them. `is_frame` = they are one damaged
    /// frame.
    fn damaged<P: Protocol>(
        &mut self,
        (pos, bytes): (u64, &[u8]),
        kind: RowKind,
        is_frame: bool,
        out: &mut Output<'_>,
    ) {
        self.begin(out);
        let body = if P::FRAMING.ends(bytes) { &bytes[..bytes.len() - 1] } else { bytes };
        let mut row = Row { time: self.clock.now(), core: self.core, ..Row::skipped(kind, pos, bytes.len()) };
        // Only its next frame shows which sender lost it; until then older losses may be hidden.
        let hides_records = kind.is_loss() && self.senders.len() > 1;
        row.flags.set(RowFlags::HIDES_RECORDS, hides_records);
        let reached = self.senders.iter().filter_map(|(_, sequence)| sequence.reached).min().filter(|_| hides_records);
        reached.into_iter().for_each(|reached| out.attachment(AttachmentId::SPAN, reached, row.time));
        let is_damage = out.skipped(row, 0, body) != Skipped::Text;
        // With several senders, the owner is unknown.
        if let ([(_, sequence)], true) = (&mut self.senders[..], is_frame && is_damage) {
            sequence.skipped(true);
        }
    }

    /// Adds the row of a frame, after rows for what it reveals.
    fn frame<P: Protocol>(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) {
        let mut room = std::mem::take(&mut self.room);
        let content = P::FRAMING.content(raw, &mut room).unwrap_or_default();
        let mut record = Record::new(content, P::FRAMING.head(), None);
        let fits = P::read(content, &mut record).is_some();
        let found = &record.found;
        let kind = found.kind.and_then(|id| self.kinds.iter().find(|(kind, _)| kind.id == id)).copied();
        if kind.is_some_and(|(kind, _)| kind.means == Means::Reset) {
            self.begin_epoch();
        }
        let place = self.place::<P>(pos, raw, found, out);
        if place != FramePlace::Repeated {
            let clock = (place == FramePlace::Aside).then(|| self.clock.clone());
            self.clock.set_late(clock.is_some());
            let mut row = self.row::<P>(pos, raw.len(), found, kind, fits);
            if let Some(clock) = clock {
                row.flags |= RowFlags::OUT_OF_ORDER;
                self.clock = clock;
            }
            if place == FramePlace::InOrder {
                let known = self.senders.iter_mut().find(|known| known.0 == found.sender);
                known.into_iter().for_each(|(_, sequence)| sequence.reached = Some(row.time));
            }
            self.clock_news(&mut row, out);
            if let (Some((key, place)), true) = (&found.name, fits) {
                let name = content.get(place.clone()).unwrap_or_default();
                self.named.insert(*key);
                out.name(space_id(key.space), key.key, 0, name);
            }
            // A field has few words, so noise adds no more.
            for (key, word) in found.words.iter().filter(|_| fits && kind.is_some()) {
                if self.named.len() < MOST_NAMED && self.named.insert(*key) {
                    out.name(space_id(key.space), key.key, 0, word.as_bytes());
                }
            }
            if let Some((kind, _)) = kind.filter(|_| fits) {
                self.means(kind, found, &row, out);
            }
            self.add(row, out);
        }
        self.room = room;
    }

    fn begin_epoch(&mut self) {
        self.clock.restart();
        self.senders.clear();
        self.dropped = (0, 0);
    }

    fn place<P: Protocol>(&mut self, pos: u64, raw: &[u8], found: &Found, out: &mut Output<'_>) -> FramePlace {
        let Some((number, bits)) = found.sequence else { return FramePlace::InOrder };
        let number = number & u64::MAX >> (64 - bits);
        let mut senders = self.senders.iter_mut();
        let known = senders.find(|known| known.0 == found.sender).filter(|known| known.1.is_plain(number));
        if let Some((_, sequence)) = known {
            sequence.take_plain(raw);
            return FramePlace::InOrder;
        }
        let (sender, mut sequence) = self.sender(found.sender, bits);
        let (clock, bits) = (&self.clock, P::CLOCK.bits());
        let time = found.stamp.map(|stamp| {
            let mut clock = clock.clone();
            clock.stamp_bits(stamp, bits);
            clock.now()
        });
        let order = found.stamp.map_or(Order::Unknown, |stamp| clock.order(stamp, bits));
        let numbered = Numbered { number, frame: raw, pos, time, order };
        let step = match sequence.step(&numbered) {
            Step::Decided(Decision::Restart) => {
                sequence.begin(number);
                self.note(Row { flags: RowFlags::EPOCH, ..Row::note(RowKind::RESTART, pos, 0) }, out);
                self.clock.restart();
                Step::Next
            }
            step => step,
        };
        let (core, now) = (self.core, self.clock.now());
        let taken = sequence.take(step, &numbered, (&self.clock, |row| Row { time: now, core, ..row }), out);
        self.senders.push((sender, sequence));
        if taken.place == FramePlace::Repeated {
            self.note(Row::skipped(RowKind::DUPLICATE, pos, raw.len()), out);
        }
        taken.place
    }

    fn sender(&mut self, sender: u64, bits: u32) -> (u64, Sequence) {
        if let Some(at) = self.senders.iter().rposition(|known| known.0 == sender) {
            return self.senders.remove(at);
        }
        if self.senders.len() >= MOST_SENDERS {
            self.senders.remove(0);
        }
        (sender, Sequence::new(bits))
    }

    /// The row of a frame; the clock takes its time stamp.
    fn row<P: Protocol>(&mut self, pos: u64, len: usize, found: &Found, kind: Option<(&Kind, u8)>, fits: bool) -> Row {
        let mut flags = RowFlags::empty();
        let mut set = |flag, is_set| flags.set(flag, is_set);
        let [object, item] = [found.object, found.keys[0]].map(|key| key.filter(|_| kind.is_some()));
        set(RowFlags::TIME_OWN, found.stamp.is_some());
        set(RowFlags::HAS_OBJECT, object.is_some());
        set(RowFlags::HAS_ITEM, item.is_some());
        set(RowFlags::MALFORMED, !fits && kind.is_some());
        set(RowFlags::UNKNOWN, kind.is_none());
        // Without a checksum, it may be a damaged frame of a known kind.
        let is_unread = if kind.is_some() { !fits } else { P::CHECK_BITS == 0 };
        set(RowFlags::HIDES_RECORDS, is_unread && found.sequence.is_none());
        let means = kind.map(|(kind, _)| kind.means);
        set(RowFlags::NAMING, fits && means == Some(Means::Name));
        set(RowFlags::EPOCH, means == Some(Means::Reset));
        if let Some(stamp) = found.stamp {
            self.clock.stamp_bits(stamp, P::CLOCK.bits());
        }
        Row {
            pos,
            time: self.clock.now(),
            obj: object.map_or(0, |key| key.key),
            item: item.map_or(0, |key| key.key),
            len: u32::try_from(len).unwrap_or(u32::MAX),
            flags,
            kind: kind.map_or(UNKNOWN, |(kind, _)| RowKind(kind.id)),
            core: self.core,
            severity: found.severity.or(kind.map(|(kind, _)| kind.severity)).unwrap_or_default(),
            group: kind.map_or_else(|| describe::unknown_group::<P>(), |(_, group)| group),
            ..Row::default()
        }
    }

    fn clock_news(&mut self, row: &mut Row, out: &mut Output<'_>) {
        let Some(news) = self.clock.take_news() else { return };
        row.flags.set(RowFlags::TIME_OWN, row.has(RowFlags::TIME_OWN) && !news.hides_time());
        if let Some(note) = news.note(row.pos, out) {
            let time = if let ClockNews::Back { from, .. } = news { from } else { row.time };
            out.row(Row { time, core: self.core, ..note });
        }
    }

    /// Adds what a record means: activities, names, values.
    fn means(&mut self, kind: &Kind, found: &Found, row: &Row, out: &mut Output<'_>) {
        if kind.means == Means::Drop {
            let total = self.drop_total(found);
            out.attachment(AttachmentId::DROP_TOTAL, total, 0);
        }
        if let Some(activity) = activity(kind, found).filter(|_| out.wants_activities()) {
            out.activity(Activity { core: row.core, ..activity });
        }
    }

    /// The total in a record; narrow totals wrap.
    fn drop_total(&mut self, found: &Found) -> u64 {
        let (number, bits) = found.value.map_or((0, 64), |(value, _, bits)| (value.bits(), bits));
        let (total, last) = self.dropped;
        let more = number.wrapping_sub(last) & (u64::MAX >> (64 - bits.clamp(1, 64)));
        self.dropped = if bits < 32 { (total + more, number) } else { (number, number) };
        self.dropped.0
    }
}

/// The activity of a record, according to its kind.
fn activity(kind: &Kind, found: &Found) -> Option<Activity> {
    let of = |activity: Activity, key: Option<Key>| match key {
        Some(key) => activity.sub(space_id(key.space), key.key),
        None => activity.sub(space::KINDS, kind.id.into()),
    };
    let item = |of: Activity, key: Option<Key>| key.map_or(of, |key| of.item(space_id(key.space), key.key));
    let [first, second] = found.keys;
    let object = |verb| found.object.map(|key| Activity::new(verb).sub(space_id(key.space), key.key));
    match kind.means {
        Means::Nothing | Means::Drop | Means::Name => None,
        Means::Instant => Some(of(Activity::new(Verb::INSTANT), None)),
        Means::Value => found.value.map(|(value, scale, _)| {
            let (bits, flags) = match scaled(value, scale) {
                Value::Unsigned(n) => (n, ActivityFlags::empty()),
                Value::Signed(n) => (n as u64, ActivityFlags::SIGNED),
                value => (value.as_float().to_bits(), ActivityFlags::FLOAT),
            };
            of(Activity::new(Verb::VALUE).val(bits).with(flags), found.object)
        }),
        Means::Transition => Some(match (first?, second) {
            (from, Some(to)) => {
                object(Verb::TRAN)?.obj(space_id(from.space), from.key).second_key(space_id(to.space), to.key)
            }
            (state, None) => item(object(Verb::REST)?, Some(state)),
        }),
        Means::State => Some(item(of(Activity::new(Verb::REST), found.object), Some(first?))),
        Means::Begin => Some(item(of(Activity::new(Verb::BEGIN), found.object), first)),
        Means::End => Some(item(of(Activity::new(Verb::END), found.object), first)),
        Means::Run => object(Verb::RUN),
        Means::IsrIn => object(Verb::ISR_IN),
        Means::IsrOut => object(Verb::ISR_OUT),
        Means::Reset => Some(Activity::new(Verb::RESET)),
        Means::Assert => Some(Activity::new(Verb::ASSERT)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, Framing, Space, Split, decoder, named};
    use spytui_plugin_api::{Class, DecoderRef, Severity};
    use spytui_plugin_host::kit::{Host, Random, Sample, conform, lines};

    /// Frames `A5 STATE DEEP`; frames of zeros don't reveal the key of a deep state.
    struct Keyed<const DECLARES: bool>;

    impl<const DECLARES: bool> Protocol for Keyed<DECLARES> {
        const ID: &'static str = "keyed";
        const TITLE: &'static str = "Keyed";
        const CHECK_BITS: u32 = 0;
        const SPACES: &'static [Space] = &[Space::of("state", Class::STATE), Space::of("deep", Class::STATE)];
        const KINDS: &'static [Kind] =
            &[Kind::new(0xA5, "STATE", "ST", Means::State).fields(&["deep"]).spaces(if DECLARES { &[1] } else { &[] })];

        fn split(bytes: &[u8]) -> Split {
            match bytes {
                [0xA5, _, _, ..] => Split::Frame(3),
                [0xA5, ..] => Split::More,
                _ => Split::Junk,
            }
        }

        fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
            let kind = r.get::<u8>()?;
            r.kind(kind.into());
            r.key::<u8>(named("state").words(&[(1, "run"), (7, "fault")]).severe(&[(7, Severity::ERROR)]), 0)?;
            if r.remaining().first() == Some(&0) {
                return r.take(1).map(|_| ());
            }
            r.key::<u8>("deep", 1)
        }
    }

    /// Frames `FD LEN FLAGS FLAGS NUMBER SYSTEM COMPONENT ID … CHECK CHECK` from several senders on one line.
    struct Bus;

    impl Protocol for Bus {
        const ID: &'static str = "bus";
        const TITLE: &'static str = "Bus";
        const CHECK_BITS: u32 = 0;
        const KINDS: &'static [Kind] = &[Kind::new(0, "HEARTBEAT", "BUS", Means::Instant)];

        fn split(bytes: &[u8]) -> Split {
            match *bytes {
                [0xFD, len, ..] if bytes.len() >= usize::from(len) + 12 => Split::Frame(usize::from(len) + 12),
                [0xFD, ..] => Split::More,
                _ => Split::Junk,
            }
        }

        fn read(frame: &[u8], r: &mut Record<'_>) -> Option<()> {
            let [_, _, _, _, number, system, component, ..] = *frame else { return None };
            r.kind(0);
            r.sender(u16::from_be_bytes([system, component]).into());
            r.sequence(number.into(), 8);
            r.take(frame.len()).map(|_| ())
        }
    }

    /// Frames from (number, component) pairs.
    fn bus(frames: impl IntoIterator<Item = (u8, u8)>) -> Vec<u8> {
        let frame = |(number, component)| [0xFD, 2, 0, 0, number, 1, component, 0, 0, 0, 7, 7, 0xAA, 0xBB];
        frames.into_iter().flat_map(frame).collect()
    }

    /// Number of notes, and minimum number of lost records.
    fn noted(bytes: &[u8]) -> (usize, u64) {
        let host = Host::open(decoder::<Bus>(), &[]).unwrap().stream(bytes, 100).unwrap();
        let notes = host.run.rows.iter().filter(|row| !row.is_record()).count();
        (notes, host.run.counters().lost)
    }

    #[test]
    fn each_sender_on_a_line_has_numbers_of_its_own() {
        let mut random = Random::new(7);
        let mut next = [0_u8, 200];
        let mut frames: Vec<(u8, u8)> = (0..2_000)
            .map(|_| {
                let sender = random.below(2);
                next[sender] = next[sender].wrapping_add(1);
                (next[sender], sender as u8)
            })
            .collect();
        assert_eq!(noted(&bus(frames.iter().copied())), (0, 0));
        // A frame missing from one sender counts as lost.
        let of_second = frames.iter().rposition(|frame| frame.1 == 1 && frame.0 == 77).unwrap();
        frames.remove(of_second);
        assert_eq!(noted(&bus(frames)), (1, 1));
    }

    const FLAG: u8 = 0x7E;
    const FRAMES: &[u8] = &[0xA5, 1, 0, 0xA5, 7, 9, 0xA5, 3, 0, 0xA5, 1, 9];

    fn conforms(decoder: DecoderRef) {
        conform(decoder, &[Sample { name: "frames", opts: Vec::new(), bytes: FRAMES }]);
    }

    /// One-byte frames between flags.
    struct Flagged;

    impl Protocol for Flagged {
        const ID: &'static str = "flagged";
        const TITLE: &'static str = "Flagged";
        const FRAMING: Framing = Framing::hdlc(Check::SUM8);
        const CHECK_BITS: u32 = 8;
        const KINDS: &'static [Kind] = &[Kind::new(5, "FIVE", "G", Means::Nothing)];

        fn read(_: &[u8], r: &mut Record<'_>) -> Option<()> {
            let kind = r.get::<u8>()?;
            r.kind(kind.into());
            Some(())
        }
    }

    /// A crashing target may write text at the end of a frame, or between frames.
    #[test]
    fn lines_in_damage_are_rows_of_their_own() {
        const CRASH: &[u8] = b"\r\nMPU FAULT at 0x08001234\r\nPC=1\r\n";
        let bytes = [&[5, 5, FLAG, 5, 5, FLAG, 1, 2], CRASH, &[FLAG, 5, 5, FLAG, 9], CRASH].concat();
        let console = ["\r\nMPU FAULT at 0x08001234", "PC=1"];
        let damage = ["damaged frame, wrong checksum · 2 B", "stream ends in the middle of a frame · 1 B"];
        let expected = ["FIVE", "FIVE", damage[0], console[0], console[1], "FIVE", damage[1], console[0], console[1]];
        assert_eq!(lines(decoder::<Flagged>(), &[], &bytes).unwrap(), expected);
        let bytes = [FRAMES, CRASH, FRAMES].concat();
        let host = Host::open(decoder::<Keyed<true>>(), &[]).unwrap().stream(&bytes, 7).unwrap();
        let kinds: Vec<_> = host.run.rows.iter().map(|row| row.kind).filter(|kind| kind.is_note()).collect();
        assert_eq!(kinds, [RowKind::CONSOLE, RowKind::CONSOLE]);
        assert_eq!(host.run.counters().bytes(), bytes.len() as u64);
    }

    #[test]
    fn words_and_severity_of_a_field_are_those_of_its_keys() {
        let found = lines(decoder::<Keyed<true>>(), &[], FRAMES).unwrap();
        let shown = ["STATE  state run", "STATE  state fault  deep 9", "STATE  state 3", "STATE  state run  deep 9"];
        assert_eq!(found, shown);
        let host = Host::open(decoder::<Keyed<true>>(), &[]).unwrap().stream(FRAMES, usize::MAX).unwrap();
        let severities: Vec<_> = host.run.rows.iter().map(|row| row.severity).collect();
        assert_eq!(severities, [Severity::NORMAL, Severity::ERROR, Severity::NORMAL, Severity::NORMAL]);
        // Each key is named from the first record with its word.
        let named: Vec<_> = host.run.dict.iter().map(|event| (event.at, event.space, event.key)).collect();
        assert_eq!(named, [(0, space_id(0), 1), (1, space_id(0), 7)]);
    }

    #[test]
    fn a_kind_declares_spaces_that_frames_of_zeros_do_not_show() {
        conforms(decoder::<Keyed<true>>());
    }

    #[test]
    #[should_panic(expected = "STATE does not declare space deep of its field deep: add it with Kind::spaces")]
    fn the_kit_says_how_to_declare_a_space() {
        conforms(decoder::<Keyed<false>>());
    }
}
