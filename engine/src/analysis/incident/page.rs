//! An incident in lines, as a page and for exports.

use std::{cmp::Reverse, collections::BTreeMap};

use rustc_hash::FxHashMap;
use spytui_plugin_api::info::space;

use super::{
    chain::{Chain, Stuck, Tasks},
    reader::{Change, Moments, Recent},
};
use crate::{
    analysis::objects::{ObjectKind, ObjectLine, ObjectTable, Wording, line::fill_words, object::ObjectState},
    present::{Clock, clock::grouped},
    replay::{Doing, Key, MissingRecords, Moment},
};

/// Queues and pools listed.
const LEVELS: usize = 6;
/// Objects listed with their last record.
const OBJECTS: usize = 256;
/// Tasks listed of a core.
const SHARES: usize = 5;
/// Task states listed with when they began.
const STATES: usize = 12;
/// Where no time is known in seconds: how often the longest wait is looked back.
const WAITS: u64 = 4;

/// Records before an incident that are listed with their text.
pub const BEFORE: usize = 5;

/// The parts of an incident, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IncidentPart {
    /// Records are missing, so what follows may not be all.
    Missing,
    /// A task that can't go on, and what keeps it.
    Wait,
    /// What follows from these.
    Verdict,
    /// What a core ran meanwhile.
    Ran,
    /// How the level of a queue or pool changed.
    Level,
    /// What happened, in order.
    Event,
    /// The last record of an object.
    Object,
}

impl IncidentPart {
    /// Word for exports.
    pub fn word(self) -> &'static str {
        match self {
            IncidentPart::Missing => "missing",
            IncidentPart::Wait => "wait",
            IncidentPart::Verdict => "verdict",
            IncidentPart::Ran => "ran",
            IncidentPart::Level => "level",
            IncidentPart::Event => "event",
            IncidentPart::Object => "object",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentLine {
    pub part: IncidentPart,
    /// Time of an event; of the last record of an object, relative to the incident.
    pub time: String,
    /// What it is about; empty if that is not one object.
    pub object: String,
    pub text: String,
    /// What keeps a task from going on, or what more there is to say.
    pub because: String,
    /// The row that shows it.
    pub at: Option<Moment>,
    /// Missing records may have changed it.
    pub is_unsure: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Incident {
    /// The row of the incident.
    pub at: Moment,
    /// Its kind and text.
    pub what: String,
    /// Time of the row; empty if it has none.
    pub time: String,
    pub lines: Vec<IncidentLine>,
    /// Number of incidents up to it; 0 if that was not counted.
    pub count: u64,
}

/// The state of a target at an incident, and what is needed to put it into words.
pub struct IncidentWording<'a> {
    pub table: &'a ObjectTable,
    pub recent: &'a Moments,
    pub wording: &'a Wording<'a>,
    pub clock: Clock,
}

impl IncidentWording<'_> {
    /// The incident at the last of these rows, with the texts of all.
    pub fn incident(&self, rows: &[(Moment, String)]) -> Incident {
        let Some((at, what)) = rows.last().cloned() else { return Incident::default() };
        let time = at.time.map_or_else(String::new, |time| self.clock.time_text(time).trim().to_owned());
        let tasks = Tasks { table: self.table, wording: self.wording };
        let chains = tasks.chains();
        let mut lines = Vec::new();
        let recent = self.recent(&chains, at);
        lines.extend(self.missing(recent.clone()));
        if !tasks.are_known() {
            let text = "no record says what tasks do, so who waits for whom is unknown";
            lines.push(line(IncidentPart::Wait, String::new(), text.to_owned(), None));
        }
        let mut events = Events::default();
        for chain in &chains {
            self.chain(chain, at, &mut lines, &mut events);
        }
        lines.extend(self.ran(recent.clone(), at));
        self.levels(recent.clone(), &mut lines, &mut events);
        let since = recent.clone().next().map_or(at.row, |first| first.at.row);
        for task in tasks.blocked_since(since).take(STATES) {
            events.add(task.since, &self.name(task.task), self.doing(&task), task.is_sure);
        }
        rows.iter().for_each(|(at, text)| events.add(*at, "", text.clone(), true));
        lines.extend(self.events(events));
        self.objects(at, &mut lines);
        Incident { at, what, time, lines, count: 0 }
    }

    /// The changes that matter: without seconds, those of the time in which tasks wait, and some time before.
    fn recent(&self, chains: &[Chain], at: Moment) -> impl Iterator<Item = &Recent> + Clone {
        let links = chains.iter().flat_map(|chain| &chain.links);
        let begins = links.flat_map(|link| [Some(link.since), link.by.map(|by| by.since)]).flatten();
        let longest = begins.filter_map(|since| at.time?.checked_sub(since.time?)).max();
        let least = longest.filter(|_| !self.clock.shows_seconds()).zip(at.time);
        let least = least.map(|(longest, now)| now.saturating_sub(longest.saturating_mul(WAITS)));
        self.recent
            .0
            .iter()
            .filter(move |recent| least.is_none_or(|least| recent.at.time.is_none_or(|time| time >= least)))
    }

    /// Time from one moment to another, without a sign; `None` if either has no time.
    fn lasted(&self, from: Moment, to: Moment) -> Option<String> {
        Some(self.clock.lasted_text(from.time?, to.time?))
    }

    fn name(&self, key: Key) -> String {
        self.wording.name(key)
    }

    fn missing<'r>(&self, recent: impl Iterator<Item = &'r Recent>) -> Option<IncidentLine> {
        let missing = recent.filter_map(|recent| match recent.what {
            Change::Missing(missing) => Some((recent.at, missing)),
            _ => None,
        });
        let all: Vec<(Moment, MissingRecords)> = missing.collect();
        let (first, _) = *all.first()?;
        let unit = if self.wording.info.loss_unit.is_empty() { "record" } else { &self.wording.info.loss_unit };
        let count: u64 = all.iter().map(|(_, missing)| missing.count).sum();
        let number = match (count, all.iter().all(|(_, missing)| missing.is_exact)) {
            (0, _) => format!("{unit}s are missing"),
            (1, true) => format!("1 {unit} is missing"),
            (count, true) => format!("{} {unit}s are missing", grouped(count)),
            (count, false) => format!("at least {} {unit}s are missing", grouped(count)),
        };
        let since = first.time.map_or_else(String::new, |time| format!(" since {}", self.clock.time_text(time).trim()));
        let places = if all.len() > 1 { format!(", in {} places", grouped(all.len() as u64)) } else { String::new() };
        let text = format!("{number}{since}{places}: what they said is unknown");
        Some(line(IncidentPart::Missing, String::new(), text, Some(first)))
    }

