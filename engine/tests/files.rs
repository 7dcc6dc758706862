//! Files in place, growing files, fifos, standard input.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{bytes, events, note, once, open, until};
use rustix::fs::Mode;
use spytui_engine::io::link::{Link, LinkOptions, LinkSpec, LinkState};
use spytui_engine::io::log::kind::{END, LINK_DOWN, LINK_UP, START};

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
    assert!(link.sender(0).is_none());
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
fn a_growing_file_is_followed_and_a_cut_one_goes_on_from_its_start() {
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
    until("the new start", || log.len() == 8);
    assert_eq!((log.first(), bytes(&log)), (6, b"on".to_vec()));
    assert_eq!(events(&log), [(START, 0), (LINK_DOWN, 6), (LINK_UP, 6)]);
    note(&link, "was cut from 6 to 2 bytes while it was followed; going on from its start");
    // Like a copy that truncates, when more is written at once than was there before.
    std::fs::write(file.path(), b"something else").unwrap();
    until("the next start", || log.len() == 22);
    assert_eq!((log.first(), bytes(&log), log.ended()), (8, b"something else".to_vec(), false));
}

#[test]
fn the_next_file_of_the_name_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let name = |n: &str| dir.path().join(n);
    std::fs::write(name("trace"), b"one").unwrap();
    let link = open(name("trace").to_str().unwrap(), follow());
    let log = link.sources()[0].log.clone();
    for (n, next) in [(1, "two"), (2, "three")] {
        std::fs::rename(name("trace"), name(&format!("trace.{n}"))).unwrap();
        note(&link, "was removed or renamed. Waiting for the next one of that name.");
        // Written under its new name, before the next file begins.
        let mut old = File::options().append(true).open(name(&format!("trace.{n}"))).unwrap();
        old.write_all(b"+").unwrap();
        until("the rest", || bytes(&log).ends_with(b"+"));
        std::fs::write(name("trace"), next).unwrap();
        until("the next file", || bytes(&log).ends_with(next.as_bytes()));
    }
    assert_eq!((bytes(&log), log.first(), log.ended()), (b"one+two+three".to_vec(), 0, false));
    // A file moved over it is also the next one.
    std::fs::write(name("other"), b"four").unwrap();
    std::fs::rename(name("other"), name("trace")).unwrap();
    until("the file", || bytes(&log) == b"one+two+threefour");
}

#[test]
fn a_file_that_changes_while_it_is_shown_is_not_trusted() {
    let shown = |change: &dyn Fn(&std::path::Path)| {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"before").unwrap();
        let options = LinkOptions { watch: true, ..LinkOptions::default() };
        let link = open(file.path().to_str().unwrap(), options);
        let log = link.sources()[0].log.clone();
        assert_eq!((link.state(), bytes(&log)), (LinkState::Ended, b"before".to_vec()));
        // The watch begins a moment later.
        std::thread::sleep(Duration::from_millis(50));
        change(file.path());
        let said = note(&link, "shown");
        // The note comes before the state, which is still that of the end of the file.
        let is_replaced = said.contains("was replaced");
        until("the bytes", || is_replaced || (link.state() != LinkState::Ended && log.first() == log.len()));
        (said, link.state(), bytes(&log))
    };
    for (change, text) in [
        (
            // In place: between truncating and writing, it would look truncated.
            &|path: &std::path::Path| {
                File::options().write(true).open(path).unwrap().write_all(b"behind").unwrap();
            },
            "was overwritten while it was shown",
        ),
        (
            &|path: &std::path::Path| File::options().write(true).open(path).unwrap().set_len(2).unwrap(),
            "was cut from 6 to 2 bytes while it was shown",
        ),
    ] as [(&dyn Fn(&std::path::Path), &str); 2]
    {
        let (said, state, bytes) = shown(change);
        assert!(said.contains(text) && said.contains(" :open ") && said.ends_with(" reads it again."), "{said}");
        assert_eq!((state, bytes), (LinkState::Changed(said), Vec::new()));
    }
    let (said, state, bytes) = shown(&|path| {
        std::fs::write(path.with_extension("new"), b"other").unwrap();
        std::fs::rename(path.with_extension("new"), path).unwrap();
    });
    assert!(
        said.contains("was replaced by another file; the rows shown are those of the former one. :open "),
        "{said}"
    );
    assert_eq!((state, bytes), (LinkState::Ended, b"before".to_vec()));
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

/// Marks this process as the child, with the trace on its standard input.
const CHILD: &str = "SPYTUI_TEST_STDIN_CHILD";

/// The child of the test below; does nothing otherwise.
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
        .args(["--exact", "files::stdin_child"])
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
