//! Commands to the demo target in this process: sent, answered, refused, timed out, and what is known afterwards.

#![allow(clippy::unwrap_used)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, bounded};
use spytui::demo;
use spytui_demo_target::{Faults, Proto, Target};
use spytui_engine::{
    device::control::{CommandState, Control, TargetStatus},
    io::link::{InProcessTarget, Link, LinkOptions},
    io::log::{LogEvent, kind},
    open::{Options, Registry},
    trace::session::{Session, SessionOptions},
};
use spytui_plugin_api::RowKind;

use crate::fuzzing::fixture::registry;

/// A demo target with its session.
struct Bench {
    link: Link,
    session: Session,
    control: Control,
    _news: Receiver<()>,
}

/// The demo target on a line that can be blocked in both directions.
struct Held {
    target: Target,
    /// Number of bytes that it accepts.
    room: Arc<AtomicUsize>,
    /// Holds back what it sends.
    is_silent: Arc<AtomicBool>,
}

impl InProcessTarget for Held {
    fn up_text(&self) -> String {
        "held".to_owned()
    }

    fn step(&mut self) {
        self.target.step();
    }

    fn read(&mut self, to: &mut Vec<u8>) {
        if !self.is_silent.load(Ordering::Relaxed) {
            self.target.read(to);
        }
    }

    fn can_feed(&self) -> bool {
        true
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.target.feed(bytes);
    }

    fn room(&self) -> Option<Arc<AtomicUsize>> {
        Some(self.room.clone())
    }
}

/// A bench on a line that can be blocked.
struct HeldBench {
    bench: Bench,
    room: Arc<AtomicUsize>,
    is_silent: Arc<AtomicBool>,
}

impl HeldBench {
    fn start(proto: &str) -> Option<HeldBench> {
        let target = Target::new(Proto::named(proto).unwrap(), &Faults::parse("").unwrap(), 1)?;
        let (room, is_silent) = (Arc::new(AtomicUsize::new(usize::MAX)), Arc::new(AtomicBool::new(false)));
        let held = Held { target, room: room.clone(), is_silent: is_silent.clone() };
        let registry = registry();
        let link = Link::run("held", Box::new(held), LinkOptions::default()).unwrap();
        Some(HeldBench { bench: Bench::on(proto, link, &registry), room, is_silent })
    }
}

impl Bench {
    fn start(proto: &str, faults: Option<&str>) -> Bench {
        let registry = registry();
        let link = demo::open(proto, faults, &registry, LinkOptions::default()).unwrap();
        Bench::on(proto, link, &registry)
    }

    fn on(proto: &str, link: Link, registry: &Registry) -> Bench {
        let log = link.sources().remove(0).log;
        let (wake, news) = bounded(1);
        let decoder = registry.find(proto).unwrap();
        let settings = SessionOptions::default();
        let session = Session::start(log.clone(), decoder, Options::default(), settings, wake.clone()).unwrap();
        let control = Control::start(log, session.follow(), link.sender(0), wake);
        Bench { link, session, control, _news: news }
    }

