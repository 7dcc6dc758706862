//! The lanes of the timeline: their order, names and the words for their states.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use spytui_engine::{
    analysis::{
        Doing, Key,
        objects::{ObjectKind, ObjectState, Wording, line::fill_words},
        timeline::{Cell, LaneKey, LaneValue, Painted},
    },
    trace::list::{TimelineHistory, Walking, walk::worded},
};
use spytui_plugin_api::batch::AttrId;

use super::TimelinePane;
use crate::{
    model::{Model, list::words::without_prefix},
    pane::live,
};

/// Minimum interval between renamings of lanes while rows arrive, as some streams send names all the time.
const PAUSE: live::Pause = (Duration::from_secs(2), Duration::ZERO);

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lane {
    pub(super) number: u32,
    pub(super) key: LaneKey,
    pub(super) name: String,
    /// The object whose name the lane is grouped under: its own, or the owner of a queue.
    pub(super) below: Key,
    /// The level of an object whose state also has a lane; shown below that.
    pub(super) is_second: bool,
    pub(super) kind: ObjectKind,
    /// The lane's numbers count free elements.
    pub(super) counts_free: bool,
    /// Capacity, if records report it or show it.
    pub(super) capacity: Option<u64>,
    /// Unit of its values; may be empty.
    pub(super) unit: String,
}

impl Lane {
    pub(super) fn label(&self) -> String {
        if self.is_second { "  q".to_owned() } else { self.name.clone() }
    }

    /// The label with the name of its object.
    pub(super) fn full_name(&self) -> String {
        if self.is_second { format!("{} q", self.name) } else { self.name.clone() }
    }

    pub(super) fn is_numeric(&self) -> bool {
        self.key.is_level || self.kind == ObjectKind::Value
    }

    /// `1/8`, `used 3`, `free 5`
    pub(super) fn level(&self, number: f64) -> String {
        // Infinite: empty if free elements are counted, otherwise full.
        let (count, is_free) = if number.is_finite() { (number, self.counts_free) } else { (0.0, !self.counts_free) };
        fill_words(count as u64, is_free, self.capacity)
    }
}

/// What a lane's numbers are drawn between: values between the least and the greatest one shown, levels between empty
/// and full.
#[derive(Debug)]
pub(super) struct LaneScale {
    pub(super) least: f64,
    pub(super) most: f64,
    /// Free elements are shown as used ones of `most`.
    counts_free: bool,
    /// The capacity is not known, only what was seen.
    pub(super) is_seen: bool,
}

impl LaneScale {
    pub(super) fn of(lane: &Lane, cells: &[Cell]) -> LaneScale {
        let shown = || cells.iter().filter_map(|cell| cell.range).flat_map(|(low, high)| [low, high]);
        let numbers = shown().filter(|number| number.is_finite());
        let (least, most) =
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), number| (a.min(number), b.max(number)));
        let counts_free = lane.key.is_level && lane.counts_free;
        let capacity = lane.capacity.filter(|capacity| *capacity > 0).map(|capacity| capacity as f64);
        // If the capacity of a queue is unknown, an empty queue has one element more free than ever seen.
        let has_empty = counts_free && shown().any(f64::is_infinite);
        let seen = if has_empty { most.max(0.0) + 1.0 } else { most };
        let (least, seen) = if lane.key.is_level { (0.0, seen.max(1.0)) } else { (least, seen) };
        LaneScale { least, most: capacity.unwrap_or(seen), counts_free, is_seen: capacity.is_none() }
    }

    /// The least and the greatest number of a column, or used elements.
    pub(super) fn range(&self, cell: &Cell) -> Option<(f64, f64)> {
        let (low, high) = cell.range?;
        let (low, high) = if self.counts_free { (self.most - high, self.most - low) } else { (low, high) };
        let within = |number: f64| number.max(self.least).min(self.most);
        Some((within(low), within(high)))
    }
}

pub(super) struct DrawnLane<'p> {
    pub(super) lane: &'p Lane,
    pub(super) cells: &'p [Cell],
    /// `1/8`, at the position of the cursor row.
    pub(super) level: String,
}