    /// Each task of a chain, and what follows from it.
    fn chain(&self, chain: &Chain, at: Moment, lines: &mut Vec<IncidentLine>, events: &mut Events) {
        for link in &chain.links {
            let object = self.name(link.task);
            let (text, because) = self.stuck(link, at);
            let doing = self.doing(link);
            events.add(link.since, &object, doing, link.is_sure);
            if let Some(by) = link.by {
                let does = match (by.runs, link.now.on) {
                    (true, _) => "runs".to_owned(),
                    (false, Some(on)) => format!("takes {}", self.name(on)),
                    (false, None) => continue,
                };
                if link.now.on != Some(by.task) {
                    events.add(by.since, &self.name(by.task), does, by.is_sure);
                }
            }
            let is_unsure = !link.is_sure || link.by.is_some_and(|by| !by.is_sure);
            lines.push(IncidentLine { because, is_unsure, ..line(IncidentPart::Wait, object, text, Some(link.since)) });
        }
        if let Some(text) = self.verdict(chain) {
            let at = chain.links.last().map(|link| link.since);
            let is_unsure = !chain.is_sure();
            lines.push(IncidentLine { is_unsure, ..line(IncidentPart::Verdict, String::new(), text, at) });
        }
    }

    /// What a task does, and what keeps it from going on.
    fn stuck(&self, link: &Stuck, at: Moment) -> (String, String) {
        let lasted = self.lasted(link.since, at).map_or_else(String::new, |lasted| format!(" {lasted}"));
        let text = match (link.now.doing, link.now.on, link.by) {
            (Doing::READY, ..) => format!("ready{lasted} without running"),
            (_, Some(on), Some(by)) if on != by.task => format!("waits{lasted} for {}", self.name(on)),
            (_, _, Some(_)) => format!("waits{lasted}"),
            _ => format!("{}{lasted}", self.wording.state_word(&ObjectState::Task(link.now))),
        };
        let because = link.by.map_or_else(String::new, |by| {
            let lasted = self.lasted(by.since, at).map_or_else(String::new, |lasted| format!(" ({lasted})"));
            let how = match (by.runs, link.now.on == Some(by.task)) {
                (true, _) => format!("{} taken by", self.core(link.now.core)),
                (false, true) => "for".to_owned(),
                (false, false) => "held by".to_owned(),
            };
            format!("{how} {}{lasted}", self.name(by.task))
        });
        (text, because)
    }

