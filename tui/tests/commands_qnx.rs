//! Commands to a QNX target: lines for a companion, and the demo target's reaction to them.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(feature = "demo-target")]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::bounded;
use spytui::demo;
use spytui_demo_target::{AVAILABLE, Faults, Proto, Target};
use spytui_engine::{
    device::{
        command::{ParsedCommand, complete, parse},
        control::{CommandState, Control},
    },
    io::link::LinkOptions,
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options, Origin, Registry},
    trace::session::{Decoding, Session as Stream, SessionOptions, thread::DecodeLoop},
};
use spytui_plugin_api::{
    Answer, Dict, EncodeError, EncoderEventKind, EncoderInstance, Frames, batch::AttachmentId, info::AnswerStage,
};
use spytui_plugin_host::kit::{Host, opt_vals, start_event};

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add(spytui_decoder_qnx::plugin(), &Origin::BuiltIn).unwrap();
    registry
}

fn qnx() -> Arc<Decoder> {
    registry().find("qnx").unwrap()
}

/// Encodes commands for a target that sent these bytes.
struct Lines {
    encoder: EncoderInstance,
    decoding: Arc<Decoding>,
    /// The configuration of the stream.
    config: Vec<u8>,
}

fn decoded(bytes: &[u8]) -> Arc<Decoding> {
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    log.end(1);
    let decoding = Arc::new(Decoding::new(qnx(), Options::default(), log, 0, 0, 1 << 20));
    let mut decode_loop = DecodeLoop::open(decoding.clone()).unwrap();
    while decode_loop.step().unwrap() {}
    decoding
}

impl Lines {
    fn new(opts: &[(&str, &[u8])]) -> Lines {
        let encoder = qnx().table.open_encoder(&opt_vals(opts)).unwrap().unwrap();
        Lines { encoder, decoding: decoded(b""), config: Vec::new() }
    }

    fn parse(&self, line: &str) -> Result<ParsedCommand, String> {
        let state = self.decoding.read();
        parse(line, &self.decoding.decoder.info, &state.dictionary)
            .map_err(|error| format!("{}: {error}", error.column))
    }

    /// The frames of a line, or column and message.
    fn frames(&mut self, line: &str) -> Result<Frames, String> {
        let parsed = self.parse(line)?;
        let mut frames = Frames::default();
        match self.encoder.encode(&parsed.command(&self.config, &[]), &Dict::new(&()), &mut frames) {
            Ok(()) => Ok(frames),
            Err(EncodeError::Refused(refusal)) => Err(format!("{}: {}", parsed.column(refusal.arg), refusal.message)),
            Err(EncodeError::Fault(fault)) => Err(fault.text.to_string()),
        }
    }

    /// The lines on the wire, without ids and separated by blanks; or column and message.
    fn text(&mut self, line: &str) -> Result<String, String> {
        let frames = self.frames(line)?;
        let mut texts = Vec::new();
        for frame in &frames.frames {
            let bytes = frame.bytes.of(&frames.bytes).to_vec();
            let text = String::from_utf8(bytes).unwrap();
            let (id, text) = text.strip_suffix('\n').unwrap().split_once(' ').unwrap();
            assert_eq!(id.parse(), Ok(frame.token));
            assert_eq!((frame.retries, frame.timeout_ms), (0, 1000));
            texts.push(text.to_owned());
        }
        Ok(texts.join(" | "))
    }

    fn states(&mut self) -> Vec<(u16, u64, bool)> {
        self.encoder.filter().unwrap().iter().map(|state| (state.table, state.first, state.is_on)).collect()
    }
}

#[test]
fn lines_have_ids_that_count_up() {
    let mut lines = Lines::new(&[("profile", b"kev")]);
    let bytes = |lines: &mut Lines, line: &str| String::from_utf8(lines.frames(line).unwrap().bytes.to_vec()).unwrap();
    assert_eq!(bytes(&mut lines, "info"), "1 query 0\n2 query 1\n3 query 2\n4 query 3\n");
    lines.encoder.event(EncoderEventKind::RESET, 0).unwrap();
    assert_eq!(bytes(&mut lines, "dict"), "5 tev 11\n6 tev 10\n", "no late answer belongs to another line");
    let mut fork = lines.encoder.fork().unwrap();
    let parsed = lines.parse("stop").unwrap();
    for _ in 0..3 {
        fork.encode(&parsed.command(&[], &[]), &Dict::new(&()), &mut Frames::default()).unwrap();
    }
    assert_eq!(bytes(&mut lines, "stop"), "7 tev 11\n", "a preview uses no id up");
    // Filler makes the line too long, so the part already sent can't become another command.
    lines.encoder.event(EncoderEventKind::SENT_IN_PART, 7).unwrap();
    assert_eq!(bytes(&mut lines, "stop"), format!("{}\n8 tev 11\n", "x".repeat(256)));
    assert_eq!(bytes(&mut lines, "stop"), "9 tev 11\n");
}

