//! Files in the formats of the QS host, written while bytes arrive or from files.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::lines::{command, refused, run};
use crate::port::Port;
use crate::rig::{bytes_of, capture, folder, spytui};

const OBJECTS: &str = "sequence-objects=?,l_clock,AO(l_motor),AO(l_heater),AO(l_door),AO(l_super)";
/// Kinds with the ending of the capture that holds what they must write.
const KINDS: [(&str, &str); 4] = [("text", "txt"), ("binary", "bin"), ("matlab", "mat"), ("sequence", "seq")];

#[test]
fn decode_prints_what_the_host_writes() {
    let same = |args: &[&str], name: &str| {
        let output = run(["decode", "--proto", "qs"].iter().chain(args));
        assert!(output.stdout == bytes_of(name) && output.stderr.is_empty(), "{name}");
    };
    same(&["--format", "matlab", "oven-734.bin"], "oven-734.mat");
    same(&["--format", "qspy-sequence", "-o", OBJECTS, "oven-734.bin"], "oven-734.seq");
    for (colours, name) in [("qspy-dark", "every-record-734.c1.ansi"), ("qspy-light", "every-record-734.c2.ansi")] {
        same(&["--format", "reference", "--color", colours, "every-record-734.bin"], name);
    }
}

#[test]
fn files_grow_while_bytes_arrive() {
    let folder = folder();
    let name = |ending: &str| folder.path().join(format!("live.{ending}"));
    let mut args: Vec<String> = ["--proto", "qs", "--headless", "-o", OBJECTS, "-"].map(str::to_owned).into();
    for (kind, ending) in KINDS {
        args.push(format!("--write={kind}={}", name(ending).display()));
    }
    let mut child = command(&args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let bytes = bytes_of("oven-734.bin");
    pipe.write_all(&bytes[..40_000]).unwrap();
    let grown = |ending: &str| fs::metadata(name(ending)).is_ok_and(|about| about.len() > 20_000);
    while !KINDS.iter().all(|(_, ending)| grown(ending)) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    pipe.write_all(&bytes[40_000..]).unwrap();
    drop(pipe);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    for (kind, ending) in KINDS {
        assert!(fs::read(name(ending)).unwrap() == bytes_of(&format!("oven-734.{ending}")), "{kind}");
    }
}

#[test]
fn a_signal_completes_the_files() {
    let folder = folder();
    let dictionary = folder.path().join("names.dic");
    let args = ["--proto", "qs", "--headless", "--follow", "oven-734-small-assert.bin", "--write"];
    let request = format!("dictionary={}", dictionary.display());
    let mut child = command(args.iter().copied().chain([request.as_str()])).stdout(Stdio::null()).spawn().unwrap();
    while !fs::metadata(&dictionary).is_ok_and(|about| about.len() > 0) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read(&dictionary).unwrap(), bytes_of("oven-734-small-assert.dic"));
}

#[test]
fn without_a_path_names_are_those_of_the_host() {
    let folder = folder();
    let bin = capture("oven-734.bin");
    for _ in 0..2 {
        // That of a dictionary is the same in each run: it is written again.
        let args =
            ["record", "--proto", "qs", bin.to_str().unwrap(), "-O", "copy", "--write=matlab", "--write=dictionary"];
        let output = command(args).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        fs::remove_file(folder.path().join("copy.bin")).unwrap();
        fs::remove_file(folder.path().join("copy.meta")).unwrap();
        let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let (dictionaries, files): (Vec<String>, Vec<String>) = names.partition(|name| name.ends_with(".dic"));
        assert_eq!(dictionaries, ["qspy261120_100946.dic"]);
        let [file] = &files[..] else { panic!("{files:?}") };
        let stamp = file.strip_prefix("qspy").and_then(|name| name.strip_suffix(".mat")).unwrap();
        assert!(stamp.len() == 13 && stamp.bytes().enumerate().all(|(at, b)| (at == 6) == (b == b'_')), "{file}");
        assert_eq!(fs::read(folder.path().join(file)).unwrap(), bytes_of("oven-734.mat"));
        fs::remove_file(folder.path().join(file)).unwrap();
    }
}

