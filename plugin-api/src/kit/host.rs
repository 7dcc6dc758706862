//! A host for tests: feeds bytes in any chunking and keeps everything that comes.

use std::collections::HashMap;

use abi_stable::std_types::RSlice;

use super::names::Names;
use crate::{
    act::Act,
    batch::{Batch, ClockEvent, Count, DictEvent, Extra, extra},
    chunk::{Chunk, MAX_CHUNK, Mark, Source, WANT_ACTS, mark},
    guard::Fault,
    info::{Info, OptVal},
    render::{DictView, Rendered, RowIn, want},
    row::{Row, flag},
    table::{DecoderRef, Instance},
};

/// Options for a decoder from pairs.
#[must_use]
pub fn opt_vals<'a>(pairs: &[(&'a str, &'a [u8])]) -> Vec<OptVal<'a>> {
    pairs.iter().map(|(key, value)| OptVal { key: (*key).into(), value: RSlice::from_slice(value) }).collect()
}

/// The mark that begins a stream.
#[must_use]
pub fn start_mark() -> Mark {
    Mark { kind: mark::START, ..Mark::default() }
}

/// The mark that ends a stream of `len` bytes.
#[must_use]
pub fn end_mark(len: usize) -> Mark {
    Mark { kind: mark::END, pos: len as u64, ..Mark::default() }
}

/// Everything that an instance emitted, with indices and cuts made absolute.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Run {
    /// Rows.
    pub rows: Vec<Row>,
    /// Extras.
    pub extras: Vec<Extra>,
    /// Dictionary events.
    pub dict: Vec<DictEvent>,
    /// Configuration blobs by id.
    pub cfgs: HashMap<u16, Vec<u8>>,
    /// Clocks.
    pub clocks: Vec<ClockEvent>,
    /// Activities.
    pub acts: Vec<Act>,
    /// Counters, the last value of each.
    pub counts: HashMap<u16, u64>,
    /// The arena.
    pub bytes: Vec<u8>,
    /// Bytes pending after the last feed.
    pub pending: u64,
}

impl Run {
    /// Adds what one feed emitted.
    pub fn add(&mut self, batch: &Batch) {
        let (rows, base) = (self.rows.len() as u32, self.bytes.len());
        self.rows.extend_from_slice(&batch.rows);
        self.bytes.extend_from_slice(&batch.bytes);
        self.extras.extend(batch.extras.iter().map(|e| Extra {
            at: e.at + rows,
            a: if e.flags & extra::BYTES != 0 { e.a + base as u64 } else { e.a },
            ..*e
        }));
        self.dict.extend(batch.dict.iter().map(|e| {
            let mut e = DictEvent { at: e.at + rows, ..*e };
            e.text.off += base as u32;
            e
        }));
        self.cfgs.extend(batch.cfgs.iter().map(|c| (c.id, c.blob.of(&batch.bytes).to_vec())));
        self.clocks.extend(batch.clocks.iter().map(|c| ClockEvent { at: c.at + rows, ..*c }));
        self.acts.extend(batch.acts.iter().map(|a| Act { at: a.at + rows, ..*a }));
        self.counts.extend(batch.counts.iter().map(|Count { id, val, .. }| (*id, *val)));
        self.pending = batch.pending;
    }

    /// The extras of a row.
    #[must_use]
    pub fn extras_of(&self, row: usize) -> &[Extra] {
        let row = row as u32;
        let first = self.extras.partition_point(|e| e.at < row);
        let end = self.extras.partition_point(|e| e.at <= row);
        &self.extras[first..end]
    }

    /// The framed bytes of a row, all its stretches in order, out of the whole stream.
    #[must_use]
    pub fn raw(&self, row: usize, stream: &[u8]) -> Vec<u8> {
        let piece = |pos: u64, len: u64| &stream[pos as usize..(pos + len) as usize];
        let mut raw = Vec::new();
        for e in self.extras_of(row).iter().filter(|e| e.id == extra::PIECE) {
            raw.extend_from_slice(piece(e.a, e.b));
        }
        raw.extend_from_slice(piece(self.rows[row].pos, u64::from(self.rows[row].len)));
        raw
    }

