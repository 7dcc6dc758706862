//! Several cores in one stream: however their events are interleaved, the trace is the same.

use spytui_decoder_harness::encode::tband::{Stream, signed};
use spytui_engine::export::perfetto::proto::EventType;
use spytui_plugin_host::kit::Random;

use super::{cases::trace_of, summary::Track};

/// An event: core, time, content. Metadata has no time, and precedes what follows it.
struct Event {
    core: u64,
    stamp: u64,
    id: u8,
    numbers: Vec<u64>,
    text: &'static [u8],
}

/// Events of a target with several cores.
#[derive(Default)]
struct Target(Vec<Event>);

impl Target {
    fn event(&mut self, core: u64, stamp: u64, id: u8, numbers: &[u64]) -> &mut Target {
        self.0.push(Event { core, stamp, id, numbers: numbers.to_vec(), text: b"" });
        self
    }

    fn says(&mut self, core: u64, stamp: u64, id: u8, number: u64, text: &'static [u8]) -> &mut Target {
        self.0.push(Event { core, stamp, id, numbers: vec![number], text });
        self
    }

    /// A task works on a core for a while: markers, a value, a queue, an interrupt; then it waits.
    fn work(&mut self, core: u64, from: u64, task: u64) -> &mut Target {
        self.event(core, from, 0x54, &[task]).says(core, from + 3, 0x08, 7, b"phase");
        self.says(core, from + 4, 0x7C, 1, b"own").event(core, from + 6, 0x04, &[15]);
        self.event(core, from + 7, 0x67, &[3, task]).event(core, from + 8, 0x05, &[15]);
        self.event(core, from + 11, 0x0B, &[9, signed(-(from as i64))]).event(core, from + 12, 0x66, &[2, from % 2]);
        self.event(core, from + 13, 0x7D, &[1]).event(core, from + 14, 0x09, &[7]);
        self.event(core, from + 16, 0x6F, &[3, 100])
    }

    /// The events of some cores, core by core, each with a start of recording before its block.
    fn in_blocks(&self, cores: &[u64], s: &mut Stream) {
        for core in cores {
            s.core(0, *core).resolution(10).meta(0x5F, &[1], b"Mash").meta(0x5F, &[2], b"Hops").meta(
                0x65,
                &[2, 3],
                b"",
            );
            s.meta(0x03, &[15], if *core == 0 { b"tick" } else { b"sync" });
            self.0.iter().filter(|e| e.core == *core).for_each(|e| write(e, s));
        }
    }

    /// The same events in time order.
    fn in_order(&self, cores: &[u64], s: &mut Stream) {
        Target::default().in_blocks(cores, s);
        let mut events: Vec<&Event> = self.0.iter().collect();
        events.sort_by_key(|e| e.stamp);
        for event in events {
            s.core(0, event.core);
            write(event, s);
        }
    }
}

/// Random events of three cores, each at a distinct time.
fn anything(random: &mut Random, events: u64) -> Target {
    let mut target = Target::default();
    for i in 0..events {
        let (core, stamp) = (random.below(3) as u64, 100 + 4 * i + random.below(4) as u64);
        let (task, thing) = (1 + random.below(4) as u64, 1 + random.below(3) as u64);
        match random.below(12) {
            0..3 => target.event(core, stamp, 0x54, &[task]),
            3 => target.event(core, stamp, [0x55, 0x56, 0x58, 0x62][random.below(4)], &[task]),
            4 => target.event(core, stamp, 0x59, &[thing]),
            5 => target.event(core, stamp, [0x6D, 0x6E, 0x6F][random.below(3)], &[thing, 9]),
            6 => target.event(core, stamp, [0x66, 0x67, 0x6A][random.below(3)], &[thing, random.below(2) as u64]),
            7 => target.says(core, stamp, [0x07, 0x08, 0x7B, 0x7C][random.below(4)], thing, b"here"),
            8 => target.event(core, stamp, [0x09, 0x7D][random.below(2)], &[thing]),
            9 => target.event(core, stamp, [0x04, 0x05][random.below(2)], &[thing]),
            10 => target.event(core, stamp, [0x0B, 0x7F][random.below(2)], &[thing, signed(i as i64)]),
            _ => target.event(core, stamp, 0x5B, &[task, thing]),
        };
    }
    target
}

fn write(event: &Event, s: &mut Stream) {
    s.event(event.id, event.stamp, &event.numbers, event.text);
}