#[test]
fn what_can_not_be_written_is_said_with_a_next_step() {
    let folder = folder();
    let taken = folder.path().join("taken");
    fs::write(&taken, "mine").unwrap();
    let taken = taken.to_str().unwrap();
    let written = |requests: &[String]| {
        let requests: Vec<String> = requests.iter().map(|request| format!("--write={request}")).collect();
        let args = ["--proto", "qs", "--headless", "--format", "csv", "oven-734.bin"].map(str::to_owned);
        let output = run(args.iter().chain(&requests));
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = written(&["trace=x".to_owned()]);
    assert_eq!(code, Some(2));
    assert!(said.contains("no such kind of file; use one of text binary matlab sequence dictionary"), "{said}");
    assert!(written(&["text=".to_owned()]).1.contains("use text=PATH, or text alone"));
    let (code, said) = written(&[format!("text={taken}")]);
    assert_eq!((code, fs::read(taken).unwrap()), (Some(3), b"mine".to_vec()));
    assert!(said.contains("taken exists already; choose another name"), "{said}");
    let two = [format!("text={taken}2"), format!("matlab={taken}2")];
    assert!(written(&two).1.contains("taken2 exists already; choose another name"));
    assert!(written(&[format!("text={taken}-no/x")]).1.contains("make it first"));
    assert!(written(&["sequence".to_owned()]).1.contains("needs its objects, as sequence-objects=a,b,?"));
    let full = written(&["matlab=/dev/full".to_owned()]);
    assert_eq!(full.0, Some(3));
    let words = "/dev/full: No space left on device (os error 28). 0 bytes are in it; the rest is not written.";
    assert!(full.1.contains(words), "{}", full.1);
    let tband = concat!(env!("CARGO_MANIFEST_DIR"), "/../decoders/tband/tests/captures/boiler_drops.bin");
    let (code, said) = refused(&["decode", "--proto", "tband", "--format", "matlab", tband]);
    assert!(code == 2 && said.contains("tband has no matlab files"), "{said}");
    let (code, said) = refused(&["decode", "--proto", "qs", "--color", "qspy-dark", "oven-734.bin"]);
    assert!(code == 2 && said.contains("--color needs --format reference"), "{said}");
    let (code, said) = refused(&["--proto", "qs", "oven-734.bin", "oven-815.bin", "--write", &two[0]]);
    assert!(code == 2 && said.contains("name one link"), "{said}");
}

#[test]
fn the_screen_writes_them_whatever_it_shows() {
    let folder = folder();
    let path = folder.path().join("ttyTEST");
    let name = |ending: &str| folder.path().join(format!("live.{ending}"));
    let mut port = Port::plug(&path);
    let text = format!("text={}", name("txt").display());
    let args = ["--port", path.to_str().unwrap(), "-o", OBJECTS, "--filter", "kind:Tran", "--write", &text];
    let mut stage = spytui(args).start();
    stage.shows("live");
    let bytes = bytes_of("oven-734.bin");
    port.send(&bytes[..40_000]);
    stage.shows("rec");
    stage.until("the text", |_| fs::metadata(name("txt")).is_ok_and(|about| about.len() > 50_000));
    stage.command(&format!("write matlab={}", name("mat").display()));
    stage.shows("with everything received so far");
    stage.command(&format!("write matlab={}", name("mat").display()));
    stage.shows("exists already; choose another name");
    stage.types("\x07");
    stage.command("write sequence=/dev/full");
    stage.shows("No space left on device");
    port.send(&bytes[40_000..]);
    stage.shows("2 360 rec");
    stage.command("write stop");
    stage.shows("3 files are complete");
    stage.command("write stop");
    stage.shows("nothing is being written");
    stage.types("\x07");
    assert!(fs::read(name("txt")).unwrap() == bytes_of("oven-734.txt"));
    assert!(fs::read(name("mat")).unwrap() == bytes_of("oven-734.mat"));
    stage.command("q");
    assert_eq!(stage.code(), 0);
}

#[test]
fn a_dictionary_file_is_saved_on_the_screen_and_other_names_in_our_format() {
    let folder = folder();
    let mut stage = spytui(["--proto", "qs", "oven-734-small-assert.bin"].map(|arg| match arg.ends_with("bin") {
        true => capture(arg).into_os_string(),
        false => arg.into(),
    }))
    .start();
    stage.shows("rec");
    let dictionary = folder.path().join("x.dic");
    stage.command(&format!("dict save {}", dictionary.display()));
    stage.shows("names of the target in ");
    assert_eq!(fs::read(&dictionary).unwrap(), bytes_of("oven-734-small-assert.dic"));
    let own = folder.path().join("x.names");
    stage.command(&format!("dict save {}", own.display()));
    stage.shows("names in ");
    assert!(fs::read(&own).unwrap().starts_with(b"# spytui names 1\n"));
    stage.command("q");
    assert_eq!(stage.code(), 0);
}