    /// A core; only `core` if there is one.
    fn core(&self, core: u16) -> String {
        let is_core = |key: &Key| key.space == space::CORES;
        let is_one = self.table.objects().filter(|(key, _)| is_core(key)).count() == 1;
        if is_one { "core".to_owned() } else { self.name(Key { space: space::CORES, key: core.into(), scope: 0 }) }
    }

    /// What a task did last, as an event.
    fn doing(&self, link: &Stuck) -> String {
        match (link.now.doing, link.now.on, link.by) {
            (Doing::READY, ..) => "is ready".to_owned(),
            (_, Some(on), Some(_)) => format!("waits for {}", self.name(on)),
            _ => format!("is {}", self.wording.state_word(&ObjectState::Task(link.now))),
        }
    }

    /// What follows from a chain; `None` for a single task.
    fn verdict(&self, chain: &Chain) -> Option<String> {
        let (first, last) = (chain.links.first()?, chain.links.last()?);
        let mut names: Vec<String> = chain.links.iter().map(|link| self.name(link.task)).collect();
        if chain.is_cycle {
            names.push(self.name(first.task));
            return Some(format!("deadlock: {}", names.join(" ← ")));
        }
        let by = last.by.filter(|by| by.runs);
        names.extend(by.or(last.by).map(|by| self.name(by.task)));
        if names.len() < 3 {
            // A task that waits for one that is blocked otherwise.
            let is_blocked = chain.links.len() == 2;
            return is_blocked.then(|| format!("{} can't go on before {} does", names[0], names[1]));
        }
        let urgency = |key: Key| self.wording.urgency(self.table, key);
        let inverted = by.and_then(|by| Some(urgency(first.task)? < urgency(by.task)?)).unwrap_or(false);
        let chain = names.join(" ← ");
        Some(if inverted { format!("priority inversion: {chain}") } else { format!("waits: {chain}") })
    }

