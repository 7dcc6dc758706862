//! Our own reading: a flag always ends a frame, frames that ran together are taken apart, every loss is a row in its
//! place.

use std::sync::Arc;

use spytui_hdlc::{OwnRows, Receiver, Sequence, Splitter, Stretch};
use spytui_plugin_api::{
    Mark, Out, Row,
    batch::count,
    chunk::mark,
    row::{flag, note, severity},
};

use super::{base::Base, long::long, own_extra, own_kind, posts::Queues, target::Known};
use crate::{
    activity,
    layout::{Layout, Role},
    names::{Naming, properties},
    record::{self, Values},
    symbols::Symbols,
};

/// Our decoder at work.
#[derive(Clone, Debug)]
pub(crate) struct Native {
    splitter: Splitter,
    reader: Reader,
}

/// All of it but the splitting at flags.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) base: Base,
    pub(super) sequence: Sequence,
    /// What is known of the target, from options and from itself.
    pub(super) known: Known,
    pub(super) queues: Queues,
    symbols: Option<Arc<Symbols>>,
    opened: bool,
    /// No frame since the stream or the link began.
    pub(super) fresh: bool,
    /// The present stretch was longer than `LONGEST`: what is left is its end.
    pub(super) overlong: bool,
    /// Un-stuffed frame.
    pub(super) scratch: Vec<u8>,
}

impl Native {
    pub(crate) fn new(base: Base, known: Known, symbols: Option<Arc<Symbols>>) -> Native {
        let reader = Reader {
            base,
            sequence: Sequence::default(),
            known,
            queues: Queues::default(),
            symbols,
            opened: false,
            fresh: true,
            overlong: false,
            scratch: Vec::new(),
        };
        Native { splitter: Splitter::default(), reader }
    }

    pub(crate) fn pending(&self) -> u64 {
        self.splitter.pending() as u64
    }

    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Out<'_>) {
        self.reader.open(out);
        self.splitter.feed(pos, bytes, &mut Feed { reader: &mut self.reader, out });
        self.reader.base.counts.add(count::BYTES, bytes.len() as u64);
        self.reader.base.counts.send(out);
    }

    pub(crate) fn mark(&mut self, mark: &Mark, text: &[u8], out: &mut Out<'_>) {
        self.reader.open(out);
        match mark.kind {
            mark::TIME => self.reader.base.clock.host_time(mark),
            mark::LINK_UP => {
                self.give_up(note::RESYNC, mark.pos, out);
                self.reader.fresh = true;
            }
            mark::LINK_DOWN => self.give_up(note::RESYNC, mark.pos, out),
            mark::HOST_LOSS => {
                self.give_up(note::RESYNC, mark.pos, out);
                self.reader.sequence.blame(3);
                self.reader.overlong = true;
            }
            mark::LINE_ERROR => self.reader.sequence.blame(2),
            mark::OPTIONS => self.reader.options(text, out),
            mark::END => self.give_up(note::TAIL, mark.pos, out),
            _ => {}
        }
        self.reader.base.counts.send(out);
    }

    /// Puts what is pending into a row.
    fn give_up(&mut self, kind: u16, pos: u64, out: &mut Out<'_>) {
        let (held, lead) = self.splitter.take();
        let Native { reader, .. } = self;
        let start = pos.saturating_sub(held.len() as u64);
        if held.len() > lead {
            reader.damaged(kind, start, held.len(), out);
        } else if !held.is_empty() {
            reader.idle(start, held.len(), out);
        }
        reader.overlong = false;
    }
}

/// A reader with the place where its rows go.
struct Feed<'r, 'o, 'b> {
    reader: &'r mut Reader,
    out: &'o mut Out<'b>,
}

impl Receiver for Feed<'_, '_, '_> {
    #[inline]
    fn stretch(&mut self, stretch: Stretch<'_>) -> usize {
        let mut overlong = self.reader.overlong;
        let done = long(stretch, &mut overlong, |kind, pos, len| self.reader.damaged(kind, pos, len, self.out));
        self.reader.overlong = overlong;
        done.unwrap_or_else(|| {
            self.reader.judge(stretch, self.out);
            stretch.raw.len()
        })
    }
}

