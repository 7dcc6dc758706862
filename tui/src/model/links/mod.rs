//! The sources: open links, and which of them are shown. All sources of a target are one list, merged by time; each can
//! also be shown alone, and all targets together in the order of arrival. Each list keeps its own cursor, filter and
//! marks.

mod autodetect;

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    decode::{
        Quality,
        quality::{NoFrame, SourceFacts, Suspect},
    },
    device::{
        control::{Control, TargetStatus},
        front_end::FrontEndStatus,
        traffic::Traffic,
    },
    io::{
        link::{LinkCounters, LinkEvent, LinkFacts, LinkKind, LinkSpec, LinkState},
        log::{RawLog, RecordState},
    },
    open::{Options, Registry},
    present::{clock::grouped, sanitise_text},
    store::rows::BUDGET,
    trace::{
        list::{Filter, RowList, row_list::MOST_SOURCES},
        session::Decoding,
    },
};

use super::{DecodeRequest, Effect, Model, list::List};
use crate::app_log::LogLevel;

pub use autodetect::{Autodetect, ask_decoders, follow as follow_autodetect, take_decoder, take_likely, take_sizes};

/// Name of the decoder of consoles.
pub const CONSOLE: &str = "console";

pub struct Links {
    pub registry: Arc<Registry>,
    pub sources: Vec<Source>,
    /// Indices of the sources shown, as one list.
    pub scope: Vec<usize>,
    /// The source that commands are for: the first one shown; with several targets, that of the row under the cursor.
    pub focus: usize,
    /// Lists not shown, as the user left them.
    pub(in crate::model) saved_views: HashMap<Vec<usize>, List>,
    /// Memory for the rows of a source, bytes.
    pub memory: usize,
}

impl Links {
    /// Shows the first target.
    pub fn new(registry: Arc<Registry>, sources: Vec<Source>) -> Links {
        let scope = whole_target(&sources, 0);
        let focus = scope.first().copied().unwrap_or_default();
        Links { registry, sources, scope, focus, saved_views: HashMap::new(), memory: BUDGET }
    }

    pub fn addressed(&self) -> &Source {
        &self.sources[self.focus]
    }

    pub fn addressed_mut(&mut self) -> &mut Source {
        &mut self.sources[self.focus]
    }

    /// Whether several targets are shown.
    pub fn is_joint(&self) -> bool {
        self.are_joint(&self.scope)
    }

    pub fn shown(&self) -> impl DoubleEndedIterator<Item = &Source> + Clone {
        self.scope.iter().map(|&source| &self.sources[source])
    }

    pub fn decodings(&self) -> Vec<Arc<Decoding>> {
        self.shown().map(|source| source.decoding().clone()).collect()
    }

    /// Their rows as one list; other sources of the target also provide names.
    pub fn rows(&self) -> RowList {
        if self.is_joint() {
            return RowList::joint(self.decodings());
        }
        RowList::new(self.decodings()).with_related(self.related())
    }

    /// `true` if the list shows the current decodings, with names from the target's others.
    pub fn are_in(&self, rows: &RowList) -> bool {
        rows.is_of(&self.decodings()) && (rows.is_joint || rows.has_related(&self.related()))
    }

    /// The decodings of the target's sources that are not shown.
    fn related(&self) -> Vec<Arc<Decoding>> {
        let hidden = self.target_shown().into_iter().filter(|source| !self.scope.contains(source));
        hidden.map(|source| self.sources[source].decoding().clone()).collect()
    }

    /// `true` if all sources shown have ended.
    pub fn is_over(&self) -> bool {
        self.shown().all(|source| source.status.state.is_over())
    }

    pub fn target_shown(&self) -> Vec<usize> {
        whole_target(&self.sources, self.focus)
    }

    /// All possible lists: each target as one list, then each of its sources alone; at last all targets.
    pub fn lists(&self) -> Vec<Vec<usize>> {
        let mut lists: Vec<Vec<usize>> = Vec::new();
        let every: Vec<usize> = (0..self.sources.len()).take(MOST_SOURCES).collect();
        for source in 0..self.sources.len() {
            let all = whole_target(&self.sources, source);
            if all.first() == Some(&source) {
                let alone = all.iter().filter(|_| all.len() > 1).map(|&i| vec![i]);
                lists.extend([all.clone()].into_iter().chain(alone));
            }
        }
        if !lists.contains(&every) {
            lists.push(every);
        }
        lists
    }

