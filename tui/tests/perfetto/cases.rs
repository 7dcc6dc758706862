//! What the command refuses, and what it leaves behind.

use spytui_decoder_harness::encode::tband::Stream;
use spytui_engine::export::perfetto::proto::EventType;

use super::{folder_of, run, stderr, summary::Track};

fn brew() -> String {
    folder_of("tband").join("brew_stream.bin").display().to_string()
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.pftrace");
    let (path, brew) = (out.display().to_string(), brew());
    let export =
        |attachment: &[&str]| run(&[&["export", "perfetto", "--proto", "tband", &brew][..], attachment].concat());
    std::fs::write(&out, b"mine").unwrap();
    let refused = export(&["-o", &path]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
    assert_eq!(std::fs::read(&out).unwrap(), b"mine");
    assert_eq!(export(&["-o", &path, "--force"]).status.code(), Some(0));
    let first = std::fs::read(&out).unwrap();
    // The same input results in the same trace, whichever flag names the file; nothing else is left in the folder.
    assert_eq!(export(&["--out", &path, "--force", "-o", "mode=free-rtos"]).status.code(), Some(0));
    assert!(first.len() > 50_000 && std::fs::read(&out).unwrap() == first);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_input_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (input, link, hard) = (folder.path().join("in.bin"), folder.path().join("link"), folder.path().join("hard"));
    std::fs::copy(brew(), &input).unwrap();
    std::os::unix::fs::symlink(&input, &link).unwrap();
    std::fs::hard_link(&input, &hard).unwrap();
    let bytes = std::fs::read(&input).unwrap();
    let refuses = |arguments: &[&str], stdin: std::process::Stdio| {
        let command = [&["export", "perfetto", "--proto", "tband", "--force"], arguments].concat();
        let output = super::spytui(&command).stdin(stdin).output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains("the trace would replace it; choose another name"), "{arguments:?}: {text}");
        assert!(std::fs::read(&input).unwrap() == bytes, "{arguments:?}");
    };
    let name = input.display().to_string();
    for out in [&input, &link, &hard] {
        refuses(&[&name, "-o", out.to_str().unwrap()], std::process::Stdio::null());
    }
    refuses(&[&format!("{name}@0"), &brew(), "-O", &name], std::process::Stdio::null());
    refuses(&["-", "-o", &name], std::fs::File::open(&input).unwrap().into());
}

#[test]
fn mistakes_are_said_with_their_code() {
    let (brew, folder) = (brew(), tempfile::tempdir().unwrap());
    let out = folder.path().join("t.pftrace").display().to_string();
    let nowhere = folder.path().join("missing/t.pftrace").display().to_string();
    let code = |args: &[&str]| {
        let output = run(&[&["export", "perfetto", "--proto", "tband"][..], args].concat());
        (output.status.code().unwrap(), stderr(&output))
    };
    for (args, expected, word) in [
        (&[&brew[..]][..], 2, "missing -o OUT.pftrace"),
        (&[&brew, "-o", &out, "-o", "b.pftrace"], 2, "one file at a time"),
        (&[&brew, "-o", &out, "-o", "mod=x"], 2, "nearest: mode"),
        (&["nothing-here.bin", "-o", &out], 3, "no"),
        (&[&brew, "-o", &nowhere], 3, &nowhere),
    ] {
        let (got, text) = code(args);
        assert!(got == expected && text.contains(word), "{args:?}: {got} {text}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_pipe_is_read_to_its_end() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("t.pftrace").display().to_string();
    let mut child = super::spytui(&["export", "perfetto", "--proto", "tband", "-", "-o", &out])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(brew()).unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
    let piped = std::fs::read(&out).unwrap();
    let again = folder.path().join("u.pftrace").display().to_string();
    assert!(run(&["export", "perfetto", "--proto", "tband", &brew(), "-o", &again]).status.success());
    assert!(piped == std::fs::read(again).unwrap());
}

#[test]
fn an_empty_trace_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut s = Stream::default();
    s.resolution(10).meta(0x03, &[1], b"tick");
    std::fs::write(path("s.bin"), &s.bytes).unwrap();
    let text = stderr(&run(&["export", "perfetto", "--proto", "tband", &path("s.bin"), "-o", &path("t")]));
    assert!(text.contains("no record of 2 has a time"), "{text}");
}

#[test]
fn text_stands_for_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let export = |file: &str, attachment: &[&str]| {
        let (input, out) = (folder_of("tband").join(file).display().to_string(), folder.path().join(file));
        let args = ["export", "perfetto", "--proto", "tband", &input, "-o", out.to_str().unwrap()];
        let output = run(&[&args[..], attachment].concat());
        (output.status.code(), stderr(&output), std::fs::read(out).unwrap_or_default())
    };
    let of_text = export("boiler_basic.hex", &["--input", "hex"]);
    assert!(of_text.2.len() > 10_000 && of_text == export("boiler_basic.bin", &[]));
    let (code, text, trace) = export("boiler_drops.bin", &["--input", "hex"]);
    assert!(code == Some(3) && text.contains(": line ") && trace.is_empty(), "{code:?} {text}");
}

