//! Commands of the companion against the target of `firmware/`, as C code in this process: the frames of a line go to it, its
//! trace is decoded, its answers are judged. Where the target could not be built, there is nothing to test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

use std::ops::RangeInclusive;

use spytui_demo_target::{AVAILABLE, Faults, Proto, Target};
use spytui_engine::{command::parse, store::Dictionary};
use spytui_plugin_api::{
    Answer, AttachmentId, DecoderRef, DictView, EncodeError, EncoderEvent, EncoderEventKind, EncoderInstance,
    FilterState, Frame, Frames, Row, Verdict, decoder_and_encoder,
    info::AnswerStage,
    kit::{Host, Names, start_event},
    render::Want,
};

/// Steps within which a target answers; it has no delay but that of the link.
const PATIENCE: usize = 20;
/// What a second is in steps.
const SECOND: usize = 100;

/// A target, and what the host knows of it.
struct Session {
    target: Target,
    host: Host,
    bytes: Vec<u8>,
    names: Names,
    dictionary: Dictionary,
    named: usize,
    encoder: EncoderInstance,
}

/// The end of a line: what the encoder said of each frame that was sent.
#[derive(Debug, Default)]
struct Sent {
    verdicts: Vec<Verdict>,
    remarks: Vec<String>,
}

impl Sent {
    fn stages(&self) -> Vec<AnswerStage> {
        self.verdicts.iter().map(|verdict| verdict.stage).collect()
    }

    fn reason(&self) -> String {
        self.verdicts.last().map(|verdict| verdict.reason.to_string()).unwrap_or_default()
    }
}

