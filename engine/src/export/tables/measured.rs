//! What the replay measures, as rows of the tables `spans`, `states` and `levels`.

use spytui_plugin_api::NONE;

use super::column::RowGroup;
use crate::{
    analysis::{
        objects::Wording,
        statistics::{
            Measure,
            tally::{IDLE, Measurement, number_of_key},
        },
    },
    present::Clock,
    replay::{Key, Stamp},
};

/// Where something was measured, and the words for it.
pub(super) struct MeasuredAt<'a> {
    pub(super) recording: &'a [u8],
    pub(super) source: i32,
    pub(super) clock: &'a Clock,
    pub(super) wording: &'a Wording<'a>,
    /// The row.
    pub(super) here: Stamp,
}

impl MeasuredAt<'_> {
    /// An interval that ends here, or with `ends` unset is still open.
    pub(super) fn interval(&self, of: &Measurement, ends: bool, out: &mut RowGroup) {
        let begin = of.begin.unwrap_or(self.here);
        let end = ends.then_some(self.here);
        let length = begin.until(&self.here);
        let ns = |ticks: Option<u64>| ticks.and_then(|ticks| self.clock.ns(ticks));
        self.head(out);
        out.text(of.measure.word().as_bytes());
        self.object(of.subject.object, out);
        out.maybe_text(of.subject.signal.map(|signal| self.wording.bare_name(signal)).as_ref().map(String::as_bytes));
        out.int(Some(of.subject.core).filter(|core| *core != NONE && self.wording.info.has_cores).map(i32::from));
        out.long(begin.row);
        out.long(end.map(|end| end.row));
        let end_time = end.and_then(|end| end.time);
        for ticks in [begin.time, end_time, length] {
            out.long(ticks);
            out.long(ns(ticks));
        }
        out.bool(!begin.is_cut(&self.here));
        out.end_row();
    }

    pub(super) fn level(&self, of: &Measurement, out: &mut RowGroup) {
        self.head(out);
        out.long(self.here.row);
        out.long(self.here.time);
        out.long(self.here.time.and_then(|ticks| self.clock.ns(ticks)));
        out.text(of.measure.word().as_bytes());
        self.object(of.subject.object, out);
        out.double(if of.measure == Measure::Value { number_of_key(of.value) } else { of.value as f64 });
        let is_level = of.measure != Measure::Value;
        out.long(of.subject.object.filter(|_| is_level).and_then(|object| self.wording.capacity(object)));
        out.end_row();
    }

    fn head(&self, out: &mut RowGroup) {
        out.text(self.recording);
        out.int(self.source);
    }

    fn object(&self, object: Option<Key>, out: &mut RowGroup) {
        let own = object.filter(|object| *object != IDLE);
        let name = object.map(|_| match own {
            Some(object) => self.wording.bare_name(object),
            None => "idle".to_owned(),
        });
        out.maybe_text(name.as_ref().map(String::as_bytes));
        out.long(own.map(|object| object.key));
        let space = own.and_then(|object| self.wording.info.space(object.space));
        out.maybe_text(space.map(|space| space.name.as_bytes()));
    }
}