/// A stream of a target with two tasks, as a trace.
pub(crate) fn trace_of(stream: &Stream) -> Vec<Track> {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("s.bin").display().to_string();
    std::fs::write(&input, &stream.bytes).unwrap();
    super::trace("tband", &[], &[&input])
}

fn times(tracks: &[Track], path: &str) -> Vec<(u64, EventType)> {
    let track = tracks.iter().find(|t| t.path == path).unwrap_or_else(|| panic!("no track {path}"));
    track.events.iter().map(|(ns, event)| (*ns, event.r#type())).collect()
}

#[test]
fn a_reset_reported_late_leaves_no_slice_open_twice() {
    use EventType::{SliceBegin as Begin, SliceEnd as End};
    let mut s = Stream::default();
    s.resolution(10).dropped(5, 9).run(100, 1).event(0x04, 150, &[1], b"").run(200, 2);
    s.run(10, 1).event(0x04, 20, &[4], b"").dropped(30, 2).event(0x05, 35, &[4], b"").run(40, 2).run(50, 1);
    let tracks = trace_of(&s);
    // From 2100 on it is uncertain, as the target dropped records.
    let dropped = [(2100, End), (2100, Begin)];
    let running = [&[(1000, Begin), (2000, End), (2000, Begin)], &dropped[..], &[(2300, End), (2400, Begin)]].concat();
    assert_eq!(times(&tracks, "Task #1 / Task #1"), running);
    assert_eq!(times(&tracks, "Core #0 / Core #0 ISR #4"), [&[(2100, Begin)], &dropped[..], &[(2250, End)]].concat());
    assert_eq!(times(&tracks, "Core #0 / Core #0 ISR #1"), [(1500, Begin), (2000, End)]);
}

#[test]
fn a_second_start_of_recording_moves_no_time() {
    use EventType::{SliceBegin as Begin, SliceEnd as End};
    let mut s = Stream::default();
    s.core(0, 0).resolution(10).event(0x04, 100, &[1], b"").event(0x05, 130, &[1], b"");
    s.core(0, 0).resolution(10).core(0, 0).event(0x04, 180, &[1], b"").event(0x05, 190, &[1], b"");
    let interrupt = [(1000, Begin), (1300, End), (1800, Begin), (1900, End)];
    assert_eq!(times(&trace_of(&s), "Core #0 / Core #0 ISR #1"), interrupt);
}

#[test]
fn completions_offer_values() {
    for (shell, between) in [("bash", " "), ("zsh", " "), ("fish", "\\t''\n")] {
        let text = String::from_utf8_lossy(&run(&["completions", shell]).stdout).into_owned();
        for words in [["tband", "qnx", "auto"], ["qs", "rkh", "tband"], ["rate", "wait", "latency"]] {
            assert!(text.contains(&words.join(between)), "{shell}: {words:?}");
        }
    }
}

#[test]
fn completions_and_manual_come_from_the_arguments() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("perfetto") && text.contains("force"), "{shell}");
    }
    assert_eq!(run(&["completions", "tcsh"]).status.code(), Some(2));
    let man = run(&["man"]);
    let text = String::from_utf8_lossy(&man.stdout).into_owned();
    assert!(man.status.success() && text.contains(".TH spytui") && text.contains("EXPORT PERFETTO"), "{text}");
}
