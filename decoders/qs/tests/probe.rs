//! Guesses whether a sample is QS, and its sizes; names of slices.

use crate::common::{Stream, decode, decoder, file, info};
use spytui_decoder_harness::{name_of, varied::QsSizes};
use spytui_plugin_api::{Verb, info::Guess};
use spytui_plugin_host::kit::{Random, opt_vals};

fn guesses(sample: &[u8]) -> Vec<Guess> {
    decoder().probe(sample, &[]).unwrap().to_vec()
}

#[test]
fn a_stream_with_target_info_needs_no_options() {
    for name in ["oven-734", "oven-815", "oven-734-flips", "oven-734-small-assert", "every-record-812"] {
        let guess = guesses(&file(&format!("{name}.bin"))).remove(0);
        assert!(guess.explained > 900 && guess.evidence_bits > 1000, "{name}: {guess:?}");
        assert_eq!(guess.options, "", "{name}");
    }
}

/// More text than frames, as from a shell or a crashing target.
#[test]
fn text_between_frames_is_no_doubt() {
    let text: &[&[u8]] = &[b"uart:~$ ", b"ls ~/a\r\n", &[6, 8, 6, 4], b"\r\nMPU FAULT at 0x08001234\r\n"];
    for (first, count) in [(0, 1), (1, 1), (0, 2), (2, 2), (3, 1)] {
        let mut stream = Stream::start();
        stream.stamp(1).stamp(2).raw(&text[first..first + count].concat());
        if first >= 2 {
            stream.raw(&Stream::start().bytes);
            stream.seq = 3;
        }
        stream.stamp(3).stamp(4).raw(b"23\xB0C ").stamp(5);
        let guess = guesses(&stream.bytes).remove(0);
        assert!(guess.explained >= 900, "{first} {count}: {guess:?}");
    }
    // Text with flags alone is not QS.
    assert!(guesses(&b"~/a/b~c~d~=\r\nthe end of the line~\r\n".repeat(100)).is_empty());
}

#[test]
fn sizes_are_found_by_what_fits() {
    let guess = guesses(&file("oven-734-drops.bin")).remove(0);
    assert_eq!(guess.options, "obj-ptr=8\nfun-ptr=8\n", "{guess:?}");
    let small = file("oven-734-small-assert.bin");
    let guess = guesses(&small[24..]).remove(0);
    for option in ["timestamp=2", "signal=1", "time-evt-ctr=2", "pool-ctr=1"] {
        assert!(guess.options.lines().any(|l| l == option), "{guess:?}");
    }
}

/// Every combination of pointer, time stamp and signal sizes.
#[test]
fn sizes_are_found_whatever_they_are() {
    let capture = file("oven-734.bin");
    let mut combinations = 0;
    for (object, function) in
        [1, 2, 4, 8].into_iter().flat_map(|object| [1, 2, 4, 8].map(|function| (object, function)))
    {
        for (time, signal) in [2, 4].into_iter().flat_map(|time| [1, 2, 4].map(|signal| (time, signal))) {
            combinations += 1;
            let other = [1, 2, 4].map(|size: usize| [1, 2, 4][(size + combinations / 3) % 3]);
            let [event, queue, pool] = other;
            let sizes =
                QsSizes { time, object, function, signal, event, queue, pool, timer: [4, 2, 1][combinations % 3] };
            let guess = guesses(&sizes.late(&capture)).remove(0);
            assert!(guess.explained == 1000, "{sizes:?}: {guess:?}");
            assert_eq!(guess.options, options(&sizes), "{sizes:?}: {guess:?}");
        }
    }
    assert_eq!(combinations, 96);
}

/// The options for sizes other than the defaults.
fn options(sizes: &QsSizes) -> String {
    let all = [
        ("timestamp", sizes.time, 4),
        ("obj-ptr", sizes.object, 4),
        ("fun-ptr", sizes.function, 4),
        ("signal", sizes.signal, 2),
        ("event-size", sizes.event, 2),
        ("queue-ctr", sizes.queue, 1),
        ("pool-ctr", sizes.pool, 2),
        ("time-evt-ctr", sizes.timer, 4),
    ];
    let others = all.iter().filter(|(_, size, default)| size != default);
    others.map(|(key, size, _)| format!("{key}={size}\n")).collect()
}

#[test]
fn sizes_that_nothing_decides_are_not_said_to_be_certain() {
    // A time stamp and a signal of 4 and 2 bytes, or of 2 and 4.
    let mut stream = Stream::empty();
    for i in 0..20 {
        stream.add(30, &[i, 0, 0, 0, 5, 0, 1, 1]);
    }
    let guess = guesses(&stream.bytes).remove(0);
    assert_eq!((guess.explained, &*guess.options), (0, "timestamp=4\nsignal=2\n"), "{guess:?}");
    assert!(guess.why.contains("20 of 20 payloads fit, as many with other values of timestamp, signal"), "{guess:?}");
}

