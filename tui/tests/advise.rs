//! The filter proposed for a link that is too slow, with the target of `firmware/` in this process: throttled to half
//! of its output, it drops nothing more with the filter. Its clock is virtual, so minutes pass in a moment.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_demo_target::{AVAILABLE, Faults, Proto, Target};
use spytui_engine::{
    device::{
        advise::{Advice, Question, advise},
        command::parse,
        traffic::Traffic,
    },
    io::log::{LogOptions, RawLog},
    open::Options,
    trace::session::{Decoding, news::NewsKind, thread::DecodeLoop},
};
use spytui_plugin_api::{Answer, Dict, EncoderInstance, Frames, info::AnswerStage};

use crate::fuzzing::fixture::registry;

/// Steps of a target per second.
const SECOND: u64 = 100;

/// A target, and the host's knowledge of it.
struct Bench {
    target: Target,
    log: Arc<RawLog>,
    decoding: Arc<Decoding>,
    runner: DecodeLoop,
    encoder: EncoderInstance,
    next_news: u64,
    traffic: Traffic,
    start: Instant,
    steps: u64,
}

impl Bench {
    fn new(proto: Proto, faults: &Faults) -> Bench {
        let registry = registry();
        let decoder = registry.find(proto.name()).unwrap();
        let log = RawLog::new(&LogOptions::default());
        let decoding = Arc::new(Decoding::new(decoder.clone(), Options::default(), log.clone(), 0, 0, 1 << 24));
        Bench {
            target: Target::new(proto, faults, 1).unwrap(),
            log,
            runner: DecodeLoop::open(decoding.clone()).unwrap(),
            decoding,
            encoder: decoder.table.open_encoder(&[]).unwrap().unwrap(),
            next_news: 0,
            traffic: Traffic::default(),
            start: Instant::now(),
            steps: 0,
        }
    }

    fn step(&mut self) {
        let mut bytes = Vec::new();
        self.target.step();
        self.target.read(&mut bytes);
        if !bytes.is_empty() {
            self.log.append(&bytes, 1);
        }
        self.steps += 1;
        if self.steps.is_multiple_of(10) {
            while self.runner.step().unwrap() {}
            let now = self.start + Duration::from_millis(10 * self.steps);
            self.traffic.sample(now, &self.decoding);
        }
    }

    fn run(&mut self, seconds: u64) {
        for _ in 0..seconds * SECOND {
            self.step();
        }
    }

    fn advice(&mut self, capacity: Option<u64>) -> Advice {
        let known = self.encoder.filter().unwrap();
        let state = self.decoding.read();
        advise(&Question {
            info: &self.decoding.decoder.info,
            dictionary: &state.dictionary,
            known: &known,
            window: &self.traffic.busiest(),
            capacity,
        })
    }

    /// Sends a line frame by frame, each after the previous one was acknowledged.
    fn send(&mut self, line: &str) {
        let frames = {
            let state = self.decoding.read();
            let parsed = parse(line, &self.decoding.decoder.info, &state.dictionary).unwrap();
            let seen = state.kinds_seen();
            let mut frames = Frames::default();
            let command = parsed.command(state.configuration(), &seen);
            self.encoder.encode(&command, &Dict::new(&()), &mut frames).unwrap();
            frames
        };
        self.next_news = self.decoding.read().news.since(0).1;
        for frame in &frames.frames {
            self.target.feed(frame.bytes.of(&frames.bytes));
            let mut reached = 0;
            for _ in 0..60 * SECOND {
                self.step();
                reached |= self.answers(frame.token);
                if reached & frame.awaited == frame.awaited {
                    break;
                }
            }
            assert_eq!(reached & frame.awaited, frame.awaited, "{line}: no answer");
        }
    }

