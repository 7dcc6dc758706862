//! Class, title and tracks of each entity, indexed by entity so that no event needs a lookup by key.

use spytui_plugin_api::{batch::AttrId, info::Class};

use crate::{
    export::words::Words,
    replay::{Entities, Id},
};

/// A track's role for its entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// Parent of the entity's other tracks; shows nothing itself.
    Group,
    State,
    /// Priority of a task.
    Priority,
    Running,
    /// Running on a core, below that core.
    OnCore(u16),
    Isr(u16),
    /// Used elements of a queue or pool.
    Level,
    /// Free elements of a queue or pool.
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

/// A track with its open slices.
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
pub(super) struct Known {
    pub(super) title: Box<str>,
    pub(super) class: Class,
    /// The process of a thread.
    pub(super) process: Option<Id>,
    pub(super) idle: bool,
    /// Tracks of the entity; usually few.
    tracks: Vec<(Part, Track)>,
    /// Name of the state reported in advance.
    pub(super) announced: String,
    pub(super) met: bool,
}

impl Known {
    pub(super) fn track(&mut self, part: Part) -> Option<&mut Track> {
        self.tracks.iter_mut().find(|(p, _)| *p == part).map(|(_, track)| track)
    }

    pub(super) fn add(&mut self, part: Part, uuid: u64) {
        self.tracks.push((part, Track::new(uuid)));
    }

    pub(super) fn tracks_mut(&mut self) -> impl Iterator<Item = &mut Track> {
        self.tracks.iter_mut().map(|(_, track)| track)
    }
}

#[derive(Debug, Default)]
pub(super) struct AllKnown(Vec<Option<Box<Known>>>);

impl AllKnown {
    /// The entity's entry, created on first use.
    #[inline]
    pub(super) fn of(&mut self, id: Id, entities: &Entities, words: &Words<'_>) -> &mut Known {
        let at = id.0 as usize;
        if at >= self.0.len() {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at].get_or_insert_with(|| first(id, entities, words))
    }

    /// An existing track.
    #[inline]
    pub(super) fn track(&mut self, id: Id, part: Part) -> Option<&mut Track> {
        self.0.get_mut(id.0 as usize)?.as_mut()?.track(part)
    }

    pub(super) fn tracks_mut(&mut self) -> impl Iterator<Item = &mut Track> {
        self.0.iter_mut().flatten().flat_map(|known| known.tracks_mut())
    }
}

#[cold]
fn first(id: Id, entities: &Entities, words: &Words<'_>) -> Box<Known> {
    let key = entities.key(id);
    let class = words.class(key);
    let idle = class == Class::TASK && words.attr(key, AttrId::IDLE).is_some();
    let (tracks, announced) = (Vec::new(), String::new());
    Box::new(Known { title: words.title(key).into(), class, process: None, idle, tracks, announced, met: false })
}
