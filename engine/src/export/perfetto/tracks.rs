//! Class, title and tracks of each entity, indexed by entity so that no event needs a lookup by key. Creates tracks on first
//! use, with their parents.

use std::io::Write;

use rustc_hash::FxHashSet;
use spytui_plugin_api::{
    batch::AttrId,
    info::{Class, space},
};

use super::{
    packets::{Arrow, Packets, TrackShape},
    proto::Unit,
};
use crate::{
    export::words::EntityNames,
    replay::{Entities, Id, Key, Slots},
};

/// A track's role for its entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TrackPart {
    /// Parent of the entity's other tracks; shows nothing itself.
    Group,
    State,
    Priority,
    Running,
    /// Running on a core, below that core.
    OnCore(u16),
    Isr(u16),
    Level,
    Free,
    Lock,
    /// Spans and instants, of an owner if any.
    Mark(Option<Id>),
    /// Values, of an owner if any.
    Value(Option<Id>),
    /// Run-to-completion steps and messages.
    Steps,
    Timer,
    Tick,
}

#[derive(Debug)]
pub(super) struct Track {
    pub(super) uuid: u64,
    /// Concatenated names of the open slices.
    names: String,
    /// End of each name in `names`, innermost last.
    ends: Vec<usize>,
    /// Number of slices, counted from the outermost, that may have ended unseen.
    doubtful: usize,
    /// Latest start of the open slices.
    begun: u64,
}

impl Track {
    pub(super) fn new(uuid: u64) -> Track {
        Track { uuid, names: String::new(), ends: Vec::new(), doubtful: 0, begun: 0 }
    }

    pub(super) fn opened(&mut self, ns: u64, name: &str) {
        self.begun = if self.ends.is_empty() { ns } else { ns.max(self.begun) };
        self.names.push_str(name);
        self.ends.push(self.names.len());
    }

    /// Removes the innermost slice, if any; returns its end, which is not before its beginning even if time went back.
    pub(super) fn closed(&mut self, ns: u64) -> Option<u64> {
        self.ends.pop()?;
        self.names.truncate(self.ends.last().copied().unwrap_or(0));
        self.doubtful = self.doubtful.min(self.ends.len());
        Some(ns.max(self.begun))
    }

    /// Whether the innermost open slice may have ended unseen.
    pub(super) fn is_doubtful(&self) -> bool {
        self.doubtful > 0 && self.doubtful == self.ends.len()
    }

    pub(super) fn set_doubtful(&mut self, is_doubtful: bool) {
        self.doubtful = if is_doubtful { self.ends.len() } else { 0 };
    }

    /// Makes open slices uncertain from `ns` on. Returns those that were certain, outermost first, and the time from
    /// which they are uncertain.
    pub(super) fn doubt(&mut self, ns: u64) -> (impl Iterator<Item = &str>, u64) {
        let known = std::mem::replace(&mut self.doubtful, self.ends.len());
        self.begun = ns.max(self.begun);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let names = starts.zip(&self.ends).skip(known).map(|(start, end)| &self.names[start..*end]);
        (names, self.begun)
    }
}

#[derive(Debug)]
pub(super) struct KnownEntity {
    pub(super) title: Box<str>,
    pub(super) class: Class,
    /// The process of a thread.
    pub(super) process: Option<Id>,
    pub(super) idle: bool,
    /// Tracks of the entity; usually few.
    tracks: Vec<(TrackPart, Track)>,
    /// Name of the state reported in advance.
    pub(super) announced: String,
    pub(super) met: bool,
}

impl KnownEntity {
    pub(super) fn track(&mut self, part: TrackPart) -> Option<&mut Track> {
        self.tracks.iter_mut().find(|(p, _)| *p == part).map(|(_, track)| track)
    }
}

#[cold]
fn first(id: Id, entities: &Entities, words: &EntityNames<'_>) -> Box<KnownEntity> {
    let key = entities.key(id);
    let class = words.class(key);
    let idle = class == Class::TASK && words.attr(key, AttrId::IDLE).is_some();
    let (tracks, announced) = (Vec::new(), String::new());
    Box::new(KnownEntity { title: words.title(key).into(), class, process: None, idle, tracks, announced, met: false })
}

fn all<'t>(
    others: &'t mut [(Of, Track)],
    known: &'t mut Slots<Option<Box<KnownEntity>>>,
) -> impl Iterator<Item = &'t mut Track> {
    let of_entities = known.iter_mut().filter_map(|(_, known)| known.as_mut()).flat_map(|known| &mut known.tracks);
    others.iter_mut().map(|(_, track)| track).chain(of_entities.map(|(_, track)| track))
}

