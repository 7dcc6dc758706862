//! Detection: whether a sample is a trace (frames with events, time stamps in order), and of which mode.

use spytui_plugin_api::info::Guess;

use crate::{
    config::BARE_METAL,
    fast::{self, Room},
    frame::END,
    record,
};

/// Fewest events for a guess.
const FEWEST: u32 = 8;
/// Fewest events for a guess of the mode.
const FEWEST_OF_MODE: u32 = 50;

/// What is in a sample.
#[derive(Default)]
struct Found {
    events: u32,
    /// Events with a stamp, and those of them that are not before the one before.
    stamped: u32,
    in_order: u32,
    /// Events of FreeRTOS, and those of them whose stamp is between its neighbours.
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
        // Nothing in a frame checks the rest of it: what speaks for it is that all of it fits, and time.
        evidence_bits: 2 * events + 4 * in_order,
        explained: (found.good_bytes * 1000 / found.bytes.max(1)) as u16,
        options: mode.into(),
        why: format!("{events} events of a {kind} target, {in_order} of {stamped} stamps in order").into(),
    });
}

impl Found {
    /// Few events of FreeRTOS, and out of time, are damage: of an ordinary trace of it they are the larger part.
    fn is_bare_metal(&self) -> bool {
        let few = self.rtos > 0 && self.rtos * 50 < self.events;
        few && self.events >= FEWEST_OF_MODE && self.rtos_in_order * 2 < self.rtos
    }
}

/// Looks at all frames but the first, which may have begun before, and what has no end.
fn look(sample: &[u8]) -> Found {
    let mut found = Found::default();
    let ends = sample.iter().rposition(|&b| b == END).unwrap_or(0);
    let (mut before, mut waiting) = (None, None);
    for (i, body) in sample.get(..ends).unwrap_or(&[]).split(|&b| b == END).enumerate() {
        let mut room = Room::new();
        let record = fast::decode(body, &mut room).and_then(|event| record::parse(event, true).ok());
        found.bytes += if i > 0 || record.is_some() { body.len() + 1 } else { 0 };
        let Some(record) = record else { continue };
        found.events += 1;
        found.good_bytes += body.len() + 1;
        found.rtos += u32::from(record.layout.rtos);
        if !record.layout.timed || record.is_bare() {
            continue;
        }
        let in_order = before.is_some_and(|before| record.stamp >= before);
        found.stamped += 1;
        found.in_order += u32::from(in_order);
        // Of FreeRTOS and in order so far: the next one tells whether it was.
        found.rtos_in_order += u32::from(waiting.take().is_some_and(|stamp| record.stamp >= stamp));
        waiting = (record.layout.rtos && in_order).then_some(record.stamp);
        before = Some(record.stamp);
    }
    found
}
