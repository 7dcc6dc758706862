//! Stream events: what happened at a position besides the bytes, in recorded order, packed to a few bytes each.
//!
//! Time events are thinned only when added, so that every decoding sees the same ones. Their interval starts at 1 ms
//! and doubles after every million events, which bounds captures of many hours.

use std::{
    collections::VecDeque,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use parking_lot::Mutex;
use prost::encoding::{decode_varint, encode_varint};

/// Kinds of stream events: those of the plugin contract, and the host's own.
pub mod kind {
    use spytui_plugin_api::StreamEventKind as Event;

    pub const START: u16 = Event::START.0;
    /// Host time of the bytes from here on.
    pub const TIME: u16 = Event::TIME.0;
    /// Start of a datagram.
    pub const DATAGRAM: u16 = Event::DATAGRAM.0;
    pub const LINK_UP: u16 = Event::LINK_UP.0;
    pub const LINK_DOWN: u16 = Event::LINK_DOWN.0;
    pub const END: u16 = Event::END.0;
    /// Options valid from here on.
    pub const OPTIONS: u16 = Event::OPTIONS.0;
    /// Bytes lost by the host.
    pub const HOST_LOSS: u16 = Event::HOST_LOSS.0;
    pub const LINE_ERROR: u16 = Event::LINE_ERROR.0;
    /// A note of a front end, or about it: `arg` = its severity, `text` = the note. Creates a row of the host.
    pub const FRONT_END: u16 = 28;
    /// How a command ended: `arg` = one of [`super::result`], `text` = a message. Creates a row of the host.
    pub const RESULT: u16 = 29;
    /// A command to the target, as text. Creates a row of the host.
    pub const COMMAND: u16 = 30;
    /// Bytes sent to the target (`text`). Ignored by decoding.
    pub const SENT: u16 = 31;
}

/// Values of `arg` of a [`kind::RESULT`] event.
pub mod result {
    pub const DONE: u32 = 0;
    pub const REFUSED: u32 = 1;
    pub const TIMED_OUT: u32 = 2;
    /// Not sent, or cancelled before the answer.
    pub const FAILED: u32 = 3;
}

/// Values of `arg` of a [`kind::LINE_ERROR`] event.
pub mod line_error {
    pub const PARITY: u32 = 1;
    /// Framing error: no stop bit.
    pub const FRAMING: u32 = 2;
    pub const BREAK: u32 = 4;
}

/// A stream event in the log. An event at `pos` comes before the byte at `pos`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogEvent {
    pub pos: u64,
    /// Host time, Unix nanoseconds; 0 = unknown.
    pub host_ns: u64,
    pub kind: u16,
    pub arg: u32,
    /// Text or bytes; usually empty.
    pub text: Vec<u8>,
}

impl LogEvent {
    /// Whether decoding uses the event; others are only recorded.
    pub fn is_decoded(&self) -> bool {
        self.kind != kind::SENT
    }

    /// Whether only the host uses the event; it is not passed to decoders.
    pub fn is_of_host(&self) -> bool {
        matches!(self.kind, kind::SENT | kind::COMMAND | kind::RESULT | kind::FRONT_END)
    }
}

/// Events per packed chunk; a query unpacks at most this many in vain.
const CHUNK: u32 = 256;
const STEP_NS: u64 = 1_000_000;
/// Number of time events after which the interval doubles.
const STEP_AFTER: u64 = 1 << 20;

#[derive(Debug)]
struct Chunk {
    first_index: u64,
    first_pos: u64,
    first_ns: u64,
    count: u32,
    /// Host time before this chunk's first event (0 = unknown).
    time_before: u64,
    packed: Vec<u8>,
}

/// Stream events by position. Positions never decrease.
#[derive(Debug, Default)]
pub(super) struct EventList {
    chunks: VecDeque<Chunk>,
    /// START and OPTIONS events of dropped chunks; decoding from the oldest kept byte still needs them.
    kept: Vec<LogEvent>,
    last: Option<(u64, u64)>,
    last_time: Option<u64>,
    times: u64,
    next_index: u64,
}

