//! Feeds an instance: turns the log's marks into the contract's, adds the host's own rows (link up and down, bytes
//! lost here) at their places, and contains a plugin that panics or breaks the contract. The same for live decoding,
//! decoding again and streaming, so that all give the same rows.

use spytui_plugin_api::{
    Batch, Chunk, Cut, Extra, Fault, Instance, Mark, Row,
    batch::extra,
    chunk::WANT_ACTS,
    row::{flag, note, severity},
};

use super::{
    coverage::Coverage,
    learned_options::{LearnedOptions, with_learnt},
};
use crate::log::{SideMark, kind};

/// A decoder at work, with what its host adds.
#[derive(Debug)]
pub struct InstanceHost {
    instance: Instance,
    fault: Option<Fault>,
    /// Time and flags that rows of the host inherit.
    time: (u64, u32),
    /// Which bytes are in rows.
    cover: Coverage,
    marks: Vec<Mark>,
    texts: Vec<u8>,
    want: u32,
    /// Marks beside those of the log.
    learnt: LearnedOptions,
}

impl InstanceHost {
    /// Around an instance; `pos` = where its stream begins.
    #[must_use]
    pub fn new(instance: Instance, pos: u64) -> InstanceHost {
        let (marks, texts) = (Vec::new(), Vec::new());
        let cover = Coverage::new(pos);
        InstanceHost {
            instance,
            fault: None,
            time: (0, 0),
            cover,
            marks,
            texts,
            want: WANT_ACTS,
            learnt: LearnedOptions::default(),
        }
    }

    /// Asks for no activities.
    #[must_use]
    pub fn without_acts(mut self) -> InstanceHost {
        self.set_acts(false);
        self
    }

    /// Adds marks to those of the log; of a stream that begins later those before it stand at its beginning.
    #[must_use]
    pub fn with_learnt(mut self, learnt: &LearnedOptions) -> InstanceHost {
        self.set_learnt(learnt);
        self
    }

    /// The same, before anything is fed.
    pub fn set_learnt(&mut self, learnt: &LearnedOptions) {
        let begin = self.cover.end();
        let moved = learnt.iter().map(|m| SideMark { pos: m.pos.max(begin), ..m.clone() });
        self.learnt = moved.collect();
    }

    /// Asks for activities, or for none.
    pub fn set_acts(&mut self, on: bool) {
        self.want = if on { WANT_ACTS } else { 0 };
    }

    /// The decoder's fault, after which nothing is decoded any more.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Position of the first byte that a row to come may need.
    #[must_use]
    pub fn oldest_pending(&self) -> u64 {
        self.cover.oldest_pending()
    }

    /// A feeder that goes on from here by itself.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn fork(&self) -> Result<InstanceHost, Fault> {
        Ok(InstanceHost {
            instance: self.instance.fork()?,
            fault: self.fault.clone(),
            time: self.time,
            cover: self.cover.clone(),
            marks: Vec::new(),
            texts: Vec::new(),
            want: self.want,
            learnt: self.learnt.clone(),
        })
    }

    /// Feeds at most [`spytui_plugin_api::chunk::MAX_CHUNK`] bytes at `pos` with the marks in `[pos, pos + len]`,
    /// adding to `batch`.
    pub fn feed(&mut self, pos: u64, bytes: &[u8], marks: &[SideMark], batch: &mut Batch) {
        let all = with_learnt(marks, &self.learnt, pos, pos + bytes.len() as u64);
        let marks = all.as_deref().unwrap_or(marks);
        let mut done = 0;
        let mut first = 0;
        for (i, mark) in marks.iter().enumerate().filter(|(_, m)| host_row_kind(m).is_some()) {
            let upto = usize::try_from(mark.pos.saturating_sub(pos)).unwrap_or(usize::MAX).clamp(done, bytes.len());
            self.part(pos + done as u64, &bytes[done..upto], &marks[first..=i], batch);
            self.host_row(mark, batch);
            (done, first) = (upto, i + 1);
        }
        self.part(pos + done as u64, &bytes[done..], &marks[first..], batch);
    }

    fn part(&mut self, pos: u64, bytes: &[u8], marks: &[SideMark], batch: &mut Batch) {
        if bytes.is_empty() && marks.is_empty() {
            return;
        }
        self.cover.feed(pos, pos + bytes.len() as u64);
        if self.fault.is_none() {
            let before = Lengths::of(batch);
            self.convert(marks);
            let chunk = Chunk {
                pos,
                bytes: bytes.into(),
                marks: self.marks.as_slice().into(),
                texts: self.texts.as_slice().into(),
                want: self.want,
            };
            let answer = self.instance.feed(&chunk, batch);
            if answer.is_err() {
                drop_what_has_no_row(batch);
            }
            let kept = self.cover.add(batch, before.rows, marks.len());
            let broken = kept.map_err(|rule| Fault::new(format!("it broke the contract: {rule}")));
            if broken.is_err() {
                before.restore(batch);
            }
            self.follow(batch, before.rows);
            match answer.and(broken) {
                Ok(()) => return,
                Err(fault) => self.fail(fault, batch),
            }
        } else if !bytes.is_empty() {
            self.skipped_row(note::FAULT, b"not decoded: the decoder failed", batch);
        }
        batch.pending = 0;
    }

    fn convert(&mut self, marks: &[SideMark]) {
        self.marks.clear();
        self.texts.clear();
        for mark in marks {
            let text = Cut { off: self.texts.len() as u32, len: mark.text.len() as u32 };
            self.texts.extend_from_slice(&mark.text);
            let SideMark { pos, host_ns, kind, arg, .. } = *mark;
            self.marks.push(Mark { pos, host_ns, kind, flags: 0, arg, text });
        }
    }

    /// Remembers the time of the last row of a part.
    fn follow(&mut self, batch: &Batch, first: usize) {
        if let Some(row) = batch.rows.get(first..).and_then(<[Row]>::last) {
            self.time = (row.time, row.flags & flag::TIME_KNOWN);
        }
    }

    fn fail(&mut self, fault: Fault, batch: &mut Batch) {
        let text = format!("the decoder failed: {}", fault.text);
        self.fault = Some(fault);
        self.skipped_row(note::FAULT, text.as_bytes(), batch);
    }

    /// A row for all bytes that are in no row.
    fn skipped_row(&mut self, kind: u16, text: &[u8], batch: &mut Batch) {
        let (holes, (pos, end)) = self.cover.give_up();
        let at = batch.rows.len() as u32;
        for (start, end) in &holes {
            batch.extras.push(Extra { at, id: extra::PIECE, flags: 0, a: *start, b: end - start });
        }
        let len = u32::try_from(end - pos).unwrap_or(u32::MAX);
        let pieces = if holes.is_empty() { 0 } else { flag::PIECES };
        let flags = flag::NOTE | flag::SKIPPED | flag::LOSS_BEFORE | flag::EXTRAS | pieces | self.time.1;
        let row = Row { pos, len, kind, flags, severity: severity::ERROR, time: self.time.0, ..Row::default() };
        push_text_row(row, text, batch);
    }

    fn host_row(&mut self, mark: &SideMark, batch: &mut Batch) {
        let Some((kind, level)) = host_row_kind(mark) else { return };
        let flags = flag::NOTE | flag::EXTRAS | self.time.1;
        let flags = if kind == note::HOST_LOSS { flags | flag::LOSS_BEFORE } else { flags };
        // Rows never go back, and bytes may be pending: the row stands at the last row's place or at the mark.
        let end = self.cover.end();
        let pos = batch.rows.last().map_or(end, |r| r.pos).max(end.min(mark.pos));
        let row = Row { pos, kind, flags, severity: level, time: self.time.0, lane: 0xFFFF, ..Row::default() };
        push_text_row(row, host_text(mark).as_bytes(), batch);
    }
}

