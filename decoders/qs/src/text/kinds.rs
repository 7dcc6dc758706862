//! What rendering needs to know of the kinds of records in a block, worked out when the first of a kind comes.

use super::again::Rest;
use crate::{
    config::Config,
    layout::{self, Layout, MAX_FIELDS},
    place::{NOWHERE, Place},
    record::Values,
};

/// The kinds that came so far.
pub(crate) struct Kinds {
    /// Place in `kinds` by record id; `NOT_YET` = none came, `IRREGULAR` = it is none.
    by_id: [u8; 128],
    kinds: Vec<Kind>,
}

const NOT_YET: u8 = u8::MAX;
const IRREGULAR: u8 = NOT_YET - 1;

/// One kind whose fields all have a size.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) layout: &'static Layout,
    places: [Place; MAX_FIELDS],
    /// The first field, if it is a stamp that the text has in front and nowhere else.
    stamp: Place,
    /// Bytes of its frame.
    len: usize,
}

impl Kinds {
    pub(crate) fn new() -> Kinds {
        Kinds { by_id: [NOT_YET; 128], kinds: Vec::new() }
    }

    /// The kind of records whose reference text follows from their layout alone, if that has a fixed size. The
    /// configuration must be the same at each call.
    #[inline]
    pub(crate) fn regular(&mut self, id: u8, config: &Config) -> Option<&Kind> {
        let place = *self.by_id.get(usize::from(id))?;
        let place = if place == NOT_YET { self.add(id, config)? } else { place };
        self.kinds.get(usize::from(place))
    }

    #[inline(never)]
    fn add(&mut self, id: u8, config: &Config) -> Option<u8> {
        let kind = Kind::regular(id, config);
        let place = if kind.is_some() { self.kinds.len() as u8 } else { IRREGULAR };
        *self.by_id.get_mut(usize::from(id))? = place;
        self.kinds.extend(kind);
        Some(place)
    }
}

impl Kind {
    fn regular(id: u8, config: &Config) -> Option<Kind> {
        let layout = layout::regular(id, config.version, config.style).filter(|l| l.fixed())?;
        let places = Place::all(layout, &config.sizes);
        let payload = layout.fields.len().checked_sub(1).and_then(|last| places.get(last)).map_or(0, |p| p.end());
        let in_front = layout.stamped() && layout.line.pieces().iter().all(|piece| piece.field != 0);
        let stamp = places.first().copied().filter(|_| in_front).unwrap_or(NOWHERE);
        // Sequence number, id and check value stand around the payload.
        Some(Kind { layout, places, stamp, len: payload + 3 })
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
        for (number, place) in values.numbers.iter_mut().zip(&self.places).take(self.layout.fields.len()) {
            *number = place.read_frame(frame);
        }
        values
    }

    /// Its first value, mostly the stamp.
    #[inline]
    pub(crate) fn first(&self, frame: &[u8]) -> u64 {
        self.places.first().map_or(0, |place| place.read_frame(frame))
    }

    /// What its text behind the stamp depends on; `None` = that is too long, or the frame too short to read words.
    #[inline]
    pub(crate) fn rest(&self, frame: &[u8]) -> Option<Rest> {
        let start = 2 + self.stamp.end();
        let (_, payload) = frame.split_last()?;
        let last = payload.len().checked_sub(8)?;
        if payload.len() > start + size_of::<Rest>() {
            return None;
        }
        let mut rest = Rest::default();
        for (word, off) in rest.iter_mut().zip((start..).step_by(8)) {
            // The word that begins here, or the end of the last one of the payload.
            let at = off.min(last);
            let bytes = payload.get(at..).and_then(<[u8]>::first_chunk)?;
            *word = u64::from_le_bytes(*bytes).checked_shr((off - at) as u32 * 8).unwrap_or(0);
        }
        Some(rest)
    }
}
