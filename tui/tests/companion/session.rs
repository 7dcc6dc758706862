//! A target, and the host's side of it.

use std::ops::RangeInclusive;

use spytui_demo_target::{AVAILABLE, Faults, Proto, Target};
use spytui_engine::{device::command::parse, store::Dictionary};
use spytui_plugin_api::{
    Answer, AttachmentId, DecoderRef, Dict, EncodeError, EncoderInstance, FilterState, Frame, Frames, Row, Verdict,
    decoder_and_encoder, info::AnswerStage, render::Want,
};
use spytui_plugin_host::kit::{Host, Names, start_event};

/// Steps within which a target answers; the only delay is that of the link.
const PATIENCE: usize = 20;
/// Steps per second.
pub(crate) const SECOND: usize = 100;

/// A target, and the host's knowledge of it.
pub(crate) struct Session {
    pub(crate) target: Target,
    pub(crate) host: Host,
    bytes: Vec<u8>,
    names: Names,
    dictionary: Dictionary,
    pub(crate) named: usize,
    pub(crate) encoder: EncoderInstance,
}

/// The result of a line: the encoder's verdict on each frame sent.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) remarks: Vec<String>,
}

impl Sent {
    pub(crate) fn stages(&self) -> Vec<AnswerStage> {
        self.verdicts.iter().map(|verdict| verdict.stage).collect()
    }

    pub(crate) fn reason(&self) -> String {
        self.verdicts.last().map(|verdict| verdict.reason.to_string()).unwrap_or_default()
    }
}

impl Session {
    /// A session with a target that has run for a while; `None` if there is none.
    pub(crate) fn new(proto: Proto) -> Option<Session> {
        if !AVAILABLE {
            eprintln!("skipped: there is no C compiler");
            return None;
        }
        let decoder: DecoderRef = match proto {
            Proto::Rkh => decoder_and_encoder::<spytui_decoder_rkh::Rkh, spytui_decoder_rkh::RkhEncoder>(),
            _ => decoder_and_encoder::<spytui_decoder_tband::Tband, spytui_decoder_tband::TbandEncoder>(),
        };
        let mut host = Host::open(decoder, &[]).unwrap();
        host.feed(b"", &[start_event()]).unwrap();
        let mut session = Session {
            target: Target::new(proto, &Faults::default(), 1).unwrap(),
            names: Names::new(&host.info),
            dictionary: Dictionary::new(&host.info, true),
            host,
            bytes: Vec::new(),
            named: 0,
            encoder: decoder.open_encoder(&[]).unwrap().unwrap(),
        };
        session.run(SECOND);
        Some(session)
    }

