//! Several sources: opening one more, and which of them are shown. All sources of a target are one list, merged by
//! time; each can be shown by itself too. Each list keeps its own place: cursor, filter, marks.

use std::{collections::BTreeMap, sync::Arc};

use spytui_engine::{
    link::{Link, LinkOptions, LinkSource, LinkSpec},
    list::{Filter, RowList, row_list::MOST_SOURCES},
    log::RawLog,
    plugin::{Decoder, Options},
    session::{Decoding, Session, SessionOptions},
    store::rows::BUDGET,
};
use spytui_plugin_api::Fault;

use super::{
    header::Header,
    list::List,
    places::{Spot, spot_of},
    source::{Feed, Source},
    state::{App, Mark},
};

/// Where the user was in a list that is not shown.
#[derive(Debug)]
pub struct Parked {
    rows: Option<RowList>,
    list: List,
    marks: BTreeMap<String, Mark>,
    trail: Vec<Spot>,
    trail_at: usize,
    measure_from: Option<u64>,
}

impl App {
    /// Opens a link and shows it. What is of a core joins the target shown, anything else is a target of its own.
    pub(super) fn open_link(&mut self, spec: LinkSpec) {
        let target = match spec.core {
            Some(_) => self.source().target,
            None => self.free_target(),
        };
        match self.open_source(spec, target) {
            Ok(source) => {
                self.say(format!("{} opened; ( and ) go from list to list", source.name()));
                self.sources.push(source.of_target(target));
                self.show_sources(whole_target(&self.sources, self.sources.len() - 1));
            }
            Err(error) => self.fail(error),
        }
    }

    /// The number of a target that no source is of.
    fn free_target(&self) -> usize {
        self.sources.iter().map(|s| s.target + 1).max().unwrap_or(0)
    }

    /// Opens a link with the present decoder.
    fn open_source(&self, spec: LinkSpec, target: usize) -> Result<Source, String> {
        let (core, link) = (spec.core, Link::open(spec, LinkOptions::default()).map_err(|e| e.to_string())?);
        let log = link.sources().remove(0).log;
        let session = self.session(log, link.spec().short(), core, target)?;
        Ok(Source::new(Feed::Link(Box::new(link)), session))
    }

    /// A source for another stream of a link that is open: a target of its own.
    ///
    /// # Errors
    /// What is wrong with the options, in words.
    pub fn open_peer(&self, peer: &LinkSource) -> Result<Source, String> {
        let target = self.free_target();
        let session = self.session(peer.log.clone(), peer.name.clone(), None, target)?;
        Ok(Source::new(Feed::Peer(peer.name.clone()), session).of_target(target))
    }

    fn session(&self, log: Arc<RawLog>, name: String, core: Option<u16>, target: usize) -> Result<Session, String> {
        let memory = self.config.size("store.memory").and_then(|b| usize::try_from(b).ok()).unwrap_or(BUDGET);
        let source = self.sources.iter().filter(|s| s.target == target).count() as u16;
        let settings = SessionOptions { source, core, name, memory };
        let (decoder, options) = (self.decoded.decoder.clone(), self.decoded.options.clone());
        Session::start(log, decoder, options, settings, self.wake.clone()).map_err(|fault| fault.to_string())
    }

    /// Decodes everything of the target again.
    ///
    /// # Errors
    /// What is wrong with the options together; everything goes on as it was.
    pub(super) fn switch(&self, decoder: &Arc<Decoder>, options: &Options) -> Result<(), Fault> {
        let all = whole_target(&self.sources, self.scope[0]);
        all.iter().try_for_each(|&source| self.sources[source].session.switch(decoder.clone(), options.clone()))
    }

    /// What can be shown: each target as one list, then each of its sources alone.
    #[must_use]
    pub fn lists(&self) -> Vec<Vec<usize>> {
        let mut lists: Vec<Vec<usize>> = Vec::new();
        for source in 0..self.sources.len() {
            let all = whole_target(&self.sources, source);
            if all.first() == Some(&source) {
                let alone = all.iter().filter(|_| all.len() > 1).map(|&i| vec![i]);
                lists.extend([all.clone()].into_iter().chain(alone));
            }
        }
        lists
    }

