//! The bytes of a link that is recorded, for several readers, and none of them in the way of the others.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::lines::{command, refused};
use crate::rig::folder;

/// `record --tee` of a target that the test plays.
struct Run {
    child: Child,
    target: TcpStream,
    said: Receiver<String>,
}

impl Run {
    fn start(out: &Path, tee: &str) -> Run {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap().to_string();
        let args = ["record", "-O", out.to_str().unwrap(), "--tee", tee, "--tcp", &address];
        let mut child = command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, said) = channel();
        let stderr = child.stderr.take().unwrap();
        std::thread::spawn(move || BufReader::new(stderr).lines().map_while(Result::ok).try_for_each(|l| send.send(l)));
        Run { child, target: server.accept().unwrap().0, said }
    }

    fn says(&self, part: &str) -> String {
        let next = || self.said.recv_timeout(Duration::from_secs(20)).unwrap_or_else(|_| panic!("never says: {part}"));
        std::iter::repeat_with(next).find(|line| line.contains(part)).unwrap()
    }

    /// Sends zeros until a reader gets one: from then on it gets everything.
    fn joined(&mut self, mut reader: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
        let (send, got) = channel();
        std::thread::spawn(move || {
            let mut piece = vec![0; 1 << 16];
            while let Ok(len @ 1..) = reader.read(&mut piece) {
                send.send(piece[..len].to_vec()).unwrap();
            }
        });
        while got.recv_timeout(Duration::from_millis(20)).is_err() {
            self.target.write_all(&[0]).unwrap();
        }
        got
    }

    fn end(&mut self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        self.said.iter().map(|line| line + "\n").collect()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It has already ended if all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn without_zeros(got: &Receiver<Vec<u8>>) -> Vec<u8> {
    got.iter().flatten().skip_while(|byte| *byte == 0).collect()
}

#[test]
fn readers_get_every_byte_and_a_slow_one_is_cut_off() {
    let folder = folder();
    let out = folder.path().join("run.bin");
    let mut run = Run::start(&out, "tcp:0");
    let said = run.says("readers at tcp 127.0.0.1:");
    let address = said.split_whitespace().find(|word| word.starts_with("127.0.0.1:")).unwrap().to_owned();
    let mut slow = TcpStream::connect(&address).unwrap();
    let mut readers = [0, 1].map(|_| (run.joined(TcpStream::connect(&address).unwrap()), Vec::new()));
    let bytes: Vec<u8> = (1..=10_000_000_u32).flat_map(u32::to_be_bytes).collect();
    let bytes = &bytes[3..];
    // No faster than those read that are to keep up.
    for (piece, end) in bytes.chunks(1 << 20).zip((1..).map(|n| n << 20)) {
        run.target.write_all(piece).unwrap();
        for (reader, got) in &mut readers {
            while got.len() < bytes.len().min(end) {
                let part = reader.recv_timeout(Duration::from_secs(20)).unwrap();
                let leading = got.is_empty();
                got.extend(part.into_iter().skip_while(|&byte| leading && byte == 0));
            }
        }
    }
    let said = run.says(" is cut off, ");
    assert!(said.contains(&slow.local_addr().unwrap().to_string()), "{said}");
    while out.metadata().unwrap().len() < bytes.len() as u64 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let said = run.end();
    assert!(said.contains(&format!("tcp {address}: readers 3, too slow and cut off 1")), "{said}");
    for (rest, got) in readers {
        assert!(got == bytes && rest.iter().next().is_none());
    }
    // What it got before is no less exact.
    let mut got = Vec::new();
    slow.read_to_end(&mut got).unwrap();
    let got: Vec<u8> = got.into_iter().skip_while(|byte| *byte == 0).collect();
    assert!(!got.is_empty() && bytes.starts_with(&got));
    assert!(fs::read(&out).unwrap().ends_with(bytes));
}

#[test]
fn a_socket_that_a_killed_program_left_is_replaced_and_a_live_one_is_not() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let socket = path("socket");
    let tee = format!("unix:{}", socket.display());
    drop(UnixListener::bind(&socket).unwrap());
    let mut run = Run::start(&path("run.bin"), &tee);
    run.says("readers at unix ");
    let reader = run.joined(UnixStream::connect(&socket).unwrap());
    run.target.write_all(b"bytes").unwrap();

    let again =
        |tee: &str| refused(&["record", "-O", path("other.bin").to_str().unwrap(), "--tee", tee, "oven-734.bin"]);
    let (code, said) = again(&tee);
    assert!(code == 3 && said.contains("in use; choose another path"), "{said}");
    fs::write(path("file"), "precious").unwrap();
    let (code, said) = again(&format!("unix:{}", path("file").display()));
    assert!(code == 3 && said.contains("in use; choose another path"), "{said}");
    assert_eq!(again("udp:7").0, 2);
    assert_eq!(fs::read(path("file")).unwrap(), b"precious");

    // What was received before the signal reaches the reader.
    let said = run.end();
    assert!(said.contains("too slow and cut off 0"), "{said}");
    assert_eq!(without_zeros(&reader), b"bytes");
    assert!(!socket.exists());
}