impl EventList {
    /// Appends an event. A position before the last one is raised to it.
    pub(super) fn push(&mut self, mut event: LogEvent) {
        if let Some((pos, _)) = self.last {
            event.pos = event.pos.max(pos);
        }
        if self.chunks.back().is_none_or(|c| c.count >= CHUNK) {
            self.chunks.push_back(Chunk::new(self.next_index, &event, self.last_time.unwrap_or(0)));
        }
        let before = self.last;
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.add(&event, before);
        }
        self.last = Some((event.pos, event.host_ns));
        self.next_index += 1;
        if gives_time(event.kind) {
            self.last_time = Some(event.host_ns);
            self.times += 1;
        }
    }

    /// Appends a time event if the last one is old enough.
    pub(super) fn time(&mut self, pos: u64, host_ns: u64) {
        let step = STEP_NS << (self.times / STEP_AFTER).min(20);
        if self.last_time.is_some_and(|last| host_ns < last.saturating_add(step)) {
            return;
        }
        self.push(LogEvent { pos, host_ns, kind: kind::TIME, arg: 0, text: Vec::new() });
    }

    /// Index of the first event at or after `pos`.
    pub(super) fn index_at(&self, pos: u64) -> u64 {
        let at = self.chunks.partition_point(|c| c.first_pos < pos).max(1) - 1;
        let Some(chunk) = self.chunks.get(at) else { return self.next_index };
        chunk.first_index + chunk.events().take_while(|event| event.pos < pos).count() as u64
    }

    /// Appends events from index `from` with positions up to `upto`; returns the next index.
    pub(super) fn since(&self, from: u64, upto: u64, out: &mut Vec<LogEvent>) -> u64 {
        let oldest = self.chunks.front().map_or(self.next_index, |c| c.first_index);
        if from < oldest {
            out.extend(self.kept.iter().filter(|m| m.pos <= upto).cloned());
        }
        let mut next = from.max(oldest);
        let at = self.chunks.partition_point(|c| c.first_index <= next).max(1) - 1;
        for chunk in self.chunks.range(at.min(self.chunks.len())..) {
            let skip = usize::try_from(next.saturating_sub(chunk.first_index)).unwrap_or(usize::MAX);
            for event in chunk.events().skip(skip) {
                if event.pos > upto {
                    return next;
                }
                out.push(event);
                next += 1;
            }
        }
        next
    }

    /// Host time of the byte at `pos`, if known.
    pub(super) fn time_at(&self, pos: u64) -> Option<u64> {
        let at = self.chunks.partition_point(|c| c.first_pos <= pos).checked_sub(1)?;
        let chunk = self.chunks.get(at)?;
        let before = chunk.events().take_while(|event| event.pos <= pos).filter(|event| gives_time(event.kind)).last();
        Some(before.map_or(chunk.time_before, |event| event.host_ns)).filter(|ns| *ns != 0)
    }

    /// Drops chunks of events before `pos`; START and OPTIONS events are kept.
    pub(super) fn forget_before(&mut self, pos: u64) {
        while self.chunks.get(1).is_some_and(|next| next.first_pos < pos) {
            let Some(chunk) = self.chunks.pop_front() else { return };
            let lasting = chunk.events().filter(|m| matches!(m.kind, kind::START | kind::OPTIONS));
            self.kept.extend(lasting);
        }
    }
}

impl Chunk {
    fn new(first_index: u64, event: &LogEvent, time_before: u64) -> Chunk {
        let packed = Vec::new();
        Chunk { first_index, first_pos: event.pos, first_ns: event.host_ns, count: 0, time_before, packed }
    }

    fn add(&mut self, event: &LogEvent, before: Option<(u64, u64)>) {
        let (pos, ns) = before.filter(|_| self.count > 0).unwrap_or((self.first_pos, self.first_ns));
        let step = event.host_ns.wrapping_sub(ns);
        let step = (step << 1) ^ (((step as i64) >> 63) as u64);
        let numbers = [event.kind.into(), event.pos - pos, step, event.arg.into(), event.text.len() as u64];
        numbers.into_iter().for_each(|number| encode_varint(number, &mut self.packed));
        self.packed.extend_from_slice(&event.text);
        self.count += 1;
    }

    fn events(&self) -> impl Iterator<Item = LogEvent> {
        let (mut pos, mut host_ns) = (self.first_pos, self.first_ns);
        let mut rest = self.packed.as_slice();
        std::iter::from_fn(move || {
            let mut number = || decode_varint(&mut rest).ok();
            let (kind, distance, step) = (number()? as u16, number()?, number()?);
            let (arg, len) = (number()? as u32, number()? as usize);
            pos += distance;
            host_ns = host_ns.wrapping_add((step >> 1) ^ (step & 1).wrapping_neg());
            let text = rest.split_off(..len)?.to_vec();
            Some(LogEvent { pos, host_ns, kind, arg, text })
        })
    }
}

