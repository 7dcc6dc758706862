//! The streams of several sources of one target as one: each is fed as far as the order needs it, names are shared.

use std::{io, sync::Arc};

use spytui_plugin_api::{Fault, Source};

use super::{
    sink::Sink,
    strand::{Common, Strand},
    survey::Survey,
};
use crate::{
    analysis::spread::Table,
    log::SideMark,
    merge::{Head, Key, Scales, Stamp, Stamps, next},
    plugin::{Decoder, Options},
    session::learn::Learnt,
    store::{Counters, Dictionary},
};

/// Several sources on their way to one sink.
#[derive(Debug)]
pub struct Merged {
    strands: Vec<Strand>,
    stamps: Vec<Stamps>,
    heads: Vec<Head>,
    /// By epoch where a first pass has found the clocks out, else one for now.
    scales: Vec<Scales>,
    surveyed: bool,
    common: Common,
}

impl Merged {
    /// Opens the decoder for each source.
    ///
    /// # Errors
    /// What is wrong with the options together.
    pub fn open(decoder: &Arc<Decoder>, options: &Options, sources: &[Source<'_>]) -> Result<Merged, Fault> {
        let strands: Result<Vec<Strand>, Fault> =
            sources.iter().map(|source| Strand::open(decoder.clone(), options, source)).collect();
        Ok(Merged {
            strands: strands?,
            stamps: vec![Stamps::new(&decoder.info); sources.len()],
            heads: vec![Head::Silent; sources.len()],
            scales: vec![Scales::default()],
            surveyed: false,
            common: Common::new(decoder, sources.len() > 1),
        })
    }

    /// Takes over what a first pass has found out: rates that are told late hold for what came before.
    pub fn set_survey(&mut self, survey: &Survey) {
        self.scales = survey.scales();
        self.surveyed = true;
        for (source, strand) in self.strands.iter_mut().enumerate() {
            strand.set_clocks(survey.clocks(source));
        }
    }

    /// Takes over what each source tells late, before anything is fed; see [`crate::session::learn`].
    pub fn set_learnt(&mut self, learnt: &[Learnt]) {
        self.strands.iter_mut().zip(learnt).for_each(|(strand, learnt)| strand.set_learnt(learnt));
    }

    /// The counters of a source so far.
    #[must_use]
    pub fn counters(&self, source: usize) -> Option<&Counters> {
        self.strands.get(source).map(Strand::counters)
    }

    /// What the decoder measured, of all sources, with the names as of now.
    #[must_use]
    pub fn spreads(&self) -> Vec<Table> {
        self.strands.first().map_or_else(Vec::new, |strand| self.common.spreads(strand.info()))
    }

    /// The names as of now, of all sources.
    #[must_use]
    pub fn dictionary(&self) -> &Dictionary {
        &self.common.dictionary
    }

    /// The first fault of a decoder that failed.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.strands.iter().find_map(Strand::fault)
    }

    /// Whether all rows of a source are handed on, and more may come.
    #[must_use]
    pub fn wants(&self, source: usize) -> bool {
        self.heads.get(source) == Some(&Head::Silent)
    }

    /// Whether no source has anything left.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.heads.iter().all(|head| *head == Head::Ended)
    }

    /// Whether there are rows that wait for a source that is silent.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.heads.iter().any(|head| matches!(head, Head::Row(_)))
    }

    /// Feeds a source that [`Merged::wants`] it: at most [`spytui_plugin_api::chunk::MAX_CHUNK`] bytes.
    pub fn feed(&mut self, source: usize, pos: u64, bytes: &[u8], marks: &[SideMark], sink: &impl Sink) {
        if !self.wants(source) {
            return;
        }
        let Some(strand) = self.strands.get_mut(source) else { return };
        strand.skip_to(pos);
        strand.decode(bytes, marks, sink, &mut self.common);
        self.heads[source] = self.head(source, 0);
        self.follow_clocks();
    }

    /// Nothing more comes from a source that wanted more.
    pub fn end(&mut self, source: usize) {
        if self.wants(source) {
            self.heads[source] = Head::Ended;
        }
    }

    fn head(&mut self, source: usize, row: usize) -> Head {
        match self.strands[source].batch().rows.get(row) {
            Some(row) => Head::Row(self.stamps[source].of(row)),
            None => Head::Silent,
        }
    }

    /// Hands on all rows whose turn it is. Rows of a source that is `due` do not wait for those that are silent.
    /// `true` = some were.
    ///
    /// # Errors
    /// What the sink said.
    pub fn advance(&mut self, sink: &mut impl Sink, due: impl Fn(usize) -> bool) -> io::Result<bool> {
        let mut any = false;
        while let Some(source) = self.next(&due) {
            if self.strands.len() == 1 {
                // Alone it has no order to keep.
                self.heads[source] = Head::Silent;
                self.strands[source].render(usize::MAX, &mut self.common, sink)?;
                return Ok(true);
            }
            let mut upto = self.strands[source].next();
            while self.next(&due) == Some(source) {
                upto += 1;
                self.heads[source] = self.head(source, upto);
            }
            self.strands[source].render(upto, &mut self.common, sink)?;
            self.follow_clocks();
            any = true;
        }
        Ok(any)
    }

    fn next(&self, due: &impl Fn(usize) -> bool) -> Option<usize> {
        next(&self.heads, |source, stamp| self.key(source, stamp), due)
    }

    fn key(&self, source: usize, stamp: Stamp) -> Key {
        let scales = self.scales.get(stamp.epoch as usize).or(self.scales.last());
        scales.map_or((stamp.epoch, None), |s| s.key(source, stamp))
    }

    /// Without a first pass rates hold from when they are told.
    fn follow_clocks(&mut self) {
        if self.surveyed {
            return;
        }
        let clocks: Vec<_> = self.strands.iter().map(Strand::clock).collect();
        self.common.clock = clocks.iter().copied().find(|c| c.known()).unwrap_or_default();
        self.scales = vec![Scales::new(&clocks)];
    }
}
