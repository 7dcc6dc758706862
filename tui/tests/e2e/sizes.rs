//! Unspecified sizes: the same bytes are read the same way in every command.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::Path,
    process::{Output, Stdio},
};

use serde_json::Value;

use crate::{
    lines::{command, run},
    rig::{bytes_of, folder, spytui},
};

/// Where a trace is joined late: after everything that the target reports about itself.
const JOINED: usize = 10_557;

const QS: &str = "oven-734.bin";
const TBAND: &str = "../../../tband/tests/captures/brew_stream.bin";
const RKH: &str = "../../../rkh-trazer/tests/captures/gh340-default.bin";

/// Arguments with the decoder of a capture.
fn args<'a>(name: &str, args: &[&'a str]) -> Vec<&'a str> {
    let proto = match name {
        QS => "qs",
        RKH => "rkh",
        _ => "tband",
    };
    [args, &["--proto", proto]].concat()
}

fn piped(args: &[&str], bytes: &[u8]) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, bytes) = (child.stdin.take().unwrap(), bytes.to_vec());
    let writer = std::thread::spawn(move || bytes.chunks(1000).try_for_each(|piece| stdin.write_all(piece)));
    let output = child.wait_with_output().unwrap();
    // The program may end before it has read everything.
    let _ = writer.join().unwrap();
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A capture joined late, as a file.
fn joined(folder: &Path, name: &str) -> (String, Vec<u8>) {
    let bytes = bytes_of(name)[JOINED..].to_vec();
    let path = folder.join("joined.bin");
    std::fs::write(&path, &bytes).unwrap();
    (path.to_str().unwrap().to_owned(), bytes)
}

#[test]
fn the_same_bytes_are_read_the_same_way_in_every_command() {
    for (name, guess) in [(QS, "obj-ptr=8 fun-ptr=8"), (RKH, "sender=1 queue-lwm=1 pool-lwm=1")] {
        let folder = folder();
        let (path, bytes) = joined(folder.path(), name);
        let file = run(args(name, &["decode", "--stats=json", &path]));
        let said = stderr(&file);
        let (note, stats) = said.trim_end().split_once('\n').unwrap();
        assert!(note.contains("Guess 100 %") || note.contains("Guess 99 %"), "{note}");
        assert!(note.contains(guess), "{note}");
        let misfits = String::from_utf8_lossy(&file.stdout).matches("does not fit").count();
        assert_eq!(misfits, 0, "{name}");
        let all: [(&str, &[&str], bool); 5] = [
            ("decode -", &["decode", "-"], true),
            ("headless", &["--headless", &path], false),
            ("headless -", &["--headless", "-"], true),
            ("stats", &["stats", "--json", &path], false),
            ("stats -", &["stats", "--json", "-"], true),
        ];
        for (what, words, from_stdin) in all {
            let words = args(name, words);
            let output = if from_stdin { piped(&words, &bytes) } else { run(&words) };
            assert_eq!(stderr(&output).trim_end(), note, "{name} {what}");
            if what.starts_with("stats") {
                let [there, here] =
                    [stats.as_bytes(), &output.stdout].map(|b| serde_json::from_slice::<Value>(b).unwrap());
                assert_eq!(there, here, "{name} {what}");
            } else {
                assert!(output.stdout == file.stdout, "{name} {what}");
            }
        }
    }
}