    /// Which of [`App::lists`] is shown, from 0.
    #[must_use]
    pub fn list_shown(&self) -> usize {
        self.lists().iter().position(|list| *list == self.scope).unwrap_or(0)
    }

    /// Name of a list: that of its source, or how many there are.
    pub(super) fn list_name(&self, list: &[usize]) -> String {
        match list {
            [one] => self.sources[*one].name(),
            all => format!("all {} of the target", all.len()),
        }
    }

    /// The next or previous list.
    pub(super) fn turn_source(&mut self, by: i64) {
        let lists = self.lists();
        if lists.len() < 2 {
            return self.say("there is one source; :open LINK opens another");
        }
        let next = (self.list_shown() as i64 + by).rem_euclid(lists.len() as i64) as usize;
        self.show_sources(lists[next].clone());
        self.say(format!("source {} of {}: {}", next + 1, lists.len(), self.list_name(&self.scope)));
    }

    /// Shows a list by its number or the name of its source.
    pub(super) fn show_named(&mut self, word: &str) {
        let lists = self.lists();
        let by_number = word.parse::<usize>().ok().and_then(|n| lists.get(n.checked_sub(1)?));
        let by_name = || lists.iter().find(|list| self.list_name(list) == word);
        match by_number.or_else(by_name).cloned() {
            Some(list) => self.show_sources(list),
            None => {
                let names = (1..).zip(&lists).map(|(n, list): (usize, _)| format!("{n} {}", self.list_name(list)));
                let names: Vec<String> = names.collect();
                self.fail(format!("no source {word}; there are: {}", names.join(", ")));
            }
        }
    }

    /// Shows other sources, where the user was in them.
    pub fn show_sources(&mut self, scope: Vec<usize>) {
        if scope == self.scope || scope.is_empty() {
            return;
        }
        let next = self.parked.remove(&scope).unwrap_or_else(|| self.fresh(&scope));
        let parked = Parked {
            rows: Some(self.rows.clone()),
            list: std::mem::replace(&mut self.list, next.list),
            marks: std::mem::replace(&mut self.marks, next.marks),
            trail: std::mem::replace(&mut self.trail, next.trail),
            trail_at: std::mem::replace(&mut self.trail_at, next.trail_at),
            measure_from: std::mem::replace(&mut self.measure_from, next.measure_from),
        };
        let before = std::mem::replace(&mut self.scope, scope);
        self.parked.insert(before, parked);
        let current: Vec<Arc<Decoding>> = self.shown_sources().map(Source::decoded).collect();
        match next.rows {
            Some(rows) if rows.is_of(&current) => self.take_rows(rows),
            other => {
                let spot = other.filter(|_| !self.list.follow).and_then(|rows| spot_of(&rows, self.list.cursor));
                self.take_rows(RowList::new(current));
                self.wanted = spot;
            }
        }
        (self.selected_from, self.finding) = (None, None);
    }

    fn fresh(&self, scope: &[usize]) -> Parked {
        let live = scope.iter().any(|&i| self.sources.get(i).is_some_and(|s| !s.state().is_over()));
        let mut list = List::new(live, Filter::new(self.list.filter.expr().clone()));
        (list.short, list.folding) = (self.list.short, self.list.folding);
        Parked { rows: None, list, marks: BTreeMap::new(), trail: Vec::new(), trail_at: 0, measure_from: None }
    }

    /// From now on these rows are shown; what was made from others goes.
    pub(super) fn take_rows(&mut self, rows: RowList) {
        if let Some(first) = rows.parts().first() {
            self.decoded = first.clone();
        }
        self.rebuilt = rows.rebuilt();
        (self.rows, self.wanted) = (rows, None);
        self.list.filter.reset();
        self.details = None;
        self.shown.header = Header::default();
        self.shown.names = super::dictionary::Names::default();
    }
}

/// The sources of the target that a source is of.
#[must_use]
pub fn whole_target(sources: &[Source], source: usize) -> Vec<usize> {
    let target = sources.get(source).map(|s| s.target);
    let all = (0..sources.len()).filter(|&i| sources.get(i).map(|s| s.target) == target);
    all.take(MOST_SOURCES).collect()
}