impl Session {
    /// A session with a target that has run for a while; `None` if there is none.
    fn new(proto: Proto) -> Option<Session> {
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
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.target.step();
            self.receive();
        }
    }

    fn receive(&mut self) {
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

    /// The frames of a line; or column and message.
    fn encode(&self, encoder: &mut EncoderInstance, line: &str) -> Result<Frames, String> {
        let parsed = parse(line, &self.host.info, &self.dictionary);
        let parsed = parsed.map_err(|error| format!("{}: {error}", error.column))?;
        let cfg = self.host.run.rows.last().and_then(|row| self.host.run.cfgs.get(&row.cfg));
        let command = parsed.command(cfg.map_or(&[][..], Vec::as_slice), &[]);
        let mut frames = Frames::default();
        match encoder.encode(&command, &DictView::new(&self.names), &mut frames) {
            Ok(()) => Ok(frames),
            Err(EncodeError::Refused(refusal)) => Err(format!("{}: {}", parsed.column(refusal.arg), refusal.message)),
            Err(EncodeError::Fault(fault)) => Err(fault.text.to_string()),
        }
    }

    /// What would be sent.
    fn preview(&self, line: &str) -> Result<Frames, String> {
        self.encode(&mut self.encoder.fork().unwrap(), line)
    }

    /// Sends a line frame by frame, each after the one before was answered, up to the first that is refused.
    fn send(&mut self, line: &str) -> Sent {
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

    /// All frames of a line are done.
    fn done(&mut self, line: &str) -> Sent {
        let sent = self.send(line);
        assert!(!sent.stages().contains(&AnswerStage::REFUSED), "{line}: {}", sent.reason());
        sent
    }

    /// Sends a frame, as often as it may be, and waits for what completes it.
    fn exchange(&mut self, frame: &Frame, bytes: &[u8]) -> Option<Verdict> {
        (0..=frame.retries).find_map(|_| self.exchange_once(frame, bytes))
    }

    fn exchange_once(&mut self, frame: &Frame, bytes: &[u8]) -> Option<Verdict> {
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

    fn answers(&self, from: usize) -> Vec<Answer> {
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
    fn records(&mut self, seconds: usize) -> Vec<Row> {
        // What was underway.
        self.run(2);
        let from = self.host.run.rows.len();
        self.run(seconds * SECOND);
        self.host.run.rows[from..].iter().filter(|row| row.is_record()).copied().collect()
    }

    /// Number of records with ids of a range, and of others.
    fn counts(&mut self, ids: RangeInclusive<u16>) -> (usize, usize) {
        let records = self.records(10);
        let of = records.iter().filter(|row| ids.contains(&row.kind.0)).count();
        (of, records.len() - of)
    }

    fn filter(&mut self) -> Vec<FilterState> {
        self.encoder.filter().unwrap().to_vec()
    }

    /// Whether a switch is on, and whether the target said so; `None` = unknown.
    fn switch(&mut self, table: u16, id: u64) -> Option<(bool, bool)> {
        let states = self.filter();
        let state = states.iter().find(|state| state.table == table && (state.first..=state.last).contains(&id));
        state.map(|state| (state.is_on, state.is_known))
    }

    /// The newest texts of the list, answers only.
    fn answer_texts(&self) -> Vec<String> {
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

const ON: Option<(bool, bool)> = Some((true, true));
const OFF: Option<(bool, bool)> = Some((false, true));
const ASSUMED: Option<(bool, bool)> = Some((true, false));
/// Tables of both protocols: events, then objects or markers, then signals or values.
const EVENTS: u16 = 0;
const OBJECTS: u16 = 1;
const SIGNALS: u16 = 2;
const MARKERS: u16 = 1;
const VALUES: u16 = 2;

const SMA: RangeInclusive<u16> = 64..=72;
const SM: RangeInclusive<u16> = 96..=113;
const TRN: u64 = 98;

#[test]
fn a_group_of_rkh_goes_and_comes() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    assert_eq!(session.switch(EVENTS, 67), ASSUMED);
    let sent = session.done("filter -SMA");
    assert_eq!(sent.stages(), [AnswerStage::DATA, AnswerStage::ACCEPTED], "a ping comes first");
    assert_eq!(sent.verdicts[0].reason, "", "the line is about something else");
    let (sma, others) = session.counts(SMA);
    assert!(sma == 0 && others > 100, "{sma} {others}");
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, TRN)), (OFF, ASSUMED));
    let sent = session.done("filter +SMA");
    assert_eq!(sent.verdicts.len(), 1);
    assert!(session.counts(SMA).0 > 20);
    assert_eq!(session.switch(EVENTS, 67), ON);
}

#[test]
fn one_event_of_a_group_that_is_off_comes_alone() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter -SM");
    session.done("filter +SM.TRN");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).filter(|kind| SM.contains(kind)).collect();
    assert!(kinds.len() > 5 && kinds.iter().all(|kind| u64::from(*kind) == TRN), "{kinds:?}");
    session.done("filter +SM -SM.TRN");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).collect();
    assert!(kinds.contains(&101) && !kinds.contains(&98));
}

#[test]
fn a_whole_filter_of_rkh_switches_the_rest_off() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter =SM");
    let (sm, others) = session.counts(SM);
    assert!(sm > 50 && others == 0, "{sm} {others}");
    assert_eq!((session.switch(EVENTS, TRN), session.switch(EVENTS, 67)), (ON, OFF));
    session.done("filter =ALL");
    let (sm, others) = session.counts(SM);
    assert!(sm > 50 && others > 50, "{sm} {others}");
    session.done("filter =BOILER +193");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).collect();
    assert!(kinds.len() > 3 && kinds.iter().all(|kind| [192, 193].contains(kind)), "{kinds:?}");
}

