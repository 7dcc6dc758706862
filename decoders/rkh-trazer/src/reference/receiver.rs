//! Receives like the reference host: same order of checks, same dictionary, same numbering and pairing of posts. Every
//! byte gets a row; rows that the host does not report have no text.

use std::{collections::VecDeque, sync::Arc};

use rustc_hash::FxHashMap;
use spytui_decoder_kit::{Elements, RowBuilder, Value};
use spytui_hdlc::{FrameHandler, HdlcStream, IDLE, Segment};
use spytui_plugin_api::{
    Output, Row,
    chunk::{StreamEvent, StreamEventKind},
    row::{RowFlags, RowKind, Severity},
};

use super::text::ReferenceNames;
use crate::{
    command,
    config::{Key, Tcfg},
    frame::{FrameLocation, overlong},
    layout::{Form, Group, Layout, Role, private_attachment},
    names::{Naming, Symbols},
    receive::{ReceiverBase, add_activities},
    record::{Fit, Record, RecordFrame},
};

pub(crate) type Reference = HdlcStream<ReferenceReceiver>;

#[derive(Clone, Debug)]
pub(crate) struct ReferenceReceiver {
    base: ReceiverBase,
    names: ReferenceNames,
    posts: HostPosts,
    symbols: Option<Arc<Symbols>>,
    /// Waiting for the first flag; bytes before it are ignored.
    waiting: bool,
    overlong: bool,
    last: u8,
    /// Settings from options or the target, as bits.
    given: u16,
    /// Size of a function pointer, if set by an option; 0 = not set. The target does not report it.
    function: u16,
    /// The rate of the time stamps is set by an option.
    rate: bool,
    scratch: Vec<u8>,
}

pub(crate) fn begin(base: ReceiverBase, given: u16, rate: bool, symbols: Option<Arc<Symbols>>) -> Reference {
    let function = base.settings.get(Key::Function);
    HdlcStream::new(ReferenceReceiver {
        base,
        names: ReferenceNames::default(),
        posts: HostPosts::default(),
        symbols,
        waiting: true,
        overlong: false,
        last: u8::MAX,
        given,
        function,
        rate,
        scratch: Vec::new(),
    })
}

impl FrameHandler for ReferenceReceiver {
    fn open(&mut self, out: &mut Output<'_>) {
        self.base.configure(out, self.base.settings);
        self.base.properties(false, out);
        if let Some(symbols) = self.symbols.clone() {
            for naming in &symbols.0 {
                self.name(naming, out);
            }
        }
    }

    #[inline]
    fn segment(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let mut so_far = self.overlong;
        // The host would have overflowed its buffer long before.
        let done = overlong(segment, &mut so_far, |kind, piece| {
            self.waiting = false;
            self.skip(kind, piece.pos, piece.raw.len(), out);
        });
        self.overlong = so_far;
        done.unwrap_or_else(|| {
            self.whole(segment, out);
            segment.raw.len()
        })
    }

    /// Adds a row that the host does not report.
    fn give_up(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        if !held.raw.is_empty() {
            let row = self.base.damage(kind, held.pos, held.raw.len());
            out.row(Row { severity: Severity::WARNING, ..row });
        }
    }

    /// The host only notices link up and end of stream.
    fn breaks(&self, event: StreamEventKind) -> Option<RowKind> {
        match event {
            StreamEventKind::LINK_UP => Some(RowKind::CUT_OFF),
            StreamEventKind::END => Some(RowKind::TAIL),
            _ => None,
        }
    }

    fn event(&mut self, event: &StreamEvent, _: &[u8], _: &mut Output<'_>) {
        match event.kind {
            StreamEventKind::TIME => self.base.clock.host_time(event),
            StreamEventKind::LINK_UP => self.waiting = true,
            _ => {}
        }
    }
}

impl ReferenceReceiver {
    #[inline]
    fn whole(&mut self, segment: Segment<'_>, out: &mut Output<'_>) {
        let at = FrameLocation::new(segment.pos, segment.raw.len(), segment.escaped);
        if std::mem::take(&mut self.waiting) && segment.leading_flags == 0 {
            return self.skip(RowKind::PARTIAL, at.pos, at.len, out);
        }
        if segment.body().is_empty() {
            return out.row(self.base.note(Row::note(IDLE, at.pos, at.len)));
        }
        let mut room = std::mem::take(&mut self.scratch);
        match segment.frame(&mut room) {
            Some((frame, sum)) => self.frame(frame, sum, at, out),
            None => self.skip(RowKind::BAD_FRAME, at.pos, at.len, out),
        }
        self.scratch = room;
    }

