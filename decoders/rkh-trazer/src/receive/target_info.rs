//! The target's configuration, from options, its configuration record and other records; reports conflicts.

use spytui_decoder_kit::{DropField, RowBuilder};
use spytui_plugin_api::{Activity, Output, Row, RowKind, Verb, batch::AttachmentId, row::RowFlags};
use spytui_plugin_layer::sequence::FramePlace;

use super::native::NativeReceiver;
use crate::{
    config::{Key, SPECS, Settings, Tcfg, bit},
    frame::FrameLocation,
    layout::{Era, Group},
    record::RecordFrame,
};

/// Settings in a configuration record of its era, as bits.
fn reported_by(tcfg: &Tcfg) -> u16 {
    let all = !bit(Key::Function);
    match Era::of(tcfg.settings.get(Key::Version)) {
        Era::R23 => {
            let missing = [Key::Version, Key::Sender, Key::QueueLwm, Key::PoolLwm, Key::Bsize];
            missing.iter().fold(all, |bits, key| bits & !bit(*key))
        }
        _ => all,
    }
}

impl NativeReceiver {
    /// Takes a configuration record: applies its settings and reports changes.
    pub(super) fn tcfg(&mut self, tcfg: &Tcfg, frame: &[u8], at: FrameLocation, out: &mut Output<'_>) {
        let before = self.base.settings;
        let mut reported = reported_by(tcfg);
        if Era::of(before.get(Key::Version)) != Era::R23 {
            reported |= bit(Key::Version);
        }
        let settings = before.overlaid(&tcfg.settings, reported);
        let earlier = self.base.started;
        if tcfg.hz > 0 && !self.target.rate {
            self.base.clock.set_rate(tcfg.hz.into());
        }
        self.base.configure(out, settings);
        self.base.properties(true, out);
        let old = tcfg.header > 1;
        let mut row = self.row_of_tcfg(frame, old, earlier, at, out);
        self.base.started = true;
        // Without sequence numbers, only this record shows that the target restarted.
        let restarts = earlier && !self.base.config.nseq && !old;
        if restarts {
            self.epoch();
            row.flags |= RowFlags::EPOCH;
            row.time = 0;
        }
        if out.wants_activities() && (restarts || !earlier) {
            out.activity(Activity::new(Verb::RESET));
        }
        out.row(row);
        self.begin(earlier);
        let end = at.pos + at.len as u64;
        self.report_conflicts(&before, &settings, end, out);
        self.report_version(tcfg, end, out);
        self.report_changes(&before, &settings, end, out);
        self.target.tcfg = Some(settings);
        self.target.record = Some(*tcfg);
        self.target.tcfg_came = !old && self.line.held_start.came_late().is_none();
        self.line.held_start.begins(at.pos);
        self.line.fresh = false;
    }

    /// Builds the row of a configuration record. Old layouts have the usual header.
    fn row_of_tcfg(&mut self, frame: &[u8], old: bool, earlier: bool, at: FrameLocation, out: &mut Output<'_>) -> Row {
        let frame = self.base.read(frame);
        let mut stamped = RowFlags::empty();
        if let Some(frame) = frame.as_ref().filter(|_| old) {
            self.target.tcfg_came = earlier && self.line.held_start.came_late().is_none();
            stamped = match self.number(frame, at, out) {
                FramePlace::InOrder => self.base.stamp(frame),
                _ => RowFlags::OUT_OF_ORDER,
            };
        }
        let mut row = self.base.row(at.pos, at.len);
        row.kind = frame.and_then(|frame| frame.layout()).map_or(row.kind, |layout| layout.kind);
        row.group = Group::Fwk as u8;
        row.flags |= at.flags | stamped | RowFlags::NAMING;
        row
    }

    /// Before the first record, nothing was posted or dropped.
    fn begin(&mut self, earlier: bool) {
        if !earlier {
            self.queues.start();
            self.line.sequence.start_drops();
        }
    }

    /// Adds a row for a restart of the target, the first row of the new epoch.
    pub(super) fn restart(&mut self, text: &str, pos: u64, out: &mut Output<'_>) {
        self.epoch();
        if out.wants_activities() {
            out.activity(Activity::new(Verb::RESET));
        }
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
        let mut row = self.base.note(Row::note(RowKind::RESTART, pos, 0));
        row.flags |= RowFlags::EPOCH;
        out.row(row);
        self.line.sequence.begin(0);
    }

    fn epoch(&mut self) {
        self.base.clock.restart();
        self.line.sequence.start_drops();
        self.line.drops.start();
        self.queues.start();
        self.target.records = 0;
        self.target.misfits = 0;
    }

    /// Reports each conflict between record and options once.
    fn report_conflicts(&mut self, before: &Settings, now: &Settings, pos: u64, out: &mut Output<'_>) {
        if self.target.tcfg.is_some() {
            return;
        }
        for spec in now.differing(before).filter(|s| self.target.given & bit(s.key) != 0) {
            let (set, came) = (spec.show(before.get(spec.key)), spec.show(now.get(spec.key)));
            self.base.overruled(pos, spec.option.key, &set, &came, out);
        }
    }

    /// Reports a version whose records may differ from all known ones.
    fn report_version(&mut self, tcfg: &Tcfg, pos: u64, out: &mut Output<'_>) {
        if tcfg.is_known() {
            return;
        }
        let (came, nearest) = (tcfg.dotted(), if tcfg.version < 0x3000 { "2.4.06" } else { "3.4.00" });
        let text = format!(
            "the target is RKH {came}; known are 2.3 to 3.4: read as {nearest}, records may be misread; update spytui"
        );
        self.base.conflict(pos, &text, out);
    }

    /// Reports settings that also affect earlier records.
    fn report_changes(&mut self, before: &Settings, now: &Settings, pos: u64, out: &mut Output<'_>) {
        if self.target.tcfg.is_some() || self.target.records == 0 {
            return;
        }
        let changed = now.differing(before).map(|spec| (spec.option.key, spec.show(now.get(spec.key))));
        let options: Vec<(&str, String, String)> = changed.map(|(key, value)| (key, value.clone(), value)).collect();
        self.base.learned(pos, &options, "", out);
    }

    /// Learns the size of function pointers from a record that contains one, because no record reports it.
    pub(super) fn learn_function(&mut self, frame: &RecordFrame<'_>, pos: u64, out: &mut Output<'_>) -> bool {
        let expected = match frame.nseq(&self.base.config) {
            Some(seq) => self.line.sequence.expected().is_none_or(|e| e == seq),
            None => true,
        };
        if self.target.given & bit(Key::Function) != 0 || !self.target.is_configured() || !expected {
            return false;
        }
        let Some(settings) = self.base.other_function(frame.bytes) else { return false };
        self.base.configure(out, settings);
        self.base.properties(true, out);
        let text = format!("function pointers have {} bytes, as this record shows", settings.function());
        self.base.say(out, Row::note(RowKind::CONFIG, pos, 0), &text);
        true
    }

    pub(super) fn options(&mut self, text: &[u8], out: &mut Output<'_>) {
        let mut settings = self.base.settings;
        let text = String::from_utf8_lossy(text);
        if let Some(field) = DropField::in_options(&text) {
            self.line.drops.declare(field);
        }
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            if let Some(spec) = SPECS.iter().find(|spec| spec.option.key == key)
                && let Ok(value) = spec.option.parse(value.trim())
            {
                settings.set(spec.key, value);
                self.target.given |= bit(spec.key);
            }
        }
        self.base.configure(out, settings);
        self.base.properties(false, out);
    }
}
