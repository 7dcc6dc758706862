//! All targets that the arguments name on their way to one output, and the senders that join them: each is a target of
//! its own.

use std::{io, path::Path, sync::Arc};

use spytui_engine::{
    decode::core_of,
    export::stats::SourceStats,
    link::{Link, LinkKind, LinkSource},
    log::{MetaHead, RawLog, Recorder},
    plugin::{Decoder, Options},
    stream::{Pipeline, Targets},
};
use spytui_plugin_api::Source;

use super::{
    failure::Failure,
    links::{Target, recording_of, recordings, source_stats},
};

/// Opens and records senders that connect later.
#[derive(Debug)]
pub struct Peers<'a> {
    decoder: &'a Arc<Decoder>,
    options: &'a Options,
    /// Links with the number of streams that are known.
    links: Vec<(&'a Link, usize)>,
    /// Names of all sources, in the order of their numbers.
    names: Vec<String>,
    record: Option<&'a Path>,
    recorders: Vec<Recorder>,
}

impl<'a> Peers<'a> {
    /// All targets, ready to be decoded; with `record`, each source is recorded. Without `ordered`, no first pass over
    /// files is made.
    ///
    /// # Errors
    /// The options do not fit together (2), or a file cannot be read or created (3).
    pub fn new(
        targets: &'a [Target],
        decoder: &'a Arc<Decoder>,
        options: &'a Options,
        record: Option<&'a Path>,
        ordered: bool,
    ) -> Result<(Peers<'a>, Targets), Failure> {
        let links: Vec<(&Link, usize)> = targets.iter().flat_map(|t| &t.links).map(|link| (link, 1)).collect();
        let names = targets.iter().flat_map(|t| t.names.iter().cloned()).collect();
        let mut peers = Peers { decoder, options, links, names, record, recorders: Vec::new() };
        let mut flows = Targets::default();
        let cores: Vec<Option<u16>> = peers.links.iter().map(|(link, _)| link.spec().core).collect();
        let logs = targets.iter().flat_map(|t| &t.logs);
        for (path, log) in record.map(|path| recordings(path, &cores)).unwrap_or_default().iter().zip(logs) {
            peers.record(log, path).map_err(Failure::input)?;
        }
        for target in targets {
            let pipeline = match ordered {
                true => target.pipeline(decoder, options, &[])?,
                false => Pipeline::open(decoder, options, &target.sources(&decoder.info)).map_err(Failure::usage)?,
            };
            flows.add(pipeline, &target.logs);
        }
        Ok((peers, flows))
    }

    /// `true` if there are or may be several sources.
    pub fn several(&self) -> bool {
        self.links.len() > 1 || self.links.iter().any(|(link, _)| matches!(link.spec().kind, LinkKind::Udp(_)))
    }

    /// Adds senders that have connected.
    ///
    /// # Errors
    /// The decoder does not open, or there is no file to record to.
    pub fn grow(&mut self, flows: &mut Targets) -> io::Result<()> {
        for at in 0..self.links.len() {
            let Some((link, known)) = self.links.get_mut(at) else { break };
            let joined: Vec<LinkSource> = link.sources().into_iter().skip(*known).collect();
            *known += joined.len();
            joined.iter().try_for_each(|peer| self.add(peer, flows))?;
        }
        Ok(())
    }

    fn add(&mut self, peer: &LinkSource, flows: &mut Targets) -> io::Result<()> {
        let index = self.names.len() as u16;
        let core = core_of(&self.decoder.info, peer.core, index);
        let source = Source { index, core, target: index, name: peer.name.as_str().into() };
        let pipeline =
            Pipeline::open(self.decoder, self.options, &[source]).map_err(|f| io::Error::other(f.to_string()))?;
        if let Some(path) = self.record {
            self.record(&peer.log, &recording_of(path, index))?;
        }
        flows.add(pipeline, std::slice::from_ref(&peer.log));
        self.names.push(peer.name.clone());
        Ok(())
    }

    fn record(&mut self, log: &Arc<RawLog>, path: &Path) -> io::Result<()> {
        let decoder = self.decoder.info.id.to_string();
        let head = MetaHead { decoder, options: self.options.to_keep(&self.decoder.info), ..MetaHead::default() };
        self.recorders.push(Recorder::start(log.clone(), path, head).map_err(io::Error::other)?);
        Ok(())
    }

    /// Counters of each source.
    pub fn stats(&self, flows: &Targets) -> Vec<SourceStats> {
        let sources = flows.iter().flat_map(|pipeline| (0..pipeline.sources()).map(move |source| (pipeline, source)));
        sources.zip(&self.names).map(|((pipeline, source), name)| source_stats(pipeline, source, name)).collect()
    }
}