    fn until(&self, what: &str, done: impl Fn(&TargetStatus) -> bool) {
        let start = Instant::now();
        while !done(&self.control.status()) {
            assert!(start.elapsed() < Duration::from_secs(60), "waited for {what}: {:#?}", self.control.status());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn names(&self, count: u64) {
        self.until("names", |_| self.session.current().len() > count);
    }

    /// Sends a line and waits for its end.
    fn run(&self, line: &str) -> CommandState {
        let number = self.control.send(self.control.prepare(line).unwrap(), "typed").unwrap();
        let of = |status: &TargetStatus| status.commands.iter().find(|c| c.number == number).unwrap().state.clone();
        self.until(line, |status| of(status).is_over());
        of(&self.control.status())
    }

    /// Rows of a kind in the store.
    fn count(&self, kind: RowKind) -> u64 {
        let decoding = self.session.current();
        let state = decoding.read();
        state.rows.tables.shapes.rows_of(|shape| shape.row.kind == kind)
    }
}

/// A record of the QS event processor.
const DISPATCH: RowKind = RowKind(8);

#[test]
fn a_filter_of_qs_stops_its_records_and_brings_them_back() {
    let Some(bench) = start("qs") else { return };
    bench.names(100);
    let state = bench.run("filter -SM");
    assert!(state.is_done(), "{state:?}");
    let status = bench.control.status();
    let is_off =
        |switch| status.filter.iter().any(|s| !s.is_on && s.table == 0 && (s.first..=s.last).contains(&switch));
    assert!(is_off(8) && !is_off(14), "{:?}", status.filter);
    let log = bench.session.log().clone();
    let mark = log.len();
    bench.until("bytes", |_| bench.session.current().pos() > mark + 500);
    let before = bench.count(DISPATCH);
    let mark = log.len();
    bench.until("bytes", |_| bench.session.current().pos() > mark + 2000);
    assert_eq!(bench.count(DISPATCH), before);
    assert!(bench.run("filter +SM").is_done());
    bench.until("records of state machines", |_| bench.count(DISPATCH) > before);
    // Command and result are rows, and are in the log with the bytes sent.
    assert_eq!((bench.count(RowKind::COMMAND), bench.count(RowKind::RESULT)), (2, 2));
    let mut events: Vec<LogEvent> = Vec::new();
    log.all_events_from(0, u64::MAX, &mut events);
    let texts = |of: u16| -> Vec<String> {
        events.iter().filter(|e| e.kind == of).map(|e| String::from_utf8_lossy(&e.text).into_owned()).collect()
    };
    assert!(texts(kind::COMMAND)[0].starts_with("#1 target filter -SM · typed · "), "{:?}", texts(kind::COMMAND));
    assert!(texts(kind::RESULT)[0].starts_with("#1 filter acknowledged after "), "{:?}", texts(kind::RESULT));
    assert_eq!(texts(kind::SENT).len(), 2);
}

#[test]
fn a_reset_is_done_when_the_target_has_started_again() {
    let Some(bench) = start("qs") else { return };
    bench.names(100);
    assert!(bench.run("filter -SM").is_done());
    assert!(!bench.control.status().filter.is_empty());
    let state = bench.run("reset");
    assert!(state.text().starts_with("done, the target was reset after "), "{state:?}");
    // Nothing is known any more.
    assert!(bench.control.status().filter.is_empty());
    assert!(!bench.control.status().forgotten.is_empty());
    // Sequence numbers restart: the target has nothing to report.
    assert!(bench.run("info").is_done());
}

/// Acknowledged states survive a reset until something is acknowledged again.
#[test]
fn the_filter_of_before_a_reset_is_kept() {
    for (proto, group) in [("qs", "SM"), ("rkh", "SMA"), ("tband", "queue")] {
        let Some(bench) = start(proto) else { return };
        bench.names(100);
        assert!(bench.run(&format!("filter -{group}")).is_done());
        let mut known = bench.control.status().filter.clone();
        known.retain(|state| state.table == 0);
        assert!(bench.control.status().forgotten.is_empty());
        assert!(bench.run("reset").is_done());
        assert_eq!(bench.control.status().forgotten, known, "{proto}");
        assert!(bench.run(&format!("filter ={group}")).is_done());
        let of_table = bench.control.status().forgotten.iter().any(|state| state.table == 0);
        assert!(!of_table, "{proto}: {:?}", bench.control.status());
    }
}

/// Re-decoding with other options does not affect the target, which keeps running as before.
#[test]
fn the_filter_is_known_after_decoding_again() {
    for (proto, first, second) in GROUPS {
        let Some(bench) = start(proto) else { return };
        bench.names(100);
        assert!(bench.run(&format!("filter -{first}")).is_done());
        let known = bench.control.status().filter.clone();
        let decoder = bench.session.current().decoder.clone();
        let rate = ["ticks-per-second", "resolution", "cycles-per-sec", "max-frame", "max-record"];
        let rate = rate.into_iter().find(|key| decoder.info.option(key).is_some()).unwrap();
        let mut options = Options::default();
        options.set(&decoder.info, rate, "1000").unwrap();
        let len = bench.session.log().len();
        bench.session.switch(decoder, options.clone()).unwrap();
        bench.until("the other options", |_| {
            let current = bench.session.current();
            current.options == options && current.pos() > len
        });
        // The next command continues from there, and is answered.
        assert!(bench.run(&format!("filter -{second}")).is_done(), "{proto}: {:?}", bench.control.status());
        let now = bench.control.status();
        let is_off = |switch: u64| {
            let mut states = now.filter.iter().filter(|state| state.table == 0 && !state.is_on && state.is_known);
            states.any(|state| (state.first..=state.last).contains(&switch))
        };
        let was_off = known.iter().filter(|state| state.table == 0 && !state.is_on && state.is_known);
        let mut was_off = was_off.flat_map(|state| state.first..=state.last).peekable();
        assert!(was_off.peek().is_some() && was_off.all(is_off), "{proto}: {known:?} {now:?}");
        assert!(now.commands.iter().all(|command| command.state.is_done()) && now.forgotten.is_empty(), "{now:?}");
    }
}

#[test]
fn a_refusal_says_what_to_do() {
    let Some(bench) = start("qs") else { return };
    bench.names(100);
    let state = bench.run("peek 0 1 1");
    let CommandState::Refused(text) = &state else { panic!("{state:?}") };
    assert!(text.contains("Is an object current?"), "{text}");
    let state = bench.run("query mp");
    assert!(matches!(&state, CommandState::Refused(text) if text.contains("No query callback?")), "{state:?}");
    let state = bench.run("test setup");
    assert!(matches!(&state, CommandState::Refused(text) if text.contains("not a test build")), "{state:?}");
    let last = bench.control.status().commands.last().map(|command| command.text());
    assert_eq!(last.as_deref(), Some("#3 test setup refused by the target: not a test build"));
}

#[test]
fn after_a_reset_in_the_middle_of_a_queue_nothing_is_taken_for_known() {
    let Some(bench) = start("qs") else { return };
    bench.names(100);
    // The demo's own command resets it: commands waiting after it were meant for the target before.
    let lines = ["local =AO", "command RESET 1", "filter +QF", "filter -SM", "info"];
    let run = || {
        assert!(bench.run("filter =SM").is_done());
        let numbers = lines.map(|line| bench.control.send(bench.control.prepare(line).unwrap(), "typed").unwrap());
        bench.until("the end of all", |status| status.commands.iter().all(|command| command.state.is_over()));
        let status = bench.control.status();
        let texts: Vec<String> = status.commands.iter().map(|command| command.text()).collect();
        let of = |number: u32| texts.iter().find(|text| text.starts_with(&format!("#{number} "))).unwrap().clone();
        (numbers.map(of), status)
    };
    // On a busy machine the next command may be sent after the answer, before the reset is seen.
    let (texts, status) = (0..5).map(|_| run()).find(|(texts, _)| texts[2].contains("not sent")).unwrap();
    assert!(texts[0].contains("local acknowledged after"), "{texts:#?}");
    for late in &texts[2..] {
        assert!(late.contains("not sent: the target was reset"), "{texts:#?}");
    }
    assert!(status.filter.is_empty(), "{:?}", status.filter);
    let preview = bench.control.prepare("filter -SM").unwrap();
    assert!(preview.remarks[0].starts_with("the target's filter is unknown"), "{preview:?}");
    assert_eq!(preview.bytes[0], 1, "numbers begin again");
    assert!(bench.run("info").is_done());
}

#[test]
fn a_link_that_is_down_takes_nothing() {
    let Some(mut bench) = start("qs") else { return };
    bench.names(100);
    bench.link.stop();
    let refused = bench.control.send(bench.control.prepare("info").unwrap(), "typed");
    assert_eq!(refused, Err("the link is down: nothing is sent".to_owned()));
    assert!(bench.control.status().commands.is_empty());
    assert_eq!(bench.count(RowKind::COMMAND), 0);
}

/// The dictionary translates names for the target: RKH filters objects by priority.
#[test]
fn an_object_of_rkh_is_filtered_by_name() {
    let Some(bench) = start("rkh") else { return };
    bench.names(200);
    let state = bench.run("filter -obj:burner");
    assert!(state.is_done(), "{state:?}");
    assert!(bench.control.status().filter.iter().any(|state| !state.is_on && state.is_known));
}

fn start(proto: &str) -> Option<Bench> {
    spytui_demo_target::AVAILABLE.then(|| Bench::start(proto, None))
}

#[test]
fn a_command_waits_for_the_link_and_for_its_names() {
    let Some(bench) = start("qs") else { return };
    bench.control.send_when_up("local -obj:burner").unwrap();
    bench.until("its end", |status| status.commands.first().is_some_and(|command| command.state.is_over()));
    let status = bench.control.status();
    assert_eq!((status.commands[0].origin.as_str(), status.commands[0].state.is_done()), ("start", true), "{status:?}");
    bench.control.send_when_up("filter -SN").unwrap();
    bench.until("its end", |status| status.commands.get(1).is_some_and(|command| command.state.is_over()));
    let text = bench.control.status().commands[1].text();
    assert!(text.starts_with("#2 filter not sent: no \"SN\" in the global filter"), "{text}");
}

#[test]
fn on_a_silent_link_a_command_wakes_the_thread_that_sends_it() {
    let Some(HeldBench { bench, is_silent, .. }) = HeldBench::start("qs") else { return };
    is_silent.store(true, Ordering::Relaxed);
    // The thread sleeps after a second without news.
    std::thread::sleep(Duration::from_millis(2_500));
    bench.control.send_when_up("filter -SM").unwrap();
    bench.until("the command", |status| !status.commands.is_empty());
}

#[test]
fn on_a_silent_link_another_decoder_is_noticed() {
    let Some(HeldBench { bench, is_silent, .. }) = HeldBench::start("qs") else { return };
    is_silent.store(true, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(2_500));
    let before = bench.control.changes();
    bench.session.switch(registry().find("rkh").unwrap(), Options::default()).unwrap();
    bench.until("its encoder", |_| bench.control.changes() > before);
}

#[test]
fn a_wrong_line_is_refused_with_its_column() {
    let Some(bench) = start("qs") else { return };
    bench.names(100);
    let error = bench.control.prepare("filter -SN").unwrap_err();
    assert_eq!(error.column, 7);
    assert!(error.message.contains("nearest: SM"), "{error}");
    let preview = bench.control.prepare("reset").unwrap();
    assert!(preview.command.confirm && preview.frames == 1 && preview.bytes[..2] == [1, 2], "{preview:?}");
    assert!(!bench.control.prepare("reset!").unwrap().command.confirm);
}

/// Objects switched by name are off, and the ids of active objects are unknown.
#[test]
fn an_object_of_qs_that_was_switched_off_is_known_to_be_off() {
    let Some(bench) = start("qs") else { return };
    bench.names(100);
    assert!(bench.run("local =ALL").is_done());
    assert!(bench.run("local -obj:supervisor").is_done());
    let filter = bench.control.status().filter.clone();
    let objects: Vec<_> = filter.iter().filter(|state| state.table == 2).collect();
    assert!(matches!(objects.as_slice(), [state] if !state.is_on && state.is_known), "{filter:?}");
    assert!(filter.iter().all(|state| state.table != 1 || state.first > 64), "{filter:?}");
    // A filter of ids sets all objects.
    assert!(bench.run("local =ALL").is_done());
    let filter = bench.control.status().filter.clone();
    assert!(filter.iter().all(|state| state.table != 2) && filter.iter().any(|state| state.first == 1), "{filter:?}");
}

/// Two groups of each protocol.
const GROUPS: [(&str, &str, &str); 4] =
    [("qs", "SM", "AO"), ("rkh", "SMA", "QUE"), ("tband", "queue", "task"), ("qnx", "COMM", "THR")];

/// Runs a test on several protocols at once, as they mostly wait.
fn on_each(check: impl Fn(&str, &str, &str) + Sync) {
    std::thread::scope(|scope| {
        for (proto, first, second) in GROUPS {
            let check = &check;
            scope.spawn(move || check(proto, first, second));
        }
    });
}

impl Bench {
    /// Texts of the commands and results in the log.
    fn log_texts(&self) -> Vec<String> {
        let mut events: Vec<LogEvent> = Vec::new();
        self.session.log().all_events_from(0, u64::MAX, &mut events);
        let of_commands = events.iter().filter(|event| [kind::COMMAND, kind::RESULT].contains(&event.kind));
        of_commands.map(|event| String::from_utf8_lossy(&event.text).into_owned()).collect()
    }

    /// Ranges of switches of the first table that are known to be off.
    fn off(&self) -> Vec<(u64, u64)> {
        let status = self.control.status();
        let off = status.filter.iter().filter(|state| state.table == 0 && !state.is_on && state.is_known);
        off.map(|state| (state.first, state.last)).collect()
    }
}

/// A target reports its start while the first commands are sent: acknowledged states are kept, and the numbers
/// continue.
#[test]
fn commands_right_after_the_start_build_on_each_other() {
    on_each(|proto, first, second| {
        for _ in 0..5 {
            let Some(bench) = start(proto) else { return };
            for group in [first, second] {
                let state = bench.run(&format!("filter -{group}"));
                assert!(state.is_done() && !state.text().contains("not expected"), "{proto}: {:?}", bench.log_texts());
            }
            let off = bench.off();
            assert!(bench.run(&format!("filter +{first}")).is_done());
            let texts = bench.log_texts();
            assert!(texts.iter().all(|text| !text.contains("version is not known")), "{proto}: {texts:?}");
            assert!(texts[2..].iter().all(|text| !text.contains("unknown")), "{proto}: {texts:?}");
            assert!(off.len() >= 2 && bench.off().len() < off.len(), "{proto}: {off:?}, then {:?}", bench.off());
        }
    });
}

/// A partially sent command is terminated before the next one, which has the next number.
#[test]
fn a_command_that_was_sent_in_part_does_not_spoil_the_next() {
    on_each(|proto, first, second| {
        let Some(HeldBench { bench, room, .. }) = HeldBench::start(proto) else { return };
        bench.names(100);
        assert!(bench.run(&format!("filter -{first}")).is_done());
        room.store(5, Ordering::Relaxed);
        let state = bench.run(&format!("filter -{second}"));
        assert!(matches!(&state, CommandState::Failed(text) if text.starts_with("sent in part: the line took 5 of")));
        room.store(usize::MAX, Ordering::Relaxed);
        assert!(bench.run("info").is_done(), "{proto}: {:?}", bench.log_texts());
        // QS counts the used-up number as missing, once.
        let state = bench.run("info");
        assert!(state.is_done() && !state.text().contains("not expected"), "{proto}: {:?}", bench.log_texts());
        assert!(bench.run(&format!("filter -{second}")).is_done(), "{proto}: {:?}", bench.log_texts());
    });
}

/// A late answer still updates the known state of the target's filter.
#[test]
fn a_late_answer_is_taken() {
    on_each(|proto, group, _| {
        let Some(HeldBench { bench, is_silent, .. }) = HeldBench::start(proto) else { return };
        bench.names(100);
        // The target counts from here on, so that the filter is one frame.
        assert!(bench.run("info").is_done());
        is_silent.store(true, Ordering::Relaxed);
        let prepared = bench.control.prepare(&format!("filter -{group}")).unwrap();
        let number = bench.control.send(prepared, "typed").unwrap();
        let of = |status: &TargetStatus| status.commands.iter().find(|c| c.number == number).unwrap().clone();
        bench.until("the time-out", |status| matches!(of(status).state, CommandState::TimedOut(_)));
        assert!(bench.off().is_empty());
        is_silent.store(false, Ordering::Relaxed);
        bench.until("the late answer", |status| of(status).state.is_done());
        let text = of(&bench.control.status()).text();
        assert!(text.starts_with("#2 filter acknowledged late, after "), "{text}");
        assert!(!bench.off().is_empty(), "{proto}: {:?}", bench.control.status());
        assert_eq!(bench.log_texts().last(), Some(&text));
    });
}

/// Results of questions contain the data.
#[test]
fn what_was_asked_for_is_in_the_result() {
    let Some(bench) = start("qs") else { return };
    bench.names(100);
    for line in ["current ao pump", "current ap plant"] {
        assert!(bench.run(line).is_done());
    }
    for (line, data) in
        [("info", "; QP 7.3.4 build "), ("query ao", "; pump pump_"), ("peek 0 1 4", "; offs 0 size 1: ")]
    {
        let text = bench.run(line).text().to_owned();
        assert!(text.starts_with("acknowledged after ") && text.contains(data), "{line}: {text}");
    }
}

#[test]
fn what_a_late_answer_brings_is_in_the_result() {
    let Some(HeldBench { bench, is_silent, .. }) = HeldBench::start("qs") else { return };
    bench.names(100);
    assert!(bench.run("current ap plant").is_done());
    is_silent.store(true, Ordering::Relaxed);
    let prepared = bench.control.prepare("peek 0 1 4").unwrap();
    let number = bench.control.send(prepared, "typed").unwrap();
    let of = |status: &TargetStatus| status.commands.iter().find(|c| c.number == number).unwrap().clone();
    bench.until("the time-out", |status| matches!(of(status).state, CommandState::TimedOut(_)));
    is_silent.store(false, Ordering::Relaxed);
    bench.until("the late answer", |status| of(status).state.is_done());
    let text = of(&bench.control.status()).text();
    assert!(text.contains("acknowledged late, after ") && text.contains("; offs 0 size 1: "), "{text}");
}