    fn answers(&mut self, token: u64) -> u8 {
        let (news, next) = self.decoding.read().news.since(self.next_news);
        self.next_news = next;
        let mut reached = 0;
        for news in news {
            let (NewsKind::Answer(answer) | NewsKind::AnswerToAny(answer)) = news.kind else { continue };
            let verdict = self.encoder.answer(&Answer { token, ..answer }).unwrap();
            assert_ne!(verdict.stage, AnswerStage::REFUSED, "{}", verdict.reason);
            if verdict.stage != AnswerStage::PROGRESS {
                reached |= verdict.stage.bit();
            }
        }
        reached
    }

    /// Loss rows of the host.
    fn losses(&self) -> u64 {
        let state = self.decoding.read();
        state.counters.rows.lost + state.counters.rows.dropped
    }
}

/// Throttles a target to half of its output, takes the advice after some seconds, and checks for drops once the backlog
/// is sent. Returns the line.
fn throttled(proto: Proto, seconds: u64) -> String {
    let mut free = Bench::new(proto, &Faults::default());
    free.run(60);
    let half = u32::try_from(free.log.len() / 120).unwrap();
    let mut bench = Bench::new(proto, &Faults { link_rate: half, ..Faults::default() });
    // A reset would restore the initial filter.
    bench.send(if proto == Proto::Qs { "command 5 1" } else { "fault calm 1" });
    bench.run(seconds);
    assert!(bench.target.totals().dropped > 0 && bench.losses() > 0, "nothing was dropped");
    let advice = bench.advice(None);
    let Advice::Filter(proposal) = advice else { panic!("{advice:?}") };
    assert!(proposal.fits(), "{proposal:?}");
    assert!(proposal.capacity.abs_diff(half.into()) <= u64::from(half) / 20, "{proposal:?}");
    let line = proposal.line();
    bench.send(&line);
    bench.run(80);
    let before = (bench.target.totals().dropped, bench.losses());
    bench.run(120);
    assert_eq!((bench.target.totals().dropped, bench.losses()), before, "{line}: more was dropped");
    line
}

#[test]
fn the_filter_for_a_throttled_target_ends_its_drops() {
    if !AVAILABLE {
        return;
    }
    for (proto, seconds) in [(Proto::Qs, 80), (Proto::Rkh, 80), (Proto::Tband, 120), (Proto::Qnx, 60)] {
        let line = throttled(proto, seconds);
        // The application's own records stay, and those that report errors.
        for word in ["-U", "-ALL", "-value", "-marker"] {
            assert!(!line.contains(word), "{line}");
        }
    }
}

#[test]
fn a_line_that_is_nearly_full_gets_a_filter_before_anything_is_lost() {
    if !AVAILABLE {
        return;
    }
    let mut bench = Bench::new(Proto::Qs, &Faults::default());
    bench.run(30);
    let window = bench.traffic.busiest();
    let line_rate = window.per_second(window.bytes()) * 100 / 97;
    let Advice::Filter(proposal) = bench.advice(Some(line_rate)) else { panic!() };
    assert_eq!(proposal.words.len(), 2, "{proposal:?}");
    bench.send(&proposal.line());
    bench.traffic.restart();
    bench.run(40);
    let window = bench.traffic.busiest();
    let share = window.per_second(window.bytes()) * 100 / line_rate;
    assert!(share < 90, "{share} % with {}", proposal.line());
    let advice = bench.advice(Some(line_rate * 2));
    assert!(matches!(&advice, Advice::Nothing(text) if text.starts_with("nothing to do")), "{advice:?}");
}

#[test]
fn without_a_rate_and_losses_the_advice_says_what_is_missing() {
    if !AVAILABLE {
        return;
    }
    let mut bench = Bench::new(Proto::Rkh, &Faults::default());
    assert!(matches!(bench.advice(None), Advice::Missing(_)));
    bench.run(10);
    let Advice::Missing(text) = bench.advice(None) else { panic!() };
    assert!(text.contains("link speed unknown"), "{text}");
}