    /// Index of the list shown in [`Links::lists`].
    pub fn list_shown(&self) -> usize {
        self.lists().iter().position(|list| *list == self.scope).unwrap_or(0)
    }

    /// Name of a list: that of its source, or the number of sources.
    pub fn list_name(&self, list: &[usize]) -> String {
        match list {
            [one] => self.sources[*one].name(),
            all if self.are_joint(all) => format!("all {} of every target", all.len()),
            all => format!("all {} of the target", all.len()),
        }
    }

    /// Position of a list among all sources: `source 2 of 2, #1` (its rows are `#1:300`), `all sources`.
    pub fn list_place(&self, list: &[usize]) -> String {
        match list {
            [one] => format!("source {} of {}, #{one}", one + 1, self.sources.len()),
            all if self.are_joint(all) => format!("all targets, at {}", self.addressed().name()),
            _ => "all sources".to_owned(),
        }
    }

    fn are_joint(&self, list: &[usize]) -> bool {
        let target = |source: &usize| self.sources.get(*source).map(|source| source.target);
        list.iter().any(|source| target(source) != list.first().and_then(target))
    }

    pub fn free_target(&self) -> usize {
        self.sources.iter().map(|s| s.target + 1).max().unwrap_or(0)
    }

    /// The request for another source of a target, with the current decoder.
    pub fn decode_request(&self, target: usize, decoding: &Decoding) -> DecodeRequest {
        let source = self.sources.iter().filter(|s| s.target == target).count() as u16;
        let (decoder, options): (_, Options) = (decoding.decoder.clone(), decoding.options.clone());
        DecodeRequest { decoder, options, target, source, memory: self.memory }
    }
}

pub fn whole_target(sources: &[Source], source: usize) -> Vec<usize> {
    let target = sources.get(source).map(|s| s.target);
    let all = (0..sources.len()).filter(|&i| sources.get(i).map(|s| s.target) == target);
    all.take(MOST_SOURCES).collect()
}

/// Closes the sources of a list, by number or name; without a word, those shown.
pub fn close(model: &mut Model, word: Option<&str>) {
    let list = match word.map(|word| list_named(model, word)) {
        None => model.links.scope.clone(),
        Some(Ok(list)) => list,
        Some(Err(error)) => return model.fail(error),
    };
    if list.len() >= model.links.sources.len() {
        return model.fail("no source would be left; :q quits");
    }
    model.ask_for(Effect::Close(list));
}

/// Removes closed sources, given sorted without duplicates.
pub fn remove(model: &mut Model, closed: &[usize]) {
    let names: Vec<String> = closed.iter().filter_map(|&i| Some(model.links.sources.get(i)?.name())).collect();
    let is_left = |list: &Vec<usize>| !list.iter().any(|source| closed.contains(source));
    if !is_left(&model.links.scope) {
        let lists = model.links.lists();
        let at = model.links.list_shown();
        let before = lists.iter().take(at).rev().find(|list| is_left(list));
        let next = before.or_else(|| lists.iter().skip(at).find(|list| is_left(list))).cloned();
        // The last source is never closed. If a part of a target remains, that is shown.
        let rest = || (0..model.links.sources.len()).filter(|source| !closed.contains(source)).take(1).collect();
        let next = next.unwrap_or_else(rest);
        show(model, next);
    }
    let links: &mut Links = &mut model.links;
    links.scope.iter_mut().for_each(|source| *source = renumbered(*source, closed));
    links.focus = renumbered(links.focus, closed);
    let views = std::mem::take(&mut links.saved_views).into_iter().filter(|(list, _)| is_left(list));
    links.saved_views =
        views.map(|(list, view)| (list.into_iter().map(|source| renumbered(source, closed)).collect(), view)).collect();
    for &source in closed.iter().rev() {
        links.sources.remove(source);
    }
    let scan = model.jobs.baud_scan.take().filter(|scan| !closed.contains(&scan.source));
    if let Some(mut scan) = scan {
        scan.source = renumbered(scan.source, closed);
        model.jobs.baud_scan = Some(scan);
    }
    model.say(format!("{} closed", names.join(", ")));
}

