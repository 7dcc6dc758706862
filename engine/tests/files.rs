//! Files in place, growing files, fifos, standard input.

mod common;

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use common::{bytes, events, once, open, until};
use rustix::fs::Mode;
use spytui_engine::link::{Link, LinkOptions, LinkSpec, LinkState};
use spytui_engine::log::kind::{END, LINK_DOWN, LINK_UP, START};

fn follow() -> LinkOptions {
    LinkOptions { follow: true, ..LinkOptions::default() }
}

#[test]
fn a_file_is_there_at_once_and_ended() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), b"trace").unwrap();
    let link = open(file.path().to_str().unwrap(), LinkOptions::default());
    let log = link.sources()[0].log.clone();
    assert_eq!((link.state(), bytes(&log)), (LinkState::Ended, b"trace".to_vec()));
    assert_eq!(events(&log), [(START, 0), (END, 5)]);
    assert!(!link.can_write() && link.write(0, b"x").is_err());
}

#[test]
fn a_name_that_ends_in_a_core_can_be_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let name = |n: &str| dir.path().join(n).to_str().unwrap().to_string();
    std::fs::write(name("c0.bin"), b"plain").unwrap();
    let link = open(&name("c0.bin@1"), LinkOptions::default());
    assert_eq!((link.sources()[0].core, bytes(&link.sources()[0].log)), (Some(1), b"plain".to_vec()));
    std::fs::write(name("c0.bin@1"), b"odd").unwrap();
    let link = open(&name("c0.bin@1"), LinkOptions::default());
    assert_eq!((link.sources()[0].core, bytes(&link.sources()[0].log)), (None, b"odd".to_vec()));
    let error = Link::open(LinkSpec::path(dir.path()), LinkOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("is a folder; name a file in it."));
}

#[test]
fn a_growing_file_is_followed_and_a_cut_one_is_an_error() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"one").unwrap();
    let link = open(file.path().to_str().unwrap(), follow());
    let log = link.sources()[0].log.clone();
    assert_eq!(log.len(), 3);
    let wake = log.subscribe();
    file.write_all(b"two").unwrap();
    until("growth", || log.len() == 6);
    assert!(wake.try_recv().is_ok());
    assert_eq!((bytes(&log), log.ended()), (b"onetwo".to_vec(), false));
    file.as_file().set_len(2).unwrap();
    until("failure", || link.state().is_over());
    assert!(matches!(link.state(), LinkState::Failed(text) if text.contains("was cut from 6 to 2 bytes")));
    assert!(log.ended());
}

#[test]
fn a_fifo_waits_for_its_writers_one_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let mut link = open(path.to_str().unwrap(), LinkOptions::default());
    let log = link.sources()[0].log.clone();
    until("waiting", || matches!(link.state(), LinkState::Waiting(text) if text.contains("nobody writes")));
    File::options().write(true).open(&path).unwrap().write_all(b"one").unwrap();
    until("the writer has left", || events(&log).last() == Some(&(LINK_DOWN, 3)));
    File::options().write(true).open(&path).unwrap().write_all(b"two").unwrap();
    until("more", || log.len() == 6);
    link.stop();
    assert_eq!(&events(&log)[..4], [(START, 0), (LINK_UP, 0), (LINK_DOWN, 3), (LINK_UP, 3)]);
    assert_eq!((bytes(&log), events(&log).last()), (b"onetwo".to_vec(), Some(&(END, 6))));

    let link = open(path.to_str().unwrap(), once());
    File::options().write(true).open(&path).unwrap().write_all(b"three").unwrap();
    until("end", || link.state() == LinkState::Ended);
    assert_eq!(bytes(&link.sources()[0].log), b"three");
}

/// Says that this process is the child, with the trace on its standard input.
const CHILD: &str = "SPYTUI_TEST_STDIN_CHILD";

/// The child of the test below, nothing by itself.
#[test]
fn stdin_child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let link = open("-", LinkOptions::default());
    until("end", || link.state().is_over());
    let log = link.sources()[0].log.clone();
    assert_eq!(link.state(), LinkState::Ended);
    assert_eq!(bytes(&log), vec![0xa5; 300_000]);
}

#[test]
fn stdin_is_read_to_its_end() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stdin_child"])
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&[0xa5; 300_000]).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