/// Tracks of a trace with everything on them, by name.
fn all(tracks: &[Track]) -> Vec<String> {
    let mut all: Vec<String> = tracks
        .iter()
        .map(|track| {
            let event = |(ns, e): &(u64, _)| {
                let e: &spytui_engine::export::perfetto::proto::TrackEvent = e;
                format!("{ns} {:?} {:?} {:?}", e.r#type(), e.name, e.counter_value)
            };
            let events: Vec<String> = track.events.iter().map(event).collect();
            format!("{}: {} | {}", track.path, serde_json::Value::Object(track.summary()), events.join(", "))
        })
        .collect();
    all.sort();
    all
}

fn same(blocks: &Stream, order: &Stream) -> Vec<Track> {
    let (blocks, order) = (trace_of(blocks), trace_of(order));
    for (blocks, order) in all(&blocks).iter().zip(&all(&order)) {
        assert_eq!(blocks, order);
    }
    assert_eq!(blocks.len(), order.len());
    blocks
}

/// Both streams of the events on these cores.
fn agree(target: &Target, cores: &[u64]) -> Vec<Track> {
    let (mut blocks, mut order) = (Stream::default(), Stream::default());
    target.in_blocks(cores, &mut blocks);
    target.in_order(cores, &mut order);
    same(&blocks, &order)
}

fn find<'t>(tracks: &'t [Track], path: &str) -> &'t Track {
    tracks.iter().find(|t| t.path == path).unwrap_or_else(|| panic!("no track {path}"))
}

fn slices(track: &Track) -> Vec<(u64, &str)> {
    let begins = track.events.iter().filter(|(_, e)| e.r#type() == EventType::SliceBegin);
    begins.map(|(ns, e)| (*ns, e.name())).collect()
}

#[test]
fn blocks_of_two_cores_are_one_trace() {
    let mut target = Target::default();
    for round in 0..40 {
        target.work(0, 100 + 50 * round, 1 + round % 2);
    }
    for round in 0..30 {
        target.work(1, 221 + 50 * round, 2 - round % 2);
    }
    let tracks = agree(&target, &[0, 1]);
    assert_eq!(find(&tracks, "Core #0 / Core #0 Trace Events").events.len(), 440);
    assert_eq!(find(&tracks, "Core #1 / Core #1 Trace Events").events.len(), 330);
}

#[test]
fn a_task_goes_from_core_to_core() {
    let mut target = Target::default();
    target.work(0, 100, 1).work(1, 121, 2).work(0, 142, 2).work(1, 163, 1).event(0, 184, 0x55, &[1]).work(0, 205, 1);
    let tracks = agree(&target, &[0, 1]);
    let task = find(&tracks, "Task Mash (#1) / Task Mash (#1)");
    let running = [(1000, "Running (core 0)"), (1630, "Running (core 1)"), (2050, "Running (core 0)")];
    assert_eq!(slices(task), running);
    // Nothing removes it from core 0 when it is made ready: it runs on core 1.
    let state = slices(find(&tracks, "Task Mash (#1) / Task Mash (#1) State"));
    let expected = ["Running (core 0)", "Blocked (Receive from Queue #3)", "Running (core 1)", "Running (core 0)"];
    assert_eq!(state.iter().map(|s| s.1).collect::<Vec<_>>(), expected);
}

#[test]
fn blocks_of_three_cores_in_any_order_are_one_trace() {
    let mut target = Target::default();
    for round in 0..60 {
        target.work(round % 3, 101 + 17 * round + round % 3, 1 + round % 5);
    }
    for cores in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        agree(&target, &cores);
    }
}

#[test]
fn whatever_three_cores_do_comes_in_order() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let target = anything(&mut random, 600);
        let (mut blocks, mut order) = (Stream::default(), Stream::default());
        Target::default().in_blocks(&[0, 1, 2], &mut blocks);
        let mut left: Vec<Vec<&Event>> =
            (0..3).map(|core| target.0.iter().filter(|e| e.core == core).collect()).collect();
        while left.iter().any(|events| !events.is_empty()) {
            let core = random.below(3);
            let most = random.below(60).min(left[core].len());
            blocks.core(0, core as u64);
            left[core].drain(..most).for_each(|event| write(event, &mut blocks));
        }
        target.in_order(&[0, 1, 2], &mut order);
        same(&blocks, &order);
    }
}

