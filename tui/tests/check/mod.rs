//! `spytui check`: a capture as it is, and with one fault planted; each fault is found, and nothing else.

use std::{
    fs,
    io::Write as _,
    net::TcpListener,
    path::Path,
    process::{Command, Output, Stdio},
};

use crate::compare::{capture_of, frames, numbered};

/// What holds in the capture.
const RULES: &str = r#"
[[expect]]
name = "answers"
after = { row = "kind:AO-Post to:motor", comes = "kind:Disp obj:motor", within = "2ms" }

[[expect]]
name = "errors"
never = { row = "sev>=error" }

[[expect]]
name = "changes"
never = { row = "kind:Disp obj:motor", between = ["kind:St-Exit obj:motor", "kind:Tran obj:motor"] }

[[expect]]
name = "beats"
count = { row = "kind:TE0-Post BEAT_SIG", min = 32, max = 32 }

[[expect]]
name = "steps"
measure = { of = "step", object = "AO(l_super)", p99 = "200us", max = "200us" }

[[expect]]
name = "losses"
losses = 0

[[expect]]
name = "findings"
findings = "error"
"#;

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spytui"));
    command.args(args).env("HOME", folder).env_remove("XDG_CONFIG_HOME");
    command.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// Checks bytes by rules; returns the exit code, the report, and the names of what failed and of what is unknown.
fn checked(bytes: &[u8], rules: &str, more: &[&str]) -> (i32, String, [Vec<String>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.bin"), bytes).unwrap();
    fs::write(folder.path().join("rules.toml"), rules).unwrap();
    let args = ["check", "--proto", "qs", "a.bin", "--rules", "rules.toml"];
    let output = run(folder.path(), &[&args, more].concat());
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr);
    let named = |verdict: &str| {
        let of_line = |line: &str| Some(line.strip_prefix(verdict)?.trim_start().split_once(':')?.0.to_owned());
        text.lines().filter_map(of_line).collect()
    };
    let named = [named("FAILED"), named("unknown")];
    (output.status.code().unwrap(), text, named)
}

const RATE: [&str; 2] = ["-o", "ticks-per-second=1000000"];

/// Frames of a capture, and what the program says of them.
struct Run {
    frames: Vec<Vec<u8>>,
    /// Time and text of each record.
    records: Vec<(Option<u32>, String)>,
}

impl Run {
    fn new() -> Run {
        let folder = tempfile::tempdir().unwrap();
        let frames = frames();
        fs::write(folder.path().join("a.bin"), capture_of(&frames)).unwrap();
        let output = run(folder.path(), &["decode", "--proto", "qs", "--format", "jsonl", "a.bin"]);
        let rows = String::from_utf8(output.stdout).unwrap();
        let row = |line: &str| -> Option<(Option<u32>, String)> {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let time = row["time"].as_u64().map(|time| time as u32);
            (row["type"] == "record").then(|| (time, row["text"].as_str().unwrap().to_owned()))
        };
        let records: Vec<_> = rows.lines().filter_map(row).collect();
        assert_eq!(records.len(), frames.len());
        Run { frames, records }
    }

    /// The first frame from an index on whose text begins so.
    fn find(&self, from: usize, text: &str) -> usize {
        let found = self.records.iter().skip(from).position(|(_, own)| own.starts_with(text));
        from + found.unwrap_or_else(|| panic!("{text}"))
    }

    /// The time in a frame, if it has one.
    fn time(&self, at: usize) -> Option<u32> {
        let time = u32::from_le_bytes(self.frames[at].get(2..6)?.try_into().unwrap());
        self.records[at].0.filter(|own| *own == time)
    }

    /// A copy of a frame with another time.
    fn at_time(&self, at: usize, time: u32) -> Vec<u8> {
        let mut frame = self.frames[at].clone();
        frame[2..6].copy_from_slice(&time.to_le_bytes());
        frame
    }

    /// Delays a frame and all that follow.
    fn delayed(&self, from: usize, ticks: u32) -> Vec<Vec<u8>> {
        let frame = |at: usize| match self.time(at).filter(|_| at >= from) {
            Some(time) => self.at_time(at, time + ticks),
            None => self.frames[at].clone(),
        };
        (0..self.frames.len()).map(frame).collect()
    }

    /// The capture without a frame, with the numbers as if it never was.
    fn without(&self, at: usize) -> Vec<u8> {
        let mut frames = self.frames.clone();
        frames.remove(at);
        of_frames(frames)
    }

    /// The capture in which a frame was lost.
    fn lost(&self, at: usize) -> Vec<u8> {
        let mut frames = self.frames.clone();
        frames.remove(at);
        capture_of(&frames)
    }

    /// The capture with one more frame.
    fn with(&self, at: usize, frame: Vec<u8>) -> Vec<u8> {
        let mut frames = self.frames.clone();
        frames.insert(at, frame);
        of_frames(frames)
    }

    /// Position of a frame.
    fn position(&self, at: usize) -> usize {
        capture_of(&self.frames[..at]).len()
    }
}

