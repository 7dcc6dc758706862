//! Interrupts that take most of a core.

use rustc_hash::FxHashMap;
use spytui_plugin_api::Verb as V;

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Change, Entities, Id, Moment, Seen};

/// Entries per window; fewer may be a burst that a driver is designed for.
const WINDOW: u64 = 64;
/// Minimum share of time in the handler, per mille.
const SHARE: u64 = 500;
/// Maximum number of interrupts tracked; bounds memory on noisy input.
const MOST: usize = 4096;

#[derive(Debug, Clone, Copy, Default)]
struct Line {
    entries: u64,
    from: Moment,
    inside: u64,
    evidence: Evidence,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Interrupts {
    lines: FxHashMap<(Id, u16), Line>,
    /// Number of measured handler runs.
    pub(super) seen: u64,
}

impl Interrupts {
    /// An interrupt handler begins or ends.
    pub(super) fn apply(&mut self, isr: Id, seen: &Seen<'_>) {
        let (core, here) = (seen.activity.core, *seen.here);
        let Some(now) = here.time else { return };
        if self.lines.len() >= MOST && !self.lines.contains_key(&(isr, core)) {
            return;
        }
        let line = self.lines.entry((isr, core)).or_default();
        if seen.activity.verb == V::ISR_OUT {
            if let [Change::Leaves { begin, .. }] = seen.changes
                && !begin.is_cut(seen.stamp)
                && let Some(inside) = begin.until(seen.stamp)
            {
                line.inside = line.inside.saturating_add(inside);
                self.seen += 1;
            }
            return;
        }
        if line.entries == 0 {
            line.from = here;
        }
        if line.entries == WINDOW {
            line.window(here, now);
        }
        line.entries += 1;
    }

    /// Records are missing: handlers may have ended.
    pub(super) fn lost(&mut self) {
        for line in self.lines.values_mut() {
            *line = Line { evidence: line.evidence, ..Line::default() };
        }
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<Found>) {
        for ((isr, _), line) in self.lines.iter().filter(|(_, line)| line.evidence.count > 0) {
            let detail = Detail::Share(line.evidence.badness);
            out.push(Found::new(Rule::InterruptStorm, Some(entities.key(*isr)), line.evidence, detail));
        }
    }
}

impl Line {
    fn window(&mut self, here: Moment, now: u64) {
        let duration = now.saturating_sub(self.from.time.unwrap_or(now));
        let share = (u128::from(self.inside) * 1000).checked_div(u128::from(duration)).unwrap_or(0).min(1000) as u64;
        if share >= SHARE {
            self.evidence.add_from(self.from, here, share);
        }
        (self.entries, self.inside, self.from) = (0, 0, here);
    }
}