#[test]
fn a_pipe_is_awaited_without_a_clock_and_says_so() {
    for words in [&["decode", "-"][..], &["--headless", "-"]] {
        let mut child = command(args(QS, words));
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let bytes = bytes_of(QS);
        stdin.write_all(&bytes[JOINED..20_000]).unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert_eq!(said.next().unwrap(), "spytui: waiting for sizes: 9 443 of 262 144 B", "{words:?}");
        stdin.write_all(&bytes[20_000..]).unwrap();
        drop(stdin);
        assert!(said.next().unwrap().contains("obj-ptr=8 fun-ptr=8"), "{words:?}");
        let mut rows = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut rows).unwrap();
        assert!(rows == run(args(QS, &["decode", &joined(folder().path(), QS).0])).stdout, "{words:?}");
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_pipe_that_begins_with_what_the_target_reports_is_not_awaited() {
    let commands = [&["--headless", "-"][..], &["decode", "-"]];
    let targets = [(QS, "QP 7.3.3"), (RKH, "RKH 3.4.00"), (TBAND, "Bottle")];
    let named = targets.into_iter().flat_map(|(name, known)| commands.map(|words| (name, known, args(name, words))));
    let guessed = targets.into_iter().map(|(name, known)| (name, known, vec!["decode", "-"]));
    for (name, known, words) in named.chain(guessed) {
        let mut child = command(words);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&bytes_of(name)[..4000]).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(known)), "{name}");
        drop(stdin);
        drop(lines);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_live_stream_is_read_after_a_second_and_a_later_guess_is_reported() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let mut child = command(args(QS, &["--headless", "--once", "--format", "jsonl", "--tcp", &address]));
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut peer, _) = server.accept().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    // Scheduler records have no pointer, so they don't reveal its size.
    let frame = |seq: u8, id: u8, payload: &[u8]| {
        let sum = payload.iter().fold(seq.wrapping_add(id), |sum, byte| sum.wrapping_add(*byte));
        [&[seq, id], payload, &[!sum, 0x7E]].concat()
    };
    for seq in 0..40 {
        peer.write_all(&frame(seq, 53, &[seq, 1, 0, 0, 2])).unwrap();
    }
    assert!(lines.any(|line| line.contains("SCHED_IDLE")));
    let pointer = [0x11, 0, 0, 0, 1, 0, 0, 0];
    for seq in 40..120 {
        peer.write_all(&frame(seq, 1, &[pointer, pointer].concat())).unwrap();
    }
    let note = said.next().unwrap();
    assert!(note.contains(" %: obj-ptr=8 fun-ptr=8;") && note.ends_with("; from here on"), "{note}");
    for seq in 120..122 {
        peer.write_all(&frame(seq, 1, &[pointer, pointer].concat())).unwrap();
    }
    drop(peer);
    let last: Value = serde_json::from_str(&lines.filter(|line| line.contains("ENTRY")).last().unwrap()).unwrap();
    assert_eq!(last["fields"]["obj"], 0x1_0000_0011_u64);
    assert!(child.wait().unwrap().success());
}

#[test]
fn application_records_before_6_6_show_the_version_of_a_target_joined_late() {
    let frame = |seq: u8, id: u8, payload: &[u8]| {
        let sum = payload.iter().fold(seq.wrapping_add(id), |sum, byte| sum.wrapping_add(*byte));
        [&[seq, id], payload, &[!sum, 0x7E]].concat()
    };
    let records = (0..60_u8).map(|seq| match seq % 10 {
        // As long as a semaphore record.
        9 => frame(seq, 71, &[seq, 0, 0, 0, 0x01, seq, 0x01, 2, 0x01, 0]),
        _ => frame(seq, 1, &[0x10, 0x10, 0, 0x20, 0x55, 3, 0, 8]),
    });
    let folder = folder();
    let path = folder.path().join("old.bin");
    std::fs::write(&path, records.flatten().collect::<Vec<u8>>()).unwrap();
    let path = path.display().to_string();
    let output = run(["decode", "--proto", "qs", &path]);
    let (said, rows) = (stderr(&output), String::from_utf8(output.stdout).unwrap());
    assert!(said.lines().count() == 1 && said.contains(" %: version=650;") && said.contains("-o version="), "{said}");
    assert_eq!((rows.matches("USER+1").count(), rows.matches("Sem-").count()), (6, 0), "{rows}");
    let mut stage = spytui(["--proto", "qs", &path]).start();
    stage.shows("No target info yet. Guess 100 %: version=650; 6 ids from 70 on are");
    stage.types("G");
    stage.shows("USER+1");
    stage.shows("sizes: guess");
    let output = run(["decode", "--proto", "qs", "-o", "version=7.3", &path]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().matches("Sem-Take").count(), 6);
}

#[test]
fn sizes_that_are_forced_and_do_not_fit_are_reported() {
    let folder = folder();
    for (name, option, said) in
        [(QS, "obj-ptr=4", "spytui: obj-ptr=4 fits "), (RKH, "signal=2", "spytui: signal=2 fits ")]
    {
        let (path, _) = joined(folder.path(), name);
        let note = stderr(&run(args(name, &["decode", "-o", option, &path])));
        assert_eq!(note.lines().count(), 1, "{note}");
        assert!(note.starts_with(said) && note.contains(" %; ") && note.ends_with(" fits 100 %\n"), "{note}");
    }
    let mut stage = spytui(args(QS, &[&joined(folder.path(), QS).0])).start();
    stage.shows("sizes: guess");
    stage.command("set obj-ptr 4");
    stage.shows("; obj-ptr=8 fits 100 %");
}

