//! The same protocol written against the traits for speed, to measure the overhead of the layer.

use a5::A5;
use spytui_plugin_api::{
    Activity, ActivityFlags, AttachmentId, Decoder, DecoderOptions, Dict, Fault, Info, Output, Row, RowFlags, RowIn,
    RowKind, Source, StreamEvent, TextWriter, Verb, Want, batch::lost, info::space,
};
use spytui_plugin_layer::{Check, Clock, decoder};

/// Spaces as the layer declares them.
const OBJECT: u16 = space::OWN;
const CHANNEL: u16 = space::OWN + 1;
const STATE: u16 = space::OWN + 2;

#[derive(Clone)]
pub(crate) struct ByHand {
    held: Vec<u8>,
    clock: Clock,
    expected: Option<u8>,
    has_begun: bool,
    dropped: u64,
}

impl Decoder for ByHand {
    fn info() -> Info {
        decoder::<A5>().info().unwrap_or_default()
    }

    fn open(_: &DecoderOptions<'_>, _: &Source) -> Result<Self, Fault> {
        let (held, clock) = (Vec::new(), Clock::millis(32));
        Ok(ByHand { held, clock, expected: None, has_begun: false, dropped: 0 })
    }

    fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        let start = pos - self.held.len() as u64;
        self.held.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.held);
        let mut at = 0;
        while let Some(len) = held.get(at + 1).map(|len| usize::from(*len) + 5) {
            let Some(frame) = held.get(at..at + len) else { break };
            // Damage is not handled: the benchmark stream is clean.
            if frame[0] != 0xA5 || !Check::CRC8.fits(&frame[1..len - 1], &frame[len - 1..]) {
                break;
            }
            self.frame(start + at as u64, frame, out);
            at += len;
        }
        self.held = held[at..].to_vec();
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], out: &mut Output<'_>) {
        if let Some(kind) = event.kind.left_over().filter(|_| !self.held.is_empty()) {
            let len = self.held.len();
            self.held.clear();
            out.row(Row::skipped(kind, event.pos - len as u64, len));
        }
    }

    fn render(_: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
        let raw = row.raw.as_slice();
        let Some(payload) = raw.get(8..raw.len() - 1).filter(|_| want.contains(Want::TEXT)) else { return };
        let key = |out: &mut TextWriter<'_>, space, key: u8| match dict.name(space, key.into(), 0) {
            Some(name) => out.put(name),
            None => out.put(key.to_string().as_bytes()),
        };
        match (raw[2], payload) {
            (1, text) => out.put(text.escape_ascii().to_string().as_bytes()),
            (2, &[_, a, b]) => {
                out.put(b"value ");
                out.put(i16::from_le_bytes([a, b]).to_string().as_bytes());
            }
            (3, &[_, from, to]) => {
                key(out, STATE, from);
                out.put(" → ".as_bytes());
                key(out, STATE, to);
            }
            (4, &[a, b]) => {
                out.put(b"count ");
                out.put(u16::from_le_bytes([a, b]).to_string().as_bytes());
            }
            _ => {}
        }
    }
}

impl ByHand {
    fn frame(&mut self, pos: u64, frame: &[u8], out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            out.clock(self.clock.event());
        }
        let (kind, number, payload) = (frame[2], frame[3], &frame[8..frame.len() - 1]);
        if let Some(expected) = self.expected.filter(|expected| *expected != number) {
            out.attachment(AttachmentId::LOST, number.wrapping_sub(expected).into(), lost::AT_LEAST);
            out.attachment(AttachmentId::EXPECTED, expected.into(), number.into());
            out.row(Row::gap(pos));
        }
        self.expected = Some(number.wrapping_add(1));
        self.clock.stamp(u32::from_le_bytes([frame[4], frame[5], frame[6], frame[7]]).into(), 4);
        let mut row = Row { pos, len: frame.len() as u32, time: self.clock.now(), ..Row::default() };
        (row.kind, row.flags, row.group) = (RowKind(kind.into()), RowFlags::TIME_OWN, kind.saturating_sub(1).min(3));
        self.meaning(payload, &mut row, out);
        out.row(row);
    }

    fn meaning(&mut self, payload: &[u8], row: &mut Row, out: &mut Output<'_>) {
        let mut activity = None;
        match (row.kind.0, payload) {
            (1, _) => activity = Some(Activity::new(Verb::INSTANT).sub(space::KINDS, 1)),
            (2, &[channel, a, b]) => {
                row.obj = channel.into();
                row.flags |= RowFlags::HAS_OBJECT;
                let value = Activity::new(Verb::VALUE).sub(CHANNEL, row.obj);
                let value = value.val(i64::from(i16::from_le_bytes([a, b])) as u64);
                activity = Some(value.with(ActivityFlags::SIGNED));
            }
            (3, &[object, from, to]) => {
                (row.obj, row.item) = (object.into(), from.into());
                row.flags |= RowFlags::HAS_OBJECT | RowFlags::HAS_ITEM;
                let tran = Activity::new(Verb::TRAN).sub(OBJECT, row.obj);
                activity = Some(tran.obj(STATE, from.into()).second(to.into()));
            }
            (4, &[a, b]) => {
                let more = u16::from_le_bytes([a, b]).wrapping_sub(self.dropped as u16);
                self.dropped += u64::from(more);
                out.attachment(AttachmentId::DROP_TOTAL, self.dropped, 0);
            }
            (5, &[space, key, ref name @ ..]) => out.name(OBJECT + u16::from(space), key.into(), 0, name),
            _ => row.flags |= RowFlags::MALFORMED,
        }
        if let Some(activity) = activity.filter(|_| out.wants_activities()) {
            out.activity(activity);
        }
    }
}