    /// What each core ran, as shares of the time before the incident.
    fn ran<'r>(&self, recent: impl Iterator<Item = &'r Recent>, at: Moment) -> Vec<IncidentLine> {
        let mut cores: BTreeMap<Key, CoreTime> = BTreeMap::new();
        for recent in recent {
            match recent.what {
                Change::Runs { core, task } => {
                    cores.entry(core).or_insert_with(|| CoreTime::new(recent.at)).runs(recent.at, Some(task));
                }
                Change::Missing(_) => cores.values_mut().for_each(|core| core.loses(recent.at)),
                _ => {}
            }
        }
        let mut lines = Vec::new();
        for (core, mut ran) in cores {
            ran.runs(at, None);
            let mut shares: Vec<(Option<Key>, u64)> = ran.shares.into_iter().collect();
            let all: u64 = shares.iter().map(|(_, sum)| sum).sum();
            shares.sort_by_key(|(task, sum)| (Reverse(*sum), *task));
            let share = |(task, sum): &(Option<Key>, u64)| {
                let name = task.map_or_else(|| "idle".to_owned(), |task| self.name(task));
                let percent = (u128::from(*sum) * 100).checked_div(all.into())?;
                (percent > 0).then(|| format!("{name} {percent} %"))
            };
            let shares: Vec<String> = shares.iter().filter_map(share).take(SHARES).collect();
            let Some(lasted) = self.lasted(ran.first, at).filter(|_| !shares.is_empty()) else { continue };
            let text = format!("ran {} in the last {lasted}", shares.join(", "));
            let line = line(IncidentPart::Ran, self.name(core), text, Some(ran.first));
            lines.push(IncidentLine { is_unsure: ran.is_unsure, ..line });
        }
        lines
    }

    /// Queues and pools that filled up most.
    fn levels<'r>(&self, recent: impl Iterator<Item = &'r Recent>, lines: &mut Vec<IncidentLine>, events: &mut Events) {
        let mut moves: FxHashMap<Key, LevelMove> = FxHashMap::default();
        for recent in recent {
            match recent.what {
                Change::Level { of, count, is_free } => {
                    let Some(count) = count.or_else(|| self.capacity(of)) else { continue };
                    moves.entry(of).or_default().level(recent.at, count, is_free);
                }
                Change::Refused { of } => moves.entry(of).or_default().refuse(recent.at),
                Change::Missing(_) => moves.values_mut().for_each(|of| of.is_unsure = true),
                Change::Runs { .. } => {}
            }
        }
        let is_lock =
            |key: Key| self.table.object(key).is_some_and(|object| self.wording.kind(key, object) == ObjectKind::Lock);
        let matters = |(key, of): &(Key, LevelMove)| (of.refused > 0 || of.rise() > 1) && !is_lock(*key);
        let mut moves: Vec<(Key, LevelMove)> = moves.into_iter().filter(matters).collect();
        moves.sort_by_key(|(key, of)| (Reverse((of.refused, of.rise())), *key));
        let mut listed: Vec<(Key, LevelMove, String)> = Vec::new();
        for (key, of) in moves {
            let name = self.name(key);
            let is_same = |(_, other, its): &(Key, LevelMove, String)| {
                of.is_reported_with(other) && (name.starts_with(its.as_str()) || its.starts_with(&name))
            };
            if listed.len() < LEVELS && !listed.iter().any(is_same) {
                listed.push((key, of, name));
            }
        }
        let names: Vec<String> = listed.iter().map(|(.., name)| name.clone()).collect();
        for (key, of, own) in listed {
            let kind = self.table.object(key).map(|object| self.wording.kind(key, object).word());
            let is_only = names.iter().filter(|name| **name == own).count() == 1;
            let name = kind.filter(|_| !is_only).map_or_else(|| own.clone(), |kind| format!("{own} {kind}"));
            let capacity = self.capacity(key);
            let words = |count: u64| fill_words(count, of.is_free, capacity);
            let mut text = of.worst.map_or_else(String::new, |worst| {
                let lasted =
                    self.lasted(worst.from.0, worst.to.0).map_or_else(String::new, |time| format!(" in {time}"));
                format!("{} → {}{lasted}", words(worst.from.1), words(worst.to.1))
            });
            if let Some(now) = of.now.filter(|now| of.worst.is_some_and(|worst| worst.to.1 != *now)) {
                text.push_str(&format!(", now {}", words(now)));
            }
            let because = if of.refused > 0 { format!("refused {}", grouped(of.refused)) } else { String::new() };
            if let Some(first) = of.first_refused {
                events.add(first, &name, "has no room".to_owned(), true);
            }
            let at = of.worst.map(|worst| worst.to.0).or(of.first_refused);
            let is_unsure = of.is_unsure;
            lines.push(IncidentLine { because, is_unsure, ..line(IncidentPart::Level, name, text, at) });
        }
    }

    /// Elements of a queue or pool, if the target has reported it.
    fn capacity(&self, key: Key) -> Option<u64> {
        self.wording.capacity(key).or_else(|| self.table.object(key)?.level?.capacity)
    }

    fn events(&self, mut events: Events) -> impl Iterator<Item = IncidentLine> {
        events.0.sort_by(|a, b| (a.0.row, &a.1, &a.2).cmp(&(b.0.row, &b.1, &b.2)));
        events.0.dedup();
        events.0.into_iter().map(|(at, object, text, is_sure)| {
            let time = at.time.map_or_else(String::new, |time| self.clock.time_text(time).trim().to_owned());
            IncidentLine { time, is_unsure: !is_sure, ..line(IncidentPart::Event, object, text, Some(at)) }
        })
    }

    /// The last record of each object, the latest first.
    fn objects(&self, at: Moment, lines: &mut Vec<IncidentLine>) {
        let mut all: Vec<ObjectLine> = self.wording.lines(self.table);
        all.retain(|object| object.last.is_some());
        all.sort_by_key(|object| Reverse(object.last.as_ref().map(|last| last.at.row)));
        let more = all.len().saturating_sub(OBJECTS);
        for object in all.into_iter().take(OBJECTS) {
            let Some(last) = &object.last else { continue };
            let ago =
                last.at.time.zip(at.time).map(|(then, now)| self.clock.delta_text(then, now).replacen('+', "-", 1));
            let text = format!("{} {}", last.kind, last.item).trim_end().to_owned();
            let state = if object.since.is_some() { format!(" · {}", object.state) } else { String::new() };
            let is_unsure = object.is_unsure && object.since.is_some();
            lines.push(IncidentLine {
                time: ago.unwrap_or_default(),
                is_unsure,
                ..line(IncidentPart::Object, object.name, text + &state, Some(last.at))
            });
        }
        if more > 0 {
            let text = format!("and {} more objects", grouped(more as u64));
            lines.push(line(IncidentPart::Object, String::new(), text, None));
        }
    }
}

