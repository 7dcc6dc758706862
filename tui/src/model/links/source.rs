//! A source on the screen: origin, status, rates.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    decode::Quality,
    device::{
        advise::Traffic,
        control::{Control, TargetStatus},
    },
    io::link::{LinkCounters, LinkFacts, LinkKind, LinkSpec, LinkState},
    io::log::{RawLog, RecordState},
    present::sanitise_text,
    trace::session::Decoding,
};

use super::Autodetect;

/// Origin of the bytes of a source.
#[derive(Debug, Clone)]
pub enum SourceOrigin {
    Link(LinkSpec),
    /// A further stream of a link that another source holds, by name.
    Peer(String),
}

/// A snapshot of a source.
#[derive(Debug, Clone)]
pub struct SourceStatus {
    /// The decoding to show; another one after a switch.
    pub decoding: Arc<Decoding>,
    pub state: LinkState,
    /// Properties of the link.
    pub facts: LinkFacts,
    pub counters: LinkCounters,
    /// Advice while nothing is received.
    pub hint: Option<String>,
    /// State of the recording, if there is one.
    pub recording: Option<RecordState>,
    /// The way back to the target.
    pub control: Option<Arc<Control>>,
    /// Whether commands can be sent now.
    pub way_back: WayBack,
    /// What is known of the target.
    pub target: Arc<TargetStatus>,
}

/// Whether commands can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WayBack {
    /// Never: the link only reads.
    Never,
    /// Not now, and why.
    NotNow(String),
    /// Yes.
    Open,
}

#[derive(Debug)]
pub struct Source {
    /// Number of the target: its sources are shown as one list.
    pub(in crate::model) target: usize,
    /// Origin of the bytes.
    origin: SourceOrigin,
    pub status: SourceStatus,
    /// Time of opening.
    pub(in crate::model) opened: Instant,
    pub(in crate::model) rate: Rate,
    /// What comes of each kind of record, and what is lost.
    pub traffic: Traffic,
    /// Share of records in the bytes.
    pub(in crate::model) quality: Quality,
    /// Autodetection.
    pub autodetect: Autodetect,
}

impl Source {
    /// A source that was just opened.
    pub fn new(target: usize, origin: SourceOrigin, status: SourceStatus, opened: Instant) -> Source {
        Source {
            target,
            origin,
            status,
            opened,
            rate: Rate::default(),
            traffic: Traffic::default(),
            quality: Quality::default(),
            autodetect: Autodetect::default(),
        }
    }

    pub fn link(&self) -> Option<&LinkSpec> {
        match &self.origin {
            SourceOrigin::Link(spec) => Some(spec),
            SourceOrigin::Peer(_) => None,
        }
    }

    /// Name of the link in the header.
    pub fn name(&self) -> String {
        let name = match &self.origin {
            SourceOrigin::Link(spec) => match &spec.kind {
                LinkKind::Serial(serial) => {
                    let path = &serial.path;
                    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
                }
                _ => spec.short(),
            },
            SourceOrigin::Peer(name) => name.clone(),
        };
        sanitise_text(&name).into_owned()
    }

    /// The decoding to show.
    pub fn decoding(&self) -> &Arc<Decoding> {
        &self.status.decoding
    }

    pub fn log(&self) -> &Arc<RawLog> {
        &self.status.decoding.log
    }

    /// Bytes since the last record, chance hits aside; `None` while records arrive or too little was received.
    pub fn bytes_without_record(&self) -> Option<u64> {
        let fed = self.decoding().read().counters.fed;
        self.quality.bytes_without_record(fed)
    }

    /// Restarts the measurement of quality.
    pub fn begin_anew(&mut self) {
        self.quality.begin_anew(&self.status.decoding.read().counters);
    }

    /// Samples the counters.
    pub fn sample(&mut self, now: Instant) {
        let state = self.status.decoding.read();
        self.quality.sample(&state.counters);
        let records = state.counters.rows.records;
        drop(state);
        let bytes = self.log().len();
        self.rate.sample(now, bytes, records);
        self.traffic.sample(now, &self.status.decoding);
    }
}

/// Sampling interval.
const EVERY: Duration = Duration::from_millis(500);
/// Samples that rates are averaged over.
const SPAN: usize = 4;

/// Bytes and records a second, over the last two seconds.
#[derive(Debug, Default)]
pub struct Rate {
    samples: Vec<(Instant, u64, u64)>,
    /// Bytes a second.
    pub(in crate::model) bytes: u64,
    /// Records a second.
    pub(in crate::model) records: u64,
}

impl Rate {
    fn sample(&mut self, now: Instant, bytes: u64, records: u64) {
        if self.samples.last().is_some_and(|s| now.duration_since(s.0) < EVERY) {
            return;
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
    }
}
