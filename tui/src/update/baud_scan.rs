//! `:baud auto`: listens for a second at each usual rate, scores what the decoder makes of it, sends nothing.

use std::time::{Duration, Instant};

use spytui_plugin_api::info::OptVal;

use crate::model::{Effect, Model, jobs::BaudScan};

/// Usual rates, the likeliest first.
const RATES: [u32; 10] = [115_200, 921_600, 1_000_000, 460_800, 230_400, 57_600, 38_400, 19_200, 9_600, 2_000_000];
const LISTEN: Duration = Duration::from_secs(1);

/// Continues the scan.
pub(super) fn follow(model: &mut Model, now: Instant) {
    let Some(mut scan) = model.jobs.baud_scan.take() else { return };
    let len = model.links.first().log().len();
    match scan.since {
        Some(since) if now.duration_since(since) < LISTEN => {
            model.jobs.baud_scan = Some(scan);
            return;
        }
        Some(_) => {
            let score = score(model, scan.from, len);
            if score > scan.best.1 {
                scan.best = (RATES[scan.at], score);
            }
            scan.at += 1;
        }
        None => {}
    }
    match RATES.get(scan.at) {
        Some(&rate) => {
            set_baud(model, rate);
            model.say(format!("listening at {rate} baud"));
            model.jobs.baud_scan = Some(BaudScan { since: Some(now), from: len, ..scan });
        }
        None if scan.best.1 > 0 => {
            set_baud(model, scan.best.0);
            model.links.first_mut().begin_anew();
            model.say(format!("{} baud fits best", scan.best.0));
        }
        None => {
            set_baud(model, RATES[0]);
            model.fail("no rate gives valid frames; is the target sending, and is the decoder right?");
        }
    }
}

fn set_baud(model: &mut Model, rate: u32) {
    model.ask_for(Effect::SetBaud { source: model.links.scope[0], rate });
}

/// Evidence that the decoder finds in a range of the log, in bits.
fn score(model: &Model, from: u64, end: u64) -> u32 {
    let mut sample = Vec::new();
    let len = (end - from).min(256 * 1024) as usize;
    if model.links.first().log().read_into(from, len, &mut sample).is_err() {
        return 0;
    }
    let options: Vec<OptVal<'_>> = model.list.decoding().options.vals();
    let guesses = model.list.decoding().decoder.table.probe(&sample, &options);
    let fits = |g: &spytui_plugin_api::info::Guess| g.explained >= 500;
    guesses.into_iter().flatten().filter(fits).map(|g| g.evidence_bits).max().unwrap_or(0)
}
