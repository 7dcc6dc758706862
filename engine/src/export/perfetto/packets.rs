//! Encodes packets into one buffer; common events allocate nothing.

use std::io::{self, Write};

use prost::Message;

use super::{
    frame::{self, Arrow, EventHead, PacketTime, Tail},
    proto::{CounterDescriptor, EventType, ProcessDescriptor, TracePacket, TrackDescriptor, Unit},
};

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
    events: u64,
}

impl<W: Write> Packets<W> {
    pub fn new(out: W) -> Packets<W> {
        let (buffer, used) = (vec![0; BUFFER + SPARE], 0);
        Packets { out, buffer, used, heads: Vec::new(), time: PacketTime::new(0, SEQUENCE), events: 0 }
    }

    pub fn tracks(&self) -> u64 {
        self.heads.len() as u64
    }

    pub fn events(&self) -> u64 {
        self.events
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

    /// Writes a floating-point counter value.
    pub fn float_counter(&mut self, ns: u64, track: u64, value: f64) {
        self.usual(ns, track, EventType::Counter, Tail::Float(value));
    }

    /// Writes the buffer if it is full.
    pub fn relieve(&mut self) -> io::Result<()> {
        if self.used >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes the buffer.
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
        if self.time.ns() != ns {
            self.time = PacketTime::new(ns, SEQUENCE);
        }
        while !frame::put(&mut self.buffer, &mut self.used, &self.time, head, tail) {
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
    use super::*;
    use crate::export::perfetto::proto::Trace;

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
        assert_eq!((packets.tracks(), packets.events()), (2, 5));
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