/// Number of a source after others were closed.
pub fn renumbered(source: usize, closed: &[usize]) -> usize {
    source - closed.iter().filter(|one| **one < source).count()
}

/// Opens a link and shows it. A link with a core joins the target shown; any other is a separate target.
pub fn open(model: &mut Model, spec: LinkSpec) {
    let target = match spec.core {
        Some(_) => model.links.addressed().target,
        None => model.links.free_target(),
    };
    let is_trace = |source: &&Source| !source.is_console();
    let like = model.links.shown().chain(&model.links.sources).find(is_trace).unwrap_or(model.links.addressed());
    let decode = model.links.decode_request(target, like.decoding());
    model.ask_for(Effect::OpenLink(spec, decode));
}

/// Another sender of a link with several streams: a separate target.
pub fn open_peer(model: &mut Model, source: usize, index: usize) {
    if index == 0 {
        return;
    }
    let Some(sender) = model.links.sources.get(source) else { return };
    let decode = model.links.decode_request(model.links.free_target(), sender.decoding());
    model.ask_for(Effect::OpenPeer { source, index, decode });
}

pub fn add(model: &mut Model, mut source: Source, peer: bool) {
    let name = source.name();
    if !source.autodetect.is_to_choose() && !source.is_console() {
        source.autodetect = model.links.addressed().autodetect.beside();
    }
    model.links.sources.push(source);
    if peer {
        return model.say(format!("{name}: new source; ) shows the next one"));
    }
    model.say(format!("{name} opened; ( and ) switch sources"));
    show(model, whole_target(&model.links.sources, model.links.sources.len() - 1));
    model.ask_for(Effect::Resume(model.links.scope.clone()));
}

pub fn turn(model: &mut Model, by: i64) {
    let lists = model.links.lists();
    if lists.len() < 2 {
        return model.say("only one source; :open LINK opens another");
    }
    let next = (model.links.list_shown() as i64 + by).rem_euclid(lists.len() as i64) as usize;
    show(model, lists[next].clone());
    let place = model.links.list_place(&model.links.scope);
    let name = match model.links.scope.as_slice() {
        [_] => format!(": {}", model.links.list_name(&model.links.scope)),
        _ => String::new(),
    };
    model.say(format!("{place}{name}"));
}

/// The word for all sources of the target shown.
const ALL: &str = "all";
/// The word for all targets.
const TARGETS: &str = "targets";

/// The word for a list in `:source`.
pub fn list_word(links: &Links, list: &[usize]) -> String {
    match list {
        [one] => (one + 1).to_string(),
        all if links.are_joint(all) => TARGETS.to_owned(),
        _ => ALL.to_owned(),
    }
}

/// The list with a number or name.
pub fn list_named(model: &Model, word: &str) -> Result<Vec<usize>, String> {
    let lists = model.links.lists();
    let all = (word == ALL).then(|| model.links.target_shown());
    let number = word.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let every = (word == TARGETS).then(|| lists.last().cloned()).flatten();
    let wanted = all.or(every).or_else(|| number.map(|source| vec![source]));
    let by_number = wanted.and_then(|wanted| lists.iter().find(|list| **list == wanted));
    let by_name = || lists.iter().find(|list| model.links.list_name(list) == word);
    by_number.or_else(by_name).cloned().ok_or_else(|| {
        let name = |list: &Vec<usize>| format!("{} {}", list_word(&model.links, list), model.links.list_name(list));
        let names: Vec<String> = lists.iter().map(name).collect();
        format!("unknown source {word}; available: {}", names.join(", "))
    })
}

/// Shows other sources, at the position where the user left them.
pub fn show(model: &mut Model, scope: Vec<usize>) {
    if scope == model.links.scope || scope.is_empty() {
        return;
    }
    let saved = model.links.saved_views.remove(&scope);
    let before = std::mem::replace(&mut model.links.scope, scope);
    let next = saved.unwrap_or_else(|| fresh(model, model.links.rows()));
    let left = std::mem::replace(&mut model.list, next);
    model.links.saved_views.insert(before, left);
    follow_cursor(model);
    model.panes.follow_targets(model.links.is_joint());
    if model.links.are_in(&model.list.rows) {
        take_rows(model, model.list.rows.clone());
    } else {
        let cursor = model.list.page.cursor;
        let position = if model.list.page.follow { None } else { model.list.position_of(cursor) };
        let rows = model.links.rows();
        take_rows(model, rows);
        model.list.wanted = position;
    }
    model.list.selected_from = None;
    model.jobs.searching = None;
}

