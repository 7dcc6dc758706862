//! Activities without state: markers, values, priorities, ticks, and machine events outside steps.

use std::io::Write;

use spytui_plugin_api::{ActivityFlags as F, NONE, Verb as V, info::space};

use super::{
    exporter::{Exporter, ShownActivity},
    frame::Arrow,
    known::Part,
    late::Late,
    tracks::Of,
};
use crate::replay::Id;

impl<W: Write> Exporter<'_, W> {
    pub(super) fn mark(&mut self, doing: &ShownActivity<'_>) {
        let (activity, ns) = (doing.activity, doing.ns);
        match (activity.verb, doing.who.sub) {
            (V::BEGIN | V::END | V::INSTANT, Some(sub)) => self.marker(sub, doing),
            (V::VALUE, Some(sub)) => self.value(sub, doing),
            (V::PRIO, Some(task)) => self.counter(Of::Entity(task, Part::Priority), ns, activity.val),
            (V::PUBLISH, _) => self.note("publish", doing),
            (V::DEFER, _) => self.note("defer", doing),
            (V::RECALL, _) => self.note("recall", doing),
            (V::SUBSCRIBE, _) => self.note("subscribe", doing),
            (V::UNSUBSCRIBE, _) => self.note("unsubscribe", doing),
            (V::UNHANDLED, Some(_)) => self.note("unhandled", doing),
            (V::IGNORED, Some(_)) => self.note("ignored", doing),
            (V::FIRE, Some(timer)) => {
                self.name_of_item(doing, "");
                self.instant(Of::Entity(timer, Part::Timer), ns);
            }
            (V::BLOCK, Some(task)) => self.waits(task, doing),
            (V::TICK, _) if activity.item_space != NONE => {
                let key = self.replay.entities.named(activity, activity.item_space, activity.item);
                match self.replay.entities.id(key) {
                    Some(rate) if doing.is_timed() => self.counter(Of::Entity(rate, Part::Tick), ns, activity.val),
                    Some(rate) => self.wait(Late::Tick(rate, activity.val)),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Writes an instant on the track of a machine's steps.
    fn note(&mut self, word: &str, doing: &ShownActivity<'_>) {
        self.name_of_item(doing, word);
        if doing.activity.flags.contains(F::FAILED) {
            self.text.push_str(" failed");
        }
        self.message(Arrow::None, doing);
    }

    /// Writes a marker's begin, end or instant.
    fn marker(&mut self, sub: Id, doing: &ShownActivity<'_>) {
        let of = Of::Entity(sub, Part::Mark(doing.who.obj));
        let (verb, ns) = (doing.activity.verb, doing.ns);
        if verb != V::INSTANT && doing.activity.flags.contains(F::APART) {
            // Calls do not nest: a return from a call before the trace ends nothing, and a call whose return was lost
            // ends with the next one.
            self.end(of, ns);
            if verb == V::END {
                return;
            }
        }
        if verb == V::END {
            if !self.tracks.close(of, ns) {
                let uuid = self.tracks.uuid(of, &self.replay.entities);
                self.tracks.packets.end(ns, uuid);
            }
            return;
        }
        if doing.activity.sub_space == space::KINDS {
            // The record itself is the marker.
            self.rows.put(doing.item, &self.tracks.words, "", &mut self.text);
        } else if !self.labels.given(doing.item, &self.tracks.words, &mut self.text)
            && !self.labels.ask(doing.item, doing.activity, &self.tracks.words, &mut self.text)
            && doing.activity.item_space != NONE
        {
            let key = self.replay.entities.named(doing.activity, doing.activity.item_space, doing.activity.item);
            self.tracks.words.push_name(&mut self.text, key);
        }
        if verb == V::BEGIN { self.begin(of, ns) } else { self.instant(of, ns) }
    }

    fn value(&mut self, sub: Id, doing: &ShownActivity<'_>) {
        let of = Of::Entity(sub, Part::Value(doing.who.obj));
        let uuid = self.tracks.uuid(of, &self.replay.entities);
        let (val, ns, packets) = (doing.activity.val, doing.ns, &mut self.tracks.packets);
        if doing.activity.flags.contains(F::FLOAT) {
            return packets.float_counter(ns, uuid, f64::from_bits(val));
        }
        let is_signed = doing.activity.flags.contains(F::SIGNED);
        packets.counter(ns, uuid, if is_signed { val as i64 } else { i64::try_from(val).unwrap_or(i64::MAX) });
    }

    fn waits(&mut self, task: Id, doing: &ShownActivity<'_>) {
        let Some(lock) = doing.who.obj else { return };
        self.text.clear();
        self.push_title(task);
        self.text.push_str(if !doing.activity.flags.contains(F::FAILED) { " waits" } else { " did not get it" });
        self.instant(Of::Entity(lock, Part::Lock), doing.ns);
    }
}
