//! Recordings of a target are delivered whole, once, and in order, whatever happens meanwhile.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::lines::{command, refused};
use crate::rig::folder;

/// `record` of a target that the test plays.
struct Run {
    child: Child,
    target: TcpStream,
    said: Receiver<String>,
}

impl Run {
    fn start(folders: &Folders, more: &[&str]) -> Run {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap().to_string();
        let to = folders.to.to_str().unwrap();
        let args = ["record", "--name", "board7", "--rotate", "16k,1h", "--deliver", to, "--tcp", &address];
        let mut command = command(args.iter().chain(more));
        command.env("SPYTUI_RECORD_DIR", folders.from.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (send, said) = channel();
        let stderr = child.stderr.take().unwrap();
        std::thread::spawn(move || BufReader::new(stderr).lines().map_while(Result::ok).try_for_each(|l| send.send(l)));
        Run { child, target: server.accept().unwrap().0, said }
    }

    /// Sends `len` bytes that are nowhere the same, from `at` on.
    fn send(&mut self, at: u32, len: u32) {
        self.target.write_all(&bytes(at, len)).unwrap();
    }

    fn says(&self, part: &str) -> String {
        let next = || self.said.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("never says: {part}"));
        std::iter::repeat_with(next).find(|line| line.contains(part)).unwrap()
    }

