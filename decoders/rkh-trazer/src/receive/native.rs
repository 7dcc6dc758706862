//! The native receiver: a flag always ends a frame, fused frames are separated, every loss gets a row where it occurs.

use std::sync::Arc;

use spytui_decoder_kit::{DropField, DropRecord, RowBuilder, Sequence};
use spytui_hdlc::{
    FrameHandler, HdlcStream, HeldStart, HeldText, Segment, StartHandler, TextHandler, frame_bytes::Room,
};
use spytui_plugin_api::{
    Clock, Output, Row,
    chunk::StreamEventKind,
    row::{RowFlags, RowKind},
};

use super::{Base, posts::Queues, target_config::TargetConfig};
use crate::{
    activity, command,
    frame::overlong,
    layout::{ACK, Layout, Role, Values, private_attachment, private_kind},
    names::{Naming, Symbols, properties},
    record::{Frame, Record},
};

pub(crate) type Native = HdlcStream<NativeReceiver>;

/// The native receiver without the splitter.
#[derive(Clone, Debug)]
pub(crate) struct NativeReceiver {
    pub(super) base: Base,
    pub(super) sequence: Sequence,
    pub(super) drops: DropRecord,
    /// The target's configuration, from options and its own records.
    pub(super) target: TargetConfig,
    pub(super) queues: Queues,
    symbols: Option<Arc<Symbols>>,
    /// No frame since the stream or the link began.
    pub(super) fresh: bool,
    /// The current segment exceeded `LONGEST`; its end is still to come.
    pub(super) overlong: bool,
    /// Text, and what may be a damaged frame.
    pub(super) held_text: HeldText,
    /// Frames of a start that may have come late or twice.
    pub(super) held_start: HeldStart,
    /// Number of bytes in the current segment known to be text without a line end.
    pub(super) scanned: usize,
    /// Buffer for the un-stuffed frame.
    pub(super) scratch: Room,
}

/// Begins to receive.
pub(crate) fn begin(base: Base, target: TargetConfig, symbols: Option<Arc<Symbols>>, drops: DropField) -> Native {
    let mut drops = DropRecord::new(drops, &["USR+", "USR.", ""]);
    if let Some(symbols) = &symbols {
        symbols.name_events(&mut drops);
    }
    HdlcStream::new(NativeReceiver {
        base,
        sequence: Sequence::default(),
        drops,
        target,
        queues: Queues::default(),
        symbols,
        fresh: true,
        overlong: false,
        held_text: HeldText::default(),
        held_start: HeldStart::default(),
        scanned: 0,
        scratch: Room::default(),
    })
}

impl FrameHandler for NativeReceiver {
    fn open(&mut self, out: &mut Output<'_>) {
        self.base.configure(out, self.base.settings);
        self.base.properties(false, out);
        if let Some(symbols) = &self.symbols {
            symbols.report(out);
        }
    }

    #[inline]
    fn segment(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let is_plain = segment.body().get(1).is_some_and(|seq| self.sequence.is_plain(*seq));
        if is_plain || !self.base.config.nseq { self.frames(segment, out) } else { self.watched(segment, out) }
    }

    fn give_up(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        self.release_start(out);
        let body = held.body();
        if self.held_text.is_last_text(body) {
            self.text(held.pos, held.leading_flags, body, 0, out);
        } else {
            self.settle_text(None, out);
            self.left_over(kind, held, out);
        }
        (self.scanned, self.overlong) = (0, false);
    }

    fn event(&mut self, kind: StreamEventKind, text: &[u8], out: &mut Output<'_>) {
        self.sequence.event(kind);
        match kind {
            StreamEventKind::LINK_UP => {
                (self.fresh, self.base.is_cut) = (true, self.base.started);
                self.queues.records_lost();
            }
            StreamEventKind::HOST_LOSS => self.overlong = true,
            StreamEventKind::OPTIONS => self.options(text, out),
            _ => {}
        }
    }

    fn clock_mut(&mut self) -> &mut Clock {
        &mut self.base.clock
    }
}

impl NativeReceiver {
    /// Adds the row of bytes that no flag ends.
    fn left_over(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>) {
        if !held.body().is_empty() {
            self.damaged(kind, held, out);
        } else if !held.raw.is_empty() {
            self.idle(held.pos, held.raw.len(), out);
        }
    }

    /// Takes a segment that is not plainly the next frame; returns the number of bytes consumed.
    #[cold]
    fn watched(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let beside = if self.held_start.is_empty() { None } else { self.beside_start(segment, out) };
        beside.unwrap_or_else(|| {
            let is_next = segment.body().get(1).copied() == self.sequence.expected();
            if is_next { self.frames(segment, out) } else { self.unexpected(segment, out) }
        })
    }

