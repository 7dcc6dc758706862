//! `:baud auto`: listens for a second at each usual rate, scores what the decoder makes of it, sends nothing.

use std::time::{Duration, Instant};

use spytui_plugin_api::info::OptVal;

use super::{source::Feed, state::App};

/// Usual rates, the likeliest first.
const RATES: [u32; 10] = [115_200, 921_600, 1_000_000, 460_800, 230_400, 57_600, 38_400, 19_200, 9_600, 2_000_000];
const LISTEN: Duration = Duration::from_secs(1);

/// How far it is.
#[derive(Debug)]
pub struct AutoBaud {
    at: usize,
    since: Option<Instant>,
    from: u64,
    best: (u32, u32),
}

impl AutoBaud {
    /// Begins; `pos` = end of the log.
    #[must_use]
    pub fn start(pos: u64) -> AutoBaud {
        AutoBaud { at: 0, since: None, from: pos, best: (0, 0) }
    }
}

impl App {
    /// Goes on listening; called at every turn of the main loop.
    pub fn listen_for_baud(&mut self, now: Instant) {
        let Some(mut auto) = self.auto_baud.take() else { return };
        let len = self.source().log().len();
        match auto.since {
            Some(since) if now.duration_since(since) < LISTEN => {
                self.auto_baud = Some(auto);
                return;
            }
            Some(_) => {
                let score = self.score(auto.from, len);
                if score > auto.best.1 {
                    auto.best = (RATES[auto.at], score);
                }
                auto.at += 1;
            }
            None => {}
        }
        let Feed::Link(link) = &self.source().feed else { return };
        match RATES.get(auto.at) {
            Some(&rate) => {
                link.set_baud(rate);
                (auto.since, auto.from) = (Some(now), len);
                self.say(format!("listening at {rate} baud"));
                self.auto_baud = Some(auto);
            }
            None if auto.best.1 > 0 => {
                link.set_baud(auto.best.0);
                self.begin_anew();
                self.say(format!("{} baud fits best", auto.best.0));
            }
            None => {
                link.set_baud(RATES[0]);
                self.fail("no rate gives valid frames; is the target sending, and is the decoder right?");
            }
        }
    }

    /// Bits of evidence that the decoder finds in a stretch of the log.
    fn score(&self, from: u64, end: u64) -> u32 {
        let mut sample = Vec::new();
        let len = (end - from).min(256 * 1024) as usize;
        if self.source().log().read_into(from, len, &mut sample).is_err() {
            return 0;
        }
        let options: Vec<OptVal<'_>> = self.decoded.options.vals();
        let guesses = self.decoded.decoder.table.probe(&sample, &options);
        let fits = |g: &spytui_plugin_api::info::Guess| g.explained >= 500;
        guesses.into_iter().flatten().filter(fits).map(|g| g.evidence_bits).max().unwrap_or(0)
    }
}
