//! Encodes packets into one buffer. For common events the library encodes the constant part once per track, and the rest
//! is added to it, so that they allocate nothing; the bytes equal the library's encoding of the whole message.

use std::io::{self, Write};

use prost::{Message, encoding::encoded_len_varint as number_len};

use super::proto::{CounterDescriptor, EventType, ProcessDescriptor, TracePacket, TrackDescriptor, TrackEvent, Unit};

/// Maximum packet size without its name; a power of two.
const MOST: usize = 64;
const HEAD: usize = 16;
/// Maximum size of the fields before an event.
const TIME: usize = 18;
const FLOW: usize = 10;

/// Protobuf keys (field number and wire type).
mod key {
    pub(super) const PACKET: u8 = 1 << 3 | 2;
    pub(super) const TIMESTAMP: u8 = 8 << 3;
    pub(super) const SEQUENCE: u8 = 10 << 3;
    pub(super) const TRACK_EVENT: u8 = 11 << 3 | 2;
    /// Field 23.
    pub(super) const NAME: [u8; 2] = [0xBA, 0x01];
    /// Field 47, `flow_ids`, and 48 below, `terminating_flow_ids`; values are `fixed64`.
    pub(super) const FLOW: [u8; 2] = [0xF9, 0x02];
    pub(super) const FLOW_ENDS: [u8; 2] = [0x81, 0x03];
    /// Field 30.
    pub(super) const COUNTER_VALUE: [u8; 2] = [0xF0, 0x01];
    /// Field 44, `double_counter_value`, a `double`.
    pub(super) const FLOAT_VALUE: [u8; 2] = [0xE1, 0x02];
}

/// The encoded fields shared by events of one type on one track.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EventHead {
    len: u8,
    bytes: [u8; HEAD],
}

impl EventHead {
    pub(super) fn new(kind: EventType, track: u64) -> EventHead {
        let event = TrackEvent { r#type: Some(kind.into()), track_uuid: Some(track), ..TrackEvent::default() };
        let mut head = EventHead::default();
        let mut rest = &mut head.bytes[..];
        let room = rest.len();
        // Two keys, a small number and any varint fit.
        let _ = event.encode(&mut rest);
        head.len = (room - rest.len()) as u8;
        head
    }
}

/// The encoded fields of a packet up to the length of its event. Most rows cause several events at the same time.
#[derive(Debug, Clone, Copy)]
pub(super) struct PacketTime {
    ns: u64,
    len: u8,
    bytes: [u8; TIME],
}

impl PacketTime {
    pub(super) fn new(ns: u64, sequence: u32) -> PacketTime {
        let mut bytes = [0; MOST];
        let mut start = PacketStart { bytes: &mut bytes, len: 0 };
        start.byte(key::TIMESTAMP);
        start.number(ns);
        start.byte(key::SEQUENCE);
        start.number(sequence.into());
        start.byte(key::TRACK_EVENT);
        let len = start.len as u8;
        PacketTime { ns, len, bytes: std::array::from_fn(|i| bytes[i]) }
    }
}

/// A flow (arrow) between events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Arrow {
    #[default]
    None,
    From(u64),
    To(u64),
}

/// Variable fields of an event.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tail<'a> {
    None,
    Name(&'a str, Arrow),
    Value(i64),
    Float(f64),
}

impl Tail<'_> {
    #[inline]
    fn len(&self) -> usize {
        match self {
            Tail::None => 0,
            Tail::Name(name, flow) => {
                let arrow = if *flow == Arrow::None { 0 } else { FLOW };
                key::NAME.len() + number_len(name.len() as u64) + name.len() + arrow
            }
            Tail::Value(value) => key::COUNTER_VALUE.len() + number_len(*value as u64),
            Tail::Float(_) => key::FLOAT_VALUE.len() + size_of::<f64>(),
        }
    }
}

/// A packet up to its name.
struct PacketStart<'a> {
    bytes: &'a mut [u8; MOST],
    len: usize,
}