/// Addresses the source of the row under the cursor, if several targets are shown; not while a line is typed.
pub fn follow_cursor(model: &mut Model) {
    let joint = model.list.rows.is_joint && model.links.is_joint();
    if model.prompt.line.is_some() && model.links.scope.contains(&model.links.focus) {
        return;
    }
    let row = || model.list.rows.locate(model.list.row_here()).map(|(part, _)| part);
    model.list.focus = joint.then(row).flatten().unwrap_or_default();
    model.links.focus = model.links.scope.get(model.list.focus).copied().unwrap_or_default();
}

/// A new list with the settings of the current one.
fn fresh(model: &Model, rows: RowList) -> List {
    let page = &model.list.page;
    let mut list = List::new(rows, !model.links.is_over(), Filter::new(page.filter.expr().clone()));
    (list.page.short, list.page.collapse) = (page.short, page.collapse);
    list
}

/// Replaces the rows shown, and forgets everything derived from the old ones.
pub fn take_rows(model: &mut Model, rows: RowList) {
    model.list.take_rows(rows);
    model.screen.forget_rows();
    model.panes.forget_rows();
}

#[derive(Debug, Clone)]
pub enum SourceOrigin {
    Link(LinkSpec),
    /// A further stream, by name, of another source's link.
    Peer(String),
}

#[derive(Debug, Clone)]
pub struct SourceStatus {
    /// The decoding to show; replaced by a switch.
    pub decoding: Arc<Decoding>,
    pub state: LinkState,
    pub facts: LinkFacts,
    pub counters: LinkCounters,
    /// Advice while nothing is received.
    pub hint: Option<String>,
    pub recording: Option<RecordState>,
    pub control: Option<Arc<Control>>,
    pub way_back: WayBack,
    pub target: Arc<TargetStatus>,
    pub front_end: Option<FrontEndStatus>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WayBack {
    Never,
    NotNow(String),
    Open,
}

#[derive(Debug)]
pub struct Source {
    /// Number of the target, whose sources are shown as one list.
    pub(in crate::model) target: usize,
    origin: SourceOrigin,
    pub status: SourceStatus,
    pub(in crate::model) opened: Instant,
    pub(in crate::model) rate: DataRate,
    /// Traffic of each kind of record, and losses.
    pub traffic: Traffic,
    pub(in crate::model) quality: Quality,
    pub autodetect: Autodetect,
}

impl Source {
    /// Whether it is a console, which has no protocol.
    pub fn is_console(&self) -> bool {
        self.decoding().decoder.info.id == CONSOLE
    }

    pub fn new(target: usize, origin: SourceOrigin, status: SourceStatus, opened: Instant) -> Source {
        Source {
            target,
            origin,
            status,
            opened,
            rate: DataRate::default(),
            traffic: Traffic::default(),
            quality: Quality::default(),
            autodetect: Autodetect::default(),
        }
    }

    pub fn link(&self) -> Option<&LinkSpec> {
        match &self.origin {
            SourceOrigin::Link(spec) => Some(spec),
            SourceOrigin::Peer(_) => None,
        }
    }

    /// Name of the link in the header.
    pub fn name(&self) -> String {
        let name = match &self.origin {
            SourceOrigin::Link(spec) => match &spec.kind {
                LinkKind::Serial(serial) => {
                    let path = &serial.path;
                    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
                }
                _ => spec.short(),
            },
            SourceOrigin::Peer(name) => name.clone(),
        };
        sanitise_text(&name).into_owned()
    }

    pub fn decoding(&self) -> &Arc<Decoding> {
        &self.status.decoding
    }

    pub fn log(&self) -> &Arc<RawLog> {
        &self.status.decoding.log
    }

