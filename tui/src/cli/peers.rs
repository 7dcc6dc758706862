//! All targets that the arguments name on their way to one output, and the senders that join them: each is a target of
//! its own.

use std::{io, sync::Arc};

use spytui_engine::{
    decode::core_of,
    export::stats::SourceStats,
    io::link::{Link, LinkKind, LinkSource},
    open::{Decoder, Options},
    trace::stream::{TargetStart, Targets},
};
use spytui_plugin_api::Source;

use super::{
    failure::{self, Failure},
    links::{Target, source_stats},
    no_frame::{self, Watched},
    recordings::{Recordings, Subject},
};
use crate::recording::{self, SourceName};

/// Opens and records senders that connect later.
#[derive(Debug)]
pub struct Peers<'a> {
    decoder: &'a Arc<Decoder>,
    options: &'a Options,
    /// Links with the number of streams that are known.
    links: Vec<(&'a Link, usize)>,
    /// Names of all sources, in the order of their numbers.
    names: Vec<String>,
    recordings: Option<Recordings>,
    /// Whether frames are valid, of each source.
    watched: Vec<Watched>,
}

impl<'a> Peers<'a> {
    /// All targets, ready to be decoded; senders that join are recorded if the others are. Without `ordered`, no first
    /// pass over files is made.
    ///
    /// # Errors
    /// The options do not fit together (2), or a file cannot be read or created (3).
    pub fn new(
        targets: &'a [Target],
        decoder: &'a Arc<Decoder>,
        options: &'a Options,
        recordings: Option<Recordings>,
        ordered: bool,
    ) -> Result<(Peers<'a>, Targets), Failure> {
        let links: Vec<(&Link, usize)> = targets.iter().flat_map(|t| &t.links).map(|link| (link, 1)).collect();
        let names = targets.iter().flat_map(|t| t.names.iter().cloned()).collect();
        let peers = Peers { decoder, options, links, names, recordings, watched: Vec::new() };
        let mut flows = Targets::default();
        for target in targets {
            flows.add(target.start(decoder, options, ordered)?);
        }
        Ok((peers, flows))
    }

    /// `true` if there are or may be several sources.
    pub fn several(&self) -> bool {
        self.links.len() > 1 || self.links.iter().any(|(link, _)| matches!(link.spec().kind, LinkKind::Udp(_)))
    }

    /// Adds senders that have connected, and reports what is new.
    ///
    /// # Errors
    /// The decoder does not open.
    pub fn grow(&mut self, flows: &mut Targets) -> io::Result<()> {
        for at in 0..self.links.len() {
            let Some((link, known)) = self.links.get_mut(at) else { break };
            let joined: Vec<LinkSource> = link.sources().into_iter().skip(*known).collect();
            *known += joined.len();
            let spec = link.spec().to_string();
            for peer in &joined {
                self.record(peer, &spec);
                self.add(peer, flows)?;
            }
        }
        flows.take_notes().iter().for_each(failure::say);
        self.look_for_frames(flows);
        Ok(())
    }

    /// Says where no frame is valid of what comes on a link.
    fn look_for_frames(&mut self, flows: &Targets) {
        self.watched.resize_with(self.names.len(), Watched::default);
        let (links, id) = (&self.links, self.decoder.info.id.as_str());
        for (at, (watched, (log, counters))) in self.watched.iter_mut().zip(flows.sources()).enumerate() {
            let (link, name) = (links.get(at).map(|(link, _)| *link), self.names.get(at));
            let (Some(counters), Some(name), true) = (counters, name, link.is_none_or(Link::is_live)) else { continue };
            watched.look(counters, || no_frame::line(link, log, name, Some(id)));
        }
    }

    /// Says what failed of the recordings since the last look.
    pub fn look(&mut self) {
        if let Some(recordings) = &mut self.recordings {
            recordings.look();
        }
    }

    /// Writes the rest of all recordings, also of senders that came a moment before the end; the exit code of the run.
    pub fn finish(mut self, code: u8) -> u8 {
        for at in 0..self.links.len() {
            let Some((link, known)) = self.links.get(at) else { break };
            let spec = link.spec().to_string();
            for peer in &link.sources().split_off(*known) {
                self.record(peer, &spec);
                self.names.push(peer.name.clone());
            }
        }
        let Some(mut recordings) = self.recordings else { return code };
        recordings.finish();
        recordings.code(code)
    }

    fn add(&mut self, peer: &LinkSource, flows: &mut Targets) -> io::Result<()> {
        let index = self.names.len() as u16;
        let core = core_of(&self.decoder.info, peer.core, index);
        let source = Source { index, core };
        let logs = std::slice::from_ref(&peer.log);
        let start = TargetStart::new(self.decoder, self.options, &peer.name, &[source], logs);
        flows.add(start.map_err(|fault| io::Error::other(fault.to_string()))?.live(true));
        self.names.push(peer.name.clone());
        Ok(())
    }

    /// Records a sender that joined; its number is that of the source to be added.
    fn record(&mut self, peer: &LinkSource, spec: &str) {
        let Some(recordings) = &mut self.recordings else { return };
        let head = recording::head(
            spec.to_owned(),
            self.decoder.formatting.lines().text(),
            Some(&(self.decoder.clone(), self.options.clone())),
        );
        let subject = Subject { name: SourceName::of_word(&peer.name), log: peer.log.clone(), head };
        recordings.join(self.names.len() as u16, subject);
    }

    /// Counters of each source.
    pub fn stats(&self, flows: &Targets) -> Vec<SourceStats> {
        let sources = flows.iter().flat_map(|pipeline| (0..pipeline.sources()).map(move |source| (pipeline, source)));
        sources.zip(&self.names).map(|((pipeline, source), name)| source_stats(pipeline, source, name)).collect()
    }
}
