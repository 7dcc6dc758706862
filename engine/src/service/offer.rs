//! Serves a trace to the Perfetto web page: one file over HTTP, on this machine only, readable by that page only.

use std::{
    fs::File,
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Origin allowed to read the trace.
const PAGE: &str = "https://ui.perfetto.dev";
/// The port that the page's content security policy allows.
pub const PORT: u16 = 9001;
/// Path of the trace.
const TRACE: &str = "/trace.proto";
/// How often a wait checks for a stop.
const LOOK: Duration = Duration::from_millis(20);
/// Time-out of a request and of its response.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum size of a request.
const MOST: usize = 16 * 1024;
/// Maximum number of concurrent requests.
const AT_A_TIME: usize = 16;

/// The trace can't be served.
#[derive(Debug, thiserror::Error)]
pub enum OfferError {
    /// Another program uses the port.
    #[error("port {0} is in use on this machine, and the web page reads from no other; end what uses it")]
    Busy(u16),
    /// Any other error.
    #[error("127.0.0.1:{0}: {1}")]
    Port(u16, io::Error),
}

/// A bound port.
#[derive(Debug)]
pub struct Offer {
    listener: TcpListener,
    address: SocketAddr,
}

impl Offer {
    /// Binds a port; the page reads from [`PORT`], 0 = any.
    ///
    /// # Errors
    /// If the port is in use or can't be bound.
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

    /// The listening address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL to open in a browser.
    #[must_use]
    pub fn link(&self) -> String {
        format!("{PAGE}/#!/?url=http://{}{TRACE}", self.address)
    }

    /// Serves requests until `stop` is set or, with `once`, until the trace was fetched.
    ///
    /// # Errors
    /// If the file can't be read, or the port fails.
    pub fn serve(&self, trace: &Path, once: bool, stop: &AtomicBool) -> io::Result<()> {
        // Report an unreadable file at once, not with the first request.
        File::open(trace)?;
        let (busy, fetched) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        while !(stop.load(Ordering::Relaxed) || once && fetched.load(Ordering::Relaxed)) {
            match self.listener.accept() {
                Ok((stream, _)) if busy.load(Ordering::Relaxed) < AT_A_TIME => {
                    let work = RequestHandler { trace: trace.to_owned(), busy: busy.clone(), fetched: fetched.clone() };
                    work.begin(stream)?;
                }
                // Over the limit: the connection waits in the backlog.
                Ok(_) => {}
                Err(error) if is_passing(&error) => std::thread::sleep(LOOK),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(error.kind(), K::WouldBlock | K::Interrupted | K::ConnectionAborted | K::ConnectionReset)
}

/// One request.
struct RequestHandler {
    trace: PathBuf,
    busy: Arc<AtomicUsize>,
    fetched: Arc<AtomicBool>,
}

impl RequestHandler {
    fn begin(self, stream: TcpStream) -> io::Result<()> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        let run = move || {
            // A browser that disconnects is no error.
            if let Ok(true) = answer(stream, &self.trace) {
                self.fetched.store(true, Ordering::Relaxed);
            }
            self.busy.fetch_sub(1, Ordering::Relaxed);
        };
        std::thread::Builder::new().name("offer".into()).spawn(run).map(drop)
    }
}

/// Answers one request; `true` if the whole trace was sent.
fn answer(mut stream: TcpStream, trace: &Path) -> io::Result<bool> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = request(&mut stream)?;
    let mut words = request.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split(['?', '#']).next().unwrap_or_default();
    match (method, path) {
        ("GET" | "HEAD", TRACE) => {
            let mut file = File::open(trace)?;
            let about = file.metadata()?;
            let changed = about.modified().ok().and_then(|m| m.duration_since(std::time::UNIX_EPOCH).ok());
            let tag = format!("{:x}-{:x}", about.len(), changed.map_or(0, |c| c.as_nanos()));
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {}\r\nETag: \"{tag}\"\r\n\
                 Cache-Control: no-cache\r\n{}\r\n",
                about.len(),
                common()
            );
            stream.write_all(head.as_bytes())?;
            if method == "HEAD" {
                return Ok(false);
            }
            io::copy(&mut file, &mut stream)?;
            close(stream).map(|()| true)
        }
        ("OPTIONS", _) => {
            let allow = "Access-Control-Allow-Methods: GET, POST\r\nAccess-Control-Allow-Headers: *\r\n\
                         Access-Control-Allow-Private-Network: true\r\n";
            short(stream, "204 No Content", allow)
        }
        ("POST", "/status") => short(stream, "200 OK", ""),
        (_, "/status") => short(stream, "405 Method Not Allowed", "Allow: POST\r\n"),
        (_, TRACE) => short(stream, "405 Method Not Allowed", "Allow: GET\r\n"),
        _ => short(stream, "404 Not Found", ""),
    }
}

/// Headers of every response: the allowed origin, and `Connection: close`.
fn common() -> String {
    format!("Access-Control-Allow-Origin: {PAGE}\r\nVary: Origin\r\nConnection: close\r\n")
}

fn short(mut stream: TcpStream, status: &str, heads: &str) -> io::Result<bool> {
    let text = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n{heads}{}\r\n", common());
    stream.write_all(text.as_bytes())?;
    close(stream).map(|()| false)
}

/// Ends the response and reads what the peer still sends: closing a connection with unread bytes resets it, and the
/// response may be lost.
fn close(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut rest = [0; 1024];
    for _ in 0..MOST / rest.len() {
        if stream.read(&mut rest)? == 0 {
            break;
        }
    }
    Ok(())
}

/// Reads a request and returns its first line; the headers are not needed.
fn request(stream: &mut TcpStream) -> io::Result<String> {
    let (mut all, mut piece) = (Vec::new(), [0; 1024]);
    while !all.windows(4).any(|w| w == b"\r\n\r\n") {
        let n = stream.read(&mut piece)?;
        if n == 0 || all.len() > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        all.extend_from_slice(&piece[..n]);
    }
    let line = all.split(|&b| b == b'\r').next().unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
mod tests {
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
        let address = offer.address();
        assert_eq!(offer.link(), format!("https://ui.perfetto.dev/#!/?url=http://{address}/trace.proto"));
        std::thread::scope(|scope| {
            let stop = AtomicBool::new(false);
            let server = scope.spawn(move || offer.serve(&trace, true, &stop));
            let first = |request: &str| ask(address, request).lines().next().unwrap_or_default().to_owned();
            assert_eq!(first("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 Not Found");
            assert_eq!(first("POST /status HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), "HTTP/1.1 200 OK");
            assert_eq!(first("GET /status HTTP/1.1\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
            assert!(ask(address, "OPTIONS /trace.proto HTTP/1.1\r\n\r\n").contains("Private-Network: true"));
            let answer = ask(address, "GET /trace.proto HTTP/1.1\r\nHost: x\r\n\r\n");
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
    fn a_port_in_use_is_said() {
        let first = Offer::open(0).expect("a port");
        let error = Offer::open(first.address().port()).expect_err("in use");
        assert!(error.to_string().contains("in use"), "{error}");
    }
}