fn of_frames(mut frames: Vec<Vec<u8>>) -> Vec<u8> {
    numbered(&mut frames);
    capture_of(&frames)
}

#[test]
fn the_capture_is_as_expected() {
    let (code, text, named) = checked(&capture_of(&frames()), RULES, &RATE);
    assert_eq!((code, named), (0, [vec![], vec![]]), "{text}");
    assert!(text.contains("7 ok, 0 failed, 0 unknown\n"), "{text}");
}

#[test]
fn each_planted_fault_is_found_and_nothing_else() {
    let run = Run::new();
    let all = capture_of(&run.frames);
    let post = run.find(600, "AO AO-Post AO(l_motor) SPIN_DONE_SIG");
    let answer = run.find(post, "SM Disp AO(l_motor)");
    let exit = run.find(answer, "SM St-Exit AO(l_motor)");
    let beat = run.find(600, "TE TE0-Post l_super.beat BEAT_SIG");
    let step = run.find(beat, "SM Disp AO(l_super) BEAT_SIG") + 1;
    let (note, last) = (run.find(600, "U0 NAMES"), run.find(2200, "AO AO-Post AO(l_motor)"));
    let time = run.time(answer).unwrap();
    let assert = |time: u32| [&[0, 69], &time.to_le_bytes()[..], &[7, 0], b"motor\0"].concat();
    let flipped = |at: usize| {
        let mut bytes = all.clone();
        bytes[run.position(at) + 8] ^= 1;
        bytes
    };
    let garbage = [&all[..run.position(note)], &[0xAA; 40], &all[run.position(note)..]].concat();
    let lost_and_more = {
        let mut frames = run.frames.clone();
        frames.insert(beat, run.frames[beat].clone());
        numbered(&mut frames);
        frames.remove(note + 40);
        capture_of(&frames)
    };
    let reset = {
        let mut frames = run.frames[..=post].to_vec();
        frames.extend_from_slice(&run.frames[..2]);
        frames.extend_from_slice(&run.frames[post + 1..]);
        capture_of(&frames)
    };
    let swapped = {
        let mut frames = run.frames.clone();
        frames.swap(post, answer);
        of_frames(frames)
    };
    let cases: [(&str, Vec<u8>, &str, &str); 22] = [
        ("no answer", run.without(answer), "answers", ""),
        ("no answer to the last", run.without(run.find(last, "SM Disp AO(l_motor)")), "answers", ""),
        ("a late answer", of_frames(run.delayed(answer, 5000)), "answers", ""),
        ("an answer just in time", of_frames(run.delayed(answer, 1000)), "", ""),
        ("an answer before", swapped, "answers", ""),
        ("a long step", of_frames(run.delayed(step, 300)), "steps", ""),
        ("a beat too few", run.without(beat), "beats", ""),
        ("a beat too many", run.with(beat, run.frames[beat].clone()), "beats", ""),
        ("within a change", run.with(exit + 1, run.at_time(answer, time)), "changes", ""),
        ("behind a change", run.with(answer + 1, run.at_time(answer, time)), "", ""),
        ("an assertion", run.with(exit, assert(time)), "errors findings", ""),
        ("a note damaged in a step", flipped(note), "losses findings", "errors beats steps"),
        ("a damaged answer", flipped(answer), "losses findings", "answers errors beats"),
        ("a note lost in a step", run.lost(note), "losses findings", "errors beats steps"),
        ("a lost row before an answer", run.lost(post + 1), "losses findings", "errors beats"),
        ("a lost answer", run.lost(answer), "losses findings", "answers errors beats"),
        ("a lost row of a change", run.lost(exit + 1), "losses findings", "errors changes beats steps"),
        ("a lost beat", run.lost(beat), "losses findings", "errors beats"),
        ("a beat too many and a loss", lost_and_more, "beats losses findings", "errors steps"),
        ("garbage between records", garbage, "losses findings", ""),
        ("a reset", reset, "", "answers"),
        ("an end before the answer", capture_of(&run.frames[..=post]), "beats", ""),
    ];
    let mut wrong = Vec::new();
    for (what, bytes, failed, unknown) in cases {
        let (code, text, named) = checked(&bytes, RULES, &RATE);
        let is_good = failed.is_empty() && unknown.is_empty();
        if named.map(|names| names.join(" ")) != [failed, unknown] || (code == 0) != is_good {
            wrong.push(format!("{what}:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rule(kind: &str) -> String {
    format!("[[expect]]\nname = \"it <&> \\u0001\"\n{kind}\n")
}

#[test]
fn what_is_unknown_counts_unless_it_is_allowed() {
    let capture = capture_of(&frames());
    let after = rule(r#"after = { row = "kind:AO-Post to:motor", comes = "kind:Disp obj:motor", within = "2ms" }"#);
    for (rules, says) in [
        (after.clone(), "44 seen, 44 unknown"),
        (
            rule(r#"never = { row = "kind:Tran", between = ["sig:FAULT_SIG kind:Init", "kind:Disp"] }"#),
            "not put to the test",
        ),
        (rule(r#"never = { row = "kind:Asert" }"#), "no kind \"Asert\" here, nearest: ASSERT"),
        (rule(r#"count = { row = "obj:mtor", max = 3 }"#), "no object \"mtor\" here, nearest: motor"),
        (rule(r#"measure = { of = "reply", p99 = "2ms" }"#), "no record shows a message sent"),
        (rule(r#"measure = { of = "step", p99 = "2ms" }"#), "in ticks, unlike a bound"),
    ] {
        let (code, text, named) = checked(&capture, &rules, &[]);
        assert_eq!((code, named[1].len()), (1, 1), "{text}");
        assert!(text.contains(says), "{text}");
        let (code, text, named) = checked(&capture, &format!("{rules}allow-unknown = true\n"), &[]);
        assert_eq!((code, named[1].len()), (0, 1), "{text}");
    }
    assert!(checked(&capture, &after, &[]).1.contains("-o ticks-per-second=N"));
    let in_ticks = after.replace("2ms", "2000ticks");
    assert_eq!(checked(&capture, &in_ticks, &[]).0, 0);
    assert_eq!(checked(b"", &rule("losses = 0"), &[]).0, 1);
}

#[test]
fn mistakes_in_rules_are_usage_errors_and_say_what_to_do() {
    for (rules, says) in [
        (String::new(), "each [[expect]] has a name and one of after, never"),
        (rule(""), "each [[expect]] has a name and one of after, never"),
        (rule("losses = 0\nfindings = \"error\""), "each [[expect]] has a name and one of after, never"),
        (rule("losses = 0\nallow = true"), "unknown field `allow`"),
        (rule("never = { row = \"kind:Tran\", betwen = 1 }"), "unknown field `betwen`"),
        (rule("never = { row = \"kind:Tran or\" }"), "a test is missing at the end"),
        (rule("after = { row = \"a\", comes = \"b\", within = \"-1s\" }"), "not a time or number: `-1s`"),
        (rule("measure = { of = \"stp\", max = \"1ms\" }"), "did you mean `step`?"),
        (rule("measure = { of = \"step\", p98 = \"1ms\" }"), "min, median, p95, p99, max"),
        (rule("measure = { of = \"step\" }"), "min, median, p95, p99, max"),
        (rule("measure = { of = \"cpu\", max = \"1ms\" }"), "min, median, p95, p99, max"),
        (rule("findings = \"bad\""), "expected one of `error`, `warning`, `note`"),
    ] {
        let (code, text, _) = checked(&capture_of(&frames()), &rules, &[]);
        assert_eq!(code, 2, "{rules}{text}");
        assert!(text.contains(says), "{rules}{text}");
    }
}

#[test]
fn a_junit_file_has_all_verdicts_and_replaces_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let failing = rule("count = { row = \"kind:Tran\", max = 1 }") + &rule("losses = 0");
    let unknown = rule("measure = { of = \"reply\", p99 = \"2ms\" }");
    fs::write(folder.path().join("a.bin"), capture_of(&frames())).unwrap();
    fs::write(folder.path().join("rules.toml"), format!("{failing}{unknown}{unknown}allow-unknown = true\n")).unwrap();
    let check = |more: &[&str]| {
        let args = ["check", "--proto", "qs", "--rules", "rules.toml", "--junit", "out.xml"];
        run(folder.path(), &[&args, more].concat()).status.code().unwrap()
    };
    assert_eq!(check(&["none.bin"]), 3);
    assert_eq!(check(&["a.bin"]), 1);
    let xml = fs::read_to_string(folder.path().join("out.xml")).unwrap();
    assert!(xml.contains(r#"tests="4" failures="1" errors="1" skipped="1""#), "{xml}");
    assert!(xml.contains("name=\"it &lt;&amp;&gt; \u{fffd}\""), "{xml}");
    assert!(xml.contains("Tran  AO(l_motor)") && xml.contains("and 45 more\n</failure>"), "{xml}");
    assert_eq!((check(&["a.bin"]), check(&["a.bin", "--force"])), (2, 1));
    assert_eq!(check(&["--force", "out.xml"]), 2);
}

#[test]
fn a_live_run_ends_when_all_verdicts_are_certain() {
    let folder = tempfile::tempdir().unwrap();
    let rules = rule("count = { row = \"kind:Tran\", min = 3 }") + &rule("never = { row = \"kind:Disp\" }");
    for (rules, code) in [(rules.as_str(), 1), (&rule("count = { row = \"kind:Tran\", min = 3 }"), 0)] {
        fs::write(folder.path().join("rules.toml"), rules).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let link = format!("tcp:{}", listener.local_addr().unwrap());
        let target = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&capture_of(&frames())).unwrap();
            // The stream does not end before the program does.
            let _ = std::io::Read::read(&mut stream, &mut [0]);
        });
        let output = run(folder.path(), &["check", "--proto", "qs", &link, "--rules", "rules.toml"]);
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        target.join().unwrap();
    }
}