    /// Ends it; returns the exit code and what it said since the last line asked for.
    fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        let code = self.child.wait().unwrap().code();
        (code, self.said.iter().map(|line| line + "\n").collect())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It has already ended if all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bytes(at: u32, len: u32) -> Vec<u8> {
    (at / 4..(at + len) / 4).flat_map(u32::to_le_bytes).collect()
}

struct Folders {
    from: TempDir,
    /// What `to` is in.
    _outer: TempDir,
    to: PathBuf,
}

fn folders_in(outer: TempDir) -> Folders {
    let to = outer.path().join("delivered");
    fs::create_dir(&to).unwrap();
    Folders { from: folder(), _outer: outer, to }
}

fn names(folder: &Path, ending: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    names
}

/// The recordings of a folder one after the other, by run and place in it. Each has its whole `.meta`.
fn content(folder: &Path) -> Vec<u8> {
    let part = |name: String| {
        let bin = folder.join(&name);
        let meta = fs::read_to_string(bin.with_extension("meta")).unwrap();
        let head: Value = serde_json::from_str(meta.lines().next().unwrap()).unwrap();
        assert_eq!(head["name"], "board7");
        assert!(meta.ends_with('\n'), "{meta}");
        (name[..26].to_owned(), head["first"].as_u64(), fs::read(bin).unwrap())
    };
    let mut parts: Vec<_> = names(folder, ".bin").into_iter().map(part).collect();
    parts.sort();
    parts.into_iter().flat_map(|(_, _, bytes)| bytes).collect()
}

fn until(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Number of bytes in the recordings of a folder.
fn size(folder: &Path) -> u64 {
    let len = |name: &String| folder.join(name).metadata().map_or(0, |meta| meta.len());
    names(folder, ".bin").iter().map(len).sum()
}

#[test]
fn what_is_rotated_is_delivered_byte_for_byte() {
    let folders = folders_in(folder());
    let mut run = Run::start(&folders, &[]);
    run.send(0, 100_000);
    until("all but the last", || names(&folders.to, ".bin").len() == 6);
    assert_eq!(names(folders.from.path(), ".bin").len(), 1);
    assert!(names(&folders.to, ".bin").iter().all(|name| folders.to.join(name).metadata().unwrap().len() == 16_000));
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(143), "{said}");
    assert!(said.contains(": recordings delivered 7, old ones deleted 0"), "{said}");
    assert!(content(&folders.to) == bytes(0, 100_000));
    assert_eq!(names(folders.from.path(), ""), [""; 0]);
    // Recordings without a byte are removed.
    let run = Run::start(&folders, &[]);
    run.says("recording ");
    assert_eq!(run.end(Signal::TERM).0, Some(143));
    assert_eq!((names(folders.from.path(), "").len(), names(&folders.to, "").len()), (0, 14));
}

#[test]
fn a_kill_loses_nothing_and_delivers_nothing_twice() {
    let folders = folders_in(folder());
    let mut killed = Run::start(&folders, &[]);
    killed.send(8_000, 40_000);
    until("all bytes", || size(folders.from.path()) + size(&folders.to) == 40_000);
    killed.end(Signal::KILL);
    assert!(!names(folders.from.path(), ".bin").is_empty());
    // Killed between `.meta` and `.bin` of another one, and between a copy and its removal.
    for (name, at) in [("board7-20200101-000000-000", 0), ("board7-20200101-000001-000", 4_000)] {
        fs::write(folders.from.path().join(name).with_extension("bin"), bytes(at, 4_000)).unwrap();
        let head = "{\"spytui-recording\":1,\"name\":\"board7\"}\n";
        fs::write(folders.to.join(name).with_extension("meta"), head).unwrap();
    }
    let copied = "board7-20200101-000001-000";
    let from = folders.from.path().join(copied).with_extension("bin");
    let copy = File::create(folders.to.join(copied).with_extension("bin")).unwrap();
    (&copy).write_all(&bytes(4_000, 4_000)).unwrap();
    copy.set_modified(from.metadata().unwrap().modified().unwrap()).unwrap();

    let mut second = Run::start(&folders, &[]);
    until("what was left", || size(&folders.to) == 48_000);
    assert!(content(&folders.to) == bytes(0, 48_000));
    // What another one still writes is not finished.
    second.send(48_000, 4_000);
    until("its bytes", || size(folders.from.path()) == 4_000);
    let third = Run::start(&folders, &[]);
    third.says("recording ");
    assert_eq!(third.end(Signal::INT).0, Some(130));
    assert_eq!((size(folders.from.path()), size(&folders.to)), (4_000, 48_000));
    second.send(52_000, 4_000);
    assert_eq!(second.end(Signal::INT).0, Some(130));
    assert_eq!((size(folders.from.path()), size(&folders.to)), (0, 56_000));
}

#[test]
fn a_folder_that_is_missing_is_said_once_and_gets_all_in_the_next_run() {
    let folders = folders_in(folder());
    fs::remove_dir(&folders.to).unwrap();
    // What is not delivered is never deleted.
    let mut run = Run::start(&folders, &["--keep", "20k"]);
    let said = run.says("delivered: No such file");
    assert!(said.contains("until it is there, recordings stay in"), "{said}");
    run.send(0, 100_000);
    until("all bytes", || size(folders.from.path()) == 100_000);
    let (code, said) = run.end(Signal::TERM);
    assert_eq!((code, said.contains("No such file")), (Some(3), false), "{said}");
    assert!(content(folders.from.path()) == bytes(0, 100_000));

    fs::create_dir(&folders.to).unwrap();
    let run = Run::start(&folders, &[]);
    run.says("recording ");
    until("all of it", || names(&folders.to, ".bin").len() == 7);
    assert_eq!(run.end(Signal::TERM).0, Some(143));
    assert!(content(&folders.to) == bytes(0, 100_000));

    // From then on, the oldest are deleted.
    let run = Run::start(&folders, &["--keep", "40k"]);
    run.says("recording ");
    until("few enough", || names(&folders.to, ".bin").len() == 3);
    let (code, said) = run.end(Signal::TERM);
    assert!(code == Some(143) && said.contains(": recordings delivered 0, old ones deleted 4"), "{said}");
    assert!(content(&folders.to) == bytes(64_000, 36_000));
    assert_eq!(names(&folders.to, ".meta").len(), 3);
}

#[test]
fn nothing_is_overwritten() {
    let folders = folders_in(folder());
    let mut run = Run::start(&folders, &[]);
    let said = run.says("recording ");
    let name = Path::new(said.rsplit(' ').next().unwrap()).file_name().unwrap().to_owned();
    let second = Path::new(&name).with_extension("2.meta");
    for name in [Path::new(&name), &second] {
        fs::write(folders.to.join(name), "precious").unwrap();
    }
    run.send(0, 40_000);
    run.says("another recording has this name; rename it");
    until("all bytes", || size(folders.from.path()) + size(&folders.to) == 40_008);
    let (code, said) = run.end(Signal::TERM);
    assert_eq!((code, said.contains("another recording")), (Some(3), false), "{said}");
    // What is in the way stays alone: no `.bin` without its own `.meta`, and the reverse.
    assert_eq!(names(&folders.to, ".bin").len(), 2);
    assert_eq!(names(&folders.to, ".meta").len(), 2);
    assert_eq!(fs::read(folders.from.path().join(&name)).unwrap(), bytes(0, 16_000));
    for name in [Path::new(&name), &second] {
        assert_eq!(fs::read(folders.to.join(name)).unwrap(), b"precious");
        fs::remove_file(folders.to.join(name)).unwrap();
    }
    let run = Run::start(&folders, &[]);
    run.says("recording ");
    until("all of it", || names(&folders.to, ".bin").len() == 3);
    assert_eq!(run.end(Signal::TERM).0, Some(143));
    assert!(content(&folders.to) == bytes(0, 40_000));
}

#[test]
fn a_folder_of_another_file_system_gets_whole_copies() {
    let Ok(outer) = tempfile::tempdir_in("/dev/shm") else { return };
    let folders = folders_in(outer);
    if folders.from.path().metadata().unwrap().dev() == folders.to.metadata().unwrap().dev() {
        return;
    }
    // A copy that a killed run left is removed, one of a running one is not.
    fs::write(folders.to.join(".spytui-board7-left"), "half").unwrap();
    let running = File::create(folders.to.join(".spytui-board7-running")).unwrap();
    running.lock().unwrap();
    let mut run = Run::start(&folders, &[]);
    run.send(0, 100_000);
    until("all but the last", || names(&folders.to, ".bin").len() == 6);
    assert_eq!(run.end(Signal::TERM).0, Some(143));
    assert!(content(&folders.to) == bytes(0, 100_000));
    assert_eq!(names(folders.from.path(), ""), [""; 0]);
    assert_eq!(names(&folders.to, "").iter().filter(|name| name.starts_with('.')).count(), 1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (args, part) in [
        (&["--deliver", "x"][..], "--name <NAME>"),
        (&["--name", "a", "--keep", "1G"], "--deliver <DIR>"),
        (&["--name", "../a"], "must be letters, digits"),
        (&["--name", "a", "-O", "b"], "cannot be used with"),
        (&["--rotate", "1h,2h"], "as 64M,1h"),
        (&["--name", "a", "--deliver", "x", "--keep", "lots"], "as 20G"),
    ] {
        let (code, said) = refused(&[&["record", "oven-734.bin"], args].concat());
        assert!(code == 2 && said.contains(part), "{args:?}: {said}");
    }
    let folders = folders_in(folder());
    let same = folders.from.path().to_str().unwrap();
    let mut command = command(["record", "--name", "a", "--deliver", same, "oven-734.bin"]);
    let output = command.env("SPYTUI_RECORD_DIR", same).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && said.contains("recordings are made there"), "{said}");
    assert_eq!(size(folders.from.path()), 56_986);
}