#[test]
fn objects_are_named_and_switched_by_priority() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    let burner = 0x2000_1080;
    assert_eq!(session.switch(OBJECTS, burner), ASSUMED);
    let before = session.records(20).iter().filter(|row| SM.contains(&row.kind.0) && row.obj == burner).count();
    session.done("filter -obj:burner");
    let of_burner = |rows: Vec<Row>| {
        let sm = rows.into_iter().filter(|row| SM.contains(&row.kind.0));
        sm.fold((0, 0), |(own, others), row| if row.obj == burner { (own + 1, others) } else { (own, others + 1) })
    };
    let (own, others) = of_burner(session.records(20));
    assert!(before > 0 && own == 0 && others > 0, "{before} {own} {others}");
    assert_eq!(session.switch(OBJECTS, burner), OFF);
    assert_eq!(session.switch(OBJECTS, 0x2000_1000), ASSUMED);
    session.done("filter +obj:burner");
    assert!(of_burner(session.records(20)).0 > 0);
    // No command switches all objects.
    assert_eq!(session.done("filter =obj:burner").verdicts.len(), 64);
    let (own, others) = of_burner(session.records(20));
    assert!(own > 0 && others == 0, "{own} {others}");
}

#[test]
fn signals_are_switched_by_name_and_number() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    let with = |rows: &[Row], signal: u64| rows.iter().filter(|row| row.kind.0 == 67 && row.item == signal).count();
    let frames = session.preview("filter -signal:TEMPERATURE").unwrap();
    let signal = u64::from(frames.bytes[9]);
    let before = session.records(5);
    session.done("filter -signal:TEMPERATURE");
    let after = session.records(5);
    assert!(with(&before, signal) > 3 && with(&after, signal) == 0);
    assert_eq!(session.switch(SIGNALS, signal), OFF);
    session.done(&format!("filter +signal:{signal}"));
    assert!(with(&session.records(5), signal) > 3);
}

#[test]
fn what_is_read_back_is_what_was_set() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter -SMA -SM.TRN -BOILER -obj:pump");
    let before = session.filter();
    let sent = session.done("info");
    assert_eq!(sent.stages(), [AnswerStage::DATA]);
    assert!(sent.reason().starts_with("version 1, 0 records dropped, ring peak "), "{}", sent.reason());
    let after = session.filter();
    let events = |states: &[FilterState]| {
        let switches = states.iter().filter(|state| state.table == EVENTS);
        switches.flat_map(|s| (s.first..=s.last).map(|id| (id, s.is_on))).collect::<Vec<_>>()
    };
    assert_eq!(events(&before), events(&after));
    assert!(after.iter().filter(|state| state.table == EVENTS).all(|state| state.is_known));
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, 192)), (OFF, OFF));
    // Objects are not read back.
    assert_eq!(session.switch(OBJECTS, 0x2000_1040), OFF);
    let texts = session.answer_texts();
    assert_eq!(texts[..3], ["ping seq 0: 1 state follows", "ping seq 0: version 1", "group seq 1: done"]);
    let last: Vec<&str> = texts.iter().rev().take(10).rev().map(String::as_str).collect();
    assert_eq!(last[..2], ["info seq 5: 9 states follow", "info seq 5: version 1"]);
    assert_eq!(last[4], "info seq 5: groups 0xFB");
}

#[test]
fn refusals_say_why() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    for (line, reason) in [
        ("filter -obj:200", "no such id"),
        ("filter -signal:300", "no such id"),
        ("user 200", "no such id"),
        ("raw 31", "unknown command"),
        ("raw 7 00", "bad length"),
        ("raw 1 02", "bad length"),
    ] {
        let sent = session.send(line);
        assert_eq!(sent.verdicts.last().map(|verdict| verdict.stage), Some(AnswerStage::REFUSED), "{line}");
        assert_eq!(sent.reason(), reason, "{line}");
    }
    assert!(session.answer_texts().contains(&"object seq 1: no such id".to_owned()));
    assert_eq!(session.switch(OBJECTS, 200), ASSUMED, "what was refused changed nothing");
}