impl Reader {
    fn open(&mut self, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.opened, true) {
            return;
        }
        self.base.configure(out, self.base.settings);
        self.base.properties(false, out);
        if let Some(symbols) = &self.symbols {
            symbols.tell(out);
        }
    }

    /// A run of flags without a frame.
    pub(super) fn idle(&self, pos: u64, len: usize, out: &mut Out<'_>) {
        out.row(self.base.note(own_kind::IDLE, pos, len, severity::NORMAL));
    }

    /// Bytes that are no record.
    pub(super) fn damaged(&mut self, kind: u16, pos: u64, len: usize, out: &mut Out<'_>) {
        let level = match kind {
            note::PARTIAL => severity::NORMAL,
            note::TAIL => severity::WARNING,
            _ => severity::ERROR,
        };
        self.sequence.skipped(len, !matches!(kind, note::PARTIAL | note::RESYNC | note::TAIL));
        self.queues.lose();
        self.base.skip(out, kind, pos, len, level);
        self.fresh = false;
    }

    /// A right frame that is a record: what it says beside its row, then the row.
    #[inline]
    pub(super) fn record(&mut self, frame: &[u8], row: Row, out: &mut Out<'_>) {
        if row.flags & flag::TIME_OWN != 0 {
            self.sequence.first_stamp(row.time, &self.base.counts);
        }
        let plan = self.base.plans.of(frame.first().copied().unwrap_or(0));
        let plain = plan.role == Role::Plain && !out.wants_acts();
        if plain || row.flags & (flag::MALFORMED | super::own_flag::AGAIN) != 0 {
            return out.row(row);
        }
        match plan.layout {
            Some(layout) => self.known_event(layout, frame, row, out),
            None => {
                activity::user(row, out);
                out.row(row);
            }
        }
    }

    #[inline(never)]
    fn known_event(&mut self, layout: &'static Layout, frame: &[u8], row: Row, out: &mut Out<'_>) {
        let args = self.base.config.args(frame).unwrap_or(&[]);
        let (values, _) = record::read(layout, &self.base.config, args);
        match layout.role {
            Role::Name => {
                Naming::of(layout, &values).into_iter().for_each(|naming| naming.tell(out));
            }
            Role::Property => {
                properties(layout, &values, out);
                self.queue_event(layout, &values);
            }
            Role::Queue => self.queue_event(layout, &values),
            Role::Fifo | Role::Lifo | Role::Get => self.post_or_get(layout, &values, row, out),
            Role::Plain | Role::Function | Role::Tcfg => {}
        }
        if out.wants_acts() {
            activity::record(layout, &values, row, out);
        }
        out.row(row);
    }

    /// What a queue's record says of the posts and gets around it.
    fn queue_event(&mut self, layout: &Layout, values: &Values<'_>) {
        let queue = values.number(0);
        match (layout.role, layout.event) {
            (Role::Property, "INIT") if layout.place("ao") == 1 => self.queues.owner(queue, values.number(1)),
            (Role::Queue, "GET" | "FIFO" | "LIFO") => self.queues.told(queue, values.number(1)),
            (Role::Queue, "GET_LAST") => self.queues.told(queue, 0),
            (Role::Queue, "DPT") => self.queues.cleared(queue),
            _ => {}
        }
    }

    /// Pairs posts and gets; the response time goes with the get.
    fn post_or_get(&mut self, layout: &Layout, values: &Values<'_>, row: Row, out: &mut Out<'_>) {
        let (object, signal) = (values.number(0), values.number(1));
        let place = layout.place("nelem");
        let length = (place < values.whole).then(|| values.number(place));
        if layout.role != Role::Get {
            return self.queues.post(object, signal, row.time, length, layout.role == Role::Lifo);
        }
        let posted = self.queues.get(object, signal, length);
        if let Some(time) = posted.filter(|_| row.flags & flag::TIME_OWN != 0).and_then(|t| row.time.checked_sub(t)) {
            out.extra(own_extra::RT, time, 0);
        }
    }
}