    /// Takes a segment of frames, damaged or not, or waits for its end.
    #[inline]
    pub(super) fn frames(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize {
        let mut so_far = self.overlong;
        let done = overlong(segment, &mut so_far, |kind, piece| self.damaged(kind, piece, out));
        self.overlong = so_far;
        done.unwrap_or_else(|| {
            self.scanned = 0;
            self.validate(segment, out);
            segment.raw.len()
        })
    }

    /// Adds a row for flags without a frame.
    pub(super) fn idle(&mut self, pos: u64, len: usize, out: &mut Output<'_>) {
        self.settle_text(None, out);
        out.row(self.base.note(Row::note(private_kind::IDLE, pos, len)));
    }

    /// Adds the row of a valid record, preceded by names, properties and activities.
    #[inline]
    pub(super) fn record(&mut self, frame: &Frame<'_>, row: Row, out: &mut Output<'_>) {
        let news = self.base.clock.take_news();
        let hidden = news.map_or(RowFlags::empty(), |news| self.base.clock_news(news, row.pos, out));
        let row = Row { flags: row.flags - hidden, ..row };
        if row.flags.intersects(RowFlags::OUT_OF_ORDER) {
            return self.out_of_order(frame, row, out);
        }
        let layout = frame.layout();
        let role = layout.map_or(Role::Plain, |layout| layout.role);
        let plain = role == Role::Plain && !out.wants_activities();
        if role == Role::Plain {
            self.queues.other_record();
            if matches!(frame.record, Record::User) {
                self.drop_event(frame, row, out);
            }
            if frame.id() == ACK {
                command::answer(frame, &self.base.config, row, out);
                // A filter that changes hides posts and gets.
                self.queues.records_lost();
            }
        }
        if plain || row.flags.intersects(RowFlags::MALFORMED) {
            return out.row(row);
        }
        if let (Some(layout), Some(values)) = (layout, frame.values()) {
            self.known_event(layout, values, row, out);
        } else {
            activity::user(row, out);
        }
        out.row(row);
    }

    /// Adds the row of a valid record that is out of order: it only names things and answers commands.
    #[cold]
    fn out_of_order(&mut self, frame: &Frame<'_>, row: Row, out: &mut Output<'_>) {
        self.queues.records_lost();
        if frame.id() == ACK {
            command::answer(frame, &self.base.config, row, out);
        }
        if let (Some(layout), Some(values)) = (frame.layout(), frame.values()) {
            match layout.role {
                Role::Name(_) => Naming::of(layout, values).iter().for_each(|naming| naming.report(out)),
                Role::Property => properties(layout, values, out),
                _ => {}
            }
        }
        out.row(row);
    }

    #[inline(never)]
    fn known_event(&mut self, layout: &'static Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
        match layout.role {
            Role::Name(_) => {
                if let Some(naming) = Naming::of(layout, values) {
                    naming.report(out);
                }
                self.drop_name(layout, values, out);
            }
            Role::Property => properties(layout, values, out),
            Role::QueueInit => {
                properties(layout, values, out);
                self.queues.owner(values.number(0), values.number(1));
            }
            Role::QueueLevel => self.queues.level(values.number(0), values.number(1)),
            Role::QueueEmpty => self.queues.level(values.number(0), 0),
            Role::QueueCleared => self.queues.cleared(values.number(0)),
            Role::Fifo | Role::Lifo | Role::Get => self.post_or_get(layout, values, row, out),
            Role::Plain | Role::Function | Role::Tcfg => {}
        }
        if out.wants_activities() {
            activity::record(layout, values, row, out);
        }
    }

    /// Pairs posts and gets; the response time becomes an attachment of the get.
    fn post_or_get(&mut self, layout: &Layout, values: &Values<'_>, row: Row, out: &mut Output<'_>) {
        let (object, signal) = (values.number(0), values.number(1));
        let place = layout.place("nelem");
        let length = values.has(place).then(|| values.number(place));
        if layout.role != Role::Get {
            return self.queues.post(object, signal, row.time, length, layout.role == Role::Lifo);
        }
        let posted = self.queues.get(object, signal, length).filter(|_| row.has(RowFlags::TIME_OWN));
        if let Some(time) = posted.and_then(|posted| row.time.checked_sub(posted)) {
            out.attachment(private_attachment::RT, time, 0);
        }
    }
}