#[test]
fn every_command_is_a_line() {
    let bits = "0123456789abcdef".repeat(4);
    for (line, expected) in [
        ("start", "tev 10"),
        ("start nostate", "tev 33"),
        ("flush", "tev 14"),
        ("mode ring", "tev 34"),
        ("mode linear", "tev 35"),
        ("fast all", "tev 16"),
        ("wide all", "tev 17"),
        ("wide COMM", "tev 19 14"),
        ("fast CALL", "tev 18 2"),
        ("wide THR 5", "tev 21 10 32"),
        ("fast KER_CALL 11", "tev 20 3 11"),
        ("mark valve  open", "mark valve open"),
        ("mark \"valve  open\"", "mark valve  open"),
        ("tev 3 10", "tev 3 10"),
        ("tev DELCLASS 2", "tev 4 2"),
        ("tev 25 3 0x14 4099 2", "tev 25 3 20 4099 2"),
        ("tev 15", "tev 15"),
        ("fault flip 200", "fault 1 200"),
        ("fault link-rate 2000", "fault 6 2000"),
        ("fault seed 7", "fault 9 7"),
        ("fault door 1", "fault 32 1"),
        ("fault 200 1", "fault 200 1"),
        ("reset", "fault 7 1"),
    ] {
        assert_eq!(Lines::new(&[("profile", b"kev")]).text(line).as_deref(), Ok(expected), "{line}");
    }
    let mut nto1 = Lines::new(&[("profile", b"nto1")]);
    assert_eq!(nto1.text(&format!("kprof {}", bits.to_uppercase())), Ok(format!("kprof {bits}")));
    assert_eq!(nto1.text("info").as_deref(), Ok("query 0 | query 1 | query 2"));
    assert!(nto1.parse("reset").unwrap().confirm && !nto1.parse("stop").unwrap().confirm);
}

#[test]
fn a_filter_is_commands_of_the_kernel() {
    for (line, expected) in [
        ("filter -CALL", "tev 4 2"),
        ("filter +INT -THR", "tev 3 6 | tev 4 10"),
        ("filter class:COMM", "tev 3 14"),
        ("filter =USER +PROC", "tev 2 | tev 3 12 | tev 3 9"),
        ("filter =ALL", "tev 1"),
        ("filter =ALL -INT_HANDLER_EXIT", "tev 1 | tev 4 16"),
        ("filter -ALL", "tev 2"),
        ("filter -7..8", "tev 4 7 | tev 4 8"),
        ("filter -event:COMM:1", "tev 6 14 1"),
        ("filter +event:THR:5..6", "tev 5 10 32 | tev 5 10 64"),
        ("filter -event:PROC:2", "tev 6 9 4"),
        ("filter -event:CALL:20", "tev 6 3 20 | tev 6 4 20 | tev 6 5 20"),
        ("filter =event:USER:10", "tev 2 | tev 5 12 10"),
        ("filter =pid:4099", "tev 22 2 4099 | tev 22 10 4099 | tev 22 11 4099 | tev 22 13 4099 | tev 22 14 4099"),
        ("filter +pid:ALL", "tev 26 2 | tev 26 10 | tev 26 11 | tev 26 13 | tev 26 14"),
    ] {
        assert_eq!(Lines::new(&[("profile", b"kev")]).text(line).as_deref(), Ok(expected), "{line}");
    }
    // Threads of release 8 are numbered, and virtual ones are gone.
    let mut new = Lines::new(&[("profile", b"kev"), ("release", b"8")]);
    assert_eq!(new.text("filter -event:THR:40").as_deref(), Ok("tev 6 10 40"));
    assert_eq!(new.text("filter =pid:9").as_deref(), Ok("tev 22 2 9 | tev 22 10 9 | tev 22 13 9 | tev 22 14 9"));
}