impl PacketStart<'_> {
    #[inline]
    fn byte(&mut self, byte: u8) {
        // In bounds: all parts fit at their longest.
        self.bytes[self.len % MOST] = byte;
        self.len += 1;
    }

    #[inline]
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    #[inline]
    fn encoded(&mut self, bytes: &[u8], len: u8) {
        // Copying the whole array is faster than copying its used part.
        if let Some(room) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.len += usize::from(len);
    }

    #[inline]
    fn key(&mut self, [first, second]: [u8; 2]) {
        self.byte(first);
        self.byte(second);
    }
}

/// Appends the packet of an event; `false` if there may not be enough room.
#[inline]
pub(super) fn put_event(
    buffer: &mut [u8],
    used: &mut usize,
    time: &PacketTime,
    head: &EventHead,
    tail: Tail<'_>,
) -> bool {
    let (name, flow) = if let Tail::Name(name, flow) = tail { (name, flow) } else { ("", Arrow::None) };
    let Some(room) = buffer.get_mut(*used..).filter(|room| room.len() >= MOST + name.len() + FLOW) else {
        return false;
    };
    let Some(bytes) = room.first_chunk_mut::<MOST>() else { return false };
    let event = usize::from(head.len) + tail.len();
    let mut start = PacketStart { bytes, len: 0 };
    start.byte(key::PACKET);
    let packet = usize::from(time.len) + number_len(event as u64) + event;
    start.number(packet as u64);
    start.encoded(&time.bytes, time.len);
    start.number(event as u64);
    start.encoded(&head.bytes, head.len);
    match tail {
        Tail::None => {}
        Tail::Name(name, _) => {
            start.key(key::NAME);
            start.number(name.len() as u64);
        }
        Tail::Value(value) => {
            start.key(key::COUNTER_VALUE);
            start.number(value as u64);
        }
        Tail::Float(value) => {
            start.key(key::FLOAT_VALUE);
            value.to_le_bytes().into_iter().for_each(|byte| start.byte(byte));
        }
    }
    let len = start.len;
    if let Some(place) = room.get_mut(len..len + name.len()) {
        place.copy_from_slice(name.as_bytes());
    }
    *used += len + name.len() + put_flow(room.get_mut(len + name.len()..).unwrap_or_default(), flow);
    true
}

/// Appends a flow and returns its encoded length.
#[inline]
fn put_flow(room: &mut [u8], flow: Arrow) -> usize {
    let (key, id) = match flow {
        Arrow::None => return 0,
        Arrow::From(id) => (key::FLOW, id),
        Arrow::To(id) => (key::FLOW_ENDS, id),
    };
    let Some((first, rest)) = room.split_first_chunk_mut::<2>() else { return 0 };
    *first = key;
    let Some(number) = rest.first_chunk_mut::<8>() else { return 0 };
    *number = id.to_le_bytes();
    FLOW
}

/// Id of the only packet sequence.
const SEQUENCE: u32 = 1;
/// Key of `Trace.packet`: field 1, length-delimited.
const PACKET: u8 = 1 << 3 | 2;
/// Bytes buffered before they are written.
const BUFFER: usize = 256 * 1024;
/// Extra room for the packets of one row.
const SPARE: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackShape<'a> {
    /// Slices and instants.
    Events,
    /// A counter with its unit, and the unit's name if not predefined.
    Counter(Unit, &'a str),
    /// A process with this number.
    Process(i32),
}

#[derive(Debug)]
pub struct Packets<W> {
    out: W,
    /// The buffer and its fill level are separate, because encoding into existing room is faster than growing a vector.
    buffer: Vec<u8>,
    used: usize,
    /// Precomputed heads of begin, end, instant and counter events, by track from 1.
    heads: Vec<[EventHead; 4]>,
    /// Time of the last event.
    time: PacketTime,
    pub events: u64,
}

impl<W: Write> Packets<W> {
    pub fn new(out: W) -> Packets<W> {
        let (buffer, used) = (vec![0; BUFFER + SPARE], 0);
        Packets { out, buffer, used, heads: Vec::new(), time: PacketTime::new(0, SEQUENCE), events: 0 }
    }

