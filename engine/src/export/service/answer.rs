//! One HTTP request for a trace, and its response.

use std::{
    fs::File,
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant, UNIX_EPOCH},
};

use crate::io::sys::PositionedIo;

/// Origin allowed to read the trace.
pub(super) const PAGE: &str = "https://ui.perfetto.dev";
/// Path of the trace.
pub(super) const TRACE: &str = "/trace.proto";
/// Time limit of a whole request, and of the end of a response.
const PATIENCE: Duration = Duration::from_secs(10);
/// A client that takes less than this in a second is given up.
const SLOWEST: u64 = 100_000;
/// Maximum size of a request.
const MOST: usize = 16 * 1024;
/// Bytes of the trace sent at once.
const PIECE: usize = 256 * 1024;

/// Set when a request is complete.
pub(super) type Asked = AtomicBool;

/// A response without a body.
struct Short(&'static str, &'static str);

/// Answers one request to `port`; `true` if the whole trace was sent.
pub(super) fn answer(mut stream: TcpStream, trace: &File, port: u16, asked: &Asked) -> io::Result<bool> {
    stream.set_nonblocking(false)?;
    let request = request(&mut stream)?;
    asked.store(true, Ordering::Relaxed);
    let method = request.method();
    let response = match (method, request.path()) {
        // Another name for this machine would let any web page read the trace: it is then of the page's own origin.
        _ if !request.is_for(port) => Short("403 Forbidden", ""),
        ("GET" | "HEAD", TRACE) => return send_trace(stream, trace, method == "GET"),
        ("OPTIONS", _) => Short(
            "204 No Content",
            "Access-Control-Allow-Methods: GET, POST\r\nAccess-Control-Allow-Headers: *\r\n\
             Access-Control-Allow-Private-Network: true\r\n",
        ),
        ("POST", "/status") => Short("200 OK", ""),
        (_, "/status") => Short("405 Method Not Allowed", "Allow: POST\r\n"),
        (_, TRACE) => Short("405 Method Not Allowed", "Allow: GET\r\n"),
        _ => Short("404 Not Found", ""),
    };
    let Short(status, heads) = response;
    let text = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n{heads}{}\r\n", common());
    send(&mut stream, text.as_bytes(), Instant::now() + PATIENCE)?;
    close(stream).map(|()| false)
}

fn send_trace(mut stream: TcpStream, trace: &File, whole: bool) -> io::Result<bool> {
    let about = trace.metadata()?;
    let changed = about.modified().ok().and_then(|m| m.duration_since(UNIX_EPOCH).ok());
    let tag = format!("{:x}-{:x}", about.len(), changed.map_or(0, |c| c.as_nanos()));
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {}\r\nETag: \"{tag}\"\r\n\
         Cache-Control: no-cache\r\n{}\r\n",
        about.len(),
        common()
    );
    let until = Instant::now() + PATIENCE + Duration::from_secs(about.len() / SLOWEST);
    send(&mut stream, head.as_bytes(), until)?;
    if !whole {
        return close(stream).map(|()| false);
    }
    let (mut pos, mut piece) = (0, vec![0; PIECE]);
    while pos < about.len() {
        let read = trace.read_at(&mut piece, pos)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        send(&mut stream, &piece[..read], until)?;
        pos += read as u64;
    }
    close(stream).map(|()| true)
}

/// Headers of every response: the allowed origin, and `Connection: close`.
fn common() -> String {
    format!("Access-Control-Allow-Origin: {PAGE}\r\nVary: Origin\r\nConnection: close\r\n")
}

/// Sends all bytes in time.
fn send(stream: &mut TcpStream, mut bytes: &[u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(left(until)?.min(PATIENCE)))?;
        let sent = stream.write(bytes)?;
        if sent == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[sent..];
    }
    Ok(())
}

/// Time left; an error if it is over.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Ends the response and reads what the peer still sends: closing a connection with unread bytes resets it, and the
/// response may be lost.
fn close(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let until = Instant::now() + PATIENCE;
    let mut rest = [0; 1024];
    for _ in 0..MOST / rest.len() {
        stream.set_read_timeout(Some(left(until)?))?;
        if stream.read(&mut rest)? == 0 {
            break;
        }
    }
    Ok(())
}

/// The head of a request.
struct Request(String);

impl Request {
    fn method(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }

    /// The path of its target, without what stands behind it.
    fn path(&self) -> &str {
        let target = self.0.lines().next().unwrap_or_default().split(' ').nth(1).unwrap_or_default();
        target.split(['?', '#']).next().unwrap_or_default()
    }

    /// Whether it asks this machine by its own name. Browsers always send the host; what sends none is no browser.
    fn is_for(&self, port: u16) -> bool {
        let heads = self.0.lines().skip(1).filter_map(|line| line.split_once(':'));
        let mut hosts = heads.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host.trim());
        hosts.all(|host| {
            let name = host.strip_suffix(&format!(":{port}")).unwrap_or(if port == 80 { host } else { "" });
            name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
        })
    }
}

/// Reads the head of a request, all of it in time.
fn request(stream: &mut TcpStream) -> io::Result<Request> {
    let until = Instant::now() + PATIENCE;
    let (mut all, mut piece) = (Vec::new(), [0; 1024]);
    while !all.windows(4).any(|w| w == b"\r\n\r\n") {
        stream.set_read_timeout(Some(left(until)?))?;
        let n = stream.read(&mut piece)?;
        if n == 0 || all.len() > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        all.extend_from_slice(&piece[..n]);
    }
    Ok(Request(String::from_utf8_lossy(&all).into_owned()))
}