#[test]
fn wrong_lines_are_refused_with_their_column() {
    let long = format!("mark {}", "x".repeat(128));
    let mut kev = Lines::new(&[("profile", b"kev")]);
    for (line, refusal) in [
        ("infos", "0: the target has no command \"infos\"; nearest: info"),
        ("info 1", "5: too many arguments"),
        ("mode", "4: MODE is missing: ring linear"),
        ("wide thr", "5: \"thr\": all CALL KER_CALL "),
        ("wide CALL 3", "5: CALL stands for several classes"),
        ("wide all 3", "9: an event belongs to a class"),
        ("wide THR 40", "9: events go from 0 to 31"),
        ("mark", "4: TEXT is missing: a text"),
        ("mark \"\"", "5: the text must have 1 to 127 bytes"),
        (&long, "5: the text must have 1 to 127 bytes"),
        ("mark \"a\nb\"", "5: the text must not contain control characters"),
        ("tev 7", "4: a companion takes 1 to 6, 10, 11, 14 to 29 and 33 to 35"),
        ("tev 30 1 2 3", "4: a companion takes 1 to 6"),
        ("tev ADDCLAS 3", "4: \"ADDCLAS\": ADDALLCLASSES "),
        ("tev 3", "4: ADDCLASS has class"),
        ("tev 25 3 20 4099", "7: SETEVENTTID has class event pid tid"),
        ("tev 10 1", "7: START has no words"),
        ("tev 3 x", "6: WORDS is a number from 0 to 4294967295"),
        ("kprof 00", "6: kprof is for nto1; here use filter"),
        (
            "fault flop 1",
            "6: \"flop\": flip loss noise dup burst link-rate garbage seed door flame-out incident calm, ",
        ),
        ("fault flip", "10: VALUE is missing: a number"),
        ("fault 7 1", "6: 7 resets the target: use reset"),
        ("filter", "6: give what to change: +WORD on, -WORD off, =WORD this alone"),
        ("filter -CALS", "7: no \"CALS\" in the classes: CALL "),
        ("filter -CTRL", "7: CTRL is always sent"),
        ("filter -1", "7: CTRL is always sent"),
        ("filter 21", "7: 21: numbers go from 1 to 20"),
        ("filter +CALL INT", "13: \"INT\": begin it with + (on) or - (off)"),
        ("filter -event:COMM", "7: COMM:N has numbers from 0 to 1023"),
        ("filter -event:PROC:5", "7: PROC:N has numbers from 0 to 4"),
        ("filter -event:5", "7: no \"5\" in the events: WORD:N or WORD:N..N with CALL "),
        ("filter -event:THR:40", "7: events of THR go from 0 to 31 before release 8"),
        ("filter -event:USER:0..1023", "7: more than 64 commands to the kernel: name classes"),
        ("filter -pid:9", "7: no process can be left out"),
        ("filter =pid:9 +pid:10", "7: one process, or +pid:ALL"),
        ("filter =pid:nobody", "7: no \"nobody\" in the processes"),
    ] {
        let error = kev.text(line).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
    assert_eq!(kev.frames("stop").unwrap().bytes.as_slice(), b"1 tev 11\n", "a refused line has no id");
    let mut nto1 = Lines::new(&[("profile", b"nto1")]);
    for (line, refusal) in [
        ("filter -CALL", "7: nto1 has no classes: kprof BITS disables events of the kernel profile"),
        ("kprof", "5: BITS is missing: hexadecimal digits"),
        ("kprof 00ff", "6: 64 hexadecimal digits, not 4"),
        ("kprof 0g", "6: BITS are two hexadecimal digits each"),
    ] {
        let error = nto1.text(line).unwrap_err();
        assert!(error.starts_with(refusal), "{line}: {error}");
    }
    let error = Lines::new(&[("profile", b"qnx4")]).text("info").unwrap_err();
    assert_eq!(error, "0: qnx4 targets take no commands");
}

/// The demo target with the whole host side.
struct Session {
    target: Target,
    lines: Lines,
    host: Host,
    stream: Vec<u8>,
}

impl Session {
    /// `None` if this build has no target.
    fn begin() -> Option<Session> {
        Session::of(Proto::Qnx)
    }

    fn of(proto: Proto) -> Option<Session> {
        let target = Target::new(proto, &Faults::default(), 1)?;
        let mut host = Host::open(qnx().table, &[]).unwrap();
        host.feed(b"", &[start_event()]).unwrap();
        let mut session = Session { target, lines: Lines::new(&[]), host, stream: Vec::new() };
        // Without a header, the format is detected from the first 4 KiB.
        while session.stream.len() < 5000 {
            session.run(10);
        }
        Some(session)
    }

    fn read(&mut self) {
        let from = self.stream.len();
        self.target.read(&mut self.stream);
        self.host.feed(&self.stream[from..], &[]).unwrap();
    }

    /// Lets steps of 10 ms pass.
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.target.step();
            self.read();
        }
    }

    /// Number of records per class in five seconds: the scenario has quiet times.
    fn sent(&mut self) -> impl Fn(&str) -> usize + use<> {
        let from = self.host.run.rows.len();
        self.run(500);
        let info = &self.host.info;
        let groups: Vec<(u8, String)> = info.groups.iter().map(|group| (group.id, group.tag.to_string())).collect();
        let rows: Vec<u8> = self.host.run.rows[from..].iter().map(|row| row.group).collect();
        move |tag| {
            let of_tag = |id: &&u8| groups.iter().any(|(of, name)| of == *id && name == tag);
            rows.iter().filter(of_tag).count()
        }
    }

    /// The answer with a token that arrived after a row.
    fn answer(&self, token: u64, from: usize) -> Option<Answer> {
        let with = |id: AttachmentId| {
            move |at: usize| self.host.run.attachments_of(at).iter().find(|found| found.id == id).copied()
        };
        let answer = with(AttachmentId::ANSWER);
        let at = (from..self.host.run.rows.len()).find(|at| answer(*at).is_some_and(|found| found.a == token))?;
        let data = with(AttachmentId::ANSWER_DATA)(at)?;
        let stage = AnswerStage(answer(at)?.b as u8);
        Some(Answer { token, stage, item: data.a, value: data.b })
    }

    /// Sends a line frame by frame, each after the previous one was acknowledged; returns stage and reason of each.
    fn send(&mut self, line: &str) -> Vec<(AnswerStage, String)> {
        self.lines.decoding = decoded(&self.stream);
        let cfg = self.host.run.rows.last().unwrap().cfg;
        self.lines.config = self.host.run.cfgs[&cfg].clone();
        let frames = self.lines.frames(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut verdicts = Vec::new();
        for frame in &frames.frames {
            let from = self.host.run.rows.len();
            self.target.feed(frame.bytes.of(&frames.bytes));
            self.read();
            let answer = (0..100).find_map(|_| {
                let found = self.answer(frame.token, from);
                if found.is_none() {
                    self.run(1);
                }
                found
            });
            let Some(answer) = answer else {
                self.lines.encoder.event(EncoderEventKind::TIMED_OUT, frame.token).unwrap();
                panic!("{line}: no answer");
            };
            let verdict = self.lines.encoder.answer(&answer).unwrap();
            verdicts.push((verdict.stage, verdict.reason.to_string()));
            if verdict.stage == AnswerStage::REFUSED {
                break;
            }
            assert!(frame.awaited & verdict.stage.bit() != 0, "{line}: {verdict:?}");
        }
        verdicts
    }

    fn is_accepted(&mut self, line: &str) {
        let verdicts = self.send(line);
        assert!(verdicts.iter().all(|(stage, reason)| *stage == AnswerStage::ACCEPTED && reason.is_empty()));
    }

    fn classes_on(&mut self) -> Vec<u64> {
        let states = self.lines.states();
        states.iter().filter(|(table, _, is_on)| *table == 0 && *is_on).map(|state| state.1).collect()
    }
}