    fn skip(&self, kind: RowKind, pos: u64, len: usize, out: &mut Output<'_>) {
        out.row(self.base.damage(kind, pos, len));
    }

    #[inline]
    fn frame(&mut self, bytes: &[u8], sum: u8, at: FrameLocation, out: &mut Output<'_>) {
        if bytes.first().is_some_and(|id| Tcfg::IDS.contains(id))
            && let Some(tcfg) = Tcfg::of_host(bytes)
        {
            return self.tcfg(&tcfg, bytes, at, out);
        }
        if self.base.config.checksum && sum != 0 {
            return self.skip(RowKind::BAD_CHECK, at.pos, at.len, out);
        }
        let shortest = self.base.config.header() + self.base.config.trailer();
        let Some(mut frame) = self.base.read(bytes).filter(|_| bytes.len() >= shortest) else {
            return self.skip(RowKind::TOO_SHORT, at.pos, at.len, out);
        };
        if !matches!(frame.record, Record::Unknown) {
            self.sequence(frame.nseq(&self.base.config), at.pos, out);
        }
        if let Record::Misfit { layout: Layout { role: Role::Function, .. }, .. } = frame.record {
            self.learn_function(bytes, out);
            frame = self.base.read(bytes).unwrap_or(frame);
        }
        let row = self.base.record(&frame, at);
        command::answer(&frame, &self.base.config, row, out);
        // The host does not notice surplus bytes.
        if !row.flags.intersects(RowFlags::MALFORMED) || matches!(self.base.fit(Some(&frame)), Fit::Surplus(_)) {
            self.look_up(&frame, out);
        }
        self.event(&frame, row, out);
        out.row(row);
    }

    /// Looks up addresses, signals and pools of a record in the order in which they are printed.
    #[inline]
    fn look_up(&mut self, frame: &RecordFrame<'_>, out: &mut Output<'_>) {
        let (layout, values) = match &frame.record {
            Record::Event(layout, values) | Record::Misfit { layout, values, .. } => (layout, values),
            Record::User => return self.look_up_elements(frame.args(&self.base.config), out),
            _ => return,
        };
        for piece in layout.line.pieces() {
            let number = values.number(piece.field);
            match piece.form.0 {
                Form::Object | Form::Function | Form::Target => self.names.look_up(number, out),
                Form::Signal => self.names.look_up_signal(number, out),
                Form::Pool => self.names.look_up_pool(number, out),
                Form::PoolFromZero => self.names.look_up_pool(number + 1, out),
                _ => {}
            }
        }
    }

    #[inline(never)]
    fn look_up_elements(&mut self, args: &[u8], out: &mut Output<'_>) {
        for element in Elements::new(args, &self.base.config) {
            match element.value {
                Value::Object(key) | Value::Function(key) => self.names.look_up(key, out),
                Value::Signal { sig, .. } => self.names.look_up_signal(sig, out),
                _ => {}
            }
        }
    }

    /// The host assumes that function pointers are as long as others; here, correct values matter more.
    fn learn_function(&mut self, frame: &[u8], out: &mut Output<'_>) {
        if let Some(settings) = self.base.other_function(frame).filter(|_| self.function == 0) {
            self.base.configure(out, settings);
            self.base.properties(true, out);
        }
    }

    #[inline]
    fn sequence(&mut self, seq: Option<u8>, pos: u64, out: &mut Output<'_>) {
        let Some(seq) = seq else { return };
        let expected = self.last.wrapping_add(1);
        if seq != expected {
            self.base.gap(expected, seq, pos, out);
            self.posts.stop();
        }
        self.last = seq;
    }

