//! What is said where bytes come and no frame is valid, with what to do.

use spytui_engine::{
    decode::{
        Quality,
        quality::{Line, NoFrame, Suspect},
    },
    io::link::Link,
    io::log::RawLog,
    store::Counters,
};

use super::failure;

/// A source that is watched: what is wrong is said once, until records come again.
#[derive(Debug, Default)]
pub(super) struct Watched {
    quality: Quality,
    is_said: bool,
}

impl Watched {
    /// Takes the present counters of a source.
    pub(super) fn look<'a>(&mut self, counters: &Counters, line: impl FnOnce() -> Line<'a>) {
        self.quality.sample(counters);
        let is_noise = self.quality.bytes_without_record(counters.fed).is_some();
        if is_noise && !self.is_said {
            self.quality.no_frame(counters, &line()).iter().for_each(say);
        }
        self.is_said = is_noise;
    }
}

/// A source; `link` is `None` for a further sender at one, `decoder` while it is not known.
pub(super) fn line<'a>(link: Option<&Link>, log: &'a RawLog, name: &'a str, decoder: Option<&'a str>) -> Line<'a> {
    let (facts, link) = link.map(|link| (link.facts(), link.counters())).unwrap_or_default();
    Line { name, decoder, log, facts, link }
}

/// Says what was found, with what to do.
pub(super) fn say(found: &NoFrame) {
    let advice = match found.suspect {
        Suspect::Rate => "--baud RATE sets another one; :baud auto on the screen tries them.",
        Suspect::Decoder => "--proto auto finds out.",
    };
    failure::say(&format!("{} {advice}", found.text));
}