#[test]
fn a_class_that_is_off_sends_nothing_until_it_is_on_again() {
    let Some(mut session) = Session::begin() else { return };
    let sent = session.sent();
    for class in ["CALL", "INT", "COMM", "THR", "USER"] {
        assert!(sent(class) > 0, "{class}");
    }
    session.is_accepted("filter -CALL -COMM");
    let sent = session.sent();
    assert_eq!((sent("CALL"), sent("COMM")), (0, 0));
    assert!(sent("INT") > 0 && sent("THR") > 0);
    session.is_accepted("filter +CALL");
    let sent = session.sent();
    assert!(sent("CALL") > 0 && sent("COMM") == 0);
    session.is_accepted("filter =USER");
    let sent = session.sent();
    assert!(sent("USER") > 0 && ["CALL", "INT", "COMM", "THR", "SYS"].iter().all(|class| sent(class) == 0));
    assert_eq!(session.classes_on(), [12]);
    session.is_accepted("filter =ALL -event:THR:1");
    let from = session.host.run.rows.len();
    let sent = session.sent();
    assert!(sent("CALL") > 0 && sent("COMM") > 0 && sent("THR") > 0);
    let running = session.host.info.kinds.iter().find(|kind| kind.name == "THRUNNING").unwrap().first;
    assert!(session.host.run.rows[from..].iter().all(|row| row.kind != running));
    assert!(session.lines.states().contains(&(1, 10 << 16 | 1, false)));
}

