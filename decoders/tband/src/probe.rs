//! Detects whether a sample is a trace (frames with events, time stamps in order), and its mode.

use spytui_plugin_api::text::grouped;
use spytui_plugin_api::{console, info::Guess};

use crate::{config::BARE_METAL, frame::END, record};

/// Minimum number of events for a guess.
const FEWEST: u32 = 8;
const FEWEST_OF_MODE: u32 = 50;

#[derive(Default)]
struct Found {
    events: u32,
    /// Number of time stamps, and how many are in order.
    stamped: u32,
    in_order: u32,
    /// Number of FreeRTOS events, and how many have a time stamp between their neighbours'.
    rtos: u32,
    rtos_in_order: u32,
    good_bytes: usize,
    bytes: usize,
}

/// Adds a guess if the sample looks like a trace.
pub(crate) fn guess(sample: &[u8], out: &mut Vec<Guess>) {
    let found = look(sample);
    if found.events < FEWEST || found.in_order == 0 {
        return;
    }
    let mode = if found.is_bare_metal() { format!("mode={BARE_METAL}\n") } else { String::new() };
    let kind = if found.rtos == 0 || found.is_bare_metal() { "bare-metal" } else { "FreeRTOS" };
    let (events, in_order, stamped) = (found.events, found.in_order, found.stamped);
    out.push(Guess {
        // Frames have no checksum: the evidence is that events parse and times are in order.
        evidence_bits: 2 * events + 4 * in_order,
        explained: (found.good_bytes * 1000 / found.bytes.max(1)) as u16,
        options: mode.into(),
        why: format!(
            "{} events of a {kind} target, {} of {} stamps in order",
            grouped(events.into()),
            // The first stamp has no predecessor, so it counts as in order.
            grouped(u64::from(in_order) + 1),
            grouped(stamped.into())
        )
        .into(),
    });
}

impl Found {
    /// A few FreeRTOS events with times out of order are damage: in a FreeRTOS trace they are the majority.
    fn is_bare_metal(&self) -> bool {
        let few = self.rtos > 0 && self.rtos * 50 < self.events;
        few && self.events >= FEWEST_OF_MODE && self.rtos_in_order * 2 < self.rtos
    }
}

/// Checks all frames except the first, which may be cut off, and the incomplete last one.
fn look(sample: &[u8]) -> Found {
    let mut found = Found::default();
    let ends = sample.iter().rposition(|&b| b == END).unwrap_or(0);
    let (mut before, mut waiting) = (None, None);
    for (i, body) in sample.get(..ends).unwrap_or(&[]).split(|&b| b == END).enumerate() {
        let mut room = Vec::new();
        let record = record::read(body, true, &mut room).ok();
        let Some(record) = record else {
            // Text printed by the target need not be explained.
            found.bytes += if i > 0 { body.len() + 1 - console::text_bytes(body) } else { 0 };
            continue;
        };
        found.bytes += body.len() + 1;
        found.events += 1;
        found.good_bytes += body.len() + 1;
        found.rtos += u32::from(record.layout.rtos);
        if !record.layout.timed || record.is_bare() {
            continue;
        }
        let in_order = before.is_some_and(|before| record.stamp >= before);
        found.stamped += 1;
        found.in_order += u32::from(in_order);
        // A FreeRTOS event, in order so far: the next time stamp confirms it.
        found.rtos_in_order += u32::from(waiting.take().is_some_and(|stamp| record.stamp >= stamp));
        waiting = (record.layout.rtos && in_order).then_some(record.stamp);
        before = Some(record.stamp);
    }
    found
}
