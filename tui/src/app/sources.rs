//! Several sources: opening one more, and which of them is shown. Each keeps its own place: cursor, filter, marks.

use std::collections::BTreeMap;

use spytui_engine::{
    link::{Link, LinkOptions, LinkSource, LinkSpec},
    log::RawLog,
    session::{Filter, Session, SessionOptions},
    store::rows::BUDGET,
};

use super::{
    header::Header,
    list::List,
    source::{Feed, Source},
    state::{App, Mark},
};

/// Where the user was in a source that is not shown.
#[derive(Debug)]
pub struct Parked {
    list: List,
    marks: BTreeMap<String, Mark>,
    trail: Vec<u64>,
    trail_at: usize,
    measure_from: Option<u64>,
}

impl App {
    /// Opens a link and shows it.
    pub(super) fn open_link(&mut self, spec: LinkSpec) {
        match self.open_source(spec) {
            Ok(source) => {
                self.say(format!("{} opened; ( and ) go from source to source", source.name()));
                self.sources.push(source);
                self.show_source(self.sources.len() - 1);
            }
            Err(error) => self.fail(error),
        }
    }

    /// Opens a link with the present decoder.
    fn open_source(&self, spec: LinkSpec) -> Result<Source, String> {
        let link = Link::open(spec, LinkOptions::default()).map_err(|e| e.to_string())?;
        let log = link.sources().remove(0).log;
        let session = self.session(log, link.spec().short())?;
        Ok(Source::new(Feed::Link(Box::new(link)), session))
    }

    /// A source for another stream of a link that is open.
    ///
    /// # Errors
    /// What is wrong with the options, in words.
    pub fn open_peer(&self, peer: &LinkSource) -> Result<Source, String> {
        let session = self.session(peer.log.clone(), peer.name.clone())?;
        Ok(Source::new(Feed::Peer(peer.name.clone()), session))
    }

    fn session(&self, log: std::sync::Arc<RawLog>, name: String) -> Result<Session, String> {
        let memory = self.config.size("store.memory").and_then(|b| usize::try_from(b).ok()).unwrap_or(BUDGET);
        let settings = SessionOptions { source: self.sources.len() as u16, core: None, name, memory };
        let (decoder, options) = (self.decoded.decoder.clone(), self.decoded.options.clone());
        Session::start(log, decoder, options, settings, self.wake.clone()).map_err(|fault| fault.to_string())
    }

    /// The next or previous source.
    pub(super) fn turn_source(&mut self, by: i64) {
        let count = self.sources.len();
        if count < 2 {
            return self.say("there is one source; :open LINK opens another");
        }
        self.show_source((self.active as i64 + by).rem_euclid(count as i64) as usize);
        self.say(format!("source {} of {count}: {}", self.active + 1, self.source().name()));
    }

    /// Shows a source by its number or name.
    pub(super) fn show_named(&mut self, word: &str) {
        let by_number = word.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).filter(|&n| n < self.sources.len());
        let by_name = || self.sources.iter().position(|s| s.name() == word);
        match by_number.or_else(by_name) {
            Some(index) => self.show_source(index),
            None => {
                let list: Vec<String> =
                    (1..).zip(&self.sources).map(|(n, s): (usize, _)| format!("{n} {}", s.name())).collect();
                self.fail(format!("no source {word}; there are: {}", list.join(", ")));
            }
        }
    }

    /// Shows another source, where the user was in it.
    pub fn show_source(&mut self, index: usize) {
        let index = index.min(self.sources.len() - 1);
        if index == self.active {
            return;
        }
        let next = self.parked.remove(&index).unwrap_or_else(|| self.fresh(index));
        let parked = Parked {
            list: std::mem::replace(&mut self.list, next.list),
            marks: std::mem::replace(&mut self.marks, next.marks),
            trail: std::mem::replace(&mut self.trail, next.trail),
            trail_at: std::mem::replace(&mut self.trail_at, next.trail_at),
            measure_from: std::mem::replace(&mut self.measure_from, next.measure_from),
        };
        self.parked.insert(self.active, parked);
        self.active = index;
        let current = self.source().decoded();
        self.take_decoding(current);
        (self.selected_from, self.finding) = (None, None);
    }

    fn fresh(&self, index: usize) -> Parked {
        let live = self.sources.get(index).is_some_and(|s| !s.state().is_over());
        let mut list = List::new(live, Filter::new(self.list.filter.expr().clone()));
        (list.short, list.fold_equal) = (self.list.short, self.list.fold_equal);
        Parked { list, marks: BTreeMap::new(), trail: Vec::new(), trail_at: 0, measure_from: None }
    }

    /// From now on this decoding is shown; what was made from another one goes.
    pub(super) fn take_decoding(&mut self, decoded: std::sync::Arc<spytui_engine::session::Decoded>) {
        self.decoded = decoded;
        self.list.filter.reset();
        self.details = None;
        self.shown.header = Header::default();
        self.shown.names = super::dictionary::Names::default();
    }
}