#[test]
fn states_are_read_back() {
    let Some(mut session) = Session::begin() else { return };
    assert!(session.lines.states().is_empty(), "nothing is known before it is acknowledged");
    session.is_accepted("filter -INT -SYS");
    assert_eq!(session.lines.states().len(), 5);
    session.lines.encoder.event(EncoderEventKind::RESET, 0).unwrap();
    assert!(session.lines.states().is_empty(), "a reset forgets all of it");
    let reported = session.send("info");
    assert!(reported.iter().all(|(stage, _)| *stage == AnswerStage::DATA));
    assert_eq!(reported[0].1, "companion version 1");
    let all = &reported[3].1;
    assert!(all.starts_with("companion version 1, dropped so far: 0, peak of the ring: "), "{all}");
    assert!(all.ends_with(" bytes, classes on: CALL PROC THR VTHR USER COMM QUIP SEC QVM PMU"), "{all}");
    assert_eq!(session.classes_on(), [3, 4, 5, 9, 10, 11, 12, 14, 17, 18, 19, 20]);
}

#[test]
fn what_the_target_refuses_is_said_and_changes_nothing() {
    let Some(mut session) = Session::begin() else { return };
    session.is_accepted("filter -INT");
    let before = session.lines.states();
    for (line, reason) in [
        ("tev 3 99", "EINVAL: this target has no such command, class or event"),
        ("tev 5 2 1", "EINVAL: this target has no such command, class or event"),
        ("fault 200 1", "EINVAL: this target has no such fault or command"),
    ] {
        assert_eq!(session.send(line), [(AnswerStage::REFUSED, reason.to_owned())], "{line}");
    }
    for event in 0..8 {
        session.is_accepted(&format!("tev SETEVENTPID 3 {event} 4099"));
    }
    let full = session.send("tev SETEVENTPID 3 9 4099");
    assert_eq!(full, [(AnswerStage::REFUSED, "ENOMEM: no room for another event filter".to_owned())]);
    assert_eq!(session.lines.states(), before);
}

#[test]
fn names_come_again_and_marks_and_processes_are_found() {
    let Some(mut session) = Session::begin() else { return };
    let named = |session: &Session| {
        let created = session.host.info.kinds.iter().find(|kind| kind.name == "PROCCREATE_NAME").unwrap().first;
        session.host.run.rows.iter().filter(|row| row.kind == created).count()
    };
    let before = named(&session);
    session.is_accepted("dict");
    session.run(20);
    assert_eq!(named(&session), 2 * before);
    session.is_accepted("mark valve open");
    session.run(20);
    assert!(session.stream.windows(4).any(|bytes| bytes == b"valv"));
    session.is_accepted("stop");
    session.run(20);
    let sent = session.sent();
    assert_eq!((sent("CALL"), sent("THR")), (0, 0));
    session.is_accepted("start nostate");
    session.is_accepted("filter =pid:boiler");
    session.run(20);
    let sent = session.sent();
    assert!(sent("CALL") > 0);
    assert_eq!(session.lines.states(), [(2, 4099, true)]);
}

