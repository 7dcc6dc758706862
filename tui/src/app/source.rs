//! One source: a link (or the demo), its session, its recording, and how fast it is.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    link::{Link, LinkCounters, LinkFacts, LinkKind, LinkState},
    log::{MetaHead, RawLog, RecordState, Recorder},
    session::{Decoding, Session},
};

use super::guess::Guessing;
use crate::demo::Demo;

/// Where the bytes come from.
pub enum Feed {
    /// A link.
    Link(Box<Link>),
    /// The demo.
    Demo(Demo),
    /// A further stream of a link that another source holds.
    Peer(String),
}

/// A source of the app.
pub struct Source {
    /// Number of the target: its sources are shown as one list.
    pub target: usize,
    /// Link or demo.
    pub feed: Feed,
    /// Its session.
    pub session: Session,
    /// Its recording.
    pub recorder: Option<Recorder>,
    /// Since when it is open.
    pub opened: Instant,
    /// Its rates.
    pub rate: Rate,
    /// How much of what comes are records.
    pub harvest: Harvest,
    /// What was guessed.
    pub guessing: Guessing,
}

impl Source {
    /// Around an open feed.
    #[must_use]
    pub fn new(feed: Feed, session: Session) -> Source {
        Source {
            target: 0,
            feed,
            session,
            recorder: None,
            opened: Instant::now(),
            rate: Rate::default(),
            harvest: Harvest::default(),
            guessing: Guessing::default(),
        }
    }

    /// The same, as a source of a target.
    #[must_use]
    pub fn of_target(self, target: usize) -> Source {
        Source { target, ..self }
    }

    /// Core that the user named.
    #[must_use]
    pub fn core(&self) -> Option<u16> {
        match &self.feed {
            Feed::Link(link) => link.spec().core,
            Feed::Demo(_) | Feed::Peer(_) => None,
        }
    }

    /// State of the link.
    #[must_use]
    pub fn state(&self) -> LinkState {
        match &self.feed {
            Feed::Link(link) => link.state(),
            Feed::Demo(_) | Feed::Peer(_) => LinkState::Live,
        }
    }

    /// Name of the link in the header.
    #[must_use]
    pub fn name(&self) -> String {
        spytui_engine::present::sanitise_text(&self.raw_name()).into_owned()
    }

    fn raw_name(&self) -> String {
        match &self.feed {
            Feed::Link(link) => match &link.spec().kind {
                LinkKind::Serial(serial) => {
                    let path = &serial.path;
                    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
                }
                _ => link.spec().short(),
            },
            Feed::Demo(_) => "demo".to_owned(),
            Feed::Peer(name) => name.clone(),
        }
    }

    /// What is known of the link.
    #[must_use]
    pub fn facts(&self) -> LinkFacts {
        match &self.feed {
            Feed::Link(link) => link.facts(),
            Feed::Demo(_) | Feed::Peer(_) => LinkFacts::default(),
        }
    }

    /// Counters of the link.
    #[must_use]
    pub fn link_counters(&self) -> LinkCounters {
        match &self.feed {
            Feed::Link(link) => link.counters(),
            Feed::Demo(_) | Feed::Peer(_) => LinkCounters::default(),
        }
    }

    /// What to do while nothing comes.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match &self.feed {
            Feed::Link(link) => link.hint(),
            Feed::Demo(_) | Feed::Peer(_) => None,
        }
    }

    /// The raw log.
    #[must_use]
    pub fn log(&self) -> &Arc<RawLog> {
        self.session.log()
    }

    /// The decoding to show.
    #[must_use]
    pub fn decoded(&self) -> Arc<Decoding> {
        self.session.current()
    }

    /// Starts recording everything received so far, and then on.
    ///
    /// # Errors
    /// The file is there already or can't be made, in words.
    pub fn record(&mut self, path: &Path) -> Result<(), String> {
        let decoded = self.decoded();
        let options = decoded.options.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        let head = MetaHead {
            link: match &self.feed {
                Feed::Link(link) => link.spec().to_string(),
                Feed::Demo(_) => "demo".to_owned(),
                Feed::Peer(name) => name.clone(),
            },
            decoder: decoded.decoder.info.id.to_string(),
            options,
            ..MetaHead::default()
        };
        let recorder = Recorder::start(self.log().clone(), path, head).map_err(|e| e.to_string())?;
        self.recorder = Some(recorder);
        Ok(())
    }

    /// State of the recording.
    #[must_use]
    pub fn recording(&self) -> Option<RecordState> {
        self.recorder.as_ref().map(Recorder::state)
    }

    /// Takes the figures for the rates; `true` when half a second has passed since the last ones.
    pub fn sample(&mut self, now: Instant) -> bool {
        let bytes = self.log().len();
        let decoded = self.decoded();
        let c = decoded.read().counters.clone();
        self.harvest.sample(c.fed, c.rows.record_bytes);
        self.rate.sample(now, bytes, c.rows.records)
    }
}

/// Bytes after which the share of records in them says something.
const SAMPLE: u64 = 4096;
/// Percent of records below which they are accidents: noise passes an 8-bit check now and then.
const ACCIDENTS: u64 = 5;

/// How much of what comes are records.
#[derive(Debug, Default)]
pub struct Harvest {
    /// Bytes fed, and bytes of records among them, when the present sample began.
    from: (u64, u64),
    /// Bytes fed when the records stopped.
    barren: Option<u64>,
}

impl Harvest {
    fn sample(&mut self, fed: u64, record_bytes: u64) {
        if fed < self.from.0 {
            // Another decoding.
            *self = Harvest::default();
        }
        let (bytes, records) = (fed - self.from.0, record_bytes.saturating_sub(self.from.1));
        if bytes < SAMPLE {
            return;
        }
        self.barren = (records * 100 < bytes * ACCIDENTS).then(|| self.barren.unwrap_or(self.from.0));
        self.from = (fed, record_bytes);
    }

    /// Another rate: what came before says nothing about what comes.
    pub fn begin_anew(&mut self, fed: u64, record_bytes: u64) {
        *self = Harvest { from: (fed, record_bytes), barren: None };
    }

    /// Bytes without a record that is no accident; `None` = records come, or too little came to tell.
    #[must_use]
    pub fn barren(&self, fed: u64) -> Option<u64> {
        self.barren.map(|since| fed.saturating_sub(since))
    }
}

/// How often rates are taken.
const EVERY: Duration = Duration::from_millis(500);
/// Over how long.
const SPAN: usize = 4;

/// Bytes and records a second, over the last two seconds.
#[derive(Debug, Default)]
pub struct Rate {
    samples: Vec<(Instant, u64, u64)>,
    /// Bytes a second.
    pub bytes: u64,
    /// Records a second.
    pub records: u64,
}

impl Rate {
    fn sample(&mut self, now: Instant, bytes: u64, records: u64) -> bool {
        if self.samples.last().is_some_and(|s| now.duration_since(s.0) < EVERY) {
            return false;
        }
        self.samples.push((now, bytes, records));
        if self.samples.len() > SPAN + 1 {
            self.samples.remove(0);
        }
        let (first, last) = (self.samples[0], self.samples[self.samples.len() - 1]);
        let seconds = last.0.duration_since(first.0).as_secs_f64();
        if seconds > 0.0 {
            self.bytes = (last.1.saturating_sub(first.1) as f64 / seconds) as u64;
            self.records = (last.2.saturating_sub(first.2) as f64 / seconds) as u64;
        }
        true
    }
}