#[test]
fn a_guess_is_said_once_and_counts_every_source() {
    let folder = folder();
    let (path, bytes) = joined(folder.path(), RKH);
    let why = "1 256 of 1 256 frames have the right length";
    for note in [stderr(&run(["decode", path.as_str()])), stderr(&piped(&["decode", "-"], &bytes))] {
        let lines: Vec<&str> = note.lines().collect();
        assert_eq!(lines.first(), Some(&"spytui: rkh, 100 % of the bytes fit"), "{note}");
        assert!(lines.len() == 2 && lines[1].starts_with("spytui: No TCFG yet. Guess 100 %: "), "{note}");
        assert_eq!(note.matches(why).count(), 1, "{note}");
    }
    let half = folder.path().join("half.bin");
    std::fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    let cores = [format!("{path}@0"), format!("{}@1", half.display())];
    let note = stderr(&run(args(RKH, &["decode", &cores[0], &cores[1]])));
    assert!(note.contains(&format!("; source 1: sure: {why}")) && note.contains("; source 2: sure: 6"), "{note}");
}

#[test]
fn a_guess_for_a_pipe_is_said_on_the_screen_and_kept_in_the_log() {
    let folder = folder();
    let (path, _) = joined(folder.path(), RKH);
    let script = format!("exec {} - < {path}", env!("CARGO_BIN_EXE_spytui"));
    let mut stage = crate::rig::program("sh", ["-c", &script]).start();
    stage.shows("No TCFG yet. Guess 100 %: sender=1 queue-lwm=1 pool-lwm=1;");
    stage.types("j");
    stage.shows_not("No TCFG yet.");
    stage.types("9");
    stage.shows("app: rkh, 100 % of the bytes fit");
    stage.shows("app: No TCFG yet. Guess 100 %: sender=1 queue-lwm=1");
}

#[test]
fn sizes_that_are_forced_and_do_not_fit_are_mended_on_the_screen() {
    let folder = folder();
    let (path, _) = joined(folder.path(), QS);
    let mut stage = spytui(args(QS, &["-o", "obj-ptr=4", &path])).start();
    // Reported at once with the next step; the rows show it, too.
    stage.shows("obj-ptr=4 fits 34 %; obj-ptr=8 fits 100 % · :set changes");
    stage.shows("sizes: set");
    stage.shows("!327 391 313         SM   Disp     0x411220  payload does not fit, 14 B needed:…");
    stage.command("set obj-ptr 8");
    stage.shows(" 327 391 313         SM  ┌Disp     0x411220  sig 4 in 0x408A48");
    stage.shows_not("does not fit");
    stage.shows("1 912 rec");
    stage.types("5");
    stage.shows("adds up");
    // No row of the rest has a misfit.
    stage.command("find \"does not fit\"");
    stage.shows("no match: 0 of 1 912");
}

#[test]
fn a_recording_names_what_was_guessed_and_reads_as_its_bytes_do() {
    for (name, proto, guess) in [(QS, "qs", ("obj-ptr", "8")), (RKH, "rkh", ("queue-lwm", "1"))] {
        let folder = folder();
        let (path, bytes) = joined(folder.path(), name);
        let direct = run(args(name, &["decode", &path])).stdout;
        let record = |name: &str| vec!["record".to_owned(), "-O".to_owned(), name.to_owned(), "-".to_owned()];
        let headless =
            |name: &str| vec!["--headless".to_owned(), "--record".to_owned(), name.to_owned(), "-".to_owned()];
        let with_proto = |words: Vec<String>| [words, vec!["--proto".to_owned(), proto.to_owned()]].concat();
        let copy = |copy: &str| folder.path().join(copy).to_str().unwrap().to_owned();
        let runs = [
            (copy("a"), record(&copy("a"))),
            (copy("b"), with_proto(record(&copy("b")))),
            (copy("c"), headless(&copy("c"))),
            (copy("d"), with_proto(headless(&copy("d")))),
        ];
        for (copy, words) in runs {
            let output = piped(&words.iter().map(String::as_str).collect::<Vec<_>>(), &bytes);
            assert!(output.status.success(), "{words:?}: {}", stderr(&output));
            assert_eq!(std::fs::read(format!("{copy}.bin")).unwrap(), bytes, "{words:?}");
            let meta = std::fs::read_to_string(format!("{copy}.meta")).unwrap();
            let head: Value = serde_json::from_str(meta.lines().next().unwrap()).unwrap();
            assert_eq!(head["decoder"], proto, "{words:?}");
            let options: Vec<(String, String)> = serde_json::from_value(head["options"].clone()).unwrap();
            assert!(options.contains(&(guess.0.to_owned(), guess.1.to_owned())), "{words:?}: {options:?}");
            let decoded = run(["decode", &format!("{copy}.bin")]);
            assert!(decoded.stdout == direct, "{words:?}");
            // It is not guessed again.
            assert!(!stderr(&decoded).contains(guess.0), "{words:?}");
        }
    }
}
