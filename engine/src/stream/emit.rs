//! The rows of a block on their way to a sink: rendered together, handed on one by one with all that holds for each.

use std::io;

use spytui_plugin_api::{Activity, Batch, DictView, Rendered, RowIn, render::Want, row::RowFlags};

use super::{
    block::{Events, activities_of, host_text, render_rows},
    sink::Sink,
    source_stream::Common,
};
use crate::{
    order::Epochs,
    plugin::Decoder,
    present::Clock,
    render::item::{Item, not_rendered},
    store::{Dictionary, Names, RowNames, Span, names::CachedNames},
};

/// In a block of so many rows names are asked for again.
const WORTH_CACHING: usize = 16;

/// Where a source stands among its rows.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// How much of the batch's events holds.
    pub(super) events: Events,
    /// The clock as of now.
    pub(super) clock: Clock,
    /// The clock of each epoch, where a first pass has found it out.
    clocks: Option<Vec<Clock>>,
    epochs: Epochs,
    /// The first activity of the next row.
    next_act: usize,
}

impl Progress {
    /// Takes over the clocks that a first pass has found out, one for each epoch.
    pub(super) fn set_clocks(&mut self, clocks: Vec<Clock>) {
        self.clock = clocks.first().copied().unwrap_or_default();
        self.clocks = Some(clocks);
    }

    /// What comes is another batch.
    pub(super) fn begin_batch(&mut self) {
        (self.events, self.next_act) = (Events::default(), 0);
    }

    /// Counts a row; whether an epoch begins with it.
    #[inline]
    pub(super) fn step(&mut self, batch: &Batch, at: usize) -> bool {
        let resets = self.epochs.step(&batch.rows[at]);
        if let (true, Some(clocks)) = (resets, &self.clocks) {
            self.clock = clocks.get(self.epochs.epoch as usize).copied().unwrap_or_default();
        }
        resets
    }

    /// The clock that holds from row `at` on.
    #[inline]
    pub(super) fn apply_clocks(&mut self, batch: &Batch, at: usize) {
        while let Some(event) = batch.clocks.get(self.events.clocks).filter(|e| e.at as usize <= at) {
            if self.clocks.is_none() {
                self.clock = Clock::new(event);
            }
            self.events.clocks += 1;
        }
    }

    /// The activities of the next row.
    pub(super) fn activities<'b>(&mut self, batch: &'b Batch, at: usize) -> &'b [Activity] {
        let activities = activities_of(&batch.activities[self.next_act..], at);
        self.next_act += activities.len();
        activities
    }
}

/// A block of rows.
pub(super) struct Walk<'a> {
    pub(super) decoder: &'a Decoder,
    /// Number of the source.
    pub(super) number: u16,
    /// What is of all readings of the source is told here.
    pub(super) leads: bool,
    pub(super) batch: &'a Batch,
    /// Index of the first row.
    pub(super) first: usize,
    /// The rows.
    pub(super) inputs: &'a [RowIn<'a>],
    pub(super) cfg: &'a [u8],
    pub(super) spans: &'a [(Span, bool)],
    pub(super) host_ns: Option<u64>,
}

impl Walk<'_> {
    /// Renders the text of all rows.
    pub(super) fn text(&self, dictionary: &Dictionary, sink: &impl Sink, rendered: &mut Rendered) {
        if self.inputs.first().is_some_and(|input| input.row.kind.is_of_host()) {
            return host_text(self.batch, self.first, rendered);
        }
        let names = names(dictionary, sink);
        render_rows(self.decoder.table, self.cfg, self.inputs, &names, Want::TEXT, rendered);
    }

    /// Hands on the rows, whose text is in `rendered`; `details` = room for what else is wanted of each.
    pub(super) fn items(
        &self,
        progress: &mut Progress,
        (rendered, details): (&Rendered, &mut Rendered),
        common: &mut Common,
        sink: &mut impl Sink,
    ) -> io::Result<()> {
        let names = names(&common.dictionary, sink);
        let cached;
        let (seen, view): (&dyn RowNames, _) = if self.inputs.len() < WORTH_CACHING {
            (&names, DictView::new(&names))
        } else {
            cached = CachedNames::new(&names);
            (&cached, DictView::new(&cached))
        };
        let more = sink.want() & !Want::TEXT;
        let (mut begin, mut resets) = (0, 0_usize);
        for (i, input) in self.inputs.iter().enumerate() {
            let end = rendered.ends.get(i).map_or(rendered.text.len(), |&end| end as usize);
            let fault = self.details(input, &view, more, details);
            let text = rendered.text.get(begin..end).unwrap_or_default();
            begin = end;
            progress.apply_clocks(self.batch, self.first + i);
            resets += usize::from(progress.step(self.batch, self.first + i));
            let text = fault.as_deref().map_or(text, str::as_bytes);
            let item = self.item(i, progress, common, (text, details), seen);
            let clock = item.clock;
            sink.item(&item)?;
            if input.row.has(RowFlags::TIME_OWN) {
                common.before = Before(Some((input.row.time, clock)));
            }
        }
        // No row of the block is named by what an epoch changes.
        (0..if self.leads { resets } else { 0 }).for_each(|_| common.dictionary.begin_epoch(0));
        Ok(())
    }

    /// A row with all that holds for it.
    #[inline(always)]
    fn item<'i>(
        &'i self,
        i: usize,
        progress: &mut Progress,
        common: &Common,
        (text, rendered): (&'i [u8], &'i Rendered),
        names: &'i dyn RowNames,
    ) -> Item<'i> {
        let (input, at) = (&self.inputs[i], self.first + i);
        let clock = if progress.clock.known() { progress.clock } else { common.clock };
        Item {
            info: &self.decoder.info,
            legend: self.decoder.legend(),
            source: (common.several || common.apart).then_some(self.number),
            apart: common.apart,
            n: input.row.is_record().then_some(progress.epochs.records),
            row: input.row,
            span: self.spans.get(at).copied().unwrap_or_default(),
            attachments: input.attachments.as_slice(),
            activities: progress.activities(self.batch, at),
            blob: &self.batch.bytes,
            cfg: self.cfg,
            raw: input.raw.as_slice(),
            text,
            rendered,
            names,
            clock,
            before: common.before.time(clock),
            host_ns: self.host_ns,
            epoch: progress.epochs.epoch,
        }
    }

    /// Renders what is wanted of a row beside its text; the words that stand for it where that failed.
    fn details(&self, input: &RowIn<'_>, view: &DictView<'_>, more: Want, out: &mut Rendered) -> Option<String> {
        out.clear();
        if more.is_empty() || input.row.kind.is_of_host() {
            return None;
        }
        let answer = self.decoder.table.render(self.cfg, std::slice::from_ref(input), view, more, out);
        answer.err().map(|fault| not_rendered(&fault))
    }
}

/// Names as of now.
fn names<'a>(dictionary: &'a Dictionary, sink: &impl Sink) -> Names<'a> {
    let (view, short) = sink.names();
    Names { dictionary, others: &[], first: u64::MAX, fixed: true, view, short }
}

/// Time of the stamped row before, and its clock.
#[derive(Debug, Default)]
pub(super) struct Before(Option<(u64, Clock)>);

impl Before {
    /// The time in ticks of this clock.
    fn time(&self, clock: Clock) -> Option<u64> {
        self.0.filter(|b| b.1 == clock).map(|b| b.0)
    }
}