    /// Takes a record with other effects than a row. Names apply from the record itself on.
    #[inline]
    fn event(&mut self, frame: &RecordFrame<'_>, row: Row, out: &mut Output<'_>) {
        let (Some(layout), Some(values)) = (frame.layout(), frame.values()) else { return };
        let (object, signal, stamp) = (values.number(0), values.number(1), frame.stamp(&self.base.config).unwrap_or(0));
        match layout.role {
            Role::Fifo | Role::Lifo => {
                out.attachment(private_attachment::POST, self.posts.post(object, signal, stamp), 0)
            }
            Role::Get => {
                let (rt, number) = self.posts.get(object, signal, stamp);
                out.attachment(private_attachment::HOST_RT, rt as u64, number);
            }
            Role::Name(_) => {
                if let Some(naming) = Naming::of(layout, values) {
                    self.name(&naming, out);
                }
            }
            _ => {}
        }
        if out.wants_activities() && !row.flags.intersects(RowFlags::MALFORMED) {
            add_activities(layout, values, row, out);
        }
    }

    fn name(&mut self, naming: &Naming<'_>, out: &mut Output<'_>) {
        self.names.enter(naming.space, naming.key, &naming.name, out);
    }

    /// Takes the configuration record; its own line still uses the previous settings, if any.
    fn tcfg(&mut self, tcfg: &Tcfg, bytes: &[u8], at: FrameLocation, out: &mut Output<'_>) {
        let before = tcfg.settings.overlaid(&self.base.settings, std::mem::replace(&mut self.given, u16::MAX));
        self.base.configure(out, before);
        let mut row = self.base.row(at.pos, at.len);
        row.kind = self.base.read(bytes).and_then(|frame| frame.layout()).map_or(row.kind, |layout| layout.kind);
        row.group = Group::Fwk as u8;
        row.flags |= at.flags | RowFlags::NAMING;
        out.row(row);
        self.names.clear(out);
        self.posts.start();
        if tcfg.hz > 0 && !self.rate {
            self.base.clock.set_rate(tcfg.hz.into());
        }
        self.base.configure(out, tcfg.settings.with(Key::Function, self.function));
        self.base.properties(true, out);
    }
}

const MOST_POSTS: usize = 4096;
const MOST_QUEUES: usize = 65_536;

/// The posts of an object, as kept by the reference host.
#[derive(Clone, Debug, Default)]
struct HostQueue {
    last: u64,
    /// Number, signal, time stamp.
    posts: VecDeque<(u64, u64, u64)>,
}

/// Tables of the reference host: numbers of posts, response times of gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostPosts {
    queues: FxHashMap<u64, HostQueue>,
    /// Active between a configuration record and the first loss.
    tracking: bool,
}

impl HostPosts {
    pub(crate) fn start(&mut self) {
        self.queues.clear();
        self.tracking = true;
    }

    pub(crate) fn stop(&mut self) {
        self.tracking = false;
        for queue in self.queues.values_mut() {
            queue.posts = VecDeque::new();
        }
    }

    pub(crate) fn post(&mut self, object: u64, signal: u64, stamp: u64) -> u64 {
        if self.queues.len() >= MOST_QUEUES && !self.queues.contains_key(&object) {
            return 1;
        }
        let queue = self.queues.entry(object).or_default();
        queue.last += 1;
        if self.tracking {
            queue.posts.truncate(MOST_POSTS);
            queue.posts.push_back((queue.last, signal, stamp));
        }
        queue.last
    }

    /// Takes a get; returns the response time, ignoring wraps, and the number of the post; −1 and 0 without a post.
    pub(crate) fn get(&mut self, object: u64, signal: u64, stamp: u64) -> (i64, u64) {
        let oldest = self.queues.get_mut(&object).filter(|_| self.tracking).and_then(|q| q.posts.pop_front());
        match oldest {
            Some((number, posted, time)) if posted == signal => (stamp as i64 - time as i64, number),
            _ => (-1, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u64 = 1;

    #[test]
    fn the_reference_host_takes_the_oldest_and_knows_no_wrap() {
        let mut posts = HostPosts::default();
        assert_eq!((posts.post(A, 7, 250), posts.get(A, 7, 255)), (1, (-1, 0)));
        posts.start();
        assert_eq!((posts.post(A, 7, 250), posts.post(A, 8, 251)), (1, 2));
        assert_eq!(posts.get(A, 7, 1), (-249, 1));
        assert_eq!(posts.get(A, 9, 2), (-1, 0));
        assert_eq!(posts.get(A, 8, 2), (-1, 0), "used up");
        posts.stop();
        assert_eq!(posts.post(A, 7, 9), 3);
    }
}
