//! What rendering needs to know of the kinds of records in a block, worked out when the first of a kind comes.

use crate::{
    config::Config,
    layout::{self, Layout, MAX_FIELDS},
    place::Place,
    record::Values,
    text::line::copy,
};

/// The kinds that came so far.
pub(crate) struct Kinds {
    /// Place in `kinds` by record id; `NOT_YET` = none came.
    by_id: [u8; 128],
    kinds: Vec<Kind>,
    /// The present frame, with room behind it to read words.
    frame: [u8; FRAME],
}

/// Bytes of the longest frame of regular records, and a word.
const FRAME: usize = 16 * MAX_FIELDS + 16;

/// A layout, and what it makes of a frame; `None` = the frame has not the length for it.
type Regular = (&'static Layout, Option<Values<'static>>);

const NOT_YET: u8 = u8::MAX;

/// One kind whose fields all have a size.
#[derive(Clone, Copy)]
struct Kind {
    layout: &'static Layout,
    places: [Place; MAX_FIELDS],
    /// Bytes of its frame.
    len: usize,
}

impl Kinds {
    pub(crate) fn new() -> Kinds {
        Kinds { by_id: [NOT_YET; 128], kinds: Vec::new(), frame: [0; FRAME] }
    }

    /// Layout and values of a frame whose reference text follows from them alone, if they have a fixed size. The
    /// configuration must be the same at each call.
    #[inline]
    pub(crate) fn regular(&mut self, id: u8, frame: &[u8], config: &Config) -> Option<Regular> {
        let place = *self.by_id.get(usize::from(id))?;
        let place = if place == NOT_YET { self.add(id, config)? } else { place };
        let kind = self.kinds.get(usize::from(place))?;
        Some((kind.layout, kind.values(frame, &mut self.frame)))
    }

    #[inline(never)]
    fn add(&mut self, id: u8, config: &Config) -> Option<u8> {
        let kind = Kind::regular(id, config)?;
        let place = self.kinds.len() as u8;
        *self.by_id.get_mut(usize::from(id))? = place;
        self.kinds.push(kind);
        Some(place)
    }
}

impl Kind {
    fn regular(id: u8, config: &Config) -> Option<Kind> {
        let layout = layout::regular(id, config.version, config.style).filter(|l| l.fixed())?;
        let places = Place::all(layout, &config.sizes);
        let payload = layout.fields.len().checked_sub(1).and_then(|last| places.get(last)).map_or(0, |p| p.end());
        // Sequence number, id and check value stand around the payload.
        Some(Kind { layout, places, len: payload + 3 })
    }

    /// The values in a frame; `None` = it has not the length for them.
    #[inline]
    fn values(&self, frame: &[u8], room: &mut [u8; FRAME]) -> Option<Values<'static>> {
        let place = room.get_mut(..self.len).filter(|place| place.len() == frame.len())?;
        copy(place, frame);
        let mut values = Values::new();
        for (number, place) in values.numbers.iter_mut().zip(&self.places).take(self.layout.fields.len()) {
            *number = place.read_at(room);
        }
        Some(values)
    }
}
