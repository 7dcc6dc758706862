//! Offering a trace to the web page. The page reads from one port only, so these tests share it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use super::{folder_of, spytui};

fn offering(attachment: &[&str], temporary: &Path) -> Child {
    let brew = folder_of("tband").join("brew_stream.bin").display().to_string();
    let args = [&["export", "perfetto", "--proto", "tband", &brew][..], attachment].concat();
    spytui(&args).env("TMPDIR", temporary).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn get(path: &str, host: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect("127.0.0.1:9001").unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    answer
}

/// A trace offered until fetched, and its link; `None` if the port stays busy.
///
/// A port closed here stays busy for a moment if another test starts a program just then, because that inherits open
/// files until it runs.
fn offered_once(temporary: &Path) -> Option<(Child, String)> {
    for _ in 0..50 {
        let mut child = offering(&["--open"], temporary);
        let mut link = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
        if !link.is_empty() {
            return Some((child, link.trim().to_owned()));
        }
        let refused = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.contains("9001 is in use"), "{said}");
        std::thread::sleep(Duration::from_millis(100));
    }
    None
}

#[test]
fn the_trace_is_offered_and_a_busy_port_is_an_error() {
    let Ok(taken) = TcpListener::bind("127.0.0.1:9001") else {
        // Somebody on this machine is viewing a trace right now.
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let busy = offering(&["--serve"], folder.path()).wait_with_output().unwrap();
    assert_eq!(busy.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&busy.stderr).contains("9001 is in use"));
    drop(taken);

    // With --open it ends by itself once the trace was fetched; there is no browser in this environment.
    let Some((mut child, link)) = offered_once(folder.path()) else { return };
    assert_eq!(link, "https://ui.perfetto.dev/#!/?url=http://127.0.0.1:9001/trace.proto");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the trace has no name that others could open");
    assert!(get("/", "127.0.0.1:9001").starts_with(b"HTTP/1.1 404"));
    assert!(get("/trace.proto", "rebound.example:9001").starts_with(b"HTTP/1.1 403"));
    let answer = get("/trace.proto", "127.0.0.1:9001");
    let heads = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    assert!(super::summary::tracks(&answer[heads + 4..]).len() > 100);
    assert!(child.wait().unwrap().success());
}