#[test]
fn a_number_that_comes_again_is_answered_and_not_executed() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("ping");
    let other = session.preview("filter +SMA").unwrap();
    session.done("filter -SMA");
    let frame = other.frames[0];
    session.target.feed(frame.bytes.of(&other.bytes));
    let from = session.host.run.attachments.len();
    session.run(5);
    let answers = session.answers(from);
    assert_eq!(answers.iter().map(|a| (a.token, a.item)).collect::<Vec<_>>(), [(frame.token, 0)]);
    assert_eq!(session.counts(SMA).0, 0);
}

#[test]
fn states_that_come_late_complete_a_question() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("ping");
    let mut encoder = session.encoder.fork().unwrap();
    let frames = session.encode(&mut encoder, "info").unwrap();
    session.encoder = encoder;
    let from = session.host.run.attachments.len();
    session.target.feed(&frames.bytes);
    session.run(3);
    let answers = session.answers(from);
    assert_eq!(answers.len(), 10);
    // Some of them are lost on the line; the question is asked again.
    let stages: Vec<AnswerStage> =
        answers.iter().skip(1).step_by(2).map(|answer| session.encoder.answer(answer).unwrap().stage).collect();
    assert!(stages.iter().all(|stage| *stage == AnswerStage::PROGRESS));
    assert!(!session.filter().iter().any(|state| state.is_known));
    let stages: Vec<AnswerStage> = answers.iter().map(|answer| session.encoder.answer(answer).unwrap().stage).collect();
    assert_eq!(stages.iter().filter(|stage| **stage == AnswerStage::DATA).count(), 1);
    assert_eq!(session.switch(EVENTS, 67), ON);
}

#[test]
fn a_reset_is_sent_once_and_all_begins_anew() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        session.done(if proto == Proto::Rkh { "filter -SMA" } else { "filter -queue" });
        let frames = session.preview("reset").unwrap();
        assert_eq!((frames.frames.len(), frames.frames[0].retries), (1, 0));
        assert_eq!(session.preview("info").unwrap().frames[0].retries, 3);
        session.done("reset");
        assert!(!session.filter().iter().any(|state| state.is_known && state.last != 0x7F00), "{:?}", session.filter());
        session.run(SECOND);
        assert_eq!(session.target.totals().resets, 1, "{proto:?}");
        let sent = session.done("info");
        assert_eq!(sent.stages(), [AnswerStage::DATA; 2], "a ping begins the numbers anew");
    }
}

#[test]
fn names_come_again() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        session.done("ping");
        let named = session.named;
        session.done("dict");
        session.run(2);
        assert!(session.named > named + 5, "{proto:?}");
    }
}

#[test]
fn faults_of_the_demo_target_have_names() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        session.done("fault burst 7");
        session.run(SECOND);
        session.done("fault garbage 50");
        session.run(SECOND);
        assert_eq!(session.target.totals().garbage, 50);
        assert_eq!(session.preview("fault seed 9").unwrap().bytes, session.preview("user 9 9").unwrap().bytes);
    }
}

#[test]
fn after_a_time_out_nothing_that_was_sent_is_known() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    session.done("filter -SM");
    let mut encoder = session.encoder.fork().unwrap();
    let frames = session.encode(&mut encoder, "filter -SMA").unwrap();
    session.encoder = encoder;
    let event = EncoderEvent { kind: EncoderEventKind::TIMED_OUT, token: frames.frames[0].token };
    session.encoder.event(&event).unwrap();
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, TRN)), (None, OFF));
    assert_eq!(session.preview("filter +SMA").unwrap().frames.len(), 2, "the numbers begin anew");
    session.encoder.event(&EncoderEvent { kind: EncoderEventKind::CONNECTED, ..EncoderEvent::default() }).unwrap();
    assert_eq!((session.switch(EVENTS, 67), session.switch(EVENTS, TRN)), (ASSUMED, ASSUMED));
}

