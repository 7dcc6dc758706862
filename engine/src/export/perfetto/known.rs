//! What is known of each entity: its class, its title, its tracks. By number, so that no event costs a search.

use spytui_plugin_api::{batch::attr, info::Class};

use super::words::Words;
use crate::analysis::{Entities, Id};

/// What a track of an entity shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// Nothing itself: the others are below it.
    Group,
    /// States.
    State,
    /// Priority of a task.
    Priority,
    /// When a task runs.
    Running,
    /// The same, below a core.
    OnCore(u16),
    /// When an interrupt is active on a core.
    Isr(u16),
    /// Elements in a queue or pool.
    Level,
    /// Free elements of a queue or pool.
    Free,
    /// Who has a lock.
    Lock,
    /// Spans and instants, of an owner if there is one.
    Mark(Option<Id>),
    /// Values, of an owner if there is one.
    Value(Option<Id>),
    /// Run-to-completion steps and messages.
    Steps,
    /// When a timer runs.
    Timer,
    /// A clock that ticks.
    Tick,
}

/// A track.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track {
    pub(super) uuid: u64,
    /// Slices that are open.
    pub(super) open: u32,
}

/// One entity.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) title: Box<str>,
    pub(super) class: Class,
    /// It runs when nothing else does.
    pub(super) idle: bool,
    /// Its tracks; few, as a rule.
    tracks: Vec<(Part, Track)>,
    /// Name of the state that was announced and did not begin yet.
    pub(super) announced: String,
    /// It was mentioned.
    pub(super) met: bool,
}

impl Known {
    pub(super) fn track(&mut self, part: Part) -> Option<&mut Track> {
        self.tracks.iter_mut().find(|(p, _)| *p == part).map(|(_, track)| track)
    }

    pub(super) fn add(&mut self, part: Part, uuid: u64) {
        self.tracks.push((part, Track { uuid, open: 0 }));
    }

    pub(super) fn tracks_mut(&mut self) -> impl Iterator<Item = &mut Track> {
        self.tracks.iter_mut().map(|(_, track)| track)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct AllKnown(Vec<Option<Box<Known>>>);

impl AllKnown {
    /// What is known of an entity; found out when it is first asked for.
    #[inline]
    pub(super) fn of(&mut self, id: Id, entities: &Entities, words: &Words<'_>) -> &mut Known {
        let at = id.0 as usize;
        if at >= self.0.len() {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at].get_or_insert_with(|| first(id, entities, words))
    }

    /// A track that there is.
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
    let idle = class == Class::TASK && words.attr(key, attr::IDLE).is_some();
    let (tracks, announced) = (Vec::new(), String::new());
    Box::new(Known { title: words.title(key).into(), class, idle, tracks, announced, met: false })
}
