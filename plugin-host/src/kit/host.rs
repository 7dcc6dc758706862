//! A host for tests: feeds bytes in chunks of any size and keeps the output.

use std::collections::{BTreeMap, HashMap};

use spytui_plugin_api::{
    Activity, Attachment, AttachmentId, Batch, Chunk, ClockEvent, Count, CounterId, DecoderRef, Dict, DictEvent, Fault,
    Growth, Info, RSlice, Rendered, Row, RowIn, Source, StreamEvent, StreamEventKind, Want,
    batch::{AttrId, DictOp, attachments_of},
    chunk::MAX_CHUNK,
    info::{Matching, OptVal},
    render::Lookup,
};

use crate::{FormattedRows, HostedInstance, Renderer, RowCounters};

pub fn opt_vals<'a>(pairs: &[(&'a str, &'a [u8])]) -> Vec<OptVal<'a>> {
    pairs.iter().map(|(key, value)| OptVal { key: (*key).into(), value: RSlice::from_slice(value) }).collect()
}

pub fn start_event() -> StreamEvent {
    StreamEvent { kind: StreamEventKind::START, ..StreamEvent::default() }
}

pub fn end_event(len: usize) -> StreamEvent {
    StreamEvent { kind: StreamEventKind::END, pos: len as u64, ..StreamEvent::default() }
}

/// The whole output of an instance, with absolute indices and byte ranges.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Run {
    pub rows: Vec<Row>,
    pub attachments: Vec<Attachment>,
    pub dict: Vec<DictEvent>,
    pub cfgs: HashMap<u16, Vec<u8>>,
    pub clocks: Vec<ClockEvent>,
    pub activities: Vec<Activity>,
    /// Last value of each counter.
    pub counts: HashMap<CounterId, u64>,
    pub bytes: Vec<u8>,
    pub pending: u64,
}

impl Run {
    pub fn add(&mut self, batch: &Batch) {
        let (rows, base) = (self.rows.len() as u32, self.bytes.len());
        self.rows.extend_from_slice(&batch.rows);
        self.bytes.extend_from_slice(&batch.bytes);
        self.attachments.extend(batch.attachments.iter().map(|e| Attachment {
            at: e.at + rows,
            a: if e.is_bytes { e.a + base as u64 } else { e.a },
            ..*e
        }));
        self.dict.extend(batch.dict.iter().map(|e| {
            let mut e = DictEvent { at: e.at + rows, ..*e };
            e.text.off += base as u32;
            e
        }));
        self.cfgs.extend(batch.cfgs.iter().map(|c| (c.id, c.blob.of(&batch.bytes).to_vec())));
        self.clocks.extend(batch.clocks.iter().map(|c| ClockEvent { at: c.at + rows, ..*c }));
        self.activities.extend(batch.activities.iter().map(|a| Activity { at: a.at + rows, ..*a }));
        self.counts.extend(batch.counts.iter().map(|Count { id, val, .. }| (*id, *val)));
    }

    /// Applies a batch's updates of earlier gaps.
    fn grow(&mut self, batch: &Batch) {
        for growth in Growth::in_batch(batch) {
            if let Some(gap) = growth.gap_in(&self.rows) {
                growth.add_to_row(gap, &mut self.attachments);
            }
        }
        self.attachments.retain(|attachment| Growth::of(attachment).is_none());
    }

    pub fn attachments_of(&self, row: usize) -> &[Attachment] {
        attachments_of(&self.attachments, row)
    }

    /// The raw bytes of a row, fragments included, cut from the whole stream.
    pub fn raw(&self, row: usize, stream: &[u8]) -> Vec<u8> {
        let piece = |pos: u64, len: u64| &stream[pos as usize..(pos + len) as usize];
        let mut raw = Vec::new();
        for e in self.attachments_of(row).iter().filter(|e| e.id == AttachmentId::FRAGMENT) {
            raw.extend_from_slice(piece(e.a, e.b));
        }
        raw.extend_from_slice(piece(self.rows[row].pos, u64::from(self.rows[row].len)));
        raw
    }