#[test]
fn an_older_target_disables_events_of_the_kernel_profile() {
    let Some(mut session) = Session::of(Proto::Nto1) else { return };
    let reported = session.send("info");
    assert!(reported[2].1.starts_with("companion version 1, dropped so far: 0, peak of the ring: "), "{reported:?}");
    // The first byte of a record is its opcode.
    let count = |session: &mut Session, opcode: u8| {
        let from = session.host.run.rows.len();
        session.run(500);
        let rows = &session.host.run.rows[from..];
        rows.iter().filter(|row| session.stream[row.pos as usize] == opcode).count()
    };
    const POST: u8 = 0x20;
    const GET: u8 = 0x21;
    assert!(count(&mut session, POST) > 0 && count(&mut session, GET) > 0);
    let mut bits = [0_u8; 32];
    bits[usize::from(POST >> 3)] = 1 << (POST & 7);
    let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
    session.is_accepted(&format!("kprof {digits}"));
    assert!(count(&mut session, POST) == 0 && count(&mut session, GET) > 0);
    session.is_accepted(&format!("kprof {}", "00".repeat(32)));
    assert!(count(&mut session, POST) > 0);
    let refused = "EINVAL: this target has no such fault or command".to_owned();
    assert_eq!(session.send("fault 200 1"), [(AnswerStage::REFUSED, refused)]);
    let error = session.lines.text("filter -CALL").unwrap_err();
    assert!(error.starts_with("7: nto1 has no classes"), "{error}");
}

#[test]
fn a_command_without_an_answer_leaves_its_classes_unknown() {
    let mut lines = Lines::new(&[("profile", b"kev")]);
    lines.frames("filter =ALL").unwrap();
    let done = Answer { token: 1, stage: AnswerStage::ACCEPTED, ..Answer::default() };
    assert_eq!(lines.encoder.answer(&done).unwrap().stage, AnswerStage::ACCEPTED);
    assert_eq!(lines.states().len(), 17);
    let mut fork = lines.encoder.fork().unwrap();
    lines.frames("filter -CALL").unwrap();
    lines.encoder.event(EncoderEventKind::TIMED_OUT, 2).unwrap();
    assert_eq!(lines.states().len(), 14, "calls are in doubt");
    assert_eq!(fork.filter().unwrap().len(), 17, "a fork stands alone");
    fork.event(EncoderEventKind::CONNECTED, 0).unwrap();
    assert!(fork.filter().unwrap().is_empty() && lines.states().len() == 14);
}

#[test]
fn words_of_filters_are_offered() {
    let lines = Lines::new(&[]);
    let state = lines.decoding.read();
    let words = |line: &str| -> Vec<String> {
        let (_, found) = complete(line, &lines.decoding.decoder.info, &state.dictionary);
        found.into_iter().map(|word| word.text).collect()
    };
    let first = words("filter -");
    for word in ["CALL", "INT_HANDLER_EXIT", "ALL", "class:", "event:", "pid:"] {
        assert!(first.iter().any(|found| found == word), "{word}: {first:?}");
    }
    assert!(words("filter -event:").contains(&"COMM:".to_owned()));
    assert!(words("tev ").contains(&"ADDCLASS".to_owned()));
}

/// Sends lines to the demo in real time and waits for the end of each.
#[test]
fn lines_are_followed_to_their_end() {
    if !AVAILABLE {
        return;
    }
    let registry = registry();
    let link = demo::open("qnx", None, &registry, LinkOptions::default()).unwrap();
    let log = link.sources().remove(0).log;
    let (wake, _news) = bounded(1);
    let stream =
        Stream::start(log.clone(), qnx(), Options::default(), SessionOptions::default(), wake.clone()).unwrap();
    let control = Control::start(log, stream.follow(), link.sender(0), wake);
    let wait = |what: &str, done: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(20), "{what}: {:#?}", control.status());
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait("rows", &|| stream.current().len() > 100);
    let run = |line: &str| {
        let number = control.send(control.prepare(line).unwrap(), "typed").unwrap();
        let state = || control.status().commands.iter().find(|c| c.number == number).unwrap().state.clone();
        wait(line, &|| state().is_over());
        state()
    };
    let is_on = |class: u64| control.status().filter.iter().any(|s| s.table == 0 && s.first == class && s.is_on);
    let info = run("info");
    assert!(info.is_done() && info.text().ends_with(" bytes, classes on: all"), "{info:?}");
    assert!(is_on(3) && is_on(14));
    assert!(run("filter =COMM +event:USER:10").is_done());
    assert!(!is_on(3) && is_on(14));
    assert!(run("dict").is_done());
    let refused = run("tev 3 99");
    let reason = "refused by the target: EINVAL: this target has no such command, class or event";
    assert_eq!(refused, CommandState::Refused(reason.to_owned()));
    let reset = run("reset");
    assert!(reset.text().starts_with("done, the target was reset after "), "{reset:?}");
    assert!(control.status().filter.is_empty(), "a reset forgets all of it");
    assert!(run("info").is_done());
}
