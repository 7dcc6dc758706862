//! Serves a trace to the web page of the Perfetto viewer.

use std::{
    fs::File,
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, UNIX_EPOCH},
};

use crate::io::sys::PositionedIo;

/// The port that the page's content security policy allows.
pub const PORT: u16 = 9001;
/// How often waits check for a stop.
const LOOK: Duration = Duration::from_millis(20);
const AT_A_TIME: usize = 16;

#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    #[error("port {0} is in use on this machine, and the web page reads from no other; stop the program that uses it")]
    Busy(u16),
    #[error("127.0.0.1:{0}: {1}")]
    Port(u16, io::Error),
}

#[derive(Debug)]
pub struct Offer {
    listener: TcpListener,
    address: SocketAddr,
}

impl Offer {
    /// Binds a port; the page reads from [`PORT`], 0 = any.
    pub fn open(port: u16) -> Result<Offer, OfferError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => OfferError::Busy(port),
            _ => OfferError::Port(port, error),
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Offer { listener, address })
    }

    pub fn link(&self) -> String {
        format!("{PAGE}/#!/?url=http://{}{TRACE}", self.address)
    }

    /// Serves requests for `trace` until `stop` is set or, with `once`, until the trace was fetched. The file may
    /// already be unlinked.
    pub fn serve(&self, trace: File, once: bool, stop: &AtomicBool) -> io::Result<()> {
        let (trace, fetched) = (Arc::new(trace), Arc::new(AtomicBool::new(false)));
        let mut clients: Vec<Client> = Vec::new();
        while !(stop.load(Ordering::Relaxed) || once && fetched.load(Ordering::Relaxed)) {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    make_room(&mut clients);
                    // A client that can't be served now will retry.
                    clients.extend(self.begin(stream, &trace, &fetched).ok());
                }
                Err(error) if is_passing(&error) => std::thread::sleep(LOOK),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn begin(&self, stream: TcpStream, trace: &Arc<File>, fetched: &Arc<AtomicBool>) -> io::Result<Client> {
        let client = Client { stream: stream.try_clone()?, state: Arc::default() };
        let (state, trace, fetched, port) = (client.state.clone(), trace.clone(), fetched.clone(), self.address.port());
        let run = move || {
            // A browser that disconnects is no error.
            if let Ok(true) = answer(stream, &trace, port, &state.asked) {
                fetched.store(true, Ordering::Relaxed);
            }
            state.done.store(true, Ordering::Relaxed);
        };
        std::thread::Builder::new().name("offer".into()).spawn(run)?;
        Ok(client)
    }
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(error.kind(), K::WouldBlock | K::Interrupted | K::ConnectionAborted | K::ConnectionReset)
}

struct Client {
    stream: TcpStream,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    asked: AtomicBool,
    done: AtomicBool,
}

/// Drops clients that were served. If there are still too many, drops the one waiting longest without a request, so
/// that slow clients can't block others; if all have sent requests, the oldest.
fn make_room(clients: &mut Vec<Client>) {
    clients.retain(|client| !client.state.done.load(Ordering::Relaxed));
    if clients.len() < AT_A_TIME {
        return;
    }
    let slow = clients.iter().position(|client| !client.state.asked.load(Ordering::Relaxed)).unwrap_or(0);
    // Its thread sees the end and stops.
    let _ = clients.remove(slow).stream.shutdown(Shutdown::Both);
}

/// Origin allowed to read the trace.
pub(super) const PAGE: &str = "https://ui.perfetto.dev";
pub(super) const TRACE: &str = "/trace.proto";
/// Time limit for a whole request, and for the end of a response.
const PATIENCE: Duration = Duration::from_secs(10);
/// A client slower than this, in bytes per second, is dropped.
const SLOWEST: u64 = 100_000;
const MOST: usize = 16 * 1024;
/// Bytes of the trace sent at once.
const PIECE: usize = 256 * 1024;

/// A response without a body.
struct Short(&'static str, &'static str);