    pub fn tracks(&self) -> u64 {
        self.heads.len() as u64
    }

    /// Adds a track and returns its number.
    pub fn track(&mut self, name: &str, parent: Option<u64>, shape: TrackShape<'_>) -> u64 {
        let uuid = self.heads.len() as u64 + 1;
        let kinds = [EventType::SliceBegin, EventType::SliceEnd, EventType::Instant, EventType::Counter];
        self.heads.push(kinds.map(|kind| EventHead::new(kind, uuid)));
        let mut track = TrackDescriptor { uuid: Some(uuid), parent_uuid: parent, ..TrackDescriptor::default() };
        match shape {
            TrackShape::Process(pid) => {
                track.process = Some(ProcessDescriptor { pid: Some(pid), process_name: Some(name.to_owned()) });
            }
            TrackShape::Events => track.name = Some(name.to_owned()),
            TrackShape::Counter(unit, words) => {
                track.name = Some(name.to_owned());
                let unit_name = Some(words.to_owned()).filter(|w| !w.is_empty());
                track.counter = Some(CounterDescriptor { unit: Some(unit.into()), unit_name });
            }
        }
        put(&mut self.buffer, &mut self.used, &TracePacket { track_descriptor: Some(track), ..TracePacket::default() });
        uuid
    }

    pub fn begin(&mut self, ns: u64, track: u64, name: &str, flow: Arrow) {
        self.usual(ns, track, EventType::SliceBegin, Tail::Name(name, flow));
    }

    /// Ends the innermost open slice.
    pub fn end(&mut self, ns: u64, track: u64) {
        self.usual(ns, track, EventType::SliceEnd, Tail::None);
    }

    pub fn instant(&mut self, ns: u64, track: u64, name: &str, flow: Arrow) {
        self.usual(ns, track, EventType::Instant, Tail::Name(name, flow));
    }

    pub fn counter(&mut self, ns: u64, track: u64, value: i64) {
        self.usual(ns, track, EventType::Counter, Tail::Value(value));
    }

    pub fn float_counter(&mut self, ns: u64, track: u64, value: f64) {
        self.usual(ns, track, EventType::Counter, Tail::Float(value));
    }

    /// Writes the buffer if it is full.
    pub fn relieve(&mut self) -> io::Result<()> {
        if self.used >= BUFFER { self.flush() } else { Ok(()) }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.buffer.get(..self.used).unwrap_or_default())?;
        self.used = 0;
        self.out.flush()
    }

    /// Writes a common event without allocating.
    #[inline]
    fn usual(&mut self, ns: u64, track: u64, kind: EventType, tail: Tail<'_>) {
        self.events += 1;
        let heads = (track as usize).checked_sub(1).and_then(|at| self.heads.get(at));
        let Some(head) = heads.and_then(|heads| heads.get(kind as usize - 1)) else { return };
        if self.time.ns != ns {
            self.time = PacketTime::new(ns, SEQUENCE);
        }
        while !put_event(&mut self.buffer, &mut self.used, &self.time, head, tail) {
            // A very long name, or a row with very many events.
            let more = self.buffer.len() * 2;
            self.buffer.resize(more, 0);
        }
    }
}