    /// Bytes since the last record, ignoring chance hits; `None` while records arrive or too little was received.
    pub fn bytes_without_record(&self) -> Option<u64> {
        let fed = self.decoding().read().counters.fed;
        self.quality.bytes_without_record(fed)
    }

    /// Restarts the measurement of quality.
    pub fn begin_anew(&mut self) {
        self.quality.begin_anew(&self.status.decoding.read().counters);
    }

    pub fn sample(&mut self, now: Instant) {
        let state = self.status.decoding.read();
        self.quality.sample(&state.counters);
        let records = state.counters.rows.records;
        drop(state);
        let bytes = self.log().len();
        self.rate.sample(now, bytes, records);
        self.traffic.sample(now, &self.status.decoding);
    }
}

const EVERY: Duration = Duration::from_millis(500);
/// Samples that rates are averaged over.
const SPAN: usize = 4;

/// Bytes and records per second, over the last two seconds.
#[derive(Debug, Default)]
pub struct DataRate {
    samples: Vec<(Instant, u64, u64)>,
    pub(in crate::model) bytes: u64,
    pub(in crate::model) records: u64,
}

impl DataRate {
    fn sample(&mut self, now: Instant, bytes: u64, records: u64) {
        if self.samples.last().is_some_and(|s| now.duration_since(s.0) < EVERY) {
            return;
        }
        self.samples.push((now, bytes, records));
        if self.samples.len() > SPAN + 1 {
            self.samples.remove(0);
        }
        let (first, last) = (self.samples[0], self.samples[self.samples.len() - 1]);
        let seconds = last.0.duration_since(first.0).as_secs_f64();
        if seconds > 0.0 {
            self.bytes = (last.1.saturating_sub(first.1) as f64 / seconds) as u64;
            self.records = (last.2.saturating_sub(first.2) as f64 / seconds) as u64;
        }
    }
}

/// Adopts the status of the sources, in order.
pub fn take_status(model: &mut Model, statuses: Vec<SourceStatus>) {
    let (mut failures, mut ended) = (Vec::new(), Vec::new());
    for (source, status) in model.links.sources.iter_mut().zip(statuses) {
        let failure = |status: &SourceStatus| status.recording.as_ref().and_then(RecordState::failure).cloned();
        let fresh = failure(&status).filter(|fresh| Some(fresh) != failure(&source.status).as_ref());
        failures.extend(fresh.map(|failure| (source.name(), failure)));
        let before = &source.status.target.commands;
        let was_over = |number| before.iter().any(|command| command.number == number && command.state.is_over());
        let over = status.target.commands.iter().filter(|command| command.state.is_over());
        ended.extend(over.filter(|command| !was_over(command.number)).cloned());
        if source.status.target.filter != status.target.filter {
            source.traffic.restart();
        }
        source.status = status;
    }
    let several = model.links.sources.len() > 1;
    for (name, failure) in failures {
        let text = failure.on_screen();
        model.fail(if several { format!("{name}: {text}") } else { text });
    }
    for command in ended {
        match command.state.is_done() {
            true => model.say(command.text()),
            false => model.fail(command.text()),
        }
    }
    follow_decoding(model);
}

/// After a switch of the decoder: moves the cursor to the row at the same place in the log.
pub fn follow_decoding(model: &mut Model) {
    let current = model.links.decodings();
    // A decoding without rows is not worth an empty screen.
    let bare = current.iter().any(|d| d.pos() == d.begins && d.log.len() > d.begins && !d.ended());
    if model.links.are_in(&model.list.rows) || bare {
        return;
    }
    let position = model.list.position_of(model.list.page.cursor);
    let rows = model.links.rows();
    take_rows(model, rows);
    if !model.list.page.follow {
        model.list.wanted = position;
    }
}

pub fn link_event(model: &mut Model, source: usize, event: LinkEvent) {
    let Some(link) = model.links.sources.get(source) else { return };
    let name = link.name();
    match event {
        LinkEvent::Note(text) => {
            model.log(LogLevel::Info, &name, without_name(&text, &name).to_owned());
            if model.links.scope.contains(&source) {
                model.prompt.said_by_link = Some(text.clone());
                model.show(text);
            }
        }
        LinkEvent::State(state) => {
            // Every attempt is a state; a problem is noted once.
            let text = match &state {
                LinkState::NoLink { .. } | LinkState::Failed(_) | LinkState::Changed(_) => return,
                LinkState::Waiting(text) => without_name(text, &name).to_owned(),
                other => other.words(),
            };
            model.log(LogLevel::Info, &name, text);
            // The problem is over.
            if model.prompt.notice.as_ref().map(|n| &n.text) == model.prompt.said_by_link.as_ref() {
                model.prompt.notice = None;
            }
        }
        LinkEvent::Source(index) => open_peer(model, source, index),
    }
}

/// A link's text without the leading address, for the log, which adds the name of the link.
fn without_name<'a>(text: &'a str, name: &str) -> &'a str {
    let scheme = name.split_once(' ').map_or(name, |(scheme, _)| scheme);
    let rest = text.strip_prefix(scheme).and_then(|rest| rest.strip_prefix(' '));
    match rest.and_then(|rest| rest.split_once(": ")) {
        Some((address, reported)) if !address.contains(' ') => reported,
        _ => text,
    }
}