#[test]
fn a_preview_changes_nothing() {
    for proto in [Proto::Rkh, Proto::Tband] {
        let Some(mut session) = Session::new(proto) else { return };
        for begun in [false, true] {
            let lines =
                ["info", "filter =ALL", "filter -0..200", "reset", "user 1 2", "ping", "raw 3 0102030405", "filter +x"];
            let before: Vec<_> = lines.iter().map(|line| session.preview(line).map(|f| f.bytes.to_vec())).collect();
            let states = session.filter();
            for (line, before) in lines.iter().zip(&before).rev() {
                assert_eq!(session.preview(line).map(|f| f.bytes.to_vec()), *before, "{line}");
            }
            assert_eq!(session.filter(), states);
            if !begun {
                session.done("ping");
            }
        }
    }
}

const QUEUE: RangeInclusive<u16> = 0x66..=0x70;
const TASK: RangeInclusive<u16> = 0x54..=0x5E;
const CLASSES: [(&str, RangeInclusive<u16>); 5] =
    [("task", TASK), ("isr", 4..=5), ("queue", QUEUE), ("marker", 7..=9), ("value", 0x0B..=0x0B)];

#[test]
fn each_class_of_tband_goes_and_comes() {
    let Some(mut session) = Session::new(Proto::Tband) else { return };
    for (class, ids) in CLASSES {
        session.done(&format!("filter -{class}"));
        let (own, others) = session.counts(ids.clone());
        assert!(own == 0 && others > 50, "-{class}: {own} {others}");
        assert_eq!(session.done(&format!("filter +{class}")).verdicts.len(), 1);
        let (own, _) = session.counts(ids.clone());
        assert!(own > 0, "+{class}");
        assert_eq!(session.switch(EVENTS, (*ids.start()).into()), ASSUMED, "events of a class are not told");
    }
}

#[test]
fn a_whole_filter_of_tband_switches_the_rest_off() {
    let Some(mut session) = Session::new(Proto::Tband) else { return };
    session.done("filter =queue");
    let records = session.records(5);
    let mut kinds: Vec<u16> = records.iter().map(|row| row.kind.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    // Cores and drop counts are always sent.
    assert_eq!(kinds, [0, 1, 0x66, 0x67, 0x6A, 0x6F]);
    assert_eq!((session.switch(EVENTS, 0x66), session.switch(EVENTS, 0x54)), (ON, OFF));
    session.done("filter +task_switched_in");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).filter(|id| TASK.contains(id)).collect();
    assert!(kinds.len() > 5 && kinds.iter().all(|kind| *kind == 0x54), "{kinds:?}");
    let sent = session.done("filter =ALL");
    assert_eq!((sent.verdicts.len(), sent.remarks.len()), (1, 1));
    assert!(session.counts(TASK).1 > 50);
    session.done("filter -queue");
    session.done("filter +queue_receive");
    let kinds: Vec<u16> = session.records(5).iter().map(|row| row.kind.0).filter(|id| QUEUE.contains(id)).collect();
    assert!(kinds.len() > 5 && kinds.iter().all(|kind| *kind == 0x6A), "one event of a class that is off: {kinds:?}");
}

#[test]
fn markers_and_values_are_switched_by_name() {
    let Some(mut session) = Session::new(Proto::Tband) else { return };
    let of = |rows: &[Row], kind: u16, key: u64| rows.iter().filter(|row| row.kind.0 == kind && row.obj == key).count();
    let before = session.records(5);
    session.done("filter -marker:timer -value:\"free events\"");
    let after = session.records(5);
    let values = |rows: &[Row]| (of(rows, 0x0B, 3), of(rows, 0x0B, 0));
    assert!(values(&before).0 > 5 && values(&after).0 == 0 && values(&after).1 > 0, "{:?}", values(&after));
    assert_eq!((of(&before, 7, 6) > 0, of(&after, 7, 6)), (true, 0));
    assert_eq!((session.switch(MARKERS, 6), session.switch(VALUES, 3)), (OFF, OFF));
    session.done("filter +value:3");
    assert!(values(&session.records(5)).0 > 5);
    assert_eq!(session.send("filter -marker:64").reason(), "no such id");
    let sent = session.done("info");
    assert!(sent.reason().starts_with("version 1, 0 records dropped"), "{}", sent.reason());
    assert_eq!(session.answer_texts().last().map(String::as_str), Some("info seq 5: classes 0x3F"));
}