/// Identifies a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Of {
    /// Losses, damage and doubtful data.
    Errors,
    /// The parent of a core's tracks.
    Process(u16),
    /// The parent of what runs on a core.
    Core(u16),
    Events(u16),
    Critical(u16),
    Locked(u16),
    Posts(u16),
    Entity(Id, TrackPart),
}

/// Process ids: cores count from 1, tasks start here.
const FIRST_TASK: u64 = 20;
/// First process id for everything else.
const SPARE: i32 = 1 << 30;

#[derive(Debug)]
pub(super) struct Tracks<'a, W> {
    pub(super) packets: Packets<W>,
    pub(super) words: EntityNames<'a>,
    /// Created on first use.
    known: Slots<Option<Box<KnownEntity>>>,
    /// The few tracks without an entity.
    others: Vec<(Of, Track)>,
    tasks: Vec<Id>,
    cores: Vec<u16>,
    pids: FxHashSet<i32>,
    /// Next free process id.
    spare: i32,
}

impl<'a, W: Write> Tracks<'a, W> {
    pub(super) fn new(packets: Packets<W>, words: EntityNames<'a>) -> Tracks<'a, W> {
        let mut tracks = Tracks {
            packets,
            words,
            known: Slots::default(),
            others: Vec::new(),
            tasks: Vec::new(),
            cores: Vec::new(),
            pids: FxHashSet::default(),
            spare: SPARE,
        };
        let uuid = tracks.packets.track("Tracing Errors", None, TrackShape::Events);
        tracks.others.push((Of::Errors, Track::new(uuid)));
        tracks
    }

    /// Creates tracks for everything that has a name, even if never active.
    pub(super) fn of_names(&mut self, entities: &mut Entities) {
        for key in self.words.known() {
            let class = self.words.class(key);
            let shown = [Class::TASK, Class::QUEUE, Class::LOCK, Class::MARKER, Class::VALUE, Class::ISR];
            if key.space == space::KINDS || !shown.contains(&class) {
                continue;
            }
            let Some(id) = entities.id(key) else { return };
            let owner = self.words.owner(key).and_then(|owner| entities.id(owner));
            if let Some(owner) = owner {
                self.meet(owner, entities);
                if class == Class::TASK && self.known(owner, entities).class == Class::PROCESS {
                    self.known(id, entities).process = Some(owner);
                }
            }
            self.meet(id, entities);
            match class {
                // On targets with processes, user events are on the threads' tracks.
                Class::MARKER if self.words.has_processes() => {}
                Class::MARKER => drop(self.uuid(Of::Entity(id, TrackPart::Mark(owner)), entities)),
                Class::VALUE => drop(self.uuid(Of::Entity(id, TrackPart::Value(owner)), entities)),
                Class::ISR if self.is_per_core(key) => {
                    let core = key.scope as u16;
                    self.core(core, entities);
                    self.uuid(Of::Entity(id, TrackPart::Isr(core)), entities);
                }
                _ => {}
            }
        }
    }

    fn is_per_core(&self, key: Key) -> bool {
        self.words.info.space(key.space).is_some_and(|s| s.scope_space == space::CORES) && key.scope < 0xFFFF
    }

    #[inline]
    pub(super) fn known(&mut self, id: Id, entities: &Entities) -> &mut KnownEntity {
        self.known.of(id).get_or_insert_with(|| first(id, entities, &self.words))
    }

    #[inline]
    pub(super) fn meet(&mut self, id: Id, entities: &Entities) {
        if !self.known(id, entities).met {
            self.meet_first(id, entities);
        }
    }

    #[cold]
    fn meet_first(&mut self, id: Id, entities: &Entities) {
        let known = self.known(id, entities);
        known.met = true;
        match known.class {
            // A system has many threads that do little; they only get the tracks that they use.
            Class::TASK if known.process.is_some() => drop(self.uuid(Of::Entity(id, TrackPart::Group), entities)),
            Class::TASK => {
                for part in [TrackPart::Group, TrackPart::State, TrackPart::Priority, TrackPart::Running] {
                    self.uuid(Of::Entity(id, part), entities);
                }
                self.tasks.push(id);
                for core in self.cores.clone() {
                    self.uuid(Of::Entity(id, TrackPart::OnCore(core)), entities);
                }
            }
            Class::QUEUE => drop(self.uuid(Of::Entity(id, TrackPart::Level), entities)),
            Class::LOCK => drop(self.uuid(Of::Entity(id, TrackPart::Lock), entities)),
            _ => {}
        }
    }

    #[inline]
    pub(super) fn core(&mut self, core: u16, entities: &Entities) {
        if !self.cores.contains(&core) {
            self.first_of_core(core, entities);
        }
    }

    #[cold]
    fn first_of_core(&mut self, core: u16, entities: &Entities) {
        self.cores.push(core);
        for of in [Of::Process(core), Of::Core(core), Of::Events(core)] {
            self.uuid(of, entities);
        }
        for task in self.tasks.clone() {
            self.uuid(Of::Entity(task, TrackPart::OnCore(core)), entities);
        }
    }

    #[inline]
    fn track(&mut self, of: Of) -> Option<&mut Track> {
        match of {
            Of::Entity(id, part) => self.known.of(id).as_mut()?.track(part),
            other => self.others.iter_mut().find(|(o, _)| *o == other).map(|(_, track)| track),
        }
    }

    /// The number of a track, created if necessary.
    #[inline]
    pub(super) fn uuid(&mut self, of: Of, entities: &Entities) -> u64 {
        match self.track(of) {
            Some(track) => track.uuid,
            None => self.make(of, entities),
        }
    }

    #[inline]
    pub(super) fn open(&mut self, of: Of, ns: u64, name: &str, entities: &Entities) {
        let opened = self.opened(of, ns, name).or_else(|| {
            self.make(of, entities);
            self.opened(of, ns, name)
        });
        if let Some(uuid) = opened {
            self.packets.begin(ns, uuid, name, Arrow::None);
        }
    }

    /// Opens a slice on an existing track and returns the track's id.
    #[inline]
    fn opened(&mut self, of: Of, ns: u64, name: &str) -> Option<u64> {
        let track = self.track(of)?;
        track.opened(ns, name);
        Some(track.uuid)
    }

    /// Ends the innermost slice of a track; `false` if none is open.
    #[inline]
    pub(super) fn close(&mut self, of: Of, ns: u64) -> bool {
        let ended = self.track(of).and_then(|track| Some((track.uuid, track.closed(ns)?)));
        if let Some((uuid, ns)) = ended {
            self.packets.end(ns, uuid);
        }
        ended.is_some()
    }

    /// Whether the innermost open slice of a track may have ended unseen.
    pub(super) fn is_doubtful(&mut self, of: Of) -> bool {
        self.track(of).is_some_and(|track| track.is_doubtful())
    }

    /// Sets whether the innermost open slice of a track may have ended unseen.
    pub(super) fn set_doubtful(&mut self, of: Of, is_doubtful: bool) {
        if let Some(track) = self.track(of) {
            track.set_doubtful(is_doubtful);
        }
    }

    /// Makes all open slices uncertain from `ns` on.
    pub(super) fn doubt_all(&mut self, ns: u64) {
        let Tracks { packets, others, known, .. } = self;
        let mut marked = String::new();
        for track in all(others, known) {
            let uuid = track.uuid;
            let (names, ns) = track.doubt(ns);
            let names: Vec<&str> = names.collect();
            names.iter().for_each(|_| packets.end(ns, uuid));
            for name in names {
                marked.clear();
                marked.extend(["~", name]);
                packets.begin(ns, uuid, &marked, Arrow::None);
            }
        }
    }

    pub(super) fn close_all(&mut self, ns: u64) {
        for track in all(&mut self.others, &mut self.known) {
            while let Some(ns) = track.closed(ns) {
                self.packets.end(ns, track.uuid);
            }
        }
    }

    #[cold]
    fn make(&mut self, of: Of, entities: &Entities) -> u64 {
        let title = |core: u16, rest: &str| format!("Core #{core}{rest}");
        let uuid = match of {
            Of::Errors => self.packets.track("Tracing Errors", None, TrackShape::Events),
            Of::Process(core) => {
                // On targets with processes, those use the numbers.
                let pid = self.pid(Some(u64::from(core) + 1).filter(|_| !self.words.has_processes()));
                self.packets.track(&title(core, ""), None, TrackShape::Process(pid))
            }
            Of::Core(core) => self.below(Of::Process(core), &title(core, ""), entities),
            Of::Events(core) => self.below(Of::Process(core), &title(core, " Trace Events"), entities),
            Of::Critical(core) => self.below(Of::Process(core), &title(core, " Critical Section"), entities),
            Of::Locked(core) => self.below(Of::Process(core), &title(core, " Scheduler Locked"), entities),
            Of::Posts(core) => self.below(Of::Process(core), &title(core, " Posts"), entities),
            Of::Entity(id, part) => self.make_part(id, part, entities),
        };
        match of {
            Of::Entity(id, part) => self.known(id, entities).tracks.push((part, Track::new(uuid))),
            other => self.others.push((other, Track::new(uuid))),
        }
        uuid
    }

    fn below(&mut self, parent: Of, name: &str, entities: &Entities) -> u64 {
        let parent = self.uuid(parent, entities);
        self.packets.track(name, Some(parent), TrackShape::Events)
    }

    fn make_part(&mut self, id: Id, part: TrackPart, entities: &Entities) -> u64 {
        let known = self.known(id, entities);
        let (title, of, process) = (known.title.clone(), known.class, known.process);
        let key = entities.key(id);
        let group = Of::Entity(id, TrackPart::Group);
        match part {
            TrackPart::Group if of == Class::PROCESS => {
                let pid = self.pid(Some(key.key));
                self.packets.track(&title, None, TrackShape::Process(pid))
            }
            TrackPart::Group if let Some(process) = process => {
                self.below(Of::Entity(process, TrackPart::Group), &title, entities)
            }
            TrackPart::Group if of == Class::TASK => {
                let pid = self.pid(key.key.checked_add(FIRST_TASK));
                self.packets.track(&title, None, TrackShape::Process(pid))
            }
            TrackPart::Group => self.packets.track(&title, None, TrackShape::Events),
            TrackPart::State => self.below(group, &format!("{title} State"), entities),
            TrackPart::Running => self.below(group, &title, entities),
            TrackPart::Steps => self.below(group, &format!("{title} Steps"), entities),
            TrackPart::Priority => {
                let parent = self.uuid(group, entities);
                let shape = TrackShape::Counter(Unit::Unspecified, "Priority");
                self.packets.track(&format!("{title} Priority"), Some(parent), shape)
            }
            TrackPart::OnCore(core) => self.below(Of::Core(core), &format!("Core #{core}"), entities),
            TrackPart::Isr(core) => self.below(Of::Process(core), &format!("Core #{core} {title}"), entities),
            TrackPart::Tick => self.packets.track(&format!("Tick {title}"), None, TrackShape::Counter(Unit::Count, "")),
            TrackPart::Mark(owner) => self.owned(id, owner, &title, TrackShape::Events, entities),
            TrackPart::Value(owner) => {
                let unit = self.words.unit(key).to_owned();
                self.owned(id, owner, &title, TrackShape::Counter(Unit::Unspecified, &unit), entities)
            }
            TrackPart::Level | TrackPart::Free | TrackPart::Lock | TrackPart::Timer => self.leveled(id, part, entities),
        }
    }

    /// Creates a track for a level, owner or timer.
    fn leveled(&mut self, id: Id, part: TrackPart, entities: &Entities) -> u64 {
        let known = self.known(id, entities);
        let alone = matches!(known.class, Class::QUEUE | Class::LOCK | Class::POOL | Class::TIMER);
        let word = match part {
            TrackPart::Free => "Free",
            _ if alone => "State",
            TrackPart::Level => "Level",
            TrackPart::Lock => "Lock",
            _ => "Timer",
        };
        let name = format!("{} {word}", known.title);
        let counts = matches!(part, TrackPart::Level | TrackPart::Free);
        let shape = if counts { TrackShape::Counter(Unit::Count, "") } else { TrackShape::Events };
        let parent = (!alone).then(|| self.uuid(Of::Entity(id, TrackPart::Group), entities));
        self.packets.track(&name, parent, shape)
    }

    /// Creates a track below its owner, or a top-level one. Markers of a task go below the task.
    fn owned(&mut self, id: Id, owner: Option<Id>, title: &str, shape: TrackShape<'_>, entities: &Entities) -> u64 {
        let Some(owner) = owner else {
            if self.known(id, entities).class == Class::TASK {
                let parent = self.uuid(Of::Entity(id, TrackPart::Group), entities);
                return self.packets.track(&format!("{title} Calls"), Some(parent), shape);
            }
            return self.packets.track(title, None, shape);
        };
        let name = format!("{} {title}", self.known(owner, entities).title);
        let parent = self.uuid(Of::Entity(owner, TrackPart::Group), entities);
        self.packets.track(&name, Some(parent), shape)
    }

    /// A process id: the desired one if free.
    fn pid(&mut self, wish: Option<u64>) -> i32 {
        let wish = wish.and_then(|n| i32::try_from(n).ok()).filter(|pid| !self.pids.contains(pid));
        let pid = wish.unwrap_or_else(|| {
            while self.pids.contains(&self.spare) && self.spare < i32::MAX {
                self.spare += 1;
            }
            self.spare
        });
        self.pids.insert(pid);
        pid
    }
}