impl<'p> DrawnLane<'p> {
    /// `painted` = its index among the painted lanes.
    pub(super) fn of(pane: &'p TimelinePane, lane: usize, painted: usize) -> Option<DrawnLane<'p>> {
        let (lane, cells) = (pane.lanes.all.get(lane)?, pane.painted.lanes.get(painted)?);
        let level = match pane.shown.get(painted) {
            Some((LaneValue::Number(number), is_unsure)) if lane.key.is_level => {
                format!(" {}{}", if *is_unsure { "~" } else { "" }, lane.level(*number))
            }
            _ => String::new(),
        };
        Some(DrawnLane { lane, cells, level })
    }
}

/// Width of the names before the lanes, with a blank at each side.
pub(super) fn label_width(cells: u16) -> u16 {
    match cells {
        ..60 => 10,
        60..110 => 18,
        110..160 => 22,
        _ => 26,
    }
}

/// All lanes, and words for their states.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    pub(super) all: Vec<Lane>,
    /// Input and time of the last update.
    made: Option<(Made, Instant)>,
    states: HashMap<u32, (StateMeaning, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Made {
    lanes: usize,
    name_changes: u64,
    short: bool,
    priorities: (u64, u64),
}

/// Rank of a sort of object: what interrupts comes before what is interrupted, and that before what it uses.
fn rank(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Core => 0,
        ObjectKind::Interrupt => 1,
        ObjectKind::Task => 2,
        ObjectKind::Machine => 3,
        ObjectKind::Marker => 4,
        ObjectKind::Lock => 5,
        ObjectKind::Queue => 6,
        ObjectKind::Timer => 7,
        ObjectKind::Value => 8,
        ObjectKind::Pool => 9,
        ObjectKind::Object => 10,
    }
}

impl Lanes {
    /// Updates the lanes if there are more, or names or priorities have changed.
    pub(super) fn refresh(&mut self, history: Option<&TimelineHistory>, model: &Model) {
        let Some(history) = history else { return };
        let rows = &model.list.rows;
        let recorder = history.recorder();
        let keys: Vec<LaneKey> = recorder.lanes().collect();
        let made = Made {
            lanes: keys.len(),
            name_changes: rows.name_changes(),
            short: model.list.page.short,
            priorities: recorder.table.sign_of_priorities(),
        };
        let is_same = |(before, at): (Made, Instant)| {
            let is_recent = live::is_live(model) && live::is_recent(model, Some(at), PAUSE, 0);
            before == made || is_recent && Made { name_changes: made.name_changes, ..before } == made
        };
        if self.made.is_some_and(is_same) {
            return;
        }
        let last = history.walked().saturating_sub(1);
        self.all = worded(rows, last, made.short, |wording| ordered(history, &keys, wording));
        for lane in self.all.iter_mut().filter(|lane| !lane.key.is_level) {
            lane.unit = rows.source(0).decoder.formatting.track_unit(lane.key.object.space, lane.key.object.key);
        }
        self.states.clear();
        self.made = Some((made, model.now));
    }

    pub(super) fn name_states(
        &mut self,
        history: &TimelineHistory,
        model: &Model,
        painted: &Painted,
        also: Option<u32>,
    ) {
        let shown = painted.lanes.iter().flatten().flat_map(|cell| &cell.states).map(|state| state.0);
        let mut missing: Vec<u32> = shown.chain(also).filter(|state| !self.states.contains_key(state)).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return;
        }
        let last = history.walked().saturating_sub(1);
        let named = worded(&model.list.rows, last, model.list.page.short, |wording| {
            let word = |state: &ObjectState| (StateMeaning::of(state), wording.state_word(state));
            missing.iter().filter_map(|number| Some((*number, word(history.recorder().state(*number)?)))).collect()
        });
        let named: Vec<(u32, (StateMeaning, String))> = named;
        self.states.extend(named);
    }

    pub(super) fn state(&self, number: u32) -> Option<(StateMeaning, &str)> {
        self.states.get(&number).map(|(meaning, word)| (*meaning, word.as_str()))
    }

    /// The word for a state in a lane that already names its object.
    pub(super) fn state_of(&self, lane: &Lane, number: u32) -> &str {
        self.state(number).map_or("", |(_, word)| without_prefix(word, &lane.name))
    }

    pub(super) fn word(&self, lane: &Lane, shown: LaneValue) -> String {
        match shown {
            LaneValue::Unknown => "nothing known".to_owned(),
            LaneValue::State(state) => self.state(state).map_or_else(String::new, |(_, word)| word.to_owned()),
            LaneValue::Number(number) if lane.key.is_level => lane.level(number),
            LaneValue::Number(number) => format!("{number} {}", lane.unit).trim_end().to_owned(),
        }
    }
}