#[test]
fn a_file_of_two_cores_stands_beside_one_of_a_third() {
    let mut target = Target::default();
    for round in 0..60 {
        target.work(round % 3, 101 + 17 * round, 1 + round % 5);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, cores: &[u64]| {
        let mut s = Stream::default();
        target.in_blocks(cores, &mut s);
        let path = folder.path().join(name).display().to_string();
        std::fs::write(&path, &s.bytes).unwrap();
        path
    };
    let (two, one) = (file("two.bin", &[0, 1]), file("one.bin", &[2]));
    let beside = all(&super::trace("tband", &[], &[&two, &one]));
    assert_eq!(beside, all(&agree(&target, &[0, 1, 2])));
}

#[test]
fn events_of_the_same_time_stay_as_they_are_in_the_stream() {
    let mut target = Target::default();
    // Of core 1 first, then of core 0, then of core 1 again, all at the same time.
    target.event(1, 50, 0x54, &[1]).event(0, 70, 0x54, &[2]).event(1, 90, 0x0B, &[9, signed(1)]);
    let mut s = Stream::default();
    s.core(0, 1).event(0x0B, 200, &[9, signed(3)], b"").core(0, 0).event(0x0B, 100, &[9, signed(1)], b"");
    s.event(0x0B, 200, &[9, signed(4)], b"").core(0, 1).event(0x0B, 200, &[9, signed(5)], b"");
    let values = find(&trace_of(&s), "Value #9").values();
    assert_eq!(values, [1, 3, 4, 5]);
}

#[test]
fn a_target_that_starts_again_is_put_in_order_life_by_life() {
    let (mut first, mut second) = (Target::default(), Target::default());
    for round in 0..20 {
        first.work(0, 1000 + 50 * round, 1 + round % 2).work(1, 1021 + 50 * round, 2 - round % 2);
        second.work(0, 10 + 50 * round, 2 - round % 2).work(1, 31 + 50 * round, 1 + round % 2);
    }
    let (mut blocks, mut order) = (Stream::default(), Stream::default());
    for target in [&first, &second] {
        target.in_blocks(&[0, 1], &mut blocks);
        target.in_order(&[0, 1], &mut order);
    }
    let tracks = same(&blocks, &order);
    // The second run continues where the first one ends.
    let running = slices(find(&tracks, "Task Mash (#1) / Task Mash (#1)"));
    let end = find(&tracks, "Core #1 / Core #1 Trace Events").events[220 - 1].0;
    assert!(running.len() == 40 && running[19].0 < end && running[20].0 >= end, "{running:?} {end}");
}

#[test]
fn a_drop_that_several_files_report_is_one_instant() {
    let (mut first, mut second) = (Stream::default(), Stream::default());
    first.core(0, 0).event(0x04, 5, &[1], b"").dropped(10, 4).event(0x04, 15, &[1], b"");
    first.event(0x04, 25, &[1], b"").dropped(30, 6);
    second.core(0, 1).event(0x04, 6, &[1], b"").dropped(20, 5).event(0x04, 35, &[1], b"").dropped(40, 6);
    let folder = tempfile::tempdir().unwrap();
    let files = [("a.bin@0", &first), ("b.bin@1", &second)].map(|(name, stream)| {
        let path = folder.path().join(name.split('@').next().unwrap_or(name));
        std::fs::write(path, &stream.bytes).unwrap();
        folder.path().join(name).display().to_string()
    });
    let tracks = super::trace("tband", &[], &[&files[0], &files[1]]);
    let errors = find(&tracks, "Tracing Errors");
    let reported: Vec<(u64, &str)> = errors.events.iter().map(|(time, event)| (*time, event.name())).collect();
    assert_eq!(reported, [(10, "dropped total 4"), (20, "dropped total 5"), (30, "dropped total 6")]);
}

/// The order is that of one stream with the files concatenated.
#[test]
fn events_of_the_same_time_in_several_files_stand_in_the_order_of_the_files() {
    for (seed, cores) in (0..).zip([[0, 1, 2], [2, 1, 0], [1, 2, 0]]) {
        let mut random = Random::new(seed);
        let mut target = anything(&mut random, 300);
        target.0.iter_mut().for_each(|event| event.stamp = event.stamp / 16 * 16);
        let folder = tempfile::tempdir().unwrap();
        let file = |core: u64| {
            let mut s = Stream::default();
            target.in_blocks(&[core], &mut s);
            let path = folder.path().join(core.to_string());
            std::fs::write(&path, &s.bytes).unwrap();
            format!("{}@{core}", path.display())
        };
        let files = cores.map(file);
        let mut blocks = Stream::default();
        target.in_blocks(&cores, &mut blocks);
        let files = super::trace("tband", &[], &[&files[0], &files[1], &files[2]]);
        assert_eq!(all(&files), all(&trace_of(&blocks)), "{cores:?}");
    }
}