fn gives_time(of: u16) -> bool {
    of == kind::TIME || of == kind::DATAGRAM
}

/// Difference of wall clock and monotonic clock above which a forward step (suspend, clock set) is followed.
const STEP: u64 = 1_000_000_000;

struct Anchor {
    unix_ns: u64,
    at: Instant,
}

static ANCHOR: Mutex<Option<Anchor>> = Mutex::new(None);

/// Host time in Unix nanoseconds; never decreases within one run of the program.
///
/// Follows the monotonic clock, and jumps forward when the wall clock is more than a second ahead (after a suspend, or
/// a clock change). Ignores a wall clock set back.
pub fn host_now() -> u64 {
    let wall = nanos(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let now = Instant::now();
    let mut slot = ANCHOR.lock();
    let anchor = slot.get_or_insert(Anchor { unix_ns: wall, at: now });
    let steady = anchor.unix_ns.saturating_add(nanos(now.saturating_duration_since(anchor.at)));
    if wall > steady.saturating_add(STEP) {
        *anchor = Anchor { unix_ns: wall, at: now };
        return wall;
    }
    steady
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(pos: u64, host_ns: u64, kind: u16, arg: u32, text: &[u8]) -> LogEvent {
        LogEvent { pos, host_ns, kind, arg, text: text.to_vec() }
    }

    fn all(list: &EventList) -> Vec<LogEvent> {
        let mut out = Vec::new();
        list.since(0, u64::MAX, &mut out);
        out
    }

    #[test]
    fn times_within_a_step_are_left_out() {
        let mut list = EventList::default();
        list.time(0, 5_000_000);
        list.time(10, 5_999_999);
        list.time(20, 6_000_000);
        let at: Vec<u64> = all(&list).iter().map(|m| m.pos).collect();
        assert_eq!(at, [0, 20]);
        assert_eq!(list.time_at(19), Some(5_000_000));
        assert_eq!(list.time_at(20), Some(6_000_000));
    }

    #[test]
    fn the_step_grows_so_that_the_list_stays_bounded() {
        let mut list = EventList::default();
        for ms in 0..3 * STEP_AFTER {
            list.time(ms, (ms + 1) * STEP_NS);
        }
        assert_eq!(list.next_index, 2 * STEP_AFTER);
    }

    #[test]
    fn forgetting_keeps_start_and_options() {
        let mut list = EventList::default();
        list.push(event(0, 9, kind::START, 0, b""));
        list.push(event(0, 9, kind::OPTIONS, 0, b"a=1"));
        for at in 0..2000u64 {
            list.push(event(at, 10 + at, kind::TIME, 0, b""));
        }
        list.forget_before(1500);
        let events = all(&list);
        assert_eq!((events[0].kind, events[1].kind), (kind::START, kind::OPTIONS));
        assert!(events.len() < 800 && events[2].pos <= 1500);
        assert_eq!(list.time_at(1500), Some(1510));
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(steps in prop::collection::vec(
            (0u64..5000, any::<u64>(), 1u16..10, any::<u32>(), prop::collection::vec(any::<u8>(), 0..20)), 0..700),
            probe in 0u64..200_000) {
            let mut list = EventList::default();
            let mut model = Vec::new();
            let mut pos = 0;
            for (step, ns, kind, arg, text) in steps {
                pos += step;
                model.push(LogEvent { pos, host_ns: ns, kind, arg, text });
                list.push(model[model.len() - 1].clone());
            }
            prop_assert_eq!(&all(&list), &model);
            let from = list.index_at(probe);
            prop_assert_eq!(from as usize, model.partition_point(|m| m.pos < probe));
            let mut some = Vec::new();
            let next = list.since(from, probe + 10_000, &mut some);
            let expect: Vec<_> = model.iter().skip(from as usize).take_while(|m| m.pos <= probe + 10_000).cloned().collect();
            prop_assert_eq!(next as usize, from as usize + expect.len());
            prop_assert_eq!(some, expect);
            let time = model.iter().rev().find(|m| m.pos <= probe && gives_time(m.kind)).map(|m| m.host_ns).filter(|n| *n != 0);
            prop_assert_eq!(list.time_at(probe), time);
        }
    }

    #[test]
    fn never_runs_backwards() {
        let mut last = 0;
        for _ in 0..1000 {
            let now = host_now();
            assert!(now >= last);
            last = now;
        }
    }
}