/// Lanes in order: by sort, priority and name; levels below the states of their objects.
fn ordered(history: &TimelineHistory, keys: &[LaneKey], wording: &Wording<'_>) -> Vec<Lane> {
    let table = &history.recorder().table;
    // Unknown priorities come last.
    let order = |key: Key| wording.urgency(table, key).map_or((true, 0), |urgency| (false, urgency));
    let with_state: HashSet<Key> = keys.iter().filter(|key| !key.is_level).map(|key| key.object).collect();
    let queues = queues(keys, wording);
    let recorder = history.recorder();
    let lane = |(number, key): (usize, &LaneKey)| {
        let below = queues.owners.get(key).unwrap_or(key).object;
        let known = table.object(below);
        let kind = known.map_or(ObjectKind::Object, |known| wording.kind(below, known));
        let capacity = |of: Key| wording.capacity(of).or_else(|| table.object(of)?.level?.capacity);
        let queue = queues.by_owner.get(key).unwrap_or(key).object;
        let lane = Lane {
            number: number as u32,
            key: *key,
            name: wording.name(below),
            below,
            is_second: key.is_level && with_state.contains(&below),
            kind,
            counts_free: recorder.counts_free(number as u32),
            capacity: capacity(queue).filter(|_| key.is_level),
            unit: String::new(),
        };
        ((rank(kind), order(below), lane.name.clone(), below, key.is_level), lane)
    };
    let numbers: HashMap<LaneKey, u32> = keys.iter().zip(0..).map(|(key, number)| (*key, number)).collect();
    let changes = |key: &LaneKey| numbers.get(key).map_or(0, |number| recorder.changes(*number));
    // Of two lanes for one queue, the one with fewer records is omitted: the target may mask those of the queue or of
    // its owner.
    let is_left_out = |key: &LaneKey| match (queues.by_owner.get(key), queues.owners.get(key)) {
        (Some(queue), _) => changes(key) < changes(queue),
        (_, Some(of_owner)) => changes(key) <= changes(of_owner),
        _ => false,
    };
    let shown = keys.iter().enumerate().filter(|(_, key)| !is_left_out(key));
    let mut lanes: Vec<_> = shown.map(lane).collect();
    lanes.sort_by(|a, b| a.0.cmp(&b.0));
    let mut lanes: Vec<Lane> = lanes.into_iter().map(|lane| lane.1).collect();
    // One pool may have records of two sorts.
    lanes.dedup_by(|lane, before| {
        let is_same = (&lane.name, lane.kind) == (&before.name, before.kind)
            && lane.key.object.space != before.key.object.space
            && lane.key.is_level
            && before.key.is_level;
        if is_same && before.capacity.is_none() && lane.capacity.is_some() {
            std::mem::swap(lane, before);
        }
        is_same
    });
    name_kinds(&mut lanes);
    lanes
}

/// Appends the kind to names that several objects have.
fn name_kinds(lanes: &mut [Lane]) {
    let mut objects: HashMap<String, HashSet<Key>> = HashMap::new();
    for lane in lanes.iter() {
        objects.entry(lane.name.clone()).or_default().insert(lane.below);
    }
    for lane in lanes.iter_mut().filter(|lane| objects.get(&lane.name).is_some_and(|objects| objects.len() > 1)) {
        lane.name = format!("{} {}", lane.name, lane.kind.word());
    }
}

/// Queues whose level is reported by their own records and by those of their owner.
struct Queues {
    /// The queue's lane by its owner's lane, and the reverse.
    by_owner: HashMap<LaneKey, LaneKey>,
    owners: HashMap<LaneKey, LaneKey>,
}

fn queues(keys: &[LaneKey], wording: &Wording<'_>) -> Queues {
    let levels: HashSet<LaneKey> = keys.iter().filter(|key| key.is_level).copied().collect();
    let mut queues = Queues { by_owner: HashMap::new(), owners: HashMap::new() };
    for queue in keys.iter().filter(|key| key.is_level) {
        let Key { space, key, scope } = queue.object;
        let Some((owner, _)) = wording.names.attr(0, space, key, scope, AttrId::PARENT) else { continue };
        let owner = LaneKey { object: Key { space, key: owner, scope: 0 }, is_level: true };
        if owner != *queue && levels.contains(&owner) {
            queues.by_owner.insert(owner, *queue);
            queues.owners.insert(*queue, owner);
        }
    }
    queues
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateMeaning {
    Named,
    /// Drawn as a bar: running, open, held or armed.
    On,
    /// Drawn as a thin line: ready to run.
    Ready,
    /// Drawn as a broken line: waits for something.
    Blocked,
    /// Not drawn.
    Off,
}

impl StateMeaning {
    fn of(state: &ObjectState) -> StateMeaning {
        match state {
            ObjectState::Machine(_) | ObjectState::Runs(_) | ObjectState::Idle => StateMeaning::Named,
            ObjectState::Task(task) => match task.doing {
                Doing::RUNNING => StateMeaning::On,
                Doing::READY => StateMeaning::Ready,
                Doing::BLOCKED => StateMeaning::Blocked,
                _ => StateMeaning::Off,
            },
            ObjectState::Held(_) | ObjectState::Armed { .. } | ObjectState::Inside(_) | ObjectState::Begun => {
                StateMeaning::On
            }
            _ => StateMeaning::Off,
        }
    }
}