/// The sentence to show with the rows, if any.
pub fn diagnosis(model: &Model) -> Option<String> {
    let all: Vec<&Source> = model.links.shown().collect();
    let (rows, page) = (model.list.rows.len(), &model.list.page);
    let is_hidden = !page.filter.is_everything() && rows > 0 && page.entries.is_empty();
    let hidden = is_hidden.then(|| format!("The filter hides all {} rows: a shows them.", grouped(rows)));
    let found = all.iter().find_map(|source| Some((source, of_source(source, hidden.is_some())?)));
    match found {
        Some((source, text)) if all.len() > 1 && !text.starts_with(&source.name()) => {
            Some(format!("{}: {text}", source.name()))
        }
        Some((_, text)) => Some(text),
        None => hidden,
    }
}

fn of_source(source: &Source, hidden: bool) -> Option<String> {
    let decoding = source.decoding();
    let id = &decoding.decoder.info.id;
    let state = decoding.read();
    if let Some(fault) = &state.fault {
        return Some(format!(
            "{id} failed: {fault}. Receiving and recording continue; :plugin reload starts it again."
        ));
    }
    if let Some(why) = decoding.decoder.faults.left() {
        return Some(format!("{id}: {why}: its rows are raw until :plugin reload."));
    }
    let (fed, records) = (state.counters.fed, state.counters.rows.records);
    drop(state);
    let link = &source.status.state;
    let text = source.status.hint.clone().or_else(|| link.text().map(str::to_owned));
    if fed == 0 {
        return text.or_else(|| match link {
            LinkState::Ended => Some(format!("{} is empty.", source.name())),
            _ => Some("Nothing received yet.".to_owned()),
        });
    }
    if matches!(link, LinkState::NoLink { .. } | LinkState::Failed(_) | LinkState::Changed(_)) {
        return text;
    }
    if hidden && records > 0 {
        return None;
    }
    no_valid_frame(source)
}

fn no_valid_frame(source: &Source) -> Option<String> {
    let (decoding, status) = (source.decoding(), &source.status);
    let line = SourceFacts {
        name: &source.name(),
        decoder: Some(&decoding.decoder.info.id),
        log: source.log(),
        facts: status.facts.clone(),
        link: status.counters,
    };
    let NoFrame { text, suspect } = source.quality.no_frame(&decoding.read().counters, &line)?;
    if let Some(sentence) = source.autodetect.sentence() {
        return Some(sentence.to_owned());
    }
    Some(match suspect {
        Suspect::Rate => format!("{text} :baud auto tries the others."),
        Suspect::Decoder => format!("{text} :proto auto finds out."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_names_a_link_once() {
        let nobody = "listen 127.0.0.1:16602: nobody yet; this machine only.";
        assert_eq!(without_name(nobody, "listen :16602"), "nobody yet; this machine only.");
        assert_eq!(without_name("tcp [::1]:6602: connection refused.", "tcp ::1:6602"), "connection refused.");
        let other = "/dev/ttyUSB0: permission denied.";
        assert_eq!(without_name(other, "ttyUSB0 115200"), other);
        assert_eq!(without_name("udp is quiet", "udp :5000"), "udp is quiet");
    }
}