    /// Renders one row with `names`.
    pub fn render_one(
        &self,
        renderer: &Renderer,
        row: usize,
        stream: &[u8],
        names: &Names,
        want: Want,
        out: &mut Rendered,
    ) -> Result<(), Fault> {
        let raw = self.raw(row, stream);
        let cfg = self.cfgs.get(&self.rows[row].cfg).map_or(&[][..], Vec::as_slice);
        let none = FormattedRows::default();
        renderer.render(cfg, &[self.row_in(row, &raw)], &Dict::new(names), want, none.from(0), out)
    }

    /// A row as input to rendering; `raw` = its bytes, from [`Run::raw`].
    pub fn row_in<'a>(&'a self, row: usize, raw: &'a [u8]) -> RowIn<'a> {
        RowIn {
            row: &self.rows[row],
            raw: raw.into(),
            attachments: self.attachments_of(row).into(),
            blob: self.bytes.as_slice().into(),
        }
    }

    pub fn counters(&self) -> RowCounters {
        let batch =
            Batch { rows: self.rows.clone().into(), attachments: self.attachments.clone().into(), ..Batch::default() };
        let mut counters = RowCounters::default();
        counters.add(&batch);
        counters
    }
}

/// An instance of a decoder, called through its tables.
#[derive(Debug)]
pub struct Host {
    pub decoder: DecoderRef,
    pub info: Info,
    pub renderer: Renderer,
    instance: HostedInstance,
    batch: Batch,
    pub run: Run,
    pub fed: u64,
    pub wants_activities: bool,
}

impl Host {
    pub fn open(decoder: DecoderRef, opts: &[(&str, &[u8])]) -> Result<Host, Fault> {
        spytui_plugin_api::guard::install_hook();
        let instance = decoder.open(&opt_vals(opts), &Source::default())?;
        let info = decoder.info()?;
        let is_reference = opts.iter().any(|(key, value)| *key == "reference" && !value.is_empty());
        let (batch, run) = (Batch::default(), Run::default());
        Ok(Host {
            decoder,
            renderer: Renderer::new(decoder, &info, is_reference),
            instance: HostedInstance::new(instance, &info, 0),
            info,
            batch,
            run,
            fed: 0,
            wants_activities: true,
        })
    }

    pub fn feed(&mut self, bytes: &[u8], events: &[StreamEvent]) -> Result<(), Fault> {
        self.batch.clear();
        let chunk = Chunk {
            pos: self.fed,
            bytes: bytes.into(),
            events: events.into(),
            texts: RSlice::EMPTY,
            wants_activities: self.wants_activities,
        };
        let answer = self.instance.feed(&chunk, &mut self.batch);
        self.fed += bytes.len() as u64;
        self.run.add(&self.batch);
        self.run.grow(&self.batch);
        self.run.pending = self.instance.cover.pending();
        answer
    }

    /// Feeds a whole stream with START and END, in chunks of `size` bytes.
    pub fn stream(mut self, bytes: &[u8], size: usize) -> Result<Host, Fault> {
        self.feed(b"", &[start_event()])?;
        for chunk in bytes.chunks(size.clamp(1, MAX_CHUNK)) {
            self.feed(chunk, &[])?;
        }
        self.feed(b"", &[end_event(bytes.len())])?;
        Ok(self)
    }

    /// An independent copy at the current position.
    pub fn fork(&self) -> Result<Host, Fault> {
        Ok(Host {
            info: self.info.clone(),
            renderer: self.renderer.clone(),
            instance: self.instance.fork()?,
            batch: Batch::default(),
            run: self.run.clone(),
            ..*self
        })
    }