    /// Renders one row with these names.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn render_one(
        &self,
        decoder: DecoderRef,
        row: usize,
        stream: &[u8],
        names: &Names,
        want: u32,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let raw = self.raw(row, stream);
        let input = RowIn {
            row: &self.rows[row],
            raw: raw.as_slice().into(),
            extras: self.extras_of(row).into(),
            blob: self.bytes.as_slice().into(),
        };
        let none = Vec::new();
        let cfg = self.cfgs.get(&self.rows[row].cfg).unwrap_or(&none);
        decoder.rows(cfg, &[input], &DictView::new(names), want, out)
    }

    /// Bytes in rows: of records and others, and skipped.
    #[must_use]
    pub fn accounted(&self) -> (u64, u64) {
        let mut sums = (0, 0);
        for (i, row) in self.rows.iter().enumerate().filter(|(_, r)| !r.has(flag::SHARED)) {
            let pieces: u64 = self.extras_of(i).iter().filter(|e| e.id == extra::PIECE).map(|e| e.b).sum();
            let sum = if row.has(flag::SKIPPED) { &mut sums.1 } else { &mut sums.0 };
            *sum += u64::from(row.len) + pieces;
        }
        sums
    }
}

/// A decoder at work, through its tables.
#[derive(Debug)]
pub struct Host {
    /// The decoder's tables.
    pub decoder: DecoderRef,
    /// What it tells about itself.
    pub info: Info,
    instance: Instance,
    batch: Batch,
    /// What came so far.
    pub run: Run,
    fed: u64,
    want: u32,
}

impl Host {
    /// Opens an instance.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn open(decoder: DecoderRef, opts: &[(&str, &[u8])]) -> Result<Host, Fault> {
        crate::guard::install_hook();
        let instance = decoder.start(&opt_vals(opts), &Source::default())?;
        let info = decoder.about()?;
        let (batch, run) = (Batch::default(), Run::default());
        Ok(Host { decoder, info, instance, batch, run, fed: 0, want: WANT_ACTS })
    }

    /// Asks for no activities.
    #[must_use]
    pub fn without_acts(mut self) -> Host {
        self.want = 0;
        self
    }

    /// Feeds one chunk with its marks.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn feed(&mut self, bytes: &[u8], marks: &[Mark]) -> Result<(), Fault> {
        self.batch.clear();
        let chunk =
            Chunk { pos: self.fed, bytes: bytes.into(), marks: marks.into(), texts: RSlice::EMPTY, want: self.want };
        let answer = self.instance.feed(&chunk, &mut self.batch);
        self.fed += bytes.len() as u64;
        self.run.add(&self.batch);
        answer
    }

    /// Feeds a whole stream with START and END, in chunks of `size` bytes.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn stream(mut self, bytes: &[u8], size: usize) -> Result<Host, Fault> {
        self.feed(b"", &[start_mark()])?;
        for chunk in bytes.chunks(size.clamp(1, MAX_CHUNK)) {
            self.feed(chunk, &[])?;
        }
        self.feed(b"", &[end_mark(bytes.len())])?;
        Ok(self)
    }

    /// A host that goes on from here by itself.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn fork(&self) -> Result<Host, Fault> {
        Ok(Host {
            decoder: self.decoder,
            info: self.info.clone(),
            instance: self.instance.fork()?,
            batch: Batch::default(),
            run: self.run.clone(),
            fed: self.fed,
            want: self.want,
        })
    }

    /// Bytes fed so far.
    #[must_use]
    pub fn fed(&self) -> u64 {
        self.fed
    }

    /// Renders all rows in order, each with the names as of itself, and hands each answer to `each`.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn render(&self, stream: &[u8], want: u32, mut each: impl FnMut(usize, &Rendered)) -> Result<(), Fault> {
        let mut names = Names::new(&self.info);
        let mut events = self.run.dict.iter().peekable();
        let mut out = Rendered::default();
        for i in 0..self.run.rows.len() {
            while let Some(event) = events.next_if(|e| e.at as usize <= i) {
                names.apply(event, event.text.of(&self.run.bytes));
            }
            out.clear();
            self.run.render_one(self.decoder, i, stream, &names, want, &mut out)?;
            each(i, &out);
        }
        Ok(())
    }

    /// The text of all rows, put together: with option `reference` the reference tool's output.
    ///
    /// # Errors
    /// The decoder's fault.
    pub fn text(&self, stream: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        self.render(stream, want::TEXT, |_, out| text.extend_from_slice(&out.text))?;
        Ok(text)
    }
}