#[test]
fn given_sizes_stay_and_the_guess_says_how_little_fits() {
    let joined = &file("oven-734.bin")[10_557..];
    let explained = |given: &[(&str, &[u8])]| {
        let guess = decoder().probe(joined, &opt_vals(given)).unwrap().to_vec().remove(0);
        (guess.explained, guess.options.to_string())
    };
    let (all, options) = explained(&[]);
    assert!(all > 990 && options == "obj-ptr=8\nfun-ptr=8\n", "{all} {options}");
    let (few, options) = explained(&[("obj-ptr", b"4"), ("fun-ptr", b"4")]);
    assert!(few < 500 && !options.contains("-ptr"), "{few} {options}");
}

/// The frames of a capture after its target info and names, with ids mapped by `id`.
fn joined(name: &str, id: impl Fn(u8) -> u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    for body in file(name).split(|&b| b == 0x7E) {
        let mut frame = Vec::new();
        let mut stuffed = body.iter();
        while let Some(&byte) = stuffed.next() {
            frame.push(if byte == 0x7D { stuffed.next().map_or(0, |b| b ^ 0x20) } else { byte });
        }
        if let [seq, old, payload @ .., _] = &*frame
            && !matches!(old, 0 | 54 | 60..=64)
        {
            bytes.extend(crate::common::frame(*seq, id(*old), payload));
        }
    }
    bytes
}

/// From 70 on, such a target's records are not semaphores and mutexes.
#[test]
fn a_target_before_6_6_is_found_by_its_application_records() {
    let old = joined("oven-693-32bit.bin", |id| if id >= 100 { id - 30 } else { id });
    let guess = guesses(&old).remove(0);
    assert!(guess.options.lines().any(|line| line == "version=650"), "{guess:?}");
    assert!(guess.why.contains("as before QP 6.6, -o version= sets"), "{guess:?}");
    let set = decoder().probe(&old, &opt_vals(&[("version", b"6.9")])).unwrap().to_vec().remove(0);
    assert!(!set.options.contains("version="), "{set:?}");
    // As long as a semaphore.
    let mut stream = Stream::empty();
    for i in 0..20 {
        stream.add(1, &[0x10, 0x10, 0, 0x20, 0x55, 3, 0, 8]);
        stream.add(71, &[i, 0, 0, 0, 0x01, i, 0x01, 2, 0x01, 0]);
    }
    assert_eq!(guesses(&stream.bytes).remove(0).options, "version=650\n");
}

#[test]
fn semaphores_and_mutexes_are_no_application_records() {
    let names =
        ["oven-734", "oven-734-small-assert", "oven-815", "oven-693-32bit", "every-record-734", "every-record-812"];
    for name in names {
        let guess = guesses(&joined(&format!("{name}.bin"), |id| id)).remove(0);
        assert!(!guess.options.contains("version="), "{name}: {guess:?}");
    }
    let mut stream = Stream::empty();
    for i in 0..20 {
        stream.add(1, &[0x10, 0x10, 0, 0x20, 0x55, 3, 0, 8]);
        // An address that also parses as elements.
        stream.add(71 + i % 10, &[i, 0, 0, 0, 0x20, 0x11, 0, 0x20, 1, 2]);
        stream.add(81, &[i, 0, 0, 0, 0x10, 0x10, 0, 0x20, 0x20, 0x10, 0, 0x20, 5, 0, 1, 1]);
    }
    assert_eq!(guesses(&stream.bytes).remove(0).options, "");
}

/// An info with reset applies from there on; records before it are most likely from the same target.
#[test]
fn records_before_the_first_reset_are_read_with_its_sizes() {
    let mut stream = Stream::empty();
    (0..4).for_each(|i| {
        stream.stamp(i);
    });
    stream.add(0, &[]).add(64, &info(0xFF, 693, 8)).stamp(5);
    assert_eq!(guesses(&stream.bytes).remove(0).options, "version=693\nobj-ptr=8\nfun-ptr=8\n");
    let mut damaged = Stream::empty();
    damaged.stamp(1).stamp(2).add(0, &[]).stamp(3).add(64, &info(0, 693, 8));
    assert_eq!(guesses(&damaged.bytes).remove(0).options, "version=693\nobj-ptr=8\nfun-ptr=8\n");
    let mut answered = Stream::empty();
    answered.stamp(1).stamp(2).add(64, &info(0, 693, 8));
    assert_eq!(guesses(&answered.bytes).remove(0).options, "");
}

#[test]
fn noise_and_text_are_not_qs() {
    let mut random = Random::new(3);
    let explained = |sample: &[u8]| guesses(sample).first().map_or(0, |g| g.explained);
    assert!(explained(&random.bytes(100_000)) < 100);
    assert_eq!(explained(b"hello ~ world\n".repeat(1000).as_slice()), 0);
    assert_eq!(explained(b""), 0);
}

#[test]
fn slices_are_named_by_their_signal() {
    let bytes = file("oven-734.bin");
    let host = decode(&bytes, &vec![], 4096);
    let activity = host.run.activities.iter().find(|a| a.verb == Verb::DISPATCH).unwrap();
    assert_eq!(name_of(&host, &bytes, activity), "POLL_SIG");
}