/// How much of a batch there was before a part.
#[derive(Clone, Copy)]
struct Lengths {
    rows: usize,
    lists: [usize; 6],
    bytes: usize,
}

impl Lengths {
    fn of(b: &Batch) -> Lengths {
        let (extras, dict, cfgs, clocks) = (b.extras.len(), b.dict.len(), b.cfgs.len(), b.clocks.len());
        let lists = [extras, dict, cfgs, clocks, b.acts.len(), b.counts.len()];
        Lengths { rows: b.rows.len(), lists, bytes: b.bytes.len() }
    }

    /// Takes back what came since.
    fn restore(self, b: &mut Batch) {
        let [extras, dict, cfgs, clocks, acts, counts] = self.lists;
        b.rows.truncate(self.rows);
        b.extras.truncate(extras);
        b.dict.truncate(dict);
        b.cfgs.truncate(cfgs);
        b.clocks.truncate(clocks);
        b.acts.truncate(acts);
        b.counts.truncate(counts);
        b.bytes.truncate(self.bytes);
    }
}

/// A panic may have interrupted a row: its extras and activities are there, itself it is not.
fn drop_what_has_no_row(batch: &mut Batch) {
    let rows = batch.rows.len() as u32;
    while batch.extras.last().is_some_and(|e| e.at >= rows) {
        batch.extras.pop();
    }
    while batch.acts.last().is_some_and(|a| a.at >= rows) {
        batch.acts.pop();
    }
}

/// The kind and severity of the host's row for a mark, if it has one.
fn host_row_kind(mark: &SideMark) -> Option<(u16, u8)> {
    match mark.kind {
        kind::LINK_UP => Some((note::LINK, severity::INFO)),
        kind::LINK_DOWN => Some((note::LINK, severity::WARNING)),
        kind::HOST_LOSS => Some((note::HOST_LOSS, severity::ERROR)),
        _ => None,
    }
}

fn host_text(mark: &SideMark) -> String {
    let text = String::from_utf8_lossy(&mark.text);
    match mark.kind {
        kind::LINK_UP if text.is_empty() => "link up".to_owned(),
        kind::LINK_UP => format!("link up: {text}"),
        kind::LINK_DOWN if text.is_empty() => "link down".to_owned(),
        kind::LINK_DOWN => format!("link down: {text}"),
        _ if mark.arg == 0 => format!("bytes lost on this side, number unknown {text}"),
        _ => format!("{} bytes lost on this side {text}", mark.arg),
    }
}

fn push_text_row(row: Row, text: &[u8], batch: &mut Batch) {
    let (at, off) = (batch.rows.len() as u32, batch.bytes.len() as u64);
    batch.bytes.extend_from_slice(text);
    batch.extras.push(Extra { at, id: extra::TEXT, flags: extra::BYTES, a: off, b: text.len() as u64 });
    batch.rows.push(row);
}