    /// Renders all rows in order, each with the names valid at that row, and calls `each` with the result.
    pub fn render(&self, stream: &[u8], want: Want, mut each: impl FnMut(usize, &Rendered)) -> Result<(), Fault> {
        let mut names = Names::new(&self.info);
        let mut events = self.run.dict.iter().peekable();
        let mut out = Rendered::default();
        for i in 0..self.run.rows.len() {
            while let Some(event) = events.next_if(|e| e.at as usize <= i) {
                names.apply(event, event.text.of(&self.run.bytes));
            }
            out.clear();
            self.run.render_one(&self.renderer, i, stream, &names, want, &mut out)?;
            each(i, &out);
        }
        Ok(())
    }

    /// The text of all rows; with option `reference`, the output of the reference host.
    pub fn text(&self, stream: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        self.render(stream, Want::TEXT, |_, out| text.extend_from_slice(&out.text))?;
        Ok(text)
    }
}

/// The rows of a stream as lines of kind and text, with the names valid at each row.
pub fn lines(decoder: DecoderRef, opts: &[(&str, &[u8])], stream: &[u8]) -> Result<Vec<String>, Fault> {
    let host = Host::open(decoder, opts)?.stream(stream, usize::MAX)?;
    let mut lines = Vec::new();
    host.render(stream, Want::TEXT, |i, rendered| lines.push(line(&host.info, &host.run.rows[i], rendered)))?;
    Ok(lines)
}

fn line(info: &Info, row: &Row, rendered: &Rendered) -> String {
    let rendered = rendered.row(0);
    let own = rendered.kind_word.map(String::from_utf8_lossy);
    let kind = info.kind(row.kind).map(|kind| kind.tag());
    let word = own.as_deref().or(kind).unwrap_or_default();
    let parts = [word, &String::from_utf8_lossy(rendered.text)].map(str::to_owned);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

#[derive(Debug, Clone)]
pub struct Sample<'a> {
    pub name: &'a str,
    pub opts: Vec<(&'a str, &'a [u8])>,
    pub bytes: &'a [u8],
}

type NumberAndText = (u64, Vec<u8>);

#[derive(Debug, Clone, Default)]
pub struct Names {
    /// By space, key, attribute and scope.
    entries: BTreeMap<(u16, u64, AttrId, u64), NumberAndText>,
    matching: HashMap<u16, Matching>,
}

impl Names {
    /// An empty dictionary with the lookup rules in `info`.
    pub fn new(info: &Info) -> Names {
        Names { matching: info.spaces.iter().map(|s| (s.id, s.matching)).collect(), ..Names::default() }
    }

    /// Applies an event whose text is `text`.
    pub fn apply(&mut self, event: &DictEvent, text: &[u8]) {
        let DictEvent { op, attr, space, key, scope, val, .. } = *event;
        match op {
            DictOp::SET => drop(self.entries.insert((space, key, attr, scope), (val, text.to_vec()))),
            DictOp::REMOVE => drop(self.entries.remove(&(space, key, AttrId::NAME, scope))),
            DictOp::CLEAR => self.entries.retain(|id, _| id.0 != space || id.2 != AttrId::NAME),
            _ => {}
        }
    }

    pub fn len(&self, space: u16) -> usize {
        self.entries.keys().filter(|id| id.0 == space && id.2 == AttrId::NAME).count()
    }
}

impl Lookup for Names {
    fn get(&self, _: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        let id = |scope| (space, key, AttrId::NAME, scope);
        let other = || match *self.matching.get(&space)? {
            Matching::EXACT => None,
            m if scope != 0 || m == Matching::OR_GLOBAL => self.entries.get(&id(0)),
            _ => self.entries.range(id(0)..=id(u64::MAX)).next().map(|(_, name)| name),
        };
        self.entries.get(&id(scope)).or_else(other).map(|(_, name)| name.as_slice())
    }

    fn attr(&self, _: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        let (val, text) = self.entries.get(&(space, key, attr, scope))?;
        Some((*val, text))
    }
}