fn put(buffer: &mut Vec<u8>, used: &mut usize, packet: &TracePacket) {
    loop {
        if let Some((first, mut rest)) = buffer.get_mut(*used..).and_then(<[u8]>::split_first_mut) {
            *first = PACKET;
            let room = rest.len();
            if packet.encode_length_delimited(&mut rest).is_ok() {
                *used += 1 + room - rest.len();
                return;
            }
        }
        // A very long name, or a row with very many events.
        let more = buffer.len() + packet.encoded_len() + SPARE;
        buffer.resize(more, 0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::export::perfetto::proto::{Trace, TracePacket};

    const KINDS: [EventType; 4] = [EventType::SliceBegin, EventType::SliceEnd, EventType::Instant, EventType::Counter];

    proptest! {
        /// The parts together equal the library's encoding of the whole.
        #[test]
        fn the_bytes_are_those_of_the_library(
            ns in prop_oneof![0_u64..1000, any::<u64>()], sequence in prop_oneof![0_u32..300, any::<u32>()],
            track in prop_oneof![0_u64..300, any::<u64>()], kind in 0_usize..4,
            name in prop::option::of(".{0,200}"), flow in 0_usize..3, id: u64, value in prop_oneof![-200_i64..200, any::<i64>()],
        ) {
            let counts = KINDS[kind] == EventType::Counter;
            let event = TrackEvent {
                r#type: Some(KINDS[kind].into()),
                track_uuid: Some(track),
                name: name.clone().filter(|_| !counts),
                counter_value: counts.then_some(value),
                flow_ids: if !counts && name.is_some() && flow == 1 { vec![id] } else { vec![] },
                terminating_flow_ids: if !counts && name.is_some() && flow == 2 { vec![id] } else { vec![] },
            };
            let whole = TracePacket {
                timestamp: Some(ns),
                trusted_packet_sequence_id: Some(sequence),
                track_event: Some(event),
                ..TracePacket::default()
            };
            let tail = match &name {
                _ if counts => Tail::Value(value),
                Some(name) => Tail::Name(name, [Arrow::None, Arrow::From(id), Arrow::To(id)][flow]),
                None => Tail::None,
            };
            let time = PacketTime::new(ns, sequence);
            let (mut buffer, mut used) = (vec![0; 1024], 5);
            prop_assert!(put_event(&mut buffer, &mut used, &time, &EventHead::new(KINDS[kind], track), tail));
            let mut expected = vec![key::PACKET];
            whole.encode_length_delimited(&mut expected).unwrap();
            prop_assert_eq!(&buffer[5..used], expected.as_slice());
            // Without some spare room, nothing is written.
            let mut short = vec![0; expected.len() - 1];
            prop_assert!(!put_event(&mut short, &mut 0, &time, &EventHead::new(KINDS[kind], track), tail));
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut out = Vec::new();
        let mut packets = Packets::new(&mut out);
        let process = packets.track("P", None, TrackShape::Process(7));
        let track = packets.track("T", Some(process), TrackShape::Counter(Unit::Count, "items"));
        packets.begin(5, process, "slice", Arrow::From(1 << 40));
        packets.end(6, process);
        packets.counter(7, track, -3);
        packets.instant(9, process, "", Arrow::To(1 << 40));
        let long = "x".repeat(2 * BUFFER);
        packets.instant(10, track, &long, Arrow::None);
        assert_eq!((packets.tracks(), packets.events), (2, 5));
        assert_eq!(long.len(), 2 * BUFFER);
        packets.flush().expect("memory");
        let trace = Trace::decode(out.as_slice()).expect("a trace");
        let process = trace.packet[0].track_descriptor.as_ref().and_then(|d| d.process.as_ref()).expect("a process");
        assert_eq!((process.pid, process.process_name.as_deref()), (Some(7), Some("P")));
        let counter = trace.packet[1].track_descriptor.as_ref().expect("a track");
        assert_eq!((counter.parent_uuid, counter.counter.as_ref().map(|c| c.unit())), (Some(1), Some(Unit::Count)));
        let events: Vec<_> = trace.packet[2..].iter().map(|p| p.track_event.clone().expect("an event")).collect();
        assert_eq!((events[0].name.as_deref(), events[0].flow_ids.as_slice()), (Some("slice"), &[1 << 40][..]));
        assert_eq!((events[1].r#type(), events[1].name.as_deref()), (EventType::SliceEnd, None));
        assert_eq!(events[2].counter_value, Some(-3));
        assert_eq!((events[3].name.as_deref(), events[3].terminating_flow_ids.as_slice()), (Some(""), &[1 << 40][..]));
        assert_eq!(events[4].name.as_ref().map(String::len), Some(2 * BUFFER));
        assert!(events[3].flow_ids.is_empty() && events[3].counter_value.is_none());
    }
}