    /// Lets time pass.
    pub(crate) fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.target.step();
            self.receive();
        }
    }

    pub(crate) fn receive(&mut self) {
        let begin = self.bytes.len();
        self.target.read(&mut self.bytes);
        self.host.feed(&self.bytes[begin..], &[]).unwrap();
        let run = &self.host.run;
        for event in &run.dict[self.named..] {
            let text = event.text.of(&run.bytes);
            self.names.apply(event, text);
            self.dictionary.apply(event, text, event.at.into(), 0, 0);
        }
        self.named = run.dict.len();
    }

    /// The frames of a line, or column and message.
    pub(crate) fn encode(&self, encoder: &mut EncoderInstance, line: &str) -> Result<Frames, String> {
        let parsed = parse(line, &self.host.info, &self.dictionary);
        let parsed = parsed.map_err(|error| format!("{}: {error}", error.column))?;
        let cfg = self.host.run.rows.last().and_then(|row| self.host.run.cfgs.get(&row.cfg));
        let command = parsed.command(cfg.map_or(&[][..], Vec::as_slice), &[]);
        let mut frames = Frames::default();
        match encoder.encode(&command, &Dict::new(&self.names), &mut frames) {
            Ok(()) => Ok(frames),
            Err(EncodeError::Refused(refusal)) => Err(format!("{}: {}", parsed.column(refusal.arg), refusal.message)),
            Err(EncodeError::Fault(fault)) => Err(fault.text.to_string()),
        }
    }

    /// The frames that a line would send.
    pub(crate) fn preview(&self, line: &str) -> Result<Frames, String> {
        self.encode(&mut self.encoder.fork().unwrap(), line)
    }

    /// Sends a line frame by frame, each after the previous one was answered, up to the first refusal.
    pub(crate) fn send(&mut self, line: &str) -> Sent {
        let mut encoder = self.encoder.fork().unwrap();
        let frames = self.encode(&mut encoder, line).unwrap_or_else(|error| panic!("{line}: {error}"));
        self.encoder = encoder;
        let mut sent = Sent { remarks: frames.remarks.iter().map(ToString::to_string).collect(), ..Sent::default() };
        for frame in &frames.frames {
            let verdict = self.exchange(frame, frame.bytes.of(&frames.bytes));
            let verdict = verdict.unwrap_or_else(|| panic!("{line}: no answer to {frame:?}"));
            let is_refused = verdict.stage == AnswerStage::REFUSED;
            sent.verdicts.push(verdict);
            if is_refused {
                break;
            }
        }
        sent
    }

    /// All frames of a line succeed.
    pub(crate) fn done(&mut self, line: &str) -> Sent {
        let sent = self.send(line);
        assert!(!sent.stages().contains(&AnswerStage::REFUSED), "{line}: {}", sent.reason());
        sent
    }

    /// Sends a frame, with all allowed repeats, and waits for the answer that completes it.
    pub(crate) fn exchange(&mut self, frame: &Frame, bytes: &[u8]) -> Option<Verdict> {
        (0..=frame.retries).find_map(|_| self.exchange_once(frame, bytes))
    }

    pub(crate) fn exchange_once(&mut self, frame: &Frame, bytes: &[u8]) -> Option<Verdict> {
        let mut from = self.host.run.attachments.len();
        self.target.feed(bytes);
        for _ in 0..PATIENCE {
            self.receive();
            for answer in self.answers(from).into_iter().filter(|answer| answer.token == frame.token) {
                let verdict = self.encoder.answer(&answer).unwrap();
                if verdict.stage == AnswerStage::REFUSED || frame.awaited & verdict.stage.bit() != 0 {
                    return Some(verdict);
                }
                assert_eq!(verdict.stage, AnswerStage::PROGRESS);
            }
            from = self.host.run.attachments.len();
            self.target.step();
        }
        None
    }

    pub(crate) fn answers(&self, from: usize) -> Vec<Answer> {
        let new = &self.host.run.attachments[from..];
        let of = |id: AttachmentId| new.iter().filter(move |attachment| attachment.id == id);
        let data = of(AttachmentId::ANSWER_DATA);
        of(AttachmentId::ANSWER)
            .zip(data)
            .map(|(answer, data)| {
                assert_eq!(answer.at, data.at);
                Answer { token: answer.a, stage: AnswerStage(answer.b as u8), item: data.a, value: data.b }
            })
            .collect()
    }

    /// The records of some seconds.
    pub(crate) fn records(&mut self, seconds: usize) -> Vec<Row> {
        // Records still in transit.
        self.run(2);
        let from = self.host.run.rows.len();
        self.run(seconds * SECOND);
        self.host.run.rows[from..].iter().filter(|row| row.is_record()).copied().collect()
    }

    /// Number of records with ids in a range, and of others.
    pub(crate) fn counts(&mut self, ids: RangeInclusive<u16>) -> (usize, usize) {
        let records = self.records(10);
        let of = records.iter().filter(|row| ids.contains(&row.kind.0)).count();
        (of, records.len() - of)
    }

    pub(crate) fn filter(&mut self) -> Vec<FilterState> {
        self.encoder.filter().unwrap().to_vec()
    }

    /// Whether a switch is on, and whether the target reported that; `None` = unknown.
    pub(crate) fn switch(&mut self, table: u16, id: u64) -> Option<(bool, bool)> {
        let states = self.filter();
        let state = states.iter().find(|state| state.table == table && (state.first..=state.last).contains(&id));
        state.map(|state| (state.is_on, state.is_known))
    }

    /// The newest answer texts in the list.
    pub(crate) fn answer_texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let is_answer = |row: usize| self.host.run.attachments_of(row).iter().any(|a| a.id == AttachmentId::ANSWER);
        self.host
            .render(&self.bytes, Want::TEXT, |row, out| {
                if is_answer(row) {
                    texts.push(String::from_utf8_lossy(out.row(0).text).into_owned());
                }
            })
            .unwrap();
        texts
    }
}

pub(crate) const ON: Option<(bool, bool)> = Some((true, true));
pub(crate) const OFF: Option<(bool, bool)> = Some((false, true));
pub(crate) const ASSUMED: Option<(bool, bool)> = Some((true, false));
/// Tables of both protocols: events, then objects or markers, then signals or values.
pub(crate) const EVENTS: u16 = 0;
pub(crate) const OBJECTS: u16 = 1;
pub(crate) const SIGNALS: u16 = 2;
pub(crate) const MARKERS: u16 = 1;
pub(crate) const VALUES: u16 = 2;

pub(crate) const SMA: RangeInclusive<u16> = 64..=72;
pub(crate) const SM: RangeInclusive<u16> = 96..=113;
pub(crate) const TRN: u64 = 98;