fn line(part: IncidentPart, object: String, text: String, at: Option<Moment>) -> IncidentLine {
    IncidentLine { part, time: String::new(), object, text, because: String::new(), at, is_unsure: false }
}

/// Events with their object, their text, and whether they are certain.
#[derive(Debug, Default)]
struct Events(Vec<(Moment, String, String, bool)>);

impl Events {
    fn add(&mut self, at: Moment, object: &str, text: String, is_sure: bool) {
        self.0.push((at, object.to_owned(), text, is_sure));
    }
}

/// What a core ran so far.
struct CoreTime {
    first: Moment,
    since: Moment,
    /// What it runs, or `Some(None)`, idle; `None` = unknown.
    now: Option<Option<Key>>,
    /// Time of each task, and of `None`, idle.
    shares: FxHashMap<Option<Key>, u64>,
    is_unsure: bool,
}

impl CoreTime {
    fn new(first: Moment) -> CoreTime {
        CoreTime { first, since: first, now: None, shares: FxHashMap::default(), is_unsure: false }
    }

    fn runs(&mut self, at: Moment, now: Option<Option<Key>>) {
        let lasted = at.time.zip(self.since.time).map_or(0, |(now, since)| now.saturating_sub(since));
        if let Some(task) = self.now {
            *self.shares.entry(task).or_default() += lasted;
        }
        (self.since, self.now) = (at, now);
    }

    fn loses(&mut self, at: Moment) {
        self.runs(at, None);
        self.is_unsure = true;
    }
}

/// A rise of a level, from its emptiest to its fullest.
#[derive(Debug, Clone, Copy)]
struct Rise {
    from: (Moment, u64),
    to: (Moment, u64),
}

/// How the level of a queue or pool changed.
#[derive(Debug, Clone, Copy, Default)]
struct LevelMove {
    is_free: bool,
    /// The emptiest level so far, where it was seen last.
    emptiest: Option<(Moment, u64)>,
    worst: Option<Rise>,
    now: Option<u64>,
    refused: u64,
    first_refused: Option<Moment>,
    /// Records are missing since it was first seen.
    is_unsure: bool,
}

impl LevelMove {
    fn level(&mut self, at: Moment, count: u64, is_free: bool) {
        (self.is_free, self.now) = (is_free, Some(count));
        let is_emptier = |than: u64| if is_free { count >= than } else { count <= than };
        let emptiest = match self.emptiest {
            Some(emptiest) if !is_emptier(emptiest.1) => emptiest,
            _ => *self.emptiest.insert((at, count)),
        };
        let rise = Rise { from: emptiest, to: (at, count) };
        if emptiest.1.abs_diff(count) > self.rise() {
            self.worst = Some(rise);
        }
    }

    fn refuse(&mut self, at: Moment) {
        self.refused += 1;
        self.first_refused.get_or_insert(at);
    }

    /// Whether the records that report one level report the other, or stand beside them: a queue's level is that of its
    /// owner, too.
    fn is_reported_with(&self, other: &LevelMove) -> bool {
        let Some((one, other)) = self.worst.zip(other.worst) else { return false };
        let are_near = |a: Moment, b: Moment| a.row.abs_diff(b.row) <= 1;
        are_near(one.from.0, other.from.0) && are_near(one.to.0, other.to.0)
    }

    /// Elements by which it filled up.
    fn rise(&self) -> u64 {
        self.worst.map_or(0, |worst| worst.from.1.abs_diff(worst.to.1))
    }
}