#[test]
fn wrong_lines_are_refused_with_their_column() {
    let Some(rkh) = Session::new(Proto::Rkh) else { return };
    for (line, refusal) in [
        ("filter -RQX", "7: no \"RQX\" in the filter by event: MP QUE SMA SM TMR FWK USR UT ALL N N..N"),
        ("filter -obj:burnr", "7: no \"burnr\" in the active objects; nearest: burner"),
        ("filter +SM -signal:NOTHING", "11: no \"NOTHING\" in the signals"),
        ("filter -obj:0x20009000", "7: no record told the priority of 0x20009000 yet: give the priority, as obj:3"),
        ("filter -obj:log_timer", "7: no record told the priority of 0x20001100 yet: give the priority, as obj:3"),
        ("filter 250", "7: the target has no event 250"),
        ("filter 256", "7: 256: numbers go from 0 to 255"),
        ("filter -signal:0..256", "7: 0..256: at most 256 at once"),
        ("fault flp 3", "6: \"flp\": flip loss noise dup burst link-rate reset garbage seed; nearest: flip"),
        ("user 256", "5: ID is a number from 0 to 255"),
        ("user 1 4294967296", "7: VALUE is a number from 0 to 4294967295"),
        ("raw 32", "4: OP is a number from 0 to 31"),
        ("ping 1", "5: too many arguments"),
        ("local +AO", "0: the target has no command \"local\""),
    ] {
        let error = rkh.preview(line).map(|frames| frames.frames.len()).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
    let long = format!("raw 8 {}", "00".repeat(65));
    assert_eq!(rkh.preview(&long).unwrap_err(), "6: at most 64 bytes");
    let Some(tband) = Session::new(Proto::Tband) else { return };
    for (line, refusal) in [
        (
            "filter -tasks",
            "7: no \"tasks\" in the filter by event: task isr queue marker value local ALL N N..N; nearest: task",
        ),
        ("filter -task_name", "7: event 0x5f does not exist or is always sent"),
        ("filter -marker:nothing", "7: no \"nothing\" in the event markers"),
        ("filter 128", "7: 128: numbers go from 0 to 127"),
    ] {
        let error = tband.preview(line).map(|frames| frames.frames.len()).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
}

#[test]
fn frames_are_those_of_the_description() {
    let Some(mut session) = Session::new(Proto::Rkh) else { return };
    let bytes = |session: &Session, line: &str| session.preview(line).unwrap().bytes.to_vec();
    assert_eq!(session.preview("ping").unwrap().frames.len(), 1, "the first ping has number 0");
    assert_eq!(session.done("ping").reason(), "version 1");
    assert_eq!(bytes(&session, "ping"), [0x7E, 0x20, 0x01, 0xC8, 0x0B, 0x7E]);
    assert_eq!(bytes(&session, "filter -SMA"), [0x7E, 0x21, 0x01, 0x02, 0x00, 0x68, 0x94, 0x7E]);
    assert_eq!(bytes(&session, "raw 1 0200"), bytes(&session, "filter -SMA"));
    assert_eq!(bytes(&session, "reset")[..7], [0x7E, 0x27, 0x01, 0x52, 0x53, 0x54, 0x21]);
    let frames = session.preview("info").unwrap();
    let frame = frames.frames[0];
    assert_eq!((frame.timeout_ms, frame.behind, frame.awaited), (200, 4096, AnswerStage::DATA.bit()));
    // Numbers count to 255, then from 1.
    for _ in 0..255 {
        session.done("ping");
    }
    assert_eq!(session.preview("ping").unwrap().bytes[2], 1);
}