/// Answers one request to `port`; `true` if the whole trace was sent.
pub(super) fn answer(mut stream: TcpStream, trace: &File, port: u16, asked: &AtomicBool) -> io::Result<bool> {
    stream.set_nonblocking(false)?;
    let request = request(&mut stream)?;
    asked.store(true, Ordering::Relaxed);
    let method = request.method();
    let response = match (method, request.path()) {
        // Another host name would let any web page read the trace, as its origin would then match.
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

/// Sends all bytes before a deadline.
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

/// Time left until a deadline; an error once it has passed.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Ends the response and drains the input: closing a connection with unread bytes resets it, and the response may be
/// lost.
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

struct Request(String);

impl Request {
    fn method(&self) -> &str {
        self.0.split(' ').next().unwrap_or_default()
    }

    /// The path of its target, without query.
    fn path(&self) -> &str {
        let target = self.0.lines().next().unwrap_or_default().split(' ').nth(1).unwrap_or_default();
        target.split(['?', '#']).next().unwrap_or_default()
    }

    /// Whether it addresses this machine by its own name. Browsers always send the host; a client that doesn't is no
    /// browser.
    fn is_for(&self, port: u16) -> bool {
        let heads = self.0.lines().skip(1).filter_map(|line| line.split_once(':'));
        let mut hosts = heads.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host.trim());
        hosts.all(|host| {
            let name = host.strip_suffix(&format!(":{port}")).unwrap_or(if port == 80 { host } else { "" });
            name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
        })
    }
}

/// Reads the head of a request before a deadline.
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

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn the_page_gets_the_trace_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("t.pftrace");
        std::fs::write(&trace, b"the trace").expect("written");
        let offer = Offer::open(0).expect("a port");
        let address = offer.address;
        assert_eq!(offer.link(), format!("https://ui.perfetto.dev/#!/?url=http://{address}/trace.proto"));
        std::thread::scope(|scope| {
            let stop = AtomicBool::new(false);
            let trace = File::open(&trace).expect("there");
            let server = scope.spawn(move || offer.serve(trace, true, &stop));
            let first = |request: &str| ask(address, request).lines().next().unwrap_or_default().to_owned();
            assert_eq!(first("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 Not Found");
            assert_eq!(first("POST /status HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), "HTTP/1.1 200 OK");
            assert_eq!(first("GET /status HTTP/1.1\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
            assert!(ask(address, "OPTIONS /trace.proto HTTP/1.1\r\n\r\n").contains("Private-Network: true"));
            for host in ["evil.example", "evil.example:9001", "127.0.0.1:1", "127.0.0.1.evil.example", ""] {
                let request = format!("GET /trace.proto HTTP/1.1\r\nhost: {host}\r\n\r\n");
                assert_eq!(first(&request), "HTTP/1.1 403 Forbidden", "{host}");
            }
            let request = format!("GET /trace.proto HTTP/1.1\r\nHost: {address}\r\n\r\n");
            let answer = ask(address, &request);
            let (heads, body) = answer.split_once("\r\n\r\n").expect("heads");
            assert_eq!(body, "the trace");
            for head in
                ["200 OK", "octet-stream", "Content-Length: 9", "ETag: ", "Allow-Origin: https://ui.perfetto.dev"]
            {
                assert!(heads.contains(head), "{head} in {heads}");
            }
            server.join().expect("no panic").expect("served");
        });
    }

    #[test]
    fn slow_clients_keep_nobody_out() {
        let mut trace = tempfile::tempfile().expect("a file");
        trace.write_all(b"the trace").expect("written");
        let offer = Offer::open(0).expect("a port");
        let address = offer.address;
        std::thread::scope(|scope| {
            let stop = AtomicBool::new(false);
            let server = scope.spawn(move || offer.serve(trace, true, &stop));
            let slow: Vec<TcpStream> = (0..3 * AT_A_TIME)
                .map(|_| {
                    let mut stream = TcpStream::connect(address).expect("it listens");
                    stream.write_all(b"GET /tr").expect("it reads");
                    stream
                })
                .collect();
            let request = format!("GET /trace.proto HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", address.port());
            assert!(ask(address, &request).ends_with("\r\n\r\nthe trace"));
            server.join().expect("no panic").expect("served");
            drop(slow);
        });
    }

    #[test]
    fn a_port_in_use_is_said() {
        let first = Offer::open(0).expect("a port");
        let error = Offer::open(first.address.port()).expect_err("in use");
        assert!(error.to_string().contains("in use"), "{error}");
    }
}
