//! What rendering needs to know of the kinds of records, worked out when the first of a kind comes.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::{
    config::Config,
    fast::{NO_WORD, Place, Word},
    layout::{self, Layout, MAX_FIELDS, id},
    record::Values,
};

/// Ids of which some are regular; application records are none of them.
const IDS: usize = 128;

/// Configurations whose kinds are remembered.
const REMEMBERED: usize = 4;

/// The kinds of a configuration that came so far.
pub(crate) struct Kinds {
    config: Config,
    by_id: [OnceLock<Option<Kind>>; IDS],
}

/// One kind whose fields all have a size.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) layout: &'static Layout,
    pub(crate) front: Front,
    words: [Word; MAX_FIELDS],
    /// Bytes of its frame.
    len: usize,
}

/// What a line begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    Stamp,
    /// The mark of a run-to-completion step.
    Step,
    Blanks,
}

impl Front {
    pub(crate) fn of(layout: &Layout) -> Front {
        // The stamp that old targets put into their answers is not shown.
        if layout.stamped() && layout.id != id::STATUS {
            Front::Stamp
        } else if layout.in_step() {
            Front::Step
        } else {
            Front::Blanks
        }
    }
}

impl Kinds {
    /// Those of a configuration. They are remembered for the blocks to come, of few configurations: most blocks of a
    /// stream have the same.
    pub(crate) fn of(config: &Config) -> Arc<Kinds> {
        static LATELY: Mutex<Vec<Arc<Kinds>>> = Mutex::new(Vec::new());
        let mut lately = LATELY.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kinds) = lately.iter().find(|kinds| kinds.config == *config) {
            return kinds.clone();
        }
        let kinds = Arc::new(Kinds::new(*config));
        lately.truncate(REMEMBERED - 1);
        lately.insert(0, kinds.clone());
        kinds
    }

    fn new(config: Config) -> Kinds {
        Kinds { config, by_id: [const { OnceLock::new() }; IDS] }
    }

    /// The kind of records whose reference text follows from their layout alone, if that has a fixed size.
    #[inline]
    pub(crate) fn regular(&self, id: u8) -> Option<&Kind> {
        self.by_id.get(usize::from(id))?.get_or_init(|| Kind::regular(id, &self.config)).as_ref()
    }
}

impl Kind {
    #[inline(never)]
    fn regular(id: u8, config: &Config) -> Option<Kind> {
        let layout = layout::regular(id, config.version, config.style).filter(|l| l.fixed())?;
        let places = Place::all(layout, &config.sizes);
        let payload = layout.fields.len().checked_sub(1).and_then(|last| places.get(last)).map_or(0, |p| p.end());
        // Sequence number, id and check value stand around the payload.
        let len = payload + 3;
        let mut words = [NO_WORD; MAX_FIELDS];
        for (word, place) in words.iter_mut().zip(places).take(layout.fields.len()) {
            *word = Word::new(place, len);
        }
        Some(Kind { layout, front: Front::of(layout), words, len })
    }

    /// Whether a frame has the length of this kind. The others may only be asked then.
    #[inline]
    pub(crate) fn fits(&self, frame: &[u8]) -> bool {
        frame.len() == self.len
    }

    /// Its values.
    #[inline]
    pub(crate) fn values(&self, frame: &[u8]) -> Values<'static> {
        let mut values = Values::new();
        for (number, word) in values.numbers.iter_mut().zip(&self.words).take(self.layout.fields.len()) {
            *number = word.read(frame);
        }
        values
    }

    /// Its first value, mostly the stamp.
    #[inline]
    pub(crate) fn first(&self, frame: &[u8]) -> u64 {
        self.words.first().map_or(0, |word| word.read(frame))
    }
}
